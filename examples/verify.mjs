// Verifies Pixgate's webhooks in Node: copy this file, it needs nothing else.
import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Gives the event of a delivery, or throws when it is not genuine or older than `tolerance` seconds.
 *
 * `secrets` is one secret or, while you replace it, a list. `headers` are Node's or those of a Request. `body` is the raw
 * body, as it arrived: a string or bytes, never parsed and written again.
 */
export function verify(secrets, headers, body, { tolerance = 300, now = Date.now() } = {}) {
  const header = (name) => String((headers.get ? headers.get(name) : headers[name]) ?? "");
  const [id, seconds] = [header("webhook-id"), header("webhook-timestamp")];
  if (!(Math.abs(now / 1000 - Number(seconds)) <= tolerance)) throw new Error("the delivery is not of this time");
  const given = header("webhook-signature")
    .split(" ")
    .map((one) => Buffer.from(one));
  const isGenuine = [secrets].flat().some((secret) => {
    const hmac = createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
    const expected = Buffer.from(`v1,${hmac.update(`${id}.${seconds}.`).update(body).digest("base64")}`);
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  if (!isGenuine) throw new Error("the signature does not match");
  return JSON.parse(Buffer.from(body).toString("utf8"));
}
