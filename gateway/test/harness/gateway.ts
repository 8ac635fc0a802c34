import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { verifyBooks } from "../../src/auditor/verify-books.ts";
import { type Db, openDb } from "../../src/db/pool.ts";
import { type Running, type Seams, serve } from "../../src/program/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { controlDispatcher, sandboxBank } from "./bank.ts";
import { Client, type Sandbox } from "./client.ts";
import { freshDatabase } from "./database.ts";
import { wakeWhileWaiting } from "./eventually.ts";
import { watchCached, watched } from "./one-connection.ts";
import { startSimulator } from "./simulator.ts";

/** The loops that do what a test waits for. The others wait minutes and hours by their clocks, not by their pauses. */
const AWAITED = [
  ...["charges", "returns", "withdrawals", "defences", "med returns", "infractions", "assignments", "received"],
  ...["join receipts", "strays", "balances", "cases"],
];

/**
 * Connections for calls and loops, where a test sets no other number. Each costs PostgreSQL a process that reads its catalogue and
 * plans every statement anew; the loops of a start would open twelve.
 */
const CONNECTIONS = 5;

/** A gateway with its own database and simulator, and a merchant who is logged in. */
export type TestGateway = {
  readonly running: Running;
  readonly sandbox: Sandbox;
  /** With the rights of a gateway: for a second process on the same books. */
  readonly databaseUrl: string;
  /** The owner's connection: for tests that do to the books what the gateway itself must not be able to do. */
  readonly owner: Db;
  /** The owner's address: for what takes longer than a statement of the gateway's may. */
  readonly ownerUrl: string;
  readonly dataDir: string;
  readonly merchant: Client;
  readonly operator: Client;
  readonly simulator: Client;
  /** Log lines, JSON, as they were written. */
  readonly logLines: string[];
  /** Empties the log of what a test has caused; the messages of its errors. */
  takeErrors(): string[];
  /** Fails unless every invariant holds. */
  verify(): Promise<void>;
  /** Verifies, and stops it whether the books hold or not: what ran on would keep its file from ending. */
  end(): Promise<void>;
  /** Stops it; fails when an error was logged meanwhile: a loop that fails and goes on is a bug too. */
  stop(): Promise<void>;
};

/** Starts the real app with the real simulator on a fresh database. */
export async function startGateway(env: Record<string, string> = {}, seams: Seams = {}): Promise<TestGateway> {
  const database = await freshDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-gateway-"));
  const logLines: string[] = [];
  const isError = (line: string): boolean => (JSON.parse(line) as { level: number }).level >= 50;
  const log = pino({ level: "debug" }, { write: (line: string) => logLines.push(line) });
  const bank = sandboxBank();
  const own = env.PIXGATE_SIMULATOR_PORT === undefined && seams.bank === undefined && bank === undefined;
  const simulator = own ? await startSimulator(dataDir) : null;
  const config = readConfig({
    PIXGATE_PORT: "0",
    PIXGATE_SIMULATOR_PORT: simulator?.port ?? "0",
    PIXGATE_DATA_DIR: dataDir,
    DATABASE_URL: database.gatewayUrl,
    PIXGATE_RATE_LIMIT: "off",
    // All clients of a test have one address.
    PIXGATE_CONNECTIONS_PER_ADDRESS: "2000",
    // Off unless a test sets it: most tests need no second person.
    PIXGATE_TWO_PERSONS_ABOVE: "off",
    // A test that moves the clock moves it away from the database's.
    ...(seams.clock && { PIXGATE_CLOCK_CHECK: "off" }),
    ...env,
  });
  const running = await serve(config, log, {
    ...(bank && { bank }),
    connections: CONNECTIONS,
    watched,
    ...seams,
  }).catch(async (error: unknown) => {
    await simulator?.stop();
    await database.drop();
    throw error;
  });
  watchCached(running.ctx.psps);
  const { shards } = running.ctx.db;
  const owner = openDb({ url: database.url, max: 1, onError: () => {}, shards });
  const dispatcher = await controlDispatcher();
  const endWakes = wakeWhileWaiting(() => {
    for (const loop of AWAITED) running.ctx.hints.wake(loop);
  });
  const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox;
  const gateway: TestGateway = {
    running,
    sandbox,
    databaseUrl: database.gatewayUrl,
    owner,
    ownerUrl: database.url,
    dataDir,
    merchant: await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret),
    operator: new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken),
    simulator: new Client(`${sandbox.simulatorUrl}/control`, dispatcher).withToken(sandbox.simulatorToken),
    logLines,
    takeErrors() {
      const errors = logLines.splice(0).filter(isError);
      return errors.map((line) => (JSON.parse(line) as { msg: string }).msg);
    },
    async verify() {
      const result = await verifyBooks(running.ctx.db);
      if (!result.ok) throw new Error(`the books are broken: ${JSON.stringify(result.violations)}`);
    },
    end: () => gateway.verify().finally(() => gateway.stop()),
    async stop() {
      endWakes();
      await running.stop();
      await simulator?.stop();
      await owner.end();
      await dispatcher?.close();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
      const errors = logLines.filter(isError);
      if (errors.length > 0) throw new Error(`${errors.length} errors were logged, the first: ${errors[0]}`);
    },
  };
  return gateway;
}
