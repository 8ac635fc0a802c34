import { randomBytes } from "node:crypto";
import { parseTxid, txidFor } from "../lib/ids.ts";
import type { Keys } from "../lib/keys.ts";
import { hmacSha256, safeEqual } from "../lib/secrets.ts";

/** Half of an HMAC-SHA256, the least that RFC 2104 recommends: 128 bits cannot be guessed, and the address stays short. */
const MAC_BYTES = 16;

/** Random bytes at the beginning of a form's key; an HMAC of as many bytes follows. */
const RANDOM_BYTES = 16;

/** `about`: the kind of page, so that the secret of one kind of page opens no other kind. */
const macOf = (key: Pick<Keys, "checkout">, about: "" | "link " | "form ", txid: string): string =>
  hmacSha256(key.checkout, about + txid)
    .subarray(0, MAC_BYTES)
    .toString("base64url");

/**
 * The secret part of the address of a charge's page: its txid, which bank statements show, and a code made of the master
 * key. It is derived, so no column has it; a stored answer of `POST /pix` does, for as long as its Idempotency-Key.
 */
export const checkoutToken = (keys: Pick<Keys, "checkout">, txid: string): string => `${txid}-${macOf(keys, "", txid)}`;

/** The secret part of the address of a payment link's page, made in the same way. */
export const linkToken = (keys: Pick<Keys, "checkout">, accountNumber: number, linkId: string): string => {
  const id = txidFor(accountNumber, linkId);
  return `${id}-${macOf(keys, "link ", id)}`;
};

/**
 * The account's number and the charge's id in a token; null for a token that was not made here. While the master key is
 * exchanged, a token of the other key is valid too. Reading takes the same time, whichever part of the token is wrong.
 */
export const readCheckoutToken = (keys: Keys, token: string) => readToken(keys, "", token);

/** As `readCheckoutToken`, for a payment link's token: the account's number and the link's id. */
export const readLinkToken = (keys: Keys, token: string) => readToken(keys, "link ", token);

function readToken(keys: Keys, about: "" | "link ", token: string): ReturnType<typeof parseTxid> {
  const [txid = "", ...rest] = token.split("-");
  const mac = rest.join("-");
  const isOf = (key: Pick<Keys, "checkout">) => safeEqual(mac, macOf(key, about, txid));
  const isOurs = isOf(keys);
  const isOfOther = keys.other !== null && isOf(keys.other);
  return isOurs || isOfOther ? parseTxid(txid) : null;
}

/** The key of a page's form: two posts of it make one charge. It is valid for one link only, and cannot be forged. */
export function formKey(keys: Pick<Keys, "checkout">, linkId: string): string {
  const random = randomBytes(RANDOM_BYTES).toString("base64url");
  return random + macOf(keys, "form ", `${linkId} ${random}`);
}

/** Whether a form's key was made here for a page of the link. */
export function isFormKey(keys: Keys, linkId: string, key: string): boolean {
  // 16 bytes are 22 characters of base64url.
  const [random, mac] = [key.slice(0, 22), key.slice(22)];
  const isOf = (key: Pick<Keys, "checkout">) => safeEqual(mac, macOf(key, "form ", `${linkId} ${random}`));
  const isOurs = isOf(keys);
  return (keys.other !== null && isOf(keys.other)) || isOurs;
}
