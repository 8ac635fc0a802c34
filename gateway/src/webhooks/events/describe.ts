import { STORY } from "../../http/examples.ts";
import { CATALOGUE, eventIdOf } from "./catalogue.ts";
import { type EventBody, type EventDefinition, samplingOf, sentData } from "./define.ts";

type Json = Record<string, unknown>;

/** The OpenAPI operation of an event: the request that a receiver gets. */
export function describeEvent(event: EventDefinition): Json {
  const { summary, since } = event;
  const receivers = CATALOGUE[event.kind].byDefault
    ? "Goes to endpoints without an `events` list, and to those whose list names it."
    : "Goes only to endpoints whose `events` list names it.";
  return {
    operationId: event.kind,
    summary: summary.replace(/\.$/, ""),
    description: `${receivers} Since version ${since}.`,
    // A separate tag: generators put the operations of a tag into one file, where receivers' operations replaced `GET
    // /events`, and openapi-generator writes those for Python without types.
    tags: ["Deliveries"],
    "x-internal": true,
    security: [],
    parameters: DELIVERY_HEADERS.map(([header, description, schema]) => ({
      name: header,
      in: "header",
      required: header !== "X-Service-Signature-Next",
      description,
      schema,
    })),
    requestBody: {
      description: "The event. Every attempt and every redelivery has the same bytes.",
      required: true,
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/${event.components.body.$id}` },
          examples: { example: { summary: "A delivery", value: exampleOf(event) } },
        },
      },
    },
    responses: {
      "2XX": { description: "Received. The body is not read. Anything but 2xx, redirects included, is tried again." },
    },
  };
}

/** The body of a delivery, in the story that the reference shows. */
export function exampleOf(event: EventDefinition): EventBody {
  const sampling = samplingOf(new Date(STORY.paidAt), { id: (of) => STORY.ids[of], environment: "production" });
  const data = sentData(event, event.sample(sampling));
  const eventId = eventIdOf(event.kind, data[event.idField as keyof typeof data] as string);
  return { event: event.kind, eventId, timestamp: STORY.paidAt, subAccount: null, data };
}

const text = { type: "string" };
/** Headers of every delivery of an event. */
const DELIVERY_HEADERS: readonly (readonly [string, string, Json])[] = [
  ["X-Service-Event", "Kind of the event.", text],
  ["X-Service-Webhook-ID", "Id of this attempt.", { type: "string", format: "uuid" }],
  [
    "X-Service-Signature",
    "`sha256=` and the hexadecimal HMAC-SHA256 of the raw body, with the endpoint's whole secret as key. Compare in constant time.",
    { type: "string", pattern: "^sha256=[0-9a-f]{64}$" },
  ],
  [
    "X-Service-Signature-Next",
    "The same with the new secret, while a rotation is under way.",
    { type: "string", pattern: "^sha256=[0-9a-f]{64}$" },
  ],
  [
    "X-Service-Timestamp",
    "Time of this attempt, milliseconds since the Unix epoch.",
    { type: "string", pattern: "^[0-9]{13}$" },
  ],
  ["webhook-id", "Standard Webhooks: equals `eventId`.", text],
  [
    "webhook-timestamp",
    "Standard Webhooks: time of this attempt, seconds since the Unix epoch.",
    { type: "string", pattern: "^[0-9]{10}$" },
  ],
  [
    "webhook-signature",
    "Standard Webhooks: `v1,` and the Base64 HMAC-SHA256 of id, timestamp and body, with the decoded secret as key; two of them, separated by a space, while a rotation is under way.",
    text,
  ],
];
