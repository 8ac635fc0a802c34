import type { Socket } from "node:net";
import pg from "pg";
import type { Sql } from "./sql.ts";

/** Rows of a statement, and the number that it changed or returned. */
export type Rows<R> = { readonly rows: R[]; readonly rowCount: number };

/** Runs a statement that is planned for its parameters. */
export async function run<R>(
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
 * Sends the statements of one turn of the event loop with one write. A write for each statement, with the wake-up of the
 * server that follows, was half of this process's CPU at a steady load.
 */
export function together(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Names of prepared statements, one for each text. */
const names = new Map<string, string>();

/** Runs a statement that is parsed and planned once for a connection. */
export async function runPrepared<R>(client: pg.ClientBase, { text, values }: Sql): Promise<Rows<R>> {
  const name = names.get(text) ?? `pixgate_${names.size}`;
  names.set(text, name);
  together(client);
  const result = await client.query({ name, text, values: values as unknown[] });
  return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
}
