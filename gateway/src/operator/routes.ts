import type { FastifyInstance, FastifyRequest } from "fastify";
import { type TSchema, Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { component, dropOptionalNulls } from "../http/contract.ts";
import { ref, resolver } from "../http/endpoint.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { verify } from "../ledger/verify.ts";
import { safeEqual, sha256 } from "../lib/secrets.ts";
import { findTextProblem } from "../lib/text.ts";
import type { Applier } from "../settlement/apply.ts";
import { ACCOUNT_COMPONENTS, accountRoutes } from "./accounts.ts";
import { Adjustment, AdjustmentRequest, adjustmentRoute } from "./adjustments.ts";
import { AuditEntry, AuditPage, auditLogRoute } from "./audit-log.ts";
import { BalanceBlockRequest, BalanceBlockResolution, balanceBlockRoutes } from "./balance-blocks.ts";
import { CREDENTIAL_COMPONENTS, credentialRoutes } from "./credentials.ts";
import { operatorEndpoint } from "./endpoint.ts";
import { INSTITUTION_COMPONENTS, institutionRoutes } from "./institutions.ts";
import { RECONCILIATION_COMPONENTS, reconciliationRoute } from "./reconciliation.ts";
import { SubAccountPatch, subAccountPatchRoute } from "./sub-accounts.ts";

const Verification = component(
  "Verification",
  Type.Object(
    {
      ok: Type.Boolean({ description: "True when nothing is broken." }),
      lines: Type.Integer({ description: "How many ledger lines were looked at." }),
      violations: Type.Array(
        Type.Object(
          {
            invariant: Type.String({ description: "What does not hold, with its number in docs/money.md." }),
            accountId: Type.String({ format: "uuid", description: "In which account." }),
            detail: Type.String({ description: "Where." }),
          },
          { description: "One place where an invariant does not hold." },
        ),
        { description: "What is broken, at most 100 of each invariant." },
      ),
    },
    { description: "Whether the books are in order." },
  ),
);

/** Components of the operator's document. */
export const OPERATOR_COMPONENTS = [
  ...ACCOUNT_COMPONENTS,
  ...CREDENTIAL_COMPONENTS,
  SubAccountPatch,
  AdjustmentRequest,
  Adjustment,
  BalanceBlockRequest,
  BalanceBlockResolution,
  AuditEntry,
  AuditPage,
  Verification,
  ...INSTITUTION_COMPONENTS,
  ...RECONCILIATION_COMPONENTS,
] as const;

/** The operator API (`/operator/v1`): who may use it has the operator token; every change is in the audit log. */
export function operatorRoutes(
  app: FastifyInstance,
  ctx: Context,
  {
    operatorTokenHash: tokenHash,
    houseId,
    applier,
  }: { readonly operatorTokenHash: Buffer; readonly houseId: string; readonly applier: Applier },
): void {
  app.addHook("onRequest", async (request: FastifyRequest) => {
    const header = request.headers.authorization;
    if (header === undefined) throw new ApiError("TOKEN_MISSING");
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    if (!safeEqual(sha256(token), tokenHash)) throw new ApiError("TOKEN_INVALID");
  });
  app.addHook("preValidation", async (request: FastifyRequest) => {
    for (const [part, value] of [
      ["body", request.body],
      ["path", request.params],
      ["query", request.query],
    ] as const) {
      const problem = findTextProblem(value);
      if (problem) throw invalid(part === "body" ? problem.path || part : part, problem.message);
    }
    const schema = request.routeOptions.schema?.body as TSchema | undefined;
    if (schema) dropOptionalNulls(schema, request.body, resolver(app));
  });

  accountRoutes(app, ctx, houseId);
  credentialRoutes(app, ctx, houseId);
  subAccountPatchRoute(app, ctx, houseId);
  adjustmentRoute(app, ctx, houseId);
  balanceBlockRoutes(app, ctx, houseId);
  institutionRoutes(app, ctx, houseId);
  reconciliationRoute(app, ctx, houseId, applier);
  auditLogRoute(app, ctx, houseId);

  operatorEndpoint(app, ctx, houseId, {
    method: "GET",
    path: "/ledger/verify",
    operationId: "verifyLedger",
    summary: "Check the books",
    description: "Asks every invariant of docs/money.md on one snapshot. Reads the whole ledger.",
    status: 200,
    answer: ref(Verification),
    handle: () =>
      ctx.db.transaction(async (tx) => {
        await tx.query(sql`set transaction isolation level repeatable read, read only`);
        return verify(tx);
      }),
  });
}
