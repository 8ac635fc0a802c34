import pg from "pg";
import { failpoint } from "../lib/failpoint.ts";
import { joined } from "./joined.ts";
import { createPlanning, type Planning } from "./plans.ts";
import { readInstant } from "./read-instant.ts";
import { type Rows, run, runPrepared, together } from "./send.ts";
import { PINNED, TIMEOUTS } from "./settings.ts";
import { createShardPools, type OfAccount, type Place, shardOf, unlessMoved } from "./shard-pools.ts";
import { type KnownShards, knownShards, ShardMovedError } from "./shards.ts";
import { placed, type Sql } from "./sql.ts";

/** Something that runs statements: the pool, or one transaction of it. */
export type Queries = { query<R = Record<string, unknown>>(statement: Sql): Promise<Rows<R>> };

/** An open transaction. Only `transaction` makes one, so a function with this parameter cannot run outside of one. */
export type Tx = Queries & {
  readonly inTransaction: true;
  /**
   * Sends changes that depend on no answer: joined to as few statements as possible, and with the commit where nothing is
   * awaited in between. The transaction fails if one of them does, or changes another number of rows than it says.
   */
  write(statements: readonly Sql[]): void;
};

export type Db = Queries & {
  /** How accounts are spread over the servers of this database. */
  readonly shards: KnownShards;
  /**
   * Runs `fn` in one transaction: commits when it returns, rolls back when it throws. `prepared`: its statements are parsed
   * and planned once for a connection, as reads by key; for the money paths, whose texts are few and fixed. `unhurried`: a
   * statement may take hours, because it reads whole tables (a check of the books, a migration). `within`: all rows that it
   * reads and writes, of accounts in one shard; on a cluster it is sent to that shard's server.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>, options?: How): Promise<T>;
  /**
   * Runs prepared statements in one transaction that is sent as a whole, with its commit: one round trip instead of two.
   * For statements whose results do not decide about the commit. Resolves after the commit with the result of each.
   *
   * @param within as in `transaction`.
   */
  atOnce<R = Record<string, unknown>>(statements: readonly Sql[], within?: readonly OfAccount[]): Promise<Rows<R>[]>;
  /**
   * Runs prepared reads on one connection, sent together, so that the server is woken once. Each of them sees what was
   * committed when it began, as if it were sent alone.
   */
  reads(statements: readonly Sql[]): Promise<Rows<unknown>[]>;
  /** Reads of an account: on a cluster at the server that holds its shard, planned as on one server. */
  inShardOf(accountId: string): Queries;
  /** The same database on another server of its cluster, with the same user and settings. `end` closes it too. */
  at(server: { readonly host: string; readonly port: number }): Db;
  end(): Promise<void>;
};

type How = { readonly prepared?: boolean; readonly unhurried?: boolean; readonly within?: readonly OfAccount[] };

/**
 * Connections to each other server of a cluster. They are opened when a check of everything needs them, and closed when
 * idle.
 */
const OTHERS = 2;
/**
 * Connections for each shard: one for its lane, others for further reads and writes. Each caches plans of that shard only.
 */
const IN_SHARD = 4;

const UNHURRIED = `begin; set local statement_timeout = ${TIMEOUTS.unhurried}`;

// bigint columns are centavos, balances and counters, all within 2^53. A larger value must be refused and never rounded.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error("a bigint from the database does not fit a safe integer");
  return value;
});
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readInstant);

type DbOptions = {
  readonly url: string;
  readonly max: number;
  /** The name of the connections at the server. */
  readonly name?: string;
  readonly onError: (error: Error) => void;
  readonly answerMs?: number;
  readonly shards?: KnownShards;
};

/**
 * Opens a pool of connections to `url`. Connections are opened at first need.
 *
 * @param options.answerMs a connection that has not answered for this long is abandoned.
 * @param options.shards how accounts are spread over servers, shared by the pools of one database; decides how statements
 * are written and planned, and batches split. Left out: one server, until `useCluster` reads it.
 */
