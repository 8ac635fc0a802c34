import assert from "node:assert/strict";
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext } from "node:test";
import pg from "pg";
import { type Folder, folderAt } from "../src/folder.ts";
import { type EmbeddedPostgres, EmbeddedPostgresError, type Options, startEmbeddedPostgres } from "../src/index.ts";
import { findPostmaster, isOccupied } from "../src/postmaster.ts";

export const isRoot = process.getuid?.() === 0;
/** What the tests' application is called; no machine has a user of this name. */
export const NAME = "embedded_test";

/** A folder for one PostgreSQL, and starts on it. The test's end stops whatever runs there. */
export type Home = Folder & {
  start(options?: Partial<Options>): Promise<EmbeddedPostgres>;
  /** Runs before the server is stopped: what would otherwise start it again. */
  beforeEnd(step: () => Promise<unknown>): void;
};

export const newParent = (): string => mkdtempSync(join(tmpdir(), "embedded-postgres-"));

/** For tests that are not about a first start, since initdb takes most of a test's time. Each leaves it stopped. */
export const usedParent = newParent();
after(() => rmSync(usedParent, { recursive: true, force: true }));

export function homeOf(t: TestContext, parent = newParent()): Home {
  const folder = folderAt(join(parent, "postgres"), NAME);
  const steps: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const step of steps) await step();
    const running = findPostmaster(folder);
    if (running) process.kill(running.pid, "SIGQUIT");
    await eventually("PostgreSQL has ended", () => !isOccupied(folder) && !findPostmaster(folder));
    if (parent !== usedParent) rmSync(parent, { recursive: true, force: true });
  });
  return {
    ...folder,
    start: (options) => startEmbeddedPostgres({ name: NAME, dataDir: folder.root, ...options }),
    beforeEnd: (step) => steps.push(step),
  };
}

type Awaitable<T> = Promise<T | null | undefined | false> | T | null | undefined | false;

/** Waits until `check` returns something, polling; fails with `what` after 30 s. */
export async function eventually<T>(what: string, check: () => Awaitable<T>): Promise<T> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const value = await check();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what}: not within 30 s`);
}

export async function query<R extends pg.QueryResultRow>(
  server: { url: string },
  ...statements: string[]
): Promise<R[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    let rows: R[] = [];
    for (const statement of statements) rows = (await client.query<R>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** A program that starts the PostgreSQL of a folder, prints what it got, and stops the server when it reads "stop". */
const PROGRAM = `
  import { createInterface } from "node:readline";
  const [, entry, module, name, dataDir] = process.argv;
  const say = (what) => process.stdout.write(JSON.stringify(what) + "\\n");
  const fail = (error) => {
    say({ error: error.stack });
    process.exit(1);
  };
  try {
    const server = await (await import(module))[entry]({ name, dataDir, onLost: fail });
    say(server);
    for await (const line of createInterface({ input: process.stdin })) if (line === "stop") break;
    await (server.stop ?? server.close)();
    say("stopped");
    process.exit(0);
  } catch (error) {
    fail(error);
  }
`;

type Started = { url: string; pid: number; attached: boolean };
type Program = { process: ChildProcess; says<R = Started>(): Promise<R>; kill(): Promise<void> };

/** Runs that program in a process group of its own; killing the group is what Ctrl-C or a supervisor does. */
export function runProgram(
  t: TestContext,
  folder: Folder,
  options: SpawnOptions = {},
  entry: "startEmbeddedPostgres" | "ownEmbeddedPostgres" = "startEmbeddedPostgres",
): Program {
  const module = new URL("../src/index.ts", import.meta.url).href;
  const args = ["--input-type=module", "-e", PROGRAM, entry, module, folder.name, folder.root];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], detached: true, ...options });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const program: Program = {
    process: child,
    async says() {
      const { value } = await lines.next();
      assert.ok(value, "the program ended without a word");
      const said = JSON.parse(value);
      assert.equal(said.error, undefined);
      return said;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      process.kill(-child.pid!, "SIGKILL");
      await gone;
    },
  };
  t.after(() => program.kill());
  return program;
}

/** The line with which a start is refused. */
export async function refusalOf(home: Home, options?: Partial<Options>): Promise<string> {
  let refusal: unknown;
  await assert.rejects(home.start(options), (error) => {
    refusal = error;
    return error instanceof EmbeddedPostgresError;
  });
  const { message } = refusal as Error;
  assert.doesNotMatch(message, /\n/, "one line");
  return message;
}
