import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { component, PathId } from "../http/contract.ts";
import { Answered, ref } from "../http/endpoint.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { Answer, KeyedCall } from "../http/idempotency.ts";
import type { KeyedOutcome } from "../http/keyed-command.ts";
import { PAGE, PageQuery, readCursor, writeCursor } from "../http/pages.ts";
import { isUuid } from "../lib/ids.ts";
import { finishOf, finishReturn } from "../returns/finish.ts";
import {
  toUnmatched,
  UNMATCHED_KINDS,
  UNMATCHED_STATUSES,
  Unmatched,
  UnmatchedPage,
  UnmatchedResolution,
  type UnmatchedRow,
} from "../unmatched/item.ts";
import { assignReceipt, endKeyed, type RetryReturn, retryKeyed, returnKeyed } from "../unmatched/resolve.ts";
import { lookAtCasesAgain, settleAssigned } from "../unmatched/settle-assigned.ts";
import { operatorEndpoint } from "./endpoint.ts";
import type { OperatorContext } from "./role.ts";

const UnmatchedDecision = component(
  "UnmatchedDecision",
  Type.Object(
    {
      action: Type.Enum(["assign", "return", "retry"], {
        description:
          "`assign`: give a receipt to a charge. `return`: send it back to its payer. `retry`: try a failed return again.",
      }),
      accountId: Type.Optional(Type.String({ format: "uuid", description: "Of the charge; only for `assign`." })),
      chargeId: Type.Optional(
        Type.String({ format: "uuid", description: "The charge (transaction) that it pays; only for `assign`." }),
      ),
    },
    { additionalProperties: false, description: "What is to become of a receipt or of a failed return." },
  ),
);

export const UNMATCHED_COMPONENTS = [Unmatched, UnmatchedPage, UnmatchedResolution, UnmatchedDecision] as const;

const Query = Type.Object({
  status: Type.Optional(Type.Enum([...UNMATCHED_STATUSES], { type: "string", description: "Only these." })),
  kind: Type.Optional(Type.Enum([...UNMATCHED_KINDS], { type: "string", description: "Only these." })),
  ...PageQuery,
});
const Params = Type.Object({ id: PathId("unmatched", "Id of the receipt or of the return.") });
const LIST = "unmatched";
const fits = (position: readonly unknown[]): position is readonly [string] =>
  position.length === 1 && isUuid(position[0]);

/** What a resolution is answered with and kept under. */
type Keeping = { readonly keyed: KeyedCall | null; toAnswer(row: UnmatchedRow): Answer };

/** `/unmatched`: received Pix that belong to no charge, and automatic returns that failed. */
export function unmatchedRoutes(app: FastifyInstance, ctx: Context, houseId: string): void {
  operatorEndpoint(app, ctx, houseId, {
    method: "GET",
    path: "/unmatched",
    operationId: "listUnmatched",
    summary: "List receipts without a charge and failed returns",
    description: "Of all accounts, newest first. `status=open` are those that wait for you.",
    role: "finance",
    query: Query,
    status: 200,
    answer: ref(UnmatchedPage),
    async handle({ ctx, query }) {
      const limit = query.limit ?? PAGE.standard;
      const after = readCursor(LIST, query.cursor, fits)?.[0] ?? null;
      const { status = null, kind = null } = query;
      const { rows } = await ctx.db.query<UnmatchedRow>(sql`
        select * from unmatched
        where (${after}::uuid is null or id < ${after}) and (${kind}::text is null or kind = ${kind})
          and (${status}::text is null or status = ${status})
        order by id desc limit ${limit + 1}`);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        items: shown.map((row) => toUnmatched(row, houseId)),
        nextCursor: rows.length > limit && last ? writeCursor(LIST, [last.id]) : null,
      };
    },
  });

  operatorEndpoint(app, ctx, houseId, {
    method: "POST",
    path: "/unmatched/:id/resolve",
    operationId: "resolveUnmatched",
    summary: "Assign a receipt, send it back, or try a failed return again",
    description:
      "`assign` settles the charge as if it had been paid by its code: the account's fees and policies decide, and its merchant is told. The same decision again is the same answer; another one is refused.",
    role: "finance",
    params: Params,
    body: ref(UnmatchedDecision),
    status: 200,
    answer: ref(Unmatched),
    errors: ["UNMATCHED_RESOLVED"],
    example: { action: "return" },
    async handle({ ctx, params, body, keyedFor, toAnswer }) {
      const { action, accountId, chargeId } = body;
      if (action !== "assign" && (accountId ?? chargeId) !== undefined) {
        throw invalid(accountId === undefined ? "chargeId" : "accountId", "is only for assign");
      }
      const { rows } = await ctx.db.query<UnmatchedRow>(sql`select * from unmatched where id = ${params.id}`);
      const shown = rows[0];
      if (!shown) throw notFound("unmatched", params.id);
      if ((shown.kind === "return") !== (action === "retry")) {
        throw invalid("action", shown.kind === "return" ? "a failed return can be retried" : "is for failed returns");
      }
      const keeping: Keeping = {
        keyed: keyedFor(shown.account_id, shown.account_id),
        toAnswer: (row) => toAnswer(toUnmatched(row, houseId)),
      };
      if (action === "return") return giveBack(ctx, shown, keeping);
      if (action === "retry") return retry(ctx, shown, keeping);
      if (accountId === undefined) throw invalid("accountId", "is needed to assign");
      if (chargeId === undefined) throw invalid("chargeId", "is needed to assign");
      return assign(ctx, shown, { toAccountId: accountId.toLowerCase(), chargeId: chargeId.toLowerCase() }, keeping);
    },
  });
}

