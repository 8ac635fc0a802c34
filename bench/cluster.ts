/**
 * Settlements on a Citus cluster beside the same on one PostgreSQL of the same programs, in turns, on this machine.
 *
 *     PIXGATE_CITUS_BIN=folder node bench/cluster.ts [--rounds 3] [--seconds 4] [--in-flight 256] [--shards 4] [--workers 2]
 *       [--tenants 50] [--wallets 4] [--lanes 2] [--folder /dev/shm]
 *
 * Prints the rate of each turn, and the CPU that each server and this process spent on a settlement.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyBooks } from "../gateway/src/auditor/verify-books.ts";
import { settleCharge } from "../gateway/src/charges/settle.ts";
import { useCluster } from "../gateway/src/db/cluster/map.ts";
import { migrate } from "../gateway/src/db/migrate.ts";
import { type Db, openDb } from "../gateway/src/db/pool.ts";
import { ONE_SERVER } from "../gateway/src/db/shards.ts";
import { on, startCluster } from "../gateway/test/harness/citus.ts";
import { readOptions } from "../scripts/options.ts";
import { cpuOfPostgres } from "./harness/cost.ts";
import { load } from "./harness/load.ts";
import { createSupply, makePayees, type Payee } from "./harness/tenants.ts";
import { CONNECTIONS, lanesOn } from "./settle-hot.ts";

/** Settlements of a turn that is not counted: plans, connections and ledger accounts are warm after it. */
const WARM_SECONDS = 1.5;
/** Charges made beforehand for a second of load. */
const MOST = 5_000;

const values = readOptions(import.meta.url, {
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    "in-flight": { type: "string", default: "256" },
    shards: { type: "string", default: "4" },
    workers: { type: "string", default: "2" },
    tenants: { type: "string", default: "50" },
    wallets: { type: "string", default: "4" },
    lanes: { type: "string" },
    folder: { type: "string", default: tmpdir() },
  },
});
const [rounds, seconds, inFlight] = [Number(values.rounds), Number(values.seconds), Number(values["in-flight"])];

/** One of the two sides: a database with tenants, and the servers that it is spread over. */
type Side = {
  readonly name: string;
  /** Says how this side's accounts are spread; called before each of its turns. */
  use(): Promise<void>;
  readonly db: Db;
  /** Names and postmasters of its servers. */
  readonly servers: readonly (readonly [string, number])[];
  stop(): Promise<void>;
};

async function startSide(name: string, workers: number): Promise<Side> {
  const folder = mkdtempSync(join(values.folder, "pixgate-bench-cluster-"));
  chmodSync(folder, 0o711);
  const bin = process.env.PIXGATE_CITUS_BIN;
  if (!bin) throw new Error("set PIXGATE_CITUS_BIN: the folder of PostgreSQL's programs with Citus");
  const spread = workers > 0;
  const settings = { ...(spread ? { "citus.shard_count": values.shards } : { shared_preload_libraries: "" }) };
  const cluster = await startCluster({ bin, folder, workers, settings });
  const url = cluster.coordinator.url("bench");
  if (spread) await cluster.createDatabase("bench");
  else await on(cluster.coordinator.url("postgres"), "create database bench");
  const db = openDb({ url, max: CONNECTIONS, onError: () => {} });
  await migrate(db, () => new Date());
  const all = [cluster.coordinator, ...cluster.workers];
  return {
    name,
    db,
    use: async () => (spread ? useCluster(db) : db.shards.set(ONE_SERVER)),
    servers: all.map((server, i) => [!spread ? "PostgreSQL" : i === 0 ? "coordinator" : `worker ${i}`, server.pid()]),
    async stop() {
      await db.end();
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a side settles: payments to wallets of its tenants, each as likely as the other. */
async function subjectOn(side: Side): Promise<(duration: number) => Promise<{ rate: number; line: string }>> {
  await side.use();
  const { db } = side;
  const payees = await makePayees(db, {
    tenants: Number(values.tenants),
    wallets: Number(values.wallets),
    split: true,
  });
  const supply = createSupply(db, (): Payee => payees[Math.floor(Math.random() * payees.length)]!);
  const lanes = lanesOn(db, values.lanes === undefined ? {} : { lanes: Number(values.lanes) });
  return async (duration) => {
    await side.use();
    await supply.fill(Math.ceil(duration * MOST) + inFlight);
    await db.query({ text: "analyze charges", values: [] });
    const spent = () => side.servers.map(([name, pid]) => [name, cpuOfPostgres(pid)] as const);
    const [before, cpu] = [spent(), process.cpuUsage()];
    const work = () => {
      const next = supply.take();
      return next === undefined ? false : lanes.run(settleCharge, next);
    };
    const { rate, count } = await load({ inFlight, seconds: duration, work });
    const { user, system } = process.cpuUsage(cpu);
    const each = spent().map(([name, now], i) => `${name} ${((now - before[i]![1]) / count).toFixed(3)}`);
    const ours = ((user + system) / 1_000 / count).toFixed(3);
    return { rate, line: `${side.name}: ${Math.round(rate)}/s; ms of CPU each: ${each.join(", ")}, gateway ${ours}` };
  };
}

const sides: Side[] = [];
try {
  for (const [name, workers] of [
    ["plain", 0],
    ["cluster", Number(values.workers)],
  ] as const) {
    sides.push(await startSide(name, workers));
  }
  const subjects: Awaited<ReturnType<typeof subjectOn>>[] = [];
  for (const side of sides) {
    const subject = await subjectOn(side);
    await subject(WARM_SECONDS);
    subjects.push(subject);
  }
  const ratios: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const rates: number[] = [];
    for (const subject of subjects) {
      const { rate, line } = await subject(seconds);
      console.log(line);
      rates.push(rate);
    }
    ratios.push((rates[1]! / rates[0]!).toFixed(2));
  }
  console.log(`cluster against plain: ${ratios.join(", ")}`);
  for (const side of sides) {
    await side.use();
    // What autovacuum does within a minute.
    await side.db.query({ text: "analyze", values: [] });
    for (const violation of (await verifyBooks(side.db)).violations.slice(0, 5)) {
      console.log(`${side.name}: ${JSON.stringify(violation)}`);
      process.exitCode = 1;
    }
  }
} finally {
  for (const side of sides) await side.stop();
}
