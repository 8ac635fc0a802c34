import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { claimDue, type DueRows } from "../db/due-rows/claim.ts";
import type { Runner } from "../db/due-rows/runner.ts";
import { TO_SEND } from "../db/sending-lock.ts";
import { part } from "../db/sql.ts";
import { paceWithin } from "../institutions/pace.ts";
import type { Institution } from "../institutions/registry.ts";
import { createFairRunner, leavingOut } from "../institutions/run-fairly.ts";
import { digestOfAsked } from "../lib/asked-digest.ts";
import { LIMITS } from "../lib/limits.ts";
import { safeEqual } from "../lib/secrets.ts";
import { withdrawalPaused } from "../outgoing/brakes/gate.ts";
import { createLastCheck, type LastCheck } from "../outgoing/last-check.ts";
import { keepAnalysis, type Latest } from "../outgoing/latest.ts";
import { nextQueryAt, nextSince, pursue, type RequestState, type RetryRules } from "../outgoing/pursue.ts";
import { createTurnTimes, isAwaitingTurn } from "../outgoing/turn-times.ts";
import type { Found } from "../psp/outcome.ts";
import type { Payouts, PspPayout } from "../psp/psp.ts";
import { searchPayout } from "../psp/search-payout.ts";
import { admitDue, awaitsAdmission, countsAt } from "./admit.ts";
import { authorise, failsTooSoon } from "./authorise.ts";
import { bookWithdrawal } from "./book.ts";
import { reportWithdrawal } from "./case.ts";
import { giveNumber } from "./give-number.ts";
import { type EndedMark, type Marks, withdrawalMarks } from "./marks.ts";
import { noteLeaving, noteLeft } from "./note-leaving.ts";
import type { Resolved, ResolveWithdrawal } from "./resolve.ts";
import { followUp, followUpAt } from "./schedule.ts";
import { isOpen, referenceOf, withdrawalsTable } from "./withdrawal.ts";

/** Lease of a withdrawal: longer than its calls take together, milliseconds. */
const CLAIM = 60_000;
/**
 * A search stops this long before the lease ends, because another process may send after that. Longer than a call takes,
 * milliseconds.
 */
const SEARCH_ENDS = 12_000;
/** A withdrawal that its institution has not ended after this time is logged at every query. */
const SLOW_SECONDS = 60;
/**
 * The same request is repeated only after the PSP has not shown the payout for this long: a request that is still on its
 * way arrives by then. A PSP pays an id once, so this is a second safeguard; where it does not, it is the only one. A 404
 * concerns the receiver's key.
 */
const RULES: RetryRules = { absentFor: 30_000, inconclusive: new Set([401, 403]) };
const LIST_FIRST: RetryRules = { ...RULES, absentFor: LIMITS.payoutListed };

const FIELDS = [
  "accountId", "withdrawalId", "status", "netAmount", "pixKey", "holderDocument", "institutionId", "pspId",
  "attempts", "refusedAt", "absentAt", "processedAt", "caseOpenedAt", "awaitingBankSince", "createdAt", "updatedAt",
  "nextAt", "walletId", "pixKeyType", "holderName", "holderDocumentType", "askedDigest", "pspReferences", "latest",
] as const; // biome-ignore format: a list

/** A claimed withdrawal. `mayHaveLeft` is the value before the claim: it does not include this process's own request. */
type Due = Selected<typeof withdrawalsTable.columns, (typeof FIELDS)[number] | "mayHaveLeft"> & {
  /** A brake or suspension applies: what may have left is queried, and no request is sent. */
  readonly paused: boolean;
  /** The books were restored and do not know when, or whether, its request left. */
  readonly isForgotten: boolean;
  /** When its first request may have left; null: none has, or the restored books do not know when. */
  readonly firstLeftAt: Date | null;
  /** How many requests have been sent to prepare it, at a bank that pays in two steps. */
  readonly preparations: number;
};

