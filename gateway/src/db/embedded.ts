import { resolve } from "node:path";
import { findBinaries } from "./embedded/binaries.ts";
import { ensureCluster, type Folder, folderAt, makeRoot } from "./embedded/cluster.ts";
import { isOpen, urlOf } from "./embedded/connect.ts";
import { EmbeddedPostgresError } from "./embedded/error.ts";
import {
  findPostmaster,
  isOccupied,
  isOurs,
  type Postmaster,
  removeForeignPidFile,
  signal,
} from "./embedded/postmaster.ts";
import { chooseUser } from "./embedded/run-as.ts";
import { boundLog, choosePort, type Launched, launch } from "./embedded/server.ts";

export { EmbeddedPostgresError };

/** A PostgreSQL of ours that answers. */
export type EmbeddedPostgres = {
  /** With the superuser's password: not for logs. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** True when it was running already. */
  readonly attached: boolean;
  /** Fast shutdown; resolves when it is down. A server that somebody has started since is left alone. */
  stop(): Promise<void>;
};

/** Crash recovery replays the log since the last checkpoint: at most `max_wal_size`, well within this, milliseconds. */
const READY_TIMEOUT = 120_000;
/** Pause after a start that failed because another process was in the way, milliseconds. */
const RETRY_PAUSE = 250;
const FAST_STOP_TIMEOUT = 8_000;
/** An immediate stop only waits for the disk, milliseconds. */
const STOP_TIMEOUT = 30_000;
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
  const folder = folderAt(resolve(options.dataDir));
  try {
    return await startOrAttach(folder, options.log);
  } catch (error) {
    // What the system refuses (no right, no space) says which call and which path: that is the operator's line.
    if (error instanceof EmbeddedPostgresError || !(error as NodeJS.ErrnoException).syscall) throw error;
    throw new EmbeddedPostgresError(`PostgreSQL cannot use ${folder.root}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function startOrAttach(folder: Folder, log: (message: string) => void): Promise<EmbeddedPostgres> {
  makeRoot(folder);
  const runAs = chooseUser(folder.data);
  const binaries = findBinaries(runAs, folder.root);
  const password = await ensureCluster(folder, binaries, runAs);

  const deadline = Date.now() + READY_TIMEOUT;
  const busyPorts = new Set<number>();
  let launched: Launched | null = null;
  let waits = false;
  while (Date.now() < deadline) {
    const running = findPostmaster(folder);
    if (running?.isReady && (await isOpen(password, running.port))) {
      const attached = launched?.pid !== running.pid;
      if (attached) {
        boundLog(folder);
        log("attached to the PostgreSQL that runs on the data directory");
      }
      return open(folder, running, password, attached);
    }
    const failure: string | null = launched?.failure() ?? null;
    if (launched !== null && failure !== null) {
      if (isPortBusy(failure)) busyPorts.add(launched.port);
      else if (!isFolderBusy(failure)) {
        throw new EmbeddedPostgresError(`PostgreSQL did not start: ${failure}; its log is ${folder.log}`);
      }
      launched = null;
      await pause(RETRY_PAUSE);
    } else if (!running && launched === null && !isOccupied(folder)) {
      // A postmaster that is starting, recovering or stopping is waited for; only an empty house is moved into.
      removeForeignPidFile(folder);
      launched = launch(folder, binaries, runAs, await choosePort(folder, busyPorts));
    } else if (launched === null && !waits) {
      log("waiting for the PostgreSQL that is starting or stopping on the data directory");
      waits = true;
    }
    await pause(POLL);
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL was not ready within ${READY_TIMEOUT / 1000} s; its log is ${folder.log}`,
  );
}

const isPortBusy = (failure: string): boolean => /address already in use|could not create any TCP/i.test(failure);

/** Another start was faster, or a process of a killed postmaster is not yet gone. */
const isFolderBusy = (failure: string): boolean => /lock file|shared memory block/i.test(failure);

function open(folder: Folder, { pid, port }: Postmaster, password: string, attached: boolean): EmbeddedPostgres {
  return { url: urlOf(password, port, "pixgate"), port, pid, attached, stop: () => stop(folder, pid) };
}

async function stop(folder: Folder, pid: number): Promise<void> {
  const began = Date.now();
  signal(folder, pid, "SIGINT");
  let urgent = false;
  while (isOurs(pid, folder)) {
    const waited = Date.now() - began;
    if (waited > STOP_TIMEOUT) {
      throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) did not stop within ${STOP_TIMEOUT / 1000} s`);
    }
    if (!urgent && waited > FAST_STOP_TIMEOUT) {
      // An immediate stop loses nothing that was committed: the next start recovers.
      signal(folder, pid, "SIGQUIT");
      urgent = true;
    }
    await pause(POLL);
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
