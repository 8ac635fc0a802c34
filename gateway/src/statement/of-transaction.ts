import { texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { part, sql } from "../db/sql.ts";
import type { OfWallets } from "../http/pages.ts";
import type { TransferKind } from "../ledger/chart.ts";
import { LINE } from "../ledger/statement.ts";
import type { Explained } from "./by-key.ts";
import type { EveryLine } from "./every-wallet.ts";
import { explain } from "./explain.ts";

/** Lines of a page: nearly every payment fits on one. */
const LINES = 1_000;

/**
 * The lines of one transaction, or of a payment or withdrawal with everything that followed from it: refunds, blocks,
 * returns, its split.
 */
export type LinesOf = { readonly transactionId: string } | { readonly originalTransactionId: string };

/**
 * The last line of a page: when it was booked (Unix milliseconds), which of the balances it is in, its number and its
 * ledger account.
 */
export type OfTransactionPosition = readonly [bookedAt: number, balance: number, line: number, no: number];

type Cut = {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly kinds: readonly TransferKind[] | null;
  /** The page continues after this line. */
  readonly after: OfTransactionPosition | null;
};
type OfTransaction = Explained & EveryLine;

/** The balances in the order of lines of one instant, the last of them first. */
const ORDER = ["promotional", "held", "available"] as const;
const BALANCE = part`array_position(${texts(ORDER)}::text[], a.kind)`;

/**
 * A page of these lines, of one wallet or of whichever wallet has them, newest first; lines of one instant by balance.
 * Found through the sources that move money for the transaction.
 */
export async function linesOfTransaction(
  queries: Queries,
  wallets: OfWallets,
  which: LinesOf,
  { from, to, kinds, after }: Cut,
  limit = LINES,
): Promise<{ readonly lines: readonly OfTransaction[]; readonly next: OfTransactionPosition | null }> {
  const isWhole = "originalTransactionId" in which;
  const transactionId = isWhole ? which.originalTransactionId : which.transactionId;
  const { accountId, walletId } = wallets;
  const wanted = kinds && texts(kinds);
  const rest = after
    ? part`and (l.booked_at, ${BALANCE}, l.seq, l.no)
        < (${new Date(after[0])}::timestamptz, ${after[1]}::int, ${after[2]}::bigint, ${after[3]}::int)`
    : part``;
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
      where ${isWhole} and r.account_id = ${accountId} and r.charge_id = ${transactionId}
      union
      select p.psp_return_id from charges c
      join psp_returns p on p.account_id = c.account_id and p.e2e_id = c.e2e_id
      where ${isWhole} and c.account_id = ${accountId} and c.charge_id = ${transactionId}
      union
      select r.return_id from withdrawal_returns r
      where ${isWhole} and r.account_id = ${accountId} and r.withdrawal_id = ${transactionId}
    )
    select ${LINE}, l.no, a.owner_id as "walletId", w.reference as "subAccount"
    from sources s
    join ledger_lines l on l.account_id = ${accountId} and l.source_id = s.id
    join ledger_accounts a on a.account_id = ${accountId} and a.no = l.no and (${walletId}::uuid is null or a.owner_id = ${walletId})
      and a.kind in ('available', 'held', 'promotional')
    join wallets w on w.account_id = ${accountId} and w.wallet_id = a.owner_id
    where (${from}::timestamptz is null or l.booked_at >= ${from}) and (${to}::timestamptz is null or l.booked_at < ${to})
      and (${wanted}::text[] is null or l.kind = any(${wanted})) ${rest}
    order by l.booked_at desc, ${BALANCE} desc, l.seq desc, l.no desc limit ${limit + 1}`);
  const lines = await explain(queries, wallets, rows.slice(0, limit));
  return {
    lines: lines.filter(
      (line) =>
        line.transactionId === transactionId ||
        (isWhole && [line.originalTransactionId, line.withdrawalId].includes(transactionId)),
    ),
    next: rows.length > limit ? positionOf(rows[limit - 1]!) : null,
  };
}

const positionOf = ({ bookedAt, balance, line, no }: EveryLine): OfTransactionPosition => [
  bookedAt.getTime(),
  ORDER.indexOf(balance) + 1,
  line,
  no,
];

/** Every one of these lines, page by page. */
export async function* pagesOfTransaction(
  queries: Queries,
  wallets: OfWallets,
  which: LinesOf,
  cut: Omit<Cut, "after">,
): AsyncGenerator<readonly OfTransaction[]> {
  let after: OfTransactionPosition | null = null;
  do {
    const page = await linesOfTransaction(queries, wallets, which, { ...cut, after });
    yield page.lines;
    after = page.next;
  } while (after !== null);
}
