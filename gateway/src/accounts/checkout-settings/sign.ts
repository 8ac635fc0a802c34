import type { Keys } from "../../lib/keys.ts";
import { hmacSha256, openSealed } from "../../lib/secrets.ts";
import type { SettingsRow } from "./settings.ts";

/** How long both secrets sign, milliseconds, unless the rotation is finished earlier: as webhook secrets are rotated. */
export const ROTATION_MS = 24 * 3_600_000;

/** Binds a sealed secret to its account, so that it cannot be opened for another one. */
export const secretAad = (accountId: string): string => `checkout:${accountId}`;

type Sealed = Pick<SettingsRow, "accountId" | "sealedSecret" | "nextSealedSecret" | "rotationEndsAt">;

export const isOver = ({ rotationEndsAt }: Pick<Sealed, "rotationEndsAt">, now: number): boolean =>
  rotationEndsAt !== null && rotationEndsAt.getTime() <= now;

/** The secrets that sign now, the old one first. A rotation that is over counts as finished. */
function signingSecrets(keys: Keys, row: Sealed, now: number): readonly string[] {
  const sealed =
    row.nextSealedSecret === null
      ? [row.sealedSecret]
      : isOver(row, now)
        ? [row.nextSealedSecret]
        : [row.sealedSecret, row.nextSealedSecret];
  return sealed.map((text) => openSealed(keys, text, secretAad(row.accountId)));
}

/** What a payer takes back to the merchant. */
type Returning = { readonly transaction: string; readonly status: string };

/**
 * The address that a payer goes back to: `returnUrl` with `transaction`, `status`, `timestamp` (seconds) and `signature`, which
 * is the HMAC-SHA256 of `return.` and these three, joined by dots, in hexadecimal; two joined by a comma while the secret is
 * being replaced. Parameters of `returnUrl` with these names are replaced.
 */
export function returnAddress(
  keys: Keys,
  row: Sealed,
  returnUrl: string,
  { transaction, status }: Returning,
  now: number,
): string {
  const timestamp = String(Math.floor(now / 1000));
  const signed = `return.${transaction}.${status}.${timestamp}`;
  const signature = signingSecrets(keys, row, now)
    .map((secret) => hmacSha256(secret, signed).toString("hex"))
    .join(",");
  const url = new URL(returnUrl);
  for (const [name, value] of Object.entries({ transaction, status, timestamp, signature }))
    url.searchParams.set(name, value);
  return url.href;
}
