import { LIMITS } from "../config.ts";
import { instant, int, pick, relation, table, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { onTenants, type Sql, sql } from "../db/sql.ts";

/**
 * The schedule of charges that are `creating` or `pending`: a row each, inserted with the intent and deleted with the
 * charge's end. In the charge's own row the schedule would be in an index, and every settlement would write new entries
 * into all of its indexes (docs/decisions/0022-leaner-rows.md). The charge's status stays the truth.
 */
export const openCharges = table({
  name: "open_charges",
  key: ["accountId", "walletId", "chargeId"],
  columns: {
    accountId: uuid,
    walletId: uuid,
    chargeId: uuid,
    /** When the poller processes it next. */
    checkAt: instant,
    /** How often it has done so since the charge became what it is. */
    checks: int,
  },
  groups: { schedule: { columns: ["checkAt"] } },
});

type ChargeKey = { readonly accountId: string; readonly walletId: string; readonly chargeId: string };
const KEY = pick(openCharges.columns, openCharges.key);
const SCHEDULED = { ...KEY, checkAt: instant };

/**
 * Opens the charges that the statement before it has inserted. By the end of the lease their calls have ended one way or
 * the other; an intent that is still open then is the poller's.
 */
export function openIntents(intents: readonly (ChargeKey & { readonly createdAt: Date })[]): Sql {
  const rows = intents.map((intent) => ({
    ...intent,
    checkAt: new Date(intent.createdAt.getTime() + LIMITS.idempotencyLease),
  }));
  return sql`
    insert into open_charges (account_id, wallet_id, charge_id, check_at)
    select u.account_id, u.wallet_id, u.charge_id, u.check_at from ${relation("u", SCHEDULED, rows)}
    join charges c on c.account_id = u.account_id and c.charge_id = u.charge_id and c.status = 'creating'
      and ${onTenants("c.account_id", rows)}
    on conflict do nothing`;
}

/** Ends the schedule of charges that are neither `creating` nor `pending` any more. */
export const closeCharges = async (tx: Tx, charges: readonly ChargeKey[]): Promise<void> => {
  await tx.query(sql`
    delete from open_charges o using ${relation("u", KEY, charges)}
    where o.account_id = u.account_id and o.wallet_id = u.wallet_id and o.charge_id = u.charge_id
      and ${onTenants("o.account_id", charges)}`);
};

/** Makes charges due for the poller. */
export const rescheduleCharges = openCharges.updater("schedule");
