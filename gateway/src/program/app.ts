import type { FastifyInstance } from "fastify";
import { checkoutSettingsRoutes } from "../accounts/checkout-settings/routes.ts";
import { credentialRoutes } from "../accounts/credentials/operator-routes.ts";
import { accountCredentialRoutes } from "../accounts/credentials/routes.ts";
import { operatorAccountRoutes } from "../accounts/operator-routes.ts";
import { accountWalletRoutes } from "../accounts/operator-wallets.ts";
import { projectRoutes } from "../accounts/projects/routes.ts";
import { accountRoutes } from "../accounts/routes.ts";
import { subAccountPatchRoute } from "../accounts/sub-accounts/operator-routes.ts";
import { subAccountRoutes } from "../accounts/sub-accounts/routes.ts";
import { auditExportRoutes } from "../audit-log/operator-export.ts";
import { auditLogRoute } from "../audit-log/operator-routes.ts";
import { findingRoutes } from "../auditor/operator-routes.ts";
import { verifyRoute } from "../auditor/operator-verify.ts";
import type { Applier } from "../booking/apply.ts";
import { caseRoutes } from "../cases/operator-routes.ts";
import { createIntentWriter } from "../charges/intent.ts";
import { operatorChargeRoutes } from "../charges/operator-routes.ts";
import { qrCodeRoutes } from "../charges/qr-codes/routes.ts";
import { qrRoute } from "../charges/qr-route.ts";
import { chargeRoutes } from "../charges/routes.ts";
import { PAYER_PAGES } from "../checkout/page.ts";
import { createLinkOpener, linkPayerRoutes } from "../checkout/payment-links/payer-routes.ts";
import { paymentLinkRoutes } from "../checkout/payment-links/routes.ts";
import { createVisitCounter } from "../checkout/payment-links/visits.ts";
import { receiptRoute } from "../checkout/receipt-route.ts";
import { checkoutRoutes } from "../checkout/routes.ts";
import { createPayerStreams } from "../checkout/streams.ts";
import { blockFileRoutes } from "../claims/blocks/files/routes.ts";
import { disputeRoutes } from "../claims/blocks/operator-disputes.ts";
import { balanceBlockRoutes } from "../claims/blocks/operator-routes.ts";
import { blockRoutes } from "../claims/blocks/routes.ts";
import { refundRoutes } from "../claims/refunds/routes.ts";
import { returnRoutes } from "../claims/returns/routes.ts";
import { closeRoutes } from "../close/operator-routes.ts";
import type { Context } from "../context.ts";
import { Raw } from "../http/answer.ts";
import { createAuthenticator } from "../http/auth.ts";
import { authRoute } from "../http/auth-route.ts";
import { roundRoute } from "../http/console/round-route.ts";
import { consoleRoutes } from "../http/console/routes.ts";
import { docsRoutes } from "../http/docs-route.ts";
import { guard } from "../http/guard.ts";
import { healthRoutes } from "../http/health-routes.ts";
import { jobRoutes } from "../http/jobs/operator-routes.ts";
import { metricsRoute } from "../http/metrics-route.ts";
import { documentText, type OpenApiDocument, openApiDocument } from "../http/openapi.ts";
import { createRateLimits, type RateLimits } from "../http/rate-limit.ts";
import { rawDocument, rememberRoutes } from "../http/raw-document.ts";
import { requestRoutes } from "../http/request-log/routes.ts";
import { addRoutes } from "../http/route.ts";
import { liveScope } from "../http/scopes/live.ts";
import { loginScope } from "../http/scopes/login.ts";
import { MERCHANT_DOCUMENT, type MerchantRoutes, merchantScope } from "../http/scopes/merchant.ts";
import { OPERATOR_DOCUMENT, type OperatorRoutes, operatorScope } from "../http/scopes/operator.ts";
import { answerNoPage, PAYER_DOCUMENT, payerScope } from "../http/scopes/payer.ts";
import { type PublicRoutes, publicScope } from "../http/scopes/public.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { createServer } from "../http/server.ts";
import type { Sessions } from "../http/session.ts";
import { takeForms } from "../http/take-json.ts";
import type { Inbox } from "../inbox/receive.ts";
import { notificationRoutes } from "../inbox/routes.ts";
import { bankRoutes } from "../institutions/bank-routes.ts";
import { institutionWatchRoutes } from "../institutions/operator-health.ts";
import { operatorInstitutionRoutes } from "../institutions/operator-routes.ts";
import { institutionRoutes } from "../institutions/routes.ts";
import { installationStreamRoute, walletStreamRoute } from "../live/routes.ts";
import { createStreams } from "../live/streams.ts";
import { tokenRoutes } from "../operator-tokens/operator-routes.ts";
import { brakeRoutes } from "../outgoing/brakes/operator-routes.ts";
import { operatorPeopleRoutes } from "../people/operator-routes.ts";
import { peopleRoutes } from "../people/routes.ts";
import { createSessions } from "../people/sessions.ts";
import { personRoutes } from "../persons/operator-routes.ts";
import { makeInfractionsDue } from "../polls/infractions.ts";
import { balanceRoutes } from "../reconciliation/enter-balance.ts";
import { reconciliationMonthRoute, reconciliationRoutes } from "../reconciliation/operator-routes.ts";
import { restoreRoutes } from "../reconciliation/restore/operator-routes.ts";
import { sandboxBlockRoutes } from "../sandbox/balance-blocks.ts";
import { outageRoutes } from "../sandbox/outage-routes.ts";
import { sandboxQrCodeRoutes } from "../sandbox/qr-codes.ts";
import { sandboxRefundRoutes } from "../sandbox/refunds.ts";
import { sandboxRoutes } from "../sandbox/routes.ts";
import { createTraffic } from "../sandbox/traffic.ts";
import { trafficRoutes } from "../sandbox/traffic-routes.ts";
import { sandboxWithdrawalRoutes } from "../sandbox/withdrawals.ts";
import { operatorSearchRoute } from "../search/operator-routes.ts";
import { searchRoutes } from "../search/routes.ts";
import { operatorStatementRoutes } from "../statement/operator-routes.ts";
import { statementRoutes } from "../statement/routes.ts";
import { invoiceRoutes } from "../transactions/invoices/routes.ts";
import { noteRoutes } from "../transactions/notes/routes.ts";
import { transactionRoutes } from "../transactions/routes.ts";
import { adjustmentRoute } from "../transfers/adjustments/operator-routes.ts";
import { transferRoutes } from "../transfers/routes.ts";
import { treasuryRoutes } from "../treasury/operator-routes.ts";
import { unmatchedRoutes } from "../unmatched/operator-routes.ts";
import { webhookRoutes } from "../webhooks/endpoints/routes.ts";
import { operatorWebhookRoutes } from "../webhooks/operator-routes.ts";
import { approveAtBank } from "../withdrawals/approve-at-bank.ts";
import { operatorWithdrawalRoutes } from "../withdrawals/operator-routes.ts";
import { REMAINING_LIMITS } from "../withdrawals/remaining.ts";
import { withdrawalRoutes } from "../withdrawals/routes.ts";
import { CASE_ACTIONS } from "./case-actions.ts";
import { EVENT_WEBHOOKS, EVENTS } from "./events.ts";
import { queueRoute } from "./queues.ts";

