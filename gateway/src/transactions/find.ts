import type { Context } from "../context.ts";
import { transactionsOf } from "../db/cluster/transactions-of.ts";
import { prepared, sql } from "../db/sql.ts";
import { isUuid } from "../lib/ids.ts";
import { nameCounterparts } from "./counterparts.ts";
import { type TransactionRow, toTransaction, transactionColumns } from "./present.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Finds a transaction of a wallet by its id, or the newest with this external reference, or the newest with this
 * idempotency key, in that order (interface, GET /transactions/{id}).
 */
export async function findTransaction(
  { db: queries, clock }: Pick<Context, "db" | "clock">,
  accountId: string,
  walletId: string,
  reference: string,
): Promise<Transaction | null> {
  const now = clock.date();
  const show = async (row: TransactionRow) =>
    toTransaction((await nameCounterparts(queries, accountId, [row]))[0]!, now);
  if (isUuid(reference.toLowerCase())) {
    const { rows } = await queries.query<TransactionRow>(
      prepared(sql`
      select ${transactionColumns(accountId)} from ${transactionsOf(accountId)} t
      where account_id = ${accountId} and transaction_id = ${reference.toLowerCase()} and wallet_id = ${walletId}`),
    );
    if (rows[0]) return show(rows[0]);
  }
  const byReference = await queries.query<TransactionRow>(
    prepared(sql`
    select ${transactionColumns(accountId)} from ${transactionsOf(accountId)} t
    where account_id = ${accountId} and wallet_id = ${walletId} and external_reference = ${reference}
    order by transaction_id desc limit 1`),
  );
  if (byReference.rows[0]) return show(byReference.rows[0]);
  const byKey = await queries.query<TransactionRow>(
    prepared(sql`
    select ${transactionColumns(accountId)} from ${transactionsOf(accountId)} t
    where account_id = ${accountId} and wallet_id = ${walletId} and idempotency_key = ${reference}
    order by transaction_id desc limit 1`),
  );
  return byKey.rows[0] ? show(byKey.rows[0]) : null;
}
