import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { prepared, sql } from "../db/sql.ts";
import { component, ref } from "../http/contract.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { toBrl } from "../lib/money.ts";
import { type AccountRow, accounts } from "./account.ts";

export const Money = component(
  "Money",
  Type.Object(
    {
      amount: Type.Integer({ description: "Centavos (minor units)." }),
      amountFormatted: Type.Number({ description: "The same in BRL (currency units)." }),
    },
    { description: "An amount of a balance." },
  ),
);
const balance = (description: string) => Type.Unsafe<Static<typeof Money>>({ $ref: "Money#", description });

export const AccountAndBalance = component(
  "AccountAndBalance",
  Type.Object(
    {
      account: Type.Object(
        {
          id: Type.String({ format: "uuid", description: "Id of the account." }),
          status: Type.Enum(["approved", "pending", "suspended"], { description: "Status of the account." }),
          environment: Type.Enum(["sandbox", "production"], {
            description: "Extension. Whether its money is simulated or real. Never changes.",
          }),
          company: Type.Optional(
            Type.Object(
              {
                legalName: Type.Optional(Type.String({ description: "Legal name of the company." })),
                document: Type.Optional(Type.String({ description: "CNPJ or CPF of the company." })),
              },
              { description: "Extension. The company, when it is known." },
            ),
          ),
        },
        { description: "The account of the credential." },
      ),
      balance: Type.Object(
        {
          available: balance("What can be withdrawn. A MED can take it below zero."),
          promotional: balance("Credit given by the operator, which cannot be withdrawn."),
          held: balance("Reserved for withdrawals, refunds and balance blocks under way."),
          total: balance("available + promotional + held."),
          currency: Type.Literal("BRL", { description: "Currency code." }),
          updatedAt: Type.String({ format: "date-time", description: "When the balance was read." }),
        },
        { description: "The balance of the wallet." },
      ),
    },
    { description: "The account and the balance of the wallet that the call runs against." },
  ),
);

const money = (centavos: number) => ({ amount: centavos, amountFormatted: toBrl(centavos) });

export function accountRoutes(route: MerchantRoutes, ctx: Context): void {
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
    async handle({ caller, wallet }) {
      const [found, balances] = await Promise.all([
        ctx.db.query<AccountRow>(
          prepared(sql`select ${accounts.select("a")} from accounts a where account_id = ${caller.accountId}`),
        ),
        ctx.db.query<{ kind: string; balance: number }>(
          prepared(sql`
          select kind, balance from ledger_accounts
          where account_id = ${caller.accountId} and kind in ('available', 'promotional', 'held')
            and owner_id = ${wallet.walletId}`),
        ),
      ]);
      const account = found.rows[0]!;
      const of = (kind: string) => balances.rows.find((row) => row.kind === kind)?.balance ?? 0;
      const [available, promotional, held] = [of("available"), of("promotional"), of("held")];
      const company = {
        ...(account.legalName === null ? {} : { legalName: account.legalName }),
        ...(account.document === null ? {} : { document: account.document }),
      };
      return {
        account: {
          id: account.accountId,
          status: account.status,
          environment: account.environment,
          ...(Object.keys(company).length > 0 ? { company } : {}),
        },
        balance: {
          available: money(available),
          promotional: money(promotional),
          held: money(held),
          total: money(available + promotional + held),
          currency: "BRL" as const,
          updatedAt: ctx.clock.date().toISOString(),
        },
      };
    },
  });
}
