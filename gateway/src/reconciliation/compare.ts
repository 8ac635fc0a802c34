/**
 * - `received`: a Pix that came in. `returned`: money of it that went back, asked for by us or made by the institution.
 * - `sent`: a payout. `sent_back`: money of it that came back.
 * - `tariff`: what the institution took for a Pix or a payout.
 */
export const ENTRY_KINDS = ["received", "returned", "sent", "sent_back", "tariff"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One movement of money between an institution and us, as one of the two has it. */
export type Entry = {
  readonly kind: EntryKind;
  /** End-to-end id of a received Pix, id of a return, our id of a payout: the same on both sides. */
  readonly key: string;
  /** A return's other id: an institution names it by its own first, and later by the network's. */
  readonly alias?: string | null;
  /** The Pix or payout that it belongs to: its end-to-end id, our id. */
  readonly parent: string;
  /** Centavos. */
  readonly amount: number;
  readonly at: Date;
};

/** What only one side has, or both have differently. */
export type Difference =
  | { readonly state: "missing_here"; readonly theirs: Entry }
  | { readonly state: "missing_there"; readonly ours: Entry }
  | { readonly state: "differing"; readonly theirs: Entry; readonly ours: Entry };

export type Matched = { count: number; amount: number };

const idOf = ({ kind, key }: Entry): string => `${kind} ${key}`;
const namesOf = ({ kind, key, alias }: Entry): string[] => [key, alias ?? key].map((name) => `${kind} ${name}`);

/** Compares two sides. One name in common makes a pair; entries of one side that have the same key are one, the last. Pure. */
export function compare(
  theirs: readonly Entry[],
  ours: readonly Entry[],
): { matched: Record<EntryKind, Matched>; differences: Difference[] } {
  const matched = Object.fromEntries(ENTRY_KINDS.map((kind) => [kind, { count: 0, amount: 0 }])) as Record<
    EntryKind,
    Matched
  >;
  const differences: Difference[] = [];
  const left = new Map(ours.map((entry) => [idOf(entry), entry]));
  const byName = new Map([...left.values()].flatMap((entry) => namesOf(entry).map((name) => [name, entry] as const)));
  for (const entry of new Map(theirs.map((one) => [idOf(one), one])).values()) {
    const own = namesOf(entry).flatMap((name) => byName.get(name) ?? [])[0];
    if (own === undefined || !left.delete(idOf(own))) differences.push({ state: "missing_here", theirs: entry });
    else if (own.amount !== entry.amount) differences.push({ state: "differing", theirs: entry, ours: own });
    else {
      matched[entry.kind].count += 1;
      matched[entry.kind].amount += entry.amount;
    }
  }
  for (const entry of left.values()) differences.push({ state: "missing_there", ours: entry });
  return { matched, differences };
}
