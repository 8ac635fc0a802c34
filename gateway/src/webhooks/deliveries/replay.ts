import type { Context } from "../../context.ts";
import { texts, uuids } from "../../db/arrays.ts";
import { instant, relation, text, uuid } from "../../db/columns.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { type Fragment, part, sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import { readPeriod } from "../../http/pages.ts";
import { firstUuidAt, ID_SLACK } from "../../lib/ids.ts";
import { findEndpoint, type Owner } from "../endpoints/endpoint.ts";
import type { EndpointRow } from "../endpoints/row.ts";
import { DEFAULT_KINDS } from "../events/catalogue.ts";
import { requireEnabled } from "./redeliver.ts";

type Deps = Pick<Context, "ids" | "clock">;

/** Most events of one replay. A longer period is replayed in parts. */
const MAX_EVENTS = 100_000;
/** Deliveries written by one statement. */
const BATCH = 2_000;
/**
 * Deliveries of one replay that become due in a second: a tenth of what a process sends. A replay of 100,000 takes 17
 * minutes and delays no new events.
 */
const REPLAYED_PER_SECOND = 100;

/** Which events are sent again. */
type Replay = { readonly since: string; readonly until?: string; readonly onlyFailed?: boolean };
type Counted = { readonly count: number; readonly erased: number };

/** How many events a replay would send. The database counts them: this process reads none. */
export async function countReplay(
  ctx: Pick<Context, "clock" | "history">,
  owner: Owner,
  endpointId: string,
  request: Replay,
): Promise<Counted> {
  const which = await readReplay(ctx, ctx.history, owner, await findEndpoint(ctx.history, owner, endpointId), request);
  const { rows } = await ctx.history.query<Counted>(sql`
    select count(*) filter (where not erased) as count, count(*) filter (where erased) as erased from (${which}) replayed`);
  const counted = rows[0]!;
  refuseTooMany(counted.count + counted.erased);
  return counted;
}

/**
 * Sends the events of a period to one endpoint again: those that it would receive today and those that it has received, of
 * its kinds, without test events. With `onlyFailed`: only events whose delivery has failed.
 *
 * @returns how many events are sent, and how many are omitted because their data was erased.
 */
export async function replay(ctx: Deps, tx: Tx, owner: Owner, endpointId: string, request: Replay): Promise<Counted> {
  const endpoint = await findEndpoint(tx, owner, endpointId);
  requireEnabled(endpoint);
  const { rows: replayed } = await tx.query<ReplayedEvent>(sql`${await readReplay(ctx, tx, owner, endpoint, request)}`);
  refuseTooMany(replayed.length);
  const events = replayed.filter((event) => !event.erased);
  const now = ctx.clock.date();
  const paced = pace(events, now);
  for (let i = 0; i < paced.length; i += BATCH) {
    await enqueue(ctx, tx, owner.accountId, endpointId, paced.slice(i, i + BATCH), now);
  }
  return { count: events.length, erased: replayed.length - events.length };
}

function refuseTooMany(events: number): void {
  if (events <= MAX_EVENTS) return;
  const message = `These are more than ${MAX_EVENTS} events: replay a shorter time.`;
  throw new ApiError("WEBHOOK_REPLAY_TOO_LARGE", message, { limit: MAX_EVENTS });
}

/** Makes the statement that finds the events of a replay. It finds one more than a replay may have. */
async function readReplay(
  { clock }: Pick<Context, "clock">,
  queries: Queries,
  owner: Owner,
  endpoint: EndpointRow,
  request: Replay,
): Promise<Fragment> {
  const [since, until] = readPeriod(request, ["since", "until"]);
  const period = { since: since as Date, until: until ?? clock.date() };
  return request.onlyFailed ? failedOf(owner, endpoint, period) : allOf(queries, owner, endpoint, period);
}

type Period = { readonly since: Date; readonly until: Date };
type ReplayedEvent = { readonly event_id: string; readonly created_at: Date; readonly erased: boolean };
type Paced = { readonly eventId: string; readonly dueAt: Date };

/**
 * Decides when each event is due: the oldest now, and `REPLAYED_PER_SECOND` in each second. Sorted by id, so that two
 * concurrent replays wait for each other and never deadlock.
 */
function pace(events: readonly ReplayedEvent[], now: Date): Paced[] {
  return events
    .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())
    .map(({ event_id }, i) => ({
      eventId: event_id,
      dueAt: new Date(now.getTime() + Math.floor(i / REPLAYED_PER_SECOND) * 1_000),
    }))
    .sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
}

