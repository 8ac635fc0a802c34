import type { Context } from "../../context.ts";
import { texts, uuids } from "../../db/arrays.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { onTenants, sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import { readInstant } from "../../http/pages.ts";
import { firstUuidAt, ID_SLACK } from "../../lib/ids.ts";
import { type EndpointRow, findEndpoint, type Owner } from "../endpoints/endpoint.ts";
import { DEFAULT_KINDS } from "../events/catalogue.ts";
import { findDelivery, type WebhookDeliveryWithAttempts } from "./delivery.ts";

type Deps = Pick<Context, "ids" | "clock">;

/** Events of one replay. A longer time is replayed in parts. */
export const MOST_REPLAYED = 100_000;
/** Deliveries written by one statement. */
const BATCH = 2_000;

const disabled = (): ApiError => new ApiError("WEBHOOK_ENDPOINT_DISABLED");

/** Refuses what would wait for ever. */
export function requireEnabled(endpoint: Pick<EndpointRow, "enabled">): void {
  if (!endpoint.enabled) throw disabled();
}

/**
 * Puts a delivery in the queue again, as it was on its first day: due now, with every attempt of the schedule before
 * it. One whose attempt is being made right now is left alone.
 */
export async function redeliver(
  ctx: Deps,
  tx: Tx,
  owner: Owner,
  deliveryId: string,
): Promise<WebhookDeliveryWithAttempts> {
  const { endpointId, eventId } = await findDelivery(tx, owner, deliveryId);
  const { rows } = await tx.query<{ enabled: boolean }>(sql`
    select enabled from webhook_endpoints where account_id = ${owner.accountId} and endpoint_id = ${endpointId}`);
  requireEnabled(rows[0]!);
  const { rows: events } = await tx.query<{ erased_at: Date | null }>(sql`
    select erased_at from events where account_id = ${owner.accountId} and event_id = ${eventId}`);
  if (events[0]!.erased_at !== null) {
    throw new ApiError("EVENT_ERASED", undefined, { erasedAt: events[0]!.erased_at.toISOString() });
  }
  const now = ctx.clock.date();
  await tx.query(sql`
    update deliveries set status = 'pending', tries = 0, next_at = ${now}, finished_at = null, claimed_until = null
    where account_id = ${owner.accountId} and endpoint_id = ${endpointId} and delivery_id = ${deliveryId}
      and not (status = 'pending' and claimed_until is not null and claimed_until > ${now})`);
  return findDelivery(tx, owner, deliveryId);
}

export type Replay = {
  readonly since: string;
  readonly until?: string;
  readonly onlyFailed?: boolean;
  readonly dryRun?: boolean;
};

/**
 * Sends the events of a time to one endpoint again: those that it would be told today and those that it was told, as
 * far as its filter takes them; tests apart. With `onlyFailed` those whose delivery has failed.
 *
 * @returns how many events they are, and how many are left out since their data was erased.
 */
export async function replay(
  ctx: Deps,
  tx: Tx,
  owner: Owner,
  endpointId: string,
  request: Replay,
): Promise<{ readonly count: number; readonly erased: number }> {
  const endpoint = await findEndpoint(tx, owner, endpointId);
  if (request.dryRun !== true) requireEnabled(endpoint);
  const since = readInstant("since", request.since) as Date;
  const until = readInstant("until", request.until) ?? ctx.clock.date();
  const found = await (request.onlyFailed ? findFailed : findAll)(tx, owner, endpoint, since, until);
  const events = found.filter((event) => !event.erased).map((event) => event.event_id);
  const counted = { count: events.length, erased: found.length - events.length };
  if (found.length > MOST_REPLAYED) {
    const message = `These are more than ${MOST_REPLAYED} events: replay a shorter time.`;
    throw new ApiError("WEBHOOK_REPLAY_TOO_LARGE", message, { limit: MOST_REPLAYED });
  }
  if (request.dryRun === true) return counted;
  // Sorted, so that two replays at once wait for each other and not in a ring, over all their parts.
  events.sort();
  for (let i = 0; i < events.length; i += BATCH) {
    await enqueue(ctx, tx, owner.accountId, endpointId, events.slice(i, i + BATCH));
  }
  return counted;
}

type Found = { readonly event_id: string; readonly erased: boolean };

