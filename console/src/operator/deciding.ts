import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { useSession } from "../session/session.tsx";

/** Whether somebody of this role in the installation requests and approves what moves money. */
export const decides = (role: string | undefined): boolean => role === "admin" || role === "finance";

/**
 * Who decides about money here: `two` persons always, `one` alone, or one up to an amount in 24 hours (`upTo`, BRL). Null
 * during an upgrade: a process of 0.1.0 does not say it.
 */
type Deciding = { readonly who: "two" | "one" | "upTo"; readonly most: number | null } | null;

export function useDeciding(): Deciding {
  const { twoPersons, twoPersonsAbove: most } = useSession().session;
  if (twoPersons === undefined || most === undefined) return null;
  if (twoPersons) return { who: "two", most };
  return most === null ? { who: "one", most } : { who: "upTo", most };
}

/** Whether what is pressed may happen at once: what else was moved in 24 hours is not known here. `brl`: the amount, where there is one. */
export const isAlone = (deciding: Deciding, brl: number | null | undefined): boolean =>
  deciding?.who === "one" ||
  (deciding?.who === "upTo" && brl !== null && brl !== undefined && Math.abs(brl) <= (deciding.most ?? 0));

/** Whether what loosens a protection, such as a lifted brake, waits for another person whatever it is about; null: not known. */
export function useWaitsAlways(): boolean | null {
  const deciding = useDeciding();
  return deciding && deciding.most !== null;
}

/** What happens next, said before the press: at once, or once another person approves. */
export function useDecidingText(): string {
  const { t } = useTranslation();
  const deciding = useDeciding();
  return t(`operator.deciding.${deciding?.who ?? "unknown"}`, { most: showBrl(deciding?.most ?? 0) });
}