/**
 * Sends withdrawals and queries them until they have ended, and for some time after that in case money comes back. A
 * withdrawal is claimed by moving `next_at`. Every call carries its stored id, and only an answer of the PSP ends it.
 *
 * What the loop does with a due withdrawal depends on its state:
 * - **Held back into another hour**: it is first admitted to the present hour (admit.ts), or waits for a limit.
 * - **Pending**: the claim sets `processing` and `may_have_left`, and the request is sent after a last check for brakes.
 * - **Processing, may have left**: the PSP is queried; the request is repeated only where it proves safe
 *   (outgoing/pursue.ts).
 * - **Processing, may have left, at a bank that finds payouts only by its own id, which no answer has brought**: the same
 *   request is repeated as long as the bank certainly recognises it and gives the same answer. Then a person decides.
 * - **Processing, may have left, at a bank that does not recognise a repeat**: its list of everything sent since then is
 *   searched; the request is repeated only after the payout was missing there for some minutes.
 * - **Numbered** at a bank that wants a number of ours with each payout: it is stored before the first request, and a repeat has
 *   the same one (give-number.ts).
 * - **Prepared** at a bank that pays in two steps: the bank's id of the payout is stored by now, and this payout is authorised
 *   (authorise.ts).
 * - **Paused** by a brake or suspension: one that may have left is still queried; nothing is sent.
 * - **Completed or failed**: it is only queried, ever less often, because a return may come or a failure may have been
 *   wrong.
 * - **Contradicted**: the institution shows something else than the books. A case is open, and the queries continue until
 *   both agree.
 */
export function createSender(ctx: Context): Runner {
  const marks = withdrawalMarks(ctx);
  const lastCheck = createLastCheck<typeof withdrawalsTable.columns, Due>(ctx, DUE);
  const nextTurn = createTurnTimes();
  return createFairRunner<Due>(ctx, {
    loop: "withdrawals",
    async claim(limit, without) {
      const claim = (most: number): Promise<readonly Due[]> => claimDue(ctx, leavingOut(DUE, without), most);
      // Where a bank allows few queries, open withdrawals are asked about first.
      const due = (await claim(limit)).toSorted((a, b) => Number(isOpen(b.status)) - Number(isOpen(a.status)));
      // Withdrawals that were held back into another hour are admitted before they are claimed.
      if (due.length === limit || (await admitDue(ctx)) === 0) return due;
      return [...due, ...(await claim(limit - due.length))];
    },
    process: (due) => process(ctx, due, { marks, lastCheck, nextTurn }),
    span: (due) => ({ objectId: due.withdrawalId }),
    describe: (due) => ({ withdrawalId: due.withdrawalId }),
  });
}

/** A claim sets `processing` and `may_have_left`: if this process dies now, a request may have left. */
const DUE: DueRows<typeof withdrawalsTable.columns, (typeof FIELDS)[number]> = {
  table: withdrawalsTable,
  dueAt: "nextAt",
  claimMs: CLAIM,
  // While sending is paused, a withdrawal that may have left is still queried and finished.
  only: (tenants, now) =>
    part`(d.status not in ('pending', 'processing') or (d.may_have_left and not ${awaitsAdmission(now, tenants)})
      or (${countsAt(now)} and not ${withdrawalPaused("d", tenants)}))`,
  sendable: (tenants) => part`d.status = 'processing' and not ${withdrawalPaused("d", tenants)}`,
  first: TO_SEND,
  set: (now) => part`, status = case d.status when 'pending' then 'processing' else d.status end,
    may_have_left = true, attempts = d.attempts + 1,
    left_at = case when d.may_have_left then d.left_at else ${now}::timestamptz end,
    updated_at = case d.status when 'pending' then ${now}::timestamptz else d.updated_at end`,
  fields: FIELDS,
  besides: (tenants) => part`, mine.may_have_left as "mayHaveLeft", ${withdrawalPaused("d", tenants)} as paused,
    mine.may_have_left and mine.left_at is null as "isForgotten", mine.left_at as "firstLeftAt",
    mine.preparations`,
};

type Sending = {
  readonly marks: Marks;
  readonly lastCheck: LastCheck<Due>;
  readonly nextTurn: ReturnType<typeof createTurnTimes>;
};

