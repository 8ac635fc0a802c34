import { readShards } from "../../db/cluster/map.ts";
import type { Db } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { type Check, ok, wrong } from "./check.ts";

/**
 * Checks that each server of a cluster lets this process in as the coordinator does: payments are booked directly at the server
 * of their account. Null on one PostgreSQL.
 *
 * @param explain the meaning of a connection's error; null: it is not the server's.
 */
export async function checkCluster(db: Db, explain: (error: unknown) => string | null): Promise<Check | null> {
  const servers = new Map((await readShards(db)).map(({ host, port }) => [`${host}:${port}`, { host, port }]));
  if (servers.size === 0) return null;
  const closed: string[] = [];
  for (const [name, server] of servers) {
    try {
      await db.at(server).query(sql`select 1`);
    } catch (error) {
      const reason = explain(error);
      if (reason === null) throw error;
      closed.push(`${name} (${reason})`);
    }
  }
  return closed.length === 0
    ? ok("cluster", `this role gets in at each of its ${servers.size} servers`)
    : wrong(
        "cluster",
        `this role must get in at each server as at the coordinator, and does not at ${closed.join(", ")}`,
      );
}
