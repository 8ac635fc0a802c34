import { Type } from "typebox";
import type { Context } from "../context.ts";
import { type Fragment, prepared, sql } from "../db/sql.ts";
import { hasPermission, requirePermission } from "../http/auth.ts";
import { ref } from "../http/contract.ts";
import { PageQuery, walletsOf } from "../http/pages.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { accounts } from "./account.ts";
import {
  AccountAndBalance,
  type Balances,
  type Limits,
  SHOWN,
  type ShownAccount,
  toAccountAndBalance,
} from "./account-and-balance.ts";
import { listOwnBalances, MerchantWalletBalancePage } from "./wallet-balances.ts";

/**
 * Reads what is left of the limits of withdrawals, together with an account and a wallet (`w`). The slice of withdrawals
 * implements it.
 */
export type LimitReads = {
  columns(isMain: boolean): Fragment;
  join(accountId: string): Fragment;
  /** @param row has the columns. */
  read(account: ShownAccount, row: object, now: Date): Limits;
};

const ACCOUNT_COLUMNS = accounts.select("a", SHOWN);

export function accountRoutes(route: MerchantRoutes, ctx: Context, limitReads: LimitReads): void {
  route({
    method: "GET",
    path: "/account",
    operationId: "account.get",
    work: "row",
    summary: "Read the account and its balance",
    tag: "Account",
    permission: "ACCOUNT:READ",
    answer: ref(AccountAndBalance),
    errors: [],
    // One row: separate statements, even if sent together, took a third more of this process's CPU.
    async handle({ caller: { accountId }, wallet: { walletId } }) {
      const { rows } = await ctx.db.query<ShownAccount & Balances>(
        prepared(sql`
        select ${ACCOUNT_COLUMNS}, w.created_at as "openedAt", b.*, ${limitReads.columns(walletId === accountId)}
        from accounts a
        join wallets w on w.account_id = ${accountId} and w.wallet_id = ${walletId}
        ${limitReads.join(accountId)}
        cross join lateral (
          select max(x.balance) filter (where x.kind = 'available') as available,
            max(x.balance) filter (where x.kind = 'promotional') as promotional,
            max(x.balance) filter (where x.kind = 'held') as held,
            max(x.seq) filter (where x.kind = 'available') as "lastLine", max(l.booked_at) as "changedAt"
          from ledger_accounts x
          left join ledger_lines l on l.account_id = ${accountId} and l.no = x.no and l.seq = x.seq
          where x.account_id = ${accountId} and x.kind in ('available', 'promotional', 'held')
            and x.owner_id = ${walletId}) b
        where a.account_id = ${accountId}`),
      );
      const row = rows[0]!;
      return toAccountAndBalance(row, row, limitReads.read(row, row, ctx.clock.date()));
    },
  });

  route({
    method: "GET",
    path: "/balances",
    operationId: "balance.list",
    summary: "List the balances of all wallets",
    description:
      "Of each sub-account, the newest first, and of the main account, with what holds what as far as the credential may read that. Needs the credential's sub-account access, and `SUBACCOUNT:READ`.",
    tag: "Account",
    extension: true,
    permission: "ACCOUNT:READ",
    mainAccountOnly: true,
    query: Type.Object(PageQuery),
    answer: ref(MerchantWalletBalancePage),
    errors: ["SUB_ACCOUNT_FORBIDDEN"],
    async handle({ caller, wallet, query }) {
      requirePermission(caller, "SUBACCOUNT:READ");
      const { accountId } = walletsOf(caller, wallet, { subAccount: "*" });
      const transactions = hasPermission(caller, "TRANSACTION:READ");
      const blocks = hasPermission(caller, "BALANCE_BLOCK:READ");
      return listOwnBalances(ctx, accountId, query, { withdrawals: transactions, refunds: transactions, blocks });
    },
  });
}
