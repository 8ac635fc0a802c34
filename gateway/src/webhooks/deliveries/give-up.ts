import type { Context } from "../../context.ts";
import { pick, type RowOf, relation } from "../../db/columns.ts";
import { onTenants, sql, withoutIndex } from "../../db/sql.ts";
import { deliveries } from "./row.ts";

const WAITING = pick(deliveries.columns, ["accountId", "endpointId", "deliveryId", "eventId"]);
/** Most deliveries that one call gives up. */
const BATCH = 1_000;

/**
 * Fails the waiting deliveries of deleted endpoints, which nothing claims any more. A delivery whose attempt is under way
 * waits for its mark, or for the end of a dead process's lease.
 *
 * @returns true when there may be more.
 */
export async function giveUpDeleted(ctx: Pick<Context, "db" | "clock">): Promise<boolean> {
  const now = ctx.clock.date();
  const { rows } = await ctx.db.query<RowOf<typeof WAITING>>(sql`
    select waiting.* from webhook_endpoints w cross join lateral (
      select ${deliveries.select("d", Object.keys(WAITING) as (keyof typeof WAITING)[])}
      from deliveries d
      where d.account_id = w.account_id and d.endpoint_id = w.endpoint_id and d.status = 'pending'
        and (d.claimed_until is null or d.claimed_until <= ${now})
      order by d.next_at limit ${BATCH}
    ) waiting
    where w.deleted_at is not null limit ${BATCH}`);
  if (rows.length === 0) return false;
  await ctx.db.query(sql`
    update deliveries d set status = 'failed', next_at = null, finished_at = ${now}
    from ${relation("u", WAITING, rows)}
    where d.account_id = u.account_id and d.endpoint_id = u.endpoint_id and d.delivery_id = u.delivery_id
      and d.event_id = u.event_id and ${withoutIndex("d.status", "text")} = 'pending' and ${onTenants("d.account_id", rows)}`);
  return rows.length === BATCH;
}
