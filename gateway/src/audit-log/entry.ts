import { uuids } from "../db/arrays.ts";
import { bigint, bytes, instant, json, nullable, type RowOf, table, text, textOf, uuid } from "../db/columns.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { AuditAction } from "./actions.ts";
import { type ChainedEntry, hashOfEntry } from "./chain.ts";

/** The audit log. An account's entries are a chain: each carries its number and the hash of the one before. */
export const entryTable = table({
  name: "audit_log",
  key: ["accountId", "auditId"],
  columns: {
    accountId: uuid,
    auditId: uuid,
    /** Name of the operator. */
    actor: text,
    action: textOf<AuditAction>(),
    objectId: nullable(uuid),
    before: nullable(json<unknown>()),
    after: nullable(json<unknown>()),
    createdAt: instant,
    seq: bigint,
    previousHash: nullable(bytes),
    hash: bytes,
  },
});
export type EntryRow = RowOf<typeof entryTable.columns>;
/** An entry that has no position in the chain yet. */
export type NewEntry = Omit<EntryRow, "seq" | "previousHash" | "hash">;

/** The end of each account's chain. */
const headTable = table({
  name: "audit_heads",
  key: ["accountId"],
  columns: { accountId: uuid, seq: bigint, hash: nullable(bytes) },
  groups: { end: { columns: ["seq", "hash"] } },
});

const insertEntries = entryTable.inserter(Object.keys(entryTable.columns) as (keyof EntryRow)[]);
const moveHeads = headTable.updater("end");

/** An entry in the form that is hashed and exported. */
export const toChained = (row: EntryRow): ChainedEntry => ({
  accountId: row.accountId,
  seq: row.seq,
  previousHash: row.previousHash?.toString("hex") ?? null,
  id: row.auditId,
  actor: row.actor,
  action: row.action,
  objectId: row.objectId,
  before: row.before,
  after: row.after,
  createdAt: row.createdAt.toISOString(),
});

/**
 * Adds entries to the chains of their accounts, in the given order. Locks the ends of the chains until the transaction
 * ends, in the order of accounts, so that no two entries follow the same one. Nothing else may run in the transaction
 * meanwhile.
 */
export async function appendEntries(tx: Tx, entries: readonly NewEntry[]): Promise<void> {
  const heads = await lockHeads(tx, [...new Set(entries.map(({ accountId }) => accountId))].sort());
  const rows = entries.map((entry) => {
    const { seq, hash: previousHash } = heads.get(entry.accountId)!;
    // Hashed in the form in which they are read later: without values that JSON does not have.
    const [before, after] = [asJson(entry.before), asJson(entry.after)];
    const linked = { ...entry, before, after, seq: seq + 1, previousHash, hash: Buffer.alloc(0) };
    const row: EntryRow = { ...linked, hash: hashOfEntry(toChained(linked)) };
    heads.set(entry.accountId, { seq: row.seq, hash: row.hash });
    return row;
  });
  await insertEntries(tx, rows);
  await moveHeads(
    tx,
    [...heads].map(([accountId, end]) => ({ accountId, ...end })),
  );
}

type End = { readonly seq: number; readonly hash: Buffer | null };

/** Locks the ends of chains; a missing one is created. */
async function lockHeads(tx: Queries, accounts: readonly string[]): Promise<Map<string, End>> {
  const { rows } = await tx.query<End & { account_id: string }>(sql`
    insert into audit_heads (account_id, seq) select account_id, 0 from unnest(${uuids(accounts)}::uuid[]) as u (account_id)
    on conflict (account_id) do update set seq = audit_heads.seq returning account_id, seq, hash`);
  return new Map(rows.map(({ account_id, seq, hash }) => [account_id, { seq, hash }]));
}

const asJson = (value: unknown): unknown =>
  value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
