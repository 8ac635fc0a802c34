import { finishOf, finishReturn } from "../claims/returns/finish.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { Answer, KeyedCall } from "../http/idempotency.ts";
import type { KeyedOutcome } from "../http/keyed-command.ts";
import { assignDecided, retryDecided, returnDecided } from "./decided.ts";
import { type UnmatchedRow, unmatched } from "./item.ts";
import { joinReceipt } from "./join.ts";
import { assignReceipt, endKeyed, type RetryReturn, retryKeyed, returnKeyed } from "./resolve.ts";
import { applyCasesAgain, settleAssigned } from "./settle-assigned.ts";
import { chargeOfReference } from "./suggest.ts";
import { takeBackKeyed } from "./take-back.ts";

/** The context with the operator who decides. */
type Acting = Context & { readonly operator: { readonly name: string } };

/** The decision about a receipt or a failed return. */
export type UnmatchedDecision = {
  readonly action: "assign" | "return" | "retry" | "take_back";
  /** Of the charge; for `assign` alone. */
  readonly accountId?: string | undefined;
  readonly chargeId?: string | undefined;
  /** The merchant's reference, instead of `chargeId`. */
  readonly externalReference?: string | undefined;
};

/** The answer's key. `proposalId`: the case's proposal that this executes. */
type Keeping = {
  readonly keyed: KeyedCall | null;
  readonly proposalId?: string;
  /** Only for `take_back`: the amount written off, centavos, as it was read before the decision. */
  readonly writtenOff?: number;
  toAnswer(row: UnmatchedRow): Answer;
};

/** How a decision about a receipt or a return ended: with its answer, or refused. */
type ResolvedUnmatched = Exclude<KeyedOutcome, ApiError>;

/** The receipt without a charge, or the failed return; 404 where there is none. */
export async function findUnmatched(ctx: Pick<Context, "db">, id: string): Promise<UnmatchedRow> {
  const { rows } = await ctx.db.query<UnmatchedRow>(sql`select ${unmatched.select()} from unmatched where id = ${id}`);
  if (!rows[0]) throw notFound("unmatched", id);
  return rows[0];
}

/** Executes an operator's decision. The same decision again gives the same answer; another one is refused. */
export async function resolveUnmatched(
  ctx: Acting,
  shown: UnmatchedRow,
  { action, accountId, chargeId, externalReference }: UnmatchedDecision,
  keeping: Keeping,
): Promise<ResolvedUnmatched> {
  const given = Object.entries({ accountId, chargeId, externalReference }).find(([, value]) => value !== undefined);
  if (action !== "assign" && given) throw invalid(given[0], "is only for assign");
  const isOfReturns = action === "retry" || action === "take_back";
  if ((shown.kind === "return") !== isOfReturns) {
    throw invalid("action", isOfReturns ? "is for failed returns" : "is for receipts: a failed return can be retried");
  }
  if (action === "take_back") return takeBack(ctx, shown, keeping);
  if (action === "return") return giveBack(ctx, shown, keeping);
  if (action === "retry") return retry(ctx, shown, keeping);
  if (accountId === undefined) throw invalid("accountId", "is needed to assign");
  // A case's parameters do not pass a route's schema, which would have made capitals lower case.
  const toAccountId = accountId.toLowerCase();
  if (chargeId !== undefined && externalReference !== undefined) {
    throw invalid("externalReference", "and chargeId name the same: send one of them");
  }
  if (chargeId !== undefined) return assign(ctx, shown, { toAccountId, chargeId: chargeId.toLowerCase() }, keeping);
  if (externalReference === undefined) throw invalid("chargeId", "is needed to assign, or externalReference");
  const named = await chargeOfReference(ctx, toAccountId, externalReference);
  return assign(ctx, shown, { toAccountId, chargeId: named }, keeping);
}

async function giveBack(
  ctx: Acting,
  shown: UnmatchedRow,
  { keyed, proposalId, toAnswer }: Keeping,
): Promise<ResolvedUnmatched> {
  const accountId = shown.accountId;
  await refuseSettled(ctx, shown);
  const command = {
    ...{ accountId, objectId: ctx.ids.uuid(), keyed, toAnswer },
    command: { accountId, actor: ctx.operator.name, shown },
  };
  const done = await (proposalId === undefined
    ? ctx.lanes.run(returnKeyed, command)
    : ctx.lanes.run(returnDecided, { accountId, proposalId, command }));
  ctx.hints.wake("returns");
  return answered(done);
}

/**
 * Three commits: out of suspense, settled in the charge's account, finished. After the first one the loop can finish it
 * too.
 */
