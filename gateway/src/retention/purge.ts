import type { Context } from "../context.ts";
import { texts, uuids } from "../db/arrays.ts";
import { part, type Sql, sql } from "../db/sql.ts";
import { deleteExpired } from "../http/idempotency.ts";
import { firstUuidAt } from "../lib/ids.ts";
import { LIMITS } from "../lib/limits.ts";

/** Rows deleted in one statement. */
const BATCH = 1_000;
const DAY = 86_400_000;

/**
 * Deletes answers after their hours (`PIXGATE_KEEP_ANSWER_HOURS`). A key that is bound to an unfinished intent stays until
 * the intent is final (contract: Idempotency-Key).
 *
 * @returns true when there may be more.
 */
export async function purgeKeys(ctx: Context): Promise<boolean> {
  const isFinished = part`
    not exists (
      select from charges c where c.account_id = k.account_id and c.charge_id = k.object_id and c.status = 'creating')
    and not exists (
      select from withdrawals w where w.account_id = k.account_id and w.withdrawal_id = k.object_id
        and w.transaction_status = 'pending')`;
  const longer = (ctx.config.keep.answerHours - LIMITS.idempotencyKeepHours) * 3_600_000;
  return (await deleteExpired(ctx.db, new Date(ctx.clock.now() - longer), BATCH, isFinished)) === BATCH;
}

/**
 * Deletes rows after their days (`PIXGATE_KEEP_…`): rows of the inbox, attempts of deliveries, deliveries, requests, balance
 * checks, files of disputes, the health of institutions, jobs, and short-lived rows of sign-ins, a batch of each; and erases
 * forms of links that nobody paid. The books themselves are never deleted. Keys begin with the time, so old rows are found
 * without another index. A notification or delivery that still waits after its days can no longer be confirmed or received.
 *
 * @returns true when there may be more.
 */
export async function purgeOld(ctx: Context, houseId: string): Promise<boolean> {
  const { inboxDays, attemptDays, eventDays, requestDays, balanceCheckDays, evidenceDays } = ctx.config.keep;
  const before = (days: number) => new Date(ctx.clock.now() - days * DAY);
  const [inbox, attempts, deliveries, checks] = [
    before(inboxDays),
    before(attemptDays),
    before(eventDays),
    before(balanceCheckDays),
  ];
  const statements: Sql[] = [
    sql`
      delete from inbox where account_id = ${houseId} and inbox_id in (
        select inbox_id from inbox where account_id = ${houseId} and inbox_id < ${firstUuidAt(inbox.getTime())}
        order by inbox_id limit ${BATCH} for update skip locked)`,
    sql`
      delete from delivery_attempts d using (
        select old.* from accounts a cross join lateral (
          select o.account_id, o.delivery_id, o.attempt from delivery_attempts o
          where o.account_id = a.account_id and o.delivery_id < ${firstUuidAt(attempts.getTime())}
            and o.started_at < ${attempts}
          order by o.delivery_id limit ${BATCH}) old
        limit ${BATCH}) old
      where d.account_id = old.account_id and d.delivery_id = old.delivery_id and d.attempt = old.attempt`,
    // A delivery that was sent again recently stays for its days from then on.
    sql`
      delete from deliveries d using (
        select old.* from webhook_endpoints w cross join lateral (
          select o.account_id, o.endpoint_id, o.delivery_id from deliveries o
          where o.account_id = w.account_id and o.endpoint_id = w.endpoint_id
            and o.delivery_id < ${firstUuidAt(deliveries.getTime())}
            and coalesce(o.finished_at, o.next_at) < ${deliveries}
          order by o.delivery_id limit ${BATCH}) old
        limit ${BATCH}) old
      where d.account_id = old.account_id and d.endpoint_id = old.endpoint_id and d.delivery_id = old.delivery_id`,
    sql`
      delete from api_requests d using (
        select old.* from accounts a cross join lateral (
          select o.account_id, o.trace_id from api_requests o
          where o.account_id = a.account_id and o.trace_id < ${firstUuidAt(before(requestDays).getTime())}
          order by o.trace_id limit ${BATCH}) old
        limit ${BATCH}) old
      where d.account_id = old.account_id and d.trace_id = old.trace_id`,
    expiredEvidence(before(evidenceDays)),
    sql`
      delete from balance_checks where (institution_id, sampled_at) in (
        select institution_id, sampled_at from balance_checks where sampled_at < ${checks} limit ${BATCH})`,
    sql`
      delete from institution_health where (institution_id, slot_at) in (
        select institution_id, slot_at from institution_health where slot_at < ${before(LIMITS.healthDays)}
        limit ${BATCH})`,
    sql`
      delete from used_challenges where challenge in (
        select challenge from used_challenges where expires_at <= ${ctx.clock.date()} limit ${BATCH} for update skip locked)`,
    sql`
      delete from sign_in_guesses where (purpose, counter) in (
        select purpose, counter from sign_in_guesses
        where since < ${new Date(ctx.clock.now() - LIMITS.guessWindow)} limit ${BATCH} for update skip locked)`,
    ...signInRows(before(LIMITS.signInDays)),
    sql`
      delete from jobs where job_id in (
        select job_id from jobs where job_id < ${firstUuidAt(before(LIMITS.jobDays).getTime())} and state <> 'running' limit ${BATCH})`,
  ];
  let more = await eraseAbandonedForms(ctx, before(LIMITS.abandonedFormDays));
  for (const statement of statements) more = (await ctx.db.query(statement)).rowCount === BATCH || more;
  return more;
}

