import { type Static, Type } from "typebox";
import { component, ref } from "../http/contract.ts";
import { pageOf } from "../http/pages.ts";
import { BALANCES, type StatementLine } from "../ledger/statement.ts";
import { toBrl } from "../lib/money.ts";

export const StatementItem = component(
  "StatementItem",
  Type.Object(
    {
      balance: Type.Enum([...BALANCES], { description: "The balance of the wallet that the line belongs to." }),
      line: Type.Integer({ description: "Number of the line in its balance, gapless from 1." }),
      kind: Type.String({ description: "Why the money moved, such as `charge_paid`; kinds may be added." }),
      sourceId: Type.String({
        format: "uuid",
        description: "Id of what moved it: the charge, the transfer, the adjustment.",
      }),
      leg: Type.Integer({ description: "Which part of its source, from 0: the legs of a split." }),
      amount: Type.Number({ description: "BRL, signed: negative leaves the balance." }),
      balanceAfter: Type.Number({ description: "The balance after this line, BRL." }),
      currency: Type.Literal("BRL", { description: "Currency code." }),
      occurredAt: Type.String({ format: "date-time", description: "When it happened, as the PSP tells it." }),
      bookedAt: Type.String({ format: "date-time", description: "When it was written." }),
    },
    { description: "One line of a wallet's ledger." },
  ),
);
export type StatementItem = Static<typeof StatementItem>;

export const StatementPage = component(
  "StatementPage",
  pageOf(ref(StatementItem), "A page of a wallet's statement: every line of its balances."),
);

export const toItem = (line: StatementLine): StatementItem => ({
  balance: line.balance,
  line: line.line,
  kind: line.kind,
  sourceId: line.sourceId,
  leg: line.leg,
  amount: toBrl(line.amount),
  balanceAfter: toBrl(line.balanceAfter),
  currency: "BRL",
  occurredAt: line.occurredAt.toISOString(),
  bookedAt: line.bookedAt.toISOString(),
});
