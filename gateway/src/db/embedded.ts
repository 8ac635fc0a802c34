import pg from "pg";
import { findBinaries } from "./embedded/binaries.ts";
import { ensureCluster, type Folder, folderAt, readPassword } from "./embedded/cluster.ts";
import { EmbeddedPostgresError } from "./embedded/error.ts";
import { chooseUser } from "./embedded/run-as.ts";
import {
  answers,
  choosePort,
  findPostmaster,
  lastError,
  launch,
  removeForeignPidFile,
  signal,
} from "./embedded/server.ts";

export { EmbeddedPostgresError };

/** A PostgreSQL of ours that answers. */
export type EmbeddedPostgres = {
  /** With the superuser's password: not for logs. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** True when it was running already. */
  readonly attached: boolean;
  /** Fast shutdown; resolves when it is down. */
  stop(): Promise<void>;
};

/** Crash recovery replays the log since the last checkpoint: at most `max_wal_size`, well within this, milliseconds. */
const READY_TIMEOUT = 120_000;
const FAST_STOP_TIMEOUT = 7_000;
const POLL = 20;

/**
 * Starts the PostgreSQL of a folder, or attaches to the one that runs there: a gateway that was killed leaves its server
 * alive, and the next start goes on with it. Works as root (the server then runs as another user) and below folders
 * that only root may enter. Who owns the folder is the caller's to decide.
 *
 * Throws `EmbeddedPostgresError` with one line when it cannot.
 */
export async function startEmbeddedPostgres(options: {
  /** Folder of this server, made when it is missing. */
  readonly dataDir: string;
  readonly log: (message: string) => void;
}): Promise<EmbeddedPostgres> {
  const folder = folderAt(options.dataDir);
  const runAs = chooseUser();
  const password = readPassword(folder);
  const binaries = findBinaries(runAs);
  await ensureCluster(folder, binaries, runAs, password);

  const deadline = Date.now() + READY_TIMEOUT;
  const busyPorts = new Set<number>();
  let launched: { pid: number; port: number; ended: () => boolean } | null = null;
  while (Date.now() < deadline) {
    const running = findPostmaster(folder);
    if (running && running.port > 0 && (await answers(urlOf(password, running.port, "postgres")))) {
      await ensureDatabase(urlOf(password, running.port, "postgres"));
      const attached = launched?.pid !== running.pid;
      if (attached) options.log("attached to the PostgreSQL that runs on the data directory");
      return {
        url: urlOf(password, running.port, "pixgate"),
        port: running.port,
        pid: running.pid,
        attached,
        stop: () => stop(folder),
      };
    }
    if (launched?.ended()) {
      const reason = lastError(folder);
      if (/address already in use|could not create any TCP/i.test(reason)) busyPorts.add(launched.port);
      else if (!/lock file|shared memory block|still in use/i.test(reason) && !running) {
        throw new EmbeddedPostgresError(`PostgreSQL did not start: ${reason}; its log is ${folder.log}`);
      }
      launched = null;
    }
    // A postmaster that is starting, recovering or stopping is waited for; only an empty house is moved into.
    if (!running && !launched) {
      removeForeignPidFile(folder);
      const port = await choosePort(folder, busyPorts);
      launched = { ...launch(folder, binaries, runAs, port), port };
    }
    await pause();
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL was not ready within ${READY_TIMEOUT / 1000} s; its log is ${folder.log}`,
  );
}

const urlOf = (password: string, port: number, database: string): string =>
  `postgres://pixgate:${password}@127.0.0.1:${port}/${database}`;

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query("select from pg_database where datname = 'pixgate'");
    if (rowCount === 0) await client.query("create database pixgate");
  } catch (error) {
    // Two first starts at once: the other one has made it (42P04), or is making it (23505).
    if (!["42P04", "23505"].includes((error as { code?: string }).code ?? "")) throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

async function stop(folder: Folder): Promise<void> {
  const began = Date.now();
  if (!signal(folder, "SIGINT")) return;
  let urgent = false;
  while (findPostmaster(folder)) {
    if (!urgent && Date.now() - began > FAST_STOP_TIMEOUT) {
      // An immediate stop loses nothing that was committed: the next start recovers.
      urgent = signal(folder, "SIGQUIT");
    }
    await pause();
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL));
