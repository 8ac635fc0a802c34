import { Type } from "typebox";
import { allowedReturn } from "../../accounts/checkout-settings/return-host.ts";
import type { ChargeRequest } from "../../charges/charge.ts";
import { createCharge } from "../../charges/create.ts";
import type { IntentWriter } from "../../charges/intent.ts";
import type { Context } from "../../context.ts";
import { Raw, Redirect } from "../../http/answer.ts";
import { checkoutToken, formKey, isFormKey } from "../../http/checkout-token.ts";
import { FreeObject } from "../../http/contract.ts";
import { ApiError } from "../../http/errors.ts";
import { type Answer, findKey, hashRequest, type KeyedCall } from "../../http/idempotency.ts";
import { createBuckets } from "../../http/rate-limit.ts";
import type { PayerRoutes } from "../../http/scopes/payer.ts";
import { parseTxid } from "../../lib/ids.ts";
import { LIMITS } from "../../lib/limits.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import { findPayerLink, hasManyPending, type PayerLink } from "./find.ts";
import { readForm, type Sent, type Wrong } from "./form.ts";
import type { LinkColumns } from "./link.ts";
import { linkPage } from "./page.ts";
import { createPendingOfNetworks } from "./pending-of-networks.ts";
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
  const pending = createPendingOfNetworks(ctx);

  /** Refuses one more charge where the network or the link has as many as there may be. */
  async function requireRoom(link: LinkColumns, site: string): Promise<void> {
    const { allowed, retrySeconds } = starts.take(site);
    if (!allowed) throw busy(retrySeconds);
    const mayHaveMore = await pending.mayHaveMore(link, site);
    if (!mayHaveMore || (await hasManyPending(ctx.db, link, ctx.clock.now()))) throw busy(LIMITS.linkRetrySeconds);
  }

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
      const shown = (wrong: ReadonlyMap<string, Wrong>) => {
        const { text, headers } = linkPage(found, languages, formKey(ctx.keys, found.link.linkId), { sent, wrong });
        return new Raw(HTML, text, headers, 422);
      };
      if ("wrong" in read || !hasKey) return shown("wrong" in read ? read.wrong : new Map());
      const request = requestOf(found, read.filled);
      const keyed = callOf(found, sent.key!, request);
      // The same form sent again leads to its charge, whatever has become of the link, and counts as no further charge.
      const earlier = await findKey(ctx.db, keyed);
      if (earlier?.answer) return leadTo(ctx, txidIn(earlier.answer));
      if (found.state !== "active") return shown(new Map());
      if (earlier === null) await requireRoom(found.link, site);
      const txid = await makeCharge(ctx, writer, found, keyed, request).catch(refusedAsNull(ctx));
      if (txid === null) {
        const { text, headers } = linkPage({ ...found, state: "disabled" }, languages, "");
        return new Raw(HTML, text, headers, 422);
      }
      pending.add(found.link, site, parseTxid(txid)!.id);
      visits.note(found.link, "started");
      return leadTo(ctx, txid);
    },
  });
}

const leadTo = ({ keys }: Pick<Context, "keys">, txid: string) => new Redirect(`/pay/${checkoutToken(keys, txid)}`);
const txidIn = ({ body }: Answer): string => (JSON.parse(body) as { txid: string }).txid;

/** Null for a charge that the API would refuse: nothing that the payer fills in would change it. The log has the reason. */
const refusedAsNull =
  ({ log }: Pick<Context, "log">) =>
  (error: unknown): null => {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
    log.warn({ err: error }, "a charge of a payment link was refused");
    return null;
  };

const busy = (seconds: number) =>
  new ApiError(
    "RATE_LIMITED",
    "Too many charges of this link.",
    { retryable: true },
    { "retry-after": String(seconds) },
  );

type Filled = Extract<ReturnType<typeof readForm>, { filled: unknown }>["filled"];

/** The charge that a payer asked for. */
function requestOf({ link, seller }: PayerLink, filled: Filled): ChargeRequest {
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
    returnUrl: allowedReturn(link.returnUrl, seller.returnHosts),
  }) as ChargeRequest;
}

/** The key of the page and what was filled in: the same form again gives the same charge. */
function callOf({ link }: PayerLink, pageKey: string, body: ChargeRequest): KeyedCall {
  const { accountId, walletId, linkId } = link;
  const requestHash = hashRequest(body);
  const key = `${linkId}/${pageKey}/${requestHash.toString("base64url")}`;
  return { accountId, walletId, route: "POST /pay/:token", key, requestHash };
}

async function makeCharge(
  ctx: Context,
  writer: IntentWriter,
  { link, seller }: PayerLink,
  keyed: KeyedCall,
  body: ChargeRequest,
): Promise<string> {
  const { accountId, walletId, linkId } = link;
  const answered = await createCharge(ctx, writer, {
    caller: { accountId, accountNumber: seller.number },
    wallet: { walletId },
    body,
    keyed,
    paymentLinkId: linkId,
    // The page's address must not be stored: it is made anew of the txid.
    toAnswer: (charge) => ({ status: 201, body: JSON.stringify({ txid: (charge as { txid: string }).txid }) }),
  });
  return txidIn(answered.answer);
}
