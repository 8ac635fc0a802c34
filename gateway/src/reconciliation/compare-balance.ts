/** One comparison of an institution's balance with the books of the same moment, and its effect on the case about it. */
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { capabilitiesOf, type InstitutionRow, institutions } from "../institutions/registry.ts";
import { type Comparison, judgeBalance } from "./judge-balance.ts";

/** Lines that occurred this close to the balance may be on either side of it, because clocks differ. */
const CLOSE = 5_000;
/** The largest difference of an institution's clock: a line may have been booked this long before it occurred. */
const SKEW = 600_000;

/** A balance of an institution, from its answer or its statement. Centavos. */
export type BalanceSample = {
  readonly sampledAt: string;
  readonly theirs: number;
  readonly blocked: number;
  readonly underWay: number;
};

/** The operator who entered a balance, and the persons behind them (http/owners.ts). */
export type Enterer = { readonly name: string; readonly owners: readonly string[] };

/**
 * Centavos that may have left the institution and are still in our books there: payouts and returns of which a request may
 * have left and that have not ended. Money that a brake holds back is not among them.
 *
 * @param at count requests that may have left by then; null: by now.
 */
export async function readUnderWay(queries: Queries, institutionId: string, at: Date | null): Promise<number> {
  const by = at === null ? null : new Date(at.getTime() + CLOSE);
  const { rows } = await queries.query<{ sum: number }>(sql`
    select (
      coalesce((select sum(net_amount) from withdrawals
        where institution_id = ${institutionId} and status in ('pending', 'processing') and may_have_left
          and (${by}::timestamptz is null or coalesce(left_at, created_at) <= ${by})), 0)
      + coalesce((select sum(amount) from pix_returns
        where institution_id = ${institutionId} and status = 'sending'
          and (${by}::timestamptz is null or coalesce(left_at, created_at) <= ${by})), 0))::bigint as sum`);
  return rows[0]!.sum;
}

/**
 * What the institution held at a moment by the books, and what moved around that moment. It is one statement: anything
 * booked between two statements would count as a difference. A line that was booked before the moment had happened
 * before it, whatever the institution's clock shows. The latest lines tell how wrong that clock is: if it is ahead,
 * they occurred after they were booked; if it is behind, all occurred long before.
 */
export async function readOursAt(
  queries: Queries,
  institutionId: string,
  at: Date,
): Promise<{ ours: number; moving: number }> {
  const booked = new Date(at.getTime() - SKEW);
  const [from, to] = [new Date(at.getTime() - CLOSE), new Date(at.getTime() + CLOSE)];
  const most = `${SKEW} milliseconds`;
  // A psp account has the opposite sign, so removing lines adds their amounts.
  const { rows } = await queries.query<{ ours: number; moving: number }>(sql`
    with lines as (
      select x.amount, x.occurred_at, x.booked_at
      from ledger_accounts a join ledger_lines x on x.account_id = a.account_id and x.no = a.no
      where a.kind = 'psp' and a.owner_id = ${institutionId} and x.booked_at >= ${booked}
    ), clock as (
      select least(greatest(max(occurred_at - booked_at), interval '0'), ${most}::interval) as ahead,
        least(greatest(min(booked_at - occurred_at), interval '0'), ${most}::interval) as behind
      from lines
    ), held as (
      select coalesce(-sum(balance), 0) as balance from ledger_accounts where kind = 'psp' and owner_id = ${institutionId}
    )
    select ((select balance from held)
        + coalesce(sum(amount) filter (where occurred_at > ${at} and booked_at > ${at}), 0))::bigint as ours,
      coalesce(sum(abs(amount)) filter (where booked_at > ${from}
        and occurred_at between ${from}::timestamptz - behind and ${to}::timestamptz + ahead), 0)::bigint as moving
    from lines cross join clock`);
  return rows[0]!;
}

/** A balance with the books of its moment. */
export async function compareBalance(
  queries: Queries,
  institutionId: string,
  { sampledAt, theirs, underWay }: BalanceSample,
): Promise<Comparison> {
  return { theirs, underWay, ...(await readOursAt(queries, institutionId, new Date(sampledAt))) };
}

type Compared = {
  readonly houseId: string;
  readonly institutionId: string;
  readonly sample: BalanceSample;
  /** Null: the institution reported it. */
  readonly enteredBy: Enterer | null;
  readonly comparison: Comparison;
  readonly decided: "open" | "close" | "keep";
  /** The difference in the open case, null where none is open; left out: unknown. */
  readonly reported?: number | null;
};

/** Stores a comparison, and opens or closes the case about the difference. */
export async function keepComparison(ctx: Context, tx: Tx, compared: Compared): Promise<void> {
  const { houseId, institutionId, sample, enteredBy, comparison, decided, reported } = compared;
  const { sampledAt, blocked } = sample;
  const { theirs, ours, moving, underWay } = comparison;
  await tx.query(sql`
    insert into balance_checks (institution_id, sampled_at, theirs, blocked, ours, moving, under_way, verdict, entered_by)
    values (${institutionId}, ${new Date(sampledAt)}, ${theirs}, ${blocked}, ${ours}, ${moving}, ${underWay}, ${judgeBalance(comparison)},
      ${enteredBy?.name ?? null})
    on conflict do nothing`);
  if (decided === "keep") return;
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  const about = { accountId: houseId, kind: "balance_drift" as const, objectId: institutionId };
  const difference = theirs - ours;
  if (decided === "close" && reported !== null) await writeCases(tx, { close: [about] }, ids);
  if (decided === "open" && reported !== difference) {
    const isUncharged = difference < 0 && !(await reportsTariffs(ctx, tx, institutionId));
    const data = {
      ...(isUncharged && { tariffs: "unreported" }),
      ...{ difference, theirs, ours, blocked, moving, underWay, sampledAt },
      ...(enteredBy !== null && { enteredBy: enteredBy.name }),
      ...(await readExplaining(tx, institutionId)),
    };
    const evidence =
      enteredBy === null
        ? { says: describeDifference(difference, isUncharged), source: "institution" as const, data }
        : {
            ...{
              says: `${enteredBy.name} entered a balance. ${describeDifference(difference, isUncharged)}`,
              source: "operator" as const,
              data,
            },
            owners: enteredBy.owners,
          };
    const fact = { ...about, institutionId, amount: Math.abs(difference), deadline: null, evidence };
    await writeCases(tx, { open: [fact] }, ids);
    ctx.log.warn({ institutionId, difference }, "the balance of an institution differs from the books");
  }
  await tx.query(sql`
    update balance_watches set reported = ${decided === "close" ? null : difference} where institution_id = ${institutionId}`);
}

/** Open cases about money at the institution: each may explain the difference. */
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

/** Whether the institution's bank reports what it charges: then the books have every tariff that it took from a Pix. */
async function reportsTariffs({ keys }: Context, tx: Tx, institutionId: string): Promise<boolean> {
  const { rows } = await tx.query<InstitutionRow>(sql`
    select ${institutions.select()} from institutions where institution_id = ${institutionId}`);
  return rows[0] !== undefined && capabilitiesOf(keys, rows[0])?.tariffs === true;
}

function describeDifference(difference: number, isUncharged: boolean): string {
  if (difference > 0)
    return "The institution holds more than the books say: money of the operator's that nobody recorded, or a payment that is in no list.";
  return isUncharged
    ? "The institution holds less than the books say. It does not report its tariffs, so they are missing from the books until somebody records them; else it is a withdrawal of the operator's that nobody recorded, or money that is gone."
    : "The institution holds less than the books say: tariffs or a withdrawal of the operator's that nobody recorded, or money that is gone.";
}
