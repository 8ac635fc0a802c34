import { type Static, Type } from "typebox";
import type { Queries } from "../../db/pool.ts";
import { part, sql } from "../../db/sql.ts";
import { AnswerObject, OPEN, ref } from "../../http/contract.ts";
import { notFound } from "../../http/errors.ts";
import { type Page, PageQuery, pageOf, readPage } from "../../http/pages.ts";
import { present } from "../../lib/present.ts";
import type { Owner } from "../endpoints/endpoint.ts";
import { EVENT_KINDS, type EventKind } from "../events/catalogue.ts";
import { type AttemptRow, type DeliveryRow, deliveries, deliveryAttempts } from "./row.ts";

const Status = Type.Enum(["pending", "delivered", "failed"], {
  type: "string",
  description: "`pending`: waits for an attempt, or an attempt is under way. `failed`: no attempt is left.",
});
const Kind = Type.Enum([...EVENT_KINDS], { ...OPEN, type: "string", description: "Kind of the event." });

const fields = {
  id: Type.String({ format: "uuid", description: "Id of the delivery." }),
  endpointId: Type.String({ format: "uuid", description: "The endpoint it goes to." }),
  eventId: Type.String({ description: "The event it sends." }),
  event: Kind,
  status: Status,
  attemptCount: Type.Integer({ minimum: 0, description: "Attempts that have been made." }),
  nextAttemptAt: Type.Optional(
    Type.String({
      format: "date-time",
      description: "When the next attempt is due. Left out while an attempt is under way.",
    }),
  ),
  createdAt: Type.String({ format: "date-time", description: "When it was made." }),
  finishedAt: Type.Optional(
    Type.String({ format: "date-time", description: "When it was delivered, or failed for good." }),
  ),
  externalReference: Type.Optional(
    Type.String({ description: "Extension. Of what the event is about, as in its request." }),
  ),
  lastStatusCode: Type.Optional(
    Type.Integer({ description: "Extension. HTTP status of the newest attempt; left out without an answer." }),
  ),
  lastError: Type.Optional(
    Type.String({ description: "Extension. Why the newest attempt had no whole answer, as `attempts` says it." }),
  ),
};

const WebhookDelivery = AnswerObject("WebhookDelivery", "An event on its way to an endpoint.", fields);

const WebhookAttempt = AnswerObject("WebhookAttempt", "One attempt to deliver.", {
  number: Type.Integer({ minimum: 1, description: "From 1; redeliveries continue the count." }),
  webhookId: Type.String({ format: "uuid", description: "The `X-Service-Webhook-ID` of this attempt." }),
  status: Type.Enum(["delivered", "failed"], {
    type: "string",
    description: "`delivered`: a whole answer of the 2xx kind.",
  }),
  startedAt: Type.String({ format: "date-time", description: "When it began." }),
  latencyMs: Type.Integer({ minimum: 0, description: "Latency of the attempt, milliseconds." }),
  statusCode: Type.Optional(Type.Integer({ description: "HTTP status of the answer; left out without an answer." })),
  error: Type.Optional(
    Type.String({
      description:
        "Why there was no whole answer, such as `timeout`, `ECONNREFUSED`, `ECONNRESET`, `DEPTH_ZERO_SELF_SIGNED_CERT`, `name_not_found`, `address_not_allowed`, `https_required`.",
    }),
  ),
  response: Type.Optional(Type.String({ description: "The first 1,024 bytes of the answer." })),
});

export const WebhookDeliveryWithAttempts = AnswerObject(
  "WebhookDeliveryWithAttempts",
  "A delivery with all its attempts.",
  { ...fields, attempts: Type.Array(ref(WebhookAttempt), { description: "Every attempt, the first one first." }) },
);
export type WebhookDeliveryWithAttempts = Static<typeof WebhookDeliveryWithAttempts>;

export const WebhookDeliveryPage = pageOf(WebhookDelivery, "A page of the deliveries of a wallet's endpoints.");

export const DeliveryQuery = Type.Object({
  endpointId: Type.Optional(Type.String({ format: "uuid", description: "Only to this endpoint." })),
  eventId: Type.Optional(Type.String({ maxLength: 255, description: "Only of this event." })),
  event: Type.Optional({ ...Kind, description: "Only of this kind of event." }),
  status: Type.Optional({ ...Status, description: "Only with this status." }),
  ...PageQuery,
});

/**
 * Whether a page may read many deliveries: no index has their kind, and none has the few waiting ones in a page's order.
 */
export const isSearch = ({ event, eventId, status }: Static<typeof DeliveryQuery>): boolean =>
  eventId === undefined && (event !== undefined || status === "pending");

type Row = DeliveryRow & {
  readonly kind: EventKind;
  /** JSON. */
  readonly reference: string | null;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
};

