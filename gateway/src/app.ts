import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { AccountAndBalance, accountRoutes, Money } from "./accounts/routes.ts";
import { BalanceBlock, BalanceBlockList, DefenseRequest } from "./blocks/block.ts";
import { blockRoutes } from "./blocks/routes.ts";
import { Charge, ChargeRequest, Customer } from "./charges/charge.ts";
import { ChargeCancellation, chargeRoutes } from "./charges/routes.ts";
import { SplitAllocation } from "./charges/split.ts";
import type { Config } from "./config.ts";
import { type Context, createHints, systemClock } from "./context.ts";
import { ONE_SERVER } from "./db/shards.ts";
import { sql } from "./db/sql.ts";
import { EVENT_COMPONENTS, EVENT_WEBHOOKS, EVENTS } from "./events.ts";
import { createAuthenticator } from "./http/auth.ts";
import { AccessToken, AuthError, authRoute, Credentials } from "./http/auth-route.ts";
import { docsRoute } from "./http/docs-route.ts";
import { ApiError } from "./http/errors.ts";
import { guard } from "./http/guard.ts";
import { metricsRoute } from "./http/metrics-route.ts";
import { documentText, type OpenApiDocument, openApiDocument } from "./http/openapi.ts";
import { createRateLimits } from "./http/rate-limit.ts";
import { MERCHANT_SCOPE, OPERATOR_SCOPE } from "./http/reference.ts";
import { createServer } from "./http/server.ts";
import { Institution, InstitutionPage, institutionRoutes } from "./institutions/routes.ts";
import { createAdmission } from "./lib/admission.ts";
import { createMetrics } from "./lib/metrics.ts";
import { NO_TRACING } from "./lib/tracing.ts";
import { OPERATOR_COMPONENTS, operatorRoutes } from "./operator/routes.ts";
import { Project, ProjectPage, ProjectRequest } from "./projects/project.ts";
import { projectRoutes } from "./projects/routes.ts";
import { Refund, RefundPage, RefundRequest } from "./refunds/refund.ts";
import { refundRoutes } from "./refunds/routes.ts";
import { SandboxBlockEnd, SandboxContest, sandboxBlockRoutes } from "./sandbox/balance-blocks.ts";
import { SandboxRefundEnd, sandboxRefundRoutes } from "./sandbox/refunds.ts";
import { SandboxExpiry, SandboxPayment, sandboxRoutes } from "./sandbox/routes.ts";
import { SandboxWithdrawalEnd, sandboxWithdrawalRoutes } from "./sandbox/withdrawals.ts";
import type { Applier } from "./settlement/apply.ts";
import { makeInfractionsDue } from "./settlement/poll-infractions.ts";
import type { Inbox } from "./settlement/receive.ts";
import { notificationRoutes } from "./settlement/routes.ts";
import { statementRoutes } from "./statement/routes.ts";
import { StatementItem, StatementPage } from "./statement/statement.ts";
import { subAccountRoutes } from "./sub-accounts/routes.ts";
import { SubAccount, SubAccountList, SubAccountRequest } from "./sub-accounts/sub-account.ts";
import { TransactionPage } from "./transactions/list.ts";
import { transactionRoutes } from "./transactions/routes.ts";
import { BlockedDeposit, Transaction } from "./transactions/transaction.ts";
import { transferRoutes } from "./transfers/routes.ts";
import { Transfer, TransferRequest } from "./transfers/transfer.ts";
import { WEBHOOK_COMPONENTS } from "./webhooks/components.ts";
import { webhookRoutes } from "./webhooks/endpoints/routes.ts";
import { withdrawalRoutes } from "./withdrawals/routes.ts";
import { Withdrawal, WithdrawalPage, WithdrawalRequest } from "./withdrawals/schema.ts";

const COMPONENTS = [
  Credentials,
  AccessToken,
  AuthError,
  Customer,
  SplitAllocation,
  ChargeRequest,
  Charge,
  ChargeCancellation,
  Transaction,
  TransactionPage,
  RefundRequest,
  Refund,
  RefundPage,
  WithdrawalRequest,
  Withdrawal,
  WithdrawalPage,
  TransferRequest,
  Transfer,
  StatementItem,
  StatementPage,
  Money,
  AccountAndBalance,
  SubAccountRequest,
  SubAccount,
  SubAccountList,
  ProjectRequest,
  Project,
  ProjectPage,
  ...WEBHOOK_COMPONENTS,
  Institution,
  InstitutionPage,
  SandboxPayment,
  SandboxExpiry,
  SandboxRefundEnd,
  SandboxWithdrawalEnd,
  BalanceBlock,
  BalanceBlockList,
  DefenseRequest,
  SandboxContest,
  SandboxBlockEnd,
  BlockedDeposit,
  ...EVENT_COMPONENTS,
];

