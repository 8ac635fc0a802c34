import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Exact } from "../http/contract.ts";
import { ApiError, invalid } from "../http/errors.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import type { Session } from "../http/session.ts";
import { LIMITS } from "../lib/limits.ts";
import { makeChallenge } from "./challenge.ts";
import { checkSignIn, GivenPassword, SECOND_FACTOR } from "./check-password.ts";
import { knownPasskeys, usePasskey } from "./passkey.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { SignedIn, showOpened } from "./session-routes.ts";
import { renewSession } from "./sign-in.ts";
import { AuthenticationResponse, authenticationOptions, WebAuthnOptions } from "./webauthn.ts";

/** A session's attempts are counted for the session, wherever they come from. */
const bySession = ({ personId, sessionId }: Session) => ({ personId, known: `session ${sessionId}` });

const Confirmation = Exact({
  password: Type.Optional(GivenPassword),
  ...SECOND_FACTOR,
  passkey: Type.Optional(AuthenticationResponse),
});

/** `/session/confirm`: confirming a sign-in by the password or a passkey, so that it counts as fresh. */
export function confirmRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  route({
    method: "POST",
    path: "/session/confirm/options",
    operationId: "confirmOptions",
    audits: [],
    summary: "What a passkey of the person has to sign to confirm the sign-in",
    who: "newcomer",
    fresh: { not: "it is how a sign-in is confirmed" },
    body: Exact({}),
    answer: WebAuthnOptions,
    async handle({ session, request }) {
      const { sessionId, personId } = session!;
      const party = relyingPartyOf(ctx.config, request);
      const passkeys = await knownPasskeys(ctx.db, personId);
      if (passkeys.length === 0) throw invalid("passkey", "is what you have none of: add one first");
      const challenge = makeChallenge(ctx, { purpose: "confirm", sessionId });
      return authenticationOptions(party, challenge, passkeys, LIMITS.signInChallenge);
    },
  });

  route({
    method: "POST",
    path: "/session/confirm",
    operationId: "confirmSession",
    audits: [],
    summary: "Confirm the sign-in: for five minutes money may be moved and secrets seen",
    who: "newcomer",
    fresh: { not: "it is how a sign-in is confirmed" },
    body: Confirmation,
    answer: SignedIn,
    async handle({ body, session, request, setCookie }) {
      if (body.passkey !== undefined) await usePasskey(ctx, request, houseId, body.passkey, session!);
      else await confirmByPassword(session!, body);
      const token = await ctx.db.transaction((tx) => renewSession(ctx, tx, session!.sessionId, session!.personId));
      return showOpened(ctx, { request, setCookie }, token);

      async function confirmByPassword(
        { email }: Session,
        { password, code, recoveryCode }: Static<typeof Confirmation>,
      ): Promise<void> {
        if (password === undefined) throw invalid("password", "or a passkey confirms a sign-in");
        const given = {
          password,
          ...(code !== undefined && { code }),
          ...(recoveryCode !== undefined && { recoveryCode }),
        };
        if (email === null) throw new ApiError("INVALID_CREDENTIALS");
        await checkSignIn(ctx, request, houseId, { ...given, email }, bySession(session!));
      }
    },
  });
}
