import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import type { InstitutionConfig } from "../institutions/config.ts";
import { neededEnvironment } from "../lib/child-environment.ts";
import { ConfigError } from "../lib/config-error.ts";
import type { Provider } from "../psp/catalogue.ts";

/** The description of a simulator in its folder (mode 0600). */
type SimulatorCredentials = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly controlToken: string;
  readonly pixKey: string;
};

type Address = { readonly host: string; readonly port: number };

/** A bank that the simulator plays: its adapter and settings. */
export type SandboxBank = {
  readonly provider: Provider;
  /** Further arguments of the simulator: its dialect, its certificates. */
  readonly args: readonly string[];
  /** More settings of the institution: the certificates on our side. */
  readonly config: Partial<InstitutionConfig>;
};

export type RunningSimulator = {
  readonly url: string;
  /** Where a phone in the network opens the page of a charge now; null: nowhere. */
  payerUrl(): string | null;
  readonly credentials: SimulatorCredentials;
  readonly bank?: SandboxBank | undefined;
  /** Ends it, if this process started it. */
  stop(): Promise<void>;
};

const PROGRAM = fileURLToPath(new URL("../../../psp-simulator/src/main.ts", import.meta.url));
/** Time in which a new simulator must be ready, ms: an idle machine needs half a second, one with forty programs to run more than 15. */
const START_TIMEOUT = 60_000;
/**
 * Time in which a running one must answer, milliseconds: another program may use the port, and the error about it should
 * come soon.
 */
const ANSWER_TIMEOUT = 15_000;
/** From its end to its restart; twice as long after each restart that failed. Milliseconds. */
const RESTART_PAUSE = { first: 500, most: 30_000 };

/**
 * Starts the PSP simulator as a separate process, or finds the one that another gateway process of this data directory has
 * started. It ends with this process (its standard input closes) and is restarted when it dies.
 */
export async function startSimulator(options: {
  readonly host: string;
  readonly port: number;
  /** Where payers reach it from the network; left out or null: nowhere. */
  readonly payers?: Address | null;
  readonly dataDir: string;
  readonly log: Logger;
  readonly bank?: SandboxBank | undefined;
  /** What the gateway's clock is ahead of the machine's, milliseconds: its bank lives on the same day. */
  readonly clockOffset?: number;
}): Promise<RunningSimulator> {
  const folder = join(options.dataDir, "simulator");
  const { bank } = options;
  const args = [...(bank?.args ?? []), `--clock-offset=${Math.round((options.clockOffset ?? 0) / 1_000)}`];
  const running = options.port === 0 ? null : await findRunning(`http://${options.host}:${options.port}`, folder);
  const { payers } = options;
  if (running) {
    warnOfOtherDoor(options.log, payers ?? null, running.payerUrl);
    return { ...running, payerUrl: () => running.payerUrl, bank, stop: async () => {} };
  }

  const doorAt = (port: number): string[] => (payers ? ["--payer-address", addressOf({ ...payers, port })] : []);
  const first = await launch(options.host, options.port, folder, [...args, ...doorAt(payers?.port ?? 0)]);
  const port = Number(new URL(first.url).port);
  const door = first.payerUrl === null ? [] : doorAt(portOf(first.payerUrl));
  const relaunch = async (): Promise<Launched> => {
    if (door.length === 0) return launch(options.host, port, folder, args);
    return launch(options.host, port, folder, [...args, ...door]).catch((error: unknown) => {
      // The machine may have left the network in which it had this address: payments of the sandbox go on all the same.
      options.log.warn({ err: error }, "the PSP simulator is started without its door for phones");
      return launch(options.host, port, folder, args);
    });
  };
  const supervised = supervise(first, relaunch, options.log);
  return {
    url: first.url,
    payerUrl: supervised.payerUrl,
    credentials: readCredentials(folder),
    bank,
    stop: supervised.stop,
  };
}

/** Restarts a program whenever it ends, until it is stopped; one that cannot be restarted is tried again and again. */
function supervise(first: Launched, relaunch: () => Promise<Launched>, log: Logger) {
  let running = first;
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.stdin?.end();
    await gone;
  };
  const restart = async (): Promise<void> => {
    for (let pause = RESTART_PAUSE.first; ; pause = Math.min(2 * pause, RESTART_PAUSE.most)) {
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
      if (stopping) return;
      try {
        running = await relaunch();
        watch();
        // It was stopped while it started.
        return stopping ? await stop() : undefined;
      } catch (error) {
        log.error({ err: error }, "the PSP simulator could not be started again");
      }
    }
  };
  const watch = (): void => {
    running.child.once("exit", (code, signal) => {
      if (stopping) return;
      log.warn({ code, signal }, "the PSP simulator ended; it is started again");
      void restart();
    });
  };
  watch();
  return { payerUrl: () => running.payerUrl, stop };
}

