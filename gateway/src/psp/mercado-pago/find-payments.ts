/**
 * Payments: by Mercado Pago's id, by our txid, by end-to-end id, and those of a window. It has no query by end-to-end id; the id
 * tells the minute in which its payer's bank began it, so the payments that were approved around it are searched.
 */
import { isId } from "../api-pix/interpret.ts";
import { record } from "../api-pix/read-values.ts";
import type { Found } from "../outcome.ts";
import { foundIn, type OwnApi } from "../own-api.ts";
import type { ListWindow, Psp, PspPix } from "../psp.ts";
import {
  isPix,
  nameOf,
  type Payment,
  pixOf,
  readNumber,
  readPayment,
  readRefunds,
  readSearch,
} from "./read-answers.ts";

/** Most of a search are approved within minutes; milliseconds before and after the minute of the id. */
const NEAR = [60_000, 600_000] as const;
/** The Central Bank lets the minute of an id differ from that of its settlement by twelve hours, to either side. */
const FAR = [13 * 3_600_000, 13 * 3_600_000] as const;
/** Pages of one search for an end-to-end id: 1,000 payments. What is beyond is not searched, so nothing is absent then. */
const MOST_PAGES = 20;
/** Asked for with refunds: those that the Central Bank has not answered are left out otherwise. */
const WITH_OPEN_REFUNDS = ["x-render-in-process-refunds", "true"];

export type FindPayments = Pick<Psp, "findPix" | "listPix"> & {
  /** The payments that carry a txid of ours, the paid ones first. */
  ofCharge(txid: string): Promise<Found<readonly Payment[]>>;
  /** The payment of a Pix. */
  ofPix(e2eId: string): Promise<Found<Payment>>;
  /** The Pix of a paid payment, with its returns as far as the payment shows that there are any. */
  complete(payment: Payment): Promise<Found<PspPix>>;
  refundsOf(payment: Payment): Promise<Found<Pick<PspPix, "returns" | "unreadableReturns">>>;
};

/** The calls that read payments. */
function askForPayments(api: OwnApi, pageSize: number) {
  const ask = (id: string) => api.call({ route: "getPix", method: "GET", path: `/v1/payments/${id}` });
  const readAs = (id: string) => (body: unknown) => {
    const payment = readPayment(body);
    return payment?.id === id ? payment : null;
  };
  const byId = async (id: string): Promise<Found<Payment>> => foundIn(await ask(id), readAs(id));
  /** What a notification names may be a card or a boleto. */
  const named = async (id: string): Promise<Found<Payment>> => {
    const found = foundIn(await ask(id), (body) => (isOther(body, id) ? "no_pix" : readAs(id)(body)));
    if (found.kind !== "found") return found;
    return found.value === "no_pix" ? { kind: "absent", forGood: true } : { kind: "found", value: found.value };
  };
  const search = async (route: string, query: string) => {
    const found = foundIn(await api.call({ route, method: "GET", path: `/v1/payments/search?${query}` }), readSearch);
    return found.kind === "absent" ? ({ kind: "unknown", reason: "no_search" } as const) : found;
  };
  const refundsOf: FindPayments["refundsOf"] = async ({ id, refunded }) => {
    const path = `/v1/payments/${id}/refunds`;
    const reply = await api.call({ route: "getReturn", method: "GET", path, headers: WITH_OPEN_REFUNDS });
    const found = foundIn(reply, (body) => readRefunds(body, refunded));
    return found.kind === "absent" ? { kind: "unknown", reason: "refunds_not_shown" } : found;
  };
  return {
    ...{ byId, named, search, refundsOf, pageSize },
    approved: (from: Date, to: Date, page: number) => {
      const window = `range=date_approved&begin_date=${from.toISOString()}&end_date=${to.toISOString()}`;
      const query = `sort=date_approved&criteria=asc&${window}&offset=${page * pageSize}&limit=${pageSize}`;
      return search("listPix", query);
    },
    /**
     * A payment as its own query shows it, where a search has left out its end-to-end id; as the search has it where its own query
     * shows none. `unknown`: that query has no answer now.
     */
    async whole(payment: Payment): Promise<Found<Payment>> {
      const shown = { kind: "found", value: payment } as const;
      if (payment.status !== "paid" || payment.e2eId !== undefined) return shown;
      const found = await byId(payment.id);
      return found.kind === "absent" || (found.kind === "unknown" && found.reason === UNREADABLE) ? shown : found;
    },
    async withRefunds(payment: Payment, pix: PspPix): Promise<Found<PspPix>> {
      const refunds = await refundsOf(payment);
      return refunds.kind === "found" ? { kind: "found", value: { ...pix, ...refunds.value } } : refunds;
    },
  };
}
type Asking = ReturnType<typeof askForPayments>;