async function assign(
  ctx: Acting,
  shown: UnmatchedRow,
  target: { readonly toAccountId: string; readonly chargeId: string },
  { keyed, proposalId, toAnswer }: Keeping,
): Promise<ResolvedUnmatched> {
  const accountId = shown.accountId;
  await requireCharge(ctx, shown, target);
  await refuseSettled(ctx, shown, target.toAccountId);
  const first = { accountId, actor: ctx.operator.name, shown, ...target };
  const assignment = await (proposalId === undefined
    ? ctx.lanes.run(assignReceipt, first)
    : ctx.lanes.run(assignDecided, { accountId, proposalId, command: first }));
  if (assignment instanceof ApiError) throw assignment;
  const { outcome, chargeId, withheld } = await settleAssigned(ctx, assignment);
  await applyCasesAgain(ctx, assignment);
  const command = { accountId, actor: ctx.operator.name, shown, e2eId: shown.e2eId, outcome, chargeId, withheld };
  return answered(await ctx.lanes.run(endKeyed, { accountId, objectId: ctx.ids.uuid(), keyed, toAnswer, command }));
}

/** A receipt that an account has settled meanwhile belongs to that account: it can neither go back nor to another one. */
async function refuseSettled(ctx: Context, shown: UnmatchedRow, toAccountId?: string): Promise<void> {
  const { accountId: houseId, e2eId } = shown;
  const joined = await joinReceipt(ctx, houseId, e2eId);
  if (joined && joined.toAccountId !== toAccountId) {
    throw new ApiError("UNMATCHED_RESOLVED", undefined, { status: joined.status });
  }
}

/** The charge exists, and its account is in the environment in which the money came in. */
async function requireCharge(
  ctx: Context,
  { institutionId, e2eId }: UnmatchedRow,
  { toAccountId, chargeId }: { toAccountId: string; chargeId: string },
): Promise<void> {
  const { rows } = await ctx.db.query<{ known: boolean; elsewhere: boolean; environment: string }>(sql`
    select exists (
      select from charges c where c.account_id = ${toAccountId} and c.charge_id = ${chargeId}
        and c.status not in ('creating', 'rejected')) as known,
      exists (
        select from received_pix p where p.account_id = ${toAccountId} and p.e2e_id = ${e2eId}
          and p.institution_id <> ${institutionId}) as elsewhere,
      a.environment
    from accounts a where a.account_id = ${toAccountId} and not a.is_house`);
  if (!rows[0]) throw notFound("account", toAccountId);
  if (!rows[0].known) throw notFound("transaction", chargeId);
  // Two institutions show this Pix, and the account has the other one's.
  if (rows[0].elsewhere) throw new ApiError("UNMATCHED_RESOLVED", undefined, { status: "booked" });
  const institution = await ctx.psps.find(institutionId);
  if (institution && institution.environment !== rows[0].environment) throw new ApiError("ENVIRONMENT_MISMATCH");
}

/** The PSP is queried first: whether the failed return may still have been carried out decides about its id. */
async function retry(
  ctx: Acting,
  shown: UnmatchedRow,
  { keyed, proposalId, toAnswer }: Keeping,
): Promise<ResolvedUnmatched> {
  const { accountId, e2eId } = shown;
  const reported = await queryReturn(ctx, shown);
  const command = {
    ...{ accountId, objectId: ctx.ids.uuid(), keyed, toAnswer },
    command: { accountId, actor: ctx.operator.name, shown, reported },
  };
  const done = await (proposalId === undefined
    ? ctx.lanes.run(retryKeyed, command)
    : ctx.lanes.run(retryDecided, { accountId, proposalId, command }));
  ctx.hints.wake("returns");
  ctx.hints.wake(`settled/${e2eId}`);
  return answered(done);
}

/** Reverses the write-off of a failed return: its money waits for a decision again. */
async function takeBack(ctx: Acting, shown: UnmatchedRow, { keyed, toAnswer, writtenOff = 0 }: Keeping) {
  const { accountId, e2eId, id: returnId } = shown;
  const command = { accountId, e2eId, returnId, amount: writtenOff, actor: ctx.operator.name };
  return answered(
    await ctx.lanes.run(takeBackKeyed, {
      ...{ accountId, objectId: ctx.ids.uuid(), keyed, command },
      toAnswer: ({ retriedAt }) =>
        toAnswer({ ...shown, status: "open", action: retriedAt && "retry", resolvedAt: retriedAt }),
    }),
  );
}

async function queryReturn(ctx: Acting, shown: UnmatchedRow): Promise<RetryReturn["reported"]> {
  const { accountId, e2eId, institutionId } = shown;
  const [institution, { rows }] = await Promise.all([
    ctx.psps.find(institutionId),
    ctx.db.query<{ id: string; hasFailed: boolean }>(sql`
      select psp_id as id, status = 'failed' as "hasFailed" from pix_returns where account_id = ${accountId} and return_id = ${shown.id}`),
  ]);
  const found = await institution?.psp.findReturn({ e2eId, ...rows[0]! });
  if (found?.kind === "absent") return "absent";
  if (!institution || found?.kind !== "found") return "unclear";
  if (found.value.status === "failed") return "failed";
  const end = finishOf({ accountId, e2eId, institutionId, environment: institution.environment }, found.value);
  if (end !== null) await ctx.lanes.run(finishReturn, end);
  return "unclear";
}

function answered(done: KeyedOutcome): ResolvedUnmatched {
  if (done instanceof ApiError) throw done;
  return done;
}
