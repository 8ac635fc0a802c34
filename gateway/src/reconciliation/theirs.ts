import { parseTxid } from "../lib/ids.ts";
import type { Found, Psp, PspPayout, PspPix } from "../psp/psp.ts";
import type { Entry } from "./compare.ts";

/** An entry of the institution's books, with what finds it in ours. */
export type TheirEntry = Entry & {
  /** The account that our id names; null when it names none. */
  readonly accountNumber: number | null;
};

/** What an institution lists for an hour. */
export type Theirs = {
  readonly entries: readonly TheirEntry[];
  readonly pix: ReadonlyMap<string, PspPix>;
  readonly payouts: ReadonlyMap<string, PspPayout>;
};

const MAX_PAGES = 1_000;

/** Lists an hour; the reason when the institution did not answer all of it. */
export async function readTheirs(
  psp: Psp,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<Theirs | { readonly failed: string }> {
  // Both ends of the institution's windows are included.
  const window = { from, to: new Date(to.getTime() - 1) };
  const pix = await everyPage((page) => psp.listPix({ ...window, page }), "pix");
  if ("failed" in pix) return pix;
  const { payouts: sender } = psp;
  const payouts = sender
    ? await everyPage((page) => sender.listPayouts({ ...window, page }), "payouts")
    : { items: [] };
  if ("failed" in payouts) return payouts;
  return {
    entries: [...pix.items.flatMap(ofPix), ...payouts.items.flatMap(ofPayout)],
    pix: new Map(pix.items.map((one) => [one.e2eId, one])),
    payouts: new Map(payouts.items.map((one) => [one.id, one])),
  };
}

async function everyPage<K extends string, T>(
  list: (page: number) => Promise<Found<{ readonly nextPage: number | null } & { readonly [key in K]: readonly T[] }>>,
  key: K,
): Promise<{ items: T[] } | { failed: string }> {
  const items: T[] = [];
  for (let page = 0, n = 0; n < MAX_PAGES; n += 1) {
    const found = await list(page);
    if (found.kind !== "found") return { failed: found.kind === "unknown" ? found.reason : "it has no such list" };
    items.push(...found.value[key]);
    if (found.value.nextPage === null) return { items };
    page = found.value.nextPage;
  }
  return { failed: `more than ${MAX_PAGES} pages` };
}

/** The account that an id of ours names; null: it is none of ours. */
export const numberOf = (id: string | undefined): number | null =>
  id === undefined ? null : (parseTxid(id)?.accountNumber ?? null);

function ofPix({ e2eId, txid, amount, paidAt, tariff, returns }: PspPix): TheirEntry[] {
  const of = { parent: e2eId, accountNumber: numberOf(txid) };
  return [
    { ...of, kind: "received", key: e2eId, amount, at: paidAt },
    ...(tariff === undefined ? [] : [{ ...of, kind: "tariff" as const, key: e2eId, amount: tariff, at: paidAt }]),
    ...returns
      .filter((back) => back.status === "settled")
      .map((back) => ({
        ...of,
        kind: "returned" as const,
        key: back.rtrId ?? back.id,
        alias: back.id,
        amount: back.amount,
        at: back.settledAt ?? back.requestedAt ?? paidAt,
      })),
  ];
}

/** Only what was settled moved money. A payout of another program on the same account is reported too. */
function ofPayout({ id, amount, status, settledAt, tariff, returns }: PspPayout): TheirEntry[] {
  if (status !== "settled" || settledAt === undefined) return [];
  const of = { parent: id, accountNumber: numberOf(id) };
  return [
    { ...of, kind: "sent", key: id, amount, at: settledAt },
    // Of another program's payout the account that it used pays: the operator's own money.
    ...(tariff === undefined || of.accountNumber === null
      ? []
      : [{ ...of, kind: "tariff" as const, key: id, amount: tariff, at: settledAt }]),
    ...returns.map((back) => ({
      ...of,
      kind: "sent_back" as const,
      key: back.rtrId ?? back.id!,
      alias: back.id ?? null,
      amount: back.amount,
      at: back.returnedAt,
    })),
  ];
}
