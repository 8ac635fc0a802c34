import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { type Db, openDb, type Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { onServer } from "../../gateway/test/harness/backup.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { pick, type Random } from "../harness/random.ts";

/** A PostgreSQL that can be killed and restarts. */
export type Server = {
  port(): number;
  /** DATABASE_URL of a program, not over a wire. */
  url(): string;
  urlOver(port: number): string;
  /** A pool of the current database, not over a wire. */
  readonly db: Db;
  /**
   * `take` makes a backup while nobody can connect; `restore` makes it the current database, which programs use from
   * their next start on. Left out: not supported.
   */
  readonly backups?: { take(): Promise<void>; restore(): Promise<void> };
  /** Resolves when the schema exists. */
  ready(): Promise<void>;
  /** Kills a postmaster (-9) and restarts it. */
  killPostmaster(random: Random): Promise<void>;
  /**
   * Kills a backend of a gateway (-9): the server ends every connection and recovers. False: there was no such backend.
   */
  killBackend(random: Random): Promise<boolean>;
  readonly kills: { postmaster: number; backend: number };
  /** Number of shard moves, on a cluster. */
  readonly moves: { readonly begun: number; readonly done: number };
  stop(): Promise<void>;
};

/** DATABASE_URL over a wire on another port. */
export function overWire(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.port = String(port);
  return url.href;
}

/** Kills a gateway's backend at one of these servers (-9). False: there was none, or the servers are recovering. */
export async function killOneOf(servers: readonly Queries[], random: Random): Promise<boolean> {
  try {
    const pids: number[] = [];
    for (const server of servers) {
      const { rows } = await server.query<{ pid: number }>(sql`
        select pid from pg_stat_activity where application_name like 'pixgate%' and pid <> pg_backend_pid() order by pid`);
      pids.push(...rows.map(({ pid }) => pid));
    }
    if (pids.length === 0) return false;
    process.kill(pick(random, pids), "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

const COPY = "_restored";
const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

/** Copies a database. PostgreSQL requires that nobody is connected, so all connections are ended. */
async function copyDatabase(on: Queries, name: string): Promise<void> {
  for (;;) {
    try {
      await on.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`);
      await on.query({ text: `create database "${name}${COPY}" template "${name}"`, values: [] });
      return;
    } catch (error) {
      // A new connection was faster: retry.
      if ((error as { code?: string }).code !== "55006") throw error;
      await pause(100);
    }
  }
}

export async function startServer(folder: string): Promise<Server> {
  const dataDir = join(folder, "postgres");
  const start = () => startEmbeddedPostgres({ dataDir, log: () => {} });
  let server: EmbeddedPostgres = await start();
  const first = server.port;
  const kills = { postmaster: 0, backend: 0 };
  const maintenance = () => Object.assign(new URL(server.url), { pathname: "/postgres" }).href;
  let url = server.url;
  let db = openDb({ url, max: 3, onError: () => {} });
  // By default a recovery syncs every file of the folder one by one, which takes seconds and tests nothing.
  await db.query(sql`alter system set recovery_init_sync_method = 'syncfs'`);
  await db.query(sql`select pg_reload_conf()`);
  return {
    port: () => server.port,
    url: () => url,
    urlOver: (port) => overWire(url, port),
    get db() {
      return db;
    },
    backups: {
      take: () => onServer(maintenance(), (on) => copyDatabase(on, databaseOf(url))),
      async restore() {
        const restored = new URL(url);
        restored.pathname = `/${databaseOf(url)}${COPY}`;
        url = restored.href;
        const before = db;
        db = openDb({ url, max: 3, onError: () => {} });
        await before.end().catch(() => {});
      },
    },
    kills,
    moves: { begun: 0, done: 0 },
    ready: async () => {},
    async killPostmaster() {
      process.kill(server.pid, "SIGKILL");
      kills.postmaster += 1;
      // The children of the killed postmaster end when they notice its death.
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
      const killed = await killOneOf([db], random);
      if (killed) kills.backend += 1;
      return killed;
    },
    async stop() {
      await db.end().catch(() => {});
      await server.stop();
    },
  };
}
