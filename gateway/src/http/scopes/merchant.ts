import type { Context } from "../../context.ts";
import { type Authenticator, type Caller, requirePermission } from "../auth.ts";
import { noteCaller } from "../caller-of.ts";
import { ApiError, type ErrorCode } from "../errors.ts";
import { ANSWER_EXAMPLES } from "../examples.ts";
import { requireFreshAlways, requireFreshOf } from "../fresh.ts";
import { IDEMPOTENCY_KEY, type RequestHeader } from "../headers.ts";
import { clientAddress, requireAllowedIp } from "../ip.ts";
import { type DocumentInfo, errorTable } from "../openapi.ts";
import type { Permission } from "../permissions.ts";
import type { AddRoute, RouteHead, Scope } from "../scope.ts";
import { bySession, requireEnrolled, type Session, type Sessions } from "../session.ts";
import { resolveWallet, type Wallet } from "../wallet.ts";

/** What a merchants' route states beyond every route's properties. */
type MerchantRules = {
  readonly tag: string;
  /** An extension of Pixgate, not in the published interface. */
  readonly extension?: true;
  readonly permission: Permission;
  /** If the credential has a list of addresses, the call must come from one of them. */
  readonly allowedIpsOnly?: true;
  /** The call works for a suspended sub-account too (sandbox calls). */
  readonly suspendedToo?: true;
  /** The call is always about the main account: `X-Sub-Account` is ignored. */
  readonly mainAccountOnly?: true;
};

/** The caller and the wallet of the call. */
export type MerchantGiven = {
  readonly caller: Caller;
  readonly wallet: Wallet;
  /** Null: a credential. */
  readonly session: Session | null;
};
/** Adds a route below `/v2`. */
export type MerchantRoutes = AddRoute<MerchantRules, MerchantGiven>;

/** Merchants, with an access token of `POST /auth` or a person's session. A call concerns one wallet of their account. */
export function merchantScope(
  ctx: Context,
  auth: Authenticator,
  sessions: Sessions,
): Scope<MerchantRules, MerchantGiven> {
  return {
    name: "merchant",
    async admit(request, reply, route) {
      const session = bySession(ctx.config, request) ? await sessions.authenticate(request, reply) : null;
      if (session) requireEnrolled(session);
      const caller = session ? await sessions.callerOf(session, request) : await auth.authenticate(request, reply);
      noteCaller(request, { accountId: caller.accountId, credentialId: session ? null : caller.credentialId });
      requirePermission(caller, route.permission);
      requireFreshAlways(route, session, ctx.clock.date());
      if (route.allowedIpsOnly) requireAllowedIp(caller, clientAddress(request, ctx.config.trustedProxies));
      if (writes(route) && caller.accountStatus === "suspended") throw new ApiError("ACCOUNT_SUSPENDED");
      const reference = route.mainAccountOnly ? undefined : request.headers["x-sub-account"];
      const wallet = await resolveWallet(ctx, caller, reference, { suspendedToo: route.suspendedToo ?? false });
      return { caller, wallet, session };
    },
    async admitBody({ caller, session }, request, route) {
      requireFreshOf(route, session, request.body, ctx.clock.date());
      if (session && writes(route)) await sessions.noteCall(session, caller.accountId, request, route.operationId);
    },
    keyPlace: ({ caller, wallet }) => ({ accountId: caller.accountId, walletId: wallet.walletId }),
    tenantOf: ({ caller }) => caller.accountId,
    traced: ({ caller }) => ({ "pixgate.account_id": caller.accountId }),
    describe: (route) => ({
      needs: route.permission,
      errors: [...COMMON, ...(route.mainAccountOnly ? [] : OF_WALLETS), ...(writes(route) ? OF_WRITES : [])],
      headers: {
        ...(route.mainAccountOnly ? {} : { SubAccountHeader: SUB_ACCOUNT }),
        ...(route.method === "POST" ? { IdempotencyKeyHeader: IDEMPOTENCY_KEY } : {}),
      },
      tags: [route.tag],
      security: [{ bearer: [] }],
      notes: [
        `Permission: \`${route.permission}\`, or \`FULL_ACCESS\`.`,
        ...(route.extension ? ["An extension: not part of the service interface."] : []),
      ],
      annotations: {
        "x-permission": route.permission,
        ...(route.extension && { "x-extension": true }),
      },
      // The interface's own routes ignore unknown query parameters.
      exactQuery: route.extension ?? false,
      limited: true,
      answerExample: ANSWER_EXAMPLES[route.operationId],
    }),
  };
}

const writes = ({ method }: RouteHead): boolean => method !== "GET";

const COMMON: readonly ErrorCode[] = [
  "TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "PERMISSION_DENIED", "VALIDATION_ERROR", "RATE_LIMITED",
  "INTERNAL_ERROR", "OVERLOADED", "DATABASE_UNAVAILABLE",
]; // biome-ignore format: a list reads better in rows
const OF_WALLETS: readonly ErrorCode[] = [
  "SUB_ACCOUNT_INVALID_REFERENCE",
  "SUB_ACCOUNT_FORBIDDEN",
  "SUB_ACCOUNT_NOT_FOUND",
  "SUB_ACCOUNT_SUSPENDED",
];
const OF_WRITES: readonly ErrorCode[] = [
  "ACCOUNT_SUSPENDED",
  "IDEMPOTENCY_KEY_REUSED",
  "IDEMPOTENCY_IN_PROGRESS",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];

