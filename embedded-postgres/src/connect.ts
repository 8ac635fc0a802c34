import pg from "pg";
import { EmbeddedPostgresError } from "./error.ts";

/** A server that accepts a connection and then stays silent is tried again after this, milliseconds. */
const CONNECT_TIMEOUT = 5_000;

type Address = {
  readonly user: string;
  readonly password: string;
  readonly port: number;
  readonly database: string;
};

/**
 * The address of a database. It states TLS and options, so that PGSSLMODE and PGOPTIONS of the environment change
 * nothing, neither in this process nor in another program that is given the address.
 */
export const urlOf = ({ user, password, port, database }: Address): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable&options=-c%20synchronous_commit%3Don`;

/**
 * True when the server accepts the superuser `name` with its password and has the database `name`, which is created
 * where it is missing.
 */
export async function isOpen(name: string, password: string, port: number): Promise<boolean> {
  const refusal = await run(urlOf({ user: name, password, port, database: name }), null);
  if (refusal?.code === "28P01" || refusal?.code === "28000") {
    throw new EmbeddedPostgresError(
      `the PostgreSQL that runs on the data directory (port ${port}) does not take the password that is kept there for the user ${name}`,
    );
  }
  if (refusal?.code === "3D000") return createDatabase(name, password, port);
  return refusal === null;
}

/** Of two first starts at once, one is refused here (42P04, 23505, or 55006 meanwhile) and then finds the other's. */
async function createDatabase(name: string, password: string, port: number): Promise<boolean> {
  const refusal = await run(urlOf({ user: name, password, port, database: "postgres" }), `create database ${name}`);
  if (refusal === null) return true;
  const { code = "", message } = refusal;
  // A lost connection, or a server that is stopping (class 57), is no answer: the caller tries again.
  if (!(refusal instanceof pg.DatabaseError) || code.startsWith("57")) return false;
  if (["42P04", "23505", "55006"].includes(code)) return false;
  throw new EmbeddedPostgresError(`PostgreSQL could not make its database: ${message}`, { cause: refusal });
}

/** Connects, and runs the statement if there is one. Returns the error instead of throwing it; null on success. */
async function run(url: string, statement: string | null): Promise<(Error & { code?: string }) | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT });
  client.on("error", () => {});
  try {
    await client.connect();
    if (statement !== null) await client.query(statement);
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => {});
  }
}