async function process(ctx: Context, due: Due, { marks, lastCheck, nextTurn }: Sending): Promise<Date | null> {
  const institution = await ctx.psps.find(due.institutionId);
  const payouts = institution?.psp.payouts;
  if (!isOpen(due.status)) {
    const mark = await queryEnded(ctx, due, institution, payouts);
    await marks.ended(mark);
    return mark.nextAt;
  }
  const retryAt = async (nextAt: Date, state: RequestState, latest: Latest): Promise<Date> => {
    const kept = keepAnalysis(due.latest, latest);
    await marks.open({ due, state, nextAt, latest: kept });
    await reportUnresolved(ctx, due, latest, kept.state === "under_analysis");
    return nextAt;
  };
  const retryLater = (state: RequestState, latest: Latest, decidedAt?: Date): Promise<Date> => {
    const now = ctx.clock.now();
    const leftAt = due.mayHaveLeft ? due.firstLeftAt?.getTime() : now;
    const sinceItLeft = state.mayHaveLeft && leftAt !== undefined ? nextSince(leftAt, now) : undefined;
    return retryAt(nextQueryAt(due.attempts, now, decidedAt ?? sinceItLeft), state, latest);
  };
  const { mayHaveLeft, refusedAt, absentAt } = due;
  const state: RequestState = { mayHaveLeft, refusedAt, absentAt };
  const log = { withdrawalId: due.withdrawalId, institutionId: due.institutionId };
  // The institution cannot send at present: nothing leaves by this attempt, and the money stays held.
  if (!institution || !payouts) {
    ctx.log.warn(log, "a withdrawal waits: its institution cannot send");
    return retryLater(state, { state: "cannot_send" });
  }
  const rules = listsFirst(institution) ? LIST_FIRST : RULES;
  const pursued = await pursue(orderOf(ctx, due, institution, payouts, lastCheck), state, rules, ctx.clock.now);
  switch (pursued.kind) {
    case "open":
      if (isAwaitingTurn(pursued)) {
        const waiting = { ...due, id: due.withdrawalId, perSecond: payoutsASecond(institution) };
        return retryAt(nextTurn(waiting, ctx.clock.now()), pursued.state, pursued.latest);
      }
      ctx.log.warn({ ...log, latest: pursued.latest }, "a withdrawal has no known outcome yet");
      return retryLater(pursued.state, pursued.latest, pursued.decidedAt);
    case "shown": {
      const decidedAt = failsTooSoon(due, pursued.value, ctx.clock.now());
      if (decidedAt !== null) return retryLater(AT_PSP, { state: "under_way" }, decidedAt);
      const resolved = await resolve(ctx, due, institution, {
        ...{ kind: "shown", payout: pursued.value },
        ...(institution.can.payouts?.authorised && { preparedBy: due.attempts }),
      });
      if (resolved.kind === "known" && !isOpen(resolved.status)) return null;
      if (pursued.value.status === "prepared" && resolved.kind === "known" && !due.paused) {
        const authorised = await authorise(ctx, due, pursued.value, payouts, (send) => lastCheck(due, send));
        if (authorised.kind === "open") return retryLater(AT_PSP, authorised.latest, authorised.decidedAt);
        const after = await resolve(ctx, due, institution, { kind: "shown", payout: authorised.payout });
        return after.kind === "known" && !isOpen(after.status) ? null : retryLater(AT_PSP, latestOf(after));
      }
      if (pursued.value.status === "awaiting_approval") return retryLater(AT_PSP, { state: "awaits_bank" });
      if (pursued.value.status === "under_analysis") return retryLater(AT_PSP, { state: "under_analysis" });
      const openSeconds = Math.round((ctx.clock.now() - due.createdAt.getTime()) / 1000);
      if (openSeconds >= SLOW_SECONDS)
        ctx.log.warn({ ...log, openSeconds }, "a withdrawal is still open at its institution");
      return retryLater(AT_PSP, latestOf(resolved));
    }
    case "refused": {
      const { httpStatus, code } = pursued;
      ctx.log.warn({ ...log, httpStatus, code }, "the PSP refused a withdrawal");
      const { pspId, attempts } = due;
      const resolved = await resolve(ctx, due, institution, { kind: "refused", pspId, code, reason: "", attempts });
      return resolved.kind !== "known" ? retryLater(AT_PSP, latestOf(resolved)) : null;
    }
  }
}