/** What the server needs beside the context. */
export type AppParts = {
  readonly applier: Applier;
  readonly inbox: Inbox;
  /** The operator token of sandbox.json; null where there is none. */
  readonly sandboxTokenHash: Buffer | null;
  readonly houseId: string;
  /** Whether a sandbox is complete. The server listens before that, because the sandbox's simulator needs an address. */
  readonly isPrepared: () => boolean;
};

/** The server. It reads like the table of contents of the API. */
export async function createApp(ctx: Context, parts: AppParts): Promise<FastifyInstance> {
  const app = createServer(ctx);
  const limits = createRateLimits(ctx);
  const auth = createAuthenticator(ctx, limits);
  const sessions = createSessions(ctx, limits);
  const live = liveScope(ctx, sessions);
  const streams = createStreams(ctx, sessions);
  app.addHook("preClose", async () => streams.stop());
  guard(app.server, ctx, auth.accountOf);

  rememberRoutes(app);

  await app.register(
    async (v2) => {
      authRoute(addRoutes(v2, ctx, loginScope(ctx, limits)), ctx, limits);
      const route = addRoutes(v2, ctx, merchantScope(ctx, auth, sessions));
      chargeRoutes(route, ctx, parts.applier);
      qrCodeRoutes(route, ctx);
      withdrawalRoutes(route, ctx);
      transactionRoutes(route, ctx);
      invoiceRoutes(route, ctx);
      noteRoutes(route, ctx);
      refundRoutes(route, ctx);
      returnRoutes(route, ctx);
      blockRoutes(route, ctx);
      blockFileRoutes(route, ctx);
      transferRoutes(route, ctx);
      statementRoutes(route, ctx);
      searchRoutes(route, ctx);
      accountRoutes(route, ctx, REMAINING_LIMITS);
      requestRoutes(route, ctx, v2);
      subAccountRoutes(route, ctx);
      projectRoutes(route, ctx);
      payersRoutes(route, ctx);
      institutionRoutes(route, ctx);
      webhookRoutes(route, ctx, EVENTS);
      walletStreamRoute(addRoutes(v2, ctx, live), streams);
      simulateRoutes(route, ctx);
    },
    { prefix: "/v2" },
  );
  await app.register(
    async (v1) => {
      operatorRoutes(addRoutes(v1, ctx, operatorScope(ctx, { ...parts, limits, sessions })), ctx, parts);
      installationStreamRoute(addRoutes(v1, ctx, live), streams);
    },
    { prefix: "/operator/v1" },
  );
  const addMore = addConsoleRoutes(app, ctx, sessions);
  await app.register(async (people) => peopleRoutes(people, ctx, { ...parts, limits, sessions, addMore }), {
    prefix: "/console/api",
  });
  await addPayerRoutes(app, ctx, limits);
  await app.register(async (psp) => notificationRoutes(psp, ctx, parts.inbox, approveAtBank));
  const open = addRoutes(app, ctx, publicScope);
  healthRoutes(open, ctx, parts.isPrepared);
  metricsRoute(open, ctx);
  documentRoutes(open, app, ctx.config.checkout);
  docsRoutes(open);
  consoleRoutes(open, ctx);
  await app.ready();
  return app;
}

