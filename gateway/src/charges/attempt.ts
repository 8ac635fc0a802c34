import type { Context } from "../context.ts";
import { jsons, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { RowKey, Table } from "../ledger/books.ts";
import type { Routing } from "./route.ts";

/**
 * What is known of a charge at an institution that a failover left behind.
 *
 * - `refused`: nothing exists there.
 * - `stray`: it may exist there, and nobody has seen its code. It is removed when the institution is back.
 * - `removed`, `absent`: it can no longer be paid there.
 * - `paid`: somebody paid it all the same; the payment was booked.
 */
type AttemptOutcome = "refused" | "stray" | "removed" | "absent" | "paid";

/** An attempt as money commands see it: only that there was one. */
type Attempt = { readonly outcome: AttemptOutcome };

type AttemptAt = { readonly accountId: string; readonly chargeId: string; readonly institutionId: string };

export const attemptKey = ({ accountId, chargeId, institutionId }: AttemptAt): RowKey => ({
  accountId,
  id: `${chargeId} ${institutionId}`,
});

export const attemptsTable: Table<Attempt> = {
  name: "charge_attempts",
  order: 110,
  async load(tx, keys) {
    const parts = keys.map((key) => key.id.split(" ") as [string, string]);
    const { rows } = await tx.query<{
      account_id: string;
      charge_id: string;
      institution_id: string;
      outcome: AttemptOutcome;
    }>(sql`
      select a.account_id, a.charge_id, a.institution_id, a.outcome
      from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${uuids(parts.map(([chargeId]) => chargeId))}::uuid[],
        ${uuids(parts.map(([, institutionId]) => institutionId))}::uuid[]) as k (account_id, charge_id, institution_id)
      join charge_attempts a on a.account_id = k.account_id and a.charge_id = k.charge_id
        and a.institution_id = k.institution_id
      where ${onTenants("a.account_id", keys)}`);
    return rows.map(({ account_id: accountId, charge_id: chargeId, institution_id: institutionId, outcome }) => ({
      key: attemptKey({ accountId, chargeId, institutionId }),
      row: { outcome },
    }));
  },
};

/** A stray charge is looked for after this time: by then the call that was given up has come to its own end. */
const STRAY_AFTER = 15_000;

/**
 * Moves an intent to the next institution. What is left behind is stored before the next one is called, so that a
 * crash forgets neither of them.
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
  const { rowCount } = await ctx.db.query(sql`
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
      set outcome = excluded.outcome, reason = excluded.reason, next_at = excluded.next_at, updated_at = excluded.updated_at`);
  return rowCount === 1;
}

/** Institutions that an intent has been at and left. */
export async function attemptedInstitutions(
  ctx: Pick<Context, "db">,
  { accountId, chargeId }: Omit<AttemptAt, "institutionId">,
): Promise<ReadonlySet<string>> {
  const { rows } = await ctx.db.query<{ institution_id: string }>(sql`
    select institution_id from charge_attempts where account_id = ${accountId} and charge_id = ${chargeId}`);
  return new Set(rows.map((row) => row.institution_id));
}
