import { type Static, Type } from "typebox";
import { bigint, instant, nullable, type RowOf, text, textOf, uuid, view } from "../db/columns.ts";
import { AnswerObject, OPEN, OrNull, ref } from "../http/contract.ts";
import { pageOf } from "../http/pages.ts";
import { toBrl } from "../lib/money.ts";

export const UNMATCHED_KINDS = ["receipt", "return"] as const;
export const UNMATCHED_STATUSES = [
  "open",
  "assigning",
  "assigned",
  "booked",
  "returning",
  "returned",
  "return_failed",
  "retried",
] as const;

const KIND = Type.Enum([...UNMATCHED_KINDS], {
  ...OPEN,
  type: "string",
  description: "`receipt`: a Pix that belongs to no charge. `return`: an automatic return that failed.",
});
const STATUS = Type.Enum([...UNMATCHED_STATUSES], {
  type: "string",
  description:
    "`open`: waits for you. `assigning`, `assigned`: given to a charge. `booked`: the operator's own money (`/treasury`), or written off. `returning`, `returned`: goes back to its payer. `return_failed`: its return is in this list by itself. `retried`: another return has taken its place.",
});
const Id = (description: string) => OrNull(Type.String({ format: "uuid" }), description);
const Text = (description: string) => OrNull(Type.String(), description);

const UnmatchedResolution = AnswerObject("UnmatchedResolution", "What the operator decided.", {
  action: Type.Enum(["assign", "return", "retry", "treasury"], { description: "What was decided." }),
  accountId: Id("The account that it was assigned to."),
  chargeId: Id("The charge that it was assigned to."),
  outcome: OrNull(
    Type.Enum(["credited", "blocked", "second_payment"]),
    "What that account made of it: credited, or on its way back by its own rules.",
  ),
  returnId: Id("The return that was made for it."),
  at: Type.String({ format: "date-time", description: "When it was decided." }),
});

export const Unmatched = AnswerObject("Unmatched", "Money that waits for the operator, or waited.", {
  id: Type.String({ format: "uuid", description: "Id of the receipt or of the return." }),
  kind: KIND,
  status: STATUS,
  accountId: Id("Whose return it is; null: the house's own."),
  institutionId: Type.String({ format: "uuid", description: "Where the money is." }),
  e2eId: Type.String({ description: "End-to-end id of the Pix." }),
  amount: Type.Number({ description: "BRL: of the Pix, or of the return." }),
  currency: Type.Literal("BRL", { description: "Currency code." }),
  paidAt: Type.String({ format: "date-time", description: "When the payer paid." }),
  payerName: Text("The payer as the PSP reported it; `[erased]` once the person was erased."),
  payerDocument: Text("CPF or CNPJ of the payer, where the PSP reported it."),
  txid: Text("The txid that the PSP reported; null: none, or that of the charge."),
  receivedAs: Type.Enum(["unmatched", "blocked", "second_payment"], {
    type: "string",
    description: "Why the Pix was not credited: no charge, a charge that may not take it, a charge paid before.",
  }),
  reason: Text(
    "Of a receipt: `no_txid`, `foreign_txid` (not of this gateway), `no_such_charge` (none that was issued there). Of a return: why it failed.",
  ),
  resolution: OrNull(ref(UnmatchedResolution), "Null: nothing was decided."),
  createdAt: Type.String({ format: "date-time", description: "When it came up." }),
});
export const UnmatchedPage = pageOf(Unmatched, "A page of what waits or waited.");
export type Unmatched = Static<typeof Unmatched>;

/** Received Pix that belong to no charge, in the house account, and automatic returns that failed, in any account. */
export const unmatched = view({
  name: "unmatched",
  columns: {
    accountId: uuid,
    kind: textOf<(typeof UNMATCHED_KINDS)[number]>(),
    id: uuid,
    institutionId: uuid,
    e2eId: text,
    amount: bigint,
    paidAt: instant,
    payerName: nullable(text),
    payerDocument: nullable(text),
    txid: nullable(text),
    receivedAs: textOf<Unmatched["receivedAs"]>(),
    reason: nullable(text),
    createdAt: instant,
    status: textOf<Unmatched["status"]>(),
    action: nullable(textOf<"assign" | "return" | "retry" | "treasury">()),
    toAccountId: nullable(uuid),
    chargeId: nullable(uuid),
    assignedAs: nullable(textOf<"credited" | "blocked" | "second_payment">()),
    returnId: nullable(uuid),
    resolvedAt: nullable(instant),
  },
});
export type UnmatchedRow = RowOf<typeof unmatched.columns>;

export const toUnmatched = (row: UnmatchedRow, houseId: string): Unmatched => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  accountId: row.accountId === houseId ? null : row.accountId,
  institutionId: row.institutionId,
  e2eId: row.e2eId,
  amount: toBrl(row.amount),
  currency: "BRL",
  paidAt: row.paidAt.toISOString(),
  payerName: row.payerName,
  payerDocument: row.payerDocument,
  txid: row.txid,
  receivedAs: row.receivedAs,
  reason: row.reason,
  resolution:
    row.action === null
      ? null
      : {
          action: row.action,
          accountId: row.toAccountId,
          chargeId: row.toAccountId === null ? null : row.chargeId,
          outcome: row.assignedAs,
          returnId: row.returnId,
          at: row.resolvedAt!.toISOString(),
        },
  createdAt: row.createdAt.toISOString(),
});