/** What the server needs beside the context. */
type AppParts = {
  readonly applier: Applier;
  readonly inbox: Inbox;
  /** The operator token of sandbox.json; null where there is none. */
  readonly sandboxTokenHash: Buffer | null;
  readonly houseId: string;
};

/** The server. Reads as the table of contents of the API. */
export async function createApp(ctx: Context, parts: AppParts): Promise<FastifyInstance> {
  const app = createServer(ctx, [...COMPONENTS, ...OPERATOR_COMPONENTS]);
  guard(app.server, ctx);

  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Pixgate", version: "1.0" },
      components: { securitySchemes: MERCHANT_SCOPE.security as never },
    },
    refResolver: { buildLocalReference: (json, _base, _path, i) => String(json.$id ?? `def-${i}`) },
  });

  const limits = createRateLimits(ctx);
  await app.register(
    async (v2) => {
      const auth = createAuthenticator(ctx, limits);
      authRoute(v2, ctx, limits);
      chargeRoutes(v2, ctx, auth, parts.applier);
      withdrawalRoutes(v2, ctx, auth);
      transactionRoutes(v2, ctx, auth);
      refundRoutes(v2, ctx, auth);
      blockRoutes(v2, ctx, auth);
      transferRoutes(v2, ctx, auth);
      statementRoutes(v2, ctx, auth);
      accountRoutes(v2, ctx, auth);
      subAccountRoutes(v2, ctx, auth);
      projectRoutes(v2, ctx, auth);
      institutionRoutes(v2, ctx, auth);
      webhookRoutes(v2, ctx, auth, EVENTS);
      sandboxRoutes(v2, ctx, auth);
      sandboxRefundRoutes(v2, ctx, auth);
      sandboxWithdrawalRoutes(v2, ctx, auth);
      sandboxBlockRoutes(v2, ctx, auth, (institutionId) => makeInfractionsDue(ctx, institutionId));
    },
    { prefix: "/v2" },
  );
  await app.register(async (scope) => operatorRoutes(scope, ctx, { ...parts, limits }), { prefix: "/operator/v1" });
  await app.register(async (scope) => notificationRoutes(scope, ctx, parts.inbox));
  healthRoutes(app, ctx);
  documentRoutes(app);
  metricsRoute(app, ctx);
  docsRoute(app);
  await app.ready();
  return app;
}

/** What a process that only runs loops answers: how it is. */
export async function createWorkerApp(ctx: Context): Promise<FastifyInstance> {
  const app = createServer(ctx, []);
  healthRoutes(app, ctx);
  metricsRoute(app, ctx);
  await app.ready();
  return app;
}

const hidden = { schema: { hide: true } as object };

/** Outside the versioned path, as the documents are. */
function healthRoutes(app: FastifyInstance, ctx: Context): void {
  app.get("/healthz", hidden, async () => ({ status: "ok" }));
  app.get("/readyz", hidden, async () => {
    await ctx.db.query(sql`select 1`).catch(() => {
      throw new ApiError("OVERLOADED", "The database does not answer.", {}, { "retry-after": "1" });
    });
    const usable = (await ctx.psps.all()).some((institution) => institution.status === "active");
    if (!usable) throw new ApiError("OVERLOADED", "No institution is usable.", {}, { "retry-after": "1" });
    return { status: "ready" };
  });
}

function documentRoutes(app: FastifyInstance): void {
  for (const [url, name] of [
    ["/openapi.json", "merchant"],
    ["/operator/v1/openapi.json", "operator"],
  ] as const) {
    let text: string | null = null;
    app.get(url, hidden, async (_request, reply) => {
      text ??= documentText(describe(app)[name]);
      return reply.header("content-type", "application/json; charset=utf-8").send(text);
    });
  }
}

/** The published documents, from the schemas that validate. */
function describe(app: FastifyInstance): Readonly<Record<"merchant" | "operator", OpenApiDocument>> {
  const [raw, components] = [app.swagger(), app.getSchemas()];
  return {
    merchant: openApiDocument(raw, components, { ...MERCHANT_SCOPE, webhooks: EVENT_WEBHOOKS }),
    operator: openApiDocument(raw, components, OPERATOR_SCOPE),
  };
}

/** The same without a database: the routes are registered and never called (`main.ts openapi`). */
export async function describeApi(config: Config): Promise<ReturnType<typeof describe>> {
  const metrics = createMetrics();
  const ctx = {
    config,
    // Nothing is stored: only how accounts would be spread.
    db: { shards: ONE_SERVER } as Context["db"],
    clock: systemClock,
    log: pino({ level: "silent" }),
    hints: createHints(),
    metrics,
    admission: createAdmission({ most: config.callsWaiting, metrics, now: () => performance.now() }),
    tracing: NO_TRACING,
  } as Partial<Context>;
  const app = await createApp(ctx as Context, {} as AppParts);
  try {
    return describe(app);
  } finally {
    await app.close();
  }
}
