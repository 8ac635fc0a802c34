import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Raw } from "../http/answer.ts";
import { ref } from "../http/contract.ts";
import { attachment, CsvQuery, csvFile, prefers } from "../http/csv.ts";
import { invalid } from "../http/errors.ts";
import {
  isTime,
  type OfWallets,
  PAGE,
  PageQuery,
  readCursor,
  readPeriod,
  WalletsQuery,
  walletsOf,
  writeCursor,
} from "../http/pages.ts";
import { PDF, PdfQuery, pdfFile } from "../http/pdf.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { turnOf } from "../http/turns.ts";
import { PRINCIPAL } from "../http/wallet.ts";
import { BALANCES, type StatementPosition } from "../ledger/statement.ts";
import { findWindow } from "../ledger/window.ts";
import { dayOf, OFFSET } from "../lib/days.ts";
import { toBrl } from "../lib/money.ts";
import { closingPaper } from "./closing-paper.ts";
import { everyWalletCsv, statementCsv } from "./csv.ts";
import { DayQuery, DaySummary, summariseDay } from "./day.ts";
import { type EveryPosition, everyWalletPages, readEveryWallet } from "./every-wallet.ts";
import { readExplained } from "./explain.ts";
import { BalanceExplanation, ExplanationQuery, explainBalance } from "./explain-balance.ts";
import { kindsOf, TYPES } from "./kinds.ts";
import { type LinesOf, linesOfTransaction, type OfTransactionPosition, pagesOfTransaction } from "./of-transaction.ts";
import { statementOfx } from "./ofx.ts";
import { statementPages } from "./pages.ts";
import { isPosition, LinesQuery, StatementPage, toItem } from "./statement.ts";
import { StatementSummary, summarise } from "./summary.ts";
import { readTime } from "./time.ts";

const LIST = "statement";
const OFX = "application/x-ofx";

const StatementQuery = Type.Object({
  ...LinesQuery,
  balance: Type.Optional(
    Type.Enum([...BALANCES], {
      type: "string",
      description:
        "Only the lines of this balance of one wallet, without totals. Not with `subAccount=*`, the lines of a transaction, or OFX.",
    }),
  ),
  type: Type.Optional(
    Type.Enum([...TYPES], {
      type: "string",
      description:
        "Only the lines that `GET /statement/summary` counts as this type of transaction, in every balance. Not with `kind`; pages as with it.",
    }),
  ),
  transactionId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Only the lines of this transaction, up to 1,000 on a page whatever the `limit`.",
    }),
  ),
  originalTransactionId: Type.Optional(
    Type.String({
      format: "uuid",
      description:
        "Only the lines of this payment or withdrawal and of what followed from it (the payment's split, refunds, blocks and returns, the withdrawal's returns), up to 1,000 on a page whatever the `limit`: their sum is what it has brought or cost so far.",
    }),
  ),
  ...CsvQuery,
  ...WalletsQuery,
  ...PageQuery,
});
type StatementQuery = Static<typeof StatementQuery>;

const EVERY_LIST = "statement of all wallets";
const ONE_LIST = "statement of a transaction";
const isTransactionPosition = (position: readonly unknown[]): position is OfTransactionPosition =>
  position.length === 4 &&
  isEveryPosition([position[0], position[3], position[2]]) &&
  [1, 2, 3].includes(position[1] as number);
const isEveryPosition = (position: readonly unknown[]): position is EveryPosition =>
  position.length === 3 &&
  position.every((part) => Number.isSafeInteger(part) && (part as number) >= 1) &&
  isTime(position[0]) &&
  (position[1] as number) < 2 ** 31;
/** The first moment of 1970 in São Paulo: importers accept no earlier year. */
const BEGINNING = new Date(OFFSET);

/** The transaction or payment to which the lines are limited. */
function linesOf({ transactionId, originalTransactionId }: StatementQuery): LinesOf | null {
  if (transactionId !== undefined && originalTransactionId !== undefined)
    throw invalid("originalTransactionId", "is not taken together with transactionId");
  if (transactionId !== undefined) return { transactionId };
  return originalTransactionId === undefined ? null : { originalTransactionId };
}

/** Refuses the filter by balance where the lines of all balances belong together. */
function refuseBalance({ balance, subAccount }: StatementQuery, which: LinesOf | null, as: string | null): void {
  if (balance === undefined || (subAccount === undefined && which === null && as !== OFX)) return;
  throw invalid("balance", "is for the lines of one wallet, as JSON or CSV: leave it out here");
}

