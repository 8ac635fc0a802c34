import type { Noun } from "./action.ts";

/** Fields of a webhook endpoint. */
const FIELDS = {
  url: { says: "where events go", field: "url" },
  events: {
    says: "which events, such as payment_completed,refund_failed; left out: the interface's ten",
    field: "events",
    kind: "list",
  },
  description: { says: "for your own use", field: "description" },
  enabled: { says: "whether it receives events", field: "enabled", kind: "boolean" },
  retry: { says: "how long failed deliveries are retried", field: "retry", choices: ["standard", "extended"] },
} as const;

export const endpoint: Noun = {
  says: "Look after the webhook endpoints of an account.",
  verbs: {
    list: {
      says: "List the webhook endpoints of an account.",
      columns: ["id", "url", "events", "enabled"],
      api: "merchant",
      call: "GET /webhook-endpoints?limit=100",
    },
    show: { says: "Show one endpoint.", takes: ["ID"], api: "merchant", call: "GET /webhook-endpoints/{0}" },
    create: {
      says: "Register an endpoint; its secret is shown this once.",
      flags: { ...FIELDS, url: { ...FIELDS.url, needed: true } },
      api: "merchant",
      call: "POST /webhook-endpoints",
    },
    update: {
      says: "Change an endpoint.",
      takes: ["ID"],
      flags: FIELDS,
      api: "merchant",
      call: "PATCH /webhook-endpoints/{0}",
    },
    test: {
      says: "Send an endpoint a test event.",
      takes: ["ID"],
      body: { event: "payment_completed" },
      flags: { event: { says: "which event; left out: payment_completed", field: "event" } },
      api: "merchant",
      call: "POST /webhook-endpoints/{0}/test",
    },
    deliveries: {
      says: "List the last 100 deliveries to an endpoint, newest first.",
      takes: ["ID"],
      columns: ["id", "event", "eventId", "status", "attempts", "createdAt"],
      api: "merchant",
      firstPage: true,
      call: "GET /webhook-deliveries?endpointId={0}&limit=100",
    },
    rotate: {
      says: "Give an endpoint a new secret, shown this once; both sign for a day.",
      takes: ["ID"],
      api: "merchant",
      call: "POST /webhook-endpoints/{0}/rotate-secret",
    },
    "finish-rotation": {
      says: "End the day in which both secrets sign.",
      takes: ["ID"],
      api: "merchant",
      call: "POST /webhook-endpoints/{0}/finish-rotation",
    },
    delete: {
      says: "Delete an endpoint.",
      takes: ["ID"],
      api: "merchant",
      call: "DELETE /webhook-endpoints/{0}",
    },
  },
};
