import { Type } from "typebox";
import { returnAddress } from "../accounts/checkout-settings/sign.ts";
import { PUBLIC_STATUS } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import { Raw, Redirect } from "../http/answer.ts";
import { linkToken } from "../http/checkout-token.ts";
import { AnswerObject, OPEN, ref } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { PDF, pdfFile } from "../http/pdf.ts";
import { createBuckets } from "../http/rate-limit.ts";
import type { PayerRoutes } from "../http/scopes/payer.ts";
import { LIMITS } from "../lib/limits.ts";
import { findPayerCharge, type PayerCharge } from "./find.ts";
import { COMPONENT } from "./frame.ts";
import { payerPage } from "./page.ts";
import { isPaid, receiptPaper } from "./receipt.ts";
import { PAGE_STATES, type PageState } from "./state.ts";
import type { PayerStreams } from "./streams.ts";

const Token = Type.Object({
  token: Type.String({
    minLength: 1,
    description: "The secret part of the charge's `checkoutUrl`, or of a link's `url`.",
  }),
});

const State = Type.Enum([...PAGE_STATES], {
  ...OPEN,
  type: "string",
  description:
    "`waiting`: it can be paid. `paid`; `paid_late`: after its end, and accepted. `sold_out`: its link has taken the last payment. `expired`, `cancelled`: nobody should pay it any more. `returned`: it was paid, not accepted, and the money goes back.",
});

const CheckoutState = AnswerObject("CheckoutState", "What the page of a charge shows.", { state: State });

const missing = () => new ApiError("RESOURCE_NOT_FOUND", "There is no such page.");

/**
 * `GET /pay/{token}`: the page of a charge for its payer, which works without a script, and what its script reads.
 *
 * @param openLink the page of a payment link; null for a token that is not a link's.
 */
export function checkoutRoutes(
  route: PayerRoutes,
  ctx: Context,
  streams: PayerStreams,
  openLink: (visit: { token: string; languages: string | undefined; headOnly: boolean }) => Promise<Raw | null>,
): void {
  const receipts = createBuckets({ ...LIMITS.receipts, maxKeys: LIMITS.rateLimitBuckets, clock: ctx.clock });

  async function find(token: string): Promise<PayerCharge> {
    const found = await findPayerCharge(ctx, token);
    if (found === null) throw missing();
    return found;
  }

  route({
    method: "GET",
    path: "/checkout.js",
    operationId: "checkout.component",
    summary: "The web component `<pixgate-checkout>`",
    description: "A script for pages of other sites, in which it shows a charge's page.",
    shared: true,
    work: "none",
    onlyAs: { "text/javascript": "The script." },
    handle: async () =>
      new Raw("text/javascript; charset=utf-8", COMPONENT, {
        "cache-control": "public, max-age=300",
        "cross-origin-resource-policy": "cross-origin",
      }),
  });

  route({
    method: "GET",
    path: "/:token",
    operationId: "checkout.page",
    summary: "The page of a charge or of a payment link",
    description: "In Portuguese, English or Spanish, as `Accept-Language` chooses. It loads nothing else.",
    page: true,
    shared: true,
    params: Token,
    onlyAs: { "text/html": "The page." },
    async handle({ params, languages, headOnly, onThisMachine }) {
      const link = await openLink({ token: params.token, languages, headOnly });
      if (link !== null) return link;
      const charge = await find(params.token);
      // The simulator listens where the gateway does: only a visitor on this machine reaches it.
      const bankUrl = onThisMachine ? ctx.bankUrl : null;
      const { state, openLinkId, soldOut, number } = charge;
      const isAgain = state === "expired" && openLinkId !== null && !soldOut;
      const linkUrl = isAgain ? `/pay/${linkToken(ctx.keys, number, openLinkId)}` : null;
      const places = { linkUrl, bankUrl };
      const { text, headers } = payerPage(charge, params.token, languages, ctx.clock.now(), places);
      return new Raw("text/html; charset=utf-8", text, headers);
    },
  });

  route({
    method: "GET",
    path: "/:token/return",
    operationId: "checkout.return",
    summary: "Leads the payer back to the merchant",
    description:
      "To the charge's `returnUrl`, with `transaction`, `status`, `timestamp` and `signature`. 404 while the charge can be paid, and without a `returnUrl`.",
    page: true,
    work: "row",
    params: Token,
    status: 303,
    async handle({ params }) {
      const { returnUrl, sealedSecret, ...charge } = await find(params.token);
      if (returnUrl === null || sealedSecret === null || charge.state === "waiting") throw missing();
      const returning = { transaction: charge.chargeId, status: PUBLIC_STATUS[charge.status] };
      return new Redirect(returnAddress(ctx.keys, { ...charge, sealedSecret }, returnUrl, returning, ctx.clock.now()));
    },
  });

  route({
    method: "GET",
    path: "/:token/receipt.pdf",
    operationId: "checkout.receipt",
    summary: "The receipt of a paid charge",
    description: "What the page says of the payment, as a PDF of one page. 404 until it is paid.",
    page: true,
    work: "row",
    params: Token,
    onlyAs: { [PDF]: "The receipt." },
    async handle({ params, languages, site, headOnly }) {
      const charge = await find(params.token);
      if (!isPaid(charge)) throw missing();
      if (headOnly) return pdfFile("receipt", Buffer.alloc(0));
      const { allowed, retrySeconds } = receipts.take(site);
      const wait = { "retry-after": String(retrySeconds) };
      if (!allowed) throw new ApiError("RATE_LIMITED", "Too many receipts.", { retryable: true }, wait);
      return pdfFile("receipt", receiptPaper(charge, languages, ctx.clock.date()));
    },
  });

  route({
    method: "GET",
    path: "/:token/state",
    operationId: "checkout.state",
    summary: "What the page of a charge shows now",
    work: "row",
    params: Token,
    answer: ref(CheckoutState),
    handle: async ({ params }) => ({ state: (await find(params.token)).state }),
  });

  route({
    method: "GET",
    path: "/:token/events",
    operationId: "checkout.events",
    summary: "Reports that the page of a charge shows something else now",
    description:
      "Server-sent events: `beat` at once and every 15 seconds; one `change` as soon as the state differs from `shown`, then it ends. It also ends after ten minutes. Where no `beat` comes, something holds the stream back: read the state every five seconds.",
    work: "payerStream",
    stream: true,
    shared: true,
    params: Token,
    query: Type.Object({ shown: State }),
    onlyAs: { "text/event-stream": "The stream." },
    async handle({ params, query, network, headOnly }) {
      const { accountId, chargeId } = await find(params.token);
      const charge = { accountId, chargeId };
      const body = headOnly ? "" : streams.open(charge, { network, shown: query.shown as PageState });
      return new Raw("text/event-stream; charset=utf-8", body, { "x-accel-buffering": "no" });
    },
  });
}
