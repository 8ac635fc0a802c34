import { instant, int, nullable, pick, relation, table, uuid } from "../db/columns.ts";
import { onTenants, type Sql, sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";

/**
 * The schedule of charges that are `creating` or `pending`: one row each, inserted with the intent and deleted when the
 * charge ends. A schedule in the charge's own row would be indexed, and every settlement would write new entries into all
 * indexes of that row (docs/decisions/0022-leaner-rows.md). The charge's status remains the truth.
 */
export const openCharges = table({
  name: "open_charges",
  key: ["accountId", "walletId", "chargeId"],
  columns: {
    accountId: uuid,
    walletId: uuid,
    chargeId: uuid,
    /** When the poller queries it next. */
    checkAt: instant,
    /** How often the poller has queried it in its present status. */
    checks: int,
    /** The till that it stands on. A unique index lets one open charge stand there. */
    qrCodeId: nullable(uuid),
  },
  groups: { schedule: { columns: ["checkAt"] } },
});

type ChargeKey = { readonly accountId: string; readonly walletId: string; readonly chargeId: string };
const KEY = pick(openCharges.columns, openCharges.key);
const SCHEDULED = { ...KEY, checkAt: instant, qrCodeId: nullable(uuid) };

/**
 * Schedules the charges that the previous statement has inserted. Their calls have ended by the end of the lease; the
 * poller resolves an intent that is still open then.
 */
export function openIntents(
  intents: readonly (ChargeKey & { readonly createdAt: Date; readonly qrCodeId: string | null })[],
): Sql {
  const rows = intents.map((intent) => ({
    ...intent,
    checkAt: new Date(intent.createdAt.getTime() + LIMITS.idempotencyLease),
  }));
  return sql`
    insert into open_charges (account_id, wallet_id, charge_id, check_at, qr_code_id)
    select u.account_id, u.wallet_id, u.charge_id, u.check_at, u.qr_code_id from ${relation("u", SCHEDULED, rows)}
    join charges c on c.account_id = u.account_id and c.charge_id = u.charge_id and c.status = 'creating'
      and ${onTenants("c.account_id", rows)}
    on conflict do nothing`;
}

/** Deletes the schedule of charges that are no longer `creating` or `pending`. */
export const closeCharges = (charges: readonly ChargeKey[]): Sql => sql`
    delete from open_charges o using ${relation("u", KEY, charges)}
    where o.account_id = u.account_id and o.wallet_id = u.wallet_id and o.charge_id = u.charge_id
      and ${onTenants("o.account_id", charges)}`;

/** Makes charges due for the poller. */
export const rescheduleCharges = openCharges.updating("schedule");
