import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useCluster } from "../../gateway/src/db/cluster/map.ts";
import { type Db, openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { startCluster } from "../../gateway/test/harness/citus.ts";
import { pick, type Random } from "../harness/random.ts";
import { killOneOf, overWire, type Server } from "./server.ts";

/** Share of the kills of a backend that are replaced by moving a shard to the other worker, 0 to 1. */
const MOVES = 0.5;
const SHARDS = 8;

/**
 * A Citus cluster instead of one PostgreSQL: a killed postmaster is the coordinator's or a worker's, and sometimes a
 * shard moves to the other worker under load.
 *
 * @param bin folder of PostgreSQL's programs, with Citus installed.
 * @param log gets the reason when a shard was not moved: a kill can end a move.
 */
export async function startClusterServer(bin: string, log: (line: string) => void): Promise<Server> {
  // PostgreSQL runs as another user, who may not enter the gateways' folder.
  const place = mkdtempSync(join(tmpdir(), "pixgate-torture-cluster-"));
  chmodSync(place, 0o711);
  const cluster = await startCluster({
    bin,
    folder: place,
    settings: {
      "citus.shard_count": String(SHARDS),
      "citus.recover_2pc_interval": "5s",
      recovery_init_sync_method: "syncfs",
    },
  });
  await cluster.createDatabase("pixgate");
  const { coordinator, workers } = cluster;
  const kills = { postmaster: 0, backend: 0 };
  const moves = { begun: 0, done: 0 };
  const db = openDb({ url: coordinator.url(), max: 3, onError: () => {} });
  let moving: Promise<void> = Promise.resolve();
  return {
    port: () => coordinator.port,
    url: () => coordinator.url(),
    urlOver: (port) => overWire(coordinator.url(), port),
    db,
    kills,
    moves,
    ready: () => useCluster(db),
    async killPostmaster(random) {
      const victim = pick(random, [coordinator, ...workers]);
      await victim.kill();
      kills.postmaster += 1;
      await victim.start();
    },
    async killBackend(random) {
      if (random() < MOVES) {
        // One move at a time, while the strikes continue.
        const before = moving;
        moving = before
          .then(() => moveShard(db, random, moves))
          .catch((error: Error) => log(`a shard was not moved: ${error.message}`));
        return false;
      }
      // Backends of all servers count: a batch runs on the server that holds its shard.
      const servers = [db, ...workers.map(({ port }) => db.at({ host: "127.0.0.1", port }))];
      const killed = await killOneOf(servers, random);
      if (killed) kills.backend += 1;
      return killed;
    },
    async stop() {
      await moving;
      await db.end().catch(() => {});
      await cluster.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Moves a shard of all tables of accounts to the other worker. If a kill ends the move, cleans up after it. */
async function moveShard(db: Db, random: Random, moves: { begun: number; done: number }): Promise<void> {
  const { rows } = await db.query<{ id: number; from: number; to: number }>(sql`
    select s.shardid as id, n.nodeport as "from", o.nodeport as "to"
    from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid join pg_dist_node n on n.groupid = p.groupid
    join pg_dist_node o on o.groupid <> 0 and o.groupid <> n.groupid
    where s.logicalrelid = to_regclass('accounts') order by s.shardid`);
  const one = pick(random, rows);
  moves.begun += 1;
  await db.query(sql`
    select citus_move_shard_placement(${one.id}, '127.0.0.1', ${one.from}, '127.0.0.1', ${one.to})`);
  moves.done += 1;
}
