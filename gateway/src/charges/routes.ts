import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import type { Authenticator } from "../http/auth.ts";
import { endpoint, ref } from "../http/endpoint.ts";
import { Charge, ChargeRequest } from "./charge.ts";
import { createCharge } from "./create.ts";
import { createIntentWriter } from "./intent.ts";

export function chargeRoutes(app: FastifyInstance, ctx: Context, auth: Authenticator): void {
  const writer = createIntentWriter(ctx);
  endpoint(app, ctx, auth, {
    method: "POST",
    path: "/pix",
    operationId: "createCharge",
    summary: "Issue a PIX charge",
    description:
      "Answers with a copy-and-paste code and its QR code. The payment is told by `payment_completed`; a charge that nobody pays by `payment_expired`.",
    tag: "Charges",
    permission: "PIX:WRITE",
    body: ref(ChargeRequest),
    status: 201,
    answer: ref(Charge),
    errors: [
      "RESOURCE_NOT_FOUND",
      "INSTITUTION_CHOICE_DISABLED",
      "PSP_CREDENTIAL_INVALID",
      "PSP_UNAVAILABLE",
      "SPLIT_TOO_MANY_ITEMS",
      "SPLIT_INVALID_AMOUNT",
      "SPLIT_EXCEEDS_NET_AMOUNT",
      "SPLIT_INVALID_RECIPIENT",
    ],
    handle: (call) => createCharge(ctx, writer, call),
  });
}
