/**
 * How accounts are spread over the database. Statements that lock or write rows of several accounts at once are made for
 * accounts of one shard, so that each reaches one server (docs/data.md).
 */
export type Shards = {
  /** Whether there is more than one server. */
  readonly spread: boolean;
  /** The shard of an account's rows. */
  of(accountId: string): number;
  /** With several servers: the home of an account's shard. */
  homeOf?(accountId: string): Home | null;
  /** Reads the shards again, which an operator may have moved or split. Left out: they never change. */
  refresh?(): Promise<void>;
  /**
   * With several servers: the text of the view `transactions`, for the whole database and for a shard's server, which has
   * no views but a copy of each shared table.
   */
  readonly transactions?: { readonly whole: string; readonly inShard: string };
};

/** A shard of all tables of accounts, on the server that holds it. */
export type Home = {
  readonly host: string;
  readonly port: number;
  /** The shard of the table `accounts`. */
  readonly shardId: number;
  /** Rewrites a statement about the tables to one about their rows in this shard. */
  named(text: string): string;
};

/** Thrown when a shard is no longer at the server where it was found: nothing was done. */
export class ShardMovedError extends Error {
  constructor(shardId: number) {
    super(`shard ${shardId} has left its server`);
    this.name = "ShardMovedError";
  }
}

/** Everything is on one server: rows of any accounts may share a statement. */
export const ONE_SERVER: Shards = { spread: false, of: () => 0 };

/**
 * How the accounts of a database are spread, as last read. Its pools share one: statements name their tenants
 * (`onTenants`), batches are split and plans are made by it, so that they cannot disagree.
 */
export type KnownShards = Shards & {
  /** Replaces what is known: before anything is batched, and again when shards were moved or split. */
  set(shards: Shards): void;
};

export function knownShards(first: Shards = ONE_SERVER): KnownShards {
  let current = first;
  return {
    get spread() {
      return current.spread;
    },
    of: (accountId) => current.of(accountId),
    homeOf: (accountId) => current.homeOf?.(accountId) ?? null,
    refresh: async () => current.refresh?.(),
    get transactions() {
      return current.transactions!;
    },
    set(shards) {
      current = shards;
    },
  };
}

/** The lane of an account: the same for all accounts of a shard. Without shards any fixed choice spreads the load. */
export function laneOf(shards: Shards, accountId: string, lanes: number): number {
  const key = shards.spread ? shards.of(accountId) : Number.parseInt(accountId.slice(-6), 16);
  return key % lanes;
}

/** Options of a batcher whose items belong to accounts: its runs never mix shards. */
export const inShards = <I>(shards: Shards, accountOf: (item: I) => string): InShards<I> =>
  shards.spread
    ? { shardOf: (item) => shards.of(accountOf(item)), ...(shards.refresh && { refresh: () => shards.refresh!() }) }
    : {};

type InShards<I> = { shardOf?: (item: I) => number; refresh?: () => Promise<void> };

/** Divides rows into parts whose accounts lie in one shard, each in the given order. On one server there is one part. */
export function byShard<Row>(
  shards: Shards,
  rows: readonly Row[],
  accountOf: (row: Row) => string,
): readonly (readonly Row[])[] {
  if (!shards.spread) return rows.length === 0 ? [] : [rows];
  return [...Map.groupBy(rows, (row) => shards.of(accountOf(row))).values()];
}
