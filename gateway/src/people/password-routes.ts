import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { clientAddress, networkOf } from "../http/ip.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { requireFresh } from "../http/session.ts";
import { checkSecondFactor, type SecondFactor } from "./authenticator.ts";
import { sessionCookie } from "./cookie.ts";
import { countGuess } from "./guesses.ts";
import { hashPassword, isPassword } from "./password.ts";
import { SignedIn, showSession } from "./session-routes.ts";
import { readSession } from "./sessions.ts";
import { openSession, renewSession } from "./sign-in.ts";

const Password = Type.String({ minLength: 1, maxLength: 200 });
/** NIST SP 800-63B asks for eight where there is a second factor, and fifteen where there is none. */
const NewPassword = Type.String({ minLength: 15, maxLength: 200 });

const SECOND_FACTOR = {
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 10 })),
  recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
};

/** Checks a password and the second factor of who has one. @returns the person's id. */
async function checkSignIn(
  ctx: Context,
  request: FastifyRequest,
  given: { readonly email: string; readonly password: string } & SecondFactor,
): Promise<string> {
  const personId = await checkPassword(ctx, request, given);
  await checkSecondFactor(ctx, personId, given);
  return personId;
}

/** Checks a password against guessing; 401 without saying what was wrong. @returns the person's id. */
async function checkPassword(
  ctx: Context,
  request: FastifyRequest,
  given: { readonly email: string; readonly password: string },
): Promise<string> {
  const email = given.email.toLowerCase();
  const right = await countGuess(ctx, email, networkOf(clientAddress(request, ctx.config.trustedProxies)));
  const { rows } = await ctx.db.query<{ person_id: string; password_hash: string | null }>(sql`
    select person_id, password_hash from people where email = ${email} and removed_at is null`);
  const person = rows[0];
  if (!(await isPassword(person?.password_hash ?? null, given.password))) throw new ApiError("INVALID_CREDENTIALS");
  await right();
  return person!.person_id;
}

/** Signing in by password, confirming a sign-in by it, and choosing one. */
export function passwordRoutes(route: SessionRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/session/password",
    operationId: "signInByPassword",
    summary: "Sign in by e-mail address and password",
    who: "anybody",
    body: Type.Object(
      { email: Type.String({ minLength: 1, maxLength: 254 }), password: Password, ...SECOND_FACTOR },
      { additionalProperties: false },
    ),
    status: 200,
    answer: SignedIn,
    async handle({ body, request, setCookie }) {
      const personId = await checkSignIn(ctx, request, body);
      const token = await ctx.db.transaction((tx) => openSession(ctx, tx, request, personId));
      setCookie(sessionCookie(ctx.config, request, token));
      return showSession(ctx, (await readSession(ctx, token, ctx.clock.date()))!);
    },
  });

  route({
    method: "POST",
    path: "/session/confirm",
    operationId: "confirmSession",
    summary: "Confirm the sign-in: for five minutes money may be moved and secrets seen",
    who: "newcomer",
    body: Type.Object({ password: Password, ...SECOND_FACTOR }, { additionalProperties: false }),
    status: 200,
    answer: SignedIn,
    async handle({ body, session, request, setCookie }) {
      const { email, personId, sessionId } = session!;
      if (email === null || (await checkSignIn(ctx, request, { ...body, email })) !== personId) {
        throw new ApiError("INVALID_CREDENTIALS");
      }
      const token = await ctx.db.transaction((tx) => renewSession(ctx, tx, sessionId));
      if (token === null) throw new ApiError("TOKEN_INVALID");
      setCookie(sessionCookie(ctx.config, request, token));
      return showSession(ctx, (await readSession(ctx, token, ctx.clock.date()))!);
    },
  });

  route({
    method: "POST",
    path: "/me/password",
    operationId: "setPassword",
    summary: "Choose a password; the person's other sessions end",
    who: "newcomer",
    body: Type.Object({ password: NewPassword }, { additionalProperties: false }),
    status: 204,
    answer: Type.Null(),
    async handle({ body, session }) {
      const { email, personId, sessionId, hasPassword } = session!;
      const now = ctx.clock.date();
      // Who has none could confirm nothing, and would be locked out.
      if (hasPassword) requireFresh(session!, now);
      if (email === null) throw invalid("password", "needs an e-mail address, which the first link's person has not");
      const hash = await hashPassword(ctx, body.password);
      await ctx.db.transaction(async (tx) => {
        await tx.query(sql`update people set password_hash = ${hash} where person_id = ${personId}`);
        await tx.query(sql`
          update sessions set ended_at = ${now}
          where person_id = ${personId} and session_id <> ${sessionId} and ended_at is null`);
      });
      return null;
    },
  });
}
