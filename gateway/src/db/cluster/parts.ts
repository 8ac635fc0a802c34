import type { Db, Tx } from "../pool.ts";
import { onSnapshot } from "../snapshot.ts";
import { readShards, readTables, readViews } from "./map.ts";

/** Shards of one server that are read at once. */
const AT_ONCE = 2;
/** How often a part is begun again because its shard has left the server meanwhile. */
const TRIES = 3;
const UNDEFINED_TABLE = "42P01";
const TEMPORARY = { temporary: true };

type Part = {
  readonly host: string;
  readonly port: number;
  /** Makes every table and view of the schema mean its rows of this part, for one connection. */
  readonly views: string;
};

/** `whole`: the part is everything. */
type Work<T> = (tx: Tx, part: { readonly whole: boolean }) => Promise<T>;

/**
 * Runs `work` once for each part of the books, each on a snapshot of its own and without a time-out: on a plain PostgreSQL
 * there is one part, everything; on a cluster each shard is one, read at the server that holds it. `work` writes the tables'
 * own names, and sees the rows of the part's accounts in tables of accounts, all rows in shared ones. What it returns is in the
 * order of the shards' hashes.
 *
 * Two parts have no common snapshot: money never crosses accounts in one transaction, so no rule about one account needs it
 * (docs/scale-out.md). Nothing that `work` writes is for the books: on a cluster, `tx` may write temporary tables alone.
 */
export async function onEachPart<T>(
  db: Db,
  work: Work<T>,
  { temporary = false }: { readonly temporary?: boolean } = {},
): Promise<T[]> {
  const parts = await readParts(db);
  if (parts === null) return [await onSnapshot(db, (tx) => work(tx, { whole: true }), { temporary })];
  const results = new Array<T>(parts.length);
  const queues = Map.groupBy(parts.keys(), (place) => `${parts[place]!.host}:${parts[place]!.port}`);
  const walkers = [...queues.values()].flatMap((places) => {
    const waiting = places.values();
    return Array.from({ length: AT_ONCE }, async () => {
      for (const place of waiting) results[place] = await onPart(db, place, work, parts);
    });
  });
  const failed = (await Promise.allSettled(walkers)).find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return results;
}

/** Runs `work` on one part; again where the shard has left its server since it was found. */
async function onPart<T>(db: Db, place: number, work: Work<T>, found: readonly Part[]): Promise<T> {
  for (let tries = 1, parts = found; ; tries += 1) {
    const part = parts[place]!;
    try {
      return await onSnapshot(
        db.at(part),
        async (tx) => {
          await tx.query({ text: part.views, values: [] });
          return work(tx, { whole: false });
        },
        TEMPORARY,
      );
    } catch (error) {
      if (tries === TRIES || (error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
      parts = (await readParts(db)) ?? parts;
    }
  }
}

/** The parts of the books, in the order of their accounts' hashes; null on a plain PostgreSQL. */
async function readParts(db: Db): Promise<readonly Part[] | null> {
  const shards = await readShards(db);
  if (shards.length === 0) return null;
  const [tables, views] = [await readTables(db), await readViews(db)];
  return shards.map(({ from, host, port }) => ({
    host,
    port,
    views: [
      // A worker makes objects of its own only when it is not asked to make them everywhere.
      "set local citus.enable_ddl_propagation = off",
      // A shared table has one shard, which every server holds.
      ...tables
        .filter((table) => table.from === null || table.from === from)
        .map(({ name, shard }) => `create or replace temporary view ${name} as select * from ${shard}`),
      ...views.map(({ name, query }) => `create or replace temporary view ${name} as ${query}`),
    ].join(";\n"),
  }));
}
