import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { addRoutes } from "../http/route.ts";
import { type SessionRoutes, sessionScope } from "../http/scopes/session.ts";
import { ownOrigins, type Sessions } from "../http/session.ts";
import { authenticatorRoutes } from "./authenticator-routes.ts";
import { confirmRoutes } from "./confirm-routes.ts";

import { noticeRoutes } from "./notices/routes.ts";
import { ownRoutes } from "./own-routes.ts";
import { passkeyRoutes, passkeySignInRoutes } from "./passkey-routes.ts";
import { passwordRoutes } from "./password-routes.ts";
import { peopleListRoutes } from "./people-routes.ts";
import { createProvider } from "./provider.ts";
import { providerRoutes } from "./provider-routes.ts";
import { recoveryLinkRoutes } from "./recovery-link-routes.ts";
import { sessionRoutes } from "./session-routes.ts";

/**
 * `/console/api`: signing in to the console, sessions and people. For accounts and operators, the console uses their APIs.
 */
export function peopleRoutes(
  app: FastifyInstance,
  ctx: Context,
  parts: {
    readonly limits: RateLimits;
    readonly sessions: Sessions;
    readonly houseId: string;
    /** Adds routes of other slices below the same path. */
    readonly addMore: (route: SessionRoutes) => void;
  },
): void {
  const route = addRoutes(app, ctx, sessionScope(ctx, { ...parts, ours: ownOrigins(ctx.config) }));
  sessionRoutes(route, ctx, parts.houseId);
  passwordRoutes(route, ctx, parts.houseId);
  providerRoutes(route, ctx, parts.houseId, createProvider(ctx));
  passkeySignInRoutes(route, ctx, parts.houseId);
  confirmRoutes(route, ctx, parts.houseId);
  passkeyRoutes(route, ctx, parts.houseId);
  authenticatorRoutes(route, ctx, parts.houseId);
  ownRoutes(route, ctx, parts.houseId);
  peopleListRoutes(route, ctx, parts.houseId);
  noticeRoutes(route, ctx);
  recoveryLinkRoutes(route, ctx, parts.houseId);
  parts.addMore(route);
}
