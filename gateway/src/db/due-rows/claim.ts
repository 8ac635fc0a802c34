import type { Logger } from "pino";
import type { Clock } from "../../lib/clock.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { type Columns, type Described, matches, names, pick, type RowOf, relation, type Selected } from "../columns.ts";
import { type Db, isTransient } from "../pool.ts";
import { byShard } from "../shards.ts";
import { ANYWHERE, type Fragment, type InTenants, name, onTenants, part, type Sql, sql, UNFLUSHED } from "../sql.ts";

type Field<C> = keyof C & string;

/**
 * The due rows of a loop: their table, when a row is due, and what a claim changes. SQL that reads other tables of accounts
 * restricts each of them to `tenants`, so that a claim stays in one shard.
 */
export type DueRows<C extends Columns, F extends Field<C>> = {
  readonly table: Pick<Described<C>, "name" | "columns" | "key" | "select">;
  /** The column with the time at which a row is due; null there: never. */
  readonly dueAt: Field<C>;
  /**
   * Lease of a claim, milliseconds. If the process dies, the row is due again after it, so it is longer than processing a
   * row takes.
   */
  readonly claimMs: number;
  /** Which due rows `d` may be claimed. Checked again when the row is locked. */
  only?(tenants: InTenants, now: Date): Fragment;
  /** Further columns of `d` that a claim sets, each with a comma before it. */
  set?(now: Date): Fragment;
  /** The fields that the loop gets of each claimed row. */
  readonly fields: readonly F[];
  /** A table joined with `mine`, the row as it was before the claim. */
  join?(tenants: InTenants): Fragment;
  /** Further columns that the loop gets, of `mine` and the joined table, each with a comma before it. */
  besides?(tenants: InTenants): Fragment;
  /** Which claimed rows `d` may send their request. Checked again right before the request leaves (`createLastCheck`). */
  sendable?(tenants: InTenants): Fragment;
  /** Runs before the claim, in its transaction: takes the lock that a brake or suspension takes too. */
  readonly first?: Sql;
  /** A crash of the server may forget this claim: everything after it is a poll that can be repeated. */
  readonly unflushed?: true;
};

const NOTHING = part``;
const ALL = part`true`;

/** What claiming works with. */
type Claiming = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/**
 * Claims up to `limit` due rows, so that no other process works on them meanwhile. Every loop that sends or queries uses
 * it. A row of such a loop is in one of these states:
 * - **Waiting**: its due time (`dueAt`) is in the future, or null.
 * - **Due**: its due time has passed. It is found without a lock; then it is locked in the order of keys, like
 *   everywhere. A row that another transaction holds or has moved is skipped.
 * - **Claimed**: one update has moved its due time to the end of the lease, counted the attempt and set what `set` says,
 *   for instance "a request may have left". Only now is the institution called, outside any transaction.
 * - **Marked**: the loop has written the outcome and the next due time. The mark names the claim that it belongs to
 *   (attempts, due time), so that a process whose lease has ended cannot overwrite a newer one.
 *
 * If the process dies in between, the lease ends and the row is due again. Nothing is lost, and since every request carries
 * a stored id, nothing is done twice.
 */
