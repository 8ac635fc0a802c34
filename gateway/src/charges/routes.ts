import { Type } from "typebox";
import type { Context } from "../context.ts";
import { PathId, RequestObject, ref } from "../http/contract.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { nameOfCaller } from "../http/session.ts";
import { Due } from "../transactions/due.ts";
import { findTransaction } from "../transactions/find.ts";
import { Transaction } from "../transactions/transaction.ts";
import { cancelAtPsp, type PixApplier } from "./cancel.ts";
import { Charge, ChargeRequest } from "./charge.ts";
import { createCharge } from "./create.ts";
import { createIntentWriter } from "./intent.ts";
import { DuePreview, DuePreviewRequest, previewDue } from "./preview-due.ts";
import { ChargeQuote, QuoteRequest, quoteCharge } from "./quote.ts";
import { editDue } from "./revise.ts";

const ChargeCancellation = RequestObject("ChargeCancellation", "Nothing is needed.", {});

const ChargeEdit = RequestObject("ChargeEdit", "The whole new terms: what is left out of them is no longer asked.", {
  due: ref(Due),
});

const Params = Type.Object({ id: PathId("charge", "Id of the charge.") });

export function chargeRoutes(route: MerchantRoutes, ctx: Context, applier: PixApplier): void {
  const writer = createIntentWriter(ctx);
  route({
    method: "POST",
    path: "/pix",
    operationId: "charges.create",
    waitsOutside: true,
    summary: "Issue a PIX charge",
    description:
      "Answers with a copy-and-paste code and its QR code. `payment_completed` reports the payment, `payment_expired` a charge that nobody paid.",
    tag: "Charges",
    permission: "PIX:WRITE",
    fresh: { not: "it asks for money and moves none" },
    body: ref(ChargeRequest),
    example: {
      amount: 25.9,
      description: "Order 1042",
      customer: { name: "Maria Silva", document: "12345678909", email: "maria@example.com" },
      expiresIn: 3600,
      externalReference: "order-1042",
      metadata: { cart: 7 },
    },
    status: 201,
    answer: ref(Charge),
    errors: [
      "RESOURCE_NOT_FOUND",
      "QR_CODE_BUSY",
      "INSTITUTION_CHOICE_DISABLED",
      "NOT_SUPPORTED_BY_INSTITUTION",
      "PSP_CREDENTIAL_INVALID",
      "PSP_UNAVAILABLE",
      "SPLIT_TOO_MANY_ITEMS",
      "SPLIT_INVALID_AMOUNT",
      "SPLIT_EXCEEDS_NET_AMOUNT",
      "SPLIT_INVALID_RECIPIENT",
      "RETURN_HOST_NOT_ALLOWED",
    ],
    handle: (call) => createCharge(ctx, writer, call),
  });

  route({
    method: "POST",
    path: "/pix/quote",
    operationId: "charges.quote",
    summary: "Compute a charge's fee, net amount and split",
    description:
      "Issues nothing. A percentage is of the net amount and is rounded half up to the centavo; what is left stays with the wallet that issues the charge.",
    tag: "Charges",
    extension: true,
    permission: "PIX:WRITE",
    fresh: { not: "it asks for money and moves none" },
    body: ref(QuoteRequest),
    example: { amount: 25.9 },
    answer: ref(ChargeQuote),
    errors: ["SPLIT_TOO_MANY_ITEMS", "SPLIT_INVALID_AMOUNT", "SPLIT_EXCEEDS_NET_AMOUNT", "SPLIT_INVALID_RECIPIENT"],
    handle: ({ caller: { accountId }, wallet: { walletId }, body, transact }) =>
      transact((tx) => quoteCharge(tx, { accountId, walletId }, body)),
  });

  route({
    method: "POST",
    path: "/pix/due-preview",
    operationId: "charges.previewDue",
    summary: "Compute what a charge with a due date costs on which day",
    description:
      "Issues and changes nothing. For a charge that is not made yet (`amount` and `due`), for a pending one (`transactionId`), or for a pending one with other terms (`transactionId` and `due`). It is Pixgate's computation: what the institution computes wins.",
    tag: "Charges",
    extension: true,
    permission: "PIX:WRITE",
    fresh: { not: "it asks for money and moves none" },
    body: ref(DuePreviewRequest),
    example: { amount: 100, due: { date: "2031-03-10", fine: { percent: 2 } }, from: "2031-03-08", days: 5 },
    answer: ref(DuePreview),
    errors: ["RESOURCE_NOT_FOUND", "CHARGE_NOT_EDITABLE"],
    handle: ({ caller: { accountId }, wallet: { walletId }, body }) => previewDue(ctx, { accountId, walletId }, body),
  });

  route({
    method: "PATCH",
    path: "/pix/:id",
    operationId: "charges.update",
    waitsOutside: true,
    summary: "Change the due date of a pending charge",
    description:
      "The new `due` stands for the whole of the old one, at the institution too; amount and code stay. Without the institution's answer the call fails with `PSP_UNAVAILABLE` and the change stays under way: the payer may pay by either terms until the institution shows which it has. The same call may be repeated.",
    tag: "Charges",
    extension: true,
    permission: "PIX:WRITE",
    fresh: { not: "it asks for money and moves none" },
    params: Params,
    body: ref(ChargeEdit),
    example: { due: { date: "2031-04-14", daysAfter: 30, fine: { percent: 2 } } },
    answer: ref(Transaction),
    errors: ["RESOURCE_NOT_FOUND", "CHARGE_NOT_EDITABLE", "NOT_SUPPORTED_BY_INSTITUTION", "PSP_UNAVAILABLE"],
    async handle({ caller, session, wallet: { walletId }, params, body }) {
      const { accountId } = caller;
      const chargeId = params.id;
      const actor = nameOfCaller(caller, session);
      await editDue(ctx, applier, { accountId, walletId, chargeId, actor }, body.due);
      return (await findTransaction(ctx, accountId, walletId, chargeId))!;
    },
  });

  route({
    method: "POST",
    path: "/pix/:id/cancel",
    operationId: "charges.cancel",
    final: "A cancelled charge cannot be paid any more.",
    summary: "Cancel a pending charge",
    description:
      "Removes the charge at its institution, so that nobody can pay it any more. One that turns out to be paid is settled, and the call refused. One that the institution does not have, two minutes after it was made, is cancelled too.",
    tag: "Charges",
    extension: true,
    permission: "PIX:WRITE",
    fresh: { not: "it asks for money and moves none" },
    params: Params,
    body: ref(ChargeCancellation),
    bodyOptional: true,
    keepsAnswer: true,
    answer: ref(Transaction),
    errors: ["RESOURCE_NOT_FOUND", "CHARGE_NOT_CANCELLABLE", "PSP_UNAVAILABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params }) {
      const chargeId = params.id;
      await cancelAtPsp(ctx, applier, { accountId, walletId, chargeId });
      return (await findTransaction(ctx, accountId, walletId, chargeId))!;
    },
  });
}
