import { Readable } from "node:stream";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { Raw } from "../http/answer.ts";
import { ref } from "../http/contract.ts";
import { PAGE, PageQuery, readCursor, writeCursor } from "../http/pages.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { readStatement, type StatementPosition } from "../ledger/statement.ts";
import { prefersCsv } from "../lib/csv.ts";
import { statementCsv } from "./csv.ts";
import { StatementPage, toItem } from "./statement.ts";

const LIST = "statement";
const fits = (position: readonly unknown[]): position is StatementPosition =>
  position.length === 3 && position.every((line) => Number.isSafeInteger(line) && (line as number) >= 1);

export function statementRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/statement",
    operationId: "statement.list",
    summary: "Read the statement",
    description:
      "Every ledger line of the wallet's available, held and promotional balances with its cause and the balance after it, newest first. `Accept: text/csv` gives the whole statement as CSV; `limit` and `cursor` are for JSON.",
    tag: "Statement",
    extension: true,
    permission: "ACCOUNT:READ",
    query: Type.Object(PageQuery),
    status: 200,
    answer: ref(StatementPage),
    alsoAs: { "text/csv": "The whole statement: a header line, then one line for each line of the ledger." },
    errors: ["VALIDATION_ERROR"],
    async handle({ caller, wallet, query, accept }) {
      const scope = { accountId: caller.accountId, walletId: wallet.walletId };
      const after = readCursor(LIST, query.cursor, fits);
      if (prefersCsv(accept)) {
        const headers = { "content-disposition": 'attachment; filename="statement.csv"' };
        return new Raw("text/csv; charset=utf-8", Readable.from(statementCsv(ctx.db, scope)), headers);
      }
      const limit = query.limit ?? PAGE.standard;
      const page = await readStatement(ctx.db, scope, { after, limit, often: limit === PAGE.standard });
      return {
        items: page.lines.map(toItem),
        nextCursor: page.next === null ? null : writeCursor(LIST, page.next),
      };
    },
  });
}
