import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { ref } from "../../http/contract.ts";
import { PageQuery } from "../../http/pages.ts";
import type { MerchantGiven, MerchantRoutes } from "../../http/scopes/merchant.ts";
import { checkLink, createLink, patchLink } from "./change.ts";
import {
  findLink,
  LinkParams,
  listLinks,
  PaymentLink,
  PaymentLinkPage,
  PaymentLinkPatch,
  PaymentLinkRequest,
  toLink,
} from "./link.ts";

const ownerOf = ({ caller: { accountId, accountNumber }, wallet: { walletId } }: MerchantGiven) => ({
  accountId,
  accountNumber,
  walletId,
});

/** `/payment-links`: addresses that make a charge for whoever opens them and pays. */
export function paymentLinkRoutes(route: MerchantRoutes, ctx: Context): void {
  const common = { tag: "Payment links", extension: true } as const;

  route({
    ...common,
    method: "POST",
    path: "/payment-links",
    operationId: "paymentLinks.create",
    summary: "Make a payment link",
    description:
      "Give its `url` to payers: each of them gets a charge of their own. Opening it makes none. The events of its charges have `paymentLinkId`.",
    permission: "PIX:WRITE",
    fresh: { not: "it asks for money and moves none" },
    body: ref(PaymentLinkRequest),
    example: {
      name: "Oficina de pães",
      description: "Sábado, 9 h, Rua das Flores 10",
      amount: 120,
      maxPayments: 12,
      fields: [
        { name: "nome", label: "Seu nome", required: true, type: "text" },
        { name: "email", label: "E-mail", required: false, type: "email" },
      ],
    },
    status: 201,
    answer: ref(PaymentLink),
    errors: [
      "RESOURCE_NOT_FOUND",
      "PAYMENT_LINK_LIMIT",
      "RETURN_HOST_NOT_ALLOWED",
      "SPLIT_TOO_MANY_ITEMS",
      "SPLIT_INVALID_AMOUNT",
      "SPLIT_EXCEEDS_NET_AMOUNT",
      "SPLIT_INVALID_RECIPIENT",
    ],
    async handle(call) {
      const owner = ownerOf(call);
      const link = await checkLink(ctx, ctx.db, owner, call.body);
      return call.transact((tx) => createLink(ctx, tx, owner, link));
    },
  });

  route({
    ...common,
    method: "GET",
    path: "/payment-links",
    operationId: "paymentLinks.list",
    summary: "List the payment links of a wallet",
    permission: "TRANSACTION:READ",
    query: Type.Object(PageQuery),
    answer: ref(PaymentLinkPage),
    errors: ["VALIDATION_ERROR"],
    handle: (call) => listLinks(ctx, ownerOf(call), call.query),
  });

  route({
    ...common,
    method: "GET",
    path: "/payment-links/:id",
    operationId: "paymentLinks.get",
    summary: "Read a payment link",
    permission: "TRANSACTION:READ",
    params: LinkParams,
    answer: ref(PaymentLink),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: async (call) => toLink(ctx, ownerOf(call), await findLink(ctx.db, ownerOf(call), call.params.id)),
  });

  route({
    ...common,
    method: "PATCH",
    path: "/payment-links/:id",
    operationId: "paymentLinks.update",
    summary: "Change a payment link",
    description:
      "Only the fields that are sent change. `status: disabled` stops it: charges that it has made can still be paid, and count.",
    permission: "PIX:WRITE",
    fresh: { not: "it asks for money and moves none" },
    params: LinkParams,
    body: ref(PaymentLinkPatch),
    example: { status: "disabled" },
    answer: ref(PaymentLink),
    errors: ["RESOURCE_NOT_FOUND", "PAYMENT_LINK_LIMIT"],
    handle: (call) => call.transact((tx) => patchLink(ctx, tx, ownerOf(call), call.params.id, call.body)),
  });
}