const completeWith =
  ({ withRefunds }: Asking): FindPayments["complete"] =>
  async (payment) => {
    const pix = pixOf(payment);
    if (pix === null) return payment.status === "paid" ? NO_ID : { kind: "absent" };
    return payment.refunded === 0 && !payment.hasRefunds ? { kind: "found", value: pix } : withRefunds(payment, pix);
  };

async function findOfCharge({ search, whole, pageSize }: Asking, txid: string): Promise<Found<readonly Payment[]>> {
  const found = await search("getCob", `external_reference=${txid}&sort=date_created&criteria=asc&limit=${pageSize}`);
  if (found.kind !== "found") return found;
  const shown = found.value.items.filter(isPix).map(readPayment);
  // A search that leaves the filter out would hide ours behind its first page.
  if (shown.includes(null) || found.value.total > found.value.items.length)
    return { kind: "unknown", reason: "unexpected_answer" };
  const ours = (shown as readonly Payment[]).filter((payment) => payment.txid === txid);
  const all = await Promise.all(
    ours.map(async (payment) => {
      const one = await whole(payment);
      return one.kind === "found" ? one.value : payment;
    }),
  );
  return { kind: "found", value: all.toSorted((a, b) => rankOf(a) - rankOf(b)) };
}

/** Searches one span for an end-to-end id. `unknown` also where there is more than is searched. */
async function searchSpan(asking: Asking, e2eId: string, from: Date, to: Date): Promise<Found<Payment>> {
  let hidden = false;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await asking.approved(from, to, page);
    if (found.kind !== "found") return found;
    const { items, total } = found.value;
    for (const item of items.filter(isPix)) {
      const shown = readPayment(item);
      const whole = shown && (await asking.whole(shown));
      const payment = whole?.kind === "found" ? whole.value : null;
      if (payment?.e2eId === e2eId) return { kind: "found", value: payment };
      const mayBe = payment?.status === "paid" || payment?.status === "unrecognised";
      hidden ||= payment === null || (mayBe && payment.e2eId === undefined);
    }
    if (items.length === 0 || (page + 1) * asking.pageSize >= total) return hidden ? NO_ID : { kind: "absent" };
  }
  return { kind: "unknown", reason: "too_many_to_search" };
}

async function findByEndToEnd(asking: Asking, e2eId: string): Promise<Found<Payment>> {
  if (!isId(e2eId)) return { kind: "unknown", reason: "invalid_e2e_id" };
  const minute = minuteOf(e2eId);
  if (minute === null) return { kind: "unknown", reason: "no_time_in_id" };
  for (const [before, after] of [NEAR, FAR]) {
    const found = await searchSpan(asking, e2eId, new Date(minute - before), new Date(minute + after));
    if (found.kind !== "absent") return found;
  }
  return { kind: "absent" };
}

