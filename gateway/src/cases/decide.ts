import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { requireBody } from "../http/contract.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { refuseCreator } from "../http/owners.ts";
import { type OperatorContext, requireRole } from "../http/roles.ts";
import { requireSettled } from "../http/settled.ts";
import { toBrl } from "../lib/money.ts";
import type { CaseAction } from "./action.ts";
import { byHuman, mayMoveAloneIn } from "./allowance.ts";
import { type Basis, changesOf, hasChanged, restingOn } from "./basis.ts";
import { type CaseRow, findCase } from "./list.ts";
import { leaseFrom } from "./proposal.ts";
import { writeCases } from "./write.ts";

/** What deciding about cases needs. */
export type Desk = {
  readonly ctx: OperatorContext;
  readonly actions: readonly CaseAction[];
};

/** A proposal that may be executed. */
type ApprovedProposal = { readonly accountId: string; readonly proposalId: string };

/** The actions that a case offers. */
export const actionsFor = (actions: readonly CaseAction[], about: CaseRow): CaseAction[] =>
  actions.filter(({ kinds, fits }) => kinds.includes(about.kind) && (fits?.(about) ?? true));

/** The action of a proposal, even if it is no longer offered: its commands refuse an object that has changed. */
const actionOf = (actions: readonly CaseAction[], { kind }: CaseRow, name: string): CaseAction | undefined =>
  actions.find((action) => action.action === name && action.kinds.includes(kind));

/** Locks the case, so that two operators do not decide at once; 404 and 400 where there is nothing to decide. */
const lockOpenCase = async (tx: Tx, caseId: string): Promise<CaseRow> =>
  requireOpen(await findCase(tx, caseId, "locked"));

function requireOpen(caseRow: CaseRow): CaseRow {
  if (caseRow.status !== "open") throw new ApiError("CASE_CLOSED", undefined, { status: caseRow.status });
  return caseRow;
}

async function enter(
  { ids, clock }: Pick<Context, "ids" | "clock">,
  tx: Queries,
  about: CaseRow,
  kind: string,
  actor: string,
  body: unknown,
): Promise<void> {
  await tx.query(sql`
    insert into case_entries (account_id, case_id, entry_id, kind, actor, body, created_at)
    values (${about.accountId}, ${about.caseId}, ${ids.uuid()}, ${kind}, ${actor}, ${JSON.stringify(body)}::jsonb, ${clock.date()})`);
  await tx.query(sql`
    update cases set updated_at = ${clock.date()} where account_id = ${about.accountId} and case_id = ${about.caseId}`);
}

/** Gives a case to an operator, or to nobody. */
export async function assignCase(desk: Desk, tx: Tx, caseId: string, assignee: string | null): Promise<void> {
  const about = await lockOpenCase(tx, caseId);
  await tx.query(sql`
    update cases set assignee = ${assignee} where account_id = ${about.accountId} and case_id = ${caseId}`);
  await enter(desk.ctx, tx, about, "assigned", desk.ctx.operator.name, { assignee });
  await audit(desk.ctx, tx, about.accountId, "case.assign", caseId, { assignee: about.assignee }, { assignee });
}

/** Adds a note to a case, open or closed. */
export async function noteCase(desk: Desk, tx: Tx, caseId: string, text: string): Promise<void> {
  const about = await findCase(tx, caseId);
  await enter(desk.ctx, tx, about, "note", desk.ctx.operator.name, { text });
  // Its text is in the case's history, which can be erased; the audit log cannot.
  await audit(desk.ctx, tx, about.accountId, "case.note", caseId, null, {});
}

type Wanted = { readonly action: string; readonly parameters: Readonly<Record<string, unknown>> };
/** The basis of a proposal without the case itself. */
type Ground = Omit<Basis, "case">;

/** Reads the present basis of an action: queries the institution if the action assumes what it did. */
export async function readGround(desk: Desk, caseId: string, wanted: Wanted): Promise<Ground> {
  const about = requireOpen(await findCase(desk.ctx.db, caseId));
  const action = requireAction(desk, about, wanted.action);
  // The institution first: its answer is booked, and the object's state is read afterwards.
  const outside = (await action.ask?.(desk.ctx, about, wanted.parameters)) ?? {};
  return { outside, object: await action.standing(desk.ctx, about) };
}

/**
 * Stores a proposal with its basis. Where one person is enough, it is approved at once.
 *
 * @returns the proposal when it may be executed at once, otherwise null.
 */
