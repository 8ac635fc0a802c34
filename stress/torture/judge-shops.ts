/** What became of each Pix of the shops, each place of a link, each charge of a till and each part that was given back. */
import { isDeepStrictEqual } from "node:util";
import { uuids } from "../../gateway/src/db/arrays.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { PspEntry } from "./banks.ts";
import { LESS } from "./shop-due.ts";
import type { Sale, ShopLog } from "./shop-log.ts";

/** The books of the shops. Centavos. */
export type ShopBooks = {
  readonly charges: readonly {
    readonly account_id: string;
    readonly charge_id: string;
    readonly txid: string;
    readonly status: string;
    readonly amount: number;
    readonly fee_amount: number | null;
    readonly charged_amount: number | null;
    readonly components: unknown;
    readonly e2e_id: string | null;
    readonly about: string | null;
    readonly idempotency_key: string | null;
    /** Centavos less, by the terms that stand; null without. */
    readonly less: number | null;
    /** How its last edit stands; null: it has none. */
    readonly edit: string | null;
    /** Events that say that it was paid. */
    readonly events: number;
  }[];
  readonly pix: readonly { readonly e2e_id: string; readonly amount: number }[];
  readonly links: readonly { readonly link_id: string; readonly payments: number; readonly paid_amount: number }[];
  readonly refunds: readonly {
    readonly account_id: string;
    readonly refund_id: string;
    readonly e2e_id: string;
    readonly psp_id: string;
    readonly amount: number;
    readonly fee_amount: number;
    readonly status: string;
    readonly late: boolean;
  }[];
  readonly balances: readonly { readonly account_id: string; readonly kind: string; readonly balance: number }[];
};

export async function readShopBooks(db: Queries, { shops }: ShopLog): Promise<ShopBooks> {
  const of = uuids(shops.map(({ accountId }) => accountId));
  const all = async <T extends Record<string, unknown>>(query: Parameters<Queries["query"]>[0]) =>
    (await db.query<T>(query)).rows as never;
  return {
    charges: await all(sql`
      select c.account_id, c.charge_id, c.txid, c.status, c.amount, c.fee_amount, c.charged_amount, c.components, c.e2e_id,
        coalesce(c.qr_code_id, c.payment_link_id)::text as about, c.idempotency_key,
        (c.due #>> '{abatement,fixed}')::integer as less, c.due_edits #>> '{-1,status}' as edit,
        (select count(*)::integer from events e where e.account_id = c.account_id and e.kind = 'payment_completed'
          and e.event_id = c.charge_id::text) as events
      from charges c where c.account_id = any(${of}::uuid[]) and c.status <> 'rejected'`),
    pix: await all(sql`select e2e_id, amount from received_pix where account_id = any(${of}::uuid[])`),
    links: await all(
      sql`select link_id, payments, paid_amount from payment_links where account_id = any(${of}::uuid[])`,
    ),
    refunds: await all(sql`
      select r.account_id, r.refund_id, r.e2e_id, b.psp_id, r.amount, r.fee_amount, r.status, r.late
      from refunds r join pix_returns b on b.account_id = r.account_id and b.return_id = r.refund_id
      where r.account_id = any(${of}::uuid[])`),
    balances: await all(sql`
      select account_id, kind, sum(balance)::bigint as balance from ledger_accounts
      where account_id = any(${of}::uuid[]) group by account_id, kind`),
  };
}

/** One sentence for each thing that is not as the shops, their payers and the banks remember it. */
export function judgeShops(books: ShopBooks, log: ShopLog, psp: readonly PspEntry[]): string[] {
  const settled = settledReturns(psp);
  return [
    ...judgeReceived(books, log, psp),
    ...judgeSales(books, log, settled),
    ...judgeOffers(books, log),
    ...judgeCharges(books, log),
    ...judgeEdits(books, log),
    ...judgeBack(books, log, settled),
    ...judgeBalances(books),
  ];
}

type Settled = ReadonlyMap<string, readonly { readonly id: string; readonly amount: number }[]>;
const NOTHING: readonly never[] = [];

/** What went back of each Pix, by the banks' logs. */
function settledReturns(psp: readonly PspEntry[]): Settled {
  const idOf = ({ e2eId, id }: PspEntry) => `${String(e2eId)} ${String(id)}`;
  const ended = psp.filter(({ type, status }) => type === "return.settled" && status === "DEVOLVIDO");
  const ids = new Set(ended.map(idOf));
  const made = psp.filter((one) => one.type === "return" && one.outcome === "accepted" && ids.has(idOf(one)));
  const returns = made.map(({ e2eId, id, amountCentavos }) => {
    return { e2eId: String(e2eId), id: String(id), amount: Number(amountCentavos) };
  });
  return Map.groupBy(returns, ({ e2eId }) => e2eId);
}

