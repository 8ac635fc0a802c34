import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { sha256 } from "../lib/secrets.ts";

/** Counters in the table: what strangers try cannot make it grow. Two that share one share its limit too. */
const COUNTERS = 2 ** 20;

type Deps = Pick<Context, "db" | "clock">;
type Counter = { readonly key: string; readonly most: number };

/**
 * Counts a try for a password before it is checked, for all processes together: ten in 15 minutes for an address of a person
 * from one network, a hundred from everywhere.
 *
 * @returns takes the tries back: the password was right.
 * @throws ApiError 429 when there were too many.
 */
export const countGuess = (ctx: Deps, email: string, network: string): Promise<() => Promise<void>> =>
  countTry(ctx, [
    { key: `${email} ${network}`, most: LIMITS.guessesOfNetwork },
    { key: email, most: LIMITS.guessesOfPerson },
  ]);

/**
 * The same for a code of a second factor, ten in 15 minutes from everywhere: only who knows the password tries one. Addresses
 * are in lower case, so that no address shares the counter.
 */
export const countCode = (ctx: Deps, personId: string): Promise<() => Promise<void>> =>
  countTry(ctx, [{ key: `CODE ${personId}`, most: LIMITS.guessesOfCode }]);

/** The same for the answer of a passkey, 30 in 15 minutes from one network: nobody guesses one, but each takes time to check. */
export const countPasskey = (ctx: Deps, network: string): Promise<() => Promise<void>> =>
  countTry(ctx, [{ key: `PASSKEY ${network}`, most: LIMITS.guessesOfPasskey }]);

async function countTry(ctx: Deps, limited: readonly [Counter, ...Counter[]]): Promise<() => Promise<void>> {
  const counters = limited.map(({ key }) => counterOf(key));
  const tries = await Promise.all(counters.map((counter) => count(ctx, counter)));
  if (tries.some((number, i) => number > limited[i]!.most)) {
    const seconds = String(LIMITS.guessWindow / 1000);
    throw new ApiError("RATE_LIMITED", undefined, { retryable: true }, { "retry-after": seconds });
  }
  const [own, ...others] = counters;
  return async () => {
    await ctx.db.query(sql`update sign_in_guesses set tries = 0 where counter = ${own}`);
    // What others tried elsewhere still counts.
    for (const counter of others) {
      await ctx.db.query(sql`update sign_in_guesses set tries = tries - 1 where counter = ${counter} and tries > 0`);
    }
  };
}

const counterOf = (key: string): number => sha256(key).readUInt32BE(0) % COUNTERS;

async function count({ db, clock }: Deps, counter: number): Promise<number> {
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
