import { Check, Errors } from "typebox/value";
import { audit } from "../audit-log/write.ts";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { ApiError, invalid } from "../http/errors.ts";
import type { CaseAction } from "./action.ts";
import { type CaseRow, findCase } from "./list.ts";
import { writeCases } from "./write.ts";

/** What deciding about cases works with. */
export type Desk = {
  readonly ctx: Context & { readonly operator: { readonly name: string } };
  readonly actions: readonly CaseAction[];
};

/** The actions that fit a kind of case. */
export const actionsFor = (actions: readonly CaseAction[], kind: CaseRow["kind"]): CaseAction[] =>
  actions.filter(({ kinds }) => kinds.includes(kind));

/** Locks the case, so that two operators do not decide at once; 404 and 400 where there is nothing to decide. */
async function lockOpenCase(tx: Tx, caseId: string): Promise<CaseRow> {
  const { account_id } = await findCase(tx, caseId);
  await tx.query(sql`
    select from cases where account_id = ${account_id} and case_id = ${caseId} for no key update`);
  const found = await findCase(tx, caseId);
  if (found.status !== "open") throw new ApiError("CASE_CLOSED", undefined, { status: found.status });
  return found;
}

async function enter(desk: Desk, tx: Queries, about: CaseRow, kind: string, actor: string, body: unknown) {
  const { ids, clock } = desk.ctx;
  await tx.query(sql`
    insert into case_entries (account_id, case_id, entry_id, kind, actor, body, created_at)
    values (${about.account_id}, ${about.case_id}, ${ids.uuid()}, ${kind}, ${actor}, ${JSON.stringify(body)}::jsonb, ${clock.date()})`);
  await tx.query(sql`
    update cases set updated_at = ${clock.date()} where account_id = ${about.account_id} and case_id = ${about.case_id}`);
}

/** Gives a case to an operator, or to nobody. */
export async function assignCase(desk: Desk, tx: Tx, caseId: string, assignee: string | null): Promise<void> {
  const about = await lockOpenCase(tx, caseId);
  await tx.query(sql`
    update cases set assignee = ${assignee} where account_id = ${about.account_id} and case_id = ${caseId}`);
  await enter(desk, tx, about, "assigned", desk.ctx.operator.name, { assignee });
}

/** Adds a note to a case, open or closed. */
export async function noteCase(desk: Desk, tx: Tx, caseId: string, text: string): Promise<void> {
  await enter(desk, tx, await findCase(tx, caseId), "note", desk.ctx.operator.name, { text });
}

/**
 * Stores what an operator wants done. Where one person is enough it is approved by the same stroke.
 *
 * @returns the proposal's id when it may be executed at once, else null.
 */
export async function propose(
  desk: Desk,
  tx: Tx,
  caseId: string,
  wanted: { readonly action: string; readonly parameters: Readonly<Record<string, unknown>> },
): Promise<string | null> {
  const { ctx } = desk;
  const about = await lockOpenCase(tx, caseId);
  const action = requireAction(desk, about, wanted.action);
  requireParameters(action, wanted.parameters);
  const before = about.proposal;
  if (before?.status === "awaiting_approval" || before?.status === "approved") {
    throw new ApiError("CASE_PROPOSAL_OPEN", undefined, { proposedBy: before.proposed_by, action: before.action });
  }
  const now = ctx.clock.date();
  const alone = !ctx.config.twoPersons;
  const [proposalId, actor] = [ctx.ids.uuid(), ctx.operator.name];
  await tx.query(sql`
    insert into case_proposals (account_id, proposal_id, case_id, action, parameters, status, proposed_by, proposed_at,
      decided_by, decided_at, next_at)
    values (${about.account_id}, ${proposalId}, ${caseId}, ${wanted.action}, ${JSON.stringify(wanted.parameters)}::jsonb,
      ${alone ? "approved" : "awaiting_approval"}, ${actor}, ${now}, ${alone ? actor : null}, ${alone ? now : null},
      ${alone ? leaseFrom(now) : null})`);
  await enter(desk, tx, about, "proposed", actor, { ...wanted, proposalId });
  await audit(ctx, tx, about.account_id, "case.propose", caseId, null, { ...wanted, proposalId });
  return alone ? proposalId : null;
}

/**
 * Approves what somebody else proposed: 403 for who proposed it.
 *
 * @returns the proposal's id, to be executed.
 */
export async function approve(desk: Desk, tx: Tx, caseId: string): Promise<string> {
  const { ctx } = desk;
  const { about, proposal } = await requireAwaiting(tx, caseId);
  if (proposal.proposed_by === ctx.operator.name) throw new ApiError("APPROVAL_BY_CREATOR");
  const now = ctx.clock.date();
  await tx.query(sql`
    update case_proposals set status = 'approved', decided_by = ${ctx.operator.name}, decided_at = ${now},
      next_at = ${leaseFrom(now)}
    where account_id = ${about.account_id} and proposal_id = ${proposal.proposal_id}`);
  const entry = { proposalId: proposal.proposal_id, action: proposal.action };
  await enter(desk, tx, about, "approved", ctx.operator.name, entry);
  await audit(ctx, tx, about.account_id, "case.approve", caseId, { status: "awaiting_approval" }, entry);
  return proposal.proposal_id;
}

