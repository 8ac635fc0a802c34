import type { Context } from "../context.ts";
import { instants, jsons, texts, uuids } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Table } from "../ledger/books.ts";

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

/** A row of the audit log that a money command writes together with its effects. Nothing reads it back there. */
export type AuditRow = {
  readonly accountId: string;
  readonly auditId: string;
  /** Name of the operator. */
  readonly actor: string;
  readonly action: string;
  readonly objectId: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly createdAt: Date;
};

export const auditTable: Table<AuditRow> = {
  name: "audit_log",
  order: 950,
  async load() {
    return [];
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into audit_log (account_id, audit_id, actor, action, object_id, before, after, created_at)
      select u.account_id, u.audit_id, u.actor, u.action, u.object_id, u.before, u.after, u.created_at
      from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.auditId))}::uuid[],
        ${texts(rows.map((r) => r.actor))}::text[],
        ${texts(rows.map((r) => r.action))}::text[], ${uuids(rows.map((r) => r.objectId))}::uuid[],
        ${jsons(rows.map((r) => r.before))}::jsonb[], ${jsons(rows.map((r) => r.after))}::jsonb[],
        ${instants(rows.map((r) => r.createdAt))}::timestamptz[])
        as u (account_id, audit_id, actor, action, object_id, before, after, created_at)`);
  },
};
