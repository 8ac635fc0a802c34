import { uuids } from "../../gateway/src/db/arrays.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { Client } from "../../gateway/test/harness/client.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";

/**
 * Waits until no charge, notification or delivery is under way and every payment is booked.
 *
 * @param options.aheadMs by how much the clocks of the gateways are ahead.
 * @param options.dead institutions that died: what is under way there never ends.
 */
export async function quiet(
  db: Queries,
  simulator: Client,
  contested: number,
  log: (line: string) => void,
  {
    aheadMs = 0,
    timeoutMs = 240_000,
    givenBack = null as number | null,
    medReturned = 0,
    paidElsewhere = async () => 0,
    dead = [] as readonly string[],
  } = {},
): Promise<void> {
  const back = givenBack ?? (await givenBackTo(simulator));
  const now = () => new Date(Date.now() + aheadMs);
  // Makes the next queries about ended withdrawals due now; they would wait for minutes.
  await db.query(
    sql`update withdrawals set next_at = ${now()} where next_at is not null and transaction_status <> 'pending'`,
  );
  const gone = uuids(dead);
  let said = 0;
  await eventually(
    "quiet",
    async () => {
      const state = (await simulator.get<{ pix: { total: number }; callbacks: { pending: number } }>("/state")).body;
      const paid = state.pix.total + (await paidElsewhere());
      const { rows } = await db.query<Record<string, number>>(sql`
        select (select count(*) from charges where status = 'creating' and institution_id <> all(${gone}::uuid[])) as creating,
          (select count(*) from inbox where status = 'pending' and institution_id <> all(${gone}::uuid[])) as inbox,
          (select count(*) from deliveries where status = 'pending') as deliveries,
          (select count(*) from pix_returns where next_at is not null and institution_id <> all(${gone}::uuid[])) as returns,
          (select count(*) from withdrawals where transaction_status = 'pending' and institution_id <> all(${gone}::uuid[])
            and latest ->> 'state' is distinct from 'no_bank_id') as withdrawals,
          (select count(*) from refunds where status = 'pending' and institution_id <> all(${gone}::uuid[])) as refunds,
          (select count(*) from psp_cases where closed) as cases,
          (select coalesce(sum(returned_amount), 0) from withdrawals) as given_back,
          (select coalesce(sum(amount), 0) from psp_returns) as med_returned,
          (select count(*) from pix_assignments where status = 'assigning') as assigning,
          (select count(distinct e2e_id) from received_pix where institution_id <> all(${gone}::uuid[])) as booked`);
      const open = rows[0]!;
      // Makes the next listing of cases due now.
      if (open.cases! < contested) await db.query(sql`update infraction_polls set next_at = ${now()}`);
      // Makes the nightly listing of returns due now.
      if (Number(open.med_returned) < medReturned)
        await db.query(sql`update received_polls set returns_next_at = ${now()} where returns_next_at is not null`);
      // Lists what came last once more: a poll of a program whose clock was ahead has passed it.
      if (open.booked! < paid)
        await db.query(sql`
          update received_polls set next_at = ${now()}, covered_until = covered_until - interval '10 minutes'
          where covered_until > ${new Date(Date.now() + aheadMs - 120_000)}`);
      if (open.withdrawals! + open.inbox! + open.creating! > 0) await hurry(db, aheadMs);
      if (Date.now() - said > 5_000) {
        said = Date.now();
        log(`open: ${JSON.stringify({ ...open, paid, callbacks: state.callbacks.pending })}`);
      }
      const working =
        open.creating! +
        open.inbox! +
        open.deliveries! +
        open.returns! +
        open.withdrawals! +
        open.refunds! +
        open.assigning!;
      return (
        working === 0 &&
        open.cases === contested &&
        open.booked === paid &&
        Number(open.given_back) === back &&
        Number(open.med_returned) >= medReturned
      );
    },
    timeoutMs,
  );
}

async function givenBackTo(simulator: Client): Promise<number> {
  const { items } = (await simulator.get<{ items: { givenBackCentavos: number }[] }>("/payouts?limit=10000")).body;
  return items.reduce((sum, payout) => sum + payout.givenBackCentavos, 0);
}

/**
 * Makes everything due now that would wait for minutes: withdrawals (for their next query, or until an absence or a
 * refusal has lasted), notifications and intents. Claimed rows, whose lease is a minute, are left alone.
 */
export async function hurry(db: Queries, aheadMs: number): Promise<void> {
  const now = Date.now() + aheadMs;
  await db.query(sql`
    update inbox set next_at = ${new Date(now)}
    where status = 'pending' and next_at > ${new Date(now + 60_000)}`);
  await db.query(sql`
    update open_charges o set check_at = ${new Date(now)} from charges c
    where c.account_id = o.account_id and c.charge_id = o.charge_id and c.status = 'creating'
      and o.check_at > ${new Date(now + 60_000)}`);
  await db.query(sql`
    update withdrawals set next_at = ${new Date(now)}, absent_at = absent_at - interval '2 minutes',
      refused_at = refused_at - interval '2 minutes'
    where transaction_status = 'pending' and (next_at < ${new Date(now + 45_000)} or next_at > ${new Date(now + 60_000)})`);
}

/**
 * Makes the work of the next day due, and waits until the days of the torture are reconciled and closed and the
 * balances were compared three times. The clocks of the gateways are past the times of both.
 *
 * @param first the first day of the torture, of São Paulo.
 */
export async function nextDay(
  db: Queries,
  {
    first,
    day,
    aheadMs,
    timeoutMs,
    dead = [],
  }: { first: string; day: string; aheadMs: number; timeoutMs: number; dead?: readonly string[] },
): Promise<void> {
  const gone = uuids(dead);
  const now = () => new Date(Date.now() + aheadMs);
  const began = now();
  await db.query(sql`update reconciliations set next_at = ${began} where day between ${first} and ${day}`);
  await eventually(
    "the days of the torture to be reconciled and closed",
    async () => {
      // A claimed comparison, whose lease is a minute, is left alone.
      await db.query(sql`
        update balance_watches set next_at = ${now()} where sample is not null or next_at > ${new Date(Date.now() + aheadMs + 61_000)}`);
      const { rows } = await db.query<Record<string, number>>(sql`
        select (select count(*) from reconciliations where day between ${first} and ${day} and checked_at >= ${began}) as reconciled,
          (select count(*) from reconciliations where day = ${day}) as known,
          (select count(*) from reconciliations where day between ${first} and ${day}
            and (checked_at is null or checked_at < ${began}) and institution_id <> all(${gone}::uuid[])) as waiting,
          (select count(*) from day_closes where day = ${day}) as closed,
          -- Of each institution: a difference becomes a case after two equal comparisons in a row.
          (select min(n) from (
            select count(c.sampled_at) as n from balance_watches w
            left join balance_checks c on c.institution_id = w.institution_id and c.sampled_at >= ${began}
            where w.institution_id <> all(${gone}::uuid[])
            group by w.institution_id) each) as compared`);
      const { known, waiting, closed, compared } = rows[0]!;
      return known! > 0 && waiting === 0 && closed === 1 && compared! >= 3;
    },
    timeoutMs,
  );
}
