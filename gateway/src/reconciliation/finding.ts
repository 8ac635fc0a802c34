/** Turns the differences of a comparison into findings. Pure. */
import { type Difference, type Entry, type EntryKind, sameAmount } from "./compare.ts";
import type { Theirs } from "./theirs.ts";

/** A difference as the report shows it. */
export type Finding = {
  readonly kind: EntryKind;
  readonly state: Difference["state"];
  readonly key: string;
  /** As in the entry (compare.ts): with these ids it is found in our books later. */
  readonly parent: string;
  readonly alias: string | null;
  /** Centavos; null: that side does not have it. */
  readonly theirs: number | null;
  readonly ours: number | null;
  readonly at: Date;
  /** The comparison booked it, by the same code as a notification. */
  readonly booked: boolean;
  /** The probable cause, and what to do about it. */
  readonly cause: string;
};

/**
 * Removes tariffs that the institution's list does not show: institutions report tariffs in notifications and leave them
 * out of lists.
 */
export function withoutUnlistedTariffs(ours: readonly Entry[], theirs: readonly Entry[]): Entry[] {
  const listed = new Set(theirs.flatMap(({ kind, key }) => (kind === "tariff" ? [key] : [])));
  return ours.filter(({ kind, key }) => kind !== "tariff" || listed.has(key));
}

/** Whether the list has the Pix or payout of a return. */
export const listsParent = ({ pix, payouts }: Pick<Theirs, "pix" | "payouts">, { kind, parent }: Entry): boolean =>
  (kind === "returned" && pix.has(parent)) || (kind === "sent_back" && payouts.has(parent));

/** What an institution answers about an entry of ours that its list lacks. */
type Answer = "absent" | "unclear";

/**
 * The finding of a payout under our id that the institution still processes and the books do not have: a restore lost
 * it.
 */
export const toLost = (theirs: Entry): Finding => ({
  ...toFinding({ state: "missing_here", theirs }, false),
  cause:
    "The institution is paying it out, and it is not in our books: a restored backup has lost it, or another program uses such ids at the same account.",
});

/**
 * @param booked the comparison booked it.
 * @param answer the institution's answer about an entry of ours.
 */
export function toFinding(difference: Difference, booked: boolean, answer: Answer = "absent"): Finding {
  const theirs = "theirs" in difference ? difference.theirs : null;
  const ours = "ours" in difference ? difference.ours : null;
  const entry = (theirs ?? ours)!;
  return {
    kind: entry.kind,
    state: difference.state,
    key: entry.key,
    parent: entry.parent,
    alias: entry.alias ?? null,
    theirs: theirs?.amount ?? null,
    ours: ours?.amount ?? null,
    at: entry.at,
    booked,
    cause:
      difference.state === "differing"
        ? whyDiffering(difference)
        : causeOf(difference.state, entry.kind, booked, answer),
  };
}

const whyDiffering = ({ theirs, ours }: Difference & { readonly state: "differing" }): string =>
  sameAmount(theirs, ours)
    ? "Both have the same amount, which the institution now explains by another fine, interest, discount or abatement than when it was booked: nothing was changed. Ask the institution."
    : "Both have it, with different amounts: nothing was changed. Ask the institution.";

function causeOf(
  state: Exclude<Difference["state"], "differing">,
  kind: EntryKind,
  booked: boolean,
  answer: Answer,
): string {
  if (state === "missing_there") {
    return answer === "unclear"
      ? "We have booked it, and the institution gave no clear answer about it. Reconcile again later."
      : "We have booked it, and the institution does not know it. Ask the institution before money leaves.";
  }
  if (booked)
    return "We had not been notified of it: a lost notification, or one that came late. It has been booked now.";
  if (kind === "sent") {
    return "Paid out at the institution and not in our books: one of ours is being asked about now; another program may use the same account.";
  }
  if (kind === "sent_back")
    return "Money of a payout came back and is not in our books yet: it is being asked about now.";
  if (kind === "tariff") return "The institution took it and it is not in our books yet: a payout's is queried now.";
  return "It could not be booked. The log says why.";
}
