import { bigints, ints, texts, uuids } from "../db/arrays.ts";
import { transactionsOf } from "../db/cluster/transactions-of.ts";
import type { Queries } from "../db/pool.ts";
import { part, prepared, sql } from "../db/sql.ts";
import type { OfWallets } from "../http/pages.ts";
import {
  readStatement,
  type StatementBounds,
  type StatementLine,
  type StatementPosition,
} from "../ledger/statement.ts";
import {
  type Cause,
  causeOf,
  type Explained,
  isByKey,
  KEY_COLUMNS,
  type KeyRow,
  keyJoins,
  keyJoinsOfLine,
} from "./by-key.ts";

type Line = StatementLine & { readonly walletId?: string };

/** A page of a wallet's statement, with the cause of each line; for most lines it is read by the same statement. */
export async function readExplained(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  bounds: StatementBounds,
): Promise<{ lines: Explained[]; next: StatementPosition | null }> {
  const beside = { columns: KEY_COLUMNS, joins: keyJoinsOfLine(wallet.accountId) };
  const { lines, next } = await readStatement<KeyRow>(queries, wallet, bounds, beside);
  return { lines: await withCauses(queries, wallet, lines, (line) => line), next };
}

/** Finds the cause of each line. Lines of several wallets each name theirs. */
export async function explain<L extends Line>(
  queries: Queries,
  wallets: OfWallets,
  lines: readonly L[],
): Promise<(L & Explained)[]> {
  const byKey = await readByKey(queries, wallets, lines.filter(isByKey));
  return withCauses(queries, wallets, lines, ({ sourceId }) => byKey.get(sourceId));
}

async function withCauses<L extends Line>(
  queries: Queries,
  wallets: OfWallets,
  lines: readonly L[],
  keyed: (line: L) => KeyRow | undefined,
): Promise<(L & Explained)[]> {
  const others = lines.filter((line) => !isByKey(line));
  const searched = await search(queries, wallets, others);
  const causes = new Map(others.map((line, n) => [line, searched[n]!]));
  return lines.map((line) => ({ ...line, ...(causes.get(line) ?? causeOf(line, keyed(line))) }));
}

