import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";

/** Who did what to which object, and how it was before: one row for each change, in the change's own transaction. */
export async function audit(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  accountId: string,
  action: string,
  objectId: string,
  before: unknown,
  after: unknown,
): Promise<void> {
  await tx.query(sql`
    insert into audit_log (account_id, audit_id, actor, action, object_id, before, after, created_at)
    values (${accountId}, ${ctx.ids.uuid()}, 'operator', ${action}, ${objectId}, ${before && JSON.stringify(before)},
      ${JSON.stringify(after)}, ${ctx.clock.date()})`);
}
