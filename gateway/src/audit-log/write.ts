import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import type { Decision } from "../ledger/books.ts";
import type { Evidence } from "../ledger/evidence.ts";
import { laneTable } from "../ledger/lane-table.ts";
import type { WrittenTable } from "../ledger/table.ts";
import type { AuditAction } from "./actions.ts";
import { appendEntries, entryTable, type NewEntry } from "./entry.ts";

/** Records who did what to which object, and its state before: one row for each change, in the change's own transaction. */
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

/** The audit log for money commands, which write it together with their effects and never read it. */
export const auditTable: WrittenTable<NewEntry> = {
  ...laneTable(entryTable, { order: 950, load: "never", without: ["seq", "previousHash", "hash"] }),
  // An entry's number and hash depend on the previous entry, which must be read first.
  insertInSteps: appendEntries,
};

export type AuditRow = NewEntry;

/** The evidence of a decision whose command writes an entry of the audit log. */
export function evidenceOfEntry(_command: unknown, _books: unknown, { writes = [] }: Decision<unknown>): Evidence {
  const entry = writes.find((write) => write.op === "insert" && write.table === auditTable);
  if (entry?.op !== "insert") throw new Error("a decision has no entry in the audit log");
  return { origin: "decision", about: (entry.row as NewEntry).auditId };
}
