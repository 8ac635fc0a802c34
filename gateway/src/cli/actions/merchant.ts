/** What an account can do: every operation of the merchants' API, and what its document does not say about the command line. */
import type { Action, Flag, WithVerbs } from "./action.ts";
import { MERCHANT_ASKS } from "./confirmed.ts";
import { type Additions, kebab, nounsOf, readDocument, type Style } from "./document.ts";

type WithId = { readonly id: string };
type OfPayment = { readonly originalTransactionId: string };
/** A wait lasts a minute by default; a person may take longer to pay. */
const withinMs = 24 * 60 * 60 * 1_000;
const payment: Action["waits"] = {
  what: "waiting for the payment",
  shownBy: "/transactions/{id}",
  success: "completed",
  later: (made) => `transactions get ${(made as WithId).id} --wait`,
  ended: ({ transactions }, made, signal) => transactions.wait((made as WithId).id, { withinMs, signal }),
};
const payout: Action["waits"] = {
  what: "waiting for the bank",
  shownBy: "/withdrawals/{id}",
  success: "completed",
  later: (made) => `withdrawals get ${(made as WithId).id} --wait`,
  ended: ({ withdrawals }, made, signal) => withdrawals.wait((made as WithId).id, { withinMs, signal }),
};
const back: Action["waits"] = {
  what: "waiting for the bank",
  success: "CONFIRMED",
  later: (made) => `refunds list ${(made as OfPayment).originalTransactionId}`,
  ended: ({ refunds }, made, signal) => refunds.wait((made as OfPayment).originalTransactionId, { withinMs, signal }),
};
const TRANSACTION = ["id", "type", "status", "amount", "description", "counterpartName", "createdAt"];
const DELIVERY = ["id", "event", "eventId", "status", "attempts", "createdAt"];
const ENDPOINT_EVENT: Flag = { description: "which event; left out: payment_completed", field: "event" };

export const EXAMPLES =
  "an id, end-to-end id, txid, CPF, CNPJ, e-mail address, reference, idempotency key, or '150,00 2026-11-20'";

const OTHERS: Additions = {
  "charges.create": { waits: payment },
  "withdrawals.create": { waits: payout },
  "withdrawals.list": { columns: ["id", "status", "amount", "netAmount", "pixKey", "externalReference", "createdAt"] },
  "refunds.create": { waits: back },
  "transactions.list": { columns: TRANSACTION },
  "transactions.get": { waits: payment },
  "transactions.update": {
    flags: {
      key: { description: "access key of its invoice, 44 characters", field: "invoice.key" },
      number: { description: "number of its invoice, where that has no key", field: "invoice.number" },
    },
  },
  "withdrawals.get": { waits: payout },
  "statement.list": { columns: ["bookedAt", "kind", "amount", "balanceAfter", "description", "transactionId"] },
  "webhookEndpoints.list": { columns: ["id", "url", "events", "enabled"] },
  "webhookEndpoints.test": { body: { event: "payment_completed" }, flags: { event: ENDPOINT_EVENT } },
  "webhookEndpoints.get": { alias: "show" },
  "webhookEndpoints.rotateSecret": { alias: "rotate" },
  "webhookDeliveries.list": { columns: DELIVERY },
  // The text is a word, not a flag.
  "search.find": {
    description: `Find a payment, withdrawal or refund of the wallet by ${EXAMPLES}.`,
    takes: ["TEXT"],
    columns: ["kind", "by", "id", "status", "amount", "at", "e2eId", "reference", "name", "document"],
  },
  "events.list": { columns: ["eventId", "event", "timestamp"] },
};
const ADDITIONS: Additions = Object.fromEntries(
  [...Object.keys(OTHERS), ...Object.keys(MERCHANT_ASKS)].map((id) => {
    const asks = MERCHANT_ASKS[id];
    return [id, { ...OTHERS[id], ...(asks === undefined ? {} : { asks }) }];
  }),
);

const STYLE: Style = {
  api: "merchant",
  prefix: "/v2",
  // --sub-account is the wallet of the call: in a body it would be the receiving one; `*`, of all wallets, is a query.
  names: { subAccount: "to", "?subAccount": "all-wallets" },
  wordOf: kebab,
};

/** Every operation but the login, which the SDK does. */
export function merchantNouns(): Record<string, WithVerbs> {
  const { auth: _, ...nouns }: Record<string, WithVerbs> = nounsOf(readDocument("merchant"), STYLE, ADDITIONS);
  const endpoints = nouns["webhook-endpoints"]!;
  const deliveries: Action = {
    description: "List the last 100 deliveries to an endpoint, newest first.",
    takes: ["ID"],
    columns: DELIVERY,
    api: "merchant",
    firstPage: true,
    call: "GET /webhook-deliveries?endpointId={0}&limit=100",
  };
  nouns["webhook-endpoints"] = {
    ...endpoints,
    description: "Manage the webhook endpoints of an account.",
    alias: "endpoint",
    verbs: { ...endpoints.verbs, deliveries },
  };
  return nouns;
}
