import { type Static, Type } from "typebox";
import { AnswerObject, Brl, OPEN, OrNull, RequestObject, ref, Words } from "../http/contract.ts";
import { pageOf } from "../http/pages.ts";
import { PIX_KEY_TYPES } from "./pix-keys.ts";
import { PENDING_REASONS, WITHDRAWAL_STATUSES } from "./withdrawal.ts";

export const WithdrawalRequest = RequestObject(
  "WithdrawalRequest",
  "A payment to a PIX key. Exactly one of `amount` and `netAmount` is given.",
  {
    amount: Type.Optional(
      Brl({ minimum: 0.01, description: "What leaves the wallet, BRL; the receiver gets it less the fee." }),
    ),
    netAmount: Type.Optional(
      Brl({ minimum: 0.01, description: "What the receiver gets, BRL; the wallet pays the fee on top." }),
    ),
    pixKey: Type.String({ minLength: 1, maxLength: 255, description: "PIX key of the receiver." }),
    pixKeyType: Type.Enum([...PIX_KEY_TYPES, "evp"], {
      description: "What the key is. `phone` in E.164 (`+5511…`); `random` is the UUID, `evp` another name for it.",
    }),
    holderName: Words({ maxLength: 255, description: "Name of the key's holder." }),
    holderDocument: Type.String({
      maxLength: 20,
      description: "CPF or CNPJ of the key's holder. A `cpf` or `cnpj` key must equal it.",
    }),
    holderDocumentType: Type.Enum(["cpf", "cnpj"], { description: "What the document is." }),
    projectId: Type.Optional(Type.String({ format: "uuid", description: "Project that tags the withdrawal." })),
    externalReference: Type.Optional(Type.String({ maxLength: 255, description: "Your own reference." })),
    uniqueReference: Type.Optional(
      Type.Boolean({
        description:
          "Extension. True: the withdrawal is refused where the wallet has one with this `externalReference` already, however that one ended and however long ago: 409 `WITHDRAWAL_REFERENCE_TAKEN`. Needs `externalReference`.",
      }),
    ),
  },
);
export type WithdrawalRequest = Static<typeof WithdrawalRequest>;

/** Longest reason that people write, characters. */
const MOST_REASON = 255;

export const ReceiverCheckRequest = RequestObject(
  "ReceiverCheckRequest",
  "What you know about the receiver of a withdrawal that was paid to another name.",
  {
    expected: Type.Boolean({
      description: "True: the money was meant for whoever received it. False: it was not.",
    }),
    reason: Type.Optional(
      Words({ maxLength: MOST_REASON, description: "Why, for the people of the account and the operator." }),
    ),
  },
);

const ShownReceiverCheck = AnswerObject(
  "ReceiverCheck",
  "Extension. What the account has said about the receiver of a withdrawal that was paid to another name.",
  {
    expected: Type.Boolean({ description: "Whether the money was meant for whoever received it." }),
    reason: Type.Optional(Type.String({ description: "Why, as it was written." })),
    checkedAt: Type.String({ format: "date-time", description: "When it was said." }),
    checkedBy: Type.String({ format: "uuid", description: "Id of the credential or person who said it." }),
    byRequester: Type.Optional(
      Type.Boolean({
        description: "Whether they, or their owner, had asked for the withdrawal, and nobody else has confirmed it.",
      }),
    ),
    checkedByName: Type.Optional(
      Type.String({ description: "The name of that credential or person, where a single withdrawal is read." }),
    ),
  },
);

