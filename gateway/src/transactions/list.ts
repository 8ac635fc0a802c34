import { type Static, Type } from "typebox";
import { texts } from "../db/arrays.ts";
import { transactionsInShard } from "../db/cluster/transactions-of.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, literal, part, prepared, type Sql, sql, withoutIndex } from "../db/sql.ts";
import {
  ChangeQuery,
  type OfWallets,
  PAGE,
  type Page,
  PageQuery,
  pageOf,
  readPage,
  readPeriod,
  TimeQuery,
  WalletsQuery,
  writeCursor,
} from "../http/pages.ts";
import { firstUuidAt, ID_SLACK } from "../lib/ids.ts";
import { nameCounterparts } from "./counterparts.ts";
import { type PaymentFilter, PaymentQuery, readPaymentFilter, searchedTo, whosePayment } from "./payer.ts";
import { type TransactionRow, toTransaction, transactionColumns } from "./present.ts";
import { belongingTo, withEndToEndId } from "./related.ts";
import { Transaction } from "./transaction.ts";

const { type, status } = Transaction.properties;

export const TransactionPage = pageOf(Transaction, "A page of a wallet's transactions.");

/** Query parameters of `GET /transactions`; each narrows the list. */
export const TransactionQuery = Type.Object({
  type: Type.Optional({ ...type, description: "Only this type." }),
  status: Type.Optional({ ...status, description: "Only this status." }),
  projectId: Type.Optional(Type.String({ format: "uuid", description: "Only what this project tags." })),
  qrCodeId: Type.Optional(Type.String({ format: "uuid", description: "Only what was paid by this code that stays." })),
  paymentLinkId: Type.Optional(
    Type.String({ format: "uuid", description: "Only charges that this payment link has made." }),
  ),
  externalReference: Type.Optional(Type.String({ maxLength: 255, description: "Only with exactly this reference." })),
  e2eId: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        "Only with exactly this PIX end-to-end id; the id of a second Pix for a charge finds the charge's payment too.",
    }),
  ),
  originalTransactionId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Only what belongs to this payment (legs, refunds, fees, chargebacks) or withdrawal (its returns).",
    }),
  ),
  ...WalletsQuery,
  ...TimeQuery,
  ...ChangeQuery,
  ...PaymentQuery,
  ...PageQuery,
});
export type TransactionQuery = Static<typeof TransactionQuery>;

/** Filters that no index serves in the order of a page: where few rows match, a page reads all that do not. */
const SEARCHED = [
  "payer",
  "minAmount",
  "maxAmount",
  "invoiced",
  "standing",
  "updatedTo",
  "paidFrom",
  "paidTo",
] as const;

/** Whether a page may read much of the account's history. */
export const isSearch = (query: TransactionQuery): boolean =>
  query.subAccount === "*" || SEARCHED.some((name) => query[name] !== undefined);

/** The internal statuses behind each public one. */
const STATUSES: Readonly<Record<Static<typeof status>, readonly string[]>> = {
  pending: ["pending"],
  completed: ["completed"],
  failed: ["failed"],
  cancelled: ["expired", "cancelled"],
};

const LIST = "transactions";

/** Plain pages with this many items are prepared; any other number is planned each time. */
const PLAIN: readonly number[] = [PAGE.standard, PAGE.most];

/** A page: the id after which it begins, and its period. */
type Bounds = { readonly after: string | null; readonly from: Date | null; readonly to: Date | null };

/** The most frequent pages, of everything in a wallet or of a period: planning one takes longer than running it. */
function plainPage({ accountId, walletId }: OfWallets, { after, from, to }: Bounds, items: number): Sql {
  const limit = literal(items + 1);
  if (from !== null || to !== null) {
    const ids = [firstUuidAt((from?.getTime() ?? 0) - ID_SLACK), firstUuidAt((to?.getTime() ?? Infinity) + ID_SLACK)];
    return prepared(sql`
      select ${transactionColumns(accountId)} from ${transactionsInShard()} t where account_id = ${accountId} and wallet_id = ${walletId}
        and transaction_id >= ${ids[0]} and transaction_id < ${after !== null && after < ids[1]! ? after : ids[1]}
        and ${withoutIndex("created_at", "time")} >= ${from ?? "-infinity"}::timestamptz
        and ${withoutIndex("created_at", "time")} < ${to ?? "infinity"}::timestamptz
      order by transaction_id desc limit ${limit}`);
  }
  return prepared(
    after === null
      ? sql`select ${transactionColumns(accountId)} from ${transactionsInShard()} t where account_id = ${accountId} and wallet_id = ${walletId}
          order by transaction_id desc limit ${limit}`
      : sql`select ${transactionColumns(accountId)} from ${transactionsInShard()} t where account_id = ${accountId} and wallet_id = ${walletId} and transaction_id < ${after}
          order by transaction_id desc limit ${limit}`,
  );
}

