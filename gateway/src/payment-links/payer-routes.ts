import { Type } from "typebox";
import type { ChargeRequest } from "../charges/charge.ts";
import { createCharge } from "../charges/create.ts";
import type { IntentWriter } from "../charges/intent.ts";
import { findSettings } from "../checkout-settings/settings.ts";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { Raw, Redirect } from "../http/answer.ts";
import { FreeObject } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { hashRequest, type KeyedCall } from "../http/idempotency.ts";
import { createBuckets } from "../http/rate-limit.ts";
import type { PayerRoutes } from "../http/scopes/payer.ts";
import { checkoutToken, formKey, isFormKey } from "../lib/checkout-token.ts";
import { parseTxid } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { findPayerLink, hasManyPending, type PayerLink } from "./find.ts";
import { readForm, type Sent } from "./form.ts";
import { linkPage } from "./page.ts";
import { createPlaces } from "./places.ts";
import type { VisitCounter } from "./visits.ts";

const HTML = "text/html; charset=utf-8";

/** A visit of a page below `/pay`. */
type Visit = { readonly token: string; readonly languages: string | undefined; readonly headOnly: boolean };

/** Opens the page of a link, which makes no charge; null for a token that is not a link's. */
export function createLinkOpener(ctx: Context, visits: VisitCounter): (visit: Visit) => Promise<Raw | null> {
  return async ({ token, languages, headOnly }) => {
    const found = await findPayerLink(ctx, token);
    if (found === null) return null;
    if (!headOnly) visits.note(found.link, "opened");
    const { text, headers } = linkPage(found, languages, formKey(ctx.keys, found.link.linkId));
    return new Raw(HTML, text, headers);
  };
}

/** `POST /pay/{token}`: a form that makes a charge of a link, and leads to its page. */
export function linkPayerRoutes(route: PayerRoutes, ctx: Context, writer: IntentWriter, visits: VisitCounter): void {
  const starts = createBuckets({ ...LIMITS.linkStarts, maxKeys: LIMITS.rateLimitBuckets, clock: ctx.clock });
  const places = createPlaces(ctx);

  route({
    method: "POST",
    path: "/:token",
    operationId: "paymentLinks.pay",
    summary: "Make a charge of a payment link",
    description:
      "The form of the link's page: `amount` where the payer chooses it, `f.<name>` for each field, and the page's `key`. Two posts of one page make one charge. Answers with the page again (422) where something is wrong, else leads to the charge's page.",
    page: true,
    form: true,
    waitsOutside: true,
    params: Type.Object({ token: Type.String({ minLength: 1, description: "The secret part of the link's `url`." }) }),
    body: FreeObject({ maxProperties: LIMITS.formFields, description: "The form, each value a text." }),
    status: 303,
    async handle({ params, body, languages, site }) {
      const found = await findPayerLink(ctx, params.token);
      if (found === null) throw new ApiError("RESOURCE_NOT_FOUND", "There is no such page.");
      const sent = body as Sent;
      const read = readForm(found.link, sent);
      const hasKey = isFormKey(ctx.keys, found.link.linkId, sent.key ?? "");
      if (found.state !== "active" || "wrong" in read || !hasKey) {
        const wrong = "wrong" in read ? read.wrong : new Map();
        const { text, headers } = linkPage(found, languages, formKey(ctx.keys, found.link.linkId), { sent, wrong });
        return new Raw(HTML, text, headers, 422);
      }
      const { allowed, retrySeconds } = starts.take(site);
      if (!allowed) throw busy(retrySeconds);
      const hasRoom = await places.hasRoom(found.link, site);
      if (!hasRoom || (await hasManyPending(ctx.db, found.link, ctx.clock.now()))) throw busy(LIMITS.linkRetrySeconds);
      const txid = await makeCharge(ctx, writer, found, sent.key!, await requestOf(ctx, found, read.filled));
      places.take(found.link, site, parseTxid(txid)!.id);
      visits.note(found.link, "started");
      return new Redirect(`/pay/${checkoutToken(ctx.keys, txid)}`);
    },
  });
}

const busy = (seconds: number) =>
  new ApiError(
    "RATE_LIMITED",
    "Too many charges of this link.",
    { retryable: true },
    { "retry-after": String(seconds) },
  );

type Filled = Extract<ReturnType<typeof readForm>, { filled: unknown }>["filled"];

/** The charge that a payer asked for. */
async function requestOf(ctx: Pick<Context, "db">, { link }: PayerLink, filled: Filled): Promise<ChargeRequest> {
  const hosts = link.returnUrl === null ? [] : ((await findSettings(ctx.db, link.accountId))?.returnHosts ?? []);
  const hasFields = Object.keys(filled.fields).length > 0;
  const metadata = hasFields ? { ...link.metadata, fields: filled.fields } : link.metadata;
  return present({
    amount: toBrl(filled.amount),
    description: link.name,
    customer: Object.keys(filled.customer).length > 0 ? filled.customer : null,
    expiresIn: LIMITS.linkChargeSeconds,
    projectId: link.projectId,
    externalReference: link.externalReference,
    metadata,
    split: link.split && [...link.split],
    // A host that the account has taken off its list since: the payer pays all the same, and stays on the page.
    returnUrl: link.returnUrl !== null && hosts.includes(new URL(link.returnUrl).host) ? link.returnUrl : null,
  }) as ChargeRequest;
}

/** Makes the charge under the key of the page and what was filled in: the same form again gives the same charge. */
async function makeCharge(
  ctx: Context,
  writer: IntentWriter,
  { link, seller }: PayerLink,
  pageKey: string,
  body: ChargeRequest,
): Promise<string> {
  const { accountId, walletId, linkId } = link;
  const requestHash = hashRequest(body);
  const keyed: KeyedCall = {
    accountId,
    walletId,
    route: "POST /pay/:token",
    key: `${linkId}/${pageKey}/${requestHash.toString("base64url")}`,
    requestHash,
  };
  const answered = await createCharge(ctx, writer, {
    caller: { accountId, accountNumber: seller.number },
    wallet: { walletId },
    body,
    keyed,
    paymentLinkId: linkId,
    // The page's address must not be stored: it is made anew of the txid.
    toAnswer: (charge) => ({ status: 201, body: JSON.stringify({ txid: (charge as { txid: string }).txid }) }),
  });
  return (JSON.parse(answered.answer.body) as { txid: string }).txid;
}
