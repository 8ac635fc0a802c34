/** One balance of an institution held against the books at the same moment, and what becomes of the case about it. */
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { type Comparison, judge } from "./judge-balance.ts";

/** Lines that occurred so close to the balance may be on either side of it: clocks differ. */
const CLOSE = 5_000;
/** How far an institution's clock may be off ours: so much earlier than it occurred a line may have been booked. */
const SKEW = 600_000;

/** What an institution held, as it said or as its statement has it. Centavos. */
export type BalanceSample = {
  readonly sampledAt: string;
  readonly theirs: number;
  readonly blocked: number;
  readonly underWay: number;
};

/** The operator who entered a balance, and whoever stands behind them (http/owners.ts). */
export type Enterer = { readonly name: string; readonly owners: readonly string[] };

/**
 * Money that may have left there and is still here: payouts and returns of which a request may have left, and that have not ended. What a
 * brake holds back is still there. Centavos.
 *
 * @param at of which a request may have left by then; null: by now.
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
 * What the books say an institution held at a moment, and what moved around it, in one statement: what is booked between two would
 * count as a difference. What was booked before had been there before, whatever the institution's clock says. How far that clock is off
 * the latest lines show: one ahead gives them times after they were booked, one behind gives all of them times long before.
 */
export async function readOursAt(
  queries: Queries,
  institutionId: string,
  at: Date,
): Promise<{ ours: number; moving: number }> {
  const booked = new Date(at.getTime() - SKEW);
  const [from, to] = [new Date(at.getTime() - CLOSE), new Date(at.getTime() + CLOSE)];
  const most = `${SKEW} milliseconds`;
  // A psp account has the opposite sign: taking lines back adds them.
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

/** A balance beside the books of its moment. */
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
  /** Null: the institution said it. */
  readonly enteredBy: Enterer | null;
  readonly comparison: Comparison;
  readonly decided: "open" | "close" | "keep";
  /** The difference that the open case reports, null where none is open; left out: nobody knows. */
  readonly reported?: number | null;
};

/** Stores a comparison, and opens or closes the case about the difference. */
export async function keepComparison(ctx: Context, tx: Tx, compared: Compared): Promise<void> {
  const { houseId, institutionId, sample, enteredBy, comparison, decided, reported } = compared;
  const { sampledAt, blocked } = sample;
  const { theirs, ours, moving, underWay } = comparison;
  await tx.query(sql`
    insert into balance_checks (institution_id, sampled_at, theirs, blocked, ours, moving, under_way, verdict, entered_by)
    values (${institutionId}, ${new Date(sampledAt)}, ${theirs}, ${blocked}, ${ours}, ${moving}, ${underWay}, ${judge(comparison)},
      ${enteredBy?.name ?? null})
    on conflict do nothing`);
  if (decided === "keep") return;
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  const about = { accountId: houseId, kind: "balance_drift" as const, objectId: institutionId };
  const difference = theirs - ours;
  if (decided === "close" && reported !== null) await writeCases(tx, { close: [about] }, ids);
  if (decided === "open" && reported !== difference) {
    const data = {
      ...{ difference, theirs, ours, blocked, moving, underWay, sampledAt },
      ...(enteredBy !== null && { enteredBy: enteredBy.name }),
      ...(await readExplaining(tx, institutionId)),
    };
    const evidence =
      enteredBy === null
        ? { says: saysOf(difference), source: "institution" as const, data }
        : {
            ...{
              says: `${enteredBy.name} entered a balance. ${saysOf(difference)}`,
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