/** Payers, banks and books speak of the same Pix, each once. */
function judgeReceived({ pix }: ShopBooks, { sales }: ShopLog, psp: readonly PspEntry[]): string[] {
  const payments = psp.filter(({ type }) => type === "payment");
  const atBank = new Map(payments.map((one) => [String(one.e2eId), one]));
  const findings = [...atBank.keys()]
    .filter((e2eId) => !sales.some((sale) => sale.e2eId === e2eId))
    .map((e2eId) => `nobody remembers the Pix ${e2eId} of a shop`);
  for (const { e2eId, txid, amount, way } of sales) {
    const paid = atBank.get(e2eId);
    if (paid?.txid !== txid) findings.push(`${e2eId} (${way}) was for ${txid}, and paid ${String(paid?.txid)}`);
    if (paid && paid.amountCentavos !== amount)
      findings.push(`${e2eId} (${way}) was to be of ${amount}, and is of ${String(paid.amountCentavos)}`);
    const booked = pix.filter((row) => row.e2e_id === e2eId);
    if (booked.length !== 1 || booked[0]!.amount !== amount)
      findings.push(`${e2eId} (${way}) of ${amount} is booked ${booked.length} times, or with another amount`);
  }
  if (pix.length !== atBank.size) findings.push(`${pix.length} Pix of shops are booked, and ${atBank.size} were paid`);
  return findings;
}

/** Each Pix is one payment of its own, or went back once and whole. */
function judgeSales({ charges }: ShopBooks, { sales }: ShopLog, settled: Settled): string[] {
  const findings: string[] = [];
  const byPix = Map.groupBy(charges, ({ e2e_id: e2eId }) => e2eId ?? "none");
  for (const sale of sales) {
    const { e2eId, way, fate, amount, txid, about } = sale;
    const [charge, ...more] = byPix.get(e2eId) ?? [];
    const what = `${e2eId} (${way}, ${fate})`;
    if (charge === undefined || more.length > 0) {
      findings.push(`${what} is of ${charge ? more.length + 1 : 0} charges`);
      continue;
    }
    if (charge.txid !== txid || charge.about !== about) findings.push(`${what} paid another charge than its own`);
    const isCredited = charge.status === "completed";
    if (fate !== "if room" && isCredited !== (fate === "credited")) findings.push(`${what} is ${charge.status}`);
    if (isCredited && charge.amount !== amount) findings.push(`${what} of ${amount} is credited as ${charge.amount}`);
    if (isCredited) findings.push(...judgeDue(sale, charge));
    const back = settled.get(e2eId) ?? NOTHING;
    const isWhole = back.length === 1 && back[0]!.amount === amount;
    if (!isCredited && (charge.status !== "failed" || !isWhole))
      findings.push(`${what} is ${charge.status}, and went back as ${JSON.stringify(back)}`);
  }
  return findings;
}

function judgeDue({ e2eId, due }: Sale, charge: ShopBooks["charges"][number]): string[] {
  const { charged_amount: asked, components } = charge;
  const isSo = asked === (due?.asked ?? null) && isDeepStrictEqual(components, due?.parts ?? null);
  return isSo ? [] : [`${e2eId} is explained as ${asked}, ${JSON.stringify(components)}, not ${JSON.stringify(due)}`];
}

/** A link takes as many payments as it has places, if so many paid, and counts them. */
function judgeOffers({ charges, links }: ShopBooks, { offers, sales }: ShopLog): string[] {
  const findings: string[] = [];
  for (const { linkId, places } of offers) {
    const wanted = sales.filter(({ about }) => about === linkId).length;
    const taken = charges.filter(({ about, status }) => about === linkId && status === "completed");
    const sum = taken.reduce((all, { amount }) => all + amount, 0);
    const link = links.find((one) => one.link_id === linkId);
    if (taken.length !== Math.min(wanted, places))
      findings.push(`link ${linkId} of ${places} places took ${taken.length} of ${wanted} payments`);
    if (link?.payments !== taken.length || link.paid_amount !== sum)
      findings.push(
        `link ${linkId} counts ${link?.payments} payments of ${link?.paid_amount}, not ${taken.length} of ${sum}`,
      );
  }
  return findings;
}

