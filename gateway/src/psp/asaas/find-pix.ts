/**
 * Received Pix. Asaas shows a Pix as a transaction, with its end-to-end id, and beside it the payment that it made of it, with
 * our txid, its fee and its refunds.
 */
import { dayOf, daysAfter } from "../../lib/days.ts";
import { isId } from "../api-pix/interpret.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi } from "../own-api.ts";
import type { ListWindow, Psp, PspPix } from "../psp.ts";
import {
  latestOf,
  mayBeReceived,
  nameOf,
  type Payment,
  readAsaasId,
  readPage,
  readPayment,
  readRefunds,
  readTransaction,
  type Transaction,
} from "./read-answers.ts";

/**
 * A list is read beyond its window, because it shows a Pix that was held for analysis at the time when it was made, hours
 * before it was settled. It is read for six lengths of the window more, at most a day: so the listing of every 20 seconds
 * stays short, and that of a day finds what was held.
 */
const LENGTHS_BEYOND = 6;
const DAY = 86_400_000;
/** How far a time of theirs may be from ours, milliseconds. */
const MARGIN = 60_000;
/** Payments of a page whose returns are read: each takes two calls more. */
const RETURNED_PAGE = 20;
const NO_PAYMENT = "no_payment";

/** Its times have whole seconds, so a window begins with one. */
const isWithin =
  ({ from, to }: Pick<ListWindow, "from" | "to">) =>
  ({ paidAt }: PspPix): boolean =>
    paidAt.getTime() >= Math.floor(from.getTime() / 1_000) * 1_000 && paidAt <= to;

export type FindPix = Pick<Psp, "findPix" | "listPix"> & {
  /** The Pix of a payment, with its returns. */
  ofPayment(payment: Payment, transactionId: string): Promise<Found<PspPix>>;
  /** The payment of a received Pix, by its end-to-end id. */
  paymentOf(e2eId: string): Promise<Found<{ readonly payment: Payment; readonly transaction: Transaction }>>;
  /** The refunds of a payment. What went back by its payment or its Pix and is in no list counts as one that is unreadable. */
  refundsOf(payment: Payment, transaction: Transaction): Promise<Found<Refunds>>;
};

type Refunds = Pick<PspPix, "returns" | "unreadableReturns">;

type Get = (route: string, path: string) => ReturnType<OwnApi["call"]>;

/** The questions about one Pix. */
function askForOne(get: Get) {
  const transactionOf = async (id: string): Promise<Found<Transaction>> =>
    foundIn(await get("getPix", `/pix/transactions/${id}`), readTransaction);

  async function byEndToEnd(e2eId: string): Promise<Found<Transaction>> {
    const listed = foundIn(await get("getPix", `/pix/transactions?endToEndIdentifier=${e2eId}`), readPage);
    if (listed.kind !== "found") return listed;
    const { items, hasMore } = listed.value;
    const value = items.map(readTransaction).find((one) => one?.pix.e2eId === e2eId);
    if (value) return { kind: "found", value };
    // A list that leaves the filter out, or one that shows it in a form that nobody knows, proves nothing.
    return hasMore || items.some(mayBeReceived) ? { kind: "unknown", reason: "not_shown" } : { kind: "absent" };
  }

  const refundsOf: FindPix["refundsOf"] = async (payment, transaction) => {
    const listed = foundIn(await get("getReturn", `/payments/${payment.id}/refunds`), readRefunds);
    if (listed.kind !== "found") return { kind: "unknown", reason: "refunds_not_shown" };
    return { kind: "found", value: withUnlisted(listed.value, payment, transaction) };
  };

  async function complete(transaction: Transaction, payment: Payment): Promise<Found<PspPix>> {
    const { pix, refunded } = transaction;
    const { unreadableReturns: _unknown, ...shown } = pix;
    const { txid, tariff } = payment;
    const whole = { ...shown, txid, ...(tariff !== undefined && { tariff }) };
    if (payment.refunded + payment.refunds + refunded === 0) return { kind: "found", value: whole };
    const refunds = await refundsOf(payment, transaction);
    return refunds.kind === "found" ? { kind: "found", value: { ...whole, ...refunds.value } } : refunds;
  }

  const ofPayment: FindPix["ofPayment"] = async (payment, transactionId) => {
    const transaction = await transactionOf(transactionId);
    return transaction.kind === "found" ? complete(transaction.value, payment) : transaction;
  };

  async function withPayment(transaction: Transaction) {
    const { paymentId } = transaction;
    if (paymentId === undefined) return { kind: "unknown", reason: NO_PAYMENT } as const;
    const payment = foundIn(await get("getPix", `/payments/${paymentId}`), readPayment);
    if (payment.kind !== "found") return { kind: "unknown", reason: "payment_not_shown" } as const;
    return { kind: "found", value: { payment: payment.value, transaction } } as const;
  }

  const paymentOf: FindPix["paymentOf"] = async (e2eId) => {
    if (!isId(e2eId)) return { kind: "unknown", reason: "invalid_e2e_id" };
    const transaction = await byEndToEnd(e2eId);
    return transaction.kind === "found" ? withPayment(transaction.value) : transaction;
  };

  return { transactionOf, byEndToEnd, refundsOf, complete, ofPayment, withPayment, paymentOf };
}

