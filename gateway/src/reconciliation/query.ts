import type { Found, Psp } from "../psp/psp.ts";
import type { Entry } from "./compare.ts";

/** Whether an institution has an entry of ours: it does, it does not, or its answer does not say. */
type Presence = "there" | "absent" | "unclear";

/** What an institution shows of a Pix or of a payout, as far as entries are made of it. */
type Shown = {
  /** Centavos that were received or sent; null while nothing has moved. */
  readonly amount: number | null;
  readonly returns: readonly { readonly ids: readonly string[]; readonly amount: number; readonly settled: boolean }[];
};

/**
 * Queries an institution for entries that its list does not have, one call for each Pix and payout: a list lags, leaves
 * returns out, or has the entry under another hour.
 */
export function createQueries(psp: Psp): (entry: Entry) => Promise<Presence> {
  const asked = new Map<string, Promise<Found<Shown>>>();
  return async (entry) => {
    const isPix = entry.kind === "received" || entry.kind === "returned";
    const key = `${isPix} ${entry.parent}`;
    const found = asked.get(key) ?? (isPix ? findPix(psp, entry.parent) : findPayout(psp, entry.parent));
    asked.set(key, found);
    return presenceOf(entry, await found);
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
export function presenceOf(entry: Pick<Entry, "kind" | "key" | "alias" | "amount">, found: Found<Shown>): Presence {
  if (found.kind !== "found") return found.kind === "absent" ? "absent" : "unclear";
  const { amount, returns } = found.value;
  if (entry.kind === "received" || entry.kind === "sent") return amount === entry.amount ? "there" : "unclear";
  const back = returns.find(({ ids }) => ids.some((id) => id === entry.key || id === entry.alias));
  if (back === undefined) return "absent";
  return back.settled && back.amount === entry.amount ? "there" : "unclear";
}
