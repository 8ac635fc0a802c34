import { readdirSync, readFileSync } from "node:fs";
import type { Db, Queries } from "./pool.ts";
import { sql } from "./sql.ts";

/** A reason not to run on this database, in one line for the operator. */
export class DatabaseRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseRefused";
  }
}

/** The oldest server we run on: `unique nulls not distinct` came with it. */
const OLDEST_SERVER = 15;
/** Advisory lock under which schemas change, so that processes that start together take turns. */
const MIGRATION_LOCK = 7_246_115;

type Migration = { readonly number: number; readonly name: string; readonly text: string };

function readMigrations(): Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 4)), name, text: readFileSync(new URL(name, folder), "utf8") }));
}

/**
 * Refuses a server that is too old or that may lose what it answered; says what it only doubts through `warn`.
 */
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

/**
 * Brings the schema to this program's version: numbered files, each in a transaction of its own, under a lock.
 * A schema that is newer than the program is refused.
 *
 * @returns the names of the files that were applied.
 */
export async function migrate(db: Db, now: () => Date): Promise<string[]> {
  const migrations = readMigrations();
  const newest = migrations.at(-1)!.number;
  const applied: string[] = [];
  for (const migration of migrations) {
    const done = await db.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await tx.query(sql`
        create table if not exists schema_migrations (
          number integer primary key, name text not null, applied_at timestamptz not null)`);
      const { rows } = await tx.query<{ number: number }>(sql`select number from schema_migrations`);
      const here = Math.max(0, ...rows.map((row) => row.number));
      if (here > newest) {
        throw new DatabaseRefused(
          `the database has schema ${here}, this program knows up to ${newest}: run the newer Pixgate on it`,
        );
      }
      if (rows.some((row) => row.number === migration.number)) return true;
      await tx.query({ text: migration.text, values: [] });
      await tx.query(sql`
        insert into schema_migrations (number, name, applied_at)
        values (${migration.number}, ${migration.name}, ${now()})`);
      return false;
    });
    if (!done) applied.push(migration.name);
  }
  return applied;
}
