import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayOf, dayWindow } from "../lib/days.ts";
import { type BalanceSample, compareBalance, keepComparison, readOursAt, readUnderWay } from "./compare-balance.ts";
import { type Comparison, decideCase, judgeBalance } from "./judge-balance.ts";
import { balanceChecks, balanceWatches } from "./tables.ts";
import { takeOverOpening } from "./take-over-opening.ts";

/** Interval of comparisons of an institution, milliseconds: 144 calls a day, and one at each day's end. */
const PERIOD = 600_000;
/** After a difference the next comparison comes this soon, milliseconds. */
const AGAIN = 60_000;
/** Time after the institution's answer until its movements are in the books: notifications take seconds, a list 20 s. */
const SETTLE = 60_000;
/** A difference with one sign for this long is real, however much moves. */
const HOUR = 3_600_000;
/** Lease of a comparison: after it another process may continue. */
const CLAIM = 60_000;

const DUE = ["institutionId", "sample", "reported"] as const;
const COMPARISON = ["theirs", "ours", "moving", "underWay"] as const;

/**
 * Compares the balance of one due institution with the books: queries it first, and a minute later adds up what it held at
 * the moment of its answer by the books. A difference that holds, or that has had one sign for an hour of traffic, opens a
 * case `balance_drift`, which is closed when the difference is gone.
 *
 * @returns true when there may be another one.
 */
export async function watchBalances(ctx: Context, houseId: string): Promise<boolean> {
  const now = ctx.clock.date();
  const institutions = (await ctx.psps.all()).filter(({ can }) => can.balance);
  for (const { institutionId } of institutions) {
    await ctx.db.query(sql`
      insert into balance_watches (institution_id, next_at) values (${institutionId}, ${nextAt(now, PERIOD)})
      on conflict do nothing`);
  }
  const { rows } = await ctx.db.query<Selected<typeof balanceWatches.columns, (typeof DUE)[number]>>(sql`
    update balance_watches set next_at = ${new Date(now.getTime() + CLAIM)}
    where institution_id = (
      select institution_id from balance_watches where next_at <= ${now} order by next_at limit 1 for update skip locked)
    returning ${balanceWatches.select("", DUE)}`);
  const due = rows[0];
  if (!due) return false;
  const institution = institutions.find((candidate) => candidate.institutionId === due.institutionId);
  if (due.sample !== null) {
    const { theirs, sampledAt } = due.sample;
    const { ours } = await readOursAt(ctx.db, due.institutionId, new Date(sampledAt));
    if (institution) await takeOverOpening(ctx, houseId, institution, theirs - ours);
    await compare(ctx, houseId, due.institutionId, due.sample, due.reported);
  } else if (institution) await sample(ctx, institution);
  else await schedule(ctx.db, due.institutionId, nextAt(now, PERIOD));
  return true;
}

/** The next comparison; at the latest when the day ends, since the day's close shows the institution's own balance. */
function nextAt(now: Date, pause: number): Date {
  const end = dayWindow(dayOf(now))!.to.getTime();
  return new Date(Math.min(now.getTime() + pause, end));
}

const schedule = (queries: Queries, institutionId: string, at: Date) =>
  queries.query(sql`update balance_watches set next_at = ${at}, sample = null where institution_id = ${institutionId}`);

async function sample(ctx: Context, { institutionId, psp }: Institution): Promise<void> {
  const before = await readUnderWay(ctx.db, institutionId, null);
  const askedAt = ctx.clock.now();
  const found = await psp.balance!();
  const answered = ctx.clock.now();
  // The answer may include what was sent meanwhile too.
  const underWay = Math.max(before, await readUnderWay(ctx.db, institutionId, null));
  if (found.kind !== "found") {
    await schedule(ctx.db, institutionId, nextAt(new Date(answered), PERIOD));
    return;
  }
  const { total: theirs, blocked } = found.value;
  const sampledAt = new Date(Math.round((askedAt + answered) / 2)).toISOString();
  const taken: BalanceSample = { sampledAt, theirs, blocked, underWay };
  await ctx.db.query(sql`
    update balance_watches set sample = ${JSON.stringify(taken)}::jsonb, next_at = ${new Date(answered + SETTLE)}
    where institution_id = ${institutionId}`);
}

async function compare(
  ctx: Context,
  houseId: string,
  institutionId: string,
  sample: BalanceSample,
  reported: number | null,
): Promise<void> {
  const at = new Date(sample.sampledAt);
  await ctx.db.transaction(async (tx) => {
    const [before, hour] = [await readLast(tx, institutionId, at), await readHour(tx, institutionId, at)];
    const comparison = await compareBalance(tx, institutionId, sample);
    const decided = decideCase(before, comparison, hour);
    const compared = { houseId, institutionId, sample, enteredBy: null, comparison, decided, reported };
    await keepComparison(ctx, tx, compared);
    const pause = judgeBalance(comparison) === "differs" && decided === "keep" ? AGAIN : PERIOD;
    await schedule(tx, institutionId, nextAt(ctx.clock.date(), pause));
  });
}

async function readLast(queries: Queries, institutionId: string, at: Date): Promise<Comparison | null> {
  const { rows } = await queries.query<Comparison>(sql`
    select ${balanceChecks.select("", COMPARISON)} from balance_checks
    where institution_id = ${institutionId} and sampled_at < ${at} order by sampled_at desc limit 1`);
  return rows[0] ?? null;
}

/** The comparisons of the hour before a moment; none where they do not cover it. */
async function readHour(queries: Queries, institutionId: string, at: Date): Promise<readonly Comparison[]> {
  const [from, early] = [new Date(at.getTime() - HOUR), new Date(at.getTime() - HOUR + PERIOD + SETTLE)];
  const { rows } = await queries.query<Comparison & { readonly sampledAt: Date }>(sql`
    select ${balanceChecks.select("", [...COMPARISON, "sampledAt"])} from balance_checks
    where institution_id = ${institutionId} and sampled_at >= ${from} and sampled_at < ${at} order by sampled_at`);
  return rows[0] && rows[0].sampledAt <= early ? rows : [];
}