export function openDb(options: DbOptions): Db {
  const { shards = knownShards() } = options;
  const planning = createPlanning(shards);
  const pool = openPool(options);
  const others = new Map<string, Db>();
  const inShards = createShardPools((home) => openPool({ ...options, url: urlAt(options.url, home), max: IN_SHARD }));
  const inShardOf = async <T>(
    within: readonly OfAccount[] | undefined,
    work: (place: Place) => Promise<T>,
  ): Promise<T> => {
    const shard = within === undefined ? null : shardOf(shards, within);
    // A cluster finds the shard of plain statements only.
    const here = { pool, planning, joins: !shards.spread, named: (statement: Sql) => placed(shards, statement) };
    if (shard === null) return work(here);
    return inShards.run(shard, shards, work);
  };
  const transaction: Db["transaction"] = (fn, how = {}) => inShardOf(how.within, (place) => transact(place, fn, how));
  const query: Queries["query"] = async <R>(given: Sql) => {
    const statement = placed(shards, given);
    return statement.prepared ? (await read<R>(pool, planning, [statement]))[0]! : run<R>(pool, statement);
  };
  return {
    shards,
    query,
    inShardOf: (accountId) => ({
      query<R>(statement: Sql) {
        if (!shards.spread) return query<R>(statement);
        return unlessMoved(() => transaction((tx) => tx.query<R>(statement), { within: [{ accountId }] }));
      },
    }),
    reads: (statements) =>
      read(
        pool,
        planning,
        statements.map((statement) => placed(shards, statement)),
      ),
    transaction,
    atOnce: (statements, within) => inShardOf(within, (place) => runAtOnce(place, statements)),
    at(server) {
      const url = urlAt(options.url, server);
      const there = others.get(url) ?? openDb({ ...options, shards, url, max: OTHERS });
      others.set(url, there);
      return there;
    },
    async end() {
      await Promise.all([pool.end(), inShards.end(), ...[...others.values()].map((other) => other.end())]);
    },
  };
}

function urlAt(first: string, { host, port }: { readonly host: string; readonly port: number }): string {
  const url = new URL(first);
  [url.hostname, url.port] = [host, String(port)];
  return url.href;
}

function openPool(options: DbOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    types,
    application_name: options.name ?? "pixgate",
    keepAlive: true,
    keepAliveInitialDelayMillis: TIMEOUTS.keepAlive,
    query_timeout: options.answerMs ?? TIMEOUTS.answer,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // Statements that are issued together are sent together: a lane's batch is two or three round trips instead of ten.
    pipeline: true,
    onConnect: async (client: pg.ClientBase) => {
      client.on("error", options.onError);
      await client.query(PINNED);
    },
  } as pg.PoolConfig);
  pool.on("error", options.onError);
  return pool;
}

/** Prepared reads outside of a transaction, sent together. */
async function read<R>(pool: pg.Pool, planning: Planning, statements: readonly Sql[]): Promise<Rows<R>[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    together(client);
    // Sent with the statements.
    if (planning.isStale(client)) client.query("discard plans").catch(() => {});
    const all = await Promise.allSettled(statements.map((statement) => runPrepared<R>(client, statement)));
    return all.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  } catch (error) {
    broken = error as Error;
    if (!isStalePlan(broken)) throw error;
  } finally {
    client.release(broken);
  }
  return Promise.all(statements.map((statement) => run<R>(pool, statement)));
}

