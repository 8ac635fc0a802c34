import { parseTxid } from "./ids.ts";
import type { Keys } from "./keys.ts";
import { hmacSha256, safeEqual } from "./secrets.ts";

/** Half of an HMAC-SHA256, the least that RFC 2104 recommends: 128 bits cannot be guessed, and the address stays short. */
const MAC_BYTES = 16;

const macOf = (key: Pick<Keys, "checkout">, txid: string): string =>
  hmacSha256(key.checkout, txid).subarray(0, MAC_BYTES).toString("base64url");

/**
 * The secret part of the address of a charge's page: its txid, which bank statements show, and a code made of the master
 * key. It is derived, so no column has it; a stored answer of `POST /pix` does, for as long as its Idempotency-Key.
 */
export const checkoutToken = (keys: Pick<Keys, "checkout">, txid: string): string => `${txid}-${macOf(keys, txid)}`;

/**
 * The account's number and the charge's id in a token; null for a token that was not made here. A token of the other master
 * key counts too during its exchange. Every text takes the same time, whichever part of it is wrong.
 */
export function readCheckoutToken(keys: Keys, token: string): ReturnType<typeof parseTxid> {
  const [txid = "", ...rest] = token.split("-");
  const mac = rest.join("-");
  const isOf = (key: Pick<Keys, "checkout">) => safeEqual(mac, macOf(key, txid));
  const isOurs = isOf(keys);
  const isOfOther = keys.other !== null && isOf(keys.other);
  return isOurs || isOfOther ? parseTxid(txid) : null;
}
