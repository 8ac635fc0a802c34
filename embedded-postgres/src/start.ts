import { resolve } from "node:path";
import { findBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { isOpen, urlOf } from "./connect.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { type Folder, folderAt, makeRoot } from "./folder.ts";
import { checkName, type Options } from "./options.ts";
import {
  findPostmaster,
  isOccupied,
  isPostmasterOf,
  type Postmaster,
  removeForeignPidFile,
  signal,
} from "./postmaster.ts";
import { chooseUser } from "./run-as.ts";
import { boundLog, choosePort, type Launched, launch } from "./server.ts";

/** A PostgreSQL that accepts connections. */
export type EmbeddedPostgres = {
  /** Address of the application's database, with the superuser's password: not for logs. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** True when the server was running already. */
  readonly attached: boolean;
  /** Fast shutdown; resolves when the server has ended. A server started since on the same folder is left alone. */
  stop(): Promise<void>;
};

/** Crash recovery replays the log since the last checkpoint: at most `max_wal_size`, well within this, milliseconds. */
const READY_TIMEOUT = 120_000;
/** Pause after a start that failed because another process was in the way, milliseconds. */
const RETRY_PAUSE = 250;
/** A fast shutdown waits this long for sessions to end before an immediate one is asked for, milliseconds. */
const FAST_STOP_TIMEOUT = 8_000;
/** An immediate shutdown only waits for the disk, milliseconds. */
const STOP_TIMEOUT = 30_000;
/** Milliseconds between two checks of the server's state. */
const POLL = 20;

/**
 * Starts the PostgreSQL of a folder, or attaches to the one that runs there: an application that was killed leaves its
 * server running, and its next start continues with it. Works as root (the server then runs as another user) and below
 * folders that only root may enter. Any number of processes may do so at once; `ownEmbeddedPostgres` lets only one.
 *
 * Throws `EmbeddedPostgresError` with one line when it cannot.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  checkName(options.name);
  const folder = folderAt(resolve(options.dataDir), options.name);
  try {
    return await startOrAttach(folder, options);
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) {
      // A refusal of the system (no right, no space) names the call and the path: that is the operator's line.
      if (!(error as NodeJS.ErrnoException).syscall) throw error;
      const { message } = error as Error;
      throw new EmbeddedPostgresError(`PostgreSQL cannot use ${folder.root}: ${message}`, { cause: error });
    }
    const { message, reason } = error;
    if (reason !== "unsupported" || options.alternative === undefined) throw error;
    throw new EmbeddedPostgresError(`${message}; ${options.alternative}`, { reason, cause: error });
  }
}

async function startOrAttach(folder: Folder, { settings, log }: Options): Promise<EmbeddedPostgres> {
  makeRoot(folder);
  const runAs = chooseUser(folder);
  const binaries = findBinaries(runAs, folder);
  const password = await ensureCluster(folder, binaries, runAs);

  const deadline = Date.now() + READY_TIMEOUT;
  const busyPorts = new Set<number>();
  let launched: Launched | null = null;
  let waits = false;
  while (Date.now() < deadline) {
    const running = findPostmaster(folder);
    if (running?.isReady && (await isOpen(folder.name, password, running.port))) {
      const attached = launched?.pid !== running.pid;
      if (attached) {
        boundLog(folder);
        log?.("info", "attached to the PostgreSQL that runs on the data directory");
      }
      return handleOf(folder, running, password, attached);
    }
    const failure: EmbeddedPostgresError | null = launched?.failure() ?? null;
    if (launched !== null && failure !== null) {
      if (isPortBusy(failure)) busyPorts.add(launched.port);
      else if (!isFolderBusy(failure)) throw failure;
      launched = null;
      await pause(RETRY_PAUSE);
    } else if (!running && launched === null && !isOccupied(folder)) {
      // A postmaster that is starting, recovering or stopping is waited for. A new one starts in an empty folder only.
      removeForeignPidFile(folder);
      launched = launch(folder, binaries, runAs, { port: await choosePort(folder, busyPorts), settings });
    } else if (launched === null && !waits) {
      log?.("info", "waiting for the PostgreSQL that is starting or stopping on the data directory");
      waits = true;
    }
    await pause(POLL);
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL was not ready within ${READY_TIMEOUT / 1000} s; its log is ${folder.log}`,
  );
}

const isPortBusy = ({ message }: Error): boolean => /address already in use|could not create any TCP/i.test(message);

/** Another start was faster, or a process of a killed postmaster has not ended yet. */
const isFolderBusy = ({ message }: Error): boolean => /lock file|shared memory block/i.test(message);

function handleOf(folder: Folder, { pid, port }: Postmaster, password: string, attached: boolean): EmbeddedPostgres {
  const url = urlOf({ user: folder.name, password, port, database: folder.name });
  return { url, port, pid, attached, stop: () => stop(folder, pid) };
}

async function stop(folder: Folder, pid: number): Promise<void> {
  const began = Date.now();
  signal(folder, pid, "SIGINT");
  let urgent = false;
  while (isPostmasterOf(folder, pid)) {
    const waited = Date.now() - began;
    if (waited > STOP_TIMEOUT) {
      throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) did not stop within ${STOP_TIMEOUT / 1000} s`);
    }
    if (!urgent && waited > FAST_STOP_TIMEOUT) {
      // An immediate shutdown loses nothing that was committed: the next start recovers.
      signal(folder, pid, "SIGQUIT");
      urgent = true;
    }
    await pause(POLL);
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
