import { type Static, Type } from "typebox";
import { Brl, component, Words } from "../http/contract.ts";

export const TransferRequest = component(
  "TransferRequest",
  Type.Object(
    {
      subAccount: Type.String({
        maxLength: 64,
        description: "Reference of the receiving sub-account, or `principal` for the main account.",
      }),
      amount: Brl({ minimum: 0.01, description: "Amount, BRL, at most two decimals." }),
      description: Type.Optional(Words({ maxLength: 255, description: "What it is for; both wallets see it." })),
    },
    { additionalProperties: false, description: "Money to move to another wallet of the account." },
  ),
);
export type TransferRequest = Static<typeof TransferRequest>;

export const Transfer = component(
  "Transfer",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the transfer: the sender's transaction." }),
      amount: Type.Number({ description: "Amount, BRL." }),
      currency: Type.Literal("BRL", { description: "Currency code." }),
      from: Type.String({ description: "Reference of the sending wallet; `principal` is the main account." }),
      to: Type.String({ description: "Reference of the receiving wallet; `principal` is the main account." }),
      description: Type.Optional(Type.String({ description: "As in the request." })),
      createdAt: Type.String({ format: "date-time", description: "When it was made." }),
    },
    { description: "Money that moved between two wallets of an account, at once and for good." },
  ),
);
export type Transfer = Static<typeof Transfer>;
