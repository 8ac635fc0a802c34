import type { Context } from "../../context.ts";
import { openSealed } from "../../lib/secrets.ts";
import type { EndpointRow } from "./row.ts";

/** How long both secrets sign, milliseconds, unless the rotation is finished earlier (contract, section 4). */
export const ROTATION_MS = 24 * 3_600_000;

/** The secrets of an endpoint, sealed as in its row. */
type SealedSecrets = Pick<
  EndpointRow,
  "accountId" | "endpointId" | "sealedSecret" | "nextSealedSecret" | "rotationEndsAt"
>;

/** Binds a sealed secret to its endpoint, so that it cannot be opened for another one. */
export const secretAad = (accountId: string, endpointId: string): string => `webhook:${accountId}:${endpointId}`;

/** Most opened secrets in the cache; beyond that the cache is emptied. */
const MAX_CACHED = 10_000;

/** Opens sealed secrets, through a cache: opening took a fifth of the time of a delivery. */
type Unseal = (sealed: string, aad: string) => string;
export function createUnseal(ctx: Pick<Context, "keys">): Unseal {
  const opened = new Map<string, string>();
  return (sealed, aad) => {
    // The endpoint is part of the cache's key: one endpoint's secret must not be served to another.
    const key = `${aad} ${sealed}`;
    let secret = opened.get(key);
    if (secret === undefined) {
      secret = openSealed(ctx.keys, sealed, aad);
      if (opened.size >= MAX_CACHED) opened.clear();
      opened.set(key, secret);
    }
    return secret;
  };
}

/** The secrets that sign now. A rotation that is over counts as finished even if the row still contains it. */
export function signingSecrets(
  unsealed: Unseal,
  row: SealedSecrets,
  now: number,
): { readonly secret: string; readonly nextSecret: string | null } {
  const unseal = (sealed: string) => unsealed(sealed, secretAad(row.accountId, row.endpointId));
  const { nextSealedSecret: next, rotationEndsAt: endsAt } = row;
  if (next === null || endsAt === null) return { secret: unseal(row.sealedSecret), nextSecret: null };
  if (endsAt.getTime() <= now) return { secret: unseal(next), nextSecret: null };
  return { secret: unseal(row.sealedSecret), nextSecret: unseal(next) };
}