export async function propose(
  desk: Desk,
  tx: Tx,
  caseId: string,
  wanted: Wanted,
  ground: Ground,
): Promise<ApprovedProposal | null> {
  const { ctx } = desk;
  const about = await lockOpenCase(tx, caseId);
  const action = requireAction(desk, about, wanted.action);
  requireBody(action.parameters, wanted.parameters, "parameters");
  action.check?.(about, wanted.parameters);
  // Only where decisions need two people: elsewhere the installation may have no second person.
  const hasOthers = ctx.config.twoPersons || ctx.config.twoPersonsAbove !== null;
  if (hasOthers && refuseCreator(about.evidence.owners ?? [], ctx.operator.owners) !== null) {
    throw new ApiError("APPROVAL_BY_CREATOR", "Who entered the figure decides nothing about it: another person must.");
  }
  const before = about.proposal;
  if (before?.status === "awaiting_approval" || before?.status === "approved") {
    throw new ApiError("CASE_PROPOSAL_OPEN", undefined, { proposedBy: before.proposedBy, action: before.action });
  }
  const now = ctx.clock.date();
  const isOwn = action.needsTwo === undefined && !ctx.config.twoPersons;
  const amount = action.amount ? action.amount(about, wanted.parameters) : about.amount;
  const alone = isOwn && (await mayMoveAloneIn(ctx, tx, amount, byHuman(ctx, `case ${caseId} ${amount}`)));
  const [proposalId, actor] = [ctx.ids.uuid(), ctx.operator.name];
  const basis: Basis = { case: restingOn(action.restsOn, about), ...ground };
  // The case is locked, so nobody else can count meanwhile.
  await tx.query(sql`
    insert into case_proposals (account_id, proposal_id, case_id, number, action, parameters, basis, status, proposed_by, proposer_id,
      proposer_owners, proposed_at, decided_by, decided_at, next_at)
    values (${about.accountId}, ${proposalId}, ${caseId}, ${(before?.number ?? 0) + 1}, ${wanted.action},
      ${JSON.stringify(wanted.parameters)}::jsonb, ${JSON.stringify(basis)}::jsonb, ${alone ? "approved" : "awaiting_approval"}, ${actor},
      ${ctx.operator.id}, ${JSON.stringify(ctx.operator.owners)}::jsonb, ${now}, ${alone ? actor : null}, ${alone ? now : null},
      ${alone ? leaseFrom(now) : null})`);
  await enter(ctx, tx, about, "proposed", actor, { ...wanted, proposalId });
  await audit(ctx, tx, about.accountId, "case.propose", caseId, null, {
    ...wanted,
    proposalId,
    case: inLog(about),
  });
  return alone ? { accountId: about.accountId, proposalId } : null;
}

/**
 * Approves another person's proposal: 403 for the proposer and for whoever reported the case, whatever they sign in with.
 *
 * @param proposalId the proposal that was read: 409 where there is another one now.
 * @returns the proposal, to be executed.
 */
export async function approve(desk: Desk, tx: Tx, caseId: string, proposalId: string): Promise<ApprovedProposal> {
  const awaiting = await requireAwaiting(tx, caseId, proposalId);
  const { about, proposal } = awaiting;
  requireAction(desk, about, proposal.action);
  const behind = [...proposal.proposerOwners, ...(about.evidence.owners ?? [])];
  const refused = refuseCreator(behind, desk.ctx.operator.owners);
  if (refused !== null) throw refused;
  await requireSettled(desk.ctx, tx, desk.ctx.operator.id, null);
  await answer(desk, tx, awaiting, "approved", {});
  return { accountId: about.accountId, proposalId: proposal.proposalId };
}

/** Ends a proposal without executing it; the proposer may withdraw it in this way. */
export async function reject(
  desk: Desk,
  tx: Tx,
  caseId: string,
  proposalId: string,
  reason: string | null,
): Promise<void> {
  const { about, proposal } = await requireAwaiting(tx, caseId, proposalId);
  await answer(desk, tx, { about, proposal }, "rejected", { reason });
  const action = actionOf(desk.actions, about, proposal.action);
  if (action?.isTheCase) await close(desk.ctx, tx, about, desk.ctx.operator.name);
}

const close = (
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  { accountId, kind, objectId }: CaseRow,
  actor: string,
): Promise<void> =>
  writeCases(
    tx,
    { close: [{ accountId, kind, objectId, because: "decided", actor }] },
    { now: ctx.clock.date(), newId: () => ctx.ids.uuid() },
  );

/** What the audit log calls a case: an entry of it is read without the case. Amounts in BRL, as in the API. */
const inLog = ({ kind, amount, evidence }: CaseRow) => ({
  kind,
  ...(amount !== null && { amount: toBrl(amount) }),
  // A movement of the operator's own money: which kind of it is decided about.
  ...(kind === "treasury_entry" && { movement: evidence.data?.kind }),
});

/** Records an operator's answer to a proposal: in its row, in the case's history and in the audit log. */
async function answer(
  { ctx }: Desk,
  tx: Tx,
  { about, proposal }: { readonly about: CaseRow; readonly proposal: NonNullable<CaseRow["proposal"]> },
  status: "approved" | "rejected",
  more: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [now, actor] = [ctx.clock.date(), ctx.operator.name];
  const [nextAt, finishedAt] = status === "approved" ? [leaseFrom(now), null] : [null, now];
  await tx.query(sql`
    update case_proposals set status = ${status}, decided_by = ${actor}, decided_at = ${now}, next_at = ${nextAt},
      finished_at = ${finishedAt}
    where account_id = ${about.accountId} and proposal_id = ${proposal.proposalId}`);
  const entry = { proposalId: proposal.proposalId, action: proposal.action, ...more };
  await enter(ctx, tx, about, status, actor, entry);
  const verb = status === "approved" ? "case.approve" : "case.reject";
  await audit(
    ctx,
    tx,
    about.accountId,
    verb,
    about.caseId,
    { status: proposal.status },
    { ...entry, case: inLog(about) },
  );
}

