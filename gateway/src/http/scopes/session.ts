import type { FastifyRequest } from "fastify";
import { LIMITS } from "../../config.ts";
import type { Context } from "../../context.ts";
import { createTally } from "../../lib/admission.ts";
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

/** Counts the calls of strangers that are worked on, apart from merchants' calls, which have their own slots (lib/admission.ts). */
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
  ctx: Pick<Context, "config">,
  options: { readonly limits: RateLimits; readonly sessions: Sessions; readonly ours: readonly string[] },
): Scope<SessionRules, SessionGiven> => {
  const strangers = createStrangers();
  return {
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
      options.limits.countSignIn(request, reply);
      // Otherwise another site could sign a visitor in as somebody else.
      requireOwnOrigin(request, options.ours);
      return { request, setCookie, session: null };
    },
    tenantOf: ({ session }) => session?.personId,
    enter: ({ session, request }) =>
      session === null ? strangers.enter(networkOf(clientAddress(request, ctx.config.trustedProxies))) : undefined,
    strangers: ({ who }) => who === "anybody",
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
  };
};