/** Nothing is under way, one key makes one charge, and each completed one says so in one event. */
function judgeCharges({ charges }: ShopBooks, { cancelled }: ShopLog): string[] {
  const findings: string[] = [];
  const keys = charges.filter((row) => row.idempotency_key !== null);
  for (const [key, made] of Map.groupBy(keys, (row) => `${row.account_id} ${row.idempotency_key}`))
    if (made.length > 1) findings.push(`key ${key} of a shop made ${made.length} charges`);
  for (const { charge_id: id, status, events } of charges) {
    if (status === "creating") findings.push(`charge ${id} of a shop has no known outcome`);
    const should = status === "completed" ? 1 : 0;
    if (events !== should)
      findings.push(`charge ${id} of a shop is ${status}, and ${events} events say that it was paid`);
  }
  for (const id of cancelled)
    if (charges.find((row) => row.charge_id === id)?.status !== "cancelled")
      findings.push(`the till's charge ${id} was answered as cancelled, and is not`);
  return findings;
}

/** What was answered as changed stands so, and a charge that nobody paid has no change under way. */
function judgeEdits({ charges }: ShopBooks, { edits }: ShopLog): string[] {
  const byId = new Map(charges.map((row) => [row.charge_id, row]));
  const lost = edits
    .filter(({ isMade }) => isMade)
    .map(({ chargeId }) => byId.get(chargeId) ?? { charge_id: chargeId, less: null, edit: "lost" })
    .filter(({ less, edit }) => less !== LESS || edit !== "done")
    .map(({ charge_id: id, less, edit }) => `the change of ${id} was answered, and stands as ${edit}, ${less} less`);
  const open = charges.filter(
    ({ edit, status }) => edit === "asked" && (status === "expired" || status === "cancelled"),
  );
  return [...lost, ...open.map(({ charge_id: id, status }) => `charge ${id} is ${status}, and waits for its change`)];
}

/** Each part was given back once, as it was asked for, and never more than the payment. */
function judgeBack({ refunds }: ShopBooks, { back, sales }: ShopLog, settled: Settled): string[] {
  const findings: string[] = [];
  const known = new Map(refunds.map((row) => [row.refund_id, row]));
  for (const { refundId, e2eId, amount } of back) {
    const row = known.get(refundId);
    if (row?.e2e_id !== e2eId || (amount !== null && row.amount !== amount))
      findings.push(`refund ${refundId} of ${e2eId} is not in the books as it was asked for`);
  }
  const asked = new Set(back.map(({ refundId }) => refundId));
  for (const row of refunds) {
    if (!asked.has(row.refund_id)) findings.push(`refund ${row.refund_id} of a shop was answered to nobody`);
    const made = (settled.get(row.e2e_id) ?? NOTHING).filter(({ id }) => id === row.psp_id);
    const [wanted, is] = [row.status === "confirmed" ? [row.amount] : [], made.map(({ amount }) => amount)];
    if (row.status === "pending" || !isDeepStrictEqual(is, wanted))
      findings.push(`refund ${row.refund_id} of ${row.amount} is ${row.status}, and the bank gave back ${is}`);
  }
  const amounts = new Map(sales.map(({ e2eId, amount }) => [e2eId, amount]));
  for (const [e2eId, made] of settled) {
    const sum = made.reduce((all, { amount }) => all + amount, 0);
    if (sum > (amounts.get(e2eId) ?? 0)) findings.push(`${sum} of ${e2eId} went back, which was ${amounts.get(e2eId)}`);
  }
  return findings;
}

function judgeBalances({ charges, refunds, balances }: ShopBooks): string[] {
  const expected = new Map<string, number>();
  const add = (id: string, amount: number) => expected.set(id, (expected.get(id) ?? 0) + amount);
  for (const { account_id: id, status, amount, fee_amount: fee } of charges)
    if (status === "completed") add(id, amount - (fee ?? 0));
  for (const { account_id: id, status, amount, fee_amount: fee, late } of refunds)
    if (status === "confirmed") add(id, -amount - (late ? 0 : fee));
  return balances.flatMap(({ account_id: id, kind, balance }) => {
    if (kind !== "available" && kind !== "held") return [];
    const should = kind === "available" ? (expected.get(id) ?? 0) : 0;
    return balance === should ? [] : [`shop ${id} has ${balance} centavos ${kind}, the logs explain ${should}`];
  });
}
