import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { type Db, openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick, type Random } from "../harness/random.ts";

/** A PostgreSQL that is killed and supervised. */
export type Server = {
  port(): number;
  /** What a program's DATABASE_URL is, over a wire on another port. */
  urlOver(port: number): string;
  /** Past every wire. */
  readonly db: Db;
  /** kill -9 of the postmaster; it is started again. */
  killPostmaster(): Promise<void>;
  /** kill -9 of a process that serves a gateway: the whole server ends every connection and recovers. False: there was none. */
  killBackend(random: Random): Promise<boolean>;
  readonly kills: { postmaster: number; backend: number };
  stop(): Promise<void>;
};

export async function startServer(folder: string): Promise<Server> {
  const dataDir = join(folder, "postgres");
  const start = () => startEmbeddedPostgres({ dataDir, log: () => {} });
  let server: EmbeddedPostgres = await start();
  const first = server.port;
  const kills = { postmaster: 0, backend: 0 };
  const db = openDb({ url: server.url, max: 3, onError: () => {} });
  // A crash begins with syncing every file of the folder, one by one: seconds, of which nothing is learned.
  await db.query(sql`alter system set recovery_init_sync_method = 'syncfs'`);
  await db.query(sql`select pg_reload_conf()`);
  return {
    port: () => server.port,
    urlOver(port) {
      const url = new URL(server.url);
      url.port = String(port);
      return url.href;
    },
    db,
    kills,
    async killPostmaster() {
      process.kill(server.pid, "SIGKILL");
      kills.postmaster += 1;
      // The old one's children go when they notice.
      for (;;) {
        try {
          server = await start();
          if (server.port !== first) throw new Error(`PostgreSQL came back on port ${server.port}`);
          return;
        } catch (error) {
          if ((error as Error).name !== "EmbeddedPostgresError") throw error;
          await pause(100);
        }
      }
    },
    async killBackend(random) {
      try {
        const { rows } = await db.query<{ pid: number }>(sql`
          select pid from pg_stat_activity where application_name like 'pixgate%' and pid <> pg_backend_pid() order by pid`);
        if (rows.length === 0) return false;
        process.kill(pick(random, rows).pid, "SIGKILL");
        kills.backend += 1;
        return true;
      } catch {
        // It is recovering from the last one.
        return false;
      }
    },
    async stop() {
      await db.end().catch(() => {});
      await server.stop();
    },
  };
}
