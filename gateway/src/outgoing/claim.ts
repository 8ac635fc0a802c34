import type { Context } from "../context.ts";
import {
  type Columns,
  type Described,
  matches,
  names,
  pick,
  type RowOf,
  relation,
  type Selected,
} from "../db/columns.ts";
import { isTransient } from "../db/pool.ts";
import { byShard } from "../db/shards.ts";
import { ANYWHERE, type Fragment, type InTenants, name, onTenants, part, type Sql, sql, UNFLUSHED } from "../db/sql.ts";

type Field<C> = keyof C & string;

/**
 * The rows of a loop: where they are, when one is due, and what claiming one changes besides. SQL that reads other tables of
 * accounts restricts each of them to `tenants`, so that a claim stays in one shard.
 */
export type DueRows<C extends Columns, F extends Field<C>> = {
  readonly table: Pick<Described<C>, "name" | "columns" | "key" | "select">;
  /** The column that says when a row is due; null there: never. */
  readonly dueAt: Field<C>;
  /** A claimed row is due again after this time, should the process die. Longer than processing it takes. Milliseconds. */
  readonly claimMs: number;
  /** Rows that may be claimed, of those that are due; the row is `d`. Checked again as they are claimed. */
  only?(tenants: InTenants, now: Date): Fragment;
  /** What else is written into `d`, each with a comma before it. */
  set?(now: Date): Fragment;
  /** What the loop gets of each row, as it is claimed. */
  readonly fields: readonly F[];
  /** A table that is joined with `mine`, the row as it was found. */
  join?(tenants: InTenants): Fragment;
  /** What it gets besides, of `mine` and the joined table, each with a comma before it. */
  besides?(tenants: InTenants): Fragment;
  /** Which claimed rows `d` may send their request, checked again right before it leaves (`createLastCheck`). */
  sendable?(tenants: InTenants): Fragment;
  /** Runs before the claim, in its transaction: a lock that those take who stop the work. */
  readonly first?: Sql;
  /** A claim that a crash of the server may forget: all that follows is a poll that is made again. */
  readonly unflushed?: true;
};

const NOTHING = part``;
const ALL = part`true`;

/** What claiming works with. */
type Claiming = Pick<Context, "db" | "clock" | "log" | "metrics">;

/**
 * Claims up to `limit` rows that are due by moving their due time, so that no other process has them meanwhile. They are
 * searched for without a lock, and then locked in the order of their keys, as everywhere; one that somebody else holds or
 * has moved is left out.
 */
export async function claimDue<C extends Columns, F extends Field<C>, Besides = unknown>(
  ctx: Claiming,
  due: DueRows<C, F>,
  limit: number,
): Promise<(Selected<C, F> & Besides)[]> {
  const now = ctx.clock.date();
  const { table: described, dueAt } = due;
  // A counter that has counted nothing is scraped too.
  refusedOf(ctx.metrics);
  const found = await ctx.db.query<DueKey<C>>(sql`
    select ${described.select("d", [...described.key, dueAt])} from ${name(described.name)} d
    where ${names([dueAt])} <= ${now} and ${due.only?.(ANYWHERE, now) ?? ALL} order by ${names([dueAt])} limit ${limit}`);
  const place = keyOf(described);
  const sorted = found.rows.sort((a, b) => (place(a) < place(b) ? -1 : 1));
  const claimed: (Selected<C, F> & Besides)[] = [];
  for (const rows of byShard(ctx.db.shards, sorted, (row) => row.accountId)) {
    claimed.push(...(await claimRows<C, F, Besides>(ctx, due, rows, now)));
  }
  return claimed;
}

/**
 * Claims these rows by one statement. Where the database refuses it for what is in a row (a check of the table), the halves are
 * claimed alone, so that one such row stops no other; it is reported, and put off for as long as a claim lasts.
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

/** The only one to fail keeps its place no longer: what is due after it is found. */
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

type Counter = ReturnType<Context["metrics"]["counter"]>;
const counters = new WeakMap<Context["metrics"], Counter>();

/** Counts rows that the database does not let a loop claim; one counter for all loops of a process. */
function refusedOf(metrics: Context["metrics"]): Counter {
  const known =
    counters.get(metrics) ??
    metrics.counter({
      name: "pixgate_claims_refused_total",
      help: "Rows that a loop could not claim because the database refused what is in them.",
      labels: ["table"],
    });
  counters.set(metrics, known);
  return known;
}

/** What tells the rows of a table apart, as one text. */
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