async function giveBack(ctx: OperatorContext, shown: UnmatchedRow, { keyed, toAnswer }: Keeping): Promise<Answered> {
  const accountId = shown.account_id;
  const command = { accountId, actor: ctx.operator.name, shown };
  const done = await ctx.lanes.run(returnKeyed, { accountId, objectId: ctx.ids.uuid(), keyed, toAnswer, command });
  ctx.hints.wake("returns");
  return answered(done);
}

/** Three commits: out of suspense, settled in the charge's account, ended. After the first one the loop finishes it too. */
async function assign(
  ctx: OperatorContext,
  shown: UnmatchedRow,
  target: { readonly toAccountId: string; readonly chargeId: string },
  { keyed, toAnswer }: Keeping,
): Promise<Answered> {
  const accountId = shown.account_id;
  await requireCharge(ctx, target);
  const assignment = await ctx.lanes.run(assignReceipt, { accountId, actor: ctx.operator.name, shown, ...target });
  if (assignment instanceof ApiError) throw assignment;
  const { outcome } = await settleAssigned(ctx, assignment);
  await lookAtCasesAgain(ctx, assignment);
  const command = { accountId, actor: ctx.operator.name, shown, e2eId: shown.e2e_id, outcome };
  return answered(await ctx.lanes.run(endKeyed, { accountId, objectId: ctx.ids.uuid(), keyed, toAnswer, command }));
}

async function requireCharge(ctx: Context, target: { toAccountId: string; chargeId: string }): Promise<void> {
  const { toAccountId, chargeId } = target;
  const { rows } = await ctx.db.query<{ known: boolean }>(sql`
    select exists (
      select from charges c where c.account_id = a.account_id and c.charge_id = ${chargeId}
        and c.status not in ('creating', 'rejected')) as known
    from accounts a where a.account_id = ${toAccountId} and not a.is_house`);
  if (!rows[0]) throw notFound("account", toAccountId);
  if (!rows[0].known) throw notFound("transaction", chargeId);
}

/** The PSP is asked first: whether the return that failed may still have been carried out decides about its id. */
async function retry(ctx: OperatorContext, shown: UnmatchedRow, { keyed, toAnswer }: Keeping): Promise<Answered> {
  const { account_id: accountId, e2e_id: e2eId } = shown;
  const told = await askAbout(ctx, shown);
  const command = { accountId, actor: ctx.operator.name, shown, told };
  const done = await ctx.lanes.run(retryKeyed, { accountId, objectId: ctx.ids.uuid(), keyed, toAnswer, command });
  ctx.hints.wake("returns");
  ctx.hints.wake(`settled/${e2eId}`);
  return answered(done);
}

async function askAbout(ctx: OperatorContext, shown: UnmatchedRow): Promise<RetryReturn["told"]> {
  const { account_id: accountId, e2e_id: e2eId, institution_id: institutionId } = shown;
  const [institution, { rows }] = await Promise.all([
    ctx.psps.find(institutionId),
    ctx.db.query<{ psp_id: string }>(sql`
      select psp_id from pix_returns where account_id = ${accountId} and return_id = ${shown.id}`),
  ]);
  const found = await institution?.psp.findReturn({ e2eId, id: rows[0]!.psp_id });
  if (found?.kind === "absent") return "absent";
  if (!institution || found?.kind !== "found") return "unclear";
  if (found.value.status === "failed") return "failed";
  const end = finishOf({ accountId, e2eId, environment: institution.environment }, found.value);
  if (end !== null) await ctx.lanes.run(finishReturn, end);
  return "unclear";
}

function answered(done: KeyedOutcome): Answered {
  if (done instanceof ApiError) throw done;
  return new Answered(done.answer, done.replayed);
}
