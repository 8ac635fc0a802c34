import type { FastifyRequest } from "fastify";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../lib/limits.ts";
import { createTally } from "../admission.ts";
import { requireFreshAlways, requireFreshOf } from "../fresh.ts";
import { clientAddress, networkOf } from "../ip.ts";
import type { RateLimits } from "../rate-limit.ts";
import type { AddRoute, Scope } from "../scope.ts";
import { requireEnrolled, requireOwnOrigin, type Session, type Sessions } from "../session.ts";

/**
 * Who may call a route: everybody, to sign in; signed-in people who have set up what a sign-in needs; or also newcomers,
 * who are setting it up.
 */
type SessionRules = { readonly who: "anybody" | "person" | "newcomer" };
/** Null for a route that everybody may call. */
type SessionGiven = {
  readonly request: FastifyRequest;
  readonly session: Session | null;
  /** Sends a `Set-Cookie` with the answer. */
  setCookie(value: string): void;
};
/** Adds a route below `/console/api`. */
export type SessionRoutes = AddRoute<SessionRules, SessionGiven>;

/**
 * Limits the strangers' calls that are worked on, apart from merchants' calls, which have their own slots
 * (http/admission.ts).
 */
function createStrangers() {
  const tally = createTally();
  return {
    enter(network: string): (() => void) | null {
      if (tally.all() >= LIMITS.strangersAtOnce || tally.of(network) >= LIMITS.strangersOfNetwork) return null;
      tally.add(network, 1);
      let left = false;
      return () => {
        if (!left) tally.add(network, -1);
        left = true;
      };
    },
  };
}

/** The console's own routes: sign-in, sessions and people. No document shows them. */
export const sessionScope = (
  ctx: Pick<Context, "clock" | "config">,
  options: { readonly limits: RateLimits; readonly sessions: Sessions; readonly ours: readonly string[] },
): Scope<SessionRules, SessionGiven> => {
  const strangers = createStrangers();
  return {
    name: "session",
    async admit(request, reply, route) {
      const setCookie = (value: string) => void reply.header("set-cookie", value);
      // Caches must store nothing of a person.
      reply.header("cache-control", "no-store");
      if (route.who !== "anybody") {
        const session = await options.sessions.authenticate(request, reply);
        if (route.who === "person") requireEnrolled(session);
        requireFreshAlways(route, session, ctx.clock.date());
        return { request, setCookie, session };
      }
      options.limits.countSignIn(request, reply);
      // Otherwise another site could sign a visitor in as somebody else.
      requireOwnOrigin(request, options.ours);
      return { request, setCookie, session: null };
    },
    admitBody: ({ session }, { body }, route) => requireFreshOf(route, session, body, ctx.clock.date()),
    tenantOf: ({ session }) => session?.personId,
    enter: ({ session, request }) =>
      session === null ? strangers.enter(networkOf(clientAddress(request, ctx.config.trustedProxies))) : undefined,
    strangers: ({ who }) => who === "anybody",
    describe: ({ who }) => ({
      needs: who,
      hidden: true,
      exactQuery: true,
      limited: true,
    }),
  };
};
