import { unclearReturns } from "../booking/report-unread.ts";
import { parseTxid } from "../lib/ids.ts";
import { listWindow } from "../psp/list-window.ts";
import type { Found, ListPage, ListWindow, Psp, PspPayout, PspPix } from "../psp/psp.ts";
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
  /** Items of the lists that could not be read: they may be about money that nobody has booked. */
  readonly unreadable: number;
};

type Failed = {
  readonly failed: string;
  /** When there is more than a list shows, where nothing else is missing of it. */
  readonly beyond: { readonly of: "received" | "sent"; readonly at: readonly Date[] } | null;
  /** The list that the institution refused; null: it gave no answer, or a part of one. */
  readonly refused: "received" | "sent" | null;
};

/** Lists an hour; the reason when the institution did not answer all of it. */
export async function readTheirs(
  psp: Psp,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<Theirs | Failed> {
  // Both ends of the institution's windows are included.
  const window = { from, to: new Date(to.getTime() - 1) };
  const pix = await everyItem(
    (part) => psp.listPix(part),
    window,
    "pix",
    (one) => one.e2eId,
  );
  if ("failed" in pix) return ofList("received", pix);
  const { payouts: sender } = psp;
  const payouts = sender
    ? await everyItem(
        (part) => sender.listPayouts(part),
        window,
        "payouts",
        (one) => one.id,
      )
    : { items: new Map<string, PspPayout>(), unreadable: 0 };
  if ("failed" in payouts) return ofList("sent", payouts);
  return {
    entries: [...[...pix.items.values()].flatMap(ofPix), ...[...payouts.items.values()].flatMap(ofPayout)],
    pix: pix.items,
    payouts: payouts.items,
    unreadable:
      pix.unreadable +
      payouts.unreadable +
      sum(pix.items.values(), unclearReturns) +
      sum(payouts.items.values(), (one) => one.unreadableReturns ?? 0),
  };
}

type FailedList = { readonly failed: string; readonly passed: readonly Date[] | null; readonly refused: boolean };

const ofList = (of: "received" | "sent", { failed, passed, refused }: FailedList): Failed => ({
  failed,
  beyond: passed && { of, at: passed },
  refused: refused ? of : null,
});

const sum = <T>(all: Iterable<T>, of: (one: T) => number): number => [...all].reduce((so, one) => so + of(one), 0);

async function everyItem<K extends string, T>(
  list: (window: ListWindow) => Promise<Found<ListPage & { readonly [key in K]: readonly T[] }>>,
  window: Pick<ListWindow, "from" | "to">,
  key: K,
  idOf: (item: T) => string,
): Promise<{ items: Map<string, T>; unreadable: number } | FailedList> {
  const items = new Map<string, T>();
  const passed: Date[] = [];
  let unreadable = 0;
  for await (const step of listWindow(list, window)) {
    if (step.kind === "failed") {
      return { failed: step.reason, passed: step.beyondReach ? passed : null, refused: step.refused };
    }
    if (step.passed) passed.push(step.from);
    for (const item of step.page?.[key] ?? []) items.set(idOf(item), item);
    unreadable += step.page?.unreadable?.length ?? 0;
  }
  return { items, unreadable };
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
