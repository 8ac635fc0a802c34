import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client, type Sandbox } from "./client.ts";
import { eventually } from "./eventually.ts";

/** A gateway that runs as a process of its own, as operators run it. */
export type GatewayProcess = {
  readonly url: string;
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** A merchant who is logged in here. */
  client(sandbox: Sandbox): Promise<Client>;
  /** Resolves with the exit code; null when a signal ended it. */
  exited: Promise<number | null>;
  /** SIGTERM, and waits. */
  stop(): Promise<number | null>;
};

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** As the command does (gateway/bin/pixgate.mjs). */
const RESOLVE = new URL("../../bin/resolve.mjs", import.meta.url).href;

/**
 * The variables of this process that a program gets: where programs are found, and the cache of compiled code, which
 * saves half of the CPU of a start.
 */
const INHERITED = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE", "NODE_COMPILE_CACHE_PORTABLE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** How long output may follow the end of its process, milliseconds. */
const OUTPUT_ENDS = 5_000;

/** All clients of a test have one address. */
const OF_TESTS = {
  PIXGATE_PORT: "0",
  PIXGATE_SIMULATOR_PORT: "0",
  PIXGATE_RATE_LIMIT: "off",
  PIXGATE_CONNECTIONS_PER_ADDRESS: "2000",
};

/** Starts `serve` and waits until it says that it is ready, or fails with what it wrote. */
export async function startProcess(
  env: Record<string, string>,
  args: readonly string[] = [],
  timeoutMs = 90_000,
  main = MAIN,
): Promise<GatewayProcess> {
  const started = launchProcess(env, args, main);
  const match = await eventually(
    "the gateway to be ready",
    () => {
      if (started.child.exitCode !== null) throw new Error(`it ended: ${started.stderr()}`);
      return /Pixgate is ready: (\S+)\/v2|worker is running/.exec(started.stdout());
    },
    timeoutMs,
  ).catch((error: unknown) => {
    started.child.kill("SIGKILL");
    throw new Error(`${(error as Error).message}\n${started.stderr()}`);
  });
  return { ...started, url: match[1] ?? "" };
}

/** Starts another process of a gateway, on its database and with its keys. */
export const startBeside = (
  { databaseUrl, dataDir }: { readonly databaseUrl: string; readonly dataDir: string },
  more: Record<string, string> = {},
): Promise<GatewayProcess> =>
  startProcess({ DATABASE_URL: databaseUrl, PIXGATE_DATA_DIR: dataDir, PIXGATE_SIMULATOR_PORT: "off", ...more });

/** Starts `serve` without waiting: for starts that are to fail. */
export function launchProcess(
  env: Record<string, string>,
  args: readonly string[] = [],
  main = MAIN,
): Omit<GatewayProcess, "url"> & { url: string } {
  const child = spawn(process.execPath, ["--import", RESOLVE, main, "serve", ...args], {
    env: { ...INHERITED, ...OF_TESTS, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr!.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // At the end of its output, not before: what it says last may be read after its end. Programs that it started may hold the
  // output open when it is killed.
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (code) => resolve(code));
    child.once("exit", (code) => setTimeout(() => resolve(code), OUTPUT_ENDS).unref());
  });
  return {
    url: "",
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    client(sandbox) {
      const url = /Pixgate is ready: (\S+)/.exec(stdout)![1]!;
      return new Client(url).login(sandbox.clientId, sandbox.clientSecret);
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      return exited;
    },
  };
}
