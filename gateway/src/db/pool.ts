import type { Socket } from "node:net";
import pg from "pg";
import { failpoint } from "../lib/failpoint.ts";
import { createPlanning, type Planning } from "./plans.ts";
import { SHARDS, type Shards } from "./shards.ts";
import type { Sql } from "./sql.ts";

/** Rows of a statement, and how many it touched. */
type Rows<R> = { readonly rows: R[]; readonly rowCount: number };

/** Something that runs statements: the pool, or one transaction of it. */
export type Queries = { query<R = Record<string, unknown>>(statement: Sql): Promise<Rows<R>> };

/** An open transaction. Only `transaction` makes one, so a function with this parameter cannot run outside. */
export type Tx = Queries & { readonly inTransaction: true };

export type Db = Queries & {
  /** How accounts are spread over the servers of this database. */
  readonly shards: Shards;
  /**
   * Runs `fn` in one transaction: commits when it returns, rolls back when it throws. With `prepared` its statements are
   * parsed and planned once for a connection, as reads by key: for the money paths, whose texts are few and fixed.
   * `unhurried`: a statement may take hours, since it goes through whole tables (a check of the books, a migration).
   */
  transaction<T>(
    fn: (tx: Tx) => Promise<T>,
    options?: { readonly prepared?: boolean; readonly unhurried?: boolean },
  ): Promise<T>;
  /**
   * Runs prepared statements in one transaction that is sent whole, its commit with it: one round trip instead of two. For
   * what is committed whatever the statements find. Resolves after the commit, with what each of them gave.
   */
  atOnce<R = Record<string, unknown>>(statements: readonly Sql[]): Promise<Rows<R>[]>;
  /** The same database on another server of its cluster, with the same user and settings. `end` closes it too. */
  at(server: { readonly host: string; readonly port: number }): Db;
  end(): Promise<void>;
};

/** Time-outs of one connection, milliseconds. A statement that exceeds one has met a bug or a dead peer. */
const TIMEOUTS = {
  statement: 30_000,
  lock: 10_000,
  idleInTransaction: 15_000,
  // Longer than the server's own limits. A connection that died silently (a router dropped it) accepts every byte and
  // answers none, and would block its lane for ever.
  answer: 35_000,
  unhurried: 6 * 3_600_000,
  // Detects a dead peer on idle connections too: the system's default begins after two hours.
  keepAlive: 10_000,
} as const;

/** Connections to each other server of a cluster. They are made when a check of everything needs them, and close when idle. */
const OTHERS = 2;

const UNHURRIED = `begin; set local statement_timeout = ${TIMEOUTS.unhurried}`;

// bigint columns are centavos, balances and counters: all within 2^53, and a value that is not must never be rounded.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error("a bigint from the database does not fit a safe integer");
  return value;
});

type DbOptions = {
  readonly url: string;
  readonly max: number;
  /** What the connections are called at the server. */
  readonly name?: string;
  readonly onError: (error: Error) => void;
  readonly answerMs?: number;
  readonly shards?: Shards;
};

/**
 * Opens a pool of connections to `url`. Connections are made when first needed.
 *
 * @param options.answerMs a connection that has not answered for this long is given up.
 * @param options.shards how accounts are spread over servers; decides how statements are planned and batches are split.
 */
export function openDb(options: DbOptions): Db {
  const { shards = SHARDS } = options;
  const planning = createPlanning(shards);
  const pool = openPool(options);
  const others = new Map<string, Db>();
  return {
    shards,
    query: (statement) => (statement.prepared ? read(pool, planning, statement) : run(pool, statement)),
    transaction: (fn, how = {}) => transact(pool, planning, fn, how),
    atOnce: (statements) => runAtOnce(pool, planning, statements),
    at({ host, port }) {
      const url = new URL(options.url);
      [url.hostname, url.port] = [host, String(port)];
      const there = others.get(url.host) ?? openDb({ ...options, url: url.href, max: OTHERS });
      others.set(url.host, there);
      return there;
    },
    async end() {
      await Promise.all([pool.end(), ...[...others.values()].map((other) => other.end())]);
    },
  };
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
    // Statements that are issued together go out together: a lane's batch is four round trips instead of sixteen.
    pipeline: true,
    // synchronous_commit is set here because a role or a database can have it off by default, and then a crash of the
    // server could lose a charge that was answered.
    onConnect: async (client: pg.ClientBase) => {
      client.on("error", options.onError);
      await client.query(
        `set synchronous_commit = on; set statement_timeout = ${TIMEOUTS.statement}; set lock_timeout = ${TIMEOUTS.lock}; set idle_in_transaction_session_timeout = ${TIMEOUTS.idleInTransaction}; set timezone = 'UTC'`,
      );
    },
  } as pg.PoolConfig);
  pool.on("error", options.onError);
  return pool;
}

