import type { Keys } from "../../lib/keys.ts";
import { type RotatedSecret, signingNow } from "../../lib/rotation.ts";
import { hmacSha256, openSealed } from "../../lib/secrets.ts";

/** Binds a sealed secret to its account, so that it cannot be opened for another one. */
export const secretAad = (accountId: string): string => `checkout:${accountId}`;

/** What a payer takes back to the merchant. */
type Returning = { readonly transaction: string; readonly status: string };

/**
 * The address that a payer goes back to: `returnUrl` with `transaction`, `status`, `timestamp` (seconds) and `signature`, which
 * is the HMAC-SHA256 of `return.` and these three, joined by dots, in hexadecimal; two joined by a comma while the secret is
 * being replaced. Parameters of `returnUrl` with these names are replaced.
 */
export function returnAddress(
  keys: Keys,
  row: RotatedSecret & { readonly accountId: string },
  returnUrl: string,
  { transaction, status }: Returning,
  now: number,
): string {
  const timestamp = String(Math.floor(now / 1000));
  const signed = `return.${transaction}.${status}.${timestamp}`;
  const signature = signingNow(row, now)
    .map((sealed) => hmacSha256(openSealed(keys, sealed, secretAad(row.accountId)), signed).toString("hex"))
    .join(",");
  const url = new URL(returnUrl);
  for (const [name, value] of Object.entries({ transaction, status, timestamp, signature }))
    url.searchParams.set(name, value);
  return url.href;
}
