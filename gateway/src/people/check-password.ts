import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { checkSecondFactor, type SecondFactor } from "./authenticator.ts";
import { countGuess, type Trier, trierOf } from "./guesses.ts";
import { takePlace } from "./hash-queue.ts";
import { isPassword } from "./password.ts";
import type { SignedInBy } from "./sign-in.ts";

/** A password that is given, whatever was right when it was chosen. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 200 });

/** What stands beside a password in a body. */
export const SECOND_FACTOR = {
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })),
  recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
};

type Known = { person_id: string; name: string; email: string; password_hash: string | null };

/** 403 where only the company's provider signs people in. */
export function requireOpen({ oidc }: Context["config"]): void {
  if (oidc?.only === true) throw new ApiError("SIGN_IN_METHOD_OFF");
}

/**
 * Checks a password against guessing, and the second factor of who has one.
 *
 * @param tries of a session that is confirmed: what its tries are counted by.
 * @returns the person, and what is still to be found when the session is opened.
 * @throws ApiError 401 without saying what was wrong; 429 after too many tries.
 */
export async function checkSignIn(
  ctx: Context,
  request: FastifyRequest,
  houseId: string,
  given: { readonly email: string; readonly password: string } & SecondFactor,
  tries?: Pick<Trier, "known">,
): Promise<SignedInBy> {
  requireOpen(ctx.config);
  const email = given.email.toLowerCase();
  const { rows } = await ctx.db.query<Known>(sql`
    select person_id, name, email, password_hash from people where email = ${email} and removed_at is null`);
  const person = rows[0];
  const trier = { ...trierOf(ctx, request, person?.person_id), ...tries };
  const place = takePlace(trier);
  try {
    const takeBack = await countGuess(ctx, email, trier);
    const isRight = await place.turn(() => isPassword(person?.password_hash ?? null, given.password));
    if (!isRight) throw new ApiError("INVALID_CREDENTIALS");
    await takeBack();
  } finally {
    place.leave();
  }
  await checkSecondFactor(ctx, houseId, person!, given, trier);
  const { person_id: personId, password_hash: hash } = person!;
  const proof = sql`select from people where person_id = ${personId} and password_hash = ${hash} and removed_at is null`;
  return { personId, proof, by: "password" };
}
