import type { FastifyRequest } from "fastify";
import type { Context } from "../../context.ts";
import { clientAddress, networkOf } from "../ip.ts";
import type { RateLimits } from "../rate-limit.ts";
import type { AddRoute, Scope } from "../scope.ts";
import { requireEnrolled, requireOwnOrigin, type Session, type Sessions } from "../session.ts";

/**
 * Who may call: anybody, to sign in; whoever is signed in and has set up what a sign-in needs; or newcomers too, who set it
 * up.
 */
type SessionRules = { readonly who: "anybody" | "person" | "newcomer" };
/** Null for a route that anybody may call. */
type SessionGiven = {
  readonly request: FastifyRequest;
  readonly session: Session | null;
  /** Sends a `Set-Cookie` with the answer. */
  setCookie(value: string): void;
};
/** Adds a route below `/console/api`. */
export type SessionRoutes = AddRoute<SessionRules, SessionGiven>;

/** The console's own routes: sign-in, sessions and people. No document shows them. */
export const sessionScope = (
  ctx: Pick<Context, "config">,
  options: { readonly limits: RateLimits; readonly sessions: Sessions; readonly ours: readonly string[] },
): Scope<SessionRules, SessionGiven> => ({
  name: "session",
  async admit(request, reply, { who }) {
    const setCookie = (value: string) => void reply.header("set-cookie", value);
    // Nothing of a person stays in a cache.
    reply.header("cache-control", "no-store");
    if (who !== "anybody") {
      const session = await options.sessions.authenticate(request, reply);
      if (who === "person") requireEnrolled(session);
      return { request, setCookie, session };
    }
    options.limits.countLogin(request, reply);
    // Otherwise another site could sign a visitor in as somebody else.
    requireOwnOrigin(request, options.ours);
    return { request, setCookie, session: null };
  },
  tenantOf: ({ session, request }) => session?.personId ?? networkOf(clientAddress(request, ctx.config.trustedProxies)),
  describe: ({ who }) => ({
    needs: who,
    hidden: true,
    errors: [],
    headers: {},
    tags: [],
    notes: [],
    annotations: {},
    exactQuery: true,
    limited: true,
  }),
});