/** How many payouts its bank allows in a second; without a limit as many as it can. */
const payoutsASecond = ({ can: { perMinute, perSecond } }: Institution): number =>
  paceWithin({ perMinute: perMinute?.payouts, perSecond: perSecond?.payouts })?.perSecond ?? Number.POSITIVE_INFINITY;

/** Whether a repeat there could pay twice, so that its list must have been searched before. */
const listsFirst = ({ can }: Institution): boolean => can.payouts?.repeat === "list_first";

/** How a claimed withdrawal is queried, searched for and sent. */
function orderOf(
  ctx: Context,
  due: Due,
  institution: Institution,
  payouts: Payouts,
  lastCheck: LastCheck<Due>,
): Parameters<typeof pursue<PspPayout>>[0] {
  const { can, institutionId } = institution;
  const { pspId: id, netAmount: amount, pixKey, holderDocument, holderName, withdrawalId } = due;
  const reference = referenceOf(due);
  const isNamed = reference !== null || can.payouts?.foundBy === "our_id";
  const isPrepared = can.payouts?.authorised === true;
  const numbers = can.payouts?.numbers;
  // The number is ours and stored before the request, so the bank may not have the payout.
  const find = () => (numbers ? payouts.findPayout(id, reference) : findNamed(payouts, id, reference));
  const claimedUntil = due.nextAt?.getTime() ?? 0;
  const leave: Payouts["sendPayout"] = async (order) => {
    if (numbers === undefined) return payouts.sendPayout(order);
    const numbered = reference === null ? await giveNumber(ctx, due, numbers) : { reference };
    if ("reason" in numbered) return { kind: "unsent", reason: numbered.reason };
    return payouts.sendPayout({ ...order, reference: numbered.reference });
  };
  const send = async () => {
    const answer = await lastCheck(due, async (mayStillLeave) => {
      // A request counts only once it may leave: a process that dies may have claimed many withdrawals whose requests never
      // left. Where the adapter does not ask before it sends, it counts at once.
      let counted = isPrepared && !payouts.asksToLeave ? 1 : 0;
      if ((isPrepared || due.mayHaveLeft) && !(await noteLeaving(ctx, due, counted)))
        return { kind: "unsent" as const, reason: "claim_over" };
      const mayLeave = async () => {
        const first = isPrepared && counted === 0 ? 1 : 0;
        if ((isPrepared || due.mayHaveLeft) && !(await noteLeaving(ctx, due, first))) return false;
        counted += first;
        return mayStillLeave();
      };
      const outcome = await leave({ id, amount, pixKey, holderDocument, holderName, mayLeave });
      // What did not leave after all, or was refused, has prepared nothing.
      const counts = isPrepared && (outcome.kind === "accepted" || outcome.kind === "unknown") ? 1 : 0;
      if (counts !== counted) await noteLeaving(ctx, due, counts - counted);
      return outcome;
    });
    if (due.isForgotten && answer.kind !== "unsent") await noteLeft(ctx, due);
    // Another process may have prepared one by now: what this one has prepared is not stored, and never authorised.
    const isLate = isPrepared && answer.kind === "accepted" && ctx.clock.now() >= claimedUntil;
    return isLate ? { kind: "unknown" as const, reason: "claim_over" } : answer;
  };
  const isOver = () => ctx.clock.now() > claimedUntil - SEARCH_ENDS;
  const isAsAsked = safeEqual(due.askedDigest, digestOfAsked(due));
  if (!isAsAsked)
    ctx.log.error({ withdrawalId, institutionId }, "a withdrawal is not what was asked for: nothing of it is sent");
  // What was prepared twice is paid once: only the one whose id is stored is authorised.
  // A restored database may have lost the id of one that was authorised.
  const isHarmless = isPrepared && !due.isForgotten;
  const isKnown = can.payouts?.remembered === "for_ever" || isRemembered(due, ctx.clock.now());
  const mayRepeat = isNamed || (isPrepared ? due.preparations < LIMITS.payoutPreparations : isKnown);
  const search = () =>
    searchPayout(payouts, id, {
      ...{ since: due.createdAt, now: ctx.clock.date(), isOver, isExhaustive: listsFirst(institution) },
      onOther: (payout) => resolve(ctx, due, institution, { kind: "shown", payout }),
    });
  const findUnnamed = listsFirst(institution) ? search : async () => ({ kind: "absent" }) as const;
  return {
    find: isNamed ? find : findUnnamed,
    search: async () => (isHarmless && !isNamed ? { kind: "absent" } : numbers ? find() : search()),
    ...(!due.paused && isAsAsked && mayRepeat && { send }),
    ...(!mayRepeat && { unsent: { state: "no_bank_id" } }),
  };
}

