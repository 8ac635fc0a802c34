import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerObject, PathId, ref } from "../http/contract.ts";
import { prefers } from "../http/csv.ts";
import { notFound } from "../http/errors.ts";
import { PDF, PdfQuery, pdfFile } from "../http/pdf.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { turnOf } from "../http/turns.ts";
import { parse } from "../lib/brcode.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { findChargeOf } from "./find.ts";
import { receiverOf } from "./format.ts";
import { isPaid, receiptPaper } from "./receipt.ts";

const Receipt = AnswerObject("Receipt", "What the receipt of a payment says: nothing of its payer.", {
  transactionId: Type.String({ format: "uuid", description: "The payment." }),
  amount: Type.Number({ description: "What was paid, BRL." }),
  currency: Type.Literal("BRL", { description: "Currency code." }),
  paidAt: Type.Optional(Type.String({ format: "date-time", description: "When it was paid." })),
  late: Type.Boolean({ description: "Whether it was paid after the charge's end, and accepted." }),
  receiver: Type.String({ description: "Who received it, as the payer's bank shows it." }),
  description: Type.String({ description: "What was paid." }),
  txid: Type.String({ description: "Id of the charge, or of the static code, in the PIX network." }),
});

/** `GET /transactions/{id}/receipt`: the receipt of a payment for its merchant, also of one that has no page. */
export function receiptRoute(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/transactions/:id/receipt",
    readsHistory: true,
    operationId: "receipts.get",
    summary: "Read the receipt of a payment",
    description:
      "Of a completed payment, also of a static code's; 404 for every other one. `Accept: application/pdf` gives the paper that its payer may download.",
    tag: "Transactions",
    extension: true,
    permission: "TRANSACTION:READ",
    params: Type.Object({ id: PathId("transaction", "Id of the payment.") }),
    query: Type.Object(PdfQuery),
    answer: ref(Receipt),
    alsoAs: { [PDF]: "The receipt, one page." },
    errors: ["RESOURCE_NOT_FOUND", "VALIDATION_ERROR"],
    async handle({ caller: { accountId }, wallet: { walletId }, params: { id }, query, accept }) {
      const charge = await findChargeOf({ db: ctx.history, clock: ctx.clock }, { accountId, walletId }, id);
      if (charge === null || !isPaid(charge)) throw notFound("receipt", id);
      if (prefers(accept, [PDF]) !== null) {
        const paper = () => receiptPaper(charge, query.language ?? "pt-BR", ctx.clock.date());
        return pdfFile("receipt", ctx.turns.take(turnOf(accountId), paper));
      }
      return present<Static<typeof Receipt>>({
        transactionId: charge.chargeId,
        amount: toBrl(charge.amount),
        currency: "BRL",
        paidAt: charge.paidAt?.toISOString(),
        late: charge.state === "paid_late",
        receiver: receiverOf(charge, parse(charge.pixCopyPaste ?? "")),
        description: charge.description,
        txid: charge.txid,
      });
    },
  });
}
