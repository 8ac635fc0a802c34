/**
 * The files of every version that has lately shown a page, in the database. While an installation is upgraded, a page of one
 * process loads its files from another, and a tab that stays open loads screens of the version before: both find them here.
 */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { byteas, texts } from "../../db/arrays.ts";
import { bytes, instant, table, text } from "../../db/columns.ts";
import type { Db, Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Keys } from "../../lib/keys.ts";
import { LIMITS } from "../../lib/limits.ts";
import { openBytes, sealBytes } from "../../lib/secrets.ts";
import { overloaded } from "../errors.ts";
import { createContents } from "./contents.ts";
import type { Build } from "./find-build.ts";
import { createGate } from "./gate.ts";

const filesTable = table({
  name: "console_files",
  key: ["name"],
  columns: { name: text, sealedContent: bytes, seenAt: instant },
});

type Store = { readonly db: Db; readonly clock: Clock; readonly keys: Keys };
const DAY_MS = 86_400_000;
/** Binds a sealed content to its name: moved to another name it cannot be opened. */
const aadOf = (name: string): string => `console file ${name}`;
/** Files that are compressed are kept compressed. */
const sentAs = ({ files }: Build, name: string): string => (files.has(`${name}.br`) ? `${name}.br` : name);

/**
 * Stores the files that the pages of a build load. A file that another process has stored within a day is not written again. A
 * file that no process has stored for `LIMITS.consoleFileDays` is deleted.
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

/**
 * Seals again every content that is sealed under another master key. Deletes a content that no key opens: a process that has
 * the file stores it again. Returns the last name of this page, null after the end, and how many rows changed.
 */
export async function resealFiles(
  tx: Tx,
  keys: Keys,
  after: string | null,
): Promise<{ readonly last: string | null; readonly changed: number }> {
  const { rows } = await tx.query<{ name: string; sealedContent: Buffer }>(sql`
    select ${filesTable.select("", ["name", "sealedContent"])} from console_files
    where (${after}::text is null or name > ${after}) order by name limit ${RESEALED} for update`);
  let changed = 0;
  for (const { name, sealedContent } of rows) {
    if (openFile({ ...keys, other: null }, sealedContent, name) !== null) continue;
    const content = openFile(keys, sealedContent, name);
    await tx.query(
      content === null
        ? sql`delete from console_files where name = ${name}`
        : sql`
            update console_files set sealed_content = ${sealBytes(keys.sealing, content, aadOf(name))}
            where name = ${name}`,
    );
    changed += 1;
  }
  return { last: rows.at(-1)?.name ?? null, changed };
}

/** Rows that one transaction seals anew: each has up to some 250 kB. */
const RESEALED = 20;
/** How long a process uses the list of names, so that strangers who guess names cost no statement each. Milliseconds. */
const LISTED_MS = 5_000;
/** How many contents are read or decompressed at once, and how many wait: a page of another version loads some 50 files. */
const LOADS = { atOnce: 2, maxWaiting: 100 };
/**
 * Bytes of other versions' files that a process holds in memory. A version has some 0.8 MB as stored, and 3 MB decompressed.
 */
const HELD_BYTES = { asKept: 8_000_000, decompressed: 16_000_000 };
const brotli = promisify(brotliDecompress);

/** Files of other versions by their name in `console_files`; null for a missing file, and for one that this installation has not sealed. */
export type Kept = {
  read(name: string): Promise<Buffer | null>;
  /** A file whose name ends with `.br`, without its compression. */
  decompress(name: string): Promise<Buffer | null>;
};

/**
 * Reads the files of other versions. A file is read once and is in memory once for all its readers; too many files at once:
 * 503.
 */
export function createKept({ db, clock, keys }: Store): Kept {
  const enter = createGate(LOADS);
  const asKept = createContents(HELD_BYTES.asKept);
  const decompressed = createContents(HELD_BYTES.decompressed);
  let listed: Promise<ReadonlySet<string>> | null = null;
  let listedAt = 0;
  const readNames = async (): Promise<ReadonlySet<string>> => {
    const { rows } = await db.query<{ name: string }>(sql`select name from console_files`);
    const names = new Set(rows.map(({ name }) => name));
    for (const contents of [asKept, decompressed]) contents.keepOnly(names);
    return names;
  };
  const list = (): Promise<ReadonlySet<string>> => {
    if (listed !== null && Math.abs(clock.now() - listedAt) < LISTED_MS) return listed;
    listedAt = clock.now();
    listed = readNames();
    listed.catch(() => {
      listed = null;
    });
    return listed;
  };
  const inTurn = async (load: () => Promise<Buffer | null>): Promise<Buffer | null> => {
    const turn = enter(load);
    if (turn === null) throw overloaded();
    return turn;
  };
  const load = async (name: string): Promise<Buffer | null> => {
    const { rows } = await db.query<{ sealedContent: Buffer }>(sql`
      select ${filesTable.select("", ["sealedContent"])} from console_files where name = ${name}`);
    const sealed = rows[0]?.sealedContent;
    return sealed === undefined ? null : openFile(keys, sealed, name);
  };
  const read = async (name: string): Promise<Buffer | null> =>
    (await list()).has(name) ? asKept.find(name, () => inTurn(() => load(name))) : null;
  return {
    read,
    async decompress(name) {
      if (!(await list()).has(name)) return null;
      return decompressed.find(name, async () => {
        const compressed = await read(name);
        return compressed && inTurn(() => brotli(compressed));
      });
    },
  };
}

/** Opens a content under either of two master keys; null where it is sealed under neither, or for another name. */
function openFile({ sealing, other }: Keys, sealed: Buffer, name: string): Buffer | null {
  for (const key of other === null ? [sealing] : [sealing, other.sealing]) {
    try {
      return openBytes(key, sealed, aadOf(name));
    } catch {
      // Sealed under another key.
    }
  }
  return null;
}
