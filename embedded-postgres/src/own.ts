import pg from "pg";
import { EmbeddedPostgresError } from "./error.ts";
import type { Options } from "./options.ts";
import { startEmbeddedPostgres } from "./start.ts";

export type OwnOptions = Options & {
  /**
   * Called once when the server is lost for good: another process owns the data directory by now, or the server came
   * back on another port, where nobody who has the address finds it. The application should end.
   */
  readonly onLost: (error: EmbeddedPostgresError) => void;
};

/** A PostgreSQL that this process alone owns. */
export type OwnedPostgres = {
  /** Address of the application's database, with the superuser's password: not for logs. Stays the same for good. */
  readonly url: string;
  /** Gives the ownership up and stops the server. */
  close(): Promise<void>;
};

/** Key of the advisory lock that the owner holds in the application's database: any number nobody else uses there. */
const OWNER_LOCK = 7_246_117;
/** A killed owner's lock lives until the server sees its connection end, a moment. So many tries, milliseconds apart. */
const LOCK_TRIES = 20;
const LOCK_PAUSE = 50;
/** Milliseconds before a server that could not be started again is tried again. */
const RETRY_PAUSE = 500;

/**
 * Starts the PostgreSQL of a folder, or attaches to it, as its only owner. An advisory lock marks the owner: it lasts as
 * long as this process's connection, so a crash leaves nothing to clean up. When the server dies it is started again on
 * the same port, where pools of connections find it; when this process dies the server stays, and the next owner attaches.
 *
 * Throws `EmbeddedPostgresError` when it cannot; with the reason `owned` when another process owns the folder.
 */
export async function ownEmbeddedPostgres(options: OwnOptions): Promise<OwnedPostgres> {
  const { log, onLost } = options;
  let server = await startEmbeddedPostgres(options);
  const { url, port } = server;
  let lock = await takeLock(url, options);
  let isClosing = false;
  let recovery: Promise<void> = Promise.resolve();
  watch();

  function watch(): void {
    void lock.lost.then(() => {
      if (!isClosing) recovery = recover();
    });
  }

  async function recover(): Promise<void> {
    log?.("warn", "the connection that marks the owner of the data directory was lost; checking the server");
    while (!isClosing) {
      try {
        server = await startEmbeddedPostgres(options);
        if (server.port !== port) {
          return onLost(new EmbeddedPostgresError(`PostgreSQL came back on port ${server.port} instead of ${port}`));
        }
        lock = await takeLock(url, options);
        watch();
        log?.("info", "PostgreSQL is back");
        return;
      } catch (error) {
        if (isClosing) return;
        if (error instanceof EmbeddedPostgresError && error.reason === "owned") return onLost(error);
        log?.("error", "PostgreSQL could not be started again yet", error);
        await pause(RETRY_PAUSE);
      }
    }
  }

  return {
    url,
    async close() {
      isClosing = true;
      await recovery;
      await lock.release();
      await server.stop();
    },
  };
}

type Lock = {
  /** Resolves when the connection that holds the lock has ended. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
};

async function takeLock(url: string, { name, dataDir }: Options): Promise<Lock> {
  const client = new pg.Client({ connectionString: url, application_name: `${name} owner`, keepAlive: true });
  // One loss makes several errors: the server's last words, then the closed socket.
  const lost = new Promise<void>((resolve) => client.on("error", () => resolve()));
  const release = () => client.end().catch(() => {});
  try {
    await client.connect();
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      if (tries > 0) await pause(LOCK_PAUSE);
      const { rows } = await client.query<{ mine: boolean }>("select pg_try_advisory_lock($1) as mine", [OWNER_LOCK]);
      if (rows[0]?.mine) return { lost, release };
    }
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  throw new EmbeddedPostgresError(`another process owns the PostgreSQL in ${dataDir}`, { reason: "owned" });
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