const SUB_ACCOUNT: RequestHeader = {
  name: "X-Sub-Account",
  description:
    "Reference of the sub-account that the call runs against, 2 to 32 characters; `principal` or left out: the main account. Needs the credential's sub-account access.",
  schema: { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{1,31}$", minLength: 2, maxLength: 32 },
};

/** The general texts of the merchants' reference. */
export const MERCHANT_DOCUMENT: DocumentInfo = {
  prefix: "/v2/",
  title: "Pixgate",
  description: `PIX charges, withdrawals, refunds, sub-accounts and webhooks.

**First steps.** Get a token (\`POST /v2/auth\`), register where you hear of events (\`POST /v2/webhook-endpoints\`, which shows the
secret that deliveries are signed with, once), issue a charge (\`POST /v2/pix\`) and show its \`pixCopyPaste\` or \`qrCodeBase64\`,
or send the payer to its \`checkoutUrl\`. The payment is reported by \`payment_completed\`; \`GET /v2/transactions/{id}\` says the same at any time. In the sandbox
\`POST /v2/sandbox/pix/{id}/pay\` lets somebody pay.

**Authentication.** \`POST /v2/auth\` exchanges a credential for an access token of 300 seconds; every other call sends it as
\`Authorization: Bearer <access_token>\`.

**Amounts** are JSON numbers in BRL with at most two decimals, up to 9,999,999,999.99, unless a field says otherwise.
**Date-times** are ISO 8601 in UTC. **Bodies** are JSON of at most 256 KiB; an unknown field is refused, and an explicit null
for an optional field equals leaving it out.

**Wallets.** A call runs against the main account, or the sub-account that \`X-Sub-Account\` names. Another wallet's object is
not found.

**Look-up.** \`GET /v2/transactions/{id}\` takes the id, your \`externalReference\` or the \`Idempotency-Key\`, in that order, the newest of
each.

**Lists** that are ours (extensions) answer \`{ items, nextCursor }\`, newest first; send \`nextCursor\` as \`cursor\` for the next
page, until it is null: a page of large items has fewer than \`limit\`.

**Webhooks** are deliveries of the events below: verify the signature over the raw body before parsing it, answer 2xx at once, and
drop what you have seen by \`eventId\`: the same event may come again. Anything but 2xx is tried again after 2, 4, 8 and 16 seconds.

**Idempotency.** Every POST but \`/v2/auth\` takes an \`Idempotency-Key\`: a retry with the same key and body gets the stored answer
(\`Idempotent-Replayed: true\`) and never acts twice. A key counts in its account, wallet, method and route. Only a refusal that
was decided before anything was stored frees it, such as \`VALIDATION_ERROR\` or \`INSUFFICIENT_BALANCE\`: the same call may follow
under the same key once its cause is gone. After a time-out, a 500 or a 503, repeat the call under the same key.

**Versions.** The path carries the version, \`v2\`; fields and codes are added to it, never taken away or changed.

**Rate limits** count by credential, on \`/v2/auth\` by client address; \`RateLimit-*\` headers say what is left.

**Errors** have one shape; \`details.code\` is the machine code. \`traceId\` equals the \`X-Request-Id\` header. Codes and fields may
be added at any time. A 500 or 503 with \`details.retryable\` and \`Retry-After\` may be sent again, best under the same
\`Idempotency-Key\`.

${errorTable()}`,
  tags: [
    { name: "Authentication", description: "Access tokens." },
    { name: "Charges", description: "PIX charges: money in." },
    { name: "QR codes", description: "Codes that stay: printed once, paid often." },
    { name: "Payment links", description: "Addresses that make a charge for whoever opens them and pays." },
    { name: "Withdrawals", description: "Payments to a PIX key: money out." },
    { name: "Refunds", description: "Money of a payment back to its payer." },
    { name: "Transactions", description: "Whatever moves, or is to move, a balance." },
    { name: "Transfers", description: "Money between wallets of one account." },
    { name: "Statement", description: "Every ledger line of a wallet." },
    { name: "Account", description: "The account and its balances." },
    { name: "Balance blocks", description: "Money that is disputed (MED) or blocked by a court or an authority." },
    { name: "Projects", description: "Labels that transactions carry." },
    { name: "Sub-accounts", description: "Wallets with a balance of their own." },
    { name: "Institutions", description: "The PSPs that a charge may be pinned to." },
    { name: "Webhooks", description: "Where events are sent, and the result of each delivery." },
    { name: "Events", description: "What has happened, as it was sent to webhook endpoints." },
    { name: "Deliveries", description: "What webhook endpoints receive: one request for each kind of event." },
    {
      name: "Sandbox",
      description: "Calls that make the simulator act as payers and banks do. Not for production institutions.",
    },
  ],
  security: {
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "The access token of `POST /v2/auth`, valid for 300 seconds.",
    },
  },
};