/** The list of refunds may lag behind: nobody may take what is not in it yet for refused, or for never made. */
function withUnlisted(listed: Refunds, payment: Payment, { refunded }: Transaction): Refunds {
  const { returns, unreadableReturns = 0 } = listed;
  const explained = returns.reduce((sum, { status, amount }) => (status === "failed" ? sum : sum + amount), 0);
  const isLacking =
    explained < Math.max(refunded, payment.refunded) || returns.length + unreadableReturns < payment.refunds;
  return isLacking && unreadableReturns === 0 ? { returns, unreadableReturns: 1 } : listed;
}

/** Payments that went back whole, by their days: the list of Pix has no filter for them. */
async function listReturned(
  get: Get,
  ofPayment: FindPix["ofPayment"],
  { from, to, page }: ListWindow,
): ReturnType<Psp["listPix"]> {
  // Nobody has confirmed in which zone its days are.
  const [first, last] = [daysAfter(dayOf(from), -1), daysAfter(dayOf(to), 1)];
  const days = `paymentDate%5Bge%5D=${first}&paymentDate%5Ble%5D=${last}`;
  const query = `billingType=PIX&status=REFUNDED&${days}&offset=${page * RETURNED_PAGE}&limit=${RETURNED_PAGE}`;
  const list = foundIn(await get("listPix", `/payments?${query}`), readPage);
  if (list.kind !== "found") return list;
  const pix: PspPix[] = [];
  const unreadable: string[] = [];
  for (const item of list.value.items) {
    const payment = readPayment(item);
    if (payment?.transactionId === undefined) {
      unreadable.push(nameOf(item));
      continue;
    }
    const one = await ofPayment(payment, payment.transactionId);
    if (one.kind !== "found") return { kind: "unknown", reason: "returned_not_shown" };
    if (isWithin({ from, to })(one.value)) pix.push(one.value);
  }
  const nextPage = list.value.hasMore ? page + 1 : null;
  return { kind: "found", value: { pix, nextPage, ...(unreadable.length > 0 && { unreadable }) } };
}

/** The Pix of a page that are of a window; null where the page proves nothing. */
function readList(body: unknown, { from, to, page }: ListWindow) {
  const list = readPage(body);
  if (list === null) return null;
  const items = list.items.filter(mayBeReceived);
  const all = items.flatMap((item) => readTransaction(item)?.pix ?? []);
  const times = list.items.flatMap((item) => latestOf(item) ?? []);
  const pix = all.filter(isWithin({ from, to }));
  const unreadable = items.filter((item) => readTransaction(item) === null).map(nameOf);
  // There is no filter by time: the list is read from its newest item on, to a page that is older as a whole. A page that
  // does not begin with its newest proves no end.
  const beyond = Math.min(DAY, LENGTHS_BEYOND * (to.getTime() - from.getTime())) + MARGIN;
  const isPast = times.length > 0 && times[0]! >= times.at(-1)! && Math.max(...times) < from.getTime() - beyond;
  return {
    pix,
    nextPage: list.hasMore && !isPast ? page + 1 : null,
    ...(unreadable.length > 0 && { unreadable }),
  };
}

export function findReceivedPix(api: OwnApi, pageSize: number): FindPix {
  const get: Get = (route, path) => api.call({ route, method: "GET", path });
  const { transactionOf, byEndToEnd, refundsOf, complete, ofPayment, withPayment, paymentOf } = askForOne(get);
  return {
    paymentOf,
    ofPayment,
    refundsOf,
    /** By its end-to-end id, or by Asaas's own id, which is all that a notification has. */
    async findPix(id) {
      const isNetwork = /^E[a-zA-Z0-9]{31}$/.test(id);
      if (readAsaasId(id) === undefined) return { kind: "unknown", reason: "invalid_e2e_id" };
      const transaction = isNetwork ? await byEndToEnd(id) : await transactionOf(id);
      if (transaction.kind !== "found") return transaction;
      const both = await withPayment(transaction.value);
      if (both.kind === "found") return complete(both.value.transaction, both.value.payment);
      // A Pix of which Asaas has made no payment is money all the same, of no charge.
      return both.reason === NO_PAYMENT ? { kind: "found", value: transaction.value.pix } : both;
    },

    async listPix({ from, to, page, onlyReturned }) {
      if (onlyReturned) return listReturned(get, ofPayment, { from, to, page });
      const path = `/pix/transactions?type=CREDIT&offset=${page * pageSize}&limit=${pageSize}`;
      return foundIn(await get("listPix", path), (body) => readList(body, { from, to, page }));
    },
  };
}
