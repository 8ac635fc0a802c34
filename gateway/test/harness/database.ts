import { randomBytes } from "node:crypto";
import pg from "pg";
import { GATEWAY_ROLE } from "../../src/db/rights.ts";
import { part } from "../../src/db/sql.ts";

/** Of the gateway's role, on the server that lives as long as the run. */
export const GATEWAY_PASSWORD = "0123456789abcdef";

/**
 * A database of its own for a test file, cloned from the migrated template (`empty`: without any schema), on the
 * server that the run's global set-up has started. `url` is its owner's, `gatewayUrl` that of the role with which a
 * gateway has to get along.
 */
export async function freshDatabase(
  options: { empty?: boolean } = {},
): Promise<{ url: string; gatewayUrl: string; drop(): Promise<void> }> {
  const server = process.env.PIXGATE_TEST_POSTGRES;
  if (!server) throw new Error("run the tests with npm test: its global set-up starts PostgreSQL");
  const name = `test_${randomBytes(6).toString("hex")}`;
  // On a cluster each server has its part of every database. One without a schema is of no cluster yet.
  const servers = [server, ...(options.empty ? [] : readWorkers())];
  const from = options.empty ? "" : " template pixgate_template strategy file_copy";
  await Promise.all(servers.map((one) => admin(one, `create database ${name}${from}`)));
  const url = new URL(server);
  url.pathname = `/${name}`;
  const gatewayUrl = new URL(url);
  [gatewayUrl.username, gatewayUrl.password] = [GATEWAY_ROLE, GATEWAY_PASSWORD];
  return {
    url: url.href,
    gatewayUrl: gatewayUrl.href,
    async drop() {
      await Promise.all(servers.map((one) => admin(one, `drop database if exists ${name} with (force)`)));
    },
  };
}

/**
 * What a statement about a server itself finds (locks, activity) in this database: on one server, or on each of the
 * cluster's together.
 */
export async function onEveryServer(databaseUrl: string, statement: string): Promise<Record<string, unknown>[]> {
  const { pathname } = new URL(databaseUrl);
  const found = [process.env.PIXGATE_TEST_POSTGRES!, ...readWorkers()].map(async (server) => {
    const url = new URL(server);
    url.pathname = pathname;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  });
  return (await Promise.all(found)).flat();
}

/** How many statements on a database wait for a lock: on a cluster the wait may be at any server. */
export async function waitingForLocks(databaseUrl: string): Promise<number> {
  const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  return (await onEveryServer(databaseUrl, waiting)).length;
}

/**
 * Of `pg_locks`: locks of this database's tables. The databases of other test files, which run at the same time on the same server,
 * are clones, and their tables have the same numbers.
 */
export const IN_THIS_DATABASE = part`database = (select oid from pg_database where datname = current_database())`;

/** Addresses of the cluster's other servers; none where the tests run on one server. */
const readWorkers = (): string[] => process.env.PIXGATE_TEST_WORKERS?.split(" ") ?? [];

/** A template cannot be cloned while another clone of it is being made: tries again. */
async function admin(server: string, statement: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const client = new pg.Client({ connectionString: server });
    try {
      await client.connect();
      await client.query(statement);
      return;
    } catch (error) {
      if (tries === 50 || (error as { code?: string }).code !== "55006") throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end();
    }
  }
}
