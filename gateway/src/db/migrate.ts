import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { failpoint } from "../lib/failpoint.ts";
import { distribute, type Spread } from "./cluster/distribute.ts";
import type { Db, Queries, Tx } from "./pool.ts";
import { DatabaseRefused } from "./refused.ts";
import { type Granted, grantRights } from "./rights.ts";
import { sql } from "./sql.ts";

/** The oldest supported server: `unique nulls not distinct` came with it. */
const OLDEST_SERVER = 15;
/** Advisory lock for changes of the schema, so that only one of several starting processes makes them. */
const MIGRATION_LOCK = 7_246_115;

type Migration = {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  /** Identifies its statements, so that a database made by an edited file is recognised. */
  readonly fingerprint: string;
};
/** A migration that the database has applied. */
type Applied = {
  readonly number: number;
  readonly name: string;
  /** Null: applied before fingerprints were stored. */
  readonly fingerprint: string | null;
};

function readMigrations(): Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), "utf8");
      return { number: Number(name.slice(0, 4)), name, text, fingerprint: fingerprintOf(text) };
    });
}

/** Each by itself: Citus refuses a change of a spread table in one text with others. `;` is only at their ends and in bodies. */
const statementsOf = (text: string): string[] =>
  [...text.replace(/--.*$/gm, "").matchAll(/(?:\$\$[\s\S]*?\$\$|[^;])+/g)]
    .map(([statement]) => statement)
    .filter((statement) => statement.trim() !== "");

/** Fingerprint of the statements only: comments and white space may change. */
export function fingerprintOf(text: string): string {
  const statements = text.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();
  return createHash("sha256").update(statements).digest("hex");
}

/** Refuses a server that is too old or that may lose committed data; reports risky settings through `warn`. */
export async function checkServer(db: Queries, warn: (message: string) => void): Promise<void> {
  const { rows } = await db.query<{ version: number; fsync: string; full_page_writes: string }>(sql`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes`);
  const server = rows[0]!;
  if (server.version < OLDEST_SERVER) {
    throw new DatabaseRefused(`PostgreSQL ${server.version} is too old: Pixgate needs ${OLDEST_SERVER} or newer`);
  }
  if (server.fsync !== "on") {
    throw new DatabaseRefused("this PostgreSQL has fsync off: a crash would lose money; turn fsync on and start again");
  }
  if (server.full_page_writes !== "on") {
    warn("this PostgreSQL has full_page_writes off: safe only on storage that never tears a page");
  }
}

/** What a migration did. */
type Migrated = {
  /** Names of the files that were applied. */
  readonly applied: readonly string[];
  /** Whether the gateway's role has its rights (db/rights.ts); null where this connection could not grant them. */
  readonly role: Granted | null;
  /** How the tables were spread over a cluster's servers (db/cluster/distribute.ts); null on a plain PostgreSQL. */
  readonly spread: Spread | null;
};

/**
 * Brings the schema to this program's version: applies the numbered files that the database lacks, each in its own
 * transaction, under a lock; spreads the tables on a cluster; grants the gateway's role its rights. A connection without
 * the right to change the schema succeeds if nothing must be applied.
 *
 * @throws DatabaseRefused when the schema is newer than the program, or was made by other files than the program's.
 */
export async function migrate(db: Db, now: () => Date): Promise<Migrated> {
  const migrations = readMigrations();
  const here = await readSchema(db);
  refuseOther(here, migrations);
  const waiting = migrations.filter((migration) => lacks(here, migration));
  if (!(await mayMigrate(db))) {
    if (waiting.length === 0) return { applied: [], role: null, spread: null };
    throw new DatabaseRefused(
      `the database lacks ${waiting[0]!.name}, and this role may not change the schema: run pixgate migrate with the owner's DATABASE_URL`,
    );
  }
  const applied: string[] = [];
  for (const migration of waiting) {
    if (!(await apply(db, migration, migrations, now))) continue;
    applied.push(migration.name);
    failpoint("migration.after", migration.name.slice(0, 4));
  }
  const spread = await distribute(db, MIGRATION_LOCK);
  return { applied, role: await grantRights(db, MIGRATION_LOCK), spread };
}

/**
 * Succeeds where the schema is this program's. It never migrates.
 *
 * @throws DatabaseRefused when the schema is missing, older, newer, or made by other files.
 */
export async function checkSchema(db: Queries): Promise<void> {
  const migrations = readMigrations();
  const here = await readSchema(db);
  refuseOther(here, migrations);
  const missing = migrations.find((migration) => lacks(here, migration));
  if (missing === undefined) return;
  throw new DatabaseRefused(
    here.length === 0
      ? "the database is empty: run pixgate migrate with the owner's DATABASE_URL first"
      : `the database lacks ${missing.name}: run pixgate migrate with the owner's DATABASE_URL first`,
  );
}

/** The migrations that the database has; none where it is empty. */
async function readSchema(db: Queries): Promise<Applied[]> {
  const { rows } = await db.query<{ here: boolean }>(sql`select to_regclass('schema_migrations') is not null as here`);
  if (!rows[0]!.here) return [];
  // A table from before the column is read as one without fingerprints.
  return (
    await db.query<Applied>(
      sql`select number, name, to_jsonb(m) ->> 'fingerprint' as fingerprint from schema_migrations m order by number`,
    )
  ).rows;
}

const lacks = (here: readonly Applied[], { number }: Migration): boolean =>
  !here.some((applied) => applied.number === number);

function refuseOther(here: readonly Applied[], migrations: readonly Migration[]): void {
  for (const { number, name, fingerprint } of here) {
    const ours = migrations.find((migration) => migration.number === number);
    if (ours === undefined || (ours.name === name && ours.fingerprint === fingerprint)) continue;
    throw new DatabaseRefused(
      `the database was made by another ${name}, from before the first release, which cannot be upgraded: use an empty database or another data directory`,
    );
  }
  const [number, newest] = [Math.max(0, ...here.map((applied) => applied.number)), migrations.at(-1)!.number];
  if (number <= newest) return;
  throw new DatabaseRefused(
    `the database has schema ${number}, this program knows up to ${newest}: run the newer Pixgate on it`,
  );
}

async function mayMigrate(db: Queries): Promise<boolean> {
  const { rows } = await db.query<{ may: boolean }>(
    sql`select coalesce(has_schema_privilege(current_schema(), 'create'), false) as may`,
  );
  return rows[0]!.may;
}

/** @returns false when another process was faster. */
const apply = (db: Db, migration: Migration, migrations: readonly Migration[], now: () => Date): Promise<boolean> => {
  const work = async (tx: Tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tx.query(sql`
      create table if not exists schema_migrations (
        number integer primary key, name text not null, fingerprint text not null, applied_at timestamptz not null)`);
    const here = await readSchema(tx);
    refuseOther(here, migrations);
    if (!lacks(here, migration)) return false;
    for (const text of statementsOf(migration.text)) await tx.query({ text, values: [] });
    await tx.query(sql`
      insert into schema_migrations (number, name, fingerprint, applied_at)
      values (${migration.number}, ${migration.name}, ${migration.fingerprint}, ${now()})`);
    failpoint("migration.before", migration.name.slice(0, 4));
    return true;
  };
  return db.transaction(work, { unhurried: true });
};
