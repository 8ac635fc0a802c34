import { Type } from "typebox";
import { AnswerObject, AnswerPart, OrNull, ref } from "../http/contract.ts";

const Money = (description: string) => Type.Number({ description });
const Amount = (description: string) => OrNull(Type.Number(), description);
const Counted = (description: string) =>
  Type.Object({ count: Type.Integer({ description: "How many." }), amount: Money("Their sum, BRL.") }, { description });

const CloseMovement = AnswerObject("CloseMovement", "One kind of movement at an institution.", {
  kind: Type.String({ description: "Kind of transfer (docs/money.md)." }),
  late: Type.Boolean({ description: "It occurred on an earlier day, which was closed when it was booked." }),
  in: Counted("What the institution received."),
  out: Counted("What left it."),
});
const InstitutionClose = AnswerObject("InstitutionClose", "What a day or month came to at an institution.", {
  institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
  name: Type.String({ description: "Its name." }),
  opening: Money("What it held at the beginning by the books, BRL."),
  movements: Type.Array(ref(CloseMovement), { description: "Every kind of movement." }),
  closing: Money("What it held at the end by the books, BRL."),
  theirs: Amount("What the institution says it held at the end, BRL; null: `theirsMissing` says why."),
  theirsMissing: OrNull(
    Type.Enum(["not_reported", "not_in_time"], { type: "string" }),
    "Why `theirs` and `difference` are null: the institution reports no balances, or gave none between the end of the day and its close, because it did not answer or no worker ran. A closed day never changes, so it stays so. Null: `theirs` is there.",
  ),
  sampledAt: OrNull(
    Type.String({ format: "date-time" }),
    "When the institution reported its balance; what moved between the end and then is taken off.",
  ),
  enteredBy: OrNull(
    Type.String(),
    "Who entered that balance from the institution's statement; null: the institution reported it, or there is none.",
  ),
  difference: Amount("Theirs less closing, BRL."),
  cases: Type.Array(
    AnswerPart("A case that was open when the day was closed.", {
      id: Type.String({ format: "uuid", description: "Id of the case." }),
      kind: Type.String({ description: "Its kind." }),
      amount: Amount("BRL; null: it is not about an amount."),
    }),
    { description: "What may explain a difference, at most 100." },
  ),
});
const RunningBalance = AnswerObject(
  "RunningBalance",
  "What an institution holds while a day goes on. The day's close may differ: late entries belong to it.",
  {
    institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
    name: Type.String({ description: "Its name." }),
    lastClosing: Money("What it held at the end of the last closed day by the books, BRL; 0 where none is."),
    now: Money("What it holds at this moment by the books, BRL."),
  },
);
export const Close = AnswerObject("Close", "What days came to. A closed day never changes.", {
  from: Type.String({ description: "First day, of São Paulo." }),
  to: Type.String({ description: "Last day." }),
  closed: Type.Boolean({ description: "False: the last day is not closed yet, and what is shown will grow." }),
  closedAt: OrNull(Type.String({ format: "date-time" }), "When the last closed day of them was closed; null: none is."),
  positions: Type.Record(Type.String(), Type.Number(), {
    description: "Balance of each kind of ledger account at the end of the last closed day, BRL. They sum to zero.",
  }),
  institutions: Type.Array(ref(InstitutionClose), { description: "Every institution." }),
  running: Type.Optional(
    Type.Array(ref(RunningBalance), {
      description: "Only while yesterday or today is among the days and is not closed: every institution's balance.",
    }),
  ),
});
export const AccountClose = AnswerObject("AccountClose", "What a month came to for an account.", {
  accountId: Type.String({ format: "uuid", description: "Id of the account." }),
  month: Type.String({ description: "The month." }),
  closed: Type.Boolean({ description: "False: its last day is not closed yet." }),
  opening: Money("All its wallets together at the beginning, BRL."),
  items: Type.Array(
    AnswerPart("What came in and went out by one kind.", {
      type: Type.String({ description: "Kind of transfer (docs/money.md)." }),
      count: Type.Integer({ description: "How many." }),
      in: Money("What came in, BRL."),
      out: Money("What went out, BRL."),
    }),
    { description: "By kind, without fees and without what stayed inside the account." },
  ),
  fees: Type.Array(
    AnswerPart("Fees of one operation.", {
      operation: Type.Enum(["charge", "withdrawal", "refund"], { description: "What the fees are for." }),
      count: Type.Integer({ description: "How many fees were taken." }),
      amount: Money("Their sum, less what was given back, BRL."),
    }),
    { description: "By operation." },
  ),
  closing: Money("All its wallets together at the end, BRL."),
  statement: OrNull(
    AnswerPart("The month by the time of booking.", {
      opening: Money("The wallets' statements at the beginning, BRL."),
      occurredBefore: Money(
        "What occurred before the month and was booked in it: `opening` here less that of the statements, BRL.",
      ),
      closing: Money("The wallets' statements at the end, BRL."),
      bookedAfter: Money(
        "What occurred in the month and was booked after it: `closing` here less that of the statements, BRL.",
      ),
    }),
    "The same month as its merchant adds it up (`GET /v2/statement/summary`): a statement has each line in the month of its booking, a close in that in which it occurred. Null: the month is not closed.",
  ),
});
export const FeeReport = AnswerObject("FeeReport", "What was earned, for the operator's invoices.", {
  from: Type.String({ description: "First day." }),
  to: Type.String({ description: "Last day." }),
  closedUntil: OrNull(Type.String(), "Last closed day: fees of later days are not in the report."),
  items: Type.Array(
    AnswerPart("Fees of an account for one operation.", {
      accountId: Type.String({ format: "uuid", description: "Id of the account." }),
      name: Type.String({ description: "Its name." }),
      operation: Type.String({ description: "`charge`, `withdrawal` or `refund`." }),
      count: Type.Integer({ description: "How many fees were taken." }),
      amount: Money("Their sum, less what was given back, BRL."),
    }),
    { description: "By account and operation." },
  ),
  nextCursor: OrNull(Type.String(), "For the next page of accounts."),
});
