import pg from "pg";
import { EmbeddedPostgresError } from "./error.ts";

/** A server that accepts a connection and then says nothing is asked again after this, milliseconds. */
const CONNECT_TIMEOUT = 5_000;

/**
 * The address of a database. What it says of TLS and options keeps PGSSLMODE and PGOPTIONS of the environment from
 * having a say, in this process and in whatever else is given the address.
 */
export const urlOf = (password: string, port: number, database: string): string =>
  `postgres://pixgate:${password}@127.0.0.1:${port}/${database}?sslmode=disable&options=-c%20synchronous_commit%3Don`;

/** True when the server is ready, takes our password and has our database, which is made if need be. */
export async function isOpen(password: string, port: number): Promise<boolean> {
  const refusal = await run(urlOf(password, port, "pixgate"), null);
  if (refusal?.code === "28P01" || refusal?.code === "28000") {
    throw new EmbeddedPostgresError(
      `the PostgreSQL that runs on the data directory (port ${port}) does not take the password that is kept there`,
    );
  }
  if (refusal?.code === "3D000") return createDatabase(password, port);
  return refusal === null;
}

/** Of two first starts at once, one is refused here (42P04, 23505, or 55006 meanwhile), and finds the other's. */
async function createDatabase(password: string, port: number): Promise<boolean> {
  const refusal = await run(urlOf(password, port, "postgres"), "create database pixgate");
  if (refusal === null) return true;
  const { code = "", message } = refusal;
  // The connection's end, or that the server is stopping (class 57), is no answer: it is asked again.
  if (!(refusal instanceof pg.DatabaseError) || code.startsWith("57")) return false;
  if (["42P04", "23505", "55006"].includes(code)) return false;
  throw new EmbeddedPostgresError(`PostgreSQL could not make its database: ${message}`, { cause: refusal });
}

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
