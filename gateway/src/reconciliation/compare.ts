import { isDeepStrictEqual } from "node:util";
import type { Components } from "../lib/due.ts";
import { pairReturns } from "../psp/pair-returns.ts";

/**
 * - `received`: a Pix that came in, with what was credited of it: without a withheld tax. `returned`: money of it that went
 *   back, requested by us or made by the institution.
 * - `sent`: a payout. `sent_back`: money of it that came back.
 * - `tariff`: what the institution charged for a Pix or a payout.
 */
export const ENTRY_KINDS = ["received", "returned", "sent", "sent_back", "tariff"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** A movement of money between an institution and us, as one of the two has it. */
export type Entry = {
  readonly kind: EntryKind;
  /** End-to-end id of a received Pix, id of a return, our id of a payout: the same on both sides. */
  readonly key: string;
  /** A return's other id: institutions show their own first, and the network's later. */
  readonly alias?: string | null;
  /** The Pix or payout that it belongs to: its end-to-end id, our id. */
  readonly parent: string;
  /** Centavos. */
  readonly amount: number;
  /** Centavos that the institution kept back of a received Pix as tax: they are not in `amount`. Left out: none is shown. */
  readonly withheld?: number | undefined;
  /** Of a Pix with a due date: how the institution explains its whole amount. Left out: it does not. */
  readonly components?: Components | undefined;
  readonly at: Date;
  /** Of our side: its Pix paid no charge. */
  readonly isPlain?: true;
};

/** What only one side has, or both have with different values. */
export type Difference =
  | { readonly state: "missing_here"; readonly theirs: Entry }
  | { readonly state: "missing_there"; readonly ours: Entry }
  | { readonly state: "differing"; readonly theirs: Entry; readonly ours: Entry };

export type Matched = { count: number; amount: number };

/** The identity of an entry. An id of a return is unique only within its Pix or payout. */
export const nameOf = ({ kind, key, parent }: Pick<Entry, "kind" | "key" | "parent">): string =>
  isReturn({ kind }) ? `${kind} ${parent} ${key}` : `${kind} ${key}`;

const isReturn = ({ kind }: Pick<Entry, "kind">): boolean => kind === "returned" || kind === "sent_back";

/**
 * Whether both sides have the same amount. An answer without a tax proves nothing about it: banks that show the tax in one
 * answer leave it out of another, and show the whole Pix there.
 */
export const sameAmount = (theirs: Amount, ours: Amount): boolean =>
  theirs.amount === ours.amount ||
  (theirs.withheld === undefined && theirs.amount === ours.amount + (ours.withheld ?? 0));
type Amount = Pick<Entry, "amount" | "withheld">;

/** Whether both sides explain an amount alike. A side without an explanation contradicts none. */
const sameComponents = (theirs: Entry, ours: Entry): boolean =>
  theirs.components === undefined ||
  ours.components === undefined ||
  isDeepStrictEqual(theirs.components, ours.components);

/** A return in the form of psp/pair-returns.ts. An id of unknown kind counts as an own one. */
const toNamedReturn = (entry: Entry) => {
  const { key, alias, amount } = entry;
  return alias == null || alias === key ? { id: key, amount, entry } : { id: alias, rtrId: key, amount, entry };
};

/**
 * Compares two sides. Returns are compared within their Pix or payout, by any common id, one to one. Of other entries with the
 * same key on one side only the last counts. Pure.
 */
export function compare(
  theirs: readonly Entry[],
  ours: readonly Entry[],
): { matched: Entry[]; differences: Difference[] } {
  const matched: Entry[] = [];
  const differences: Difference[] = [];
  const hold = (entry: Entry, own: Entry | undefined): void => {
    if (own === undefined) differences.push({ state: "missing_here", theirs: entry });
    else if (!sameAmount(entry, own) || !sameComponents(entry, own))
      differences.push({ state: "differing", theirs: entry, ours: own });
    else matched.push({ ...entry, amount: own.amount });
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
    const returnsOfParent = (leftReturns.get(parent) ?? []).map(toNamedReturn);
    const pairs = pairReturns(returnsOfParent, entries.map(toNamedReturn), () => false).map((pair) => pair?.entry);
    entries.forEach((entry, i) => {
      hold(entry, pairs[i]);
    });
    leftReturns.set(
      parent,
      returnsOfParent.flatMap(({ entry }) => (pairs.includes(entry) ? [] : [entry])),
    );
  }
  for (const entry of [...left.values(), ...[...leftReturns.values()].flat()]) {
    differences.push({ state: "missing_there", ours: entry });
  }
  return { matched, differences };
}

/**
 * Most entries whose identity a tally stores. A bank that shows entries of one hour in other hours too shows the same ones
 * in each.
 */
const REMEMBERED = 200_000;

/** Counts the matching entries of a day, each once even if several hours list it. */
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
