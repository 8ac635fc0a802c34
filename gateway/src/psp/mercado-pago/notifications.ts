/** Notifications: their signature, and what they name. They have Mercado Pago's id of a payment, and nothing else of it. */
import { createHmac } from "node:crypto";
import { safeEqual } from "../../lib/secrets.ts";
import { parseJson, record } from "../api-pix/read-values.ts";
import type { Notification, Psp } from "../psp.ts";
import { readNumber, readWritten } from "./read-answers.ts";

/**
 * `x-signature: ts=…,v1=…`, an HMAC-SHA256 over the payment's id, the request's id and the time. It does not cover the body, so
 * it is a filter against strangers: what is named is read again.
 */
export const checkSignature =
  (secret: string): NonNullable<Psp["checkSignature"]> =>
  async ({ raw, headers }) => {
    const { "x-signature": given, "x-request-id": requestId } = headers;
    if (typeof given !== "string") return "forged";
    const parts = new Map(given.split(",").map((part) => part.trim().split("=", 2) as [string, string]));
    const [ts, v1] = [parts.get("ts"), parts.get("v1")];
    if (ts === undefined || v1 === undefined || !/^[0-9a-f]{64}$/i.test(v1)) return "forged";
    const id = record(record(parseJson(Buffer.from(raw)))?.data)?.id;
    const written = readWritten(id);
    if (id !== undefined && written === undefined) return "forged";
    // A part that a notification lacks is left out of what is signed.
    const signed = [
      written === undefined ? "" : `id:${written.toLowerCase()};`,
      typeof requestId === "string" ? `request-id:${requestId};` : "",
      `ts:${ts};`,
    ].join("");
    const expected = createHmac("sha256", secret).update(signed).digest();
    return safeEqual(Buffer.from(v1, "hex"), expected) ? "valid" : "forged";
  };

/** The payment of a notification. That a payment was made says nothing: it is the charge, which nobody has paid yet. */
export function readNotification(value: unknown): readonly Notification[] {
  const body = record(value);
  const pixId = readNumber(record(body?.data)?.id);
  if (body?.type !== "payment" || body.action === "payment.created" || pixId === undefined) return [];
  return [{ kind: "pix_named", about: "charge_paid", pixId }];
}