/** The filters of a list; null: not applied. */
type Filter = Bounds &
  PaymentFilter & {
    /** The first id that is read, where a page reads a bounded number of charges. */
    readonly searchedTo: string | null;
    readonly type: string | null;
    readonly status: keyof typeof STATUSES | null;
    readonly projectId: string | null;
    readonly qrCodeId: string | null;
    readonly paymentLinkId: string | null;
    readonly externalReference: string | null;
    readonly e2eId: string | null;
    readonly originalId: string | null;
    readonly updatedFrom: Date | null;
    readonly updatedTo: Date | null;
    readonly paidFrom: Date | null;
    readonly paidTo: Date | null;
  };

/** A payment is booked after it was made; clocks may differ by this much, milliseconds. */
const PAID_SLACK = 3_600_000;

/** The conditions on a row `t` of the view. A filter that is left out is null and vanishes when the statement is planned. */
function matches({ accountId, walletId }: OfWallets, filter: Filter): Fragment {
  const { after, type, status, projectId, qrCodeId, externalReference, e2eId, originalId, from, to } = filter;
  const { paymentLinkId, updatedTo, paidFrom, paidTo } = filter;
  const booked = paidFrom && new Date(paidFrom.getTime() - PAID_SLACK);
  const updatedFrom =
    booked && (filter.updatedFrom === null || booked > filter.updatedFrom) ? booked : filter.updatedFrom;
  const statuses = status && texts(STATUSES[status]);
  const idFrom = from && firstUuidAt(from.getTime() - ID_SLACK);
  const idTo = to && firstUuidAt(to.getTime() + ID_SLACK);
  const wallet = walletId === null ? part`w.wallet_id` : part`${walletId}`;
  return part`t.account_id = ${accountId} and t.wallet_id = ${wallet}
    and (${after}::uuid is null or t.transaction_id < ${after})
    and (${type}::text is null or t.type = ${type})
    and (${statuses}::text[] is null or t.status = any(${statuses}))
    -- Charges that ended unpaid, and those that a policy blocked, have indexes of their own.
    and (${status}::text is distinct from 'cancelled' or t.type <> 'payment' or t.closed_at is not null)
    and (${status}::text is distinct from 'failed' or t.type <> 'payment' or t.blocked_reason is not null)
    and (${projectId}::uuid is null or t.project_id = ${projectId})
    and (${qrCodeId}::uuid is null or t.qr_code_id = ${qrCodeId})
    and (${paymentLinkId}::uuid is null or t.payment_link_id = ${paymentLinkId})
    and (${externalReference}::text is null or t.external_reference = ${externalReference})
    -- Movements have neither id, so their branches vanish.
    and (${e2eId}::text is null or (t.type = 'payment' and t.txid is not null) or t.e2e_id = ${e2eId})
    and (${originalId}::uuid is null or t.transaction_id = any(${belongingTo(accountId, originalId)}))
    and (${updatedFrom}::timestamptz is null or t.updated_at >= ${updatedFrom})
    and (${updatedTo}::timestamptz is null or t.updated_at < ${updatedTo})
    and (${paidFrom}::timestamptz is null or t.paid_at >= ${paidFrom})
    and (${paidTo}::timestamptz is null or t.paid_at < ${paidTo})
    and (${filter.searchedTo}::uuid is null or t.transaction_id >= ${filter.searchedTo})
    ${whosePayment(accountId, filter)}
    and (${idFrom}::uuid is null or (t.transaction_id >= ${idFrom} and t.created_at >= ${from}::timestamptz))
    and (${idTo}::uuid is null or (t.transaction_id < ${idTo} and t.created_at < ${to}::timestamptz))`;
}

/** Pending charges, by their schedule, which has a row for each. */
function pendingPayments(wallets: OfWallets, filter: Filter, limit: number): Fragment {
  const wallet = wallets.walletId === null ? part`w.wallet_id` : part`${wallets.walletId}`;
  return part`
    select p.* from open_charges o
    -- One by one: a plain join may read all charges of the wallet to find those few.
    cross join lateral (
      select ${transactionColumns(wallets.accountId)} from ${transactionsInShard()} t
      where t.account_id = o.account_id and t.transaction_id = o.charge_id and t.type = 'payment' and ${matches(wallets, filter)} limit 1) p
    where o.account_id = ${wallets.accountId} and o.wallet_id = ${wallet}
      and (${filter.after}::uuid is null or o.charge_id < ${filter.after})
      and (${filter.searchedTo}::uuid is null or o.charge_id >= ${filter.searchedTo})
    order by o.charge_id desc limit ${limit}`;
}

