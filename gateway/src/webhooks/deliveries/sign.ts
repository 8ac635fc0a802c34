import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { present } from "../../lib/present.ts";

/** The headers of one attempt to deliver an event (interface, Delivery headers; contract, section 4). */
type DeliveryHeaders = Readonly<Record<string, string>>;

/** Secrets are shown once, as `whsec_` and 32 bytes in base64. */
const PREFIX = "whsec_";

/** Makes the secret of an endpoint. */
export const newSecret = (random: (bytes: number) => Uint8Array): string =>
  PREFIX + Buffer.from(random(32)).toString("base64");

/** The keys of both signatures: the secret as it was shown, and its decoded bytes. */
type SigningKeys = { readonly service: KeyObject; readonly standard: KeyObject };

/** Most secrets whose keys are cached; beyond that the cache is emptied. */
const MAX_CACHED = 10_000;
const cache = new Map<string, SigningKeys>();

/** Keys are made once for each secret: making them takes 27 µs, signing 6 µs. */
function keysOf(secret: string): SigningKeys {
  let keys = cache.get(secret);
  if (keys === undefined) {
    keys = {
      service: createSecretKey(Buffer.from(secret)),
      standard: createSecretKey(Buffer.from(secret.slice(PREFIX.length), "base64")),
    };
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(secret, keys);
  }
  return keys;
}

/**
 * `X-Service-Signature`: HMAC-SHA256 over the raw body, keyed with the bytes of the secret as it was shown, prefix
 * included (interface, Signature validation).
 */
export const serviceSignature = (secret: string, body: string): string =>
  `sha256=${createHmac("sha256", keysOf(secret).service).update(body).digest("hex")}`;

/**
 * `webhook-signature` of the Standard Webhooks specification: over `id.timestamp.body`, keyed with the decoded bytes,
 * so that the time is signed too.
 */
export function standardSignature(secret: string, id: string, timestampSeconds: number, body: string): string {
  return `v1,${createHmac("sha256", keysOf(secret).standard).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`;
}

/** All headers of one attempt. `nowMs` is the delivery time, milliseconds since the Unix epoch. */
export function deliveryHeaders(attempt: {
  readonly kind: string;
  readonly eventId: string;
  /** New for every attempt. */
  readonly webhookId: string;
  readonly secret: string;
  /** The new secret during a rotation, when both secrets sign. */
  readonly nextSecret?: string | null;
  readonly body: string;
  readonly nowMs: number;
}): DeliveryHeaders {
  const seconds = Math.floor(attempt.nowMs / 1000);
  const { body, eventId, nextSecret = null } = attempt;
  const secrets = nextSecret === null ? [attempt.secret] : [attempt.secret, nextSecret];
  return present({
    "content-type": "application/json",
    "user-agent": "Service-Webhook/1.0",
    "x-service-event": attempt.kind,
    "x-service-webhook-id": attempt.webhookId,
    "x-service-signature": serviceSignature(attempt.secret, body),
    "x-service-signature-next": nextSecret && serviceSignature(nextSecret, body),
    "x-service-timestamp": String(attempt.nowMs),
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((secret) => standardSignature(secret, eventId, seconds, body)).join(" "),
  });
}