/** From which line each balance is read: of those that are not asked for, none is. */
const aboveOf = (balance: StatementQuery["balance"], from: StatementPosition | null): StatementPosition | null =>
  balance === undefined
    ? from
    : (BALANCES.map((one, n) =>
        one === balance ? (from?.[n] ?? 1) : Number.MAX_SAFE_INTEGER,
      ) as unknown as StatementPosition);

/** A page of the lines of one transaction or payment. */
async function oneTransaction(ctx: Context, wallets: OfWallets, which: LinesOf, query: StatementQuery) {
  const [from, to] = readPeriod(query, ["from", "to"], readTime);
  const kinds = kindsOf(query);
  const after = readCursor(ONE_LIST, query.cursor, isTransactionPosition);
  const { lines, next } = await linesOfTransaction(ctx.history, wallets, which, { from, to, kinds, after });
  return { items: lines, nextCursor: next === null ? null : writeCursor(ONE_LIST, next) };
}

/** The statement over all wallets. OFX is a file of one bank account, so it exists for one wallet only. */
async function everyWallet(ctx: Context, accountId: string, query: StatementQuery, accept: string | undefined) {
  const kinds = kindsOf(query);
  const [from, to] = readPeriod(query, ["from", "to"], readTime);
  const as = prefers(accept, [OFX, "text/csv"]);
  if (as === OFX) throw invalid("subAccount", "is not for OFX, which is a file of one wallet: send X-Sub-Account");
  const which = linesOf(query);
  const wallets = { accountId, walletId: null };
  if (as === "text/csv") {
    const cut = { from, to, kinds };
    const pages =
      which === null
        ? everyWalletPages(ctx.history, accountId, cut)
        : pagesOfTransaction(ctx.history, wallets, which, cut);
    return csvFile("statement", query.format, everyWalletCsv(pages));
  }
  if (which !== null) {
    const page = await oneTransaction(ctx, wallets, which, query);
    return { ...page, items: page.items.map(toItem) };
  }
  const after = readCursor(EVERY_LIST, query.cursor, isEveryPosition);
  const limit = query.limit ?? PAGE.standard;
  const page = await readEveryWallet(ctx.history, accountId, { from, to, kinds, after, limit });
  const { openingBalance, closingBalance } = page.totals;
  return {
    items: page.lines.map(toItem),
    nextCursor: page.next === null ? null : writeCursor(EVERY_LIST, page.next),
    ...(from === null && to === null
      ? {}
      : { openingBalance: toBrl(openingBalance), closingBalance: toBrl(closingBalance) }),
  };
}

