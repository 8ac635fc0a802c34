import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { clientAddress, networkOf } from "../http/ip.ts";
import { LIMITS } from "../lib/limits.ts";
import { hmacSha256 } from "../lib/secrets.ts";
import { deviceOf } from "./device.ts";

type Deps = Pick<Context, "db" | "clock" | "keys">;
type Purpose = "password" | "code" | "passkey";
type Counter = { readonly key: string; readonly most: number };

/** Who makes an attempt: the network, and the person's known device or session (null: an unknown one). */
export type Trier = { readonly network: string; readonly known: string | null };

/** The network of a request, and its device if the person has signed in with it before. */
export function trierOf(
  ctx: Pick<Context, "config" | "keys">,
  request: FastifyRequest,
  personId: string | null,
): Trier {
  const device = personId === null ? null : deviceOf(ctx, request, personId);
  return {
    network: networkOf(clientAddress(request, ctx.config.trustedProxies)),
    known: device === null ? null : `device ${device}`,
  };
}

/** Takes an attempt back, because it was right. Other counted attempts stay, whoever made them. */
type TakeBack = () => Promise<void>;

/**
 * Counts an attempt for a password before it is checked, for all processes together, in 15 minutes: a hundred of a network
 * over all addresses, of those ten for one address, and a hundred for an address from everywhere. A known device or session
 * of the person has ten of its own, which strangers cannot use up.
 *
 * @param personId the person of the known device or session.
 * @throws ApiError 429 when there were too many.
 */
export const countGuess = (
  ctx: Deps,
  email: string,
  personId: string | null,
  { network, known }: Trier,
): Promise<TakeBack> =>
  countTry(
    ctx,
    "password",
    known === null
      ? [
          { key: `network ${network}`, most: LIMITS.guessesOfStrangers },
          { key: `network ${network} ${email}`, most: LIMITS.guessesOfNetwork },
          { key: `everywhere ${email}`, most: LIMITS.guessesOfPerson },
        ]
      : [
          { key: known, most: LIMITS.guessesOfNetwork },
          { key: `known ${personId}`, most: LIMITS.guessesOfPerson },
        ],
  );

/** Counts a code of a second factor: ten for each known device or session, and ten from everywhere else together. */
export const countCode = (ctx: Deps, personId: string, { known }: Pick<Trier, "known">): Promise<TakeBack> =>
  countTry(
    ctx,
    "code",
    known === null
      ? [{ key: personId, most: LIMITS.guessesOfCode }]
      : [
          { key: known, most: LIMITS.guessesOfCode },
          { key: `known ${personId}`, most: LIMITS.guessesOfPerson },
        ],
  );

/**
 * Counts the answer of a passkey: 30 for a network, device or session. An answer cannot be guessed, but each takes time
 * to check.
 */
export const countPasskey = (ctx: Deps, { network, known }: Trier): Promise<TakeBack> =>
  countTry(ctx, "passkey", [{ key: known ?? `network ${network}`, most: LIMITS.guessesOfPasskey }]);

/** Counts in one row after the other, the widest first: a refused attempt makes no further rows. */
async function countTry(ctx: Deps, purpose: Purpose, counters: readonly Counter[]): Promise<TakeBack> {
  const counted: { readonly counter: Buffer; readonly since: Date }[] = [];
  for (const { key, most } of counters) {
    const counter = hmacSha256(ctx.keys.signIn, `guess ${purpose} ${key}`);
    const { tries, since } = await count(ctx, purpose, counter);
    if (tries > most) {
      const seconds = Math.max(1, Math.ceil((since.getTime() + LIMITS.guessWindow - ctx.clock.now()) / 1000));
      throw new ApiError("RATE_LIMITED", undefined, { retryable: true }, { "retry-after": String(seconds) });
    }
    counted.push({ counter, since });
  }
  return async () => {
    for (const { counter, since } of counted) {
      await ctx.db.query(sql`
        update sign_in_guesses set tries = tries - 1
        where purpose = ${purpose} and counter = ${counter} and since = ${since} and tries > 0`);
    }
  };
}

async function count(
  { db, clock }: Deps,
  purpose: Purpose,
  counter: Buffer,
): Promise<{ readonly tries: number; readonly since: Date }> {
  const now = clock.date();
  const before = new Date(now.getTime() - LIMITS.guessWindow);
  const { rows } = await db.query<{ tries: number; since: Date }>(sql`
    insert into sign_in_guesses as g (purpose, counter, tries, since) values (${purpose}, ${counter}, 1, ${now})
    on conflict (purpose, counter) do update set
      tries = case when g.since < ${before} then 1 else g.tries + 1 end,
      since = case when g.since < ${before} then excluded.since else g.since end
    returning tries, since`);
  return rows[0]!;
}
