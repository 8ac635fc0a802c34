import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { AccountAndBalance, accountRoutes } from "./accounts/routes.ts";
import { Charge, ChargeRequest, Customer } from "./charges/charge.ts";
import { chargeRoutes } from "./charges/routes.ts";
import { SplitAllocation } from "./charges/split.ts";
import type { Context } from "./context.ts";
import { sql } from "./db/sql.ts";
import { createAuthenticator } from "./http/auth.ts";
import { AccessToken, AuthError, authRoute, Credentials } from "./http/auth-route.ts";
import { ApiError } from "./http/errors.ts";
import { createServer } from "./http/server.ts";
import { OPERATOR_COMPONENTS, operatorRoutes } from "./operator/routes.ts";
import { SandboxExpiry, SandboxPayment, sandboxRoutes } from "./sandbox/routes.ts";
import type { Inbox } from "./settlement/receive.ts";
import { notificationRoutes } from "./settlement/routes.ts";
import { transactionRoutes } from "./transactions/routes.ts";
import { Transaction } from "./transactions/transaction.ts";
import { WebhookEndpoint, WebhookEndpointRequest } from "./webhooks/endpoint.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

const COMPONENTS = [
  Credentials,
  AccessToken,
  AuthError,
  Customer,
  SplitAllocation,
  ChargeRequest,
  Charge,
  Transaction,
  AccountAndBalance,
  WebhookEndpointRequest,
  WebhookEndpoint,
  SandboxPayment,
  SandboxExpiry,
];

/** What the server needs beside the context. */
export type AppParts = { readonly inbox: Inbox; readonly operatorTokenHash: Buffer };

/** The server. Reads as the table of contents of the API. */
export async function createApp(ctx: Context, parts: AppParts): Promise<FastifyInstance> {
  const app = createServer(ctx, [...COMPONENTS, ...OPERATOR_COMPONENTS]);

  await app.register(swagger, {
    openapi: OPENAPI,
    refResolver: { buildLocalReference: (json, _base, _path, i) => String(json.$id ?? `def-${i}`) },
  });

  await app.register(
    async (v2) => {
      const auth = createAuthenticator(ctx);
      authRoute(v2, ctx);
      chargeRoutes(v2, ctx, auth);
      transactionRoutes(v2, ctx, auth);
      accountRoutes(v2, ctx, auth);
      webhookRoutes(v2, ctx, auth);
      sandboxRoutes(v2, ctx, auth);
    },
    { prefix: "/v2" },
  );
  await app.register(async (scope) => operatorRoutes(scope, ctx, parts.operatorTokenHash), { prefix: "/operator/v1" });
  await app.register(async (scope) => notificationRoutes(scope, ctx, parts.inbox));
  systemRoutes(app, ctx);
  await app.ready();
  return app;
}

/** Health and reference: outside the versioned path. */
function systemRoutes(app: FastifyInstance, ctx: Context): void {
  const hidden = { schema: { hide: true } as object };
  app.get("/healthz", hidden, async () => ({ status: "ok" }));
  app.get("/readyz", hidden, async () => {
    await ctx.db.query(sql`select 1`).catch(() => {
      throw new ApiError("OVERLOADED", "The database does not answer.", {}, { "retry-after": "1" });
    });
    const usable = (await ctx.psps.all()).some((institution) => institution.status === "active");
    if (!usable) throw new ApiError("OVERLOADED", "No institution is usable.", {}, { "retry-after": "1" });
    return { status: "ready" };
  });
  app.get("/openapi.json", hidden, async () => app.swagger());
}

const OPENAPI = {
  openapi: "3.1.0",
  info: {
    title: "Pixgate",
    version: "1.0",
    description:
      "PIX charges, withdrawals, refunds, sub-accounts and webhooks. Amounts are BRL with at most two decimals.",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/" }],
  components: { securitySchemes: { bearer: { type: "http" as const, scheme: "bearer", bearerFormat: "JWT" } } },
};
