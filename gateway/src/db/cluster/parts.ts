import type { Db, Tx } from "../pool.ts";
import { onSnapshot } from "../snapshot.ts";
import { readShards, readTables, readViews } from "./map.ts";

/** Shards of one server that are read at once. */
const AT_ONCE = 2;
/** How often a part is started again because its shard has left the server meanwhile. */
const TRIES = 3;
const UNDEFINED_TABLE = "42P01";
const TEMPORARY = { temporary: true };

type Part = {
  readonly host: string;
  readonly port: number;
  /** For one connection, makes the names of all tables and views mean this part's rows. */
  readonly views: string;
};

/** `whole`: this part is the whole database. */
type Work<T> = (tx: Tx, part: { readonly whole: boolean }) => Promise<T>;

/**
 * Runs `work` once for each part of the books, each on its own snapshot and without a time-out. On a plain PostgreSQL there
 * is one part, everything; on a cluster each shard is a part, read at its server. `work` uses the ordinary names of tables,
 * and sees the part's rows in tables of accounts and all rows in shared ones. The results are in the order of the shards'
 * hashes.
 *
 * Two parts have no common snapshot. Money never crosses accounts in one transaction, so no rule about one account needs it
 * (docs/scale-out.md). `work` writes nothing into the books: on a cluster, `tx` may only write temporary tables.
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
  const failed = (await Promise.allSettled(walkers)).find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return results;
}

/** Runs `work` on one part, again if its shard has left its server meanwhile. */
async function onPart<T>(db: Db, place: number, work: Work<T>, partsFound: readonly Part[]): Promise<T> {
  for (let tries = 1, parts = partsFound; ; tries += 1) {
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
      // Lets a worker make temporary objects without propagating them to every server.
      "set local citus.enable_ddl_propagation = off",
      // A shared table has one shard, which every server holds.
      ...tables
        .filter((table) => table.from === null || table.from === from)
        .map(({ name, shard }) => `create or replace temporary view ${name} as select * from ${shard}`),
      ...views.map(({ name, query }) => `create or replace temporary view ${name} as ${query}`),
    ].join(";\n"),
  }));
}
