import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { PathId, ref } from "../../http/contract.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { nameOfCaller } from "../../http/session.ts";
import { findTransaction } from "../find.ts";
import { Transaction } from "../transaction.ts";
import { TransactionPatch } from "./invoice.ts";
import { recordInvoice } from "./record.ts";

const Params = Type.Object({ id: PathId("transaction", "Id of the payment.") });

/** `PATCH /transactions/{id}`: which invoice was issued for a payment. */
export function invoiceRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "PATCH",
    path: "/transactions/:id",
    operationId: "transactions.update",
    summary: "Record the invoice of a payment",
    description:
      "Of a completed payment, also one that was refunded since. A payment has one invoice; several payments may have the same one, which was paid in parts. `GET /transactions?invoiced=false` lists the payments without one.",
    tag: "Transactions",
    extension: true,
    permission: "PIX:WRITE",
    fresh: { not: "a note beside a payment moves nothing" },
    params: Params,
    body: ref(TransactionPatch),
    example: { invoice: { key: "41191111812498000103650050000010451515607994" } },
    answer: ref(Transaction),
    errors: ["RESOURCE_NOT_FOUND", "NOT_A_PAID_PAYMENT"],
    async handle({ caller, session, wallet: { walletId }, params: { id }, body }) {
      const { accountId } = caller;
      const by = nameOfCaller(caller, session);
      await ctx.db.transaction((tx) =>
        recordInvoice(ctx, tx, { accountId, walletId, transactionId: id, invoice: body.invoice, by }),
      );
      return (await findTransaction(ctx, accountId, walletId, id))!;
    },
  });
}
