import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";
import { keepReading } from "./keep-reading.ts";

/** Centavos that each institution could pay by the books; one that is missing holds nothing. */
export type Funds = () => Promise<ReadonlyMap<string, number>>;

/**
 * Makes the function that reads what each institution holds for all accounts together, with the open withdrawals deducted
 * that it has not paid yet. It is an estimate, at most `LIMITS.institutionFunds` old: it orders institutions, and only the
 * bank's own answer decides whether a payout leaves.
 */
export const createFunds = ({ db, clock }: Pick<Context, "db" | "clock">): Funds =>
  keepReading(clock, LIMITS.institutionFunds, () => readFunds(db));

async function readFunds(db: Context["db"]): Promise<ReadonlyMap<string, number>> {
  const [held, leaving] = await Promise.all([
    db.query<{ id: string; amount: number }>(sql`
      select owner_id as id, -sum(balance)::bigint as amount from ledger_accounts where kind = 'psp' group by owner_id`),
    db.query<{ id: string; amount: number }>(sql`
      select institution_id as id, sum(net_amount)::bigint as amount from withdrawals
      where transaction_status = 'pending' group by institution_id`),
  ]);
  const funds = new Map(held.rows.map(({ id, amount }) => [id, amount]));
  for (const { id, amount } of leaving.rows) funds.set(id, (funds.get(id) ?? 0) - amount);
  return funds;
}
