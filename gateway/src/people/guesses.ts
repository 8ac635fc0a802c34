import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { sha256 } from "../lib/secrets.ts";

/** Counters in the table: what strangers try cannot make it grow. Two that share one share its limit too. */
const COUNTERS = 2 ** 20;

/**
 * Counts a try for a password before it is checked, for all processes together: ten in 15 minutes for an address of a person
 * from one network, a hundred from everywhere.
 *
 * @returns takes the tries back: the password was right.
 * @throws ApiError 429 when there were too many.
 */
export async function countGuess(
  ctx: Pick<Context, "db" | "clock">,
  email: string,
  network: string,
): Promise<() => Promise<void>> {
  const counters = [counterOf(`${email} ${network}`), counterOf(email)] as const;
  const tries = await Promise.all(counters.map((counter) => count(ctx, counter)));
  if (tries[0]! > LIMITS.guessesOfNetwork || tries[1]! > LIMITS.guessesOfPerson) {
    const seconds = String(LIMITS.guessWindow / 1000);
    throw new ApiError("RATE_LIMITED", undefined, { retryable: true }, { "retry-after": seconds });
  }
  return async () => {
    // What others tried elsewhere still counts.
    await ctx.db.query(sql`update sign_in_guesses set tries = 0 where counter = ${counters[0]}`);
    await ctx.db.query(sql`update sign_in_guesses set tries = tries - 1 where counter = ${counters[1]} and tries > 0`);
  };
}

const counterOf = (key: string): number => sha256(key).readUInt32BE(0) % COUNTERS;

async function count({ db, clock }: Pick<Context, "db" | "clock">, counter: number): Promise<number> {
  const now = clock.date();
  const before = new Date(now.getTime() - LIMITS.guessWindow);
  const { rows } = await db.query<{ tries: number }>(sql`
    insert into sign_in_guesses as g (counter, tries, since) values (${counter}, 1, ${now})
    on conflict (counter) do update set
      tries = case when g.since < ${before} then 1 else g.tries + 1 end,
      since = case when g.since < ${before} then excluded.since else g.since end
    returning tries`);
  return rows[0]!.tries;
}
