import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { Exact, OrNull } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { readCookie, readSessionCookie } from "../http/session.ts";
import { LIMITS } from "../lib/limits.ts";
import { randomSecret } from "../lib/secrets.ts";
import { challengeMadeAt, makeChallenge, useChallenge } from "./challenge.ts";
import { noProviderCookie, PROVIDER_COOKIE, providerCookie } from "./cookie.ts";
import { isIdentityOf, personOfClaims } from "./identity.ts";
import type { Claims, Provider } from "./provider.ts";
import { MadeAnswer, SIGN_IN_AUDITS, SignedIn, showOpened } from "./session-routes.ts";
import { readSession } from "./sessions.ts";
import { openSession, renewSession } from "./sign-in.ts";

const Nothing = Exact({});
const Address = Type.Object({ url: Type.String() });
const Methods = Type.Object({
  password: Type.Boolean(),
  passkey: Type.Boolean(),
  /** Host of the company's provider. */
  provider: OrNull(Type.String()),
});

/** Most by which clocks may differ, milliseconds. */
const SKEW = 5_000;

/** `/session/methods`, and signing in or confirming at the company's OpenID Connect provider. */
export function providerRoutes(route: SessionRoutes, ctx: Context, houseId: string, provider: Provider | null): void {
  const given = (): Provider => {
    if (provider === null) throw new ApiError("ROUTE_NOT_FOUND", "This installation has no provider.");
    return provider;
  };

  route({
    method: "GET",
    path: "/session/methods",
    operationId: "readMethods",
    work: "row",
    summary: "How one may sign in",
    who: "anybody",
    answer: Methods,
    async handle() {
      const isOpen = provider?.settings.only !== true;
      const host = provider === null ? null : new URL(provider.settings.issuer).host;
      return { password: isOpen, passkey: isOpen, provider: host };
    },
  });

  for (const { path, operationId, who } of [
    { path: "/session/provider", operationId: "signInAtProvider", who: "anybody" },
    { path: "/session/confirm/provider", operationId: "confirmAtProvider", who: "newcomer" },
  ] as const) {
    route({
      method: "POST",
      path,
      operationId,
      audits: [],
      summary: "The provider's address, to which the page goes",
      who,
      fresh: { not: "it is how a sign-in is confirmed" },
      body: Nothing,
      answer: Address,
      async handle({ session, request, setCookie }) {
        const secret = randomSecret();
        const state = makeChallenge(ctx, { purpose: "provider", sessionId: session?.sessionId ?? null });
        const url = await given().address(state, secret, session !== null);
        setCookie(providerCookie(ctx.config, request, secret, LIMITS.signInChallenge / 1000));
        return { url };
      },
    });
  }

  route({
    method: "POST",
    path: "/session/provider/answer",
    operationId: "answerOfProvider",
    audits: SIGN_IN_AUDITS,
    summary: "Sign in, or confirm the sign-in, by what the provider sent the page back with",
    who: "anybody",
    body: Exact({ query: Type.String({ minLength: 1, maxLength: 8_000 }), made: Type.Optional(MadeAnswer) }),
    answer: SignedIn,
    async handle({ body: { query, made = null }, request, setCookie }) {
      const secret = readCookie(ctx.config, request.headers, PROVIDER_COOKIE);
      const state = Buffer.from(new URLSearchParams(query).get("state") ?? "", "base64url");
      const signInRequest = secret === null ? null : await findAsked(ctx, request, state);
      if (signInRequest === null) throw new ApiError("INVALID_CREDENTIALS");
      setCookie(noProviderCookie(ctx.config, request));
      const { sessionId } = signInRequest;
      const claims = await given().claims(query, state, secret!, sessionId !== null);
      const token = await ctx.db.transaction(async (tx) => {
        if (!(await useChallenge(ctx, tx, state))) return null;
        const personId = await personOfClaims(ctx, tx, houseId, given().settings, claims, sessionId === null, made);
        const by = { personId, proof: isIdentityOf(personId, given().settings, claims), by: "provider" } as const;
        if (sessionId === null) return openSession(ctx, tx, request, houseId, by, freshUntil(claims));
        if ((claims.authenticatedAt?.getTime() ?? 0) < signInRequest.madeAt.getTime() - SKEW) return null;
        return renewSession(ctx, tx, sessionId, personId);
      });
      if (token === null) throw new ApiError("INVALID_CREDENTIALS");
      return showOpened(ctx, { request, setCookie }, token);
    },
  });
}

/**
 * The session for which a state was made (null: for a sign-in), and when; null where the state is invalid, has expired, or
 * belongs to another browser.
 */
async function findAsked(
  ctx: Context,
  { headers }: FastifyRequest,
  state: Buffer,
): Promise<{ readonly sessionId: string | null; readonly madeAt: Date } | null> {
  const toSignIn = challengeMadeAt(ctx, state, { purpose: "provider", sessionId: null });
  if (toSignIn !== null) return { sessionId: null, madeAt: toSignIn };
  const cookie = readSessionCookie(ctx.config, headers);
  const session = cookie === null ? null : await readSession(ctx, cookie, ctx.clock.date());
  if (session === null) return null;
  const madeAt = challengeMadeAt(ctx, state, { purpose: "provider", sessionId: session.sessionId });
  return madeAt === null ? null : { sessionId: session.sessionId, madeAt };
}

/** A sign-in at the provider may be hours old: it counts as fresh only from the time that the provider reports. */
function freshUntil({ authenticatedAt }: Claims): Date | null {
  return authenticatedAt === null ? null : new Date(authenticatedAt.getTime() + LIMITS.sessionFresh);
}
