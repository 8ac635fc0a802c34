import { instant, int, nullable, oneOf, type RowOf, table, text, uuid } from "../../db/columns.ts";

export const deliveries = table({
  name: "deliveries",
  key: ["accountId", "endpointId", "deliveryId"],
  columns: {
    accountId: uuid,
    deliveryId: uuid,
    eventId: text,
    endpointId: uuid,
    status: oneOf(["pending", "delivered", "failed"]),
    /** All attempts that were made. */
    attempts: int,
    /** Attempts of the current schedule; a redelivery begins it anew. */
    tries: int,
    nextAt: nullable(instant),
    claimedUntil: nullable(instant),
    createdAt: instant,
    finishedAt: nullable(instant),
  },
});
export type DeliveryRow = RowOf<typeof deliveries.columns>;

export const deliveryAttempts = table({
  name: "delivery_attempts",
  key: ["accountId", "deliveryId", "attempt"],
  columns: {
    accountId: uuid,
    deliveryId: uuid,
    attempt: int,
    webhookId: uuid,
    startedAt: instant,
    latencyMs: int,
    statusCode: nullable(int),
    error: nullable(text),
    responseExcerpt: nullable(text),
  },
});
export type AttemptRow = RowOf<typeof deliveryAttempts.columns>;
