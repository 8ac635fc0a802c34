import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import type { Decision } from "../ledger/books.ts";
import type { Evidence } from "../ledger/evidence.ts";
import { laneTable } from "../ledger/lane-table.ts";
import type { WrittenTable } from "../ledger/table.ts";
import type { AuditAction } from "./actions.ts";
import { appendEntries, entryTable, type NewEntry } from "./entry.ts";

/** Who did what to which object, and how it was before: one row for each change, in the change's own transaction. */
export async function audit(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: { readonly name: string } },
  tx: Tx,
  accountId: string,
  action: AuditAction,
  objectId: string,
  before: unknown,
  after: unknown,
): Promise<void> {
  const [actor, auditId, createdAt] = [ctx.operator.name, ctx.ids.uuid(), ctx.clock.date()];
  await appendEntries(tx, [{ accountId, auditId, actor, action, objectId, before, after, createdAt }]);
}

/** The audit log as money commands write it together with their effects. Nothing reads it back there. */
export const auditTable: WrittenTable<NewEntry> & { insert(tx: Tx, rows: readonly NewEntry[]): Promise<void> } = {
  ...laneTable(entryTable, { order: 950, load: "never", without: ["seq", "previousHash", "hash"], inserts: true }),
  // An entry's number and hash follow from the one before, which is read first.
  insertsInSteps: true,
  insert: appendEntries,
};

export type AuditRow = NewEntry;

/** The evidence of a decision that its own command enters in the audit log. */
export function evidenceOfEntry(_command: unknown, _books: unknown, { writes = [] }: Decision<unknown>): Evidence {
  const entry = writes.find((write) => write.op === "insert" && write.table === auditTable);
  if (entry?.op !== "insert") throw new Error("a decision has no entry in the audit log");
  return { origin: "decision", about: (entry.row as NewEntry).auditId };
}
