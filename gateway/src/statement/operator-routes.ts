import { Type } from "typebox";
import type { Context } from "../context.ts";
import { PathId, ref } from "../http/contract.ts";
import { NamedWallet, walletOf } from "../http/find-wallet.ts";
import { PAGE, PageQuery, readCursor, readPeriod, writeCursor } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { findWindow } from "../ledger/window.ts";
import { toBrl } from "../lib/money.ts";
import { readExplained } from "./explain.ts";
import { BalanceExplanation, ExplanationQuery, explainBalance } from "./explain-balance.ts";
import { kindsOf } from "./kinds.ts";
import { isPosition, LinesQuery, StatementPage, toItem } from "./statement.ts";
import { readTime } from "./time.ts";

const Params = Type.Object({ id: PathId("account", "Id of the account.") });

/** An account's statement and the explanation of its balance, read in the same way as the merchant's. */
export function operatorStatementRoutes(route: OperatorRoutes, ctx: Context): void {
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
    query: Type.Object({ ...ExplanationQuery.properties, ...NamedWallet }),
    answer: ref(BalanceExplanation),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    handle: async ({ params, query }) =>
      explainBalance(
        ctx.history,
        await walletOf(ctx, params.id, query.subAccount),
        readTime("at", query.at),
        ctx.clock.date(),
      ),
  });

  const LINES = "account statement";
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
      ...LinesQuery,
      ...NamedWallet,
      ...PageQuery,
    }),
    answer: ref(StatementPage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    async handle({ params, query }) {
      const wallet = await walletOf(ctx, params.id, query.subAccount);
      const [from, to] = readPeriod(query, ["from", "to"], readTime);
      const timed = from !== null || to !== null;
      const window = timed ? await findWindow(ctx.history, wallet, from, to) : null;
      const { lines, next } = await readExplained(ctx.history, wallet, {
        after: readCursor(LINES, query.cursor, isPosition) ?? window?.to ?? null,
        above: window?.from ?? null,
        limit: query.limit ?? PAGE.standard,
        kinds: kindsOf(query),
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