async function requireAwaiting(tx: Tx, caseId: string, proposalId: string) {
  const about = await lockOpenCase(tx, caseId);
  const { proposal } = about;
  if (proposal?.status !== "awaiting_approval") throw new ApiError("CASE_NOTHING_PROPOSED");
  if (proposal.proposalId !== proposalId) {
    const { proposalId: now, action, proposedBy } = proposal;
    throw new ApiError("PROPOSAL_CHANGED", undefined, { proposalId: now, action, proposedBy });
  }
  return { about, proposal };
}

/** @throws ApiError 400 where the case has no such action, 403 where the operator may not decide about it. */
function requireAction(desk: Desk, about: CaseRow, name: string): CaseAction {
  const fitting = actionsFor(desk.actions, about);
  const action = fitting.find((offered) => offered.action === name);
  if (action) {
    const role = typeof action.role === "function" ? action.role(about) : action.role;
    if (role) requireRole(desk.ctx.operator, role, "POST");
    return action;
  }
  throw invalid(
    "action",
    `must be one of: ${fitting.map((offered) => offered.action).join(", ") || "(this case has none)"}`,
  );
}

/**
 * Executes an approved proposal and stores the result: refused where its basis has changed. It may be run again: the
 * action's commands know what is done.
 */
export async function execute(
  desk: Omit<Desk, "ctx"> & { readonly ctx: Context },
  of: ApprovedProposal,
): Promise<void> {
  const { ctx, actions } = desk;
  const { rows } = await ctx.db.query<Approved>(
    sql`select case_id, action, parameters, basis, begun_at, decided_by, decided_at from case_proposals
      where account_id = ${of.accountId} and proposal_id = ${of.proposalId} and status = 'approved'`,
  );
  const proposal = rows[0];
  if (!proposal) return;
  const about = await findCase(ctx.db, proposal.case_id);
  const action = actionOf(actions, about, proposal.action);
  const actor = proposal.decided_by;
  const done = await run(ctx, action, about, proposal, {
    proposalId: of.proposalId,
    actor,
    decidedAt: proposal.decided_at,
  });
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.date();
    const {
      rows: [finished],
    } = await tx.query<Pick<Approved, "begun_at">>(sql`
      update case_proposals set status = ${done.kind}, result = ${JSON.stringify(done.result)}::jsonb, finished_at = ${now},
        next_at = null
      where account_id = ${of.accountId} and proposal_id = ${of.proposalId} and status = 'approved'
      returning begun_at`);
    if (!finished) return;
    if (done.kind === "executed" && finished.begun_at === null) {
      throw new Error(`the first command of ${proposal.action} is not made by carryingOut`);
    }
    const entry = { proposalId: of.proposalId, action: proposal.action, result: done.result };
    await enter(ctx, tx, about, done.kind, actor, entry);
    await audit({ ...ctx, operator: { name: actor } }, tx, of.accountId, `case.${done.kind}`, about.caseId, null, {
      ...entry,
      case: inLog(about),
    });
    // The action may have closed the case, and the object may have opened its next case since, which is not decided.
    if (done.kind === "refused" && !action?.isTheCase) return;
    if ((await findCase(tx, about.caseId, "locked")).status === "open") await close(ctx, tx, about, actor);
  });
}

type Approved = {
  readonly case_id: string;
  readonly action: string;
  readonly parameters: Record<string, unknown>;
  readonly basis: Basis;
  readonly begun_at: Date | null;
  readonly decided_by: string;
  readonly decided_at: Date;
};
type Done = { readonly kind: "executed" | "refused"; readonly result: Readonly<Record<string, unknown>> };

async function run(
  ctx: Context,
  action: CaseAction | undefined,
  about: CaseRow,
  { parameters, basis, begun_at: begunAt }: Approved,
  execution: Parameters<CaseAction["execute"]>[3],
): Promise<Done> {
  if (!action) return { kind: "refused", result: { code: "VALIDATION_ERROR", message: "there is no such action" } };
  try {
    // The action's first command compares the rest of the basis, in its transaction.
    const said = begunAt === null ? await action.ask?.(ctx, about, parameters) : undefined;
    const changes = said ? changesOf("outside", basis.outside, said) : [];
    if (changes.length > 0) throw hasChanged(changes);
    return { kind: "executed", result: await action.execute(ctx, about, parameters, execution) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const { code, message, details } = error;
    // The message names what `details` holds, and whoever decides next needs it: days, cases, what has changed.
    return { kind: "refused", result: { ...details, code, message } };
  }
}
