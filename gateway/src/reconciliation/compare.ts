import { pairReturns } from "../outgoing/pair-returns.ts";

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

/** What an entry is about. An id of a return is unique only within its Pix or payout. */
export const nameOf = ({ kind, key, parent }: Pick<Entry, "kind" | "key" | "parent">): string =>
  isReturn({ kind }) ? `${kind} ${parent} ${key}` : `${kind} ${key}`;

const isReturn = ({ kind }: Pick<Entry, "kind">): boolean => kind === "returned" || kind === "sent_back";

/** A return as outgoing/pair-returns.ts names it: a name of an unknown kind is like an own one. */
const named = (entry: Entry) => {
  const { key, alias, amount } = entry;
  return alias == null || alias === key ? { id: key, amount, entry } : { id: alias, rtrId: key, amount, entry };
};

/**
 * Compares two sides. Returns are compared within their Pix or payout, by any name in common, each for one; other entries of one side
 * that have the same key are one, the last. Pure.
 */
export function compare(
  theirs: readonly Entry[],
  ours: readonly Entry[],
): { matched: Entry[]; differences: Difference[] } {
  const matched: Entry[] = [];
  const differences: Difference[] = [];
  const hold = (entry: Entry, own: Entry | undefined): void => {
    if (own === undefined) differences.push({ state: "missing_here", theirs: entry });
    else if (own.amount !== entry.amount) differences.push({ state: "differing", theirs: entry, ours: own });
    else matched.push(entry);
  };
  const byName = (entries: readonly Entry[]) =>
    new Map(entries.flatMap((entry) => (isReturn(entry) ? [] : [[nameOf(entry), entry] as const])));
  const byParent = (entries: readonly Entry[]) =>
    Map.groupBy(entries.filter(isReturn), ({ kind, parent }) => `${kind} ${parent}`);
  const left = byName(ours);
  for (const [name, entry] of byName(theirs)) {
    hold(entry, left.get(name));
    left.delete(name);
  }
  const leftReturns = byParent(ours);
  for (const [parent, entries] of byParent(theirs)) {
    const own = (leftReturns.get(parent) ?? []).map(named);
    const pairs = pairReturns(own, entries.map(named), () => false).map((pair) => pair?.entry);
    entries.forEach((entry, i) => {
      hold(entry, pairs[i]);
    });
    leftReturns.set(
      parent,
      own.flatMap(({ entry }) => (pairs.includes(entry) ? [] : [entry])),
    );
  }
  for (const entry of [...left.values(), ...[...leftReturns.values()].flat()]) {
    differences.push({ state: "missing_there", ours: entry });
  }
  return { matched, differences };
}

/** Entries whose names a tally remembers: a list that shows one hour's entries in others too shows them whole in each. */
const REMEMBERED = 200_000;

/** Counts what matches in a day: an entry that is listed in several hours once. */
export function createTally() {
  const counts = Object.fromEntries(ENTRY_KINDS.map((kind) => [kind, { count: 0, amount: 0 }])) as Record<
    EntryKind,
    Matched
  >;
  const counted = new Set<string>();
  return {
    counts,
    add(entries: readonly Entry[]): void {
      const before = new Set(entries.map(nameOf).filter((name) => counted.has(name)));
      for (const entry of entries) {
        const name = nameOf(entry);
        if (before.has(name)) continue;
        counts[entry.kind].count += 1;
        counts[entry.kind].amount += entry.amount;
        if (counted.size < REMEMBERED) counted.add(name);
      }
    },
  };
}
