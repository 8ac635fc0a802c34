import type { Context } from "../../context.ts";
import { instant, int, names, relation, uuid } from "../../db/columns.ts";
import { byShard } from "../../db/shards.ts";
import { onTenants, part, sql, UNFLUSHED } from "../../db/sql.ts";
import { type EndpointRow, endpoints } from "../endpoints/row.ts";
import { type DeliveryRow, deliveries } from "./row.ts";

/** The lease of a claimed delivery, milliseconds: longer than an attempt and its mark take. */
const CLAIM_MS = 20_000;

/** An endpoint with due deliveries, none of which is due before `from`. */
export type Queue = { readonly accountId: string; readonly endpointId: string; readonly from: Date };

/** A claimed delivery with everything that an attempt needs. */
export type Due = Pick<DeliveryRow, (typeof CLAIMED)[number]> &
  Pick<EndpointRow, (typeof ENDPOINT)[number]> & { readonly kind: string; readonly body: string };

const CLAIMED = ["accountId", "endpointId", "deliveryId", "eventId", "attempts", "tries"] as const;
const ENDPOINT = ["url", "retry", "sealedSecret", "nextSealedSecret", "rotationEndsAt"] as const;
/** What a claim reads of the delivery, its event and its endpoint. Made once, because every claim sends this text. */
const SHOWN = part`${deliveries.select("c", CLAIMED)}, e.kind, e.body, ${endpoints.select("w", ENDPOINT)}`;

/**
 * Finds endpoints that have a delivery due at `after.from` or later, in the order of their ids, beginning after `after`. It
 * reads one row for each endpoint, so a million waiting deliveries of one endpoint cost nothing. It locks nothing.
 */
export async function findQueues(ctx: Pick<Context, "db">, now: Date, after: Queue, limit: number): Promise<Queue[]> {
  const { rows } = await ctx.db.query<Pick<EndpointRow, "accountId" | "endpointId">>(sql`
    select ${endpoints.select("w", ["accountId", "endpointId"])} from webhook_endpoints w
    cross join lateral (
      select from deliveries d
      where d.account_id = w.account_id and d.endpoint_id = w.endpoint_id and d.status = 'pending'
        and d.next_at >= ${after.from} and d.next_at <= ${now} and (d.claimed_until is null or d.claimed_until <= ${now})
      order by d.next_at limit 1
    ) due
    where w.enabled and w.deleted_at is null and (w.account_id, w.endpoint_id) > (${after.accountId}, ${after.endpointId})
    order by w.account_id, w.endpoint_id limit ${limit}`);
  return rows.map((row) => ({ ...row, from: after.from }));
}

/**
 * Claims the oldest due deliveries of each queue, up to the number given with it. A claim is a lease: two processes never
 * make the same attempt, and the claims of a dead process end by themselves.
 */
export async function claim(
  ctx: Pick<Context, "db">,
  now: Date,
  queues: readonly (readonly [Queue, number])[],
): Promise<Due[]> {
  const sorted = [...queues].sort(([a], [b]) => (a.accountId + a.endpointId < b.accountId + b.endpointId ? -1 : 1));
  const claimed: Due[] = [];
  for (const shard of byShard(ctx.db.shards, sorted, ([queue]) => queue.accountId)) {
    claimed.push(...(await claimQueues(ctx, now, shard)));
  }
  return claimed;
}

async function claimQueues(
  ctx: Pick<Context, "db">,
  now: Date,
  sorted: readonly (readonly [Queue, number])[],
): Promise<Due[]> {
  const tenants = sorted.map(([{ accountId, endpointId, from }, most]) => ({
    accountId,
    endpointId,
    since: from,
    most,
  }));
  const statement = sql`
    with mine as materialized (
      select due.*
      from ${relation("q", { accountId: uuid, endpointId: uuid, since: instant, most: int }, tenants)}
      join webhook_endpoints w on w.account_id = q.account_id and w.endpoint_id = q.endpoint_id
        and w.enabled and w.deleted_at is null and ${onTenants("w.account_id", tenants)}
      cross join lateral (
        select d.account_id, d.endpoint_id, d.delivery_id, d.event_id from deliveries d
        where d.account_id = q.account_id and d.endpoint_id = q.endpoint_id and d.status = 'pending'
          and d.next_at >= q.since and d.next_at <= ${now} and (d.claimed_until is null or d.claimed_until <= ${now})
          and ${onTenants("d.account_id", tenants)}
        order by d.next_at limit q.most for update skip locked
      ) due
      -- The sum of all limits: the planner then knows that the rows are few, and does not scan a table for them.
      limit ${sorted.reduce((sum, [, most]) => sum + most, 0)}
    ), claimed as (
      update deliveries d set claimed_until = ${new Date(now.getTime() + CLAIM_MS)}
      from mine
      where d.account_id = mine.account_id and d.endpoint_id = mine.endpoint_id and d.delivery_id = mine.delivery_id
        and d.event_id = mine.event_id and ${onTenants("d.account_id", tenants)}
      returning ${names(CLAIMED, "d")}
    )
    select ${SHOWN}
    from claimed c
    join webhook_endpoints w on w.account_id = c.account_id and w.endpoint_id = c.endpoint_id and ${onTenants("w.account_id", tenants)}
    -- On tables that were never analyzed a plain join read 3,000 waiting rows for each claimed one: a second for each claim.
    -- So each event is read by its key, and the update names both unique keys: either index finds exactly one row.
    cross join lateral (
      select e.kind, e.body from events e
      where e.account_id = c.account_id and e.event_id = c.event_id and ${onTenants("e.account_id", tenants)} limit 1
    ) e`;
  // Does not wait for the disk: a claim that a crash loses is simply made again.
  const [, claimed] = await ctx.db.atOnce<Due>([UNFLUSHED, statement], tenants);
  return claimed!.rows;
}
