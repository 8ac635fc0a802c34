import type { Queries } from "../../db/pool.ts";
import { type Fragment, part, sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { BrakeRow } from "./brake.ts";

/** Withdrawals that a brake holds back. Centavos that leave the wallets. */
type Waiting = { readonly count: number; readonly amount: number; readonly more: boolean };

/** What a brake is about. */
export type BrakeTarget = Pick<BrakeRow, "scope" | "targetId">;

/**
 * Whether a withdrawal `w` waits behind this brake, even if other brakes hold it too: no request of it has left, and it
 * needs no approval. The first condition is that of the index of open withdrawals. SQL.
 */
export const waitsBehind = (brake: BrakeTarget): Fragment => part`(w.transaction_status = 'pending'
  and w.awaiting_bank_since is null
  and ((w.status = 'pending' and not w.awaiting_approval) or (w.status = 'processing' and not w.may_have_left))
  and ${inScope(brake)})`;

function inScope({ scope, targetId: id }: BrakeTarget): Fragment {
  if (scope === "all" || scope === "restore") return part`true`;
  if (scope === "institution") return part`w.institution_id = ${id}`;
  return scope === "account" ? part`w.account_id = ${id}` : part`w.wallet_id = ${id}`;
}

/** Counts what waits behind a brake, at most `LIMITS.brakeCounted` withdrawals. */
export async function countWaiting(queries: Queries, brake: BrakeTarget): Promise<Waiting> {
  const most = LIMITS.brakeCounted;
  const { rows } = await queries.query<{ count: number; amount: number }>(sql`
    select count(*)::int as count, coalesce(sum(s.amount), 0)::bigint as amount
    from (select w.amount from withdrawals w where ${waitsBehind(brake)} limit ${most}) s`);
  const { count, amount } = rows[0]!;
  return { count, amount, more: count === most };
}
