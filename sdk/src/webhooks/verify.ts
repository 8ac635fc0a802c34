import type { WebhookEvent } from "../generated/events.ts";

/** Headers of a request: a `Headers`, or an object as Node has it. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How old or how far ahead a delivery may be, seconds. Default: 300. */
  readonly toleranceSeconds?: number;
  /**
   * `standard` (default): Standard Webhooks (`webhook-signature`), which signs the time too. `service`: the interface's
   * own `X-Service-Signature`, which signs the body alone, so that an old delivery can be sent again: drop an `eventId`
   * that you have seen. Pixgate sends both.
   */
  readonly scheme?: "standard" | "service";
  /** The present, milliseconds since the Unix epoch. */
  readonly now?: () => number;
};

/** A delivery that is not genuine, too old, or not what the gateway sends. Answer 401. */
export class WebhookVerificationError extends Error {
  override readonly name: string = "WebhookVerificationError";
}

const TOLERANCE_SECONDS = 300;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Checks the signature of a delivery and gives its event.
 *
 * @param rawBody the bytes of the body as they arrived. A body that was parsed and written again has other bytes.
 * @param secret of the endpoint, `whsec_…`; several while a secret is being replaced.
 * @throws {WebhookVerificationError} no secret fits, or the delivery is too old.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, scheme = "standard", now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (secrets.length === 0) throw new TypeError("verifyWebhook needs a secret");
  const read = (name: string): string => headerOf(headers, name);

  const milliseconds =
    scheme === "standard" ? Number(read("webhook-timestamp")) * 1_000 : Number(read("x-service-timestamp"));
  const age = now() - milliseconds;
  const isFromFuture = age < -toleranceSeconds * 1_000;
  if (isFromFuture)
    throw new WebhookVerificationError("the delivery is from the future: this clock or the sender's is wrong");
  if (!(age <= toleranceSeconds * 1_000)) throw new WebhookVerificationError("the delivery is too old, or has no time");

  const genuine =
    scheme === "standard"
      ? await standard(body, read("webhook-id"), read("webhook-timestamp"), read("webhook-signature"), secrets)
      : await service(body, [read("x-service-signature"), optional(headers, "x-service-signature-next")], secrets);
  if (!genuine) throw new WebhookVerificationError("the signature does not fit");
  return parse(body);
}

/** Standard Webhooks: `v1,<Base64>` over `id.timestamp.body`, keyed with the decoded secret. */
function standard(
  body: Bytes,
  id: string,
  timestamp: string,
  header: string,
  secrets: readonly string[],
): Promise<boolean> {
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const signatures = header
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => fromBase64(one.slice("v1,".length)));
  return fits(
    signatures,
    signed,
    secrets.map((secret) => fromBase64(secret.replace(/^whsec_/, ""))),
  );
}

/** The interface's own: `sha256=<hex>` over the body, keyed with the text of the secret. */
function service(body: Bytes, headers: readonly string[], secrets: readonly string[]): Promise<boolean> {
  const signatures = headers.filter((one) => /^sha256=[0-9a-f]{64}$/.test(one)).map((one) => fromHex(one.slice(7)));
  return fits(
    signatures,
    body,
    secrets.map((secret) => new TextEncoder().encode(secret)),
  );
}

/** Compares every signature with every secret, in constant time each: Web Crypto does not stop at the first difference. */
export async function fits(signatures: readonly Bytes[], signed: Bytes, secrets: readonly Bytes[]): Promise<boolean> {
  let fits = false;
  for (const secret of secrets) {
    if (secret.length === 0) continue;
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) fits = true;
    }
  }
  return fits;
}

function parse(body: Bytes): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError("the body is not JSON");
  }
}

function bytesOf(raw: string | Uint8Array | ArrayBuffer): Bytes {
  if (typeof raw === "string") return new TextEncoder().encode(raw);
  if (raw instanceof Uint8Array) return raw as Bytes;
  if (raw instanceof ArrayBuffer) return new Uint8Array(raw);
  throw new TypeError(
    "verifyWebhook needs the raw body, as text or bytes. This one was parsed already: read it before a JSON parser does.",
  );
}

function headerOf(headers: HeadersLike, name: string): string {
  const value = optional(headers, name);
  if (value === "") throw new WebhookVerificationError(`the header ${name} is missing`);
  return value;
}

function optional(headers: HeadersLike, name: string): string {
  if (typeof headers.get === "function") return headers.get(name) ?? "";
  const all = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  const found = all[name] ?? Object.entries(all).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : (found?.[0] ?? "");
}

function joined(first: Bytes, second: Bytes): Bytes {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Empty where the text is not Base64: an empty secret or signature fits nothing. */
function fromBase64(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

export const fromHex = (text: string): Bytes =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
