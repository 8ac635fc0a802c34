import { Type } from "typebox";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { component } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { seal } from "../lib/secrets.ts";
import { EVENT_KINDS, type EventKind } from "./event.ts";
import { newSecret } from "./sign.ts";

/** The items say their type: without it every item is compared with every other, 3 s for a body full of them. */
const Events = Type.Array(Type.Enum([...EVENT_KINDS], { type: "string" }), {
  minItems: 1,
  maxItems: EVENT_KINDS.length,
  uniqueItems: true,
  description: "Events to send; left out: all.",
});

export const WebhookEndpointRequest = component(
  "WebhookEndpointRequest",
  Type.Object(
    {
      url: Type.String({
        maxLength: 2048,
        description: "Where to send events: an https address (http in the sandbox).",
      }),
      events: Type.Optional(Events),
      description: Type.Optional(Type.String({ maxLength: 255, description: "For your own use." })),
      enabled: Type.Optional(Type.Boolean({ default: true, description: "Whether events are sent." })),
      retry: Type.Optional(
        Type.Enum(["standard", "extended"], {
          default: "standard",
          description: "How long failed deliveries are tried again.",
        }),
      ),
    },
    { additionalProperties: false, description: "An address that receives the events of a wallet." },
  ),
);

export const WebhookEndpoint = component(
  "WebhookEndpoint",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the endpoint." }),
      url: Type.String({ description: "Where events are sent." }),
      events: Type.Optional(Events),
      description: Type.Optional(Type.String({ description: "As in the request." })),
      enabled: Type.Boolean({ description: "Whether events are sent." }),
      retry: Type.Enum(["standard", "extended"], { description: "How long failed deliveries are tried again." }),
      secret: Type.Optional(
        Type.String({ description: "Key of the signatures. Shown once, when the endpoint is created." }),
      ),
      createdAt: Type.String({ format: "date-time", description: "When it was created." }),
      updatedAt: Type.String({ format: "date-time", description: "When it last changed." }),
    },
    { description: "An address that receives the events of a wallet." },
  ),
);

/** Binds a sealed secret to its endpoint, so that it opens nowhere else. */
export const secretAad = (accountId: string, endpointId: string): string => `webhook:${accountId}:${endpointId}`;

/**
 * Makes an endpoint. Takes the tenant's lock, as everything does that decides which deliveries a settlement writes.
 */
export async function createEndpoint(
  ctx: Pick<Context, "ids" | "clock" | "keys" | "random">,
  tx: Tx,
  endpoint: {
    readonly accountId: string;
    readonly walletId: string;
    readonly url: string;
    readonly events: readonly EventKind[] | undefined;
    readonly description: string | undefined;
    readonly enabled: boolean;
    readonly retry: "standard" | "extended";
  },
) {
  const { accountId, walletId } = endpoint;
  const url = checkUrl(endpoint.url);
  const id = ctx.ids.uuid();
  const now = ctx.clock.date();
  const secret = newSecret(ctx.random);
  await tx.query(sql`select account_id from accounts where account_id = ${accountId} for no key update`);
  await tx.query(sql`
    insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, events, description, enabled, retry,
      sealed_secret, created_at, updated_at)
    values (${accountId}, ${id}, ${walletId}, ${url}, ${endpoint.events ?? null}, ${endpoint.description ?? null},
      ${endpoint.enabled}, ${endpoint.retry}, ${seal(ctx.keys.sealing, secret, secretAad(accountId, id))}, ${now}, ${now})`);
  return {
    id,
    url,
    ...(endpoint.events === undefined ? {} : { events: [...endpoint.events] }),
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    enabled: endpoint.enabled,
    retry: endpoint.retry,
    secret,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
}

/** http or https, with a host, without a user or password (they would be sent to logs and proxies). */
function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "" || url.username !== "" || url.password !== "") {
    const issues = [{ path: "url", message: "must be an http or https address without user and password" }];
    throw new ApiError("WEBHOOK_URL_INVALID", "The address cannot receive webhooks.", { issues });
  }
  return url.href;
}