async function findAll(
  queries: Queries,
  owner: Owner,
  endpoint: EndpointRow,
  since: Date,
  until: Date,
): Promise<Found[]> {
  const { accountId, walletId } = owner;
  const kinds = texts(endpoint.events ?? DEFAULT_KINDS);
  // The main account's endpoints hear of sub-accounts that have none.
  const { rows: wallets } = await queries.query<{ wallet_id: string }>(sql`
    select wallet_id from wallets s
    where account_id = ${accountId} and (wallet_id = ${walletId} or (${walletId} = ${accountId} and not exists (
      select from webhook_endpoints w
      where w.account_id = ${accountId} and w.wallet_id = s.wallet_id and w.deleted_at is null)))`);
  const { rows } = await queries.query<Found>(sql`
    select event_id, erased_at is not null as erased from events
    where account_id = ${accountId} and wallet_id = any(${uuids(wallets.map((w) => w.wallet_id))}::uuid[])
      and kind = any(${kinds}::text[]) and created_at >= ${since} and created_at < ${until} and not test
    union
    select e.event_id, e.erased_at is not null as erased from deliveries d
    join events e on e.account_id = d.account_id and e.event_id = d.event_id
    where d.account_id = ${accountId} and d.endpoint_id = ${endpoint.endpoint_id}
      and d.delivery_id >= ${firstUuidAt(since.getTime() - ID_SLACK)}
      and e.kind = any(${kinds}::text[]) and e.created_at >= ${since} and e.created_at < ${until} and not e.test
    limit ${MOST_REPLAYED + 1}`);
  return rows;
}

async function findFailed(
  queries: Queries,
  owner: Owner,
  endpoint: EndpointRow,
  since: Date,
  until: Date,
): Promise<Found[]> {
  const { rows } = await queries.query<Found>(sql`
    select e.event_id, e.erased_at is not null as erased from deliveries d
    join events e on e.account_id = d.account_id and e.event_id = d.event_id
    where d.account_id = ${owner.accountId} and d.endpoint_id = ${endpoint.endpoint_id} and d.status = 'failed'
      and d.delivery_id >= ${firstUuidAt(since.getTime() - ID_SLACK)}
      and e.kind = any(${texts(endpoint.events ?? DEFAULT_KINDS)}::text[])
      and e.created_at >= ${since} and e.created_at < ${until} and not e.test
    limit ${MOST_REPLAYED + 1}`);
  return rows;
}

/** Reopens the deliveries that are there, and makes those that are not. */
async function enqueue(
  ctx: Deps,
  tx: Tx,
  accountId: string,
  endpointId: string,
  events: readonly string[],
): Promise<void> {
  const now = ctx.clock.date();
  await tx.query(sql`
    with idle as (
      select account_id, endpoint_id, delivery_id, event_id from deliveries
      where account_id = ${accountId} and endpoint_id = ${endpointId} and event_id = any(${texts(events)}::text[])
        and not (status = 'pending' and claimed_until is not null and claimed_until > ${now})
      -- A row that is locked is being claimed or marked at this moment.
      for update skip locked
    )
    update deliveries d set status = 'pending', tries = 0, next_at = ${now}, finished_at = null, claimed_until = null
    from idle where d.account_id = idle.account_id and d.endpoint_id = idle.endpoint_id
      and d.delivery_id = idle.delivery_id and d.event_id = idle.event_id and d.account_id = ${accountId}`);
  await tx.query(sql`
    insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, next_at, created_at)
    select ${accountId}, u.delivery_id, u.event_id, ${endpointId}, 'pending', 0, ${now}, ${now}
    from unnest(${uuids(events.map(() => ctx.ids.uuid()))}::uuid[], ${texts(events)}::text[]) as u (delivery_id, event_id)
    -- Those that are there are not even tried: the conflict would wait for another replay that reopens them, and that one
    -- for us. The others in one order, for the same reason.
    left join deliveries d on d.account_id = ${accountId} and d.event_id = u.event_id and d.endpoint_id = ${endpointId}
    where d.event_id is null
    order by u.event_id
    on conflict (account_id, event_id, endpoint_id) do nothing`);
}

/** Deliveries of deleted endpoints that are given up at once. */
const GIVEN_UP = 1_000;

/**
 * Gives up what waits for endpoints that were deleted: nothing claims it any more.
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
      order by d.next_at limit ${GIVEN_UP}
    ) waiting
    where w.deleted_at is not null limit ${GIVEN_UP}`);
  if (rows.length === 0) return false;
  await ctx.db.query(sql`
    update deliveries d set status = 'failed', next_at = null, finished_at = ${ctx.clock.date()}
    from unnest(${uuids(rows.map((r) => r.account_id))}::uuid[], ${uuids(rows.map((r) => r.endpoint_id))}::uuid[],
      ${uuids(rows.map((r) => r.delivery_id))}::uuid[], ${texts(rows.map((r) => r.event_id))}::text[])
      as u (account_id, endpoint_id, delivery_id, event_id)
    where d.account_id = u.account_id and d.endpoint_id = u.endpoint_id and d.delivery_id = u.delivery_id
      and d.event_id = u.event_id and d.status = 'pending' and ${onTenants("d.account_id", rows)}`);
  return rows.length === GIVEN_UP;
}