/** The charges and withdrawals behind lines, each once, by id. */
async function readByKey(
  queries: Queries,
  { accountId, walletId }: OfWallets,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, KeyRow>> {
  const wallets = new Map(lines.map((line) => [line.sourceId, line.walletId ?? walletId]));
  if (wallets.size === 0) return new Map();
  const { rows } = await queries.query<KeyRow & { readonly id: string }>(
    prepared(sql`
    select u.id, ${KEY_COLUMNS}
    from unnest(${uuids([...wallets.keys()])}::uuid[], ${uuids([...wallets.values()])}::uuid[]) as u (id, wallet_id)
    ${keyJoins(accountId, { charge: part`u.id`, withdrawal: part`u.id`, wallet: part`u.wallet_id` })}`),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Finds the transaction of each line with one statement. For most kinds a transfer's source is the id of a transaction; for
 * the others it is the object that moved the money, whose transaction is found by a key.
 */
async function search(queries: Queries, { accountId, walletId }: OfWallets, lines: readonly Line[]): Promise<Cause[]> {
  if (lines.length === 0) return [];
  const { rows } = await queries.query<Cause & { readonly n: number }>(
    prepared(sql`
    select l.n, t.transaction_id as "transactionId", t.description,
      coalesce(t.external_reference, c.external_reference, w.external_reference) as "externalReference",
      coalesce(t.e2e_id, r.rtr_id, c.e2e_id) as "e2eId", coalesce(t.counterpart_name, c.counterpart_name) as counterpart,
      coalesce(t.original_id, case when t.type = 'payment' then t.transaction_id end) as "originalTransactionId",
      coalesce(t.refund_id, case when t.type = 'refund' then t.transaction_id end) as "refundTransactionId",
      coalesce(t.block_id, case when l.kind in ('block_held', 'block_taken', 'block_released') then l.source_id end) as "blockId",
      coalesce(t.withdrawal_id, case when t.type = 'withdrawal' then t.transaction_id end) as "withdrawalId",
      t.transfer_id as "transferId", v.reference as "counterpartSubAccount"
    from (
      select u.*, case u.kind
        when 'charge_split' then (
          select case when u.amount < 0 then m.movement_id else m.counterpart_movement_id end from movements m
          where m.account_id = ${accountId} and m.cause_id = u.source_id and m.leg = u.leg and m.type = 'internal_transfer')
        when 'transfer' then (
          select case when u.amount < 0 then m.movement_id else m.counterpart_movement_id end from movements m
          where m.account_id = ${accountId} and m.cause_id = u.source_id and m.leg = u.leg and m.type = 'internal_transfer')
        when 'withdrawal_returned' then (
          select x.movement_id from withdrawal_returns x where x.account_id = ${accountId} and x.return_id = u.source_id)
        -- The last return, which makes the withdrawal whole, brings the fee back.
        when 'withdrawal_fee_returned' then (
          select x.movement_id from withdrawal_returns x where x.account_id = ${accountId} and x.withdrawal_id = u.source_id
          order by x.created_at desc, x.returned_at desc limit 1)
        when 'refund_fee' then (
          select m.movement_id from movements m
          where m.account_id = ${accountId} and m.cause_id = u.source_id and m.leg = u.leg and m.type = 'fee')
        when 'block_taken' then (
          select m.movement_id from movements m
          where m.account_id = ${accountId} and m.cause_id = u.source_id and m.leg = u.leg and m.type = 'chargeback')
        when 'block_held' then (
          select b.charge_id from balance_blocks b where b.account_id = ${accountId} and b.block_id = u.source_id)
        when 'block_released' then (
          select b.charge_id from balance_blocks b where b.account_id = ${accountId} and b.block_id = u.source_id)
        -- A refund that was settled late is booked as a return, and is a transaction already.
        when 'psp_return' then coalesce((
          select m.movement_id from movements m
          where m.account_id = ${accountId} and m.cause_id = u.source_id and m.leg = u.leg and m.type = 'chargeback'), u.source_id)
        else u.source_id end as transaction_id
      from unnest(${ints(lines.map((_, n) => n))}::int[], ${texts(lines.map(({ kind }) => kind))}::text[],
        ${uuids(lines.map(({ sourceId }) => sourceId))}::uuid[], ${ints(lines.map(({ leg }) => leg))}::int[],
        ${bigints(lines.map(({ amount }) => amount))}::bigint[],
        ${uuids(lines.map((line) => line.walletId ?? walletId))}::uuid[]) as u (n, kind, source_id, leg, amount, wallet_id)
      -- Planned by itself: otherwise each look-up is repeated where its result is used.
      offset 0
    ) l
    left join lateral (
      select * from ${transactionsOf(accountId)} t
      where t.account_id = ${accountId} and t.wallet_id = l.wallet_id and t.transaction_id = l.transaction_id limit 1) t on true
    left join charges c on c.account_id = ${accountId} and c.charge_id = t.original_id
    left join withdrawals w on w.account_id = ${accountId} and w.withdrawal_id = t.withdrawal_id
    left join withdrawal_returns r on r.account_id = ${accountId} and r.movement_id = t.transaction_id
      and r.withdrawal_id = t.withdrawal_id
    left join movements m on l.kind in ('charge_split', 'transfer') and m.account_id = ${accountId} and m.cause_id = l.source_id
      and m.leg = l.leg and m.type = 'internal_transfer'
    left join wallets v on v.account_id = ${accountId}
      and v.wallet_id = case when l.amount < 0 then m.counterpart_wallet_id else m.wallet_id end`),
  );
  const causes = new Map(rows.map(({ n, ...cause }) => [n, cause]));
  return lines.map((_, n) => causes.get(n)!);
}
