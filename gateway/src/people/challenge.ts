import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";

/** What an answer is for: one for a purpose, or for a session, is worth nothing for another. */
type Purpose =
  | { readonly purpose: "sign-in"; readonly sessionId: null }
  | { readonly purpose: "register" | "confirm"; readonly sessionId: string }
  /** At the provider: to sign in, or to confirm the sign-in of a session. */
  | { readonly purpose: "provider"; readonly sessionId: string | null };

const BYTES = 32;
/** Slots that are tried before a challenge is refused: with half of them taken one of 16 people would be. */
const TRIES = 4;

const slotOf = (challenge: Buffer): number => challenge.readUInt32BE(0) % LIMITS.signInChallenges;

/**
 * Makes a challenge that any process can check, once, within `LIMITS.signInChallenge`.
 *
 * @throws ApiError 429 when too many wait to be answered.
 */
export async function makeChallenge(
  { db, clock, random }: Pick<Context, "db" | "clock" | "random">,
  { purpose, sessionId }: Purpose,
): Promise<Buffer> {
  const now = clock.date();
  const until = new Date(now.getTime() + LIMITS.signInChallenge);
  for (let i = 0; i < TRIES; i += 1) {
    const challenge = Buffer.from(random(BYTES));
    const { rowCount } = await db.query(sql`
      insert into sign_in_challenges as c (slot, challenge, purpose, session_id, expires_at)
      values (${slotOf(challenge)}, ${challenge}, ${purpose}, ${sessionId}, ${until})
      on conflict (slot) do update set challenge = excluded.challenge, purpose = excluded.purpose,
        session_id = excluded.session_id, expires_at = excluded.expires_at
      where c.expires_at <= ${now}`);
    if (rowCount === 1) return challenge;
  }
  throw new ApiError("RATE_LIMITED", undefined, { retryable: true }, { "retry-after": "60" });
}

/** For whose session a challenge was made, and when; null where it is none, expired or used. */
export async function readChallenge(
  { db, clock }: Pick<Context, "db" | "clock">,
  challenge: Buffer,
  purpose: Purpose["purpose"],
): Promise<{ readonly sessionId: string | null; readonly madeAt: Date } | null> {
  if (challenge.length !== BYTES) return null;
  const { rows } = await db.query<{ session_id: string | null; expires_at: Date }>(sql`
    select session_id, expires_at from sign_in_challenges
    where slot = ${slotOf(challenge)} and challenge = ${challenge} and purpose = ${purpose} and expires_at > ${clock.date()}`);
  const row = rows[0];
  return row
    ? { sessionId: row.session_id, madeAt: new Date(row.expires_at.getTime() - LIMITS.signInChallenge) }
    : null;
}

/** Uses a challenge up, whatever becomes of its answer; false where it is none, expired, used, or for something else. */
export async function useChallenge(
  { db, clock }: Pick<Context, "db" | "clock">,
  challenge: Buffer,
  { purpose, sessionId }: Purpose,
): Promise<boolean> {
  if (challenge.length !== BYTES) return false;
  const { rowCount } = await db.query(sql`
    delete from sign_in_challenges
    where slot = ${slotOf(challenge)} and challenge = ${challenge} and purpose = ${purpose}
      and session_id is not distinct from ${sessionId} and expires_at > ${clock.date()}`);
  return rowCount === 1;
}