export async function claimDue<C extends Columns, F extends Field<C>, Besides = unknown>(
  ctx: Claiming,
  due: DueRows<C, F>,
  limit: number,
): Promise<(Selected<C, F> & Besides)[]> {
  const now = ctx.clock.date();
  const { table: described, dueAt } = due;
  // Creates the counter, so that it is scraped as 0 before it has counted anything.
  refusedOf(ctx.metrics);
  const found = await ctx.db.query<DueKey<C>>(sql`
    select ${described.select("d", [...described.key, dueAt])} from ${name(described.name)} d
    where ${names([dueAt])} <= ${now} and ${due.only?.(ANYWHERE, now) ?? ALL} order by ${names([dueAt])} limit ${limit}`);
  const keyText = keyOf(described);
  const sorted = found.rows.sort((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
  const claimed: (Selected<C, F> & Besides)[] = [];
  for (const rows of byShard(ctx.db.shards, sorted, (row) => row.accountId)) {
    claimed.push(...(await claimRows<C, F, Besides>(ctx, due, rows, now)));
  }
  return claimed;
}

/**
 * Claims these rows by one statement. If a check of the table refuses the content of a row, the halves are claimed
 * separately, so that one such row stops no other. That row is reported and postponed by the length of a lease.
 */
async function claimRows<C extends Columns, F extends Field<C>, Besides>(
  ctx: Claiming,
  due: DueRows<C, F>,
  rows: readonly DueKey<C>[],
  now: Date,
): Promise<(Selected<C, F> & Besides)[]> {
  const before = [...(due.unflushed ? [UNFLUSHED] : []), ...(due.first ? [due.first] : [])];
  try {
    const done = await ctx.db.atOnce<Selected<C, F> & Besides>([...before, claiming(due, rows, now)]);
    return done.at(-1)!.rows;
  } catch (err) {
    if (isTransient(err)) throw err;
    if (rows.length > 1) {
      const half = rows.length >> 1;
      const first = await claimRows<C, F, Besides>(ctx, due, rows.slice(0, half), now);
      return [...first, ...(await claimRows<C, F, Besides>(ctx, due, rows.slice(half), now))];
    }
    const table = due.table.name;
    ctx.log.error({ err, table, row: keyOf(due.table)(rows[0]!) }, "a row cannot be claimed: it is put off");
    refusedOf(ctx.metrics).add([table]);
    await putOff(ctx, due, rows, now);
    return [];
  }
}

/** Postpones a row that cannot be claimed, so that rows due after it are found. */
async function putOff<C extends Columns>(
  { db }: Claiming,
  { table: described, dueAt, claimMs }: DueRows<C, Field<C>>,
  rows: readonly DueKey<C>[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    update ${name(described.name)} d set ${names([dueAt])} = ${new Date(now.getTime() + claimMs)}
    from ${relation("u", pick(described.columns, [...described.key, dueAt]), rows)}
    where ${matches("d", "u", [...described.key, dueAt])} and ${onTenants("d.account_id", rows)}`);
}

type Counter = ReturnType<Metrics["counter"]>;
const counters = new WeakMap<Metrics, Counter>();

/** Counts rows whose claim the database refused. All loops of a process share the counter. */
function refusedOf(metrics: Metrics): Counter {
  const counter =
    counters.get(metrics) ??
    metrics.counter({
      name: "pixgate_claims_refused_total",
      help: "Rows that a loop could not claim because the database refused what is in them.",
      labels: ["table"],
    });
  counters.set(metrics, counter);
  return counter;
}

/** The key of a row as one text. */
export const keyOf =
  <C extends Columns>({ key }: Pick<Described<C>, "key">) =>
  (row: Partial<RowOf<C>>): string =>
    key.map((field) => row[field]).join(" ");

/** The key of a row with the due time that was found. */
type DueKey<C> = RowOf<C> & { readonly accountId: string };

function claiming<C extends Columns>(due: DueRows<C, Field<C>>, rows: readonly DueKey<C>[], now: Date) {
  const { table: described, dueAt, fields } = due;
  const table = name(described.name);
  const tenants: InTenants = (column) => onTenants(column, rows);
  return sql`
    with mine as (
      select d.*
      from ${relation("u", pick(described.columns, [...described.key, dueAt]), rows)}
      join ${table} d on ${matches("d", "u", [...described.key, dueAt])}
      where ${onTenants("d.account_id", rows)} and ${due.only?.(tenants, now) ?? ALL}
      for no key update of d skip locked
    )
    update ${table} d set ${names([dueAt])} = ${new Date(now.getTime() + due.claimMs)}${due.set?.(now) ?? NOTHING}
    from mine ${due.join?.(tenants) ?? NOTHING} where ${matches("d", "mine", described.key)} and ${tenants("d.account_id")}
    returning ${described.select("d", fields)}${due.besides?.(tenants) ?? NOTHING}`;
}