/** Files of disputes that ended before. A dispute is older than its end. */
const expiredEvidence = (ended: Date): Sql => sql`
  delete from balance_block_files d using (
    select old.* from accounts a cross join lateral (
      select f.account_id, f.block_id, f.file_id from balance_block_files f
      join balance_blocks b on b.account_id = f.account_id and b.block_id = f.block_id
      where f.account_id = a.account_id and f.block_id < ${firstUuidAt(ended.getTime())} and b.resolved_at < ${ended}
      order by f.block_id limit ${BATCH}) old
    limit ${BATCH}) old
  where d.account_id = old.account_id and d.block_id = old.block_id and d.file_id = old.file_id`;

/**
 * Erases what payers filled in on the pages of links, of charges that ended unpaid: nobody needs it, and the payer never bought.
 * The notes beside such a charge may name the payer, and no erasure finds the charge afterwards, so they go with it. The link's
 * own metadata stays. A settlement writes nothing to the index that finds them (`charges_with_form`).
 *
 * @returns true when there may be more.
 */
async function eraseAbandonedForms({ db }: Pick<Context, "db">, forms: Date): Promise<boolean> {
  const { rows } = await db.query<{ account_id: string; ids: string[] }>(sql`
    select account_id, array_agg(charge_id::text order by charge_id) as ids from (
      select old.* from accounts a cross join lateral (
        select o.account_id, o.charge_id from charges o
        where o.account_id = a.account_id and o.charge_id < ${firstUuidAt(forms.getTime())}
          and o.payment_link_id is not null and o.closed_at is not null and (o.customer is not null or o.metadata ? 'fields')
          and o.status in ('expired', 'cancelled')
        order by o.charge_id limit ${BATCH}) old
      limit ${BATCH}) old
    group by account_id`);
  for (const { account_id, ids } of rows) {
    await db.transaction(async (tx) => {
      // Before their notes: a charge locks out a note that is being written.
      const erased = await tx.query<{ id: string }>(sql`
        update charges set customer = null, customer_id = null, metadata = metadata - 'fields'
        where account_id = ${account_id} and charge_id = any(${uuids(ids)}::uuid[]) and status in ('expired', 'cancelled')
        returning charge_id as id`);
      await tx.query(sql`
        delete from charge_notes
        where account_id = ${account_id} and charge_id = any(${uuids(erased.rows.map(({ id }) => id))}::uuid[])`);
    });
  }
  return rows.reduce((sum, { ids }) => sum + ids.length, 0) === BATCH;
}

/**
 * Sessions and links, and notices about them: deleted only after each has expired, so that one that was never ended cannot
 * be valid.
 */
const signInRows = (signIns: Date): Sql[] => [
  sql`
    delete from sessions where session_id in (
      select session_id from sessions where coalesce(ended_at, expires_at) < ${signIns} limit ${BATCH})`,
  sql`
    delete from sign_in_links where link_id in (
      select link_id from sign_in_links where coalesce(used_at, expires_at) < ${signIns} limit ${BATCH})`,
  // Ids are made in the order of time.
  sql`
    delete from notices where notice_id in (
      select notice_id from notices where notice_id < ${firstUuidAt(signIns.getTime())} order by notice_id limit ${BATCH})`,
];

/**
 * Makes the purge of the bodies of events older than `PIXGATE_KEEP_EVENT_DAYS`: a row says then only that there was an
 * event (erase_events). It goes through the days once, from the first account's on, and knows how far it came; a process
 * that has just started reads them all again, a day with 10,000 events in some milliseconds. An event with a delivery that
 * waits stays, as one does that was sent again of late; the next process that starts erases it, once the delivery has ended.
 *
 * @returns does a batch; true when there may be more.
 */
export function createEventPurge(ctx: Context): () => Promise<boolean> {
  let doneUntil: number | null = null;

  async function begin(): Promise<number> {
    const { rows } = await ctx.db.query<{ first: Date | null }>(sql`select min(created_at) as first from accounts`);
    return rows[0]!.first?.getTime() ?? ctx.clock.now();
  }

  return async () => {
    const from = doneUntil ?? (await begin());
    const cutoff = ctx.clock.now() - ctx.config.keep.eventDays * DAY;
    doneUntil = from;
    if (from >= cutoff) return false;
    const to = Math.min(from + DAY, cutoff);
    const { rows } = await ctx.db.query<{ account_id: string; ids: string[] }>(sql`
      select account_id, array_agg(event_id order by event_id) as ids from (
        select e.account_id, e.event_id from events e
        where e.created_at >= ${new Date(from)} and e.created_at < ${new Date(to)} and e.erased_at is null
          and not exists (
            select from deliveries d
            where d.account_id = e.account_id and d.event_id = e.event_id and d.status = 'pending')
        limit ${BATCH}) old
      group by account_id`);
    for (const { account_id, ids } of rows) {
      await ctx.db.query(sql`select erase_events(${account_id}, ${texts(ids)}::text[], ${ctx.clock.date()})`);
    }
    const isFull = rows.reduce((sum, { ids }) => sum + ids.length, 0) === BATCH;
    if (!isFull) doneUntil = to;
    // At the last, begun day it waits for its next turn: a moment later there is always a little more of that day.
    return isFull || to < cutoff;
  };
}
