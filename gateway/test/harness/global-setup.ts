import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuOf } from "../../../scripts/test/cpu.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDb } from "../../src/db/pool.ts";
import { openRole } from "../../src/db/rights.ts";
import { BANK } from "./bank.ts";
import { type Certificates, makeCertificates } from "./certificates.ts";
import { on, startCluster } from "./citus.ts";
import { GATEWAY_PASSWORD } from "./database.ts";
import { openGivenCluster } from "./given-cluster.ts";
import { type Lender, lendDatabases } from "./lend-databases.ts";
import { ON_CLUSTER } from "./on-cluster.ts";

/**
 * No database lives long enough to be vacuumed, and none is copied from the log. `minimal` leaves the copy of the template
 * out of the log too: with `strategy file_copy` a database costs 30 ms of CPU instead of 340. A gateway opens a dozen
 * connections, and the usual 4,096 iterations over its password cost 4 ms of each.
 */
const SETTINGS = {
  ...{ wal_level: "minimal", max_wal_senders: "0", autovacuum: "off", scram_iterations: "1" },
  // Of four files at once, some with several gateways: a hundred do not last.
  max_connections: "300",
};

/** Few shards: a database of the cluster is made for every test file. */
const CLUSTER_SETTINGS = { autovacuum: "off", "citus.shard_count": "4", "citus.recover_2pc_interval": "5s" };
const TEMPLATE = "pixgate_template";

/** A folder in memory, where the system has one: the gateway refuses a server that does not sync, and here that is free. */
const MEMORY = "/dev/shm";
/** Bytes that it must have free; a run takes less than a quarter. */
const MEMORY_NEEDED = 4 * 2 ** 30;

/** One PostgreSQL, or one cluster, for the whole run; each test file clones its own database from the template. */
let server: Pick<EmbeddedPostgres, "url" | "stop"> | null = null;
let lender: Lender | null = null;
let folder = "";
let certificates: Certificates | null = null;

export async function globalSetup(): Promise<void> {
  folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), "pixgate-tests-"));
  const { PIXGATE_CITUS_BIN: bin, PIXGATE_CITUS_URL: url } = process.env;
  if (!ON_CLUSTER) server = await startServer();
  else server = bin ? await startTestCluster(bin) : await useGivenCluster(url!);
  process.env.PIXGATE_TEST_POSTGRES = server.url;
  lender = await lendDatabases();
  process.env.PIXGATE_TEST_DATABASES = lender.url;
  if (BANK !== "efi") return;
  certificates = makeCertificates();
  if (certificates === null) throw new Error("needs openssl to make certificates with");
  process.env.PIXGATE_TEST_CERTIFICATES = certificates.folder;
}

async function startServer(): Promise<EmbeddedPostgres> {
  const started = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), settings: SETTINGS });
  await on(started.url, `create database ${TEMPLATE}`);
  await makeTemplate(started.url);
  return started;
}

/** A cluster of a coordinator and two workers. Every server clones its part of the template. */
async function startTestCluster(bin: string): Promise<Pick<EmbeddedPostgres, "url" | "stop">> {
  chmodSync(folder, 0o711);
  const cluster = await startCluster({ bin, folder, settings: CLUSTER_SETTINGS });
  const servers = [cluster.coordinator, ...cluster.workers];
  await cluster.createDatabase(TEMPLATE);
  await makeTemplate(cluster.coordinator.url());
  // Citus keeps a process in every database that was used since the start, and a database in use is not cloned.
  for (const one of servers) await one.stop();
  for (const one of servers) await one.start();
  process.env.PIXGATE_TEST_WORKERS = cluster.workers.map((worker) => worker.url("postgres")).join(" ");
  return { url: cluster.coordinator.url("postgres"), stop: () => cluster.stop() };
}

/** A cluster that runs already. It keeps nothing of the run. */
async function useGivenCluster(url: string): Promise<Pick<EmbeddedPostgres, "url" | "stop">> {
  const cluster = await openGivenCluster(url, TEMPLATE);
  try {
    await cluster.createDatabase({ "citus.shard_count": CLUSTER_SETTINGS["citus.shard_count"] });
    await makeTemplate(url);
    await cluster.close();
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  process.env.PIXGATE_TEST_WORKERS = cluster.workers.join(" ");
  return { url: withDatabase(url, "postgres"), stop: cluster.remove };
}

async function makeTemplate(serverUrl: string): Promise<void> {
  const template = openDb({ url: withDatabase(serverUrl, TEMPLATE), max: 1, onError: () => {} });
  await migrate(template, () => new Date());
  await openRole(template, serverUrl, GATEWAY_PASSWORD);
  await template.end();
}

export async function globalTeardown(): Promise<void> {
  await lender?.close();
  reportCpu();
  await server?.stop();
  certificates?.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Connections that have ended are children of the server. */
function reportCpu(): void {
  const used = server && "pid" in server ? cpuOf(server.pid as number) : null;
  if (used !== null)
    process.stdout.write(`  ${(used.own + used.started).toFixed(1)} s of CPU: PostgreSQL, which all files share\n`);
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_NEEDED;
  } catch {
    return false;
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
