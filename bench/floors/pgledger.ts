import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Stage } from "../harness/stage.ts";

/** Of a checkout of github.com/pgr0ss/pgledger, in the order in which its README loads them. */
const FILES = [
  "vendor/scoville-pgsql-ulid/ulid-to-uuid.sql",
  "vendor/scoville-pgsql-ulid/uuid-to-ulid.sql",
  "pgledger.sql",
];

const AMOUNT = 10_000;
const FEE = 100;
const LEG = 1_000;

/**
 * A settlement's four transfers between five accounts as pgledger posts them: one call, which is a transaction. That is all of it:
 * no charge, no received Pix, no event, no delivery.
 *
 * @param checkout folder of a checkout, which whoever runs this has fetched.
 */
export async function openPgledger(
  stage: Pick<Stage, "database" | "after">,
  checkout: string,
  connections: number,
): Promise<() => Promise<void>> {
  const pool = new pg.Pool({ connectionString: await stage.database(), max: connections });
  pool.on("error", () => {});
  stage.after(() => pool.end());
  for (const file of FILES) await pool.query(readFileSync(join(checkout, file), "utf8"));
  const create = async (name: string): Promise<string> =>
    (await pool.query("select id from pgledger_create_account($1, 'BRL')", [name])).rows[0].id;
  const [psp, available, fees] = [await create("psp"), await create("available"), await create("fees")];
  const parts = [await create("part 1"), await create("part 2")];
  const transfers = [[psp, available, AMOUNT], [available, fees, FEE], ...parts.map((part) => [available, part, LEG])];
  const requests = transfers
    .map((_, i) => `($${3 * i + 1}, $${3 * i + 2}, $${3 * i + 3})::transfer_request`)
    .join(", ");
  const query = {
    name: "post",
    text: `select count(*) from pgledger_create_transfers(array[${requests}])`,
    values: transfers.flat(),
  };
  return async () => void (await pool.query(query));
}
