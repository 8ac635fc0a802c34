import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, PathId, ref } from "../http/contract.ts";
import { NamedWallet, walletOf } from "../http/find-wallet.ts";
import { PageQuery } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { listBalances, WalletBalancePage } from "./wallet-balances.ts";

const AccountInstitution = AnswerObject("AccountInstitution", "An institution that an account is linked to.", {
  id: Type.String({ format: "uuid", description: "Id of the institution." }),
  name: Type.String({ description: "Its name." }),
  provider: Type.String({ description: "Its provider." }),
  status: Type.Enum(["active", "inactive", "retired"], { description: "Its status." }),
  enabled: Type.Boolean({ description: "Whether the account may use it." }),
  priority: Type.Integer({ description: "The lowest is used first: the account's own, or the institution's." }),
});
const AccountInstitutionList = AnswerObject(
  "AccountInstitutionList",
  "The institutions that an account is linked to.",
  { items: Type.Array(ref(AccountInstitution), { description: "In the order in which charges try them." }) },
);
const Params = Type.Object({ id: PathId("account", "Id of the account.") });

/** Routes below `/accounts/:id` by which an operator reads an account's balances, and what it is linked to. */
export function accountWalletRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/accounts/:id/institutions",
    operationId: "accounts.institutions",
    work: "few",
    summary: "List the institutions of an account",
    role: "support",
    params: Params,
    answer: ref(AccountInstitutionList),
    async handle({ params }) {
      const { accountId } = await walletOf(ctx, params.id);
      const { rows } = await ctx.db.query<Static<typeof AccountInstitution>>(sql`
        select i.institution_id as id, i.name, i.provider, i.status, l.enabled, coalesce(l.priority, i.priority) as priority
        from account_institutions l join institutions i on i.institution_id = l.institution_id
        where l.account_id = ${accountId} order by coalesce(l.priority, i.priority), i.institution_id`);
      return { items: rows };
    },
  });

  route({
    method: "GET",
    path: "/accounts/:id/balance",
    operationId: "accounts.balance",
    summary: "Read the balances of an account's wallets, and what holds what",
    role: "finance",
    params: Params,
    query: Type.Object({ ...NamedWallet, ...PageQuery }),
    answer: ref(WalletBalancePage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    async handle({ params, query }) {
      const { accountId, walletId } = await walletOf(ctx, params.id, query.subAccount);
      const only = query.subAccount === undefined ? null : walletId;
      return listBalances(ctx, { accountId, only, order: "oldest" }, query);
    },
  });
}