/** One prepared statement outside of a transaction. */
async function read<R>(pool: pg.Pool, planning: Planning, statement: Sql): Promise<Rows<R>> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    together(client);
    // Sent with the statement.
    if (planning.isStale(client)) client.query("discard plans").catch(() => {});
    return await runPrepared<R>(client, statement);
  } catch (error) {
    broken = error as Error;
    if (!isStalePlan(broken)) throw error;
  } finally {
    client.release(broken);
  }
  return run<R>(pool, statement);
}

/** Runs work in one transaction, which ends with the tag COMMIT or throws. */
async function transact<T>(
  pool: pg.Pool,
  planning: Planning,
  fn: (tx: Tx) => Promise<T>,
  { prepared = false, unhurried = false }: { prepared?: boolean; unhurried?: boolean },
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // Sent with the first statements; the server works them off in order.
    together(client);
    const begun = client.query(unhurried ? UNHURRIED : planning.begin(client, prepared));
    const send = <R>(statement: Sql) => {
      if (prepared || statement.prepared) return runPrepared<R>(client, statement);
      return run<R>(client, statement, unhurried ? TIMEOUTS.unhurried : undefined);
    };
    const [result] = await Promise.all([fn({ inTransaction: true, query: send }), begun]);
    failpoint("commit.before");
    const commit = await client.query("commit");
    // After a failed statement COMMIT resolves, with the tag ROLLBACK.
    if (commit.command !== "COMMIT") throw new Error(`the transaction ended with ${commit.command}`);
    failpoint("commit.after");
    return result;
  } catch (error) {
    // A connection whose prepared statements no longer fit the tables is of no use.
    if (error instanceof Error && isStalePlan(error)) broken = error;
    try {
      await client.query("rollback");
    } catch {
      broken = error as Error;
    }
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Sends statements and their commit in one go. */
async function runAtOnce<R>(pool: pg.Pool, planning: Planning, statements: readonly Sql[]): Promise<Rows<R>[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    together(client);
    failpoint("commit.before");
    const begun = client.query(planning.begin(client, true));
    const results = statements.map((statement) => runPrepared<R>(client, statement));
    const committed = client.query("commit").catch((error: unknown) => {
      broken = error as Error;
      throw error;
    });
    const all = await Promise.allSettled([begun, ...results, committed]);
    // The first that failed is the reason; those after it only say that the transaction is over.
    for (const one of all) if (one.status === "rejected") throw one.reason;
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

async function run<R>(
  target: pg.Pool | pg.ClientBase,
  { text, values }: Sql,
  answerMs?: number | undefined,
): Promise<Rows<R>> {
  // `query_timeout` of one statement is not in pg's types.
  const config = { text, values, ...(answerMs !== undefined && { query_timeout: answerMs }) } as pg.QueryConfig;
  if (!(target instanceof pg.Pool)) together(target);
  const result = await target.query(config);
  return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
}

/**
 * Sends the statements of one turn of the event loop with one write. One write for each statement, with the wake-up of the
 * server that follows, was half of this process's CPU at a steady load.
 */
function together(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Names of prepared statements, one for each text in this process. */
const names = new Map<string, string>();

async function runPrepared<R>(client: pg.ClientBase, { text, values }: Sql): Promise<Rows<R>> {
  const name = names.get(text) ?? `pixgate_${names.size}`;
  names.set(text, name);
  together(client);
  const result = await client.query({ name, text, values: values as unknown[] });
  return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
}

/** A migration has changed what a prepared statement returns; a new connection prepares it anew. */
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
  "25P03", // idle_in_transaction_session_timeout
]);

/**
 * True for errors after which the same work may be tried again: the connection was lost, the server restarts, a lock
 * was not got. The work must be repeatable, since a lost answer to COMMIT can be a success.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isStalePlan(error)) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string" && (TRANSIENT.has(code) || code.startsWith("08"))) return true;
  if (typeof code === "string" && /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH)/.test(code)) return true;
  return (
    isEnded(error) ||
    /Connection terminated|connection timeout|Query read timeout|timeout exceeded when trying to connect|not queryable/i.test(
      error.message,
    )
  );
}

/** True when this process is about to end: what it was doing is rows, and another's work or its next life's. */
export const isEnded = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("Cannot use a pool after calling end");

/** How loud a failure is: a database that is away, slow or no longer ours is no fault of whoever met it. */
export const levelOf = (error: unknown): "warn" | "error" => (isTransient(error) ? "warn" : "error");
