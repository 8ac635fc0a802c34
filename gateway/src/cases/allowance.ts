import { texts } from "../db/arrays.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { OperatorContext } from "../http/roles.ts";

/** How long a sum counts, milliseconds: splitting an amount into parts takes a day for each. */
const COUNTS = 24 * 3_600_000;
/** First number of the advisory locks; the second is that of a person's owner, or of a call. */
const LOCK = 7_246_120;

/**
 * Whether the caller may move an amount between a wallet and anything else without a second person: together with
 * everything that the same human has moved in this way in the last 24 hours, it must not exceed the installation's amount
 * (`PIXGATE_TWO_PERSONS_ABOVE`). If so, it counts from now on, whatever the result of the call.
 *
 * @param reference distinguishes the call: a repeat of it counts once.
 */
export const mayMoveAlone = (ctx: OperatorContext, amount: number, reference: string): Promise<boolean> =>
  ctx.config.twoPersonsAbove === null
    ? Promise.resolve(true)
    : ctx.db.transaction((tx) => mayMoveAloneIn(ctx, tx, amount, reference));

/**
 * The reference of a decision, by who makes it. Another human may have made the same decision before, without moving
 * anything: that must not count for this one. A call with an Idempotency-Key needs none: it stays the same call, whoever
 * repeats it.
 */
export const byHuman = ({ operator }: Pick<OperatorContext, "operator">, decision: string): string =>
  `${decision} by ${operator.owners.join(" ")}`;

/**
 * Until the transaction ends nobody else can count for the same reference. Locked in one order, so that two calls cannot
 * deadlock.
 */
export const lockAllowances = (tx: Tx, references: readonly string[]): Promise<unknown> =>
  tx.query(sql`
    select pg_advisory_xact_lock(${LOCK}, h) from (
      select distinct hashtext(o) as h from unnest(${texts(references)}::text[]) o order by 1) hashes`);

/** The same in a transaction; it counts when that commits. A call without an amount (null) needs a second person. */
export async function mayMoveAloneIn(
  ctx: OperatorContext,
  tx: Tx,
  amount: number | null,
  reference: string,
): Promise<boolean> {
  const most = ctx.config.twoPersonsAbove;
  if (most === null || amount === 0) return true;
  if (amount === null || amount > most) return false;
  const { owners } = ctx.operator;
  await lockAllowances(tx, owners);
  const now = ctx.clock.date();
  await tx.query(sql`delete from moved_alone where moved_at <= ${new Date(now.getTime() - COUNTS)}`);
  const { rows } = await tx.query<{ moved: number; again: boolean }>(sql`
    select coalesce(sum(amount) filter (where owners && ${texts(owners)}::text[]), 0)::bigint as moved,
      coalesce(bool_or(reference = ${reference}), false) as again
    from moved_alone`);
  const { moved, again } = rows[0]!;
  if (again) return true;
  if (moved + amount > most) return false;
  await tx.query(sql`
    insert into moved_alone (reference, owners, amount, moved_at)
    values (${reference}, ${texts(owners)}::text[], ${amount}, ${now}) on conflict (reference) do nothing`);
  return true;
}
