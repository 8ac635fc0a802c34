import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { invalid } from "../http/errors.ts";
import { LIMITS } from "../lib/limits.ts";
import { toBrl } from "../lib/money.ts";
import { expectedBalance } from "./expected-balance.ts";

/**
 * Refuses to retire an institution (400) where something of ours is open or which holds money by our books, since it is
 * neither polled nor reconciled afterwards. A Pix of the last 90 days may still be returned there in either direction.
 */
export async function refuseOpen(tx: Tx, institutionId: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - LIMITS.returnWindow);
  const { rows } = await tx.query<{ what: string; n: number }>(sql`
    select what, count(*)::integer as n from (
      select 'open charges' as what from charges
        where institution_id = ${institutionId} and status in ('creating', 'pending')
      union all select 'charges to be removed there' from charge_attempts
        where institution_id = ${institutionId} and next_at is not null
      union all select 'printed codes that are still active' from qr_codes
        where institution_id = ${institutionId} and status = 'active'
      union all select 'withdrawals without an end' from withdrawals
        where institution_id = ${institutionId} and status in ('pending', 'processing')
      union all select 'returns without an end' from pix_returns
        where institution_id = ${institutionId} and next_at is not null
      union all select 'notifications not applied yet' from inbox
        where institution_id = ${institutionId} and status = 'pending'
      union all select 'open MED cases' from psp_cases
        where institution_id = ${institutionId} and not closed
      union all select 'balance blocks that hold' from balance_blocks
        where institution_id = ${institutionId} and held_amount > 0
      union all select 'payments that can still be returned' from received_pix
        where institution_id = ${institutionId} and paid_at >= ${since}
      union all select 'payouts that can still come back' from withdrawals
        where institution_id = ${institutionId} and settled_at >= ${since}) as open
    group by what order by what`);
  const open = rows.map(({ what, n }) => `${n} ${what}`);
  const balance = await expectedBalance(tx, institutionId);
  if (balance !== 0) open.push(`R$ ${toBrl(balance).toFixed(2)} that it holds by the books`);
  if (open.length > 0) throw invalid("status", `cannot be retired yet: ${open.join(", ")}`);
}
