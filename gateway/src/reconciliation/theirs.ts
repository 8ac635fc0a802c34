import { unclearReturns } from "../booking/report-unread.ts";
import { parseTxid } from "../lib/ids.ts";
import { listWindow } from "../psp/list-window.ts";
import type { Found } from "../psp/outcome.ts";
import type { ListPage, ListWindow, Psp, PspPayout, PspPix } from "../psp/psp.ts";
import type { Entry } from "./compare.ts";

/** An entry of the institution, with what finds it in our books. */
export type TheirEntry = Entry & {
  /** The account that our id belongs to; null when it is none of ours. */
  readonly accountNumber: number | null;
};

/** What an institution lists for an hour. */
export type Theirs = {
  readonly entries: readonly TheirEntry[];
  readonly pix: ReadonlyMap<string, PspPix>;
  /** By our ids. A bank that has paid a withdrawal twice shows two payouts under its id. */
  readonly payouts: ReadonlyMap<string, readonly PspPayout[]>;
  /** Payouts under our ids that the list shows without an end: money may leave for them yet. */
  readonly underway: readonly TheirEntry[];
  /** Unreadable items of the lists: they may be about money that is not booked. */
  readonly unreadable: number;
};

type Failed = {
  readonly failed: string;
  /** The times at which a list has more than it shows, where nothing else of it is missing. */
  readonly beyond: { readonly of: "received" | "sent"; readonly at: readonly Date[] } | null;
  /** The list that the institution refused; null: it refused none, or only a part. */
  readonly refused: "received" | "sent" | null;
};

/** Lists an hour at the institution; `failed` is the reason if it did not answer all of it. */
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
    (pspPix) => pspPix.e2eId,
  );
  if ("failed" in pix) return ofList("received", pix);
  const listPayouts = psp.payouts?.listPayouts;
  const payouts = listPayouts
    ? await everyItem(
        (part) => listPayouts(part),
        window,
        "payouts",
        (pspPayout) => pspPayout.reference ?? pspPayout.id,
      )
    : { items: new Map<string, PspPayout>(), unreadable: 0 };
  if ("failed" in payouts) return ofList("sent", payouts);
  return {
    entries: [...[...pix.items.values()].flatMap(ofPix), ...[...payouts.items.values()].flatMap(ofPayout)],
    pix: pix.items,
    payouts: Map.groupBy(payouts.items.values(), ({ id }) => id),
    underway: [...payouts.items.values()].filter(isUnderway).map((payout) => toSent(payout, from)),
    unreadable:
      pix.unreadable +
      payouts.unreadable +
      sum(pix.items.values(), unclearReturns) +
      sum(payouts.items.values(), (pspPayout) => pspPayout.unreadableReturns ?? 0),
  };
}

type FailedList = { readonly failed: string; readonly passed: readonly Date[] | null; readonly refused: boolean };

const ofList = (list: "received" | "sent", { failed, passed, refused }: FailedList): Failed => ({
  failed,
  beyond: passed && { of: list, at: passed },
  refused: refused ? list : null,
});

const sum = <T>(all: Iterable<T>, figureOf: (item: T) => number): number =>
  [...all].reduce((so, item) => so + figureOf(item), 0);

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

/** The account that an id of ours belongs to; null: it is none of ours. */
export const numberOf = (id: string | undefined): number | null =>
  id === undefined ? null : (parseTxid(id)?.accountNumber ?? null);

function ofPix({ e2eId, txid, amount, withheld = 0, components, paidAt, tariff, returns }: PspPix): TheirEntry[] {
  const entryBase = { parent: e2eId, accountNumber: numberOf(txid) };
  return [
    {
      ...{ ...entryBase, kind: "received", key: e2eId, amount: amount - withheld, at: paidAt },
      ...(withheld > 0 && { withheld }),
      ...(components && { components }),
    },
    ...(tariff === undefined
      ? []
      : [{ ...entryBase, kind: "tariff" as const, key: e2eId, amount: tariff, at: paidAt }]),
    ...returns
      .filter((back) => back.status === "settled")
      .map((back) => ({
        ...entryBase,
        kind: "returned" as const,
        key: back.rtrId ?? back.id,
        alias: back.id,
        amount: back.amount,
        at: back.settledAt ?? back.requestedAt ?? paidAt,
      })),
  ];
}

const isUnderway = ({ id, status }: PspPayout): boolean =>
  status !== "settled" && status !== "failed" && numberOf(id) !== null;

const toSent = ({ id, amount }: Pick<PspPayout, "id" | "amount">, at: Date): TheirEntry => ({
  ...{ kind: "sent", key: id, parent: id, accountNumber: numberOf(id), amount, at },
});

/** Only settled payouts moved money. Payouts of another program on the same account are reported too. */
function ofPayout({ id, amount, status, settledAt, tariff, returns }: PspPayout): TheirEntry[] {
  if (status !== "settled" || settledAt === undefined) return [];
  const entryBase = { parent: id, accountNumber: numberOf(id) };
  return [
    toSent({ id, amount }, settledAt),
    // Another program's payout is the operator's own money, so its tariff is no entry of an account.
    ...(tariff === undefined || entryBase.accountNumber === null
      ? []
      : [{ ...entryBase, kind: "tariff" as const, key: id, amount: tariff, at: settledAt }]),
    ...returns.map((back) => ({
      ...entryBase,
      kind: "sent_back" as const,
      key: back.rtrId ?? back.id!,
      alias: back.id ?? null,
      amount: back.amount,
      at: back.returnedAt,
    })),
  ];
}
