import { errorTable, type Scope } from "./openapi.ts";

/** What the merchant's reference says of the API as a whole. */
export const MERCHANT_SCOPE: Omit<Scope, "webhooks"> = {
  prefix: "/v2/",
  title: "Pixgate",
  description: `PIX charges, withdrawals, refunds, sub-accounts and webhooks.

**First steps.** Get a token (\`POST /v2/auth\`), register where you hear of events (\`POST /v2/webhook-endpoints\`, which shows the
secret that deliveries are signed with, once), issue a charge (\`POST /v2/pix\`) and show its \`pixCopyPaste\` or \`qrCodeBase64\`. The
payment is told by \`payment_completed\`; \`GET /v2/transactions/{id}\` says the same at any time. In the sandbox
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

**Lists** that are ours (extensions) answer \`{ items, nextCursor }\`, newest first; send \`nextCursor\` as \`cursor\` for the next page.

**Webhooks** are deliveries of the events below: verify the signature over the raw body before parsing it, answer 2xx at once, and
drop what you have seen by \`eventId\`: the same event may come again. Anything but 2xx is tried again after 2, 4, 8 and 16 seconds.

**Idempotency.** Every POST but \`/v2/auth\` takes an \`Idempotency-Key\`: a retry with the same key and body gets the stored answer
(\`Idempotent-Replayed: true\`) and never acts twice.

**Versions.** The path carries the version, \`v2\`; fields and codes are added to it, never taken away or changed.

**Rate limits** count by credential, on \`/v2/auth\` by client address; \`RateLimit-*\` headers tell what is left.

**Errors** have one shape; \`details.code\` is the machine code. \`traceId\` equals the \`X-Request-Id\` header. Codes and fields may
be added at any time. A 500 or 503 with \`details.retryable\` and \`Retry-After\` may be sent again, best under the same
\`Idempotency-Key\`.

${errorTable()}`,
  tags: [
    { name: "Authentication", description: "Access tokens." },
    { name: "Charges", description: "PIX charges: money in." },
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
    { name: "Webhooks", description: "Where events are sent, and what became of each delivery." },
    { name: "Events", description: "What is sent to webhook endpoints." },
    {
      name: "Sandbox",
      description: "Calls that make the simulator act as payers and banks do. Not for production institutions.",
    },
    { name: "Extensions", description: "Not part of the service interface: ours." },
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

/** The operator's reference: a document of its own. */
export const OPERATOR_SCOPE: Scope = {
  prefix: "/operator/v1/",
  title: "Pixgate operator API",
  description:
    "Accounts, credentials, institutions and the books, for whoever runs this installation. Money is in BRL, percentages in %. Every change is in the audit log, with the name of the token. A token has a role: `support` reads, but nothing of payers; `finance` reads everything, moves and explains money; `admin` may do everything.",
  tags: [{ name: "Operator", description: "For whoever runs this installation." }],
  security: {
    operatorToken: {
      type: "http",
      scheme: "bearer",
      description: "An operator token (`POST /tokens`); in a sandbox the one of sandbox.json.",
    },
  },
};
