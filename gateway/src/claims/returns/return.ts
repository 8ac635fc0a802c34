import { type Static, Type } from "typebox";
import { AnswerObject } from "../../http/contract.ts";
import { PageQuery, pageOf, TimeQuery, WalletsQuery } from "../../http/pages.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";

/** The values of `blockedDeposit.refund.status`. */
const Status = Type.Enum(["pending", "confirmed", "failed"], {
  type: "string",
  description:
    "`pending`: on its way back. `confirmed`: all of it is back with the payer, by our return or by one that the institution made itself. `failed`: the institution did not carry it out; the operator decides, and it can become `pending` and `confirmed` later.",
});

export const AutomaticReturn = AnswerObject(
  "AutomaticReturn",
  "A Pix that was received, credited to nobody, and goes or went back to its payer by itself.",
  {
    id: Type.String({
      format: "uuid",
      description: "Id of the received Pix here; it stays when the return is tried again.",
    }),
    transactionId: Type.String({
      format: "uuid",
      description: "The transaction of the charge that the Pix was for.",
    }),
    subAccount: Type.Optional(
      Type.String({ description: "In lists over all wallets: reference of the charge's wallet, or `principal`." }),
    ),
    reason: Type.String({
      description:
        "Why it was not credited: `second_payment` (the charge was completed before), or that of the transaction's `blockedDeposit`: `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch`, `late_payment`. An open list.",
    }),
    status: Status,
    amount: Type.Number({ description: "What was received and is to go back, BRL." }),
    returnedAmount: Type.Number({ description: "What has gone back so far, BRL." }),
    currency: Type.Literal("BRL", { description: "Currency code." }),
    e2eId: Type.String({ description: "End-to-end id of the received Pix (E…)." }),
    returnE2eId: Type.Optional(
      Type.String({ description: "End-to-end id of its return (D…), once the institution has named it." }),
    ),
    paidAt: Type.String({ format: "date-time", description: "When the payer paid." }),
    settledAt: Type.Optional(
      Type.String({ format: "date-time", description: "When the return was settled; only where `confirmed`." }),
    ),
    failureReason: Type.Optional(Type.String({ description: "Why it failed, for people; only where `failed`." })),
    createdAt: Type.String({ format: "date-time", description: "When it was received here and its return made." }),
    updatedAt: Type.String({ format: "date-time", description: "When the return last changed." }),
  },
);
export type AutomaticReturn = Static<typeof AutomaticReturn>;

export const AutomaticReturnPage = pageOf(AutomaticReturn, "A page of a wallet's automatic returns.");

/** Query parameters of `GET /returns`; each narrows the list. */
export const ReturnQuery = Type.Object({
  status: Type.Optional({ ...Status, description: "Only this status." }),
  ...WalletsQuery,
  ...TimeQuery,
  ...PageQuery,
});
export type ReturnQuery = Static<typeof ReturnQuery>;

/** A set-aside Pix with the state of its return. Centavos. */
export type ReturnRow = {
  readonly id: string;
  readonly transactionId: string;
  /** In lists over all wallets. */
  readonly subAccount?: string;
  readonly reason: string;
  readonly status: AutomaticReturn["status"];
  readonly amount: number;
  readonly returnedAmount: number;
  readonly e2eId: string;
  readonly returnE2eId: string | null;
  readonly paidAt: Date;
  readonly settledAt: Date | null;
  readonly failureReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A return as the API shows it. */
export function toReturn(row: ReturnRow): AutomaticReturn {
  const { id, transactionId, reason, status, e2eId } = row;
  return present({
    id,
    transactionId,
    subAccount: row.subAccount,
    reason,
    status,
    amount: toBrl(row.amount),
    returnedAmount: toBrl(row.returnedAmount),
    currency: "BRL",
    e2eId,
    returnE2eId: row.returnE2eId,
    paidAt: row.paidAt.toISOString(),
    settledAt: status === "confirmed" ? row.settledAt?.toISOString() : null,
    failureReason: status === "failed" ? row.failureReason : null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });
}