/** What merchants show to their payers, and give them. */
function payersRoutes(route: MerchantRoutes, ctx: Context): void {
  paymentLinkRoutes(route, ctx);
  checkoutSettingsRoutes(route, ctx);
  receiptRoute(route, ctx);
}

/** What moves the simulator (`/sandbox`). */
function simulateRoutes(route: MerchantRoutes, ctx: Context): void {
  sandboxRoutes(route, ctx);
  sandboxQrCodeRoutes(route, ctx);
  sandboxRefundRoutes(route, ctx);
  sandboxWithdrawalRoutes(route, ctx);
  sandboxBlockRoutes(route, ctx, (institutionId) => makeInfractionsDue(ctx, institutionId));
}

/** The operator API (`/operator/v1`): each route names the role it needs; every change is in the audit log. */
function operatorRoutes(route: OperatorRoutes, ctx: Context, { applier, houseId }: AppParts): void {
  operatorAccountRoutes(route, ctx);
  accountWalletRoutes(route, ctx);
  operatorStatementRoutes(route, ctx);
  operatorWebhookRoutes(route, ctx);
  credentialRoutes(route, ctx);
  subAccountPatchRoute(route);
  adjustmentRoute(route);
  balanceBlockRoutes(route);
  bankRoutes(route);
  operatorInstitutionRoutes(route, ctx, houseId);
  operatorChargeRoutes(route, ctx);
  institutionWatchRoutes(route, ctx);
  balanceRoutes(route, ctx, houseId);
  queueRoute(route, ctx);
  reconciliationRoutes(route, ctx, { applier, houseId });
  reconciliationMonthRoute(route, ctx, houseId);
  unmatchedRoutes(route, houseId);
  treasuryRoutes(route, ctx, houseId);
  closeRoutes(route, ctx);
  caseRoutes(route, ctx, houseId, CASE_ACTIONS);
  brakeRoutes(route, ctx, houseId);
  restoreRoutes(route, ctx, houseId, CASE_ACTIONS);
  operatorWithdrawalRoutes(route, ctx);
  disputeRoutes(route, ctx);
  findingRoutes(route, ctx, houseId);
  jobRoutes(route, ctx);
  auditLogRoute(route, ctx, houseId);
  auditExportRoutes(route, ctx);
  tokenRoutes(route, ctx, houseId);
  operatorPeopleRoutes(route, houseId);
  personRoutes(route, houseId);
  operatorSearchRoute(route, houseId);
  verifyRoute(route, ctx);
}

