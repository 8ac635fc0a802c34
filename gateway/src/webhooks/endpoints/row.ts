import { boolean, instant, list, nullable, oneOf, type RowOf, table, text, uuid } from "../../db/columns.ts";
import { RETRIES } from "../deliveries/schedule.ts";
import type { EventKind } from "../events/catalogue.ts";

export const endpoints = table({
  name: "webhook_endpoints",
  key: ["accountId", "endpointId"],
  columns: {
    accountId: uuid,
    endpointId: uuid,
    walletId: uuid,
    url: text,
    events: nullable(list<EventKind>()),
    description: nullable(text),
    enabled: boolean,
    retry: oneOf(RETRIES),
    sealedSecret: text,
    /** From the rotation on it signs too; after `rotationEndsAt` it signs alone. */
    nextSealedSecret: nullable(text),
    rotationEndsAt: nullable(instant),
    createdAt: instant,
    updatedAt: instant,
  },
  leftOut: ["deleted_at"],
});
export type EndpointRow = RowOf<typeof endpoints.columns>;
