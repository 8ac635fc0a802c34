import type { Context } from "../context.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";
import { hmacSha256, safeEqual } from "../lib/secrets.ts";

/** The purpose of an answer. An answer for one purpose, or for one session, is invalid for another. */
export type Purpose =
  | { readonly purpose: "sign-in"; readonly sessionId: null }
  | { readonly purpose: "register" | "confirm"; readonly sessionId: string }
  /** At the provider: to sign in, or to confirm the sign-in of a session. */
  | { readonly purpose: "provider"; readonly sessionId: string | null };

/** A challenge: random bytes, when it was made (Unix milliseconds), and an HMAC of both and its purpose. */
const [RANDOM, TIME, MAC] = [32, 6, 32];

const macOf = (key: Buffer, { purpose, sessionId }: Purpose, content: Buffer): Buffer =>
  hmacSha256(key, Buffer.concat([Buffer.from(`challenge ${purpose} ${sessionId} `), content]));

/**
 * Makes a challenge that any process can check, once, within `LIMITS.signInChallenge`. Nothing is stored before it is used.
 */
export function makeChallenge(
  { clock, random, keys }: Pick<Context, "clock" | "random" | "keys">,
  purpose: Purpose,
): Buffer {
  const content = Buffer.alloc(RANDOM + TIME, random(RANDOM));
  content.writeUIntBE(clock.now(), RANDOM, TIME);
  return Buffer.concat([content, macOf(keys.signIn, purpose, content)]);
}

/** When a challenge was made; null where it was not made for this purpose, or has expired. */
export function challengeMadeAt(
  { clock, keys }: Pick<Context, "clock" | "keys">,
  challenge: Buffer,
  purpose: Purpose,
): Date | null {
  if (challenge.length !== RANDOM + TIME + MAC) return null;
  const [content, mac] = [challenge.subarray(0, RANDOM + TIME), challenge.subarray(RANDOM + TIME)];
  const isOf = (key: Buffer | undefined) => key !== undefined && safeEqual(mac, macOf(key, purpose, content));
  if (!isOf(keys.signIn) && !isOf(keys.other?.signIn)) return null;
  const madeAt = content.readUIntBE(RANDOM, TIME);
  return madeAt + LIMITS.signInChallenge <= clock.now() ? null : new Date(madeAt);
}

/**
 * Records that a challenge was answered correctly; false where it was before: of two simultaneous uses one counts. The
 * caller commits.
 */
export async function useChallenge(
  { clock }: Pick<Context, "clock">,
  db: Queries,
  challenge: Buffer,
): Promise<boolean> {
  const until = new Date(clock.now() + LIMITS.signInChallenge);
  const { rowCount } = await db.query(sql`
    insert into used_challenges (challenge, expires_at) values (${challenge}, ${until}) on conflict do nothing`);
  return rowCount === 1;
}
