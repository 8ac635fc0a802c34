import type { Found } from "../psp/outcome.ts";
import type { Psp } from "../psp/psp.ts";
import { type Entry, nameOf, sameAmount } from "./compare.ts";

/** Whether an institution has an entry of ours: yes, no, its answer does not tell, or it was not queried. */
type Presence = "there" | "absent" | "unclear" | "unasked";

/** What an institution shows of a Pix or payout, as far as entries need it. */
type Shown = {
  /** Centavos received, without a withheld tax, or sent; null while nothing has moved. */
  readonly amount: number | null;
  /** The tax of a received Pix; left out: the answer shows none. */
  readonly withheld?: number;
  readonly returns: readonly { readonly ids: readonly string[]; readonly amount: number; readonly settled: boolean }[];
};

/** An entry of ours that the institution's lists do not have. */
export type Unlisted = {
  readonly entry: Entry;
  /** Its position among all entries of the day, which are queried in the order of these texts. */
  readonly place: string;
  /** The list contains its Pix or payout. */
  readonly listsParent: boolean;
};

/** Most queries of one comparison, one after the other: a minute or two, and far below what institutions allow in a day. */
const MOST = 1_000;
/** After this many unanswered queries in a row no more are made: each may take until its time-out. */
const SILENT = 5;
/** Most unqueried entries whose names are stored; further ones are only counted. */
const NAMED = 10_000;

/**
 * Queries an institution for entries that its list lacks, one call for each Pix and payout: lists lag, leave returns out,
 * or have the entry in another hour.
 */
export function createQueries(psp: Psp): (entry: Entry) => Promise<Presence> {
  const answers = new Map<string, Promise<Found<Shown> | null>>();
  let [left, unanswered] = [MOST, 0];
  const queryAll = async (isPix: boolean, parent: string): Promise<Found<Shown> | null> => {
    if (left === 0 || unanswered === SILENT) return null;
    left -= 1;
    const found = await (isPix ? findPix(psp, parent) : findPayout(psp, parent));
    unanswered = found.kind === "unknown" ? unanswered + 1 : 0;
    return found;
  };
  return async (entry) => {
    const isPix = entry.kind === "received" || entry.kind === "returned";
    const key = `${isPix} ${entry.parent}`;
    const asking = answers.get(key) ?? queryAll(isPix, entry.parent);
    answers.set(key, asking);
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
 * The entries of a day that must be queried. There may be more than one comparison can query, and the institution may
 * answer none of the first. Each comparison therefore continues where the previous one ended, and after the last entry
 * begins again at the day's start.
 *
 * @param last the position of the entry that was queried last; null: none.
 */
export function createQueryQueue(last: string | null) {
  const afterLast: Unlisted[] = [];
  const beforeLast: Unlisted[] = [];
  const leftOut = new Set<string>();
  let unasked = 0;
  let isLong = false;
  const leave = ({ entry }: Unlisted): void => {
    unasked += 1;
    if (leftOut.size < NAMED) leftOut.add(nameOf(entry));
  };
  return {
    /** Adds the entries of an hour; hours must come in order. */
    add(entries: readonly Unlisted[]): void {
      for (const unlisted of [...entries].sort((a, b) => (a.place < b.place ? -1 : 1))) {
        const isLater = last === null || unlisted.place > last;
        const line = isLater ? afterLast : beforeLast;
        if (line.length < MOST) line.push(unlisted);
        else leave(unlisted);
        isLong ||= isLater && afterLast.length === MOST;
      }
    },
    /** Queries the entries. Returns the position of the last queried one, and which were not queried. */
    async queryAll(
      query: (entry: Entry) => Promise<Presence>,
      onPresence: (unlisted: Unlisted, presence: Exclude<Presence, "unasked">) => void,
    ): Promise<{ readonly last: string | null; readonly unasked: Unasked }> {
      let reached = last;
      let isOver = false;
      for (const unlisted of afterLast.concat(isLong ? [] : beforeLast)) {
        const presence = await query(unlisted.entry);
        isOver ||= presence === "unasked";
        if (presence === "unasked") leave(unlisted);
        else onPresence(unlisted, presence);
        if (!isOver) reached = unlisted.place;
      }
      if (isLong) for (const unlisted of beforeLast) leave(unlisted);
      const has: Unasked["has"] = (entry) => unasked > leftOut.size || leftOut.has(nameOf(entry));
      return { last: reached, unasked: { count: unasked, has } };
    },
  };
}

async function findPix(psp: Psp, e2eId: string): Promise<Found<Shown>> {
  const found = await psp.findPix(e2eId);
  if (found.kind !== "found") return found;
  const { amount, withheld = 0, returns: all } = found.value;
  const returns = all.map(({ id, rtrId, amount: back, status }) => ({
    ids: rtrId === undefined ? [id] : [id, rtrId],
    amount: back,
    settled: status === "settled",
  }));
  return { kind: "found", value: { amount: amount - withheld, ...(withheld > 0 && { withheld }), returns } };
}

async function findPayout(psp: Psp, id: string): Promise<Found<Shown>> {
  if (!psp.payouts) return { kind: "absent" };
  const found = await psp.payouts.findPayout(id);
  if (found.kind !== "found") return found;
  const { amount, status, returns: all } = found.value;
  const returns = all.map(({ id: own, rtrId, amount: back }) => ({
    ids: [own, rtrId].filter((name) => name !== undefined),
    amount: back,
    settled: true,
  }));
  return { kind: "found", value: { amount: status === "settled" ? amount : null, returns } };
}

/** Whether the institution's answer contains the entry. Pure. */
export function presenceOf(
  entry: Pick<Entry, "kind" | "key" | "alias" | "amount" | "withheld">,
  found: Found<Shown>,
): Exclude<Presence, "unasked"> {
  if (found.kind !== "found") return found.kind === "absent" ? "absent" : "unclear";
  const { amount, withheld, returns } = found.value;
  if (entry.kind === "received" || entry.kind === "sent") {
    return amount !== null && sameAmount({ amount, withheld }, entry) ? "there" : "unclear";
  }
  const back = returns.find(({ ids }) => ids.some((id) => id === entry.key || id === entry.alias));
  if (back === undefined) return "absent";
  return back.settled && back.amount === entry.amount ? "there" : "unclear";
}
