import type { Found, Psp } from "../psp/psp.ts";
import { type Entry, nameOf } from "./compare.ts";

/** Whether an institution has an entry of ours: it does, it does not, its answer does not say, or it was not queried. */
type Presence = "there" | "absent" | "unclear" | "unasked";

/** What an institution shows of a Pix or of a payout, as far as entries are made of it. */
type Shown = {
  /** Centavos that were received or sent; null while nothing has moved. */
  readonly amount: number | null;
  readonly returns: readonly { readonly ids: readonly string[]; readonly amount: number; readonly settled: boolean }[];
};

/** An entry of ours that the institution's lists do not have. */
export type Unlisted = {
  readonly entry: Entry;
  /** Where it stands among all of the day: they are queried in this order. */
  readonly place: string;
  /** The list has the Pix or payout that it is of. */
  readonly listsParent: boolean;
};

/** Queries of one reconciliation, one after the other: in a minute or two, and far below what institutions allow in a day. */
const MOST = 1_000;
/** After so many queries in a row without an answer no more are made: each may take until its time-out. */
const SILENT = 5;
/** Entries without a query that are known by name; of more only the number is. */
const NAMED = 10_000;

/**
 * Queries an institution for entries that its list does not have, one call for each Pix and payout: a list lags, leaves
 * returns out, or has the entry under another hour.
 */
export function createQueries(psp: Psp): (entry: Entry) => Promise<Presence> {
  const asked = new Map<string, Promise<Found<Shown> | null>>();
  let [left, silent] = [MOST, 0];
  const ask = async (isPix: boolean, parent: string): Promise<Found<Shown> | null> => {
    if (left === 0 || silent === SILENT) return null;
    left -= 1;
    const found = await (isPix ? findPix(psp, parent) : findPayout(psp, parent));
    silent = found.kind === "unknown" ? silent + 1 : 0;
    return found;
  };
  return async (entry) => {
    const isPix = entry.kind === "received" || entry.kind === "returned";
    const key = `${isPix} ${entry.parent}`;
    const asking = asked.get(key) ?? ask(isPix, entry.parent);
    asked.set(key, asking);
    const found = await asking;
    return found === null ? "unasked" : presenceOf(entry, found);
  };
}

/** The entries of a day that were not queried. */
export type Unasked = {
  readonly count: number;
  /** Whether an entry is, or may be, among them. */
  readonly has: (entry: Pick<Entry, "kind" | "key" | "parent">) => boolean;
};

/**
 * The entries of a day that are to be queried. There may be more than one comparison queries, and an institution may answer none of
 * the first: so each comparison goes on where the one before it ended, and begins again at the day's start after the last.
 *
 * @param last the place of the entry that was queried last; null: none was.
 */
export function createLine(last: string | null) {
  const later: Unlisted[] = [];
  const earlier: Unlisted[] = [];
  const named = new Set<string>();
  let unasked = 0;
  let isLong = false;
  const leave = ({ entry }: Unlisted): void => {
    unasked += 1;
    if (named.size < NAMED) named.add(nameOf(entry));
  };
  return {
    /** Adds those of an hour; the hours come in order. */
    add(entries: readonly Unlisted[]): void {
      for (const one of [...entries].sort((a, b) => (a.place < b.place ? -1 : 1))) {
        const isLater = last === null || one.place > last;
        const line = isLater ? later : earlier;
        if (line.length < MOST) line.push(one);
        else leave(one);
        isLong ||= isLater && later.length === MOST;
      }
    },
    /** Queries them. Gives the place of the one that was queried last, and which were not. */
    async ask(
      query: (entry: Entry) => Promise<Presence>,
      then: (one: Unlisted, presence: Exclude<Presence, "unasked">) => void,
    ): Promise<{ readonly last: string | null; readonly unasked: Unasked }> {
      let reached = last;
      let isOver = false;
      for (const one of later.concat(isLong ? [] : earlier)) {
        const presence = await query(one.entry);
        isOver ||= presence === "unasked";
        if (presence === "unasked") leave(one);
        else then(one, presence);
        if (!isOver) reached = one.place;
      }
      if (isLong) for (const one of earlier) leave(one);
      const has: Unasked["has"] = (entry) => unasked > named.size || named.has(nameOf(entry));
      return { last: reached, unasked: { count: unasked, has } };
    },
  };
}

async function findPix(psp: Psp, e2eId: string): Promise<Found<Shown>> {
  const found = await psp.findPix(e2eId);
  if (found.kind !== "found") return found;
  const { amount, returns: all } = found.value;
  const returns = all.map(({ id, rtrId, amount: back, status }) => ({
    ids: rtrId === undefined ? [id] : [id, rtrId],
    amount: back,
    settled: status === "settled",
  }));
  return { kind: "found", value: { amount, returns } };
}

async function findPayout(psp: Psp, id: string): Promise<Found<Shown>> {
  if (!psp.payouts) return { kind: "absent" };
  const found = await psp.payouts.findPayout(id);
  if (found.kind !== "found") return found;
  const { amount, status, returns: all } = found.value;
  const returns = all.map(({ id: own, rtrId, amount: back }) => ({
    ids: [own, rtrId].filter((one) => one !== undefined),
    amount: back,
    settled: true,
  }));
  return { kind: "found", value: { amount: status === "settled" ? amount : null, returns } };
}

/** Whether what an institution shows has the entry. Pure. */
export function presenceOf(
  entry: Pick<Entry, "kind" | "key" | "alias" | "amount">,
  found: Found<Shown>,
): Exclude<Presence, "unasked"> {
  if (found.kind !== "found") return found.kind === "absent" ? "absent" : "unclear";
  const { amount, returns } = found.value;
  if (entry.kind === "received" || entry.kind === "sent") return amount === entry.amount ? "there" : "unclear";
  const back = returns.find(({ ids }) => ids.some((id) => id === entry.key || id === entry.alias));
  if (back === undefined) return "absent";
  return back.settled && back.amount === entry.amount ? "there" : "unclear";
}
