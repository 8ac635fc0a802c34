import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";

/** Centavos that an institution should hold for all accounts together, by our books. */
export async function expectedBalance(queries: Queries, institutionId: string): Promise<number> {
  const { rows } = await queries.query<{ balance: number }>(sql`
    select coalesce(-sum(balance), 0)::bigint as balance from ledger_accounts
    where kind = 'psp' and owner_id = ${institutionId}`);
  return rows[0]!.balance;
}
