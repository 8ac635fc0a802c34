import { type Static, Type } from "typebox";
import { bigints, texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, OPEN, ref } from "../http/contract.ts";
import type { TransferKind } from "../ledger/chart.ts";
import { BALANCES, LINE, type StatementLine } from "../ledger/statement.ts";
import { type KindSum, sumKinds } from "../ledger/sum-kinds.ts";
import { findBounds } from "../ledger/window.ts";
import { toBrl } from "../lib/money.ts";
import { explain } from "./explain.ts";
import { KINDS } from "./kinds.ts";
import { StatementItem, toItem } from "./statement.ts";

const brl = (description: string) => Type.Number({ description });

const ExplainedKind = AnswerObject(
  "ExplainedKind",
  "What one kind of movement came to in a balance, with its newest line and what caused it.",
  {
    kind: Type.Enum(Object.keys(KINDS), { ...OPEN, type: "string", description: "Why the money moved." }),
    says: Type.String({ description: "The same in words." }),
    lines: Type.Integer({ description: "How many lines of the balance." }),
    in: brl("What they brought, BRL."),
    out: brl("What they took, BRL, positive."),
    amount: brl("`in` less `out`, BRL."),
    newest: ref(StatementItem),
  },
);

const ExplainedBalance = AnswerObject("ExplainedBalance", "One balance of a wallet, and what made it.", {
  balance: Type.Enum([...BALANCES], { description: "Which balance." }),
  amount: brl("What it was, BRL: the sum of `kinds`."),
  kinds: Type.Array(ref(ExplainedKind), { description: "What made it, the largest sum first." }),
});

export const BalanceExplanation = AnswerObject("BalanceExplanation", "Why a wallet's balance was what it was.", {
  at: Type.String({ format: "date-time", description: "Before which time lines count." }),
  total: brl("available + held + promotional at that time, BRL."),
  balances: Type.Array(ref(ExplainedBalance), { description: "In the order available, held, promotional." }),
});
export const ExplanationQuery = Type.Object({
  at: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "The end of this day of São Paulo (`2026-11-20`), or this date-time; left out: now.",
    }),
  ),
});

type Row = KindSum & { readonly balance: (typeof BALANCES)[number]; readonly kind: TransferKind };

/** Explains a wallet's balances by the lines that were booked before `at` (null: all until now). */
export async function explainBalance(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  at: Date | null,
  now: Date,
): Promise<Static<typeof BalanceExplanation>> {
  const bounds = await findBounds(queries, wallet, null, at);
  const ranges = bounds.map(({ no, to }) => ({ no, from: 1, below: to }));
  const sums = await sumKinds(queries, wallet.accountId, ranges);
  const rows = bounds.flatMap(({ balance }, i): Row[] =>
    [...sums[i]!].map(([kind, sum]) => ({ balance, kind, ...sum })),
  );
  const newest = await explain(queries, wallet, await readLines(queries, wallet, rows));
  const balances = BALANCES.map((balance) => {
    const mine = rows.filter((row) => row.balance === balance);
    const amount = toBrl(mine.reduce((sum, { came, went }) => sum + came - went, 0));
    const kinds = mine
      .sort((a, b) => b.came + b.went - a.came - a.went)
      .map(({ kind, lines, came, went, newest: line }) => ({
        kind,
        says: KINDS[kind]?.description ?? kind,
        lines,
        in: toBrl(came),
        out: toBrl(went),
        amount: toBrl(came - went),
        newest: toItem(newest.find((newestLine) => newestLine.balance === balance && newestLine.line === line)!),
      }));
    return { balance, amount, kinds };
  });
  const total = rows.reduce((sum, { came, went }) => sum + came - went, 0);
  return { at: (at !== null && at < now ? at : now).toISOString(), total: toBrl(total), balances };
}

/** Lines by their numbers. */
async function readLines(
  queries: Queries,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  wanted: readonly Row[],
): Promise<StatementLine[]> {
  const { rows } = await queries.query<StatementLine>(sql`
    select ${LINE}
    from unnest(${texts(wanted.map(({ balance }) => balance))}::text[],
      ${bigints(wanted.map(({ newest }) => newest))}::bigint[]) as p (kind, seq)
    join ledger_accounts a on a.account_id = ${accountId} and a.owner_id = ${walletId} and a.kind = p.kind
    join ledger_lines l on l.account_id = ${accountId} and l.no = a.no and l.seq = p.seq`);
  return rows;
}