export function statementRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/statement",
    readsHistory: true,
    operationId: "statement.list",
    summary: "Read the statement",
    description:
      "Every ledger line of the wallet's available, held and promotional balances, newest first: the transaction that it belongs to, the object that caused it, and the balance after it. With `from` or `to` the answer has the wallet's total before and after. `Accept: text/csv` gives the whole statement or time as CSV in the `format`, with times of São Paulo; `application/x-ofx` as OFX 1.02 for accounting software, without what moves between the wallet's own balances; both with every filter, `limit` and `cursor` are for JSON. With `subAccount=*` it has the lines of all wallets, as JSON or CSV: by the time of booking, the newest first, an order that never changes.",
    tag: "Statement",
    extension: true,
    permission: "ACCOUNT:READ",
    query: StatementQuery,
    answer: ref(StatementPage),
    alsoAs: {
      "text/csv": "The whole statement: a header line, then one line for each line of the ledger.",
      [OFX]: "The whole statement as OFX 1.02, Windows-1252.",
    },
    errors: ["VALIDATION_ERROR", "SUB_ACCOUNT_FORBIDDEN"],
    async handle({ caller, wallet, query, accept }) {
      const wallets = walletsOf(caller, wallet, query);
      const as = prefers(accept, [OFX, "text/csv"]);
      refuseBalance(query, linesOf(query), as);
      if (wallets.walletId === null) return everyWallet(ctx, caller.accountId, query, accept);
      const scope = { accountId: caller.accountId, walletId: wallet.walletId };
      const which = linesOf(query);
      const [from, to] = readPeriod(query, ["from", "to"], readTime);
      const timed = from !== null || to !== null;
      const kinds = kindsOf(query);
      const window = timed || as === OFX ? await findWindow(ctx.history, scope, from, to) : null;
      const above = aboveOf(query.balance, window?.from ?? null);
      const pages = () =>
        which === null
          ? statementPages(ctx.history, scope, { to: window?.to ?? null, above }, kinds)
          : pagesOfTransaction(ctx.history, scope, which, { from, to, kinds });
      if (as === "text/csv") {
        return csvFile("statement", query.format, statementCsv(pages()));
      }
      if (as === OFX) {
        const now = ctx.clock.date();
        const head = {
          accountId: wallet.walletId,
          reference: wallet.reference ?? PRINCIPAL,
          from: from ?? BEGINNING,
          to: to ?? now,
          now,
        };
        const ofx = statementOfx(head, window!, pages());
        return new Raw(OFX, ofx, attachment("statement.ofx"));
      }
      if (which !== null) {
        const page = await oneTransaction(ctx, scope, which, query);
        return { ...page, items: page.items.map(({ subAccount: _, ...line }) => toItem(line)) };
      }
      const cursor = readCursor(LIST, query.cursor, isPosition);
      const limit = query.limit ?? PAGE.standard;
      const reusesPlan = (limit === PAGE.standard || limit === PAGE.most) && above === null && !timed && kinds === null;
      const page = await readExplained(ctx.history, scope, {
        after: cursor ?? window?.to ?? null,
        above,
        limit,
        reusesPlan,
        kinds,
      });
      return {
        items: page.lines.map(toItem),
        nextCursor: page.next === null ? null : writeCursor(LIST, page.next),
        ...(timed && window && query.balance === undefined
          ? { openingBalance: toBrl(window.openingBalance), closingBalance: toBrl(window.closingBalance) }
          : {}),
      };
    },
  });

  route({
    method: "GET",
    path: "/statement/summary",
    readsHistory: true,
    operationId: "statement.summary",
    summary: "Add up a month",
    description:
      "What a month of the wallet came to, by type of transaction, with its fees by operation. Each line counts for the month in which it was booked: a payment of the last second of a month may be booked in the next. `Accept: application/pdf` gives the close of the month as a paper.",
    tag: "Statement",
    extension: true,
    permission: "ACCOUNT:READ",
    query: Type.Object({
      month: Type.Optional(
        Type.String({
          pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$",
          description: "A month of São Paulo, such as `2026-11`; left out: the present one.",
        }),
      ),
      ...PdfQuery,
    }),
    answer: ref(StatementSummary),
    alsoAs: { [PDF]: "The close of the month: its balances, its types and its fees." },
    errors: ["VALIDATION_ERROR", "PDF_TOO_LONG"],
    async handle({ caller: { accountId }, wallet, query, accept }) {
      const now = ctx.clock.date();
      const month = query.month ?? dayOf(now).slice(0, 7);
      const summary = await summarise(ctx.history, { accountId, walletId: wallet.walletId }, month, now);
      if (prefers(accept, [PDF]) === null) return summary;
      const { language = "pt-BR" } = query;
      const paper = { accountId, wallet: wallet.reference ?? null, language, now };
      return pdfFile(
        `closing-${month}`,
        ctx.turns.take(turnOf(accountId), () => closingPaper(ctx.history, summary, paper)),
      );
    },
  });

  route({
    method: "GET",
    path: "/account/summary",
    readsHistory: true,
    operationId: "account.summary",
    summary: "Add up a day",
    description:
      "What the wallet received on a day of São Paulo, in total and by the hour, and how many of the charges created that day are paid. With `until` only what was before that time counts, so that a day can be compared with one that is not over.",
    tag: "Account",
    extension: true,
    permission: "ACCOUNT:READ",
    query: DayQuery,
    answer: ref(DaySummary),
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller, wallet, query }) =>
      summariseDay(ctx.history, { accountId: caller.accountId, walletId: wallet.walletId }, query, ctx.clock.date()),
  });

  route({
    method: "GET",
    path: "/balance/explanation",
    readsHistory: true,
    operationId: "balance.explain",
    summary: "Explain a balance",
    description:
      "Why the wallet's balance is what it is, now or at any time: each balance as the sum of the kinds of movement that made it, each kind with its newest line and what caused that. `GET /statement?kind=…&to=…` has all lines of a kind.",
    tag: "Statement",
    extension: true,
    permission: "ACCOUNT:READ",
    query: ExplanationQuery,
    answer: ref(BalanceExplanation),
    errors: ["VALIDATION_ERROR"],
    handle: ({ caller, wallet, query }) =>
      explainBalance(
        ctx.history,
        { accountId: caller.accountId, walletId: wallet.walletId },
        readTime("at", query.at),
        ctx.clock.date(),
      ),
  });
}
