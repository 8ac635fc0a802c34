import type pg from "pg";
import { createPlanning, type Planning } from "./plans.ts";
import { runPrepared } from "./send.ts";
import { type Home, ONE_SERVER, ShardMovedError, type Shards } from "./shards.ts";
import { placed, prepared, type Sql, sql } from "./sql.ts";

/** Where a transaction runs. */
export type Place = {
  readonly pool: pg.Pool;
  readonly planning: Planning;
  /** Whether it takes statements of several changes (db/joined.ts). */
  readonly joins: boolean;
  /** A statement with the names that this place uses. */
  named(statement: Sql): Sql;
  /** Sent right after `begin`; fails where the place must not be used. */
  enter?(client: pg.ClientBase): Promise<unknown>;
};

/** A row that a transaction within a shard reads or writes. */
export type OfAccount = { readonly accountId: string };

/** The shard's table is gone, or its server has become a read-only copy. */
const LEFT = new Set(["42P01", "25006"]);
const DIVISION_BY_ZERO = "22012";

/** A shard, and an account in it. */
type Shard = { readonly home: Home; readonly accountId: string };

/**
 * The one shard of all rows; null: everything is on one server. A write inside a shard bypasses the cluster, which would
 * never find a row in another account's shard.
 *
 * @throws ShardMovedError where the rows lie in several shards: the shard was split since they were grouped.
 */
export function shardOf(shards: Shards, rows: readonly OfAccount[]): Shard | null {
  const accountId = rows[0]?.accountId;
  const home = accountId === undefined ? null : (shards.homeOf?.(accountId) ?? null);
  if (home === null) return null;
  const shard = shards.of(accountId!);
  if (rows.some((row) => shards.of(row.accountId) !== shard)) throw new ShardMovedError(home.shardId);
  return { home, accountId: accountId! };
}

/**
 * Connections to shards, at the servers that hold them. A statement there is planned once, as on one server, and no other
 * server takes part in its commit (docs/scale-out.md).
 */
export function createShardPools(open: (home: Home) => pg.Pool) {
  const pools = new Map<string, pg.Pool>();
  const planning = createPlanning(ONE_SERVER);
  const poolOf = (home: Home): pg.Pool => {
    const key = `${home.host}:${home.port}/${home.shardId}`;
    const pool = pools.get(key) ?? open(home);
    pools.set(key, pool);
    return pool;
  };
  return {
    /**
     * Runs work in the shard of an account. If the shard has left its server, the shards are read again.
     *
     * @throws ShardMovedError when it has left: nothing was written.
     */
    async run<T>({ home, accountId }: Shard, shards: Shards, work: (place: Place) => Promise<T>): Promise<T> {
      try {
        return await work({
          pool: poolOf(home),
          planning,
          joins: true,
          named(given) {
            const statement = placed(shards, given);
            return { ...statement, text: home.named(statement.text) };
          },
          enter: (client) => enter(client, home, accountId),
        });
      } catch (error) {
        const isMoved = error instanceof ShardMovedError;
        if (!isMoved && !LEFT.has(String((error as { code?: unknown }).code)) && !isLost(error)) throw error;
        // If they cannot be read, the next attempt fails with the reason.
        await shards.refresh?.().catch(() => {});
        // Otherwise the shard has not moved: its table is missing, or its server is down.
        if (isMoved || !isSame(home, shards.homeOf?.(accountId))) throw new ShardMovedError(home.shardId);
        throw error;
      }
    },
    end: () => Promise.all([...pools.values()].map((pool) => pool.end())),
  };
}

/** Repeats work, which must be repeatable, if its shard has moved; the shards were read again by then. */
export async function unlessMoved<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ShardMovedError)) throw error;
    return work();
  }
}

const isSame = (a: Home, b: Home | null | undefined): boolean =>
  b?.host === a.host && b.port === a.port && b.shardId === a.shardId;

/** Whether the server cannot be reached or shuts down: another one may hold its shards now. */
const isLost = (error: unknown): boolean =>
  /^(E[A-Z]+|08\w{3}|57P0[1-3])$/.test(String((error as { code?: unknown }).code));

/**
 * Keeps the shard at its server until the transaction ends, and verifies that it is there. Before a shard moves, it waits
 * for every transaction that has written to it through the cluster. So the first statement is such a write, which changes
 * no row; what is written after it bypasses the cluster. The second statement sees the state when the first one had its
 * lock, and fails if the shard is elsewhere; then nothing is committed, even if the commit was sent along.
 */
async function enter(client: pg.ClientBase, { shardId }: Home, accountId: string): Promise<void> {
  const held = runPrepared(
    client,
    prepared(sql`update accounts set updated_at = updated_at where account_id = ${accountId} and number < 0`),
  );
  const here = runPrepared(
    client,
    prepared(sql`
      select 1 / count(*) from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
      where p.shardid = ${shardId}`),
  );
  const [, shardHere] = await Promise.allSettled([held, here]);
  if (shardHere.status === "rejected" && (shardHere.reason as { code?: unknown }).code === DIVISION_BY_ZERO)
    throw new ShardMovedError(shardId);
  await Promise.all([held, here]);
}
