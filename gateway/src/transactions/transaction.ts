import { type Static, Type } from "typebox";
import { AmountComponents } from "../http/amount-components.ts";
import { AnswerObject, AnswerPart, FreeObject, OPEN, OrNull, ref } from "../http/contract.ts";
import { Due, DueEdits } from "./due.ts";
import { FiscalFields, Invoice } from "./invoices/invoice.ts";

export const BlockedDeposit = AnswerObject(
  "BlockedDeposit",
  "A deposit that an account policy blocked: the amount was NOT credited.",
  {
    reason: Type.String({
      description:
        "Why it was not credited: `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch`, `late_payment`, `sold_out`. An open list.",
    }),
    refund: AnswerPart("The automatic return to the payer.", {
      status: Type.Enum(["pending", "confirmed", "failed"], {
        type: "string",
        description: "State of the automatic return.",
      }),
      e2eId: Type.Optional(Type.String({ description: "Return id of the automatic return in the PIX network." })),
      settledAt: Type.Optional(Type.String({ format: "date-time", description: "When the return was settled." })),
    }),
  },
);

export const Transaction = AnswerObject("Transaction", "Anything that moves, or is to move, a wallet's balance.", {
  id: Type.String({ format: "uuid", description: "Id of the transaction." }),
  status: Type.Enum(["pending", "completed", "failed", "cancelled"], { description: "Status of the transaction." }),
  type: Type.Enum(
    ["payment", "fee", "refund", "chargeback", "withdrawal", "adjustment", "referral_commission", "internal_transfer"],
    { ...OPEN, description: "What kind of movement it is. `internal_transfer` does not travel over PIX." },
  ),
  direction: Type.Optional(
    Type.Enum(["in", "out"], { description: "Extension. Whether the money comes into the wallet or leaves it." }),
  ),
  paymentMethod: Type.Enum(["pix", "credit_card", "boleto"], { ...OPEN, description: "Always `pix` today." }),
  subAccount: Type.Optional(
    Type.String({
      description: "Extension. Its wallet, in lists over all wallets; `principal` is the main account.",
    }),
  ),
  amount: Type.Number({
    description: "Amount, BRL. Of a completed payment of a charge with a due date: what was paid.",
  }),
  currency: Type.Literal("BRL", { description: "Currency code." }),
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
  description: Type.Optional(Type.String({ description: "As in the request." })),
  externalReference: Type.Optional(Type.String({ description: "As in the request." })),
  customerId: Type.Optional(
    Type.String({ format: "uuid", description: "One id for each payer document of the account." }),
  ),
  projectId: Type.Optional(Type.String({ format: "uuid", description: "Project that tags it." })),
  metadata: Type.Optional(FreeObject({ description: "As in the request." })),
  pixCopyPaste: Type.Optional(Type.String({ description: "The code to pay with; only while pending." })),
  checkoutUrl: Type.Optional(
    Type.String({
      description: "Extension. Address of a charge's page for its payer; in the answer for one payment, not in lists.",
    }),
  ),
  expiresAt: Type.Optional(Type.String({ format: "date-time", description: "When it expires; only while pending." })),
  paidAt: Type.Optional(
    Type.String({ format: "date-time", description: "When the payer paid, as the PSP reports it." }),
  ),
  e2eId: Type.Optional(Type.String({ description: "PIX end-to-end id, once the PSP has confirmed." })),
  counterpartName: Type.Optional(
    Type.String({
      description:
        "Name of the payer (or recipient) as the PSP reports it. Of a refund or a chargeback: of the payment's payer.",
    }),
  ),
  counterpartDocument: Type.Optional(Type.String({ description: "CPF or CNPJ of the counterpart, unmasked." })),
  counterpartSubAccount: Type.Optional(
    Type.String({
      description: "Extension. Of an internal transfer: the wallet at its other end; `principal` is the main account.",
    }),
  ),
  expectedName: Type.Optional(
    Type.String({
      description:
        "Extension. Who is to pay, while no payer is known: the charge's customer. Of a withdrawal: the holder for whom it was asked; `counterpartName` is whom the bank paid. Where transactions are read.",
    }),
  ),
  paidToOther: Type.Optional(
    Type.Boolean({
      description:
        "Extension. Of a withdrawal: whether `counterpartName` is the name of somebody else than `expectedName`. Left out until the name is known. Where transactions are read.",
    }),
  ),
  receiverExpected: Type.Optional(
    Type.Boolean({
      description:
        "Extension. Of a withdrawal that was paid to another name: whether the account has said that the money was meant for that receiver. Left out until it has said so. Where transactions are read.",
    }),
  ),
  failureReason: Type.Optional(Type.String({ description: "Why it failed; only when it did." })),
  withdrawalStatus: Type.Optional(
    Type.Enum(["pending", "processing", "completed", "failed", "reversed"], {
      description: "Extension. The exact status of a withdrawal.",
    }),
  ),
  cancellationReason: Type.Optional(
    Type.Enum(["expired", "requested"], { ...OPEN, description: "Extension. Why it was cancelled." }),
  ),
  feeAmount: Type.Optional(
    Type.Number({
      description:
        "Extension. Fee, BRL: of a payment from its settlement, of a withdrawal from its creation, of a refund from its confirmation.",
    }),
  ),
  netAmount: Type.Optional(
    Type.Number({
      description:
        "Extension. BRL, known when `feeAmount` is: what a payment brought, what the receiver of a withdrawal or refund gets.",
    }),
  ),
  withheldAmount: Type.Optional(
    Type.Number({
      description:
        "Extension. What the institution kept back of a completed payment as tax, BRL; `netAmount` is without it. Only where it did.",
    }),
  ),
  txid: Type.Optional(
    Type.String({ description: "Extension. Id of a charge in the PIX network; bank statements show it." }),
  ),
  institution: Type.Optional(
    Type.String({ description: "Extension. Name of the bank or PSP that issued a payment's charge." }),
  ),
  qrCodeId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Extension. The code that stays (`/qr-codes`) by which a payment was made.",
    }),
  ),
  split: Type.Optional(
    Type.Array(
      AnswerPart("One leg.", {
        subAccount: Type.String({ description: "Reference of the wallet, or `principal`." }),
        amount: Type.Number({ description: "What it got, BRL." }),
      }),
      { description: "Extension. The applied legs of a completed payment that was created with a split." },
    ),
  ),
  refund: Type.Optional(
    AnswerPart("Extension. The newest refund of a payment.", {
      status: Type.Enum(["PENDING", "CONFIRMED", "ERROR"], { description: "As the refund's own answer has it." }),
      refundTransactionId: Type.String({ format: "uuid", description: "The refund's transaction." }),
      amount: Type.Number({ description: "BRL." }),
    }),
  ),
  refundedAmount: Type.Optional(
    Type.Number({
      description: "Extension. What confirmed refunds of a completed payment gave back together, BRL.",
    }),
  ),
  disputedAmount: Type.Optional(
    Type.Number({ description: "Extension. What open balance blocks hold of a completed payment, BRL." }),
  ),
  returnedAmount: Type.Optional(
    Type.Number({
      description:
        "Extension. What has gone back to the payer, BRL: refunds that were confirmed, approved blocks, returns by the institution. Of a withdrawal: what its receiver gave back.",
    }),
  ),
  due: Type.Optional(ref(Due)),
  dueEdits: Type.Optional(
    Type.Array(ref(DueEdits), {
      description: "Extension. The changes of `due`, oldest first. Only where one transaction is read.",
    }),
  ),
  amountDue: Type.Optional(
    Type.Number({
      description:
        "Extension. What a pending charge with a due date should cost today, BRL. Its institution decides. Only where one transaction is read.",
    }),
  ),
  chargedAmount: Type.Optional(
    Type.Number({ description: "Extension. What was asked, BRL, where a charge with a due date was paid." }),
  ),
  components: Type.Optional(ref(AmountComponents)),
  paidAfterExpiry: Type.Optional(
    Type.Boolean({
      description: "Extension. True when it was paid late and credited; absent where a late payment was returned.",
    }),
  ),
  originalTransactionId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Extension. The payment that a refund, its fee, a chargeback or a split leg belongs to.",
    }),
  ),
  originalExternalReference: Type.Optional(
    Type.String({
      description: "Extension. Of a refund, its fee or a chargeback: the reference of the payment that it belongs to.",
    }),
  ),
  refundTransactionId: Type.Optional(
    Type.String({ format: "uuid", description: "Extension. The refund that a fee was taken for." }),
  ),
  blockId: Type.Optional(
    Type.String({ format: "uuid", description: "Extension. The balance block that a chargeback belongs to." }),
  ),
  withdrawalId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Extension. The withdrawal whose money an adjustment brings back.",
    }),
  ),
  transferId: Type.Optional(
    Type.String({ format: "uuid", description: "Extension. The transfer that an internal transfer is a side of." }),
  ),
  paymentLinkId: Type.Optional(
    Type.String({ format: "uuid", description: "Extension. The payment link that made the charge." }),
  ),
  fiscal: Type.Optional(ref(FiscalFields)),
  invoice: Type.Optional(ref(Invoice)),
  blockedDeposit: OrNull(
    ref(BlockedDeposit),
    "The state of a deposit that an account policy blocked; null when there was none.",
  ),
  updatedAt: Type.String({ format: "date-time", description: "When anything of it last changed." }),
});
export type Transaction = Static<typeof Transaction>;