/** Ends a proposal without executing it; who proposed it may withdraw it so. */
export async function reject(desk: Desk, tx: Tx, caseId: string, reason: string | null): Promise<void> {
  const { ctx } = desk;
  const { about, proposal } = await requireAwaiting(tx, caseId);
  const now = ctx.clock.date();
  await tx.query(sql`
    update case_proposals set status = 'rejected', decided_by = ${ctx.operator.name}, decided_at = ${now},
      finished_at = ${now}
    where account_id = ${about.account_id} and proposal_id = ${proposal.proposal_id}`);
  const entry = { proposalId: proposal.proposal_id, action: proposal.action, reason };
  await enter(desk, tx, about, "rejected", ctx.operator.name, entry);
  await audit(ctx, tx, about.account_id, "case.reject", caseId, { status: "awaiting_approval" }, entry);
}

async function requireAwaiting(tx: Tx, caseId: string) {
  const about = await lockOpenCase(tx, caseId);
  const { proposal } = about;
  if (proposal?.status !== "awaiting_approval") throw new ApiError("CASE_NOTHING_PROPOSED");
  return { about, proposal };
}

function requireAction(desk: Desk, about: CaseRow, name: string): CaseAction {
  const fitting = actionsFor(desk.actions, about.kind);
  const action = fitting.find((one) => one.action === name);
  if (action) return action;
  throw invalid("action", `must be one of: ${fitting.map((one) => one.action).join(", ") || "(this case has none)"}`);
}

function requireParameters(action: CaseAction, parameters: Readonly<Record<string, unknown>>): void {
  if (Check(action.parameters, parameters)) return;
  const first = Errors(action.parameters, parameters)[0];
  const path = (first?.instancePath ?? "").replaceAll("/", ".");
  throw invalid(`parameters${path}`, first?.message ?? "do not fit the action");
}

/** The loop executes an approved proposal only when the process that should have is past this. */
const leaseFrom = (now: Date): Date => new Date(now.getTime() + LIMITS.caseExecution);

/**
 * Executes an approved proposal and stores what came of it. Safe to run again: the action's commands know what is done.
 */
export async function execute(
  desk: Omit<Desk, "ctx"> & { readonly ctx: Context },
  of: { readonly accountId: string; readonly proposalId: string },
): Promise<void> {
  const { ctx, actions } = desk;
  const { rows } = await ctx.db.query<{
    case_id: string;
    action: string;
    parameters: Record<string, unknown>;
    decided_by: string;
  }>(
    sql`select case_id, action, parameters, decided_by from case_proposals
      where account_id = ${of.accountId} and proposal_id = ${of.proposalId} and status = 'approved'`,
  );
  const proposal = rows[0];
  if (!proposal) return;
  const about = await findCase(ctx.db, proposal.case_id);
  const action = actionsFor(actions, about.kind).find((one) => one.action === proposal.action);
  const actor = proposal.decided_by;
  const done = await run(ctx, action, about, proposal, { proposalId: of.proposalId, actor });
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.date();
    const { rowCount } = await tx.query(sql`
      update case_proposals set status = ${done.kind}, result = ${JSON.stringify(done.result)}::jsonb, finished_at = ${now},
        next_at = null
      where account_id = ${of.accountId} and proposal_id = ${of.proposalId} and status = 'approved'`);
    if (rowCount === 0) return;
    const acting = { actions, ctx: { ...ctx, operator: { name: actor } } };
    const entry = { proposalId: of.proposalId, action: proposal.action, result: done.result };
    await enter(acting, tx, about, done.kind, actor, entry);
    await audit(acting.ctx, tx, of.accountId, `case.${done.kind}`, about.case_id, null, entry);
    if (done.kind === "refused") return;
    const { account_id: accountId, kind, object_id: objectId } = about;
    const close = [{ accountId, kind, objectId, because: "decided" as const, actor }];
    await writeCases(tx, { close }, { now, newId: () => ctx.ids.uuid() });
  });
}

type Done = { readonly kind: "executed" | "refused"; readonly result: Readonly<Record<string, unknown>> };

async function run(
  ctx: Context,
  action: CaseAction | undefined,
  about: CaseRow,
  { parameters }: { readonly parameters: Record<string, unknown> },
  execution: Parameters<CaseAction["execute"]>[3],
): Promise<Done> {
  if (!action) return { kind: "refused", result: { code: "VALIDATION_ERROR", message: "there is no such action" } };
  try {
    return { kind: "executed", result: await action.execute(ctx, about, parameters, execution) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { kind: "refused", result: { code: error.code, message: error.message } };
  }
}

/** Executes approved proposals whose process has died. @returns how many. */
export async function executeDue(ctx: Context, actions: readonly CaseAction[]): Promise<number> {
  const now = ctx.clock.date();
  const { rows } = await ctx.db.query<{ account_id: string; proposal_id: string }>(sql`
    update case_proposals p set next_at = ${leaseFrom(now)}
    from (select account_id, proposal_id from case_proposals where status = 'approved' and next_at <= ${now}
      order by next_at limit 10 for update skip locked) due
    where p.account_id = due.account_id and p.proposal_id = due.proposal_id
    returning p.account_id, p.proposal_id`);
  for (const { account_id: accountId, proposal_id: proposalId } of rows) {
    await execute({ ctx, actions }, { accountId, proposalId });
  }
  return rows.length;
}
