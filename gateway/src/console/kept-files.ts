/**
 * The files of every version that has lately shown a page, in the database. While an installation is upgraded, a page of one
 * process loads its files from another, and a tab that stays open loads screens of the version before: both find them here.
 */
import { LIMITS } from "../config.ts";
import { byteas, texts } from "../db/arrays.ts";
import { bytes, instant, table, text } from "../db/columns.ts";
import type { Db } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Clock } from "../lib/clock.ts";
import type { Keys } from "../lib/keys.ts";
import { openBytes, sealBytes } from "../lib/secrets.ts";
import type { Build } from "./find-build.ts";

const filesTable = table({
  name: "console_files",
  key: ["name"],
  columns: { name: text, sealedContent: bytes, seenAt: instant },
});

type Store = { readonly db: Db; readonly clock: Clock; readonly keys: Keys };
const DAY_MS = 86_400_000;
/** Moved to another name, a content does not open. */
const aadOf = (name: string): string => `console file ${name}`;
/** Files that are compressed are kept compressed. */
const sentAs = ({ files }: Build, name: string): string => (files.has(`${name}.br`) ? `${name}.br` : name);

/**
 * Keeps what the pages of a build load. What another process has kept within a day is not written again; what no process has
 * for `LIMITS.consoleFileDays` goes.
 */
export async function keepFiles({ db, clock, keys }: Store, build: Build): Promise<void> {
  const now = clock.date();
  const { rows } = await db.query<{ name: string }>(sql`
    select name from console_files where seen_at > ${new Date(now.getTime() - DAY_MS)}`);
  const kept = new Set(rows.map(({ name }) => name));
  const isAsset = (name: string) => name.startsWith("assets/") && !/\.(br|gz)$/.test(name);
  const missing = [...build.files].filter((name) => isAsset(name) && !kept.has(sentAs(build, name))).sort();
  if (missing.length === 0) return;
  const names = missing.map((name) => sentAs(build, name));
  const sealed = await Promise.all(
    names.map(async (name) => sealBytes(keys.sealing, await build.read(name), aadOf(name))),
  );
  await db.query(sql`
    insert into console_files (name, sealed_content, seen_at)
    select f.name, f.sealed_content, ${now}::timestamptz
    from unnest(${texts(names)}::text[], ${byteas(sealed)}::bytea[]) f (name, sealed_content) order by f.name
    on conflict (name) do update set sealed_content = excluded.sealed_content, seen_at = excluded.seen_at`);
  const before = new Date(now.getTime() - LIMITS.consoleFileDays * DAY_MS);
  await db.query(sql`delete from console_files where seen_at < ${before}`);
}

/** How long a process uses the list of names, so that strangers who guess names cost no statement each. Milliseconds. */
const LISTED_MS = 5_000;

/** Reads what other versions keep. A name that is not kept, and a content that this installation has not sealed, is null. */
export function readKept({ db, clock, keys }: Store): (name: string) => Promise<Buffer | null> {
  let listed: Promise<ReadonlySet<string>> | null = null;
  let listedAt = 0;
  const list = async (): Promise<ReadonlySet<string>> =>
    new Set((await db.query<{ name: string }>(sql`select name from console_files`)).rows.map(({ name }) => name));
  return async (name) => {
    if (listed === null || Math.abs(clock.now() - listedAt) >= LISTED_MS) {
      listedAt = clock.now();
      listed = list();
      listed.catch(() => {
        listed = null;
      });
    }
    if (!(await listed).has(name)) return null;
    const { rows } = await db.query<{ sealedContent: Buffer }>(sql`
      select ${filesTable.select("", ["sealedContent"])} from console_files where name = ${name}`);
    const sealed = rows[0]?.sealedContent;
    return sealed === undefined ? null : opened(keys, sealed, aadOf(name));
  };
}

function opened({ sealing, other }: Keys, sealed: Buffer, aad: string): Buffer | null {
  for (const key of other === null ? [sealing] : [sealing, other.sealing]) {
    try {
      return openBytes(key, sealed, aad);
    } catch {
      // Sealed under another key.
    }
  }
  return null;
}
