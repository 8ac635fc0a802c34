import type { Context } from "../context.ts";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import { ref } from "../http/contract.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { type AccountRow, accounts } from "./account.ts";
import { AccountAndBalance, type BalanceRow, type Limits, toAccountAndBalance } from "./account-and-balance.ts";

/** Reads what is left of the limits of withdrawals of an account and a wallet; the slice of withdrawals counts it. */
type ReadLimits = (queries: Queries, account: AccountRow, walletId: string, now: Date) => Promise<Limits>;

export function accountRoutes(route: MerchantRoutes, ctx: Context, readLimits: ReadLimits): void {
  route({
    method: "GET",
    path: "/account",
    operationId: "account.get",
    summary: "Read the account and its balance",
    tag: "Account",
    permission: "ACCOUNT:READ",
    status: 200,
    answer: ref(AccountAndBalance),
    errors: [],
    async handle({ caller: { accountId }, wallet: { walletId } }) {
      const [found, balances, opened] = await Promise.all([
        ctx.db.query<AccountRow>(
          prepared(sql`select ${accounts.select("a")} from accounts a where account_id = ${accountId}`),
        ),
        ctx.db.query<BalanceRow>(
          prepared(sql`
          select a.kind, a.balance, a.seq, l.booked_at
          from ledger_accounts a
          left join ledger_lines l on l.account_id = a.account_id and l.no = a.no and l.seq = a.seq
          where a.account_id = ${accountId} and a.kind in ('available', 'promotional', 'held')
            and a.owner_id = ${walletId}`),
        ),
        ctx.db.query<{ created_at: Date }>(
          prepared(sql`select created_at from wallets where account_id = ${accountId} and wallet_id = ${walletId}`),
        ),
      ]);
      const account = found.rows[0]!;
      const limits = await readLimits(ctx.db, account, walletId, ctx.clock.date());
      return toAccountAndBalance(account, limits, balances.rows, opened.rows[0]!.created_at);
    },
  });
}
