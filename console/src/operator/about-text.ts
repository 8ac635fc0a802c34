import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl, showMovement } from "../parts/amount.ts";
import { aboutOf, subjectIn } from "./audited.ts";
import { kindOf, SIGNS } from "./own-money.tsx";
import { useNames } from "./reads.ts";
import { movementWord, wordOf } from "./words.ts";

type Entry = operator.AuditEntry;

/** Within a sentence. */
const lowered = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

/** How much an entry is about, with its sign where the operation's own money goes or comes; empty where it says no amount. */
export function amountText(entry: Entry): string {
  const { movement, brl } = aboutOf(entry);
  const sign = SIGNS[kindOf(movement) ?? "interbank"];
  return brl === null ? "" : sign === 0 ? showBrl(brl) : showMovement(sign * brl);
}

/**
 * What an entry says beside its subject and its amount: what was decided, from where to where. `isShort`: without the kind of a
 * movement, which the lines below say.
 */
export function useAboutText(): (entry: Entry, isShort?: boolean) => string {
  const { t } = useTranslation();
  const nameOf = useNames();
  return (entry, isShort = false) => {
    const { decided, meant, scope, movement, places } = aboutOf(entry);
    return [
      decided && lowered(wordOf("action", decided)),
      meant !== null && t(meant ? "withdrawals.saidMeant" : "withdrawals.saidNotMeant"),
      movement !== null && !isShort && lowered(movementWord(movement)),
      scope && lowered(t(`operator.brakes.scope.${scope}`)),
      places.length > 0 && subjectIn(entry) === null && places.map(nameOf).join(" → "),
    ]
      .filter(Boolean)
      .join(", ");
  };
}
