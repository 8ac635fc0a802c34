import type { Context } from "../../context.ts";
import type { Selected } from "../../db/columns.ts";
import { claimDue, type DueRows } from "../../db/due-rows/claim.ts";
import type { Runner } from "../../db/due-rows/runner.ts";
import { TO_SEND } from "../../db/sending-lock.ts";
import { part, sql } from "../../db/sql.ts";
import type { Institution } from "../../institutions/registry.ts";
import { createFairRunner, leavingOut } from "../../institutions/run-fairly.ts";
import { LIMITS } from "../../lib/limits.ts";
import { returnPaused } from "../../outgoing/brakes/gate.ts";
import { createLastCheck, type LastCheck } from "../../outgoing/last-check.ts";
import type { Latest } from "../../outgoing/latest.ts";
import { pauseAfter, pursue, type RequestState, type RetryRules } from "../../outgoing/pursue.ts";
import { LOST, reportReturn } from "./case.ts";
import { type FinishReturn, finishOf, finishReturn } from "./finish.ts";
import { inPix } from "./in-pix.ts";
import { type KnownReturn, showsLost } from "./lost.ts";
import { bookPspReturn } from "./psp-made.ts";
import { pixReturnsTable } from "./row.ts";

/** Lease of a return: longer than its calls take together, milliseconds. */
const CLAIM = 60_000;
/**
 * A PSP never makes two returns under one id, so a repeat need not wait. It may not show the Pix itself yet, so a 404 proves
 * nothing.
 */
const RULES: RetryRules = { absentFor: 0, inconclusive: new Set([401, 403, 404]) };

const FIELDS = [
  "accountId", "returnId", "purpose", "chargeId", "e2eId", "pspId", "institutionId", "amount", "description",
  "attempts", "refusedAt", "caseOpenedAt", "nextAt", "retriedAt",
] as const; // biome-ignore format: a list

type Due = Selected<typeof pixReturnsTable.columns, (typeof FIELDS)[number]> & {
  /** False: no request has left before, so the PSP's answer is about this one. */
  readonly mayHaveLeft: boolean;
  /** Since when it is under way: since it left (a brake may have held it back before), or since its last retry. */
  readonly since: Date;
  /** A brake or suspension applies: what may have left is queried, and no request is sent. */
  readonly paused: boolean;
  /** When the last restore of the database ended; null: there was none since its Pix was received. */
  readonly restoredAt: Date | null;
};

/**
 * Sends returns, automatic ones and those of refunds, and queries them until they have ended. A return is claimed by moving
 * `next_at`. Every call carries its stored id, and after an unknown outcome the PSP is queried before the same request is
 * repeated.
 */
export function createReturner(ctx: Context): Runner {
  const lastCheck = createLastCheck<typeof pixReturnsTable.columns, Due>(ctx, DUE);
  return createFairRunner<Due>(ctx, {
    loop: "returns",
    claim: (limit, without) => claimDue(ctx, leavingOut(DUE, without), limit),
    process: (due) => process(ctx, due, lastCheck),
    // A refund's return has the refund's id.
    span: (due) => ({ objectId: due.purpose === "refund" ? due.returnId : due.chargeId }),
    describe: (due) => ({ returnId: due.returnId }),
  });
}

/** A claim sets `sending`: if this process dies now, a request may have left. */
const DUE: DueRows<typeof pixReturnsTable.columns, (typeof FIELDS)[number]> = {
  table: pixReturnsTable,
  dueAt: "nextAt",
  claimMs: CLAIM,
  set: (now) => part`, status = 'sending', attempts = d.attempts + 1,
    left_at = case d.status when 'pending' then ${now}::timestamptz else d.left_at end`,
  fields: FIELDS,
  // While sending is paused, a return that may have left is still queried and finished.
  only: (tenants) => part`(d.status <> 'pending' or not ${returnPaused(tenants)})`,
  sendable: (tenants) => part`d.status = 'sending' and not ${returnPaused(tenants)}`,
  first: TO_SEND,
  besides: (tenants) => part`, mine.status <> 'pending' as "mayHaveLeft",
    coalesce(greatest(d.left_at, d.retried_at), d.created_at) as since,
    (select max(b.lifted_at) from received_pix p
      join brakes b on b.scope = 'restore' and b.lifted_at > least(p.paid_at, p.received_at)
      where p.account_id = d.account_id and p.e2e_id = d.e2e_id and ${tenants("p.account_id")}) as "restoredAt",
    ${returnPaused(tenants)} as paused`,
};

async function process(ctx: Context, due: Due, lastCheck: LastCheck<Due>): Promise<Date | null> {
  const { e2eId, pspId: id, amount, description } = due;
  const state: RequestState = { mayHaveLeft: due.mayHaveLeft, refusedAt: due.refusedAt, absentAt: null };
  const institution = await ctx.psps.find(due.institutionId);
  if (institution === null) return retryLater(ctx, due, state, { state: "not_configured" });
  const { psp, environment } = institution;
  const ofPix = { accountId: due.accountId, e2eId, institutionId: due.institutionId, environment };
  const find = () => psp.findReturn({ e2eId, id });
  const send = async () => {
    const reason = await whyDoubtful(ctx, institution, due);
    if (reason !== null) return { kind: "unsent" as const, reason };
    return lastCheck(due, (mayLeave) => psp.returnPix({ e2eId, id, amount, description, mayLeave }));
  };
  const search = async () => inPix(await psp.findPix(e2eId), due, await otherReturns(ctx, due));
  const order = { find, search, ...(!due.paused && { send }) };
  const pursued = await pursue(order, state, RULES, ctx.clock.now);
  const log = { returnId: due.returnId, institutionId: due.institutionId };
  switch (pursued.kind) {
    case "shown": {
      const command = finishOf(ofPix, pursued.value);
      return command === null ? retryLater(ctx, due, null, { state: "under_way" }) : finish(ctx, due, command);
    }
    case "open":
      ctx.log.warn({ ...log, latest: pursued.latest }, "a return has no known outcome yet");
      return retryLater(ctx, due, pursued.state, pursued.latest);
    case "refused": {
      const { httpStatus, code, message } = pursued;
      ctx.log.warn({ ...log, httpStatus, code }, "the PSP refused a return");
      const reason = `${httpStatus} ${code}: ${message}`;
      return finish(ctx, due, { ...ofPix, pspId: id, amount, end: { kind: "failed", reason } });
    }
  }
}