const portOf = (url: string): number => Number(new URL(url).port || 80);
const addressOf = ({ host, port }: Address): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** A simulator that runs already has the door of whoever started it, or none: the setting of a later gateway changes nothing. */
function warnOfOtherDoor(log: Logger, wanted: Address | null, found: string | null): void {
  if (wanted === null) return;
  const isAsSet =
    found !== null &&
    new URL(found).hostname === new URL(`http://${addressOf(wanted)}`).hostname &&
    (wanted.port === 0 || wanted.port === portOf(found));
  if (isAsSet) return;
  const door = found === null ? "without a door for phones" : `with its door for phones at ${found}`;
  log.warn(
    `PIXGATE_SANDBOX_ADDRESS has no effect: the PSP simulator was running already, ${door}. Stop the gateway that started it, and start this one`,
  );
}

async function launch(host: string, port: number, folder: string, args: readonly string[]): Promise<Launched> {
  const child = spawn(
    process.execPath,
    [PROGRAM, "--host", host, "--port", String(port), "--data-dir", folder, "--exit-with-stdin", ...args],
    // In its own process group: Ctrl-C reaches this process first, which ends the simulator when its own work is done.
    { stdio: ["pipe", "pipe", "pipe"], detached: true, env: neededEnvironment() },
  );
  const errors: string[] = [];
  createInterface({ input: child.stderr! }).on("line", (line) => {
    errors.push(line);
    if (errors.length > 20) errors.shift();
  });
  const started = await new Promise<Ready>((resolve, reject) => {
    const timer = setTimeout(() => reject(new ConfigError("the PSP simulator did not become ready")), START_TIMEOUT);
    child.once("exit", (code) => {
      const last = errors.at(-1) ?? "";
      reject(new ConfigError(`${wrongSetting(last)}the PSP simulator ended with ${code}: ${last}`));
    });
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const ready = readReady(line);
      if (ready === null) return;
      clearTimeout(timer);
      resolve(ready);
    });
  }).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  child.removeAllListeners("exit");
  return { child, ...started };
}

/** The addresses at which a simulator reports that it answers. */
type Ready = { readonly url: string; readonly payerUrl: string | null };
type Launched = Ready & { readonly child: ChildProcess };

/** The setting for the port, named where a program cannot listen on it. */
function wrongSetting(line: string): string {
  if (line.includes("the address for payers")) return "PIXGATE_SANDBOX_ADDRESS: ";
  if (/is in use|EADDRINUSE|EACCES/.test(line)) return "PIXGATE_SIMULATOR_PORT: ";
  return /EADDRNOTAVAIL|getaddrinfo/.test(line) ? "PIXGATE_HOST: " : "";
}

function readReady(line: string): Ready | null {
  try {
    const { ready, url, payerUrl } = JSON.parse(line) as { ready?: unknown; url?: unknown; payerUrl?: unknown };
    if (ready !== true || typeof url !== "string") return null;
    return { url, payerUrl: typeof payerUrl === "string" ? payerUrl : null };
  } catch {
    return null;
  }
}

/**
 * Finds a simulator that answers on this address with the token of this folder. Where nothing listens it returns at
 * once. It waits for a slow simulator, because a second one cannot start on the same folder.
 */
async function findRunning(
  url: string,
  folder: string,
): Promise<(Ready & Pick<RunningSimulator, "credentials">) | null> {
  try {
    const credentials = readCredentials(folder);
    // Only here: the start of a gateway begins with this file.
    const { request } = await import("undici");
    const answer = await request(`${url}/control/health`, {
      headers: { authorization: `Bearer ${credentials.controlToken}` },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    });
    const { payerUrl } = (await answer.body.json()) as { payerUrl?: string | null };
    return answer.statusCode === 200 ? { url, payerUrl: payerUrl ?? null, credentials } : null;
  } catch {
    return null;
  }
}

const readCredentials = (folder: string): SimulatorCredentials =>
  JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8")) as SimulatorCredentials;
