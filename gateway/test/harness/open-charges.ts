import type { Queries } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";

/** Schedules the pending charges that a test has inserted by itself, as their creation would have. */
export const scheduleCharges = (db: Queries) =>
  db.query(sql`
    insert into open_charges (account_id, wallet_id, charge_id, check_at)
    select account_id, wallet_id, charge_id, expires_at from charges where status in ('creating', 'pending')
    on conflict do nothing`);
