/**
 * How accounts are spread over the database. Statements that lock or write rows of several accounts at once are made for
 * accounts of one shard, so that each reaches one server (docs/data.md).
 */
export type Shards = {
  /** Whether there is more than one server. */
  readonly spread: boolean;
  /** The shard that all rows of an account lie in. */
  of(accountId: string): number;
  /** On several servers: where the shard of an account lies. */
  homeOf?(accountId: string): Home | null;
  /** Reads the shards again, which an operator may have moved or split. Left out: they are for ever. */
  refresh?(): Promise<void>;
  /**
   * On several servers: what the view `transactions` reads; and what it reads at the server of a shard, which has no views,
   * and a copy of each shared table.
   */
  readonly transactions?: { readonly whole: string; readonly inShard: string };
};

/** A shard of all tables of accounts, on the server that holds it. */
export type Home = {
  readonly host: string;
  readonly port: number;
  /** Of the table `accounts`. */
  readonly shardId: number;
  /** A statement about the tables, as one about their rows in this shard. */
  named(text: string): string;
};

/** Thrown when a shard has left the server where it was found: nothing was done. */
export class ShardMovedError extends Error {
  constructor(shardId: number) {
    super(`shard ${shardId} has left its server`);
    this.name = "ShardMovedError";
  }
}

/** Everything on one server: rows of any accounts may share a statement. */
export const ONE_SERVER: Shards = { spread: false, of: () => 0 };

let current: Shards = ONE_SERVER;

/**
 * How the database of this program is spread, as `useShards` last said. Statements name their tenants (`onTenants`), batches
 * are split and plans are made by this one value, so that they cannot disagree.
 */
export const SHARDS: Shards = {
  get spread() {
    return current.spread;
  },
  of: (accountId) => current.of(accountId),
  homeOf: (accountId) => current.homeOf?.(accountId) ?? null,
  refresh: async () => current.refresh?.(),
  get transactions() {
    return current.transactions!;
  },
};

/** Sets how the database of this program is spread: before anything is batched, and again when shards were split. */
export function useShards(shards: Shards): void {
  current = shards;
}

/** The lane of an account: the same for all accounts of a shard; without shards any fixed choice spreads the load. */
export function laneOf(shards: Shards, accountId: string, lanes: number): number {
  const key = shards.spread ? shards.of(accountId) : Number.parseInt(accountId.slice(-6), 16);
  return key % lanes;
}

/** For a batcher of items that belong to accounts: its runs never mix shards. */
export const inShards = <I>(shards: Shards, accountOf: (item: I) => string): InShards<I> =>
  shards.spread
    ? { shardOf: (item) => shards.of(accountOf(item)), ...(shards.refresh && { refresh: () => shards.refresh!() }) }
    : {};

type InShards<I> = { shardOf?: (item: I) => number; refresh?: () => Promise<void> };

/** Rows in parts whose accounts lie in one shard, each in the order given. On one server: all of them. */
export function byShard<Row>(
  shards: Shards,
  rows: readonly Row[],
  accountOf: (row: Row) => string,
): readonly (readonly Row[])[] {
  if (!shards.spread) return rows.length === 0 ? [] : [rows];
  return [...Map.groupBy(rows, (row) => shards.of(accountOf(row))).values()];
}
