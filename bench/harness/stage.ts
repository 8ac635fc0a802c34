import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { migrate } from "../../gateway/src/db/migrate.ts";
import { openDb } from "../../gateway/src/db/pool.ts";
import type { Result } from "./result.ts";

/** How long and how often; every size of a benchmark follows from it. */
export type Pace = {
  readonly name: "full" | "quick" | "smoke";
  readonly rounds: number;
  /** Length of one load. */
  readonly seconds: number;
  /** Calls in flight. */
  readonly inFlight: readonly number[];
  /** What a full run does is multiplied by it where counts matter: rows to read, deliveries to send. */
  readonly scale: number;
  /** All benchmarks on one stage, with one gateway. */
  readonly shares: boolean;
};

export const PACES: Readonly<Record<Pace["name"], Pace>> = {
  full: { name: "full", rounds: 3, seconds: 3, inFlight: [1, 16, 64, 256, 1_000], scale: 1, shares: false },
  quick: { name: "quick", rounds: 1, seconds: 0.7, inFlight: [1, 16, 256, 1_000], scale: 0.05, shares: false },
  smoke: { name: "smoke", rounds: 1, seconds: 0.05, inFlight: [1, 16], scale: 0.001, shares: true },
};

export type Stage = {
  readonly pace: Pace;
  readonly postgresUrl: string;
  /** Ledger lines that `read` reads among. */
  readonly lines: number;
  /** A migrated database of its own; `from`: a copy of that one, to which nobody may be connected. */
  database(from?: string): Promise<string>;
  drop(url: string): Promise<void>;
  /** Folder of a checkout of pgledger, whose postings are measured too; null: they are not. */
  readonly pgledger: string | null;
  /** Files of the run; gone at its end. */
  readonly folder: string;
  say(line: string): void;
  /** Run at the end, last first. */
  after(step: () => Promise<unknown>): void;
};

export type Benchmark = {
  readonly name: string;
  run(stage: Stage): Promise<Omit<Result, "name" | "seconds">>;
};

/** A stage with a PostgreSQL of its own (or that of `url`) and a migrated template to clone from. */
export async function openStage(options: {
  readonly pace: Pace;
  readonly lines: number;
  readonly url: string | null;
  readonly pgledger?: string | null;
  readonly say: (line: string) => void;
}): Promise<Stage & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-bench-"));
  const steps: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    // One that fails leaves nothing open of the others.
    for (const step of steps.splice(0).reverse()) {
      await step().catch((error: unknown) => options.say(`closing failed: ${error}`));
    }
  };
  try {
    let { url } = options;
    if (url === null) {
      const server = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), log: () => {} });
      steps.push(() => server.stop());
      url = server.url;
    }
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    steps.push(() => admin.end());
    const run = `bench_${randomBytes(4).toString("hex")}`;
    const template = withDatabase(url, `${run}_template`);
    let made = 0;
    const create = async (name: string, from: string) => {
      await admin.query(`create database ${name} template ${from} strategy file_copy`);
      steps.push(() => admin.query(`drop database if exists ${name} with (force)`));
      return withDatabase(url, name);
    };
    await create(databaseOf(template), "template1");
    const db = openDb({ url: template, max: 1, onError: () => {} });
    await migrate(db, () => new Date());
    await db.end();
    return {
      pace: options.pace,
      lines: options.lines,
      postgresUrl: url,
      pgledger: options.pgledger ?? null,
      folder,
      say: options.say,
      database: (from) => create(`${run}_${++made}`, databaseOf(from ?? template)),
      drop: async (which) => {
        await admin.query(`drop database if exists ${databaseOf(which)} with (force)`);
      },
      after: (step) => void steps.push(step),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
