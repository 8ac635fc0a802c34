import { type Static, Type } from "typebox";
import { texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { literal, prepared, type Sql, sql } from "../db/sql.ts";
import { component, ref } from "../http/contract.ts";
import { PAGE, type Page, PageQuery, pageOf, readCursor, readInstant, TimeQuery, writeCursor } from "../http/pages.ts";
import { firstUuidAt, ID_SLACK, isUuid } from "../lib/ids.ts";
import { Transaction, type TransactionRow, toTransaction } from "./transaction.ts";

const { type, status } = Transaction.properties;

export const TransactionPage = component(
  "TransactionPage",
  pageOf(ref(Transaction), "A page of a wallet's transactions."),
);

/** Query parameters of `GET /transactions`; each narrows the list. */
export const TransactionQuery = Type.Object({
  type: Type.Optional({ ...type, description: "Only this type." }),
  status: Type.Optional({ ...status, description: "Only this status." }),
  projectId: Type.Optional(Type.String({ format: "uuid", description: "Only what this project tags." })),
  externalReference: Type.Optional(Type.String({ maxLength: 255, description: "Only with exactly this reference." })),
  e2eId: Type.Optional(Type.String({ maxLength: 255, description: "Only with exactly this PIX end-to-end id." })),
  ...TimeQuery,
  ...PageQuery,
});
export type TransactionQuery = Static<typeof TransactionQuery>;

/** Statuses inside that one outside stands for. */
const STATUSES: Readonly<Record<Static<typeof status>, readonly string[]>> = {
  pending: ["pending"],
  completed: ["completed"],
  failed: ["failed"],
  cancelled: ["expired", "cancelled"],
};

type OfWallet = { readonly accountId: string; readonly walletId: string };

const LIST = "transactions";
const fits = (position: readonly unknown[]): position is readonly [string] =>
  position.length === 1 && isUuid(position[0]);

/** Of a page: after which id it goes on, and from when to when. */
type Bounds = { readonly after: string | null; readonly from: Date | null; readonly to: Date | null };

/** The page that is asked for most: of all that a wallet has, or of a time. */
function standardPage({ accountId, walletId }: OfWallet, { after, from, to }: Bounds): Sql {
  const limit = literal(PAGE.standard + 1);
  if (from !== null || to !== null) {
    const ids = [firstUuidAt((from?.getTime() ?? 0) - ID_SLACK), firstUuidAt((to?.getTime() ?? Infinity) + ID_SLACK)];
    return prepared(sql`
      select * from transactions where account_id = ${accountId} and wallet_id = ${walletId}
        and transaction_id >= ${ids[0]} and transaction_id < ${after !== null && after < ids[1]! ? after : ids[1]}
        and created_at >= ${from ?? "-infinity"}::timestamptz and created_at < ${to ?? "infinity"}::timestamptz
      order by transaction_id desc limit ${limit}`);
  }
  return prepared(
    after === null
      ? sql`select * from transactions where account_id = ${accountId} and wallet_id = ${walletId}
          order by transaction_id desc limit ${limit}`
      : sql`select * from transactions where account_id = ${accountId} and wallet_id = ${walletId} and transaction_id < ${after}
          order by transaction_id desc limit ${limit}`,
  );
}

/**
 * One page of a wallet's transactions, newest first. Pages are cut by id, which never changes, so that what existed
 * before the first page is seen exactly once however much is made meanwhile.
 *
 * A filter that is left out is null and vanishes when the statement is planned; what remains of each branch of the
 * view is one index read in order (db/migrations/0001_schema.sql).
 */
export async function listTransactions(
  queries: Queries,
  wallet: OfWallet,
  query: TransactionQuery,
): Promise<Page<Transaction>> {
  const { accountId, walletId } = wallet;
  const limit = query.limit ?? PAGE.standard;
  const [from, to] = [readInstant("from", query.from), readInstant("to", query.to)];
  const after = readCursor(LIST, query.cursor, fits)?.[0] ?? null;
  const type = query.type ?? null;
  const statuses = query.status === undefined ? null : texts(STATUSES[query.status]);
  const projectId = query.projectId ?? null;
  const externalReference = query.externalReference ?? null;
  const e2eId = query.e2eId ?? null;
  const idFrom = from && firstUuidAt(from.getTime() - ID_SLACK);
  const idTo = to && firstUuidAt(to.getTime() + ID_SLACK);
  const unfiltered = [type, statuses, projectId, externalReference, e2eId].every((one) => one === null);
  const { rows } = await (unfiltered && limit === PAGE.standard
    ? queries.query<TransactionRow>(standardPage(wallet, { after, from, to }))
    : queries.query<TransactionRow>(sql`
    select * from transactions
    where account_id = ${accountId} and wallet_id = ${walletId}
      and (${after}::uuid is null or transaction_id < ${after})
      and (${type}::text is null or type = ${type})
      and (${statuses}::text[] is null or status = any(${statuses}))
      and (${projectId}::uuid is null or project_id = ${projectId})
      and (${externalReference}::text is null or external_reference = ${externalReference})
      -- The Pix of a payment is found by its key; a kind with end-to-end ids of its own adds its rows to the array.
      and (${e2eId}::text is null or (e2e_id = ${e2eId} and transaction_id = any(array(
        select p.charge_id from received_pix p where p.account_id = ${accountId} and p.e2e_id = ${e2eId}
        union all
        select w.withdrawal_id from withdrawals w where w.account_id = ${accountId} and w.e2e_id = ${e2eId}))))
      and (${idFrom}::uuid is null or (transaction_id >= ${idFrom} and created_at >= ${from}::timestamptz))
      and (${idTo}::uuid is null or (transaction_id < ${idTo} and created_at < ${to}::timestamptz))
    order by transaction_id desc
    limit ${limit + 1}`));
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(toTransaction),
    nextCursor: rows.length > limit && last ? writeCursor(LIST, [last.transaction_id]) : null,
  };
}
