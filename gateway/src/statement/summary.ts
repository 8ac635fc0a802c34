import { type Static, Type } from "typebox";
import type { Queries } from "../db/pool.ts";
import { AnswerObject, AnswerPart } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { joinSums, sumKinds } from "../ledger/sum-kinds.ts";
import { findBounds, totalsOf } from "../ledger/window.ts";
import { dayWindow } from "../lib/days.ts";
import { toBrl } from "../lib/money.ts";
import { changesTotal, typeOf } from "./kinds.ts";

const brl = (description: string) => Type.Number({ description });

export const StatementSummary = AnswerObject("StatementSummary", "A month of a wallet, as its statement adds up.", {
  month: Type.String({ description: "The month, of São Paulo." }),
  openingBalance: brl("The wallet's total when the month began, BRL."),
  closingBalance: brl("The wallet's total when the month ended, or now, BRL."),
  items: Type.Array(
    AnswerPart("What one type came to.", {
      type: Type.String({ description: "Type of transaction." }),
      count: Type.Integer({ description: "Lines of the statement." }),
      in: brl("What came in, BRL."),
      out: brl("What went out, BRL, positive."),
    }),
    { description: "By type; together the difference between the two balances." },
  ),
  fees: Type.Array(
    AnswerPart("Fees of one operation.", {
      operation: Type.Enum(["charge", "withdrawal", "refund"], { description: "What the fees were taken for." }),
      count: Type.Integer({ description: "Fees taken." }),
      amount: brl("BRL, less fees that came back with their withdrawal."),
    }),
    { description: "The fees in `items`, by operation." },
  ),
  closed: Type.Boolean({ description: "True when the month is over." }),
});

const FEES = { charge: "charge_fee", withdrawal: "withdrawal_fee", refund: "refund_fee" } as const;

/** Adds up a month (`2026-11`, São Paulo) of a wallet: everything but what moves between its own balances. */
export async function summarise(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  month: string,
  now: Date,
): Promise<Static<typeof StatementSummary>> {
  const { from, to } = monthWindow(month);
  const bounds = await findBounds(queries, wallet, from, to);
  const balances = bounds.map(({ no, from: first, to: below }) => ({ no, from: first, below }));
  const rows = [...joinSums(await sumKinds(queries, wallet.accountId, balances))].map(([kind, sum]) => ({
    kind,
    ...sum,
  }));
  const window = totalsOf(bounds);
  const counted = rows.filter(({ kind }) => changesTotal(kind));
  const sum = (kindRows: typeof rows, field: "lines" | "came" | "went") =>
    kindRows.reduce((total, row) => total + row[field], 0);
  const items = [...Map.groupBy(counted, ({ kind }) => typeOf(kind))]
    .map(([type, kindRows]) => ({
      type,
      count: sum(kindRows, "lines"),
      in: toBrl(sum(kindRows, "came")),
      out: toBrl(sum(kindRows, "went")),
    }))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  const fees = (["charge", "withdrawal", "refund"] as const).flatMap((operation) => {
    const taken = counted.find(({ kind }) => kind === FEES[operation]);
    const back =
      operation === "withdrawal" ? counted.find(({ kind }) => kind === "withdrawal_fee_returned") : undefined;
    if (!taken && !back) return [];
    return [{ operation, count: taken?.lines ?? 0, amount: toBrl((taken?.went ?? 0) - (back?.came ?? 0)) }];
  });
  const [openingBalance, closingBalance] = [toBrl(window.openingBalance), toBrl(window.closingBalance)];
  return { month, openingBalance, closingBalance, items, fees, closed: to <= now };
}

function monthWindow(month: string): { from: Date; to: Date } {
  const [year, number] = month.split("-").map(Number) as [number, number];
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
  const [from, to] = [dayWindow(`${month}-01`), dayWindow(`${next}-01`)];
  if (!from || !to) throw invalid("month", "must be a month such as 2026-11");
  return { from: from.from, to: to.from };
}
