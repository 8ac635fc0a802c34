import type { Logger } from "pino";
import { systemClock } from "../context.ts";
import { openOwnDatabase } from "../db/embedded.ts";
import { armFailpoints, dieBy } from "../lib/failpoint.ts";
import { type RunningSimulator, type SandboxBank, startSimulator } from "../sandbox/simulator.ts";
import type { Config } from "../settings/config.ts";
import { NO_DOOR } from "../settings/sandbox-address.ts";
import { both, Cleanup } from "./cleanup.ts";
import { makeDataDir } from "./installation/data-dir.ts";

/** The programs that a gateway needs; each is started unless the configuration names another, or wants none. */
export type Programs = { readonly databaseUrl: string; readonly simulator: RunningSimulator | null };

/** A start that has begun: its programs, and what undoes it. */
export type Begun = { readonly programs: Promise<Programs>; readonly cleanup: Cleanup };

/**
 * Begins a start with its programs, which take longer than loading the gateway: this file loads little, so that the rest is
 * loaded while they start. Not in production, where the configuration is checked before anything is started.
 */
export function begin(config: Config, log: Logger): Begun | null {
  if (config.environment === "production") return null;
  const cleanup = new Cleanup();
  const programs = startPrograms(config, log, cleanup);
  // It may fail before somebody waits for it.
  programs.catch(() => {});
  return { programs, cleanup };
}

/** @param bank how the simulator is used; left out: as the ordinary simulator. */
export async function startPrograms(
  config: Config,
  log: Logger,
  cleanup: Cleanup,
  bank?: SandboxBank,
): Promise<Programs> {
  if (config.failpoints !== null) armFailpoints(dieBy(config.failpoints));
  makeDataDir(config.dataDir);
  // The two do not depend on each other, so they start together.
  const [databaseUrl, simulator] = await both(
    config.databaseUrl ?? startOwnPostgres(config, log, cleanup),
    startOwnSimulator(config, log, cleanup, bank),
  );
  return { databaseUrl, simulator };
}

/** Starts the PostgreSQL of the data directory; returns the address for the gateway's role. */
async function startOwnPostgres({ dataDir }: Config, log: Logger, cleanup: Cleanup): Promise<string> {
  const server = await openOwnDatabase({
    dataDir,
    now: systemClock.date,
    log: (level, message, error) => log[level]({ err: error }, message),
    onLost: (message) => {
      log.fatal(message);
      process.exit(1);
    },
  });
  cleanup.add(() => server.close());
  return server.url;
}

/** Starts (or finds) the simulator; null where none is wanted. */
async function startOwnSimulator(
  config: Config,
  log: Logger,
  cleanup: Cleanup,
  bank: SandboxBank | undefined,
): Promise<RunningSimulator | null> {
  const { role, host, simulatorPort: port, sandboxAddress, dataDir, clockOffset } = config;
  if (role === "worker") return null;
  if (port === null) {
    if (sandboxAddress !== null) log.warn(NO_DOOR);
    return null;
  }
  const simulator = await startSimulator({ host, port, payers: sandboxAddress, dataDir, log, bank, clockOffset });
  cleanup.add(() => simulator.stop());
  return simulator;
}
