import type { Context } from "../context.ts";
import { type Sql, sql } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";

/**
 * Gauges of work that waits and of books that disagree, read from the database. Every process shows the same values, so an
 * alert needs only one process.
 */
export function booksMeters({ db, metrics, clock }: Pick<Context, "db" | "metrics" | "clock">): void {
  const age = (at: Date | null): number => (at === null ? 0 : Math.max(0, (clock.now() - at.getTime()) / 1000));
  const first = async <Row>(query: Sql): Promise<Row> => (await db.query<Row & object>(query)).rows[0] as Row;

  metrics.gauge({
    name: "pixgate_notification_oldest_pending_seconds",
    help: "Age of the oldest notification of a PSP that is not applied yet, seconds; 0 without one.",
    read: async () =>
      age(
        (await first<{ at: Date | null }>(sql`select min(received_at) as at from inbox where status = 'pending'`)).at,
      ),
  });
  const unmatched = () =>
    first<{ n: number; amount: number }>(sql`
      select count(*)::integer as n, coalesce(sum(amount), 0)::bigint as amount from cases
      where kind = 'unmatched_receipt' and status = 'open'`);
  metrics.gauge({
    name: "pixgate_unmatched_open",
    help: "Received Pix that belong to no charge and wait for a decision.",
    read: async () => (await unmatched()).n,
  });
  metrics.gauge({
    name: "pixgate_unmatched_open_brl",
    help: "Sum of the received Pix that belong to no charge and wait for a decision, BRL.",
    read: async () => toBrl((await unmatched()).amount),
  });
  metrics.gauge({
    name: "pixgate_restore_open",
    help: "1 while the database is a restored or copied one whose restore no operator has ended: nothing leaves; else 0.",
    read: async () =>
      (
        await first<{ n: number }>(sql`
          select count(*)::integer as n from brakes where scope = 'restore' and lifted_at is null`)
      ).n,
  });
  metrics.gauge({
    name: "pixgate_balance_age_seconds",
    help: "Age of an institution's newest balance that was compared with the books, seconds; missing without one, or once retired.",
    labels: ["institution", "name"],
    read: async () => {
      const { rows } = await db.query<{ id: string; name: string; at: Date }>(sql`
        select i.institution_id as id, i.name, b.sampled_at as at from institutions i cross join lateral (
          select sampled_at from balance_checks c where c.institution_id = i.institution_id and c.entered_by is null
          order by c.sampled_at desc limit 1) b
        where i.status <> 'retired'`);
      return rows.map(({ id, name, at }) => [[id, name], age(at)] as const);
    },
  });
  reconciliationMeters({ db, metrics }, age);
}

/** Gauges of the newest reconciled day of each institution. */
function reconciliationMeters({ db, metrics }: Pick<Context, "db" | "metrics">, age: (at: Date) => number): void {
  type Day = { id: string; name: string; agrees: boolean; difference: number | null; at: Date };
  const days = async (): Promise<readonly Day[]> => {
    const { rows } = await db.query<Day>(sql`
      select i.institution_id as id, i.name, r.checked_at as at,
        r.report ->> 'incomplete' is null and (r.report ->> 'moreFindings')::integer = 0
          and not exists (select from jsonb_array_elements(r.report -> 'findings') f where not (f ->> 'booked')::boolean) as agrees,
        (r.report -> 'balance' ->> 'theirs')::bigint - (r.report -> 'balance' ->> 'ours')::bigint as difference
      from institutions i cross join lateral (
        select checked_at, report from reconciliations d where d.institution_id = i.institution_id and d.checked_at is not null
        order by d.day desc limit 1) r
      where i.status <> 'retired'`);
    return rows;
  };
  const labels = ["institution", "name"];
  metrics.gauge({
    name: "pixgate_reconciliation_agrees",
    help: "1 where the newest reconciled day agrees with the institution, 0 where something is open or it did not answer.",
    labels,
    read: async () => (await days()).map(({ id, name, agrees }) => [[id, name], agrees ? 1 : 0] as const),
  });
  metrics.gauge({
    name: "pixgate_reconciliation_difference_brl",
    help: "The institution's balance less that of our books at the newest reconciliation, BRL; missing where it reports none.",
    labels,
    read: async () =>
      (await days()).flatMap(({ id, name, difference }) =>
        difference === null ? [] : [[[id, name], toBrl(difference)] as const],
      ),
  });
  metrics.gauge({
    name: "pixgate_reconciliation_age_seconds",
    help: "Time since the newest reconciliation of an institution, seconds.",
    labels,
    read: async () => (await days()).map(({ id, name, at }) => [[id, name], age(at)] as const),
  });
}
