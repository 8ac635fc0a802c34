import { type Static, Type } from "typebox";
import { readWallets, toWalletBalance, WalletBalancePage } from "../accounts/wallet-balances.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { component, PathId, ref } from "../http/contract.ts";
import { findWallet } from "../http/find-wallet.ts";
import { PAGE, PageQuery, readCursor, readPeriod, writeCursor } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { PRINCIPAL } from "../http/wallet.ts";
import type { StatementPosition } from "../ledger/statement.ts";
import { isUuid } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import { readExplained } from "../statement/explain.ts";
import { BalanceExplanation, ExplanationQuery, explainBalance } from "../statement/explain-balance.ts";
import { KINDS } from "../statement/kinds.ts";
import { StatementPage, toItem } from "../statement/statement.ts";
import { readTime } from "../statement/time.ts";
import { findWindow } from "../statement/window.ts";
import { DeliveryQuery, listDeliveries, WebhookDeliveryPage } from "../webhooks/deliveries/delivery.ts";
import { listEndpoints, WebhookEndpointPage } from "../webhooks/endpoints/endpoint.ts";

const AccountInstitution = component(
  "AccountInstitution",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the institution." }),
      name: Type.String({ description: "Its name." }),
      provider: Type.String({ description: "Its provider." }),
      status: Type.Enum(["active", "inactive", "retired"], { description: "Its status." }),
      enabled: Type.Boolean({ description: "Whether the account may use it." }),
      priority: Type.Integer({ description: "The lowest is used first: the account's own, or the institution's." }),
    },
    { description: "An institution that an account is linked to." },
  ),
);
const AccountInstitutionList = component(
  "AccountInstitutionList",
  Type.Object(
    { items: Type.Array(ref(AccountInstitution), { description: "In the order in which charges try them." }) },
    { description: "The institutions that an account is linked to." },
  ),
);
const Params = Type.Object({ id: PathId("account", "Id of the account.") });
const OfWallet = {
  subAccount: Type.Optional(
    Type.String({ maxLength: 100, description: "Reference of the wallet; left out: the main account." }),
  ),
};
const Time = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }));

