import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { OperatorContext } from "../http/roles.ts";

/** Sums that one human moved without a second one are rows of `settings`: `moved alone`, when, and what distinguishes the call. */
const MOVED = "moved alone ";
/** How long a sum counts, milliseconds: whoever splits an amount into parts waits a day for each. */
const COUNTS = 24 * 3_600_000;
/** One call at a time counts. */
const LOCK = 7_246_120;
/** `2026-11-27T20:00:00.000Z`. */
const TIME = 24;

type Moved = { readonly owners: readonly string[]; readonly amount: number };

/**
 * Whether whoever calls may move an amount between a wallet and anything else without a second person: with all that the same
 * human has moved so in the last 24 hours it is not above the installation's amount (`PIXGATE_TWO_PERSONS_ABOVE`). If so, it counts from
 * now on, whatever becomes of the call.
 *
 * @param reference distinguishes the call: a repeat of it counts once.
 */
export const mayMoveAlone = (ctx: OperatorContext, amount: number, reference: string): Promise<boolean> =>
  ctx.config.twoPersonsAbove === null
    ? Promise.resolve(true)
    : ctx.db.transaction((tx) => mayMoveAloneIn(ctx, tx, amount, reference));

/** Until the transaction ends nobody else counts. */
export const lockAllowances = (tx: Tx): Promise<unknown> => tx.query(sql`select pg_advisory_xact_lock(${LOCK})`);

/** The same in a transaction; it counts when that commits. What has no amount (null) needs a second person. */
export async function mayMoveAloneIn(
  ctx: OperatorContext,
  tx: Tx,
  amount: number | null,
  reference: string,
): Promise<boolean> {
  const most = ctx.config.twoPersonsAbove;
  if (most === null || amount === 0) return true;
  if (amount === null || amount > most) return false;
  await lockAllowances(tx);
  const now = ctx.clock.date();
  const counted = await readMoved(tx, new Date(now.getTime() - COUNTS));
  if (counted.some((one) => one.reference === reference)) return true;
  const { owners } = ctx.operator;
  const own = counted.filter((one) => one.owners.some((owner) => owners.includes(owner)));
  if (own.reduce((sum, one) => sum + one.amount, amount) > most) return false;
  const moved: Moved = { owners, amount };
  await tx.query(sql`
    insert into settings (name, value) values (${`${MOVED}${now.toISOString()} ${reference}`}, ${JSON.stringify(moved)})`);
  return true;
}

async function readMoved(tx: Tx, since: Date): Promise<(Moved & { readonly reference: string })[]> {
  const from = MOVED.length + 1;
  const { rows } = await tx.query<{ reference: string; value: string }>(sql`
    select substr(name, ${from + TIME + 1}) as reference, value from settings
    where starts_with(name, ${MOVED}) and substr(name, ${from}, ${TIME}) collate "C" > ${since.toISOString()}`);
  return rows.map(({ reference, value }) => ({ reference, ...(JSON.parse(value) as Moved) }));
}
