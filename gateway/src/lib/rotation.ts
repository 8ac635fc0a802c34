/** How long both secrets sign during a rotation, milliseconds, unless it is finished earlier (contract, section 4). */
export const ROTATION_MS = 24 * 3_600_000;

/** A sealed secret with the one that replaces it: null without a rotation. After `rotationEndsAt` the new one signs alone. */
export type RotatedSecret = {
  readonly sealedSecret: string;
  readonly nextSealedSecret: string | null;
  readonly rotationEndsAt: Date | null;
};

/** The sealed secrets that sign now, the old one first. A rotation that is over counts as finished even if its row is left. */
export function signingNow(
  { sealedSecret, nextSealedSecret: next, rotationEndsAt: endsAt }: RotatedSecret,
  now: number,
): readonly [string, ...string[]] {
  if (next === null || endsAt === null) return [sealedSecret];
  return endsAt.getTime() <= now ? [next] : [sealedSecret, next];
}
