import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openDb } from "../../src/db/pool.ts";
import { openRole } from "../../src/db/rights.ts";
import { BANK } from "./bank.ts";
import { type Certificates, makeCertificates } from "./certificates.ts";
import { GATEWAY_PASSWORD } from "./database.ts";

/**
 * No database lives long enough to be vacuumed, and none is copied from the log. `minimal` leaves the copy of the template
 * out of the log too: with `strategy file_copy` a database costs 30 ms of CPU instead of 340.
 */
const SETTINGS = { wal_level: "minimal", max_wal_senders: "0", autovacuum: "off" };

/** A folder in memory, where the system has one: the gateway refuses a server that does not sync, and here that is free. */
const MEMORY = "/dev/shm";
/** Bytes that it must have free; a run takes less than a quarter. */
const MEMORY_NEEDED = 4 * 2 ** 30;

/** One PostgreSQL for the whole run; each test file clones its own database from the template. */
let server: EmbeddedPostgres | null = null;
let folder = "";
let certificates: Certificates | null = null;

export async function globalSetup(): Promise<void> {
  folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), "pixgate-tests-"));
  server = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), settings: SETTINGS });
  const admin = openDb({ url: server.url, max: 1, onError: () => {} });
  await admin.query({ text: "create database pixgate_template", values: [] });
  await admin.end();
  const template = openDb({ url: withDatabase(server.url, "pixgate_template"), max: 1, onError: () => {} });
  await migrate(template, () => new Date());
  await openRole(template, server.url, GATEWAY_PASSWORD);
  await template.end();
  process.env.PIXGATE_TEST_POSTGRES = server.url;
  if (BANK !== "efi") return;
  certificates = makeCertificates();
  if (certificates === null) throw new Error("needs openssl to make certificates with");
  process.env.PIXGATE_TEST_CERTIFICATES = certificates.folder;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  certificates?.remove();
  rmSync(folder, { recursive: true, force: true });
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
