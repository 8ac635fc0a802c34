/**
 * The lock that orders the claims of money against everything that stops sending. It is a lock on the table of brakes: held
 * in memory until the commit, and it writes no row.
 */
import type { Tx } from "./pool.ts";
import { type Sql, sql } from "./sql.ts";

/**
 * Run first in every transaction that claims rows from which money leaves. Claims run side by side, and each sees every
 * brake that was committed before it began.
 */
export const TO_SEND: Sql = sql`lock table brakes in row share mode`;

/**
 * For a transaction that stops sending (a brake, a suspension, a freeze): waits for the claims under way and lets no other
 * begin until it commits. After its commit no process claims anything that it stops.
 */
export const stopSending = (tx: Tx): Promise<unknown> => tx.query(sql`lock table brakes in exclusive mode`);