export const Withdrawal = AnswerObject("Withdrawal", "Money sent from a wallet to a PIX key.", {
  id: Type.String({ format: "uuid", description: "Id of the withdrawal, which is its transaction's." }),
  subAccount: Type.Optional(
    Type.String({
      description: "Extension. In lists over all wallets: reference of its wallet, or `principal`.",
    }),
  ),
  amount: Type.Number({ description: "What leaves the wallet, BRL: `netAmount` + `feeAmount`." }),
  feeAmount: Type.Number({ description: "Fee, BRL." }),
  netAmount: Type.Number({ description: "What the receiver gets, BRL." }),
  currency: Type.Literal("BRL", { description: "Extension. Currency code." }),
  status: Type.Enum([...WITHDRAWAL_STATUSES], {
    description:
      "`pending` and `processing`: the amount is held. `completed`: paid. `failed`: the amount is available again. `reversed`: it came back after it was paid.",
  }),
  pendingReason: Type.Optional(
    Type.Enum([...PENDING_REASONS], {
      ...OPEN,
      type: "string",
      description:
        "Extension. Why it waits; left out when nothing is in the way. Of all but the last two nothing has been sent. `awaiting_approval`: another credential must approve it. `new_key`: its key was never paid before, so it leaves at `until`. `paused`: the operator has stopped payouts. `limit`: it waited until a day or night in which it would pass a limit of the account or sub-account, so it leaves at `until`. `awaiting_bank_approval`: the institution has it (`processing`) and holds it until a person of the operator approves it there. `under_analysis`: the institution has it (`processing`) and holds it while it analyses it, for up to an hour as a rule. Reasons may be added.",
    }),
  ),
  until: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Extension. When one that waits as `new_key` or `limit` leaves.",
    }),
  ),
  requestedBy: Type.Optional(
    Type.String({
      format: "uuid",
      description:
        "Extension. The credential or person that asked for it, while it awaits approval: neither they nor whoever has the same owner may approve it.",
    }),
  ),
  requestedByName: Type.Optional(
    Type.String({
      description: "Extension. The name of `requestedBy`, where a single withdrawal is read.",
    }),
  ),
  mayDecide: Type.Optional(
    Type.Boolean({
      description:
        "Extension. Of one that awaits approval, where it is read or listed: whether the caller counts as the second person, who neither asked for it nor owns what asked. To approve or reject it they need the permission as well.",
    }),
  ),
  nextQueryAt: Type.Optional(
    Type.String({
      format: "date-time",
      description:
        "Extension. While it is `processing`: when the gateway will query the institution next. A query never sends the payment again.",
    }),
  ),
  snapshotPixKey: Type.String({ description: "The key as it was stored, in its canonical form." }),
  snapshotPixKeyType: Type.Enum([...PIX_KEY_TYPES], { description: "Type of the key." }),
  snapshotHolderName: Type.String({ description: "Name of the holder as it was stored." }),
  snapshotHolderDocument: Type.String({ description: "Document of the holder as it was stored." }),
  receiverName: Type.Optional(
    Type.String({
      description:
        "Extension. Name of whoever the institution has paid, as it reports it: it may differ from the holder's name in the request. Left out until it is known.",
    }),
  ),
  paidToOther: Type.Optional(
    Type.Boolean({
      description:
        "Extension. Whether `receiverName` is the name of somebody else than the holder in the request: banks may shorten names, leave words out and write initials, but begin alike and keep the order. Left out until the name is known.",
    }),
  ),
  receiverCheck: Type.Optional(ref(ShownReceiverCheck)),
  projectId: Type.Optional(Type.String({ format: "uuid", description: "As in the request." })),
  externalReference: Type.Optional(Type.String({ description: "As in the request." })),
  failureReason: OrNull(Type.String(), "Why it failed, or came back, for people; null otherwise."),
  failureCode: Type.Optional(
    Type.String({
      description: "Extension. Why it failed, for machines, such as `holder_mismatch`. An open list.",
    }),
  ),
  pspReference: OrNull(Type.String(), "PIX end-to-end id; null until the PSP has reported it."),
  returnedAmount: Type.Optional(
    Type.Number({
      description:
        "Extension. The amount of the withdrawal that was returned so far, BRL; omitted while nothing was returned.",
    }),
  ),
  processedAt: Type.Optional(
    Type.String({ format: "date-time", description: "When it was paid or failed; left out until then." }),
  ),
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
});
export type Withdrawal = Static<typeof Withdrawal>;

export const WithdrawalCancellation = RequestObject("WithdrawalCancellation", "Nothing is needed.", {});

export const WithdrawalApproval = RequestObject("WithdrawalApproval", "Nothing is needed.", {});
export const WithdrawalRejection = RequestObject("WithdrawalRejection", "Why a withdrawal is not approved.", {
  reason: Type.Optional(Type.String({ maxLength: 255, description: "Why, for whoever asked for it." })),
});

export const WithdrawalPage = pageOf(Withdrawal, "A page of a wallet's withdrawals.");