/** Pending transactions: charges by their schedule, everything else as in any list. */
function pendingPage(wallets: OfWallets, filter: Filter, limit: number): Fragment {
  const payments = pendingPayments(wallets, filter, limit);
  if (filter.type === "payment") return payments;
  const others = part`
    select ${transactionColumns(wallets.accountId)} from ${transactionsInShard()} t where t.type <> 'payment' and ${matches(wallets, filter)}
    order by t.transaction_id desc limit ${limit}`;
  if (filter.type !== null) return others;
  return part`
    select * from ((${payments}) union all (${others})) page
    order by "transactionId" desc limit ${limit}`;
}

/** Transactions with an end-to-end id, one by one: PostgreSQL 15 would read the whole wallet in order to find those few. */
const withEndToEndIdPage = (wallets: OfWallets, filter: Filter, limit: number): Fragment => part`
    select p.* from (select distinct id from unnest(${withEndToEndId(wallets.accountId, filter.e2eId)}) as ids (id)) named
    cross join lateral (
      select ${transactionColumns(wallets.accountId)} from ${transactionsInShard()} t where t.transaction_id = named.id and ${matches(wallets, filter)} limit 1) p
    order by p."transactionId" desc limit ${limit}`;

function walletPage(wallets: OfWallets, filter: Filter, limit: number): Fragment {
  if (filter.e2eId !== null) return withEndToEndIdPage(wallets, filter, limit);
  if (filter.status === "pending") return pendingPage(wallets, filter, limit);
  return part`
    select ${transactionColumns(wallets.accountId)} from ${transactionsInShard()} t where ${matches(wallets, filter)}
    order by transaction_id desc limit ${limit}`;
}

/** Over all wallets: merges the newest of each, so that every wallet is read by its own indexes. */
const everyPage = (wallets: OfWallets, filter: Filter, limit: number): Sql => sql`
  select p.*, w.reference as "subAccount" from wallets w
  cross join lateral (${walletPage(wallets, filter, limit)}) p
  where w.account_id = ${wallets.accountId}
  order by p."transactionId" desc limit ${limit}`;

function page(wallets: OfWallets, filter: Filter, limit: number): Sql {
  if (wallets.walletId === null) return everyPage(wallets, filter, limit + 1);
  const { after, from, to, ...others } = filter;
  const unfiltered = Object.values(others).every((value) => value === null);
  if (unfiltered && PLAIN.includes(limit)) return plainPage(wallets, filter, limit);
  return sql`${walletPage(wallets, filter, limit + 1)}`;
}

/**
 * One page of the transactions of one wallet or of all wallets, newest first. Pages are cut by id, which never changes, so
 * that everything from before the first page is seen exactly once, however much is added meanwhile.
 *
 * The view is a union of branches. With the filters of a page each branch reads one index in order
 * (db/migrations/0001_schema.sql).
 *
 * @param queries those of the account's shard (`inShardOf`).
 */
export async function listTransactions(
  queries: Queries,
  wallets: OfWallets,
  query: TransactionQuery,
): Promise<Page<Transaction>> {
  const { limit = PAGE.standard } = query;
  const [from, to] = readPeriod(query, ["from", "to"]);
  const [updatedFrom, updatedTo] = readPeriod(query, ["updatedFrom", "updatedTo"]);
  const [paidFrom, paidTo] = readPeriod(query, ["paidFrom", "paidTo"]);
  let searched: string | null = null;
  const found = await readPage(LIST, query, {
    async read(after) {
      const whose = readPaymentFilter(query);
      searched = whose.isAsked ? await searchedTo(queries, wallets, { after, from, to }) : null;
      const filter: Filter = {
        ...whose.filter,
        searchedTo: searched,
        after,
        type: query.type ?? null,
        status: query.status ?? null,
        projectId: query.projectId ?? null,
        qrCodeId: query.qrCodeId ?? null,
        paymentLinkId: query.paymentLinkId ?? null,
        externalReference: query.externalReference ?? null,
        e2eId: query.e2eId ?? null,
        originalId: query.originalTransactionId ?? null,
        ...{ updatedFrom, updatedTo, paidFrom, paidTo },
        from,
        to,
      };
      const { rows } = await queries.query<TransactionRow>(page(wallets, filter, limit));
      return { rows: await nameCounterparts(queries, wallets.accountId, rows) };
    },
    show: (row) => toTransaction(row),
    key: (row) => row.transactionId,
  });
  if (found.nextCursor !== null || searched === null) return found;
  return { ...found, nextCursor: writeCursor(LIST, [searched]) };
}