/** The console's routes beside people and sessions. @returns what adds them below `/console/api`. */
function addConsoleRoutes(app: FastifyInstance, ctx: Context, sessions: Sessions): (route: SessionRoutes) => void {
  const traffic = ctx.config.environment === "production" ? null : createTraffic(ctx, app.server);
  app.addHook("preClose", async () => traffic?.endAll());
  return (route) => {
    accountCredentialRoutes(route, ctx);
    qrRoute(route);
    roundRoute(route, ctx, app);
    if (traffic !== null) {
      trafficRoutes(route, sessions, traffic);
      outageRoutes(route, ctx);
    }
  };
}

/** `/pay`: the pages that payers see. */
async function addPayerRoutes(app: FastifyInstance, ctx: Context, limits: RateLimits): Promise<void> {
  if (!ctx.config.checkout) return;
  const [streams, visits] = [createPayerStreams(ctx), createVisitCounter(ctx)];
  app.addHook("preClose", async () => {
    streams.stop();
    await visits.stop();
  });
  await app.register(
    async (pay) => {
      takeForms(pay);
      const route = addRoutes(pay, ctx, payerScope(ctx, limits, PAYER_PAGES));
      checkoutRoutes(route, ctx, streams, createLinkOpener(ctx, visits));
      linkPayerRoutes(route, ctx, createIntentWriter(ctx), visits);
      // The refusal of a path without a route reaches the handler of errors, not this one.
      pay.setNotFoundHandler(() => {});
      pay.setErrorHandler<Error>((error, request, reply) => answerNoPage(PAYER_PAGES, error, request, reply));
    },
    { prefix: "/pay" },
  );
}

/** The routes of a process that only runs loops: its own health. */
export async function createWorkerApp(ctx: Context): Promise<FastifyInstance> {
  const app = createServer(ctx);
  const open = addRoutes(app, ctx, publicScope);
  healthRoutes(open, ctx, () => true);
  metricsRoute(open, ctx);
  await app.ready();
  return app;
}

/** @param hasPages whether charges have a page; without them nothing is served below `/pay`. */
function documentRoutes(route: PublicRoutes, app: FastifyInstance, hasPages: boolean): void {
  for (const [path, name] of [
    ["/openapi.json", "merchant"],
    ["/operator/v1/openapi.json", "operator"],
    ["/pay/openapi.json", "payer"],
  ] as const) {
    if (name === "payer" && !hasPages) continue;
    // The same bytes for all callers, so that unread answers hold no copies.
    let document: Promise<Buffer> | null = null;
    route({
      method: "GET",
      path,
      operationId: "readDocument",
      work: "none",
      summary: `The OpenAPI document of what ${name}s call`,
      async handle() {
        document ??= describe(app).then((documents) => Buffer.from(documentText(documents[name])));
        return new Raw("application/json; charset=utf-8", await document);
      },
    });
  }
}

/** The published documents, from the schemas that validate. */
export async function describe(
  app: FastifyInstance,
): Promise<Readonly<Record<"merchant" | "operator" | "payer", OpenApiDocument>>> {
  const components = app.getSchemas();
  const raw = await rawDocument(app, {
    openapi: "3.1.0",
    info: { title: "Pixgate", version: "1.0" },
    components: { securitySchemes: MERCHANT_DOCUMENT.security },
  });
  return {
    merchant: openApiDocument(raw, components, { ...MERCHANT_DOCUMENT, webhooks: EVENT_WEBHOOKS }),
    operator: openApiDocument(raw, components, OPERATOR_DOCUMENT),
    payer: openApiDocument(raw, components, PAYER_DOCUMENT),
  };
}
