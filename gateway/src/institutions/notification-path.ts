import type { Keys } from "../lib/keys.ts";
import { hmacSha256, safeEqual } from "../lib/secrets.ts";

/**
 * The secret part of the path of an institution's notifications. Derived from the key, so nothing is stored or can leak.
 *
 * @param generation how often the path was rotated.
 */
const notificationSecret = (keys: Pick<Keys, "notifications">, institutionId: string, generation: number): string =>
  hmacSha256(keys.notifications, generation === 0 ? institutionId : `${institutionId} ${generation}`).toString(
    "base64url",
  );

/** Whether a path's secret is the institution's, also under the other master key during its exchange. */
export function isNotificationSecret(
  keys: Keys,
  of: { readonly institutionId: string; readonly notificationGeneration: number },
  secret: string,
): boolean {
  const is = (key: Pick<Keys, "notifications">) =>
    safeEqual(secret, notificationSecret(key, of.institutionId, of.notificationGeneration));
  return is(keys) || (keys.other !== null && is(keys.other));
}

/** Path below the gateway's address that is registered at the PSP; the PSP may append `/pix`. */
export const notificationPath = (keys: Keys, institutionId: string, generation = 0): string =>
  notificationPathOf(institutionId) + notificationSecret(keys, institutionId, generation);

/** The part of the path of an institution's notifications that is no secret. */
export const notificationPathOf = (institutionId: string): string => `/psp/${institutionId}/`;