export function findPayments(api: OwnApi, pageSize: number): FindPayments {
  const asking = askForPayments(api, pageSize);
  const complete = completeWith(asking);
  return {
    complete,
    refundsOf: asking.refundsOf,
    ofCharge: (txid) => findOfCharge(asking, txid),
    ofPix: (e2eId) => findByEndToEnd(asking, e2eId),
    /** By its end-to-end id, or by Mercado Pago's own, which is all that a notification has. */
    async findPix(id) {
      const payment = await (readNumber(id) === undefined ? findByEndToEnd(asking, id) : asking.named(id));
      if (payment.kind !== "found") return payment;
      // Whatever changes it would be notified anew.
      if (payment.value.status === "removed") return { kind: "absent", forGood: true };
      if (payment.value.status === "unrecognised") return NEW_STATUS;
      const pix = pixOf(payment.value);
      // A payment does not show a refund that the Central Bank has not answered.
      return pix === null ? complete(payment.value) : asking.withRefunds(payment.value, pix);
    },
    async listPix({ from, to, page, onlyReturned }) {
      if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime()) || !Number.isSafeInteger(page) || page < 0)
        return { kind: "unknown", reason: "invalid_window" };
      const found = await asking.approved(from, to, page);
      if (found.kind !== "found") return found;
      const { items, total } = found.value;
      const read = await readAll(asking, items.filter(isPix), { from, to, page });
      if (read.kind !== "found") return read;
      const nextPage = items.length > 0 && (page + 1) * pageSize < total ? page + 1 : null;
      const pix = onlyReturned ? read.value.pix.filter(mayBeReturned) : read.value.pix;
      return { kind: "found", value: { ...read.value, pix, nextPage } };
    },
  };
}

/** The Pix of a page that are of a window, and what cannot be read. */
async function readAll(asking: Asking, items: readonly unknown[], window: ListWindow) {
  const complete = completeWith(asking);
  const completed = async (shown: Payment | null): Promise<Found<PspPix>> => {
    if (shown === null) return NO_ID;
    // Whatever is in this list was approved, and so has brought money.
    if (shown.status === "unrecognised") return NEW_STATUS;
    const whole = await asking.whole(shown);
    return whole.kind === "found" ? complete(whole.value) : whole;
  };
  const pix: PspPix[] = [];
  const unreadable: string[] = [];
  for (const item of items) {
    const shown = readPayment(item);
    const one = await completed(shown);
    if (one.kind === "found") pix.push(one.value);
    else if (one === NO_ID || one === NEW_STATUS) unreadable.push(nameOf(item));
    else if (one.kind === "unknown") return one;
  }
  const value = { pix: pix.filter(isWithin(window)), ...(unreadable.length > 0 && { unreadable }) };
  return { kind: "found", value } as const;
}

const isOther = (body: unknown, id: string): boolean => readNumber(record(body)?.id) === id && !isPix(body);

const NO_ID = { kind: "unknown", reason: "no_end_to_end_id" } as const;
const NEW_STATUS = { kind: "unknown", reason: "unknown_status" } as const;
/** Of an answer that cannot be read, today or tomorrow. */
const UNREADABLE = "unexpected_answer";

const rankOf = ({ status }: Payment): number => (status === "paid" ? 0 : status === "active" ? 1 : 2);

const mayBeReturned = ({ returns, unreadableReturns = 0 }: PspPix): boolean => returns.length + unreadableReturns > 0;

/** Its times have whole seconds, so a window begins with one. */
const isWithin =
  ({ from, to }: ListWindow) =>
  ({ paidAt }: PspPix): boolean =>
    paidAt.getTime() >= Math.floor(from.getTime() / 1_000) * 1_000 && paidAt <= to;

/** The minute of an end-to-end id, in UTC: `E`, eight digits of the institution, the time, eleven characters. */
function minuteOf(e2eId: string): number | null {
  const parts = /^E\d{8}(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})[a-zA-Z0-9]{11}$/.exec(e2eId);
  if (parts === null) return null;
  const [year, month, day, hour, minute] = parts.slice(1).map(Number) as [number, number, number, number, number];
  const at = Date.UTC(year, month - 1, day, hour, minute);
  return new Date(at).getUTCMonth() === month - 1 && hour < 24 && minute < 60 ? at : null;
}
