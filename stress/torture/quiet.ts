import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { Client } from "../../gateway/test/harness/client.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";

/**
 * Waits until no charge, notification or delivery is under way and every payment is booked.
 *
 * @param options.aheadMs how far the clocks of the gateways are ahead.
 */
export async function quiet(
  db: Queries,
  simulator: Client,
  contested: number,
  log: (line: string) => void,
  { aheadMs = 0, timeoutMs = 240_000, givenBack = null as number | null } = {},
): Promise<void> {
  const back = givenBack ?? (await givenBackTo(simulator));
  const now = () => new Date(Date.now() + aheadMs);
  // As if the minutes until the next question about what is over had passed.
  await db.query(
    sql`update withdrawals set next_at = ${now()} where next_at is not null and transaction_status <> 'pending'`,
  );
  let said = 0;
  await eventually(
    "quiet",
    async () => {
      const state = (await simulator.get<{ pix: { total: number }; callbacks: { pending: number } }>("/state")).body;
      const { rows } = await db.query<Record<string, number>>(sql`
        select (select count(*) from charges where status = 'creating') as creating,
          (select count(*) from inbox where status = 'pending') as inbox,
          (select count(*) from deliveries where status = 'pending') as deliveries,
          (select count(*) from pix_returns where next_at is not null) as returns,
          (select count(*) from withdrawals where transaction_status = 'pending') as withdrawals,
          (select count(*) from refunds where status = 'pending') as refunds,
          (select count(*) from psp_cases where closed) as cases,
          (select coalesce(sum(returned_amount), 0) from withdrawals) as given_back,
          (select count(*) from received_pix) as booked`);
      const open = rows[0]!;
      // As if the time until the next listing of cases had passed.
      if (open.cases! < contested) await db.query(sql`update infraction_polls set next_at = ${now()}`);
      if (open.withdrawals! + open.inbox! > 0) await hurry(db, aheadMs);
      if (Date.now() - said > 5_000) {
        said = Date.now();
        log(`open: ${JSON.stringify({ ...open, paid: state.pix.total, callbacks: state.callbacks.pending })}`);
      }
      const working =
        open.creating! + open.inbox! + open.deliveries! + open.returns! + open.withdrawals! + open.refunds!;
      return (
        working === 0 && open.cases === contested && open.booked === state.pix.total && Number(open.given_back) === back
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
 * As if the minutes had passed in which a withdrawal waits for a silence or a refusal to last, and for its next look, a
 * notification for its own; those that are claimed (for a minute) are left alone.
 */
export async function hurry(db: Queries, aheadMs: number): Promise<void> {
  const now = Date.now() + aheadMs;
  await db.query(sql`
    update inbox set next_at = ${new Date(now)}
    where status = 'pending' and next_at > ${new Date(now + 60_000)}`);
  await db.query(sql`
    update withdrawals set next_at = ${new Date(now)}, absent_at = absent_at - interval '2 minutes',
      refused_at = refused_at - interval '2 minutes'
    where transaction_status = 'pending' and (next_at < ${new Date(now + 45_000)} or next_at > ${new Date(now + 60_000)})`);
}
