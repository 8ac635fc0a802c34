import { execFile } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { migrate } from "../../src/db/migrate.ts";
import { type Db, openDb, type Queries } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { documentedCommands, paste } from "./documented.ts";

const run = promisify(execFile);

/** Takes a backup of a database, and makes a database of it. */
export type Backups = {
  /** For people: by which program. */
  readonly by: string;
  /** @param url of a role with the gateway's rights: a backup needs no more */
  take(url: string, folder: string): Promise<void>;
  restore(folder: string, name: string): Promise<string>;
};

/** The lines of docs/operating.md where `pg_dump` is as new as the server; else the same snapshot by COPY. */
export async function findBackups(serverUrl: string): Promise<Backups> {
  const version = await onServer(serverUrl, async (db) => {
    const { rows } = await db.query<{ major: number }>(
      sql`select current_setting('server_version_num')::int / 10000 as major`,
    );
    return rows[0]!.major;
  });
  const dump = await run("pg_dump", ["--version"]).catch(() => null);
  const major = Number(/ (\d+)\./.exec(dump?.stdout ?? "")?.[1] ?? 0);
  return major >= version ? byPgDump(serverUrl, major) : byCopy(serverUrl);
}

const byPgDump = (serverUrl: string, major: number): Backups => ({
  by: `pg_dump ${major}`,
  async take(url, folder) {
    mkdirSync(folder, { recursive: true });
    await paste(documentedCommands("## Backup"), { DATABASE_URL: url, BACKUP: folder });
  },
  async restore(folder, name) {
    const url = await newDatabase(serverUrl, name);
    await paste(documentedCommands("### Restore"), { RESTORED_URL: url, BACKUP: folder });
    return url;
  },
});

const byCopy = (serverUrl: string): Backups => ({
  by: "COPY of one snapshot (there is no pg_dump as new as the server)",
  async take(url, folder) {
    mkdirSync(folder, { recursive: true });
    // The server writes, and may run as another user; only its superuser may let it.
    chmodSync(folder, 0o777);
    const asOwner = new URL(serverUrl);
    asOwner.pathname = new URL(url).pathname;
    await onServer(asOwner.href, (db) =>
      db.transaction(async (tx) => {
        await tx.query(sql`set transaction isolation level repeatable read, read only`);
        for (const table of await tablesOf(tx)) {
          await tx.query({ text: `copy "${table}" to '${join(folder, table)}' (format binary)`, values: [] });
        }
      }),
    );
  },
  async restore(folder, name) {
    const url = await newDatabase(serverUrl, name);
    await onServer(url, async (db) => {
      await migrate(db, () => new Date());
      await db.transaction(async (tx) => {
        await tx.query(sql`set local session_replication_role = replica`);
        for (const table of await tablesOf(tx)) {
          await tx.query({ text: `delete from "${table}"`, values: [] });
          await tx.query({ text: `copy "${table}" from '${join(folder, table)}' (format binary)`, values: [] });
        }
        await tx.query(sql`
          select setval('account_numbers', (select max(number) from accounts))`);
      });
    });
    return url;
  },
});

/** Tables that differ, one sentence each: rows are compared byte for byte, whatever their order. */
export async function differences(left: string, right: string): Promise<string[]> {
  const [a, b] = [await digests(left), await digests(right)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((table) => a.get(table) !== b.get(table))
    .map((table) => `table ${table}: ${a.get(table)} in the original, ${b.get(table)} in the restored database`);
}

const digests = (url: string): Promise<Map<string, string>> =>
  onServer(url, async (db) => {
    const found = new Map<string, string>();
    for (const table of await tablesOf(db)) {
      const text = `select count(*) || ' rows, ' || md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as digest from "${table}" t`;
      const { rows } = await db.query<{ digest: string }>({ text, values: [] });
      found.set(table, rows[0]!.digest);
    }
    return found;
  });

async function tablesOf(db: Queries): Promise<string[]> {
  const { rows } = await db.query<{ tablename: string }>(
    sql`select tablename from pg_tables where schemaname = 'public' order by tablename`,
  );
  return rows.map((row) => row.tablename);
}

/** Makes an empty database on a server, and gives its address. */
export async function newDatabase(serverUrl: string, name: string): Promise<string> {
  await onServer(serverUrl, (db) => db.query({ text: `create database "${name}" template template0`, values: [] }));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function onServer<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb({ url, max: 1, onError: () => {} });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
