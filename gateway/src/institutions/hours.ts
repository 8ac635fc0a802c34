import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { firstUuidAt } from "../lib/ids.ts";

const HOUR = 3_600_000;
const SPANS = { day: 24, week: 168 } as const;

/** What went over an institution in an hour. Amounts in centavos. */
type Hour = {
  readonly at: Date;
  /** Calls to create a charge that ended with an answer, and those that ended without a useful one. */
  answered: number;
  unanswered: number;
  received: number;
  receivedAmount: number;
  paid: number;
  paidAmount: number;
  /** Withdrawals of this hour that have failed. */
  failed: number;
  tariffs: number;
};
type Counted = { readonly at: Date; readonly n: number; readonly amount: number };

/**
 * What went over an institution, by hours, oldest first. Each process stores the calls that it has counted every half
 * minute; a process that dies loses those of the last half minute. Payments, payouts and tariffs are read from the books.
 */
export async function readHours(
  { db, history, clock }: Pick<Context, "db" | "history" | "clock">,
  institutionId: string,
  period: keyof typeof SPANS,
): Promise<Hour[]> {
  const count = SPANS[period];
  const first = Math.floor(clock.now() / HOUR) * HOUR - (count - 1) * HOUR;
  const from = new Date(first);
  const by = (query: Parameters<typeof history.query>[0]) =>
    history.query<Counted>(query).then(({ rows }) => new Map(rows.map((row) => [row.at.getTime(), row])));
  const [calls, received, paid, failed, tariffs] = await Promise.all([
    db.query<{ at: Date; answered: number; unanswered: number }>(sql`
      select date_trunc('hour', slot_at) as at, sum(charges_answered)::integer as answered,
        sum(charges_unanswered)::integer as unanswered
      from institution_health where institution_id = ${institutionId} and slot_at >= ${from} group by 1`),
    // An assigned Pix is in two accounts' books.
    by(sql`
      select date_trunc('hour', paid_at) as at, count(*)::integer as n, sum(amount)::bigint as amount from received_pix
      where institution_id = ${institutionId} and paid_at >= ${from} and outcome <> 'assigned' group by 1`),
    by(sql`
      select date_trunc('hour', settled_at) as at, count(*)::integer as n, sum(net_amount)::bigint as amount from withdrawals
      where institution_id = ${institutionId} and settled_at >= ${from} and status in ('completed', 'reversed') group by 1`),
    by(sql`
      select date_trunc('hour', created_at) as at, count(*)::integer as n, 0::bigint as amount from withdrawals
      where withdrawal_id >= ${firstUuidAt(first)} and institution_id = ${institutionId} and status = 'failed' group by 1`),
    by(sql`
      select date_trunc('hour', occurred_at) as at, count(*)::integer as n, sum(amount)::bigint as amount from bank_tariffs
      where institution_id = ${institutionId} and occurred_at >= ${from} group by 1`),
  ]);
  const counted = new Map(calls.rows.map((row) => [row.at.getTime(), row]));
  return Array.from({ length: count }, (_, i) => {
    const at = first + i * HOUR;
    return {
      at: new Date(at),
      answered: counted.get(at)?.answered ?? 0,
      unanswered: counted.get(at)?.unanswered ?? 0,
      received: received.get(at)?.n ?? 0,
      receivedAmount: received.get(at)?.amount ?? 0,
      paid: paid.get(at)?.n ?? 0,
      paidAmount: paid.get(at)?.amount ?? 0,
      failed: failed.get(at)?.n ?? 0,
      tariffs: tariffs.get(at)?.amount ?? 0,
    };
  });
}
