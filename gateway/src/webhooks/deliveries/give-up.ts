import type { Context } from "../../context.ts";
import { texts, uuids } from "../../db/arrays.ts";
import { onTenants, sql } from "../../db/sql.ts";

/** Deliveries that one call gives up. */
const BATCH = 1_000;

/**
 * Fails the deliveries that wait for deleted endpoints: nothing claims them any more.
 *
 * @returns true when there may be more.
 */
export async function giveUpDeleted(ctx: Pick<Context, "db" | "clock">): Promise<boolean> {
  const { rows } = await ctx.db.query<{
    account_id: string;
    endpoint_id: string;
    delivery_id: string;
    event_id: string;
  }>(sql`
    select waiting.* from webhook_endpoints w cross join lateral (
      select d.account_id, d.endpoint_id, d.delivery_id, d.event_id from deliveries d
      where d.account_id = w.account_id and d.endpoint_id = w.endpoint_id and d.status = 'pending' and d.claimed_until is null
      order by d.next_at limit ${BATCH}
    ) waiting
    where w.deleted_at is not null limit ${BATCH}`);
  if (rows.length === 0) return false;
  await ctx.db.query(sql`
    update deliveries d set status = 'failed', next_at = null, finished_at = ${ctx.clock.date()}
    from unnest(${uuids(rows.map((r) => r.account_id))}::uuid[], ${uuids(rows.map((r) => r.endpoint_id))}::uuid[],
      ${uuids(rows.map((r) => r.delivery_id))}::uuid[], ${texts(rows.map((r) => r.event_id))}::text[])
      as u (account_id, endpoint_id, delivery_id, event_id)
    where d.account_id = u.account_id and d.endpoint_id = u.endpoint_id and d.delivery_id = u.delivery_id
      and d.event_id = u.event_id and d.status = 'pending' and ${onTenants("d.account_id", rows)}`);
  return rows.length === BATCH;
}
