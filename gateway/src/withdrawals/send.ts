import { TO_SEND, withdrawalPaused } from "../brakes/gate.ts";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { part, sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { digestOfAsked } from "../lib/asked-digest.ts";
import { LIMITS } from "../lib/limits.ts";
import { safeEqual } from "../lib/secrets.ts";
import { claimDue, type DueRows } from "../outgoing/claim.ts";
import { createLastCheck, type LastCheck } from "../outgoing/last-check.ts";
import { createMarks } from "../outgoing/marks.ts";
import { nextQueryAt, pursue, type RequestState, type RetryRules } from "../outgoing/pursue.ts";
import { createRunner, type Runner } from "../outgoing/runner.ts";
import { listWindow } from "../psp/list-window.ts";
import type { Found, Payouts, PspPayout } from "../psp/psp.ts";
import { inWords } from "../psp/reason.ts";
import { admitDue, awaitsAdmission, countsAt } from "./admit.ts";
import { bookWithdrawal } from "./book.ts";
import { reportWithdrawal } from "./case.ts";
import type { Resolved, ResolveWithdrawal } from "./resolve.ts";
import { followUp, followUpAt } from "./schedule.ts";
import { isOpen, withdrawalsTable } from "./withdrawal.ts";

/** Longer than the calls of one withdrawal take together, milliseconds. */
const CLAIM = 60_000;
/** A search ends so long before the claim does: another process may send again then. Longer than a call takes, milliseconds. */
const SEARCH_ENDS = 12_000;
/** By how much the clocks of a PSP and ours may differ, milliseconds. */
const CLOCKS = 60_000;
/** A withdrawal that its institution has not ended after this time is logged at every query. Seconds. */
const SLOW = 60;
/**
 * The same request is repeated only after the PSP has not shown the payout for this long: a request still on its way
 * has arrived by then. A PSP pays an id once, so this is a second safeguard. A 404 concerns the receiver's key.
 */
const RULES: RetryRules = { absentFor: 30_000, inconclusive: new Set([401, 403]) };

const FIELDS = [
  "accountId", "withdrawalId", "status", "netAmount", "pixKey", "holderDocument", "institutionId", "pspId",
  "attempts", "refusedAt", "absentAt", "processedAt", "caseOpenedAt", "awaitingBankSince", "createdAt", "updatedAt",
  "nextAt", "walletId", "pixKeyType", "holderName", "holderDocumentType", "askedDigest",
] as const; // biome-ignore format: a list

/** `mayHaveLeft` as the claim found it: what this process sends now does not count. */
type Due = Selected<typeof withdrawalsTable.columns, (typeof FIELDS)[number] | "mayHaveLeft"> & {
  /** A brake or a suspension: what may have left is queried, and no request is sent. */
  readonly paused: boolean;
  /** What may have left is a request that books which were set back have forgotten: no time of leaving is known. */
  readonly isForgotten: boolean;
};

/**
 * Sends withdrawals, queries them until they have ended, and for some time after that in case money comes back. A
 * withdrawal is claimed by moving `next_at`. Every call carries its stored id, and only an answer of the PSP ends it.
 */
export function createSender(ctx: Context): Runner {
  const marks: Marks = {
    again: createMarks<Again>(ctx, "withdrawal marks", accountOf, (rows) => writeAgain(ctx, rows)),
    asked: createMarks<Asked>(ctx, "withdrawal follow-ups", accountOf, (rows) => writeAsked(ctx, rows)),
  };
  const lastCheck = createLastCheck<typeof withdrawalsTable.columns, Due>(ctx, DUE);
  return createRunner<Due>(ctx, {
    loop: "withdrawals",
    async claim(limit) {
      const claim = (most: number): Promise<readonly Due[]> => claimDue(ctx, DUE, most);
      const due = await claim(limit);
      // Of what was held back into another hour: what it counts for is decided before it is claimed.
      if (due.length === limit || (await admitDue(ctx)) === 0) return due;
      return [...due, ...(await claim(limit - due.length))];
    },
    process: (due) => process(ctx, due, marks, lastCheck),
    span: (due) => ({ objectId: due.withdrawalId }),
    describe: (due) => ({ withdrawalId: due.withdrawalId }),
  });
}

/** What the loop writes after a step: of an open withdrawal, what is known of its requests; of an ended one, the next query. */
type Again = { readonly due: Due; readonly state: RequestState; readonly nextAt: Date; readonly lastWords: string };
type Asked = { readonly due: Due; readonly nextAt: Date | null; readonly asked: number };
type Marks = {
  again(mark: Again): Promise<void>;
  asked(mark: Asked): Promise<void>;
};

/** A claim sets `processing` and `may_have_left`: if this process dies now, a request may have left. */
const DUE: DueRows<typeof withdrawalsTable.columns, (typeof FIELDS)[number]> = {
  table: withdrawalsTable,
  dueAt: "nextAt",
  claimMs: CLAIM,
  // While sending is paused, an order that may have left is still queried and finished.
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
    mine.may_have_left and mine.left_at is null as "isForgotten"`,
};

async function process(ctx: Context, due: Due, marks: Marks, lastCheck: LastCheck<Due>): Promise<Date | null> {
  const institution = await ctx.psps.find(due.institutionId);
  const payouts = institution?.psp.payouts;
  if (!isOpen(due.status)) {
    const mark = await askAgain(ctx, due, institution, payouts);
    await marks.asked(mark);
    return mark.nextAt;
  }
  const again = async (state: RequestState, lastWords: string, decidedAt?: Date): Promise<Date> => {
    const nextAt = nextQueryAt(due.attempts, ctx.clock.now(), decidedAt);
    await marks.again({ due, state, nextAt, lastWords: lastWords.slice(0, WORDS) });
    await report(ctx, due, lastWords);
    return nextAt;
  };
  const { mayHaveLeft, refusedAt, absentAt } = due;
  const state: RequestState = { mayHaveLeft, refusedAt, absentAt };
  const log = { withdrawalId: due.withdrawalId, institutionId: due.institutionId };
  // The institution cannot send at present: nothing has left by this attempt, and the money stays held.
  if (!institution || !payouts) {
    ctx.log.warn(log, "a withdrawal waits: its institution cannot send");
    return again(state, "The institution cannot send payouts at present.");
  }
  const payout = {
    id: due.pspId,
    amount: due.netAmount,
    pixKey: due.pixKey,
    holderDocument: due.holderDocument,
  };
  const find = () => payouts.findPayout(payout.id);
  const send = async () => {
    const answer = await lastCheck(due, () => payouts.sendPayout(payout));
    if (due.isForgotten && answer.kind !== "unsent") await noteLeft(ctx, due);
    return answer;
  };
  const claimedUntil = due.nextAt?.getTime() ?? 0;
  const isOver = () => ctx.clock.now() > claimedUntil - SEARCH_ENDS;
  const search = () => searchPayout(payouts, payout.id, { since: due.createdAt, now: ctx.clock.date(), isOver });
  const isAsAsked = safeEqual(due.askedDigest, digestOfAsked(due));
  if (!isAsAsked) ctx.log.error(log, "a withdrawal is not what was asked for: nothing of it is sent");
  const order = { find, search, ...(!due.paused && isAsAsked && { send }) };
  const pursued = await pursue(order, state, RULES, ctx.clock.now);
  switch (pursued.kind) {
    case "open":
      ctx.log.warn({ ...log, reason: pursued.reason }, "a withdrawal has no known outcome yet");
      return again(pursued.state, `No outcome is known: ${inWords(pursued.reason)}`, pursued.decidedAt);
    case "shown": {
      const resolved = await resolve(ctx, due, institution, { kind: "shown", payout: pursued.value });
      if (resolved.kind === "known" && !isOpen(resolved.status)) return null;
      if (pursued.value.status === "awaiting_approval") return again(AT_PSP, AWAITS_BANK);
      const openSeconds = Math.round((ctx.clock.now() - due.createdAt.getTime()) / 1000);
      if (openSeconds >= SLOW) ctx.log.warn({ ...log, openSeconds }, "a withdrawal is still open at its institution");
      return again(AT_PSP, wordsOf(resolved));
    }
    case "refused": {
      const { httpStatus, code } = pursued;
      ctx.log.warn({ ...log, httpStatus, code }, "the PSP refused a withdrawal");
      const { pspId, attempts } = due;
      const resolved = await resolve(ctx, due, institution, { kind: "refused", pspId, code, reason: "", attempts });
      return resolved.kind !== "known" ? again(AT_PSP, wordsOf(resolved)) : null;
    }
  }
}

/** From now on it is one whose request has left in an hour that it counts for: it is queried, and not admitted to another hour. */
const noteLeft = ({ db, clock }: Context, { accountId, withdrawalId }: Due): Promise<unknown> =>
  db.query(sql`
    update withdrawals set left_at = ${clock.date()}
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId} and left_at is null`);

/** Searches for a payout in the list of all that were sent since its withdrawal was made. */
async function searchPayout(
  payouts: Payouts,
  id: string,
  { since, now, isOver }: { readonly since: Date; readonly now: Date; readonly isOver: () => boolean },
): Promise<Found<PspPayout>> {
  const window = { from: new Date(since.getTime() - CLOCKS), to: new Date(now.getTime() + CLOCKS) };
  let unreadable = 0;
  for await (const step of listWindow((part) => payouts.listPayouts(part), window, isOver)) {
    if (step.kind === "failed") return { kind: "unknown", reason: `its list of payouts: ${step.reason}` };
    const value = step.page?.payouts.find((one) => one.id === id);
    if (value) return { kind: "found", value };
    unreadable += step.page?.unreadable?.length ?? 0;
  }
  return unreadable > 0 ? { kind: "unknown", reason: "its list of payouts has unreadable items" } : { kind: "absent" };
}

const AWAITS_BANK = "The institution holds it until a person approves it there.";

/** Characters of the newest words that are kept. */
const WORDS = 500;

const wordsOf = (resolved: Resolved): string =>
  resolved.kind === "contradiction" ? resolved.about : "The institution is processing it.";

/** Opens the case of a withdrawal that has not ended or changed for too long. */
async function report(ctx: Context, due: Due, says: string): Promise<void> {
  const { accountId, withdrawalId, caseOpenedAt, awaitingBankSince, updatedAt } = due;
  if (
    caseOpenedAt !== null ||
    awaitingBankSince !== null ||
    ctx.clock.now() - updatedAt.getTime() < LIMITS.payoutUnresolved
  )
    return;
  await ctx.lanes.run(reportWithdrawal, { accountId, withdrawalId, says });
}

/**
 * A withdrawal that has ended is only queried, never sent: a return may have come, or a failure may have been none. One that is shown
 * otherwise than the books have it is queried from then on (case.ts), also where its own time is over.
 */
async function askAgain(
  ctx: Context,
  due: Due,
  institution: Institution | null,
  payouts: Payouts | undefined,
): Promise<Asked> {
  const found = await payouts?.findPayout(due.pspId);
  const now = ctx.clock.date();
  const { status, caseOpenedAt } = due;
  const resolved =
    found?.kind === "found" ? await resolve(ctx, due, institution!, { kind: "shown", payout: found.value }) : undefined;
  const isContradicted = resolved === undefined ? caseOpenedAt !== null : resolved.kind === "contradiction";
  // Nothing more is expected of one that has come back whole.
  if (status === "reversed" && !isContradicted) return { due, nextAt: null, asked: due.attempts };
  const answered = found?.kind !== "unknown";
  // What this query has found begins with the first query after it.
  if (isContradicted && caseOpenedAt === null) return { due, nextAt: followUpAt("completed", now, 0), asked: 0 };
  const over = isContradicted
    ? ({ end: "completed", at: caseOpenedAt! } as const)
    : ({ end: status === "failed" ? "failed" : "completed", at: due.processedAt ?? now } as const);
  const { nextAt, asked } = followUp(over, due.attempts, answered, now);
  return { due, nextAt, asked };
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

const postpone = withdrawalsTable.guarded("requestState", ["status", "attempts"]);
const ask = withdrawalsTable.guarded("followUp", ["status"]);

const accountOf = ({ due }: { readonly due: Due }): string => due.accountId;

const inOrder = <Mark extends { readonly due: Due }>(marks: readonly Mark[]): Mark[] =>
  [...marks].sort(({ due: a }, { due: b }) => (a.accountId + a.withdrawalId < b.accountId + b.withdrawalId ? -1 : 1));

/**
 * A write outside the lanes names the status that it expects: an ended withdrawal stays ended. It also names its claim: what a
 * process knows whose claim another has taken over is old, and `mayHaveLeft: false` of it would free money that has left.
 */
function writeAgain(ctx: Context, marks: readonly Again[]): Promise<unknown> {
  const rows = inOrder(marks).map(({ due: { accountId, withdrawalId, attempts }, state, nextAt, lastWords }) => ({
    ...{ accountId, withdrawalId, nextAt, lastWords, was: { status: "processing" as const, attempts } },
    ...state,
  }));
  return ctx.db.atOnce([postpone(rows)], rows);
}

/** A status that the poll has changed has a schedule of its own. */
function writeAsked(ctx: Context, marks: readonly Asked[]): Promise<unknown> {
  const rows = inOrder(marks).map(({ due: { accountId, withdrawalId, status }, nextAt, asked: attempts }) => ({
    ...{ accountId, withdrawalId, nextAt, attempts, was: { status } },
  }));
  return ctx.db.atOnce([ask(rows)], rows);
}