/**
 * Whether the bank certainly still recognises a repeat. After a restore operators have decided that the request may leave
 * again.
 */
const isRemembered = ({ mayHaveLeft, firstLeftAt }: Due, now: number): boolean =>
  !mayHaveLeft || firstLeftAt === null || now - firstLeftAt.getTime() < LIMITS.payoutRepeats;

/**
 * Queries a payout. A bank that has given it an id has accepted it, so nothing is sent again where the bank does not show it.
 */
async function findNamed(payouts: Payouts, id: string, reference: string | null): Promise<Found<PspPayout>> {
  const found = await payouts.findPayout(id, reference);
  return found.kind === "absent" && reference !== null ? { kind: "unknown", reason: "not_shown" } : found;
}

const latestOf = (resolved: Resolved): Latest =>
  resolved.kind === "contradiction" ? { state: "contradicts", words: resolved.about } : { state: "under_way" };

/** Opens the case of a withdrawal that has not ended or changed for too long. */
async function reportUnresolved(ctx: Context, due: Due, latest: Latest, isAnalysed: boolean): Promise<void> {
  const { accountId, withdrawalId, caseOpenedAt, awaitingBankSince, updatedAt } = due;
  if (
    caseOpenedAt !== null ||
    awaitingBankSince !== null ||
    ctx.clock.now() - updatedAt.getTime() < (isAnalysed ? LIMITS.payoutAnalysed : LIMITS.payoutUnresolved)
  )
    return;
  await ctx.lanes.run(reportWithdrawal, { accountId, withdrawalId, latest });
}

/**
 * Queries a withdrawal that has ended, and never sends it: a return may have come, or a failure may have been wrong. If the
 * institution contradicts the books, the queries continue (case.ts), even after their usual time.
 */
async function queryEnded(
  ctx: Context,
  due: Due,
  institution: Institution | null,
  payouts: Payouts | undefined,
): Promise<EndedMark> {
  const reference = referenceOf(due);
  // Without the bank's id it cannot be queried: it was refused, or ended by operators.
  const isNamed = reference !== null || institution?.can.payouts?.foundBy === "our_id";
  const found = isNamed ? await payouts?.findPayout(due.pspId, reference) : undefined;
  const now = ctx.clock.date();
  const { status, caseOpenedAt } = due;
  const resolved =
    found?.kind === "found" ? await resolve(ctx, due, institution!, { kind: "shown", payout: found.value }) : undefined;
  const isContradicted = resolved === undefined ? caseOpenedAt !== null : resolved.kind === "contradiction";
  // Nothing more can happen to a withdrawal that came back whole.
  if (status === "reversed" && !isContradicted) return { due, nextAt: null, queries: due.attempts };
  const answered = found?.kind !== "unknown";
  // The contradiction is new, so its series of queries begins now.
  if (isContradicted && caseOpenedAt === null) return { due, nextAt: followUpAt("completed", now, 0), queries: 0 };
  const over = isContradicted
    ? ({ end: "completed", at: caseOpenedAt! } as const)
    : ({ end: status === "failed" ? "failed" : "completed", at: due.processedAt ?? now } as const);
  const { nextAt, queries: asked } = followUp(over, due.attempts, answered, now);
  return { due, nextAt, queries: asked };
}

function resolve(
  ctx: Context,
  due: Due,
  { institutionId, environment }: Institution,
  reported: ResolveWithdrawal["reported"],
): Promise<Resolved> {
  const { accountId, withdrawalId } = due;
  return bookWithdrawal(ctx, { accountId, withdrawalId, institutionId, environment, reported });
}

/** The PSP has the order: a request has left, and no refusal is known. */
const AT_PSP: RequestState = { mayHaveLeft: true, refusedAt: null, absentAt: null };