/** Routes below `/accounts/:id` by which an operator reads what an account's merchant sees, and what it is linked to. */
export function accountDeskRoutes(route: OperatorRoutes, ctx: Context): void {
  const walletOf = async (accountId: string, reference: string = PRINCIPAL) => {
    return { accountId, walletId: await findWallet(ctx, accountId, reference) };
  };
  const WALLETS = "wallets";
  const isOneId = (position: readonly unknown[]): position is readonly [string] =>
    position.length === 1 && isUuid(position[0]);

  route({
    method: "GET",
    path: "/accounts/:id/institutions",
    operationId: "accounts.institutions",
    work: "few",
    summary: "List the institutions of an account",
    role: "support",
    params: Params,
    status: 200,
    answer: ref(AccountInstitutionList),
    async handle({ params }) {
      const { accountId } = await walletOf(params.id);
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
    query: Type.Object({ ...OfWallet, ...PageQuery }),
    status: 200,
    answer: ref(WalletBalancePage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    async handle({ params, query }) {
      const { accountId, walletId } = await walletOf(params.id, query.subAccount);
      const only = query.subAccount === undefined ? null : walletId;
      const limit = query.limit ?? PAGE.standard;
      const after = readCursor(WALLETS, query.cursor, isOneId)?.[0] ?? null;
      const rows = await readWallets(ctx, accountId, { only, after, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        items: shown.map((row) => toWalletBalance(row, accountId)),
        nextCursor: rows.length > limit && last ? writeCursor(WALLETS, [last.walletId]) : null,
      };
    },
  });

  route({
    method: "GET",
    path: "/accounts/:id/balance/explanation",
    operationId: "accounts.explainBalance",
    readsHistory: true,
    summary: "Explain a balance of an account",
    description:
      "As the merchant's `GET /balance/explanation`: total → kinds → newest lines with their causes. `GET /accounts/{id}/statement?kind=…&to=…` has all lines of a kind.",
    role: "finance",
    params: Params,
    query: Type.Object({ ...ExplanationQuery.properties, ...OfWallet }),
    status: 200,
    answer: ref(BalanceExplanation),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    handle: async ({ params, query }) =>
      explainBalance(
        ctx.history,
        await walletOf(params.id, query.subAccount),
        readTime("at", query.at),
        ctx.clock.date(),
      ),
  });

  statementRoute(route, ctx, walletOf);

  route({
    method: "GET",
    path: "/accounts/:id/webhook-endpoints",
    operationId: "accounts.webhookEndpoints",
    summary: "List the webhook endpoints of an account's wallet",
    role: "finance",
    params: Params,
    query: Type.Object({ ...OfWallet, ...PageQuery }),
    status: 200,
    answer: ref(WebhookEndpointPage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    handle: async ({ params, query }) =>
      listEndpoints(ctx.db, await walletOf(params.id, query.subAccount), query, ctx.clock.now()),
  });

  route({
    method: "GET",
    path: "/accounts/:id/webhook-deliveries",
    operationId: "accounts.webhookDeliveries",
    summary: "List the deliveries of an account's wallet",
    role: "finance",
    params: Params,
    query: Type.Object({ ...DeliveryQuery.properties, ...OfWallet }),
    status: 200,
    answer: ref(WebhookDeliveryPage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    handle: async ({ params, query }) => listDeliveries(ctx.db, await walletOf(params.id, query.subAccount), query),
  });
}

/** `/accounts/:id/statement`, by the same reading as the merchant's. */
function statementRoute(
  route: OperatorRoutes,
  ctx: Context,
  walletOf: (id: string, reference?: string) => Promise<{ accountId: string; walletId: string }>,
): void {
  const LINES = "account statement";
  const isPosition = (position: readonly unknown[]): position is StatementPosition =>
    position.length === 3 && position.every((line) => Number.isSafeInteger(line) && (line as number) >= 1);
  route({
    method: "GET",
    path: "/accounts/:id/statement",
    operationId: "accounts.statement",
    readsHistory: true,
    summary: "Read the statement of an account",
    description: "As the merchant's `GET /statement`: every ledger line, newest first, with what caused it.",
    role: "finance",
    params: Params,
    query: Type.Object({
      from: Time("Only lines booked from this day of São Paulo (`2026-11-20`) or date-time on."),
      to: Time("Only lines booked up to this day of São Paulo, the day included, or before this date-time."),
      kind: Type.Optional(
        Type.Enum(Object.keys(KINDS), {
          type: "string",
          description:
            "Only this kind. A page searches at most 20,000 lines of a balance: it may have few items, or none, and a `nextCursor`.",
        }),
      ),
      ...OfWallet,
      ...PageQuery,
    }),
    status: 200,
    answer: ref(StatementPage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    async handle({ params, query }) {
      const wallet = await walletOf(params.id, query.subAccount);
      const [from, to] = readPeriod(query, ["from", "to"], readTime);
      const timed = from !== null || to !== null;
      const window = timed ? await findWindow(ctx.history, wallet, from, to) : null;
      const { lines, next } = await readExplained(ctx.history, wallet, {
        after: readCursor(LINES, query.cursor, isPosition) ?? window?.to ?? null,
        above: window?.from ?? null,
        limit: query.limit ?? PAGE.standard,
        kind: (query.kind as keyof typeof KINDS | undefined) ?? null,
      });
      return {
        items: lines.map(toItem),
        nextCursor: next === null ? null : writeCursor(LINES, next),
        ...(window === null
          ? {}
          : { openingBalance: toBrl(window.openingBalance), closingBalance: toBrl(window.closingBalance) }),
      };
    },
  });
}
