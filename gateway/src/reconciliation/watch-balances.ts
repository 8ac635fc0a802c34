import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayOf, dayWindow } from "../lib/days.ts";
import { type Comparison, decideCase, judge } from "./judge-balance.ts";
import { expectedBalance } from "./ours.ts";
import { takeOverOpening } from "./take-over-opening.ts";

/** Between two comparisons of an institution, milliseconds: 144 calls a day, and one at each day's end. */
const PERIOD = 600_000;
/** After a difference, until the next one. */
const AGAIN = 60_000;
/** After the institution's answer, until what it had then is in the books: notifications take seconds, a list 20 s. */
const SETTLE = 60_000;
/** Lines that occurred so close to the answer may be on either side of it: clocks differ. */
const CLOSE = 5_000;
/** How far an institution's clock may be off ours: so much earlier than it occurred a line may have been booked. */
const SKEW = 600_000;
/** A difference that has had one sign for so long is one, however much moves. */
const HOUR = 3_600_000;
/** A comparison that has not ended by then belongs to nobody. */
const CLAIM = 60_000;

/** An answer of an institution, or of its statement, that is compared when the books have what it had. */
type Sample = {
  /** Name of the operator who entered it; left out: the institution answered. */
  readonly enteredBy?: string;
  readonly sampledAt: string;
  readonly theirs: number;
  readonly blocked: number;
  readonly underWay: number;
};

/**
 * Compares the balance of one institution that is due with the books: queries it first, and a minute later adds up what
 * the books say it held at the moment of its answer. A difference that holds, or that has had one sign for an hour of traffic, opens
 * a case `balance_drift`; it is closed when the difference is gone.
 *
 * @returns true when there may be another one.
 */
export async function watchBalances(ctx: Context, houseId: string): Promise<boolean> {
  const now = ctx.clock.date();
  const institutions = (await ctx.psps.all()).filter(({ psp, status }) => psp.balance && status === "active");
  for (const { institutionId } of institutions) {
    await ctx.db.query(sql`
      insert into balance_watches (institution_id, next_at) values (${institutionId}, ${nextAt(now, PERIOD)})
      on conflict do nothing`);
  }
  const { rows } = await ctx.db.query<{ institution_id: string; sample: Sample | null; reported: number | null }>(sql`
    update balance_watches set next_at = ${new Date(now.getTime() + CLAIM)}
    where institution_id = (
      select institution_id from balance_watches where next_at <= ${now} order by next_at limit 1 for update skip locked)
    returning institution_id, sample, reported`);
  const due = rows[0];
  if (!due) return false;
  const institution = institutions.find((one) => one.institutionId === due.institution_id);
  if (due.sample !== null) {
    const { theirs, sampledAt } = due.sample;
    const { ours } = await readOursAt(ctx.db, due.institution_id, new Date(sampledAt));
    if (institution) await takeOverOpening(ctx, houseId, institution, theirs - ours);
    await compare(ctx, houseId, due.institution_id, due.sample, due.reported);
  } else if (institution) await sample(ctx, institution);
  else await schedule(ctx.db, due.institution_id, nextAt(now, PERIOD));
  return true;
}

/** The next comparison; at the latest when the day ends, whose close shows the institution's own figure. */
function nextAt(now: Date, pause: number): Date {
  const end = dayWindow(dayOf(now))!.to.getTime();
  return new Date(Math.min(now.getTime() + pause, end));
}

const schedule = (queries: Queries, institutionId: string, at: Date) =>
  queries.query(sql`update balance_watches set next_at = ${at}, sample = null where institution_id = ${institutionId}`);

async function sample(ctx: Context, { institutionId, psp }: Institution): Promise<void> {
  const before = await readUnderWay(ctx.db, institutionId);
  const asked = ctx.clock.now();
  const found = await psp.balance!();
  const answered = ctx.clock.now();
  // What was sent meanwhile may be in the answer too.
  const underWay = Math.max(before, await readUnderWay(ctx.db, institutionId));
  if (found.kind !== "found") {
    await schedule(ctx.db, institutionId, nextAt(new Date(answered), PERIOD));
    return;
  }
  const { total: theirs, blocked } = found.value;
  const sampledAt = new Date(Math.round((asked + answered) / 2)).toISOString();
  const taken: Sample = { sampledAt, theirs, blocked, underWay };
  await ctx.db.query(sql`
    update balance_watches set sample = ${JSON.stringify(taken)}::jsonb, next_at = ${new Date(answered + SETTLE)}
    where institution_id = ${institutionId}`);
}

