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

/**
 * What an entry says beside its subject: what was decided, how much, from where to where. `isShort`: without the kind of a movement,
 * which the lines below say.
 */
export function useAboutText(): (entry: Entry, isShort?: boolean) => string {
  const { t } = useTranslation();
  const nameOf = useNames();
  return (entry, isShort = false) => {
    const { decided, scope, movement, brl, places } = aboutOf(entry);
    const sign = SIGNS[kindOf(movement) ?? "interbank"];
    return [
      decided === null ? null : wordOf("action", decided),
      movement === null || isShort ? null : decided === null ? movementWord(movement) : lowered(movementWord(movement)),
      scope === null ? null : t(`operator.brakes.scope.${scope}`),
      brl === null ? null : sign === 0 ? showBrl(brl) : showMovement(sign * brl),
      places.length === 0 || subjectIn(entry) !== null ? null : places.map(nameOf).join(" → "),
    ]
      .filter((part) => part !== null)
      .join(", ");
  };
}