/** Runs work in one transaction, which ends with the tag COMMIT or throws. */
async function transact<T>(
  { pool, planning, joins, named, enter }: Place,
  fn: (tx: Tx) => Promise<T>,
  { prepared = false, unhurried = false }: How,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let entered: Promise<unknown> | undefined;
  const written: Promise<unknown>[] = [];
  try {
    // Sent with the first statements; the server executes them in order.
    together(client);
    const begun = client.query(unhurried ? UNHURRIED : planning.begin(client, prepared));
    entered = enter?.(client);
    const send = <R>(given: Sql) => {
      const statement = named(given);
      if (prepared || statement.prepared) return runPrepared<R>(client, statement);
      return run<R>(client, statement, unhurried ? TIMEOUTS.unhurried : undefined);
    };
    const write = (statements: readonly Sql[]) => {
      for (const statement of joins ? joined(statements) : statements) {
        const sent = joins ? send(statement) : send(statement).then((rows) => assertChanged(statement, rows));
        // Awaited below; until then a failure must not count as unhandled.
        sent.catch(() => {});
        written.push(sent);
      }
    };
    const [result] = await Promise.all([fn({ inTransaction: true, query: send, write }), begun, entered]);
    if (!joins) await Promise.all(written);
    failpoint("commit.before");
    together(client);
    const [commit] = await Promise.all([client.query("commit"), ...written]);
    // After a failed statement COMMIT resolves, with the tag ROLLBACK.
    if (commit.command !== "COMMIT") throw new Error(`the transaction ended with ${commit.command}`);
    failpoint("commit.after");
    return result;
  } catch (error) {
    // A connection whose prepared statements no longer fit the tables must be closed.
    if (error instanceof Error && isStalePlan(error)) broken = error;
    try {
      await client.query("rollback");
    } catch {
      broken = error as Error;
    }
    // If the entry or a write failed, statements sent after it fail too, only with the message that the transaction is over.
    // Report the first error.
    await entered;
    for (const sent of written) await sent;
    throw error;
  } finally {
    client.release(broken);
  }
}

function assertChanged({ changes }: Sql, { rowCount }: Rows<unknown>): void {
  if (changes && changes.rows !== rowCount)
    throw new Error(`${changes.rows} ${changes.of} were to change, ${rowCount} did`);
}

/** Sends statements and their commit in one go. */
async function runAtOnce<R>({ pool, planning, named, enter }: Place, statements: readonly Sql[]): Promise<Rows<R>[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    together(client);
    failpoint("commit.before");
    const begun = client.query(planning.begin(client, true));
    const entered = enter?.(client);
    const results = statements.map((statement) => runPrepared<R>(client, named(statement)));
    const committed = client.query("commit").catch((error: unknown) => {
      broken = error as Error;
      throw error;
    });
    const all = await Promise.allSettled([begun, entered, ...results, committed]);
    // The first failure is the reason; later ones only say that the transaction is over.
    for (const result of all) if (result.status === "rejected") throw result.reason;
    const { command } = await committed;
    if (command !== "COMMIT") throw new Error(`the transaction ended with ${command}`);
    failpoint("commit.after");
    return await Promise.all(results);
  } catch (error) {
    if (error instanceof Error && isStalePlan(error)) broken = error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Whether a migration has changed what a prepared statement returns; a new connection prepares it again. */
function isStalePlan(error: Error): boolean {
  return (error as { code?: unknown }).code === "0A000" && /cached plan/.test(error.message);
}

const TRANSIENT = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "55P03", // lock_not_available (lock_timeout)
  "57014", // query_canceled (statement_timeout)
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "53300", // too_many_connections
  "25006", // read_only_sql_transaction: a server that has handed over to another
  "25P03", // idle_in_transaction_session_timeout
]);

/**
 * Messages of errors without a code: the connection was lost, or a cluster lost one of its servers, also at the commit (no
 * constraint is deferred), or a shard moved while its place was read (Citus, multi_physical_planner.c, metadata_cache.c,
 * placement_connection.c). Shard 0 does not exist: such a statement reaches no shard.
 */
const TRANSIENT_WORDS =
  /Connection terminated|connection timeout|failure on connection marked as essential|server closed the connection unexpectedly|invalid socket|Query read timeout|timeout exceeded when trying to connect|not queryable|active placements|could not find valid entry for shard [1-9]|could not commit transaction for shard/i;

/**
 * Whether the same work may be retried after this error. The work must be repeatable, because a lost answer to COMMIT may
 * have been a success.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isStalePlan(error) || error instanceof ShardMovedError) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && (TRANSIENT.has(code) || code.startsWith("08"))) return true;
  if (typeof code === "string" && /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH)/.test(code)) return true;
  return isEnded(error) || TRANSIENT_WORDS.test(error.message);
}

/** Whether this process is about to end. Its unfinished work is stored in rows, for another process or its next start. */
export const isEnded = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("Cannot use a pool after calling end");

/** The log level of a failure: a database that is down, slow or handed over is no fault of the code that met it. */
export const levelOf = (error: unknown): "warn" | "error" => (isTransient(error) ? "warn" : "error");
