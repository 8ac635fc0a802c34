import type { Db, Queries } from "../pool.ts";
import { DatabaseRefused } from "../refused.ts";
import { type Home, ONE_SERVER, type Shards } from "../shards.ts";
import { sql } from "../sql.ts";
import { hashOf } from "./hash.ts";
import { homeOf, nameShard } from "./home.ts";

/** A shard of the accounts, and the server that holds it together with its other tables. */
type Shard = {
  readonly shardId: number;
  /** The smallest hash of its accounts; its range ends before the next shard's. */
  readonly from: number;
  readonly host: string;
  readonly port: number;
};

/** Accounts whose hash is compared with the server's own: a server of another byte order computes other hashes. */
const SAMPLES = [
  "00000000-0000-0000-0000-000000000000",
  "01a1fdf9-0fb8-7000-8000-012345678900",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
];

/** The shards of a cluster in the order of their hashes; none where the accounts lie on one server. */
export async function readShards(db: Queries): Promise<readonly Shard[]> {
  const { rows: found } = await db.query<{ spread: boolean }>(
    sql`select exists (select from pg_extension where extname = 'citus') and to_regclass('accounts') is not null as spread`,
  );
  if (!found[0]!.spread) return [];
  const { rows } = await db.query<Shard>(sql`
    select s.shardid as "shardId", s.shardminvalue::bigint as "from", n.nodename as host, n.nodeport as port
    from pg_dist_shard s
    join pg_dist_placement p on p.shardid = s.shardid
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where s.logicalrelid = to_regclass('accounts') order by s.shardminvalue::bigint`);
  if (rows.length > 0) await compareHashes(db);
  return rows;
}

async function compareHashes(db: Queries): Promise<void> {
  for (const sample of SAMPLES) {
    const { rows } = await db.query<{ hash: number }>(sql`select worker_hash(${sample}::uuid) as hash`);
    if (rows[0]!.hash === hashOf(sample)) continue;
    throw new DatabaseRefused(
      "this cluster hashes accounts as no other does: its servers must have little-endian words",
    );
  }
}

/** Reads how the accounts of the database are spread, and sets it for all pools that share its `shards`. */
export async function useCluster(db: Db): Promise<void> {
  const refresh = async (): Promise<void> => {
    const shards = await readMap(db);
    db.shards.set(shards.spread ? { ...shards, refresh, transactions: await readTransactions(db) } : shards);
  };
  await refresh();
}

/** How the accounts of the database are spread now. */
export async function readMap(db: Queries): Promise<Shards> {
  const found = await readShards(db);
  const shards = shardsOf(found);
  if (!shards.spread) return shards;
  const homes = homesOf(found, await readTables(db));
  return { ...shards, homeOf: (accountId) => homes[shards.of(accountId)]! };
}

/** The name of each table's shards on the servers that hold them. A shared table has one shard, without a first hash. */
export async function readTables(queries: Queries): Promise<{ name: string; from: number | null; shard: string }[]> {
  const { rows } = await queries.query<{ name: string; from: number | null; shard: string }>(sql`
    select c.relname::text as name, s.shardminvalue::bigint as "from", shard_name(s.logicalrelid, s.shardid) as shard
    from pg_dist_shard s join pg_class c on c.oid = s.logicalrelid
    where c.relnamespace = current_schema()::regnamespace order by c.relname, s.shardid`);
  return rows;
}

function homesOf(shards: readonly Shard[], tables: Awaited<ReturnType<typeof readTables>>): Home[] {
  const beside = Map.groupBy(tables, ({ from }) => from);
  return shards.map((shard) =>
    homeOf(shard, new Map(beside.get(shard.from)!.map((table) => [table.name, table.shard]))),
  );
}

/** The schema's own views, each after those that it reads. */
export async function readViews(queries: Queries): Promise<{ name: string; query: string }[]> {
  const { rows } = await queries.query<{ name: string; query: string }>(sql`
    select c.relname::text as name, rtrim(pg_get_viewdef(c.oid), ';') as query from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'v'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by c.oid`);
  return rows;
}

/** The view of all transactions, as statements read it (`transactions-of.ts`). */
async function readTransactions(db: Queries): Promise<NonNullable<Shards["transactions"]>> {
  const [views, tables] = [await readViews(db), await readTables(db)];
  const whole = views.find(({ name }) => name === "transactions")!.query;
  const copies = new Map(tables.filter(({ from }) => from === null).map(({ name, shard }) => [name, shard]));
  let text = whole;
  // A view may read those before it.
  for (const { name, query } of views.toReversed()) {
    text = text.replace(new RegExp(`\\b(FROM|JOIN) ${name}\\b`, "g"), (_, word: string) => `${word} (${query})`);
  }
  return { whole, inShard: nameShard(text, copies) };
}

/**
 * The map of accounts to shards, given the shards in the order of their hashes. The number of a shard is its position
 * there.
 */
export function shardsOf(shards: readonly Shard[]): Shards {
  if (shards.length === 0) return ONE_SERVER;
  const starts = shards.map((shard) => shard.from);
  return {
    spread: true,
    of(accountId) {
      const hash = hashOf(accountId);
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle]! <= hash) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