/** Joins the newest attempt `a` of a delivery `d`. A redelivery continues the numbers of the attempts. */
const NEWEST_ATTEMPT = part`left join delivery_attempts a
        on a.account_id = d.account_id and a.delivery_id = d.delivery_id and a.attempt = d.attempts`;
const OF_NEWEST = part`e.kind, a.status_code as "lastStatusCode", a.error as "lastError"`;

/**
 * The merchant's reference of the object that an event `e` is about, as JSON; null where the event's data was erased. Not as
 * text: PostgreSQL refuses to make text of a body with an escape that is no character.
 */
const REFERENCE = part`(e.body::json #> '{data,externalReference}')::text as reference`;

function readReference(json: string | null): string | undefined {
  const reference: unknown = json === null ? null : JSON.parse(json);
  return typeof reference === "string" ? reference : undefined;
}

const toDelivery = (row: Row): Static<typeof WebhookDelivery> =>
  present({
    id: row.deliveryId,
    endpointId: row.endpointId,
    eventId: row.eventId,
    event: row.kind,
    status: row.status,
    attemptCount: row.attempts,
    nextAttemptAt: row.claimedUntil === null ? row.nextAt?.toISOString() : null,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString(),
    externalReference: readReference(row.reference),
    lastStatusCode: row.lastStatusCode,
    lastError: row.lastError,
  });

const LIST = "webhook-deliveries";

/** One page of the deliveries of a wallet's endpoints (deleted ones too), newest first: the newest of each, merged. */
export async function listDeliveries(
  queries: Queries,
  owner: Owner,
  query: Static<typeof DeliveryQuery>,
): Promise<Page<Static<typeof WebhookDelivery>>> {
  const [endpointId, eventId] = [query.endpointId ?? null, query.eventId ?? null];
  const [kind, status] = [query.event ?? null, query.status ?? null];
  return readPage(LIST, query, {
    // The events are joined again so that only the bodies of this page are parsed.
    read: (after, count) =>
      queries.query<Row>(sql`
    select page.*, ${REFERENCE} from (
      select found.* from webhook_endpoints w cross join lateral (
        select ${deliveries.select("d")}, ${OF_NEWEST} from deliveries d
        join events e on e.account_id = d.account_id and e.event_id = d.event_id
        ${NEWEST_ATTEMPT}
        where d.account_id = ${owner.accountId} and d.endpoint_id = w.endpoint_id
          and (${after}::uuid is null or d.delivery_id < ${after})
          and (${eventId}::text is null or d.event_id = ${eventId})
          and (${kind}::text is null or e.kind = ${kind})
          and (${status}::text is null or d.status = ${status})
        order by d.delivery_id desc limit ${count}
      ) found
      where w.account_id = ${owner.accountId} and w.wallet_id = ${owner.walletId}
        and (${endpointId}::uuid is null or w.endpoint_id = ${endpointId})
      order by found."deliveryId" desc limit ${count}
    ) page
    join events e on e.account_id = ${owner.accountId} and e.event_id = page."eventId"
    order by page."deliveryId" desc`),
    show: toDelivery,
    key: (row) => row.deliveryId,
  });
}

const toAttempt = (row: AttemptRow): Static<typeof WebhookAttempt> =>
  present({
    number: row.attempt,
    webhookId: row.webhookId,
    status:
      row.error === null && row.statusCode !== null && row.statusCode >= 200 && row.statusCode < 300
        ? "delivered"
        : "failed",
    startedAt: row.startedAt.toISOString(),
    latencyMs: row.latencyMs,
    statusCode: row.statusCode,
    error: row.error,
    response: row.responseExcerpt,
  });

/** A delivery of one of the wallet's endpoints; 404 for any other. */
export async function findDelivery(
  queries: Queries,
  owner: Owner,
  deliveryId: string,
): Promise<WebhookDeliveryWithAttempts> {
  const { rows } = await queries.query<Row>(sql`
    select ${deliveries.select("d")}, ${OF_NEWEST}, ${REFERENCE} from webhook_endpoints w
    join deliveries d on d.account_id = w.account_id and d.endpoint_id = w.endpoint_id and d.delivery_id = ${deliveryId}
    join events e on e.account_id = d.account_id and e.event_id = d.event_id
    ${NEWEST_ATTEMPT}
    where w.account_id = ${owner.accountId} and w.wallet_id = ${owner.walletId}`);
  if (!rows[0]) throw notFound("webhook delivery", deliveryId);
  const attempts = await queries.query<AttemptRow>(sql`
    select ${deliveryAttempts.select()} from delivery_attempts
    where account_id = ${owner.accountId} and delivery_id = ${deliveryId} order by attempt`);
  return { ...toDelivery(rows[0]), attempts: attempts.rows.map(toAttempt) };
}
