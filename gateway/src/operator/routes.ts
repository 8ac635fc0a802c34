import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { credentialRoutes } from "../accounts/credentials/operator-routes.ts";
import { accountRoutes } from "../accounts/operator-routes.ts";
import { adjustmentRoute } from "../adjustments/adjust.ts";
import { auditExportRoutes } from "../audit-log/operator-export.ts";
import { auditLogRoute } from "../audit-log/operator-routes.ts";
import { findingRoutes } from "../auditor/operator-routes.ts";
import { verifyBooks } from "../auditor/verify-books.ts";
import { disputeRoutes } from "../blocks/operator-disputes.ts";
import { balanceBlockRoutes } from "../blocks/operator-routes.ts";
import { brakeRoutes } from "../brakes/operator-routes.ts";
import { caseRoutes } from "../cases/operator-routes.ts";
import { closeRoutes } from "../close/operator-routes.ts";
import type { Context } from "../context.ts";
import { component, ref } from "../http/contract.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { addRoutes } from "../http/route.ts";
import { type OperatorRoutes, operatorScope } from "../http/scopes/operator.ts";
import type { Sessions } from "../http/session.ts";
import { institutionWatchRoutes } from "../institutions/operator-health.ts";
import { institutionRoutes } from "../institutions/operator-routes.ts";
import { jobRoutes } from "../jobs/operator-routes.ts";
import { runJob } from "../jobs/run.ts";
import { tokenRoutes } from "../operator-tokens/operator-routes.ts";
import { personRoutes } from "../persons/operator-routes.ts";
import { queueRoute } from "../queues/operator-routes.ts";
import { balanceRoutes } from "../reconciliation/enter-balance.ts";
import { reconciliationMonthRoute, reconciliationRoutes } from "../reconciliation/operator-routes.ts";
import { restoreRoutes } from "../restore/operator-routes.ts";
import { searchRoute } from "../search/operator-routes.ts";
import type { Applier } from "../settlement/apply.ts";
import { subAccountPatchRoute } from "../sub-accounts/operator-routes.ts";
import { treasuryRoutes } from "../treasury/operator-routes.ts";
import { unmatchedRoutes } from "../unmatched/operator-routes.ts";
import { withdrawalRoutes } from "../withdrawals/operator-routes.ts";
import { accountDeskRoutes } from "./account-desk.ts";
import { CASE_ACTIONS } from "./case-actions.ts";

const Verification = component(
  "Verification",
  Type.Object(
    {
      ok: Type.Boolean({ description: "True when nothing is broken." }),
      lines: Type.Integer({ description: "How many ledger lines were checked." }),
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

/** What the operator's routes need beside the context. */
type OperatorParts = {
  /** The token of sandbox.json; null where there is none. */
  readonly sandboxTokenHash: Buffer | null;
  readonly houseId: string;
  readonly applier: Applier;
  readonly limits: RateLimits;
  readonly sessions: Sessions;
  /** Adds the routes of people, a slice that the operator API does not know. */
  addPeople(route: OperatorRoutes): void;
};

/** The operator API (`/operator/v1`): each route names the role it needs; every change is in the audit log. */
export function operatorRoutes(
  app: FastifyInstance,
  ctx: Context,
  { sandboxTokenHash, houseId, applier, limits, sessions, addPeople }: OperatorParts,
): void {
  const route = addRoutes(app, ctx, operatorScope(ctx, { sandboxTokenHash, houseId, limits, sessions }));
  accountRoutes(route, ctx);
  accountDeskRoutes(route, ctx);
  credentialRoutes(route, ctx);
  subAccountPatchRoute(route);
  adjustmentRoute(route);
  balanceBlockRoutes(route);
  institutionRoutes(route, ctx, houseId);
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
  withdrawalRoutes(route, ctx);
  disputeRoutes(route, ctx);
  findingRoutes(route, ctx, houseId);
  jobRoutes(route, ctx);
  auditLogRoute(route, ctx, houseId);
  auditExportRoutes(route, ctx);
  tokenRoutes(route, ctx, houseId);
  addPeople(route);
  personRoutes(route, houseId);
  searchRoute(route, houseId);

  route({
    method: "GET",
    path: "/ledger/verify",
    operationId: "ledger.verify",
    work: "job",
    summary: "Check the books",
    description:
      "Asks every invariant of docs/money.md on one snapshot. Reads the whole ledger; whoever asks meanwhile gets the result of the check that runs.",
    role: "finance",
    status: 200,
    answer: ref(Verification),
    handle: ({ ctx: { operator } }) =>
      runJob(ctx, {
        ...{ kind: "ledger.verify", subject: "", actor: operator.name, isWhole: true, result: "kept" },
        work: (report) => verifyBooks(ctx.whole, report),
      }),
  });
}
