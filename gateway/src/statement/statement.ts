import { type Static, Type } from "typebox";
import { AmountComponents, showComponents } from "../http/amount-components.ts";
import { AnswerObject, OPEN, ref } from "../http/contract.ts";
import { pageFields } from "../http/pages.ts";
import { BALANCES, type StatementPosition } from "../ledger/statement.ts";
import { isoOf } from "../lib/iso.ts";
import { toBrl } from "../lib/money.ts";
import { presentInPlace } from "../lib/present.ts";
import type { Explained } from "./by-key.ts";
import { KINDS, kindsText } from "./kinds.ts";

const id = (description: string) => Type.Optional(Type.String({ format: "uuid", description }));
const text = (description: string) => Type.Optional(Type.String({ description }));

export const StatementItem = AnswerObject("StatementItem", "One line of a wallet's ledger.", {
  subAccount: text("In a statement over all wallets: reference of the line's wallet, or `principal`."),
  balance: Type.Enum([...BALANCES], { description: "The balance of the wallet that the line belongs to." }),
  line: Type.Integer({ description: "Number of the line in its balance, gapless from 1." }),
  kind: Type.Enum(Object.keys(KINDS), {
    ...OPEN,
    type: "string",
    description: `Why the money moved: ${kindsText}.`,
  }),
  sourceId: Type.String({
    format: "uuid",
    description: "Its cause in the books; with kind and leg unique. `transactionId` is what can be looked up.",
  }),
  transactionId: id("Its transaction: `GET /transactions/{id}` finds it. Absent for a block that is about no payment."),
  originalTransactionId: id("The payment that it is about."),
  refundTransactionId: id("The refund that it is about."),
  blockId: id("The balance block that it is about."),
  withdrawalId: id("The withdrawal that it is about."),
  transferId: id("The transfer that it is about."),
  externalReference: text("Your reference of the payment, withdrawal or transfer."),
  e2eId: text("End-to-end id of the Pix, or of the return."),
  counterpart: text("Name of the payer or receiver, as the PSP reports it."),
  counterpartSubAccount: text(
    "Of a transfer or a share of a split: the wallet at its other end; `principal` is the main account.",
  ),
  description: text("As the transaction has it."),
  leg: Type.Integer({ description: "Which part of its source, from 0: the legs of a split." }),
  amount: Type.Number({ description: "BRL, signed: negative leaves the balance." }),
  components: Type.Optional(ref(AmountComponents)),
  balanceAfter: Type.Number({ description: "The balance after this line, BRL." }),
  currency: Type.Literal("BRL", { description: "Currency code." }),
  occurredAt: Type.String({ format: "date-time", description: "When it happened, as the PSP reports it." }),
  bookedAt: Type.String({ format: "date-time", description: "When it was written." }),
});
export type StatementItem = Static<typeof StatementItem>;

const Time = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }));
/** Query parameters of a statement that both doors have. */
export const LinesQuery = {
  from: Time("Only lines booked from this day of São Paulo (`2026-11-20`) or date-time on."),
  to: Time("Only lines booked up to this day of São Paulo, the day included, or before this date-time."),
  kind: Type.Optional(
    Type.Enum(Object.keys(KINDS), {
      type: "string",
      description:
        "Only this kind. A page searches at most 20,000 lines of a balance: it may have few items, or none, and a `nextCursor`.",
    }),
  ),
};

export const StatementPage = AnswerObject(
  "StatementPage",
  "A page of a wallet's statement: every line of its balances.",
  {
    ...pageFields(StatementItem),
    openingBalance: Type.Optional(
      Type.Number({
        description:
          "The wallet's total, or that of all wallets, before the time of `from`, BRL; with `from` or `to` only.",
      }),
    ),
    closingBalance: Type.Optional(
      Type.Number({
        description: "The wallet's total, or that of all wallets, at `to`, BRL; with `from` or `to` only.",
      }),
    ),
  },
);

export const toItem = (line: Explained & { readonly subAccount?: string }): StatementItem =>
  presentInPlace<StatementItem>({
    subAccount: line.subAccount,
    balance: line.balance,
    line: line.line,
    kind: line.kind,
    sourceId: line.sourceId,
    transactionId: line.transactionId,
    originalTransactionId: line.originalTransactionId,
    refundTransactionId: line.refundTransactionId,
    blockId: line.blockId,
    withdrawalId: line.withdrawalId,
    transferId: line.transferId,
    externalReference: line.externalReference,
    e2eId: line.e2eId,
    counterpart: line.counterpart,
    counterpartSubAccount: line.counterpartSubAccount,
    description: line.description,
    leg: line.leg,
    amount: toBrl(line.amount),
    components: line.components && showComponents(line.components),
    balanceAfter: toBrl(line.balanceAfter),
    currency: "BRL",
    occurredAt: isoOf(line.occurredAt),
    bookedAt: isoOf(line.bookedAt),
  });

/**
 * Whether a cursor's position is that of a statement's page. Statements do not use `readPage`: a page ends where its search
 * ends, so it may be empty and yet have a cursor, and a line is small, so that no page is cut by its bytes.
 */
export const isPosition = (position: readonly unknown[]): position is StatementPosition =>
  position.length === 3 && position.every((line) => Number.isSafeInteger(line) && (line as number) >= 1);
