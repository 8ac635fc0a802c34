import { bigints, instants, ints, texts, uuids } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { LedgerAccount, OpenBooks, Posting } from "./books.ts";
import type { LedgerKind, LedgerName } from "./chart.ts";

/** Reads the ledger accounts that the commands of a batch may touch. Call only under the tenants' locks. */
export async function loadLedgerAccounts(
  tx: Tx,
  wanted: readonly { accountId: string; name: LedgerName }[],
): Promise<LedgerAccount[]> {
  if (wanted.length === 0) return [];
  const accountIds = wanted.map((w) => w.accountId);
  const { rows } = await tx.query<{
    account_id: string;
    no: number;
    kind: LedgerKind;
    owner_id: string | null;
    balance: number;
    seq: number;
  }>(sql`
    select l.account_id, l.no, l.kind, l.owner_id, l.balance, l.seq
    from unnest(${uuids(accountIds)}::uuid[], ${texts(wanted.map((w) => w.name.kind))}::text[],
      ${uuids(wanted.map((w) => w.name.ownerId))}::uuid[]) as w (account_id, kind, owner_id)
    join ledger_accounts l on l.account_id = w.account_id and l.kind = w.kind
      and l.owner_id is not distinct from w.owner_id
    where ${onTenants("l.account_id", wanted)}`);
  return rows.map((row) => ({
    accountId: row.account_id,
    name: { kind: row.kind, ownerId: row.owner_id },
    no: row.no,
    balance: row.balance,
    seq: row.seq,
    loadedSeq: row.seq,
  }));
}

/** Writes postings as transfers, one row for the lines of both sides. */
export async function writePostings(tx: Tx, postings: readonly Posting[], bookedAt: Date): Promise<void> {
  if (postings.length === 0) return;
  await tx.query(sql`
    insert into ledger_transfers (account_id, kind, source_id, leg, amount, from_no, from_seq, from_balance,
      to_no, to_seq, to_balance, occurred_at, booked_at)
    select u.*, ${bookedAt}::timestamptz from unnest(
      ${uuids(postings.map((p) => p.accountId))}::uuid[], ${texts(postings.map((p) => p.kind))}::text[],
      ${uuids(postings.map((p) => p.sourceId))}::uuid[], ${ints(postings.map((p) => p.leg))}::int[],
      ${bigints(postings.map((p) => p.amount))}::bigint[],
      ${ints(postings.map((p) => p.fromAccount.no))}::int[], ${bigints(postings.map((p) => p.fromSeq))}::bigint[],
      ${bigints(postings.map((p) => p.fromBalance))}::bigint[],
      ${ints(postings.map((p) => p.toAccount.no))}::int[], ${bigints(postings.map((p) => p.toSeq))}::bigint[],
      ${bigints(postings.map((p) => p.toBalance))}::bigint[],
      ${instants(postings.map((p) => p.occurredAt))}::timestamptz[]) as u`);
}

/**
 * Writes the new balances of a batch. The update says which line it builds on, so that a writer who had not taken the
 * tenant's lock would be found out here.
 */
export async function writeBalances(tx: Tx, books: OpenBooks): Promise<void> {
  const touched = books.touched();
  if (touched.length === 0) return;
  touched.sort((a, b) => (a.accountId === b.accountId ? a.no - b.no : a.accountId < b.accountId ? -1 : 1));
  const updated = await tx.query(sql`
    update ledger_accounts l set balance = u.balance, seq = u.seq
    from unnest(${uuids(touched.map((a) => a.accountId))}::uuid[], ${ints(touched.map((a) => a.no))}::int[],
      ${bigints(touched.map((a) => a.balance))}::bigint[], ${bigints(touched.map((a) => a.seq))}::bigint[],
      ${bigints(touched.map((a) => a.loadedSeq))}::bigint[]) as u (account_id, no, balance, seq, seq_before)
    where l.account_id = u.account_id and l.no = u.no and l.seq = u.seq_before
      and ${onTenants("l.account_id", touched)}`);
  if (updated.rowCount !== touched.length) {
    throw new Error(`${touched.length} ledger accounts were to change, ${updated.rowCount} did`);
  }
}

/** Gives ledger accounts that have their first line a number and a row: before any line of theirs is written. */
export async function openLedgerAccounts(tx: Tx, fresh: readonly LedgerAccount[]): Promise<void> {
  if (fresh.length === 0) return;
  const tenants = [...new Set(fresh.map((a) => a.accountId))];
  const { rows } = await tx.query<{ account_id: string; no: number }>(sql`
    select account_id, max(no) as no from ledger_accounts
    where account_id = any(${uuids(tenants)}::uuid[]) group by account_id`);
  const last = new Map(rows.map((row) => [row.account_id, row.no]));
  for (const account of fresh) {
    account.no = (last.get(account.accountId) ?? 0) + 1;
    last.set(account.accountId, account.no);
  }
  await tx.query(sql`
    insert into ledger_accounts (account_id, no, kind, owner_id)
    select * from unnest(${uuids(fresh.map((a) => a.accountId))}::uuid[], ${ints(fresh.map((a) => a.no))}::int[],
      ${texts(fresh.map((a) => a.name.kind))}::text[], ${uuids(fresh.map((a) => a.name.ownerId))}::uuid[])`);
}
