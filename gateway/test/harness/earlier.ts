import { type Fragment, name, part } from "../../src/db/sql.ts";

/**
 * The time in a column `by` earlier (`"31 minutes"`), for an update. A cluster refuses the plain `column - interval`, whose
 * days depend on the session's time zone.
 */
export const earlier = (column: string, by: string): Fragment =>
  part`(${name(column)} at time zone 'UTC' - ${by}::interval) at time zone 'UTC'`;