/**
 * Takes the figure of an institution that reports none, as an operator read it in a statement. It is compared as its own answer would be.
 *
 * @returns when it is compared; null: it is not newer than one that was compared.
 */
export async function enterSample(
  { clock }: Pick<Context, "clock">,
  tx: Tx,
  institutionId: string,
  entered: { readonly theirs: number; readonly blocked: number; readonly at: Date; readonly enteredBy: string },
): Promise<Date | null> {
  const { at, ...figures } = entered;
  const newer = await tx.query(sql`
    select from balance_checks where institution_id = ${institutionId} and sampled_at >= ${at} limit 1`);
  if (newer.rowCount > 0) return null;
  const taken: Sample = { ...figures, sampledAt: at.toISOString(), underWay: await readUnderWay(tx, institutionId) };
  const compared = new Date(Math.max(at.getTime() + SETTLE, clock.now()));
  await tx.query(sql`
    insert into balance_watches (institution_id, sample, next_at)
    values (${institutionId}, ${JSON.stringify(taken)}::jsonb, ${compared})
    on conflict (institution_id) do update set sample = excluded.sample, next_at = excluded.next_at`);
  return compared;
}

/**
 * Money that may have left there and is still here: payouts and returns of which a request may have left, and that have not ended. What a
 * brake holds back is still there. Centavos.
 */
async function readUnderWay(queries: Queries, institutionId: string): Promise<number> {
  const { rows } = await queries.query<{ sum: number }>(sql`
    select (
      coalesce((select sum(net_amount) from withdrawals
        where institution_id = ${institutionId} and status in ('pending', 'processing') and may_have_left), 0)
      + coalesce((select sum(amount) from pix_returns
        where institution_id = ${institutionId} and status = 'sending'), 0))::bigint as sum`);
  return rows[0]!.sum;
}

/**
 * What the books say an institution held at a moment, and what moved around it. What was booked before had been there before, whatever
 * the institution's clock says. How far that clock is off the latest lines show: one ahead gives them times after they were booked, one
 * behind gives all of them times long before.
 */
async function readOursAt(
  queries: Queries,
  institutionId: string,
  at: Date,
): Promise<{ ours: number; moving: number }> {
  const booked = new Date(at.getTime() - SKEW);
  const [from, to] = [new Date(at.getTime() - CLOSE), new Date(at.getTime() + CLOSE)];
  const most = `${SKEW} milliseconds`;
  const { rows } = await queries.query<{ later: number; moving: number }>(sql`
    with lines as (
      select x.amount, x.occurred_at, x.booked_at
      from ledger_accounts a join ledger_lines x on x.account_id = a.account_id and x.no = a.no
      where a.kind = 'psp' and a.owner_id = ${institutionId} and x.booked_at >= ${booked}
    ), clock as (
      select least(greatest(max(occurred_at - booked_at), interval '0'), ${most}::interval) as ahead,
        least(greatest(min(booked_at - occurred_at), interval '0'), ${most}::interval) as behind
      from lines
    )
    select coalesce(sum(amount) filter (where occurred_at > ${at} and booked_at > ${at}), 0)::bigint as later,
      coalesce(sum(abs(amount)) filter (where booked_at > ${from}
        and occurred_at between ${from}::timestamptz - behind and ${to}::timestamptz + ahead), 0)::bigint as moving
    from lines cross join clock`);
  const { later, moving } = rows[0]!;
  // A psp account has the opposite sign: taking lines back adds them.
  return { ours: (await expectedBalance(queries, institutionId)) + later, moving };
}

