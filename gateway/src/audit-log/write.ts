import type { Context } from "../context.ts";
import { instant, json, nullable, table, text, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";

/** Who did what to which object, and how it was before: one row for each change, in the change's own transaction. */
export async function audit(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: { readonly name: string } },
  tx: Tx,
  accountId: string,
  action: string,
  objectId: string,
  before: unknown,
  after: unknown,
): Promise<void> {
  await tx.query(sql`
    insert into audit_log (account_id, audit_id, actor, action, object_id, before, after, created_at)
    values (${accountId}, ${ctx.ids.uuid()}, ${ctx.operator.name}, ${action}, ${objectId}, ${before && JSON.stringify(before)},
      ${JSON.stringify(after)}, ${ctx.clock.date()})`);
}

/** The audit log as money commands write it together with their effects. Nothing reads it back there. */
export const auditTable = laneTable(
  table({
    name: "audit_log",
    key: ["accountId", "auditId"],
    columns: {
      accountId: uuid,
      auditId: uuid,
      /** Name of the operator. */
      actor: text,
      action: text,
      objectId: nullable(uuid),
      before: nullable(json<unknown>()),
      after: nullable(json<unknown>()),
      createdAt: instant,
    },
  }),
  { order: 950, load: "never", inserts: true },
);

export type AuditRow = RowIn<typeof auditTable>;
