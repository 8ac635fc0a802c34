import type { Context } from "../../context.ts";
import { openSealed } from "../../lib/secrets.ts";

/** How long both secrets sign, milliseconds, unless the rotation is finished before (contract, section 4). */
export const ROTATION = 24 * 3_600_000;

/** The secrets of an endpoint as its row has them. */
export type SealedSecrets = {
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly sealed_secret: string;
  readonly next_sealed_secret: string | null;
  readonly rotation_ends_at: Date | null;
};

/** Binds a sealed secret to its endpoint, so that it opens nowhere else. */
export const secretAad = (accountId: string, endpointId: string): string => `webhook:${accountId}:${endpointId}`;

/** Opened secrets that a process remembers; past it all are forgotten. */
const REMEMBERED = 10_000;

/** Opens sealed secrets, each once: opening was a fifth of the time that a delivery costs this process. */
type Unseal = (sealed: string, aad: string) => string;
export function createUnseal(ctx: Pick<Context, "keys">): Unseal {
  const opened = new Map<string, string>();
  return (sealed, aad) => {
    // Where it belongs is part of the key: what opens in one place must not be taken from memory for another.
    const place = `${aad} ${sealed}`;
    let secret = opened.get(place);
    if (secret === undefined) {
      secret = openSealed(ctx.keys, sealed, aad);
      if (opened.size >= REMEMBERED) opened.clear();
      opened.set(place, secret);
    }
    return secret;
  };
}

/**
 * The secrets that sign now. A rotation that is over needs no row to be written: the new secret is then the only one.
 */
export function signingSecrets(
  unsealed: Unseal,
  row: SealedSecrets,
  now: number,
): { readonly secret: string; readonly nextSecret: string | null } {
  const unseal = (sealed: string) => unsealed(sealed, secretAad(row.account_id, row.endpoint_id));
  const { next_sealed_secret: next, rotation_ends_at: endsAt } = row;
  if (next === null || endsAt === null) return { secret: unseal(row.sealed_secret), nextSecret: null };
  if (endsAt.getTime() <= now) return { secret: unseal(next), nextSecret: null };
  return { secret: unseal(row.sealed_secret), nextSecret: unseal(next) };
}