async function compare(
  ctx: Context,
  houseId: string,
  institutionId: string,
  { sampledAt, theirs, blocked, underWay, enteredBy }: Sample,
  reported: number | null,
): Promise<void> {
  const now = ctx.clock.date();
  const at = new Date(sampledAt);
  await ctx.db.transaction(async (tx) => {
    // One snapshot: what is booked between the two sums would count as a difference.
    await tx.query({ text: "set transaction isolation level repeatable read", values: [] });
    const hour = await readHour(tx, institutionId, at);
    const { ours, moving } = await readOursAt(tx, institutionId, at);
    const comparison: Comparison = { theirs, ours, moving, underWay };
    // No second figure follows one that was entered: it stands as it is.
    const before = enteredBy === undefined ? await readLast(tx, institutionId, at) : comparison;
    const verdict = judge(comparison);
    await tx.query(sql`
      insert into balance_checks (institution_id, sampled_at, theirs, blocked, ours, moving, under_way, verdict, entered_by)
      values (${institutionId}, ${at}, ${theirs}, ${blocked}, ${ours}, ${moving}, ${underWay}, ${verdict}, ${enteredBy ?? null})
      on conflict do nothing`);
    const decided = decideCase(before, comparison, hour);
    const difference = theirs - ours;
    const ids = { now, newId: () => ctx.ids.uuid() };
    const about = { accountId: houseId, kind: "balance_drift" as const, objectId: institutionId };
    if (decided === "close" && reported !== null) await writeCases(tx, { close: [about] }, ids);
    if (decided === "open" && reported !== difference) {
      const data = {
        difference,
        theirs,
        ours,
        blocked,
        moving,
        underWay,
        sampledAt,
        ...(enteredBy !== undefined && { enteredBy }),
        ...(await readExplaining(tx, institutionId)),
      };
      const evidence = { says: saysOf(difference), source: "institution" as const, data };
      const fact = { ...about, institutionId, amount: Math.abs(difference), deadline: null, evidence };
      await writeCases(tx, { open: [fact] }, ids);
      ctx.log.warn({ institutionId, difference }, "the balance of an institution differs from the books");
    }
    const said = decided === "close" ? null : decided === "open" ? difference : reported;
    await tx.query(sql`
      update balance_watches set reported = ${said}, sample = null, next_at = ${nextAt(now, verdict === "differs" && decided === "keep" ? AGAIN : PERIOD)}
      where institution_id = ${institutionId}`);
  });
}

async function readLast(queries: Queries, institutionId: string, at: Date): Promise<Comparison | null> {
  const { rows } = await queries.query<Comparison>(sql`
    select theirs, ours, moving, under_way as "underWay" from balance_checks
    where institution_id = ${institutionId} and sampled_at < ${at} order by sampled_at desc limit 1`);
  return rows[0] ?? null;
}

/** The comparisons of the hour before a moment; none where they do not cover it. */
async function readHour(queries: Queries, institutionId: string, at: Date): Promise<readonly Comparison[]> {
  const [from, early] = [new Date(at.getTime() - HOUR), new Date(at.getTime() - HOUR + PERIOD + SETTLE)];
  const { rows } = await queries.query<Comparison & { sampled_at: Date }>(sql`
    select theirs, ours, moving, under_way as "underWay", sampled_at from balance_checks
    where institution_id = ${institutionId} and sampled_at >= ${from} and sampled_at < ${at} order by sampled_at`);
  return rows[0] && rows[0].sampled_at <= early ? rows : [];
}

/** Open cases about money at the institution: each may be the reason. */
async function readExplaining(
  queries: Queries,
  institutionId: string,
): Promise<{ openCases: number; openAmount: number }> {
  const { rows } = await queries.query<{ openCases: number; openAmount: number }>(sql`
    select count(*)::int as "openCases", coalesce(sum(amount), 0)::bigint as "openAmount" from cases
    where institution_id = ${institutionId} and status = 'open' and kind in ('payout_unresolved', 'payout_contradiction',
      'return_unresolved', 'return_failed', 'block_without_return', 'reconciliation_difference')`);
  return rows[0]!;
}

const saysOf = (difference: number): string =>
  difference > 0
    ? "The institution holds more than the books say: money of the operator's that nobody recorded, or a payment that is in no list."
    : "The institution holds less than the books say: tariffs or a withdrawal of the operator's that nobody recorded, or money that is gone.";
