import type { Queries, Tx } from "./pool.ts";
import { sql } from "./sql.ts";

/** Advisory lock: one process at a time creates what the first start creates. */
export const INSTALLATION_LOCK = 7_246_116;

/** Reads one fact about this installation; null where it has not been written. */
export async function readSetting(tx: Queries, name: string): Promise<string | null> {
  const { rows } = await tx.query<{ value: string }>(sql`select value from settings where name = ${name}`);
  return rows[0]?.value ?? null;
}

/** Writes one fact about this installation, once. */
export async function writeSetting(tx: Tx, name: string, value: string): Promise<void> {
  await tx.query(sql`insert into settings (name, value) values (${name}, ${value})`);
}
