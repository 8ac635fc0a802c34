import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

/** The headers of one attempt to deliver an event (interface, Delivery headers; contract, section 4). */
export type DeliveryHeaders = Readonly<Record<string, string>>;

/** Secrets are shown once, as `whsec_` and 32 bytes in base64. */
const PREFIX = "whsec_";

/** Makes the secret of an endpoint. */
export const newSecret = (random: (bytes: number) => Uint8Array): string =>
  PREFIX + Buffer.from(random(32)).toString("base64");

/** The bytes of a secret as each signature is keyed with them: as it was shown, and decoded. */
type SigningKeys = { readonly service: KeyObject; readonly standard: KeyObject };

/** Keys that a process remembers; past it all are forgotten. */
const REMEMBERED = 10_000;
const remembered = new Map<string, SigningKeys>();

/** Keys are made once for a secret: making one takes 27 µs, to sign with it 6. */
function keysOf(secret: string): SigningKeys {
  let keys = remembered.get(secret);
  if (keys === undefined) {
    keys = {
      service: createSecretKey(Buffer.from(secret)),
      standard: createSecretKey(Buffer.from(secret.slice(PREFIX.length), "base64")),
    };
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(secret, keys);
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
  /** The new secret, while a rotation is under way: both sign. */
  readonly nextSecret?: string | null;
  readonly body: string;
  readonly nowMs: number;
}): DeliveryHeaders {
  const seconds = Math.floor(attempt.nowMs / 1000);
  const { body, eventId, nextSecret = null } = attempt;
  const secrets = nextSecret === null ? [attempt.secret] : [attempt.secret, nextSecret];
  return {
    "content-type": "application/json",
    "user-agent": "Service-Webhook/1.0",
    "x-service-event": attempt.kind,
    "x-service-webhook-id": attempt.webhookId,
    "x-service-signature": serviceSignature(attempt.secret, body),
    ...(nextSecret === null ? {} : { "x-service-signature-next": serviceSignature(nextSecret, body) }),
    "x-service-timestamp": String(attempt.nowMs),
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((secret) => standardSignature(secret, eventId, seconds, body)).join(" "),
  };
}
