import { type Static, Type } from "typebox";
import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { AnswerObject, OPEN, PathId, RequestObject, ShownOnce, Words } from "../../http/contract.ts";
import { notFound } from "../../http/errors.ts";
import { type Page, pageOf, readPage } from "../../http/pages.ts";
import { Rotation, showRotation } from "../../http/rotation.ts";
import type { MerchantGiven } from "../../http/scopes/merchant.ts";
import { present } from "../../lib/present.ts";
import { EVENT_KINDS } from "../events/catalogue.ts";
import { type EndpointRow, endpoints } from "./row.ts";

/** Without a type, each item would be compared with every other: 3 s for a body full of them. */
const Events = Type.Array(Type.Enum([...EVENT_KINDS], { type: "string" }), {
  minItems: 1,
  maxItems: EVENT_KINDS.length,
  uniqueItems: true,
  description: "Kinds of events to send. Left out: those of the service interface, and none that was added later.",
});

const fields = {
  url: Type.String({
    maxLength: 2048,
    description:
      "Where to send events: an https address; in the sandbox also an http address, and one of this machine. Its name must not lead to a private address.",
  }),
  events: Type.Optional(Events),
  description: Type.Optional(Words({ maxLength: 255, description: "For your own use." })),
  enabled: Type.Optional(Type.Boolean({ default: true, description: "Whether events are sent." })),
  retry: Type.Optional(
    Type.Enum(["standard", "extended"], {
      default: "standard",
      description:
        "Schedule of attempts: `standard` makes five within about 30 seconds; `extended` adds six more, after 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.",
    }),
  ),
};

export const WebhookEndpointRequest = RequestObject(
  "WebhookEndpointRequest",
  "An address that receives the events of a wallet.",
  fields,
);

export const WebhookEndpointPatch = RequestObject("WebhookEndpointPatch", "The fields to change; the others stay.", {
  url: Type.Optional(fields.url),
  events: Type.Optional(Events),
  description: fields.description,
  enabled: Type.Optional(
    Type.Boolean({
      description:
        "False: nothing is sent, and waiting deliveries keep waiting. Events of that time are kept and can be replayed.",
    }),
  ),
  retry: Type.Optional(Type.Enum(["standard", "extended"], { description: "Schedule of attempts." })),
});

export const WebhookEndpoint = AnswerObject("WebhookEndpoint", "An address that receives the events of a wallet.", {
  id: Type.String({ format: "uuid", description: "Id of the endpoint." }),
  url: Type.String({ description: "Where events are sent." }),
  events: Type.Optional(
    Type.Array(Type.Enum([...EVENT_KINDS], { ...OPEN, type: "string" }), {
      description: "Kinds of events that are sent. Left out: those of the service interface.",
    }),
  ),
  description: Type.Optional(Type.String({ description: "As in the request." })),
  enabled: Type.Boolean({ description: "Whether events are sent." }),
  retry: Type.Enum(["standard", "extended"], { description: "Schedule of attempts." }),
  secret: ShownOnce({
    description:
      "Key of the signatures. Shown once, when the endpoint is created and when its secret is rotated (the new one then), and not in a replay of that answer.",
  }),
  rotation: Rotation,
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
  updatedAt: Type.String({ format: "date-time", description: "When it last changed." }),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const WebhookEndpointPage = pageOf(WebhookEndpoint, "A page of a wallet's endpoints.");

/** The wallet that an endpoint belongs to. */
export type Owner = { readonly accountId: string; readonly walletId: string };

/** The wallet that a call is about. */
export const ownerOf = ({ caller, wallet }: MerchantGiven): Owner => ({
  accountId: caller.accountId,
  walletId: wallet.walletId,
});

export const EndpointParams = Type.Object({ id: PathId("webhook endpoint", "Id of the endpoint.") });

/** @param secret only where the answer shows it. */
export const toEndpoint = (row: EndpointRow, now: number, secret?: string): WebhookEndpoint =>
  present({
    id: row.endpointId,
    url: row.url,
    events: row.events,
    description: row.description,
    enabled: row.enabled,
    retry: row.retry,
    secret,
    rotation: showRotation(row, now),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });

/** An endpoint of a wallet; 404 for another wallet's, and for a deleted one. */
export async function findEndpoint(queries: Queries, owner: Owner, endpointId: string): Promise<EndpointRow> {
  const { rows } = await queries.query<EndpointRow>(sql`
    select ${endpoints.select()} from webhook_endpoints
    where account_id = ${owner.accountId} and endpoint_id = ${endpointId} and wallet_id = ${owner.walletId}
      and deleted_at is null`);
  if (!rows[0]) throw notFound("webhook endpoint", endpointId);
  return rows[0];
}

const LIST = "webhook-endpoints";

/** One page of a wallet's endpoints, newest first. */
export async function listEndpoints(
  queries: Queries,
  owner: Owner,
  query: { limit?: number; cursor?: string },
  now: number,
): Promise<Page<WebhookEndpoint>> {
  return readPage(LIST, query, {
    read: (after, count) =>
      queries.query<EndpointRow>(sql`
    select ${endpoints.select()} from webhook_endpoints
    where account_id = ${owner.accountId} and wallet_id = ${owner.walletId} and deleted_at is null
      and (${after}::uuid is null or endpoint_id < ${after})
    order by endpoint_id desc limit ${count}`),
    show: (row) => toEndpoint(row, now),
    key: (row) => row.endpointId,
  });
}
