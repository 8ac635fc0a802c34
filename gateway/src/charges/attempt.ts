import type { Context } from "../context.ts";
import { jsons } from "../db/arrays.ts";
import { instant, int, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import { unlessMoved } from "../db/shard-pools.ts";
import { sql } from "../db/sql.ts";
import type { Routing } from "../institutions/routing.ts";
import { laneTable } from "../ledger/lane-table.ts";
import type { RowKey } from "../ledger/table.ts";

/**
 * What is known of a charge at an institution that a failover left.
 * - `refused`: nothing exists there.
 * - `stray`: it may exist there, and no payer has seen its code. It is removed once the institution answers again.
 * - `removed`, `absent`: it can no longer be paid there.
 * - `paid`: somebody paid it all the same, and the payment was booked.
 */
export const ATTEMPT_OUTCOMES = ["refused", "stray", "removed", "absent", "paid"] as const;

type AttemptAt = { readonly accountId: string; readonly chargeId: string; readonly institutionId: string };

export const attemptKey = ({ accountId, chargeId, institutionId }: AttemptAt): RowKey => ({
  accountId,
  id: `${chargeId} ${institutionId}`,
});

/** Attempts at institutions. Money commands only ask whether there was one. */
export const attemptsTable = laneTable(
  table({
    name: "charge_attempts",
    key: ["accountId", "chargeId", "institutionId"],
    columns: {
      accountId: uuid,
      chargeId: uuid,
      institutionId: uuid,
      txid: text,
      outcome: oneOf(ATTEMPT_OUTCOMES),
      /** When the loop queries the PSP about a stray charge; null: never again. */
      nextAt: nullable(instant),
      checks: int,
      createdAt: instant,
    },
    leftOut: ["reason", "updated_at"],
  }),
  { order: 110, load: "plain", without: ["txid", "nextAt", "checks", "createdAt"] },
);

/** A stray charge is removed after this time, milliseconds: the abandoned call has ended by then. */
const STRAY_AFTER = 15_000;

/**
 * Moves an intent to the next institution. The attempt that is left is stored before the next institution is called, so
 * that a crash forgets neither.
 *
 * @returns false when the intent is no longer open at `from`: it was settled, or another call has moved it.
 */
export async function leaveInstitution(
  ctx: Pick<Context, "db" | "clock">,
  step: AttemptAt & {
    readonly txid: string;
    readonly outcome: "refused" | "stray";
    readonly reason: string;
    readonly to: string;
    readonly routing: Routing;
  },
): Promise<boolean> {
  const now = ctx.clock.date();
  const nextAt = step.outcome === "stray" ? new Date(now.getTime() + STRAY_AFTER) : null;
  const move = sql`
    with moved as (
      update charges set institution_id = ${step.to}, routing = (${jsons([step.routing])}::jsonb[])[1], updated_at = ${now}
      where account_id = ${step.accountId} and charge_id = ${step.chargeId} and status = 'creating'
        and institution_id = ${step.institutionId}
      returning account_id, charge_id
    )
    insert into charge_attempts (account_id, charge_id, institution_id, txid, outcome, reason, next_at, created_at, updated_at)
    select account_id, charge_id, ${step.institutionId}, ${step.txid}, ${step.outcome}, ${step.reason}, ${nextAt}::timestamptz,
      ${now}::timestamptz, ${now}::timestamptz
    from moved
    on conflict (account_id, charge_id, institution_id) do update
      set outcome = excluded.outcome, reason = excluded.reason, next_at = excluded.next_at, updated_at = excluded.updated_at`;
  // Run at the shard's own server: planning this statement crashes a cluster's coordinator (Citus 13.2.2).
  const [moved] = await unlessMoved(() => ctx.db.atOnce([move], [step]));
  return moved!.rowCount === 1;
}

/** Institutions at which an intent was tried and that it has left. */
export async function attemptedInstitutions(
  ctx: Pick<Context, "db">,
  { accountId, chargeId }: Omit<AttemptAt, "institutionId">,
): Promise<ReadonlySet<string>> {
  const { rows } = await ctx.db.query<{ institution_id: string }>(sql`
    select institution_id from charge_attempts where account_id = ${accountId} and charge_id = ${chargeId}`);
  return new Set(rows.map((row) => row.institution_id));
}
