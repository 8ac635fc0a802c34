import { uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import type { TransactionRow } from "./present.ts";

/** Types whose money goes back to the payer of the original payment. */
const PAID_BACK: ReadonlySet<TransactionRow["type"]> = new Set<TransactionRow["type"]>(["refund", "chargeback"]);

/**
 * Names whom refunds and chargebacks go back to, and the wallets at the other end of transfers. The view leaves both out, since its
 * branches are single tables; they are read by key, for the rows of a page that have any.
 */
export async function nameCounterparts(
  queries: Queries,
  accountId: string,
  rows: readonly TransactionRow[],
): Promise<readonly TransactionRow[]> {
  const [payers, wallets] = await Promise.all([
    readPayers(queries, accountId, rows),
    readWallets(queries, accountId, rows),
  ]);
  if (payers.size === 0 && wallets.size === 0) return rows;
  return rows.map((row) => ({
    ...row,
    counterpartName: row.counterpartName ?? (PAID_BACK.has(row.type) ? (payers.get(row.originalId) ?? null) : null),
    counterpartSubAccount: wallets.get(row.transactionId) ?? null,
  }));
}

/** The payers of the original payments, by the payment. */
async function readPayers(
  queries: Queries,
  accountId: string,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<string | null, string>> {
  const payments = rows.flatMap(({ type, originalId }) =>
    PAID_BACK.has(type) && originalId !== null ? originalId : [],
  );
  if (payments.length === 0) return new Map();
  const found = await queries.query<{ readonly id: string; readonly name: string }>(
    prepared(sql`
    select charge_id as id, counterpart_name as name from charges
    where account_id = ${accountId} and charge_id = any(${uuids(payments)}::uuid[]) and counterpart_name is not null`),
  );
  return new Map(found.rows.map(({ id, name }) => [id, name]));
}

type Transfer = Readonly<Record<"sentId" | "receivedId" | "from" | "to", string>>;

/** The references of the wallets at the other end, by the transaction. The cause of a transfer is itself, of a split's leg its charge. */
async function readWallets(
  queries: Queries,
  accountId: string,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<string, string>> {
  const causes = rows.flatMap(({ type, transferId, originalId }) =>
    type === "internal_transfer" ? (transferId ?? originalId ?? []) : [],
  );
  if (causes.length === 0) return new Map();
  const found = await queries.query<Transfer>(
    prepared(sql`
    select m.movement_id as "sentId", m.counterpart_movement_id as "receivedId", s.reference as "from", r.reference as "to"
    from movements m
    join wallets s on s.account_id = ${accountId} and s.wallet_id = m.wallet_id
    join wallets r on r.account_id = ${accountId} and r.wallet_id = m.counterpart_wallet_id
    where m.account_id = ${accountId} and m.cause_id = any(${uuids(causes)}::uuid[]) and m.type = 'internal_transfer'`),
  );
  return new Map(
    found.rows.flatMap(({ sentId, receivedId, from, to }): readonly (readonly [string, string])[] => [
      [sentId, to],
      [receivedId, from],
    ]),
  );
}
