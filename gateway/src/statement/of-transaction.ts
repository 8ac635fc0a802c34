import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { OfWallets } from "../http/pages.ts";
import type { Explained } from "./by-key.ts";
import type { EveryLine } from "./every-wallet.ts";
import { explain } from "./explain.ts";

/** Lines that are read for one transaction at most. */
const MAX_LINES = 1_000;

/** The lines of one transaction, or of a payment with everything that followed from it: refunds, blocks, returns, its split. */
export type LinesOf = { readonly transactionId: string } | { readonly originalTransactionId: string };

/**
 * These lines of a wallet, or of whichever wallet has them, newest first. Read by the sources that move money for it.
 */
export async function linesOfTransaction(
  queries: Queries,
  of: OfWallets,
  which: LinesOf,
): Promise<(Explained & EveryLine)[]> {
  const ofPayment = "originalTransactionId" in which;
  const transactionId = ofPayment ? which.originalTransactionId : which.transactionId;
  const { accountId, walletId } = of;
  const { rows } = await queries.query<EveryLine>(sql`
    with sources as (
      select ${transactionId}::uuid as id
      union
      select m.cause_id from movements m
      where m.account_id = ${accountId} and (${walletId}::uuid is null or m.wallet_id = ${walletId}) and m.movement_id = ${transactionId}
      union
      select m.cause_id from movements m
      where m.account_id = ${accountId} and (${walletId}::uuid is null or m.counterpart_wallet_id = ${walletId}) and m.counterpart_movement_id = ${transactionId}
      union
      -- The fee comes back under the withdrawal's own id.
      select r.withdrawal_id from movements m
      join withdrawal_returns r on r.account_id = m.account_id and r.return_id = m.cause_id
      where m.account_id = ${accountId} and (${walletId}::uuid is null or m.wallet_id = ${walletId}) and m.movement_id = ${transactionId}
      union
      select b.block_id from charges c
      join balance_blocks b on b.account_id = c.account_id and b.e2e_id = c.e2e_id
      where c.account_id = ${accountId} and c.charge_id = ${transactionId}
      union
      select r.refund_id from refunds r
      where ${ofPayment} and r.account_id = ${accountId} and r.charge_id = ${transactionId}
      union
      select p.psp_return_id from charges c
      join psp_returns p on p.account_id = c.account_id and p.e2e_id = c.e2e_id
      where ${ofPayment} and c.account_id = ${accountId} and c.charge_id = ${transactionId}
    )
    select a.kind as balance, l.seq as line, l.kind, l.source_id as "sourceId", l.leg, l.amount,
      l.balance_after as "balanceAfter", l.occurred_at as "occurredAt", l.booked_at as "bookedAt", l.no,
      a.owner_id as "walletId", w.reference as "subAccount"
    from sources s
    join ledger_lines l on l.account_id = ${accountId} and l.source_id = s.id
    join ledger_accounts a on a.account_id = ${accountId} and a.no = l.no and (${walletId}::uuid is null or a.owner_id = ${walletId})
      and a.kind in ('available', 'held', 'promotional')
    join wallets w on w.account_id = ${accountId} and w.wallet_id = a.owner_id
    order by l.booked_at desc, a.kind, l.seq desc limit ${MAX_LINES}`);
  const lines = await explain(queries, of, rows);
  return lines.filter(
    (line) => line.transactionId === transactionId || (ofPayment && line.originalTransactionId === transactionId),
  );
}
