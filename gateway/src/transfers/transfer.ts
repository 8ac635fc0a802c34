import { type Static, Type } from "typebox";
import { AnswerObject, Brl, FreeObject, RequestObject, Words } from "../http/contract.ts";
import { Metadata } from "../http/metadata.ts";
import { pageOf } from "../http/pages.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";

export const TransferRequest = RequestObject("TransferRequest", "Money to move to another wallet of the account.", {
  subAccount: Type.String({
    maxLength: 64,
    description: "Reference of the receiving sub-account, or `principal` for the main account.",
  }),
  amount: Brl({ minimum: 0.01, description: "Amount, BRL, at most two decimals." }),
  description: Type.Optional(Words({ maxLength: 255, description: "What it is for; both wallets see it." })),
  externalReference: Type.Optional(
    Type.String({ maxLength: 255, description: "Your own reference; the sender's transaction has it too." }),
  ),
  metadata: Type.Optional(Metadata("Free key-value pairs, returned as they came; they must name no person.")),
});
export type TransferRequest = Static<typeof TransferRequest>;

export const Transfer = AnswerObject(
  "Transfer",
  "Money that moved between two wallets of an account, at once and for good.",
  {
    id: Type.String({ format: "uuid", description: "Id of the transfer: the sender's transaction." }),
    amount: Type.Number({ description: "Amount, BRL." }),
    currency: Type.Literal("BRL", { description: "Currency code." }),
    from: Type.String({ description: "Reference of the sending wallet; `principal` is the main account." }),
    to: Type.String({ description: "Reference of the receiving wallet; `principal` is the main account." }),
    description: Type.Optional(Type.String({ description: "As in the request." })),
    externalReference: Type.Optional(Type.String({ description: "As in the request." })),
    metadata: Type.Optional(FreeObject({ description: "As in the request." })),
    createdAt: Type.String({ format: "date-time", description: "When it was made." }),
  },
);
export type Transfer = Static<typeof Transfer>;

export const TransferPage = pageOf(Transfer, "A page of a wallet's transfers.");

/** A transfer as it is stored. Centavos. */
type Stored = {
  readonly transferId: string;
  readonly amount: number;
  readonly from: { readonly reference: string };
  readonly to: { readonly reference: string };
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
};

export const toTransfer = (stored: Stored): Transfer =>
  present({
    id: stored.transferId,
    amount: toBrl(stored.amount),
    currency: "BRL",
    from: stored.from.reference,
    to: stored.to.reference,
    description: stored.description,
    externalReference: stored.externalReference,
    metadata: stored.metadata,
    createdAt: stored.createdAt.toISOString(),
  });