async function allOf(
  queries: Queries,
  owner: Owner,
  endpoint: EndpointRow,
  { since, until }: Period,
): Promise<Fragment> {
  const { accountId, walletId } = owner;
  const kinds = texts(endpoint.events ?? DEFAULT_KINDS);
  // The main account's endpoints also receive the events of sub-accounts that have no endpoint.
  const { rows: wallets } = await queries.query<{ wallet_id: string }>(sql`
    select wallet_id from wallets s
    where account_id = ${accountId} and (wallet_id = ${walletId} or (${walletId} = ${accountId} and not exists (
      select from webhook_endpoints w
      where w.account_id = ${accountId} and w.wallet_id = s.wallet_id and w.deleted_at is null)))`);
  return part`
    select event_id, created_at, erased_at is not null as erased from events
    where account_id = ${accountId} and wallet_id = any(${uuids(wallets.map((w) => w.wallet_id))}::uuid[])
      and kind = any(${kinds}::text[]) and created_at >= ${since} and created_at < ${until} and not test
    union
    select e.event_id, e.created_at, e.erased_at is not null as erased from deliveries d
    join events e on e.account_id = d.account_id and e.event_id = d.event_id
    where d.account_id = ${accountId} and d.endpoint_id = ${endpoint.endpointId}
      and d.delivery_id >= ${firstUuidAt(since.getTime() - ID_SLACK)}
      and e.kind = any(${kinds}::text[]) and e.created_at >= ${since} and e.created_at < ${until} and not e.test
    limit ${MAX_EVENTS + 1}`;
}

const failedOf = (owner: Owner, endpoint: EndpointRow, { since, until }: Period): Fragment => part`
  select e.event_id, e.created_at, e.erased_at is not null as erased from deliveries d
  join events e on e.account_id = d.account_id and e.event_id = d.event_id
  where d.account_id = ${owner.accountId} and d.endpoint_id = ${endpoint.endpointId} and d.status = 'failed'
    and d.delivery_id >= ${firstUuidAt(since.getTime() - ID_SLACK)}
    and e.kind = any(${texts(endpoint.events ?? DEFAULT_KINDS)}::text[])
    and e.created_at >= ${since} and e.created_at < ${until} and not e.test
  limit ${MAX_EVENTS + 1}`;

/** Makes existing deliveries due again, none later than it was, and creates the missing ones. */
async function enqueue(
  ctx: Deps,
  tx: Tx,
  accountId: string,
  endpointId: string,
  events: readonly Paced[],
  now: Date,
): Promise<void> {
  const rows = events.map((event) => ({ ...event, deliveryId: ctx.ids.uuid() }));
  const paced = relation("u", { eventId: text, dueAt: instant, deliveryId: uuid }, rows);
  await tx.query(sql`
    with idle as (
      select d.account_id, d.endpoint_id, d.delivery_id, d.event_id, u.due_at from ${paced}
      join deliveries d on d.account_id = ${accountId} and d.event_id = u.event_id and d.endpoint_id = ${endpointId}
      where not (d.status = 'pending' and d.claimed_until is not null and d.claimed_until > ${now})
      -- A locked row is being claimed or marked at this moment.
      for update of d skip locked
    )
    update deliveries d set status = 'pending', tries = 0, next_at = least(d.next_at, idle.due_at), finished_at = null,
      claimed_until = null
    from idle where d.account_id = idle.account_id and d.endpoint_id = idle.endpoint_id
      and d.delivery_id = idle.delivery_id and d.event_id = idle.event_id and d.account_id = ${accountId}`);
  await tx.query(sql`
    insert into deliveries (account_id, delivery_id, event_id, endpoint_id, status, attempts, next_at, created_at)
    select ${accountId}, u.delivery_id, u.event_id, ${endpointId}, 'pending', 0, u.due_at, ${now}
    from ${paced}
    -- Existing deliveries are not inserted: the conflict would wait for another replay that updates them, while that one
    -- waits for this one. The others are inserted in one order for the same reason.
    left join deliveries d on d.account_id = ${accountId} and d.event_id = u.event_id and d.endpoint_id = ${endpointId}
    where d.event_id is null
    order by u.event_id
    on conflict (account_id, event_id, endpoint_id) do nothing`);
}