/** The ids of the Pix's other returns that are booked. */
async function otherReturns({ db }: Context, { accountId, e2eId, returnId }: Due): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(sql`
    select rtr_id as id from pix_returns
    where account_id = ${accountId} and e2e_id = ${e2eId} and return_id <> ${returnId} and rtr_id is not null
    union select unnest(array[psp_id, rtr_id]) from psp_returns
    where account_id = ${accountId} and e2e_id = ${e2eId} and psp_return_id <> ${returnId}`);
  return new Set(rows.map(({ id }) => id));
}

async function finish(ctx: Context, due: Due, command: FinishReturn): Promise<Date | null> {
  const finished = await ctx.lanes.run(finishReturn, command);
  const log = { returnId: due.returnId, institutionId: due.institutionId };
  if (finished === null) {
    ctx.log.error({ ...log, amount: command.amount }, "the PSP shows our return with another amount");
    await reportUnresolved(ctx, due, { state: "other_amount", amount: command.amount });
    return retryLater(ctx, due, null, null);
  }
  if (finished.already) return null;
  if (finished.status === "failed") ctx.log.warn(log, "a return failed");
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${due.e2eId}`);
  return null;
}

/**
 * Why a return of a Pix from before a restore must not leave; null: it may. The lost books may have given the money back
 * already, so the institution is queried first, and what it shows that the books lack is booked. Then the return waits
 * until operators decide about it (`retriedAt`), whatever is shown later.
 */
async function whyDoubtful(ctx: Context, { psp, environment }: Institution, due: Due): Promise<string | null> {
  const { accountId, e2eId, returnId, pspId, institutionId, restoredAt, retriedAt } = due;
  if (restoredAt === null || (retriedAt !== null && retriedAt > restoredAt)) return null;
  const waits = await ctx.db.query(sql`
    select from cases where account_id = ${accountId} and kind = 'return_unresolved' and object_id = ${returnId}
      and status = 'open' and evidence #>> '{data,latest,state}' = ${LOST}`);
  if (waits.rowCount > 0) return LOST;
  const found = await psp.findPix(e2eId);
  if (found.kind !== "found") return found.kind === "unknown" ? found.reason : "not_shown";
  const { rows } = await ctx.db.query<KnownReturn>(sql`
    select ${pixReturnsTable.select("", ["rtrId", "amount"])}, psp_id as id, true as ours from pix_returns
    where account_id = ${accountId} and e2e_id = ${e2eId} and return_id <> ${returnId} and status in ('sending', 'confirmed')
    union all
    select rtr_id, amount, psp_id, false from psp_returns
    where account_id = ${accountId} and e2e_id = ${e2eId} and block_id is not null`);
  if (!showsLost(found.value, rows, { pspId, restoredAt })) return null;
  const ofPix = { accountId, e2eId, institutionId, environment };
  const { returns: all } = found.value;
  for (const shown of all) {
    const command = finishOf(ofPix, shown);
    const known = command && (await ctx.lanes.run(finishReturn, command));
    if (known === null) await ctx.lanes.run(bookPspReturn, { ...ofPix, shown, all });
  }
  ctx.hints.wake("deliver");
  return LOST;
}

/** Opens the case of a return that its institution contradicts, or that has had no end for too long. */
async function reportUnresolved(ctx: Context, due: Due, latest: Latest): Promise<void> {
  const { accountId, e2eId, returnId, caseOpenedAt, since } = due;
  if (caseOpenedAt === null || latest.state === LOST)
    await ctx.lanes.run(reportReturn, { accountId, e2eId, returnId, since, latest });
}

/**
 * Schedules the next attempt. It runs outside the lanes, so the update names the status and the claim that it expects: a return
 * that has ended stays ended, and an older claim does not overwrite what a newer one knows.
 *
 * @param latest why it has no outcome; null: a case says so already.
 */
async function retryLater(ctx: Context, due: Due, state: RequestState | null, latest: Latest | null): Promise<Date> {
  const isOverdue = ctx.clock.now() - due.since.getTime() >= LIMITS.returnUnresolved;
  if (latest !== null && (isOverdue || latest.state === LOST)) await reportUnresolved(ctx, due, latest);
  const nextAt = new Date(ctx.clock.now() + pauseAfter(due.attempts));
  await ctx.db.query(sql`
    update pix_returns set next_at = ${nextAt}, refused_at = ${state?.refusedAt ?? null}
    where account_id = ${due.accountId} and return_id = ${due.returnId} and status = 'sending'
      and attempts = ${due.attempts}`);
  return nextAt;
}
