import type { Context } from "../context.ts";
import { instants, texts, uuids } from "../db/arrays.ts";
import { byShard } from "../db/shards.ts";
import { type Fragment, name, onTenants, part, sql, UNFLUSHED } from "../db/sql.ts";

/** The rows of a loop: where they are, when one is due, and what taking one changes besides. */
export type DueRows = {
  readonly table: string;
  /** Its key beside account_id. */
  readonly id: string;
  readonly idIs: "uuid" | "text";
  /** The column that says when a row is due; null there: never. */
  readonly nextAt: string;
  /** A claimed row is due again after this time, should the process die. Longer than carrying it takes. Milliseconds. */
  readonly claimMs: number;
  /** Rows that may be taken, of those that are due; the row is `d`. */
  readonly only?: Fragment;
  /** What else is written into `d`, each with a comma before it. */
  set?(now: Date): Fragment;
  /** What the loop gets of each: `d` is the row as claimed, `mine` as it was found. */
  readonly returning: Fragment;
  /** A claim that a crash of the server may forget: all that follows is a look that is made again. */
  readonly unflushed?: true;
};

const NOTHING = part``;
const ALL = part`true`;

/**
 * Takes up to `limit` rows that are due by moving their due time, so that no other process has them meanwhile. They are
 * looked for without a lock, and then locked in the order of their keys, as everywhere; one that somebody else holds or has
 * moved is left out.
 */
export async function claimDue<Due>(ctx: Pick<Context, "db" | "clock">, due: DueRows, limit: number): Promise<Due[]> {
  const now = ctx.clock.date();
  const [table, id, nextAt] = [name(due.table), name(due.id), name(due.nextAt)];
  const found = await ctx.db.query<Found>(sql`
    select account_id, ${id} as id, ${nextAt} as next_at from ${table} d
    where ${nextAt} <= ${now} and ${due.only ?? ALL} order by ${nextAt} limit ${limit}`);
  const sorted = found.rows.sort((a, b) => (a.account_id + a.id < b.account_id + b.id ? -1 : 1));
  const claimed: Due[] = [];
  for (const rows of byShard(ctx.db.shards, sorted, (row) => row.account_id)) {
    claimed.push(...(await claimFound<Due>(ctx, due, rows, now)));
  }
  return claimed;
}

type Found = { readonly account_id: string; readonly id: string; readonly next_at: Date };

async function claimFound<Due>(
  ctx: Pick<Context, "db">,
  due: DueRows,
  rows: readonly Found[],
  now: Date,
): Promise<Due[]> {
  const [table, id, idIs, nextAt] = [name(due.table), name(due.id), name(due.idIs), name(due.nextAt)];
  const ids = rows.map((row) => row.id);
  const claiming = sql`
    with mine as (
      select d.*
      from unnest(${uuids(rows.map((row) => row.account_id))}::uuid[], ${due.idIs === "uuid" ? uuids(ids) : texts(ids)}::${idIs}[],
        ${instants(rows.map((row) => row.next_at))}::timestamptz[]) as u (account_id, id, next_at)
      join ${table} d on d.account_id = u.account_id and d.${id} = u.id and d.${nextAt} = u.next_at
      where ${onTenants("d.account_id", rows)}
      for no key update of d skip locked
    )
    update ${table} d set ${nextAt} = ${new Date(now.getTime() + due.claimMs)}${due.set?.(now) ?? NOTHING}
    from mine where d.account_id = mine.account_id and d.${id} = mine.${id}
    returning ${due.returning}`;
  const done = await ctx.db.atOnce<Due>(due.unflushed ? [UNFLUSHED, claiming] : [claiming]);
  return done.at(-1)!.rows;
}
