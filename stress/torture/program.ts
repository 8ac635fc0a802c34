import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pause } from "../../gateway/test/harness/eventually.ts";

const MAIN = fileURLToPath(new URL("../../gateway/src/main.ts", import.meta.url));

/** A supervised gateway or worker: it is restarted whenever it ends, as an operator's system does. */
export type Program = {
  readonly name: string;
  /** Whether it runs and has reported that it is ready. */
  isReady(): boolean;
  /** kill -9; false when no process was running. */
  kill(): boolean;
  /** Stops the supervision, and ends the process with SIGTERM; returns its exit code. */
  stop(): Promise<number | null>;
  readonly account: Account;
};

/** The record of a program. */
type Account = {
  starts: number;
  /** Starts that failed before the program was ready, because the database was down. */
  failedStarts: number;
  kills: number;
  /** Number of kills at each failpoint. */
  readonly failpoints: Map<string, number>;
  /** Unexpected ends, with the last lines of output. */
  readonly crashes: string[];
  /** Number of error lines in the log, by message. */
  readonly errors: Map<string, number>;
  /** Samples of every process, at its end and every ten seconds: age in seconds and resident memory in MB. */
  readonly memory: { readonly life: number; readonly age: number; readonly mb: number }[];
};

/** The output of a start that failed because the database was down. */
const DATABASE_AWAY = /^pixgate: PostgreSQL cannot be worked with: .+$/;
/** Errors of the database: it is down, restarting or disconnected. */
const OF_THE_DATABASE =
  /: (read ECONN|write E(PIPE|CONN)|connect ECONN|Connection terminated|Client has encountered a connection error|the database system is|terminating connection|Query read timeout|timeout exceeded when trying to connect|canceling statement due to)/;
const PAUSE = 100;

/** @param envOf the environment of the nth start, from 1. */
export function startProgram(
  name: string,
  args: readonly string[],
  envOf: (life: number) => Record<string, string>,
  hooks: { readonly onFailpoint: (env: Record<string, string>, point: string) => void },
): Program {
  const account: Account = {
    starts: 0,
    failedStarts: 0,
    kills: 0,
    failpoints: new Map(),
    crashes: [],
    errors: new Map(),
    memory: [],
  };
  let child: ChildProcess | null = null;
  let [ready, over, killed] = [false, false, false];
  let lastCode: number | null = null;

  async function live(life: number): Promise<void> {
    const env = envOf(life);
    const lines: string[] = [];
    // Noted when the line appears, because work under way may write further lines after it.
    let isDatabaseDown = false;
    const began = performance.now();
    const one = spawn(process.execPath, [MAIN, "serve", ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = one;
    [ready, killed] = [false, false];
    account.starts += 1;
    createInterface({ input: one.stdout! }).on("line", (line) => {
      if (/Pixgate is ready|worker is running/.test(line)) ready = true;
    });
    createInterface({ input: one.stderr! }).on("line", (line) => {
      lines.push(line);
      if (lines.length > 30) lines.shift();
      isDatabaseDown ||= DATABASE_AWAY.test(line);
      countError(account.errors, line);
    });
    const check = () => {
      const mb = residentMb(one.pid!);
      if (mb !== null) account.memory.push({ life, age: Math.round((performance.now() - began) / 1_000), mb });
    };
    const watching = setInterval(check, 10_000);
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
      one.once("close", (...ended) => resolve(ended as [number | null, NodeJS.Signals | null])),
    );
    clearInterval(watching);
    lastCode = code;
    const wasReady = ready;
    ready = false;
    const point = lines.map((line) => /^failpoint (\S+)$/.exec(line)?.[1]).find((found) => found !== undefined);
    if (point !== undefined) {
      account.failpoints.set(point, (account.failpoints.get(point) ?? 0) + 1);
      hooks.onFailpoint(env, point);
    } else if (!killed && !over) {
      const words = lines.slice(-12).join("\n").slice(-2_500);
      if (!wasReady && code === 1 && isDatabaseDown) account.failedStarts += 1;
      else account.crashes.push(`${name} ended with ${code ?? signal}${wasReady ? "" : " at its start"}: ${words}`);
    }
  }

  const living = (async () => {
    for (let life = 1; !over; life += 1) {
      await live(life);
      if (!over) await pause(PAUSE);
    }
  })();
  const isAlive = () => child !== null && child.exitCode === null && child.signalCode === null;
  return {
    name,
    account,
    // The end of a process is noticed late, so its pid is checked too.
    isReady: () => ready && !killed && isAlive(),
    kill() {
      if (!isAlive() || killed) return false;
      killed = true;
      const mb = residentMb(child!.pid!);
      if (mb !== null && ready) account.memory.push({ life: account.starts, age: -1, mb });
      child!.kill("SIGKILL");
      account.kills += 1;
      return true;
    },
    async stop() {
      over = true;
      if (isAlive()) child!.kill("SIGTERM");
      await living;
      return lastCode;
    },
  };
}

/** Fills node's compile cache with all files of the program. */
export async function compileInto(folder: string): Promise<void> {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: folder };
  await once(spawn(process.execPath, [MAIN, "openapi"], { env, stdio: "ignore" }), "exit");
}

function countError(errors: Map<string, number>, line: string): void {
  if (!line.startsWith('{"level":50') && !line.startsWith('{"level":60')) return;
  let said = line.slice(0, 300);
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    said = `${msg}: ${err?.message ?? ""}`;
  } catch {
    // A line that a kill has cut off.
  }
  if (OF_THE_DATABASE.test(said)) return;
  errors.set(said, (errors.get(said) ?? 0) + 1);
}

function residentMb(pid: number): number | null {
  try {
    const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kb === undefined ? null : Math.round(Number(kb) / 1_024);
  } catch {
    return null;
  }
}
