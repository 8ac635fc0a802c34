/** Runs node's test runner. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { compileCache } from "./compile-cache.ts";
import { CPU_FOLDER } from "./cpu.ts";
import { OWN_PROCESS } from "./files.ts";

/** Starts what all test files share, a PostgreSQL with a template database, before the first of them. */
const GLOBAL_SETUP = "gateway/test/harness/global-setup.ts";
/** Finds our own files without asking the disk, which saves much of a start: a test imports most of the gateway. */
const RESOLVE = "./gateway/bin/resolve.mjs";
const SECONDS = "./scripts/test/seconds.ts";
const NOTE_CPU = "./scripts/test/note-cpu.ts";
const FOLLOW = "./scripts/test/follow.ts";
/**
 * Concurrent processes, for two cores. Tests mostly wait: the longest deep files use 0.4 of a core each, and so do ordinary
 * files, beside which no waiting ones run.
 */
export const AT_ONCE = { ordinary: 5, deep: 4 };
/**
 * On a new machine Go compiles its library before it runs an example: 32 s of CPU, 22 without optimisation. One setting for
 * all programs, which then share what is compiled.
 */
const GO_FLAGS = "'-gcflags=all=-N -l'";
/**
 * Time-out of a test that sets none, milliseconds. Beside other work on two cores a test takes up to five times its
 * usual time: ordinary tests took up to 95 s, deep ones (a sweep of all screens) 120 s.
 */
export const TIMEOUT = { ordinary: 240_000, deep: 360_000 };
/**
 * Milliseconds without output after which the run is interrupted: a file that leaves a socket or a timer open never
 * ends by itself, and node's own limit is for tests only. The runner then names the file. The longest deep test, a month
 * at three banks, is silent for 280 s, and took 530 s beside other work.
 */
const SILENCE = { ordinary: 300_000, deep: 1_200_000 };
/** Time for the runner to report the interruption and to end the global set-up, milliseconds. */
const GRACE = 30_000;

export type RunOptions = {
  readonly psp: string | null;
  readonly deep: boolean;
  readonly nodeOptions: readonly string[];
  /** Concurrent processes; left out: `AT_ONCE`. */
  readonly atOnce?: number;
  /** Called with each line of output; left out: prints it. */
  readonly print?: (line: string) => void;
};
export type Result = { readonly code: number; readonly passed: number; readonly failed: number };

/** Runs the files and prints what node's runner reports, with its counts as the last lines. */
export async function run(root: string, files: readonly string[], options: RunOptions): Promise<Result> {
  const { print = console.log } = options;
  const cpu = mkdtempSync(join(tmpdir(), "pixgate-cpu-"));
  const child = spawn(
    process.execPath,
    [
      `--import=${RESOLVE}`,
      `--import=${NOTE_CPU}`,
      `--import=${FOLLOW}`,
      "--test",
      `--test-concurrency=${options.atOnce ?? (options.deep ? AT_ONCE.deep : AT_ONCE.ordinary)}`,
      `--test-timeout=${options.deep ? TIMEOUT.deep : TIMEOUT.ordinary}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      `--test-reporter=${SECONDS}`,
      "--test-reporter-destination=stdout",
      `--test-global-setup=${GLOBAL_SETUP}`,
      ...options.nodeOptions,
      ...files,
    ],
    {
      cwd: root,
      stdio: ["inherit", "pipe", "inherit"],
      env: {
        ...process.env,
        ...compileCache(root),
        GOFLAGS: process.env.GOFLAGS ?? GO_FLAGS,
        [CPU_FOLDER]: cpu,
        ...(options.psp === null ? {} : { PIXGATE_TEST_PSP: options.psp }),
        ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
      },
    },
  );
  const closed = once(child, "close");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));

  const longest = files.some((path) => OWN_PROCESS.test(path)) ? SILENCE.deep : SILENCE.ordinary;
  const interrupt = (): void => {
    console.error(`\nno test has ended for ${longest / 1_000} s: one hangs, or its file left something open`);
    child.kill("SIGINT");
    silence = setTimeout(() => child.kill("SIGKILL"), GRACE);
  };
  // The spec reporter prints its counts and then every failure again: the counts are repeated, so that they come last.
  const counts = new Map<string, string>();
  let afterCounts = false;
  let silence = setTimeout(interrupt, longest);
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(silence);
    silence = setTimeout(interrupt, longest);
    print(line);
    const name = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.exec(stripVTControlCharacters(line));
    if (name) counts.set(name[1]!, line);
    else if (counts.size > 0 && line !== "") afterCounts = true;
  }
  if (afterCounts) print(`\n${[...counts.values()].join("\n")}`);

  const [code] = (await closed) as [number | null];
  clearTimeout(silence);
  rmSync(cpu, { recursive: true, force: true });
  const count = (name: string) => Number(stripVTControlCharacters(counts.get(name) ?? "").split(" ")[2] ?? 0);
  return { code: code ?? 1, passed: count("pass"), failed: count("fail") + count("cancelled") };
}
