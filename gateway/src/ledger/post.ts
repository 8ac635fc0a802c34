import { uuids } from "../db/arrays.ts";
import { bigint, instant, int, nullable, oneOf, relation, table, text, textOf, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { onTenants, type Sql, sql } from "../db/sql.ts";
import type { LedgerAccount, OpenBooks, Posting } from "./books.ts";
import type { LedgerKind, LedgerName, TransferKind } from "./chart.ts";

/** Ledger accounts. A balance is stored with the number of its last line. */
const ledgerAccounts = table({
  name: "ledger_accounts",
  key: ["accountId", "no"],
  columns: {
    accountId: uuid,
    no: int,
    kind: textOf<LedgerKind>(),
    ownerId: nullable(uuid),
    balance: bigint,
    seq: bigint,
  },
  groups: { balance: { columns: ["balance", "seq"] } },
});

/** Transfers, each with its line on both sides. Inserted once, never changed. */
const ledgerTransfers = table({
  name: "ledger_transfers",
  key: ["accountId", "sourceId", "kind", "leg"],
  columns: {
    accountId: uuid,
    kind: textOf<TransferKind>(),
    sourceId: uuid,
    leg: int,
    amount: bigint,
    fromNo: int,
    fromSeq: bigint,
    fromBalance: bigint,
    toNo: int,
    toSeq: bigint,
    toBalance: bigint,
    occurredAt: instant,
    bookedAt: instant,
  },
});

const insertAccounts = ledgerAccounts.inserter(["accountId", "no", "kind", "ownerId"]);
const setBalances = ledgerAccounts.guarded("balance", ["seq"]);
const insertTransfers = ledgerTransfers.inserting([
  "accountId", "kind", "sourceId", "leg", "amount", "fromNo", "fromSeq", "fromBalance", "toNo", "toSeq", "toBalance",
  "occurredAt", "bookedAt",
]); // biome-ignore format: a list
const NAMED = { accountId: uuid, kind: textOf<LedgerKind>(), ownerId: nullable(uuid) };

/** Reads the ledger accounts that the commands of a batch may touch. Call only under the tenants' locks. */
export async function loadLedgerAccounts(
  tx: Tx,
  wanted: readonly { accountId: string; name: LedgerName }[],
): Promise<LedgerAccount[]> {
  if (wanted.length === 0) return [];
  const names = wanted.map(({ accountId, name }) => ({ accountId, kind: name.kind, ownerId: name.ownerId }));
  const { rows } = await tx.query<Omit<LedgerAccount, "name" | "loadedSeq"> & LedgerName>(sql`
    select ${ledgerAccounts.select("l")}
    from ${relation("w", NAMED, names)}
    join ledger_accounts l on l.account_id = w.account_id and l.kind = w.kind
      and l.owner_id is not distinct from w.owner_id
    where ${onTenants("l.account_id", wanted)}`);
  return rows.map(({ accountId, kind, ownerId, no, balance, seq }) => ({
    accountId,
    name: { kind, ownerId },
    no,
    balance,
    seq,
    loadedSeq: seq,
  }));
}

/** Writes postings as transfers: one row holds the lines of both sides. */
export const writePostings = (postings: readonly Posting[], bookedAt: Date): readonly Sql[] => {
  if (postings.length === 0) return [];
  const rows = postings.map((posting) => ({
    accountId: posting.accountId,
    kind: posting.kind,
    sourceId: posting.sourceId,
    leg: posting.leg,
    amount: posting.amount,
    fromNo: posting.fromAccount.no,
    fromSeq: posting.fromSeq,
    fromBalance: posting.fromBalance,
    toNo: posting.toAccount.no,
    toSeq: posting.toSeq,
    toBalance: posting.toBalance,
    occurredAt: posting.occurredAt,
    bookedAt,
  }));
  return [insertTransfers(rows)];
};

/**
 * Writes the new balances of a batch. The update names the line number that it read, so it fails for a writer that does not
 * hold the tenant's lock.
 */
export function writeBalances(books: OpenBooks): readonly Sql[] {
  const touched = books.touched();
  if (touched.length === 0) return [];
  touched.sort((a, b) => (a.accountId === b.accountId ? a.no - b.no : a.accountId < b.accountId ? -1 : 1));
  const rows = touched.map((account) => ({
    accountId: account.accountId,
    no: account.no,
    balance: account.balance,
    seq: account.seq,
    was: { seq: account.loadedSeq },
  }));
  return [{ ...setBalances(rows), changes: { rows: rows.length, of: "ledger accounts" } }];
}

/** Gives new ledger accounts their number and row, before their first line is written. */
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
  await insertAccounts(
    tx,
    fresh.map(({ accountId, no, name }) => ({ accountId, no, kind: name.kind, ownerId: name.ownerId })),
  );
}

/**
 * Why money at an institution moved: one row for each such transfer, by the transfer's key. Only its text is ever erased.
 */
const bookingEvidence = table({
  name: "booking_evidence",
  key: ["accountId", "sourceId", "kind", "leg"],
  columns: {
    accountId: uuid,
    sourceId: uuid,
    kind: textOf<TransferKind>(),
    leg: int,
    origin: oneOf(["answer", "proposal", "decision", "receipt"]),
    institutionId: nullable(uuid),
    about: text,
    body: nullable(text),
    bookedAt: instant,
  },
});
const insertEvidence = bookingEvidence.inserting([
  "accountId", "sourceId", "kind", "leg", "origin", "institutionId", "about", "body", "bookedAt",
]); // biome-ignore format: a list

const isAtInstitution = ({ from, to }: Posting): boolean => from.kind === "psp" || to.kind === "psp";

/** Writes the evidence of postings at institutions. A command without evidence for one is a bug. */
export function writeEvidence(postings: readonly Posting[], bookedAt: Date): readonly Sql[] {
  const rows = postings.filter(isAtInstitution).map(({ evidence, accountId, sourceId, kind, leg }) => {
    if (evidence === undefined) throw new Error(`a transfer ${kind} at an institution has no evidence`);
    const { origin, about } = evidence;
    const answer = origin === "answer" ? evidence : null;
    return {
      ...{ accountId, sourceId, kind, leg, origin, institutionId: answer?.institutionId ?? null, about },
      body: answer?.said === undefined ? null : JSON.stringify(answer.said),
      bookedAt,
    };
  });
  return rows.length > 0 ? [insertEvidence(rows)] : [];
}
