import type { Db, Tx } from "../pool.ts";
import { DatabaseRefused } from "../refused.ts";
import { sql } from "../sql.ts";

/** How `migrate` spread the tables over the servers of a cluster. */
export type Spread = {
  /** Servers that hold accounts. */
  readonly servers: number;
  /** Tables that it has spread by account. */
  readonly distributed: readonly string[];
  /** Shared tables that it has copied to every server. */
  readonly copied: readonly string[];
};

type Table = { readonly name: string; readonly ofAccounts: boolean; readonly refersTo: readonly string[] };

/** Stays on one server: the one that `migrate` connects to. */
const LOCAL = "schema_migrations";
/** All tables of accounts are placed like this one. */
const FIRST = "accounts";

/**
 * Spreads every table that is not spread yet over a Citus cluster: tables of accounts by `account_id`, so that all rows of
 * an account are on one server; shared tables as a copy on each server. Existing rows move along. All or nothing, under the
 * advisory `lock`; running it again has no effect.
 *
 * @returns null on a plain PostgreSQL.
 * @throws DatabaseRefused when no server of the cluster accepts rows.
 */
export async function distribute(db: Db, lock: number): Promise<Spread | null> {
  const { rows } = await db.query(sql`select from pg_extension where extname = 'citus'`);
  if (rows.length === 0) return null;
  return db.transaction(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${lock})`);
      const servers = await countServers(tx);
      // One shard after the other: tables that refer to each other cannot be spread over parallel connections.
      await tx.query(sql`set local citus.multi_shard_modify_mode = 'sequential'`);
      await tx.query(sql`set local lock_timeout = 0`);
      const waiting = inOrder(await readTables(tx));
      const distributed = waiting.filter((table) => table.ofAccounts).map((table) => table.name);
      const copied = waiting.filter((table) => !table.ofAccounts).map((table) => table.name);
      for (const name of copied) await tx.query(sql`select create_reference_table(${name})`);
      for (const name of distributed) {
        const beside = name === FIRST ? "none" : FIRST;
        await tx.query(sql`select create_distributed_table(${name}, 'account_id', colocate_with => ${beside})`);
      }
      return { servers, distributed, copied };
    },
    { unhurried: true },
  );
}

async function countServers(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    sql`select count(*) from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'`,
  );
  if (rows[0]!.count > 0) return rows[0]!.count;
  throw new DatabaseRefused(
    "this database has Citus and no server that takes rows: add servers with citus_add_node, then migrate again",
  );
}

async function readTables(tx: Tx): Promise<Table[]> {
  const { rows } = await tx.query<Table>(sql`
    select c.relname::text as name,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped)
        as "ofAccounts",
      array(
        select r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as "refersTo"
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> ${LOCAL}
      and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid)
    order by c.relname`);
  return rows;
}

/** Each table after those that its foreign keys refer to, and the accounts first of all. */
function inOrder(tables: readonly Table[]): Table[] {
  const ordered = new Set<Table>();
  const byName = new Map(tables.map((table) => [table.name, table]));
  const visit = (table: Table | undefined, above: readonly Table[]): void => {
    if (table === undefined || ordered.has(table)) return;
    if (above.includes(table)) throw new Error(`the foreign keys of ${table.name} lead back to it`);
    for (const name of table.refersTo) visit(byName.get(name), [...above, table]);
    ordered.add(table);
  };
  visit(byName.get(FIRST), []);
  for (const table of tables) visit(table, []);
  return [...ordered];
}
