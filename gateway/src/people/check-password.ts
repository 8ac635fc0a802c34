import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "../http/errors.ts";
import { clientAddress, networkOf } from "../http/ip.ts";
import { checkSecondFactor, type SecondFactor } from "./authenticator.ts";
import { countGuess } from "./guesses.ts";
import { isPassword } from "./password.ts";
import type { SignedInBy } from "./sign-in.ts";

/** A password that is given, whatever was right when it was chosen. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 200 });

/** What stands beside a password in a body. */
export const SECOND_FACTOR = {
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })),
  recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
};

/** 403 where only the company's provider signs people in. */
export function requireOpen({ oidc }: Context["config"]): void {
  if (oidc?.only === true) throw new ApiError("SIGN_IN_METHOD_OFF");
}

/**
 * Checks a password against guessing, and the second factor of who has one.
 *
 * @returns the person, and what is still to be found when the session is opened.
 * @throws ApiError 401 without saying what was wrong; 429 after too many tries.
 */
export async function checkSignIn(
  ctx: Context,
  request: FastifyRequest,
  given: { readonly email: string; readonly password: string } & SecondFactor,
): Promise<SignedInBy> {
  requireOpen(ctx.config);
  const email = given.email.toLowerCase();
  const right = await countGuess(ctx, email, networkOf(clientAddress(request, ctx.config.trustedProxies)));
  const { rows } = await ctx.db.query<{ person_id: string; password_hash: string | null }>(sql`
    select person_id, password_hash from people where email = ${email} and removed_at is null`);
  const person = rows[0];
  if (!(await isPassword(person?.password_hash ?? null, given.password))) throw new ApiError("INVALID_CREDENTIALS");
  await right();
  await checkSecondFactor(ctx, person!.person_id, given);
  const { person_id: personId, password_hash: hash } = person!;
  const proof = sql`select from people where person_id = ${personId} and password_hash = ${hash} and removed_at is null`;
  return { personId, proof };
}
