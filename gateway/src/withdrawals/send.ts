import { TO_SEND, withdrawalPaused } from "../brakes/gate.ts";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { Fragment, part } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { LIMITS } from "../lib/limits.ts";
import { claimDue, type DueRows } from "../outgoing/claim.ts";
import { createMarks } from "../outgoing/marks.ts";
import { type Doubt, nextLook, type Patience, pursue } from "../outgoing/pursue.ts";
import { createRunner, type Runner } from "../outgoing/runner.ts";
import type { Payouts } from "../psp/psp.ts";
import { bookWithdrawal } from "./book.ts";
import { reportWithdrawal } from "./case.ts";
import type { Resolved, ResolveWithdrawal } from "./resolve.ts";
import { followUp } from "./schedule.ts";
import { isOpen, withdrawalsTable } from "./withdrawal.ts";

/** Longer than the calls of one withdrawal take together, milliseconds. */
const CLAIM = 60_000;
/** A withdrawal that its institution has and has not ended for so long is logged, each time that it is queried. Seconds. */
const SLOW = 60;
/**
 * The same request is repeated only when the PSP has not shown the payout for this long: one that is still on its way
 * there has arrived by then. A PSP pays an id once, so this is a second safeguard. A 404 is about the receiver's key.
 */
const PATIENCE: Patience = { absentFor: 30_000, besideThePoint: new Set([401, 403]) };

const FIELDS = [
  "accountId", "withdrawalId", "status", "netAmount", "pixKey", "holderDocument", "institutionId", "pspId",
  "attempts", "refusedAt", "absentAt", "processedAt", "caseOpenedAt", "createdAt", "updatedAt",
] as const; // biome-ignore format: a list

/** `mayHaveLeft` as the claim found it: what this process sends now does not count. */
type Due = Selected<typeof withdrawalsTable.columns, (typeof FIELDS)[number] | "mayHaveLeft"> & {
  /** A brake or a suspension: what may have left is queried, and no request is sent. */
  readonly paused: boolean;
};

/**
 * Sends withdrawals, asks about them until they are over, and for a while after that whether money came back. A withdrawal
 * is claimed by moving `next_at`; every call bears its stored id, and nothing but an answer of the PSP ends it.
 */
export function createSender(ctx: Context): Runner {
  const marks: Marks = {
    again: createMarks<Again>(ctx, "withdrawal marks", accountOf, (rows) => writeAgain(ctx, rows)),
    asked: createMarks<Asked>(ctx, "withdrawal follow-ups", accountOf, (rows) => writeAsked(ctx, rows)),
  };
  return createRunner<Due>(ctx, {
    loop: "withdrawals",
    claim: (limit) => claimDue(ctx, DUE, limit),
    carry: (due) => carry(ctx, due, marks),
    span: (due) => ({ of: due.withdrawalId }),
    describe: (due) => ({ withdrawalId: due.withdrawalId }),
  });
}

/** How a withdrawal leaves the hands of the loop: open, with what is known of its requests; or over, and asked about. */
type Again = { readonly due: Due; readonly doubt: Doubt; readonly nextAt: Date; readonly lastWords: string };
type Asked = { readonly due: Due; readonly nextAt: Date | null; readonly asked: number };
type Marks = {
  again(mark: Again): Promise<void>;
  asked(mark: Asked): Promise<void>;
};

const PAUSED = withdrawalPaused("d");
/** Claimed is `processing`, and a request may have left: should this process die now, one may have. */
const DUE: DueRows<typeof withdrawalsTable.columns, (typeof FIELDS)[number]> = {
  of: withdrawalsTable,
  dueAt: "nextAt",
  claimMs: CLAIM,
  // While it is paused nothing leaves that has not left; what may have is queried and finished.
  only: new Fragment([`(d.may_have_left or d.status not in ('pending', 'processing') or not ${PAUSED})`], []),
  first: TO_SEND,
  set: (now) => part`, status = case d.status when 'pending' then 'processing' else d.status end,
    may_have_left = true, attempts = d.attempts + 1,
    updated_at = case d.status when 'pending' then ${now}::timestamptz else d.updated_at end`,
  fields: FIELDS,
  besides: new Fragment([`, mine.may_have_left as "mayHaveLeft", ${PAUSED} as paused`], []),
};

async function carry(ctx: Context, due: Due, marks: Marks): Promise<Date | null> {
  const institution = await ctx.psps.find(due.institutionId);
  const payouts = institution?.psp.payouts;
  if (!isOpen(due.status)) {
    const mark = await askAgain(ctx, due, institution, payouts);
    await marks.asked(mark);
    return mark.nextAt;
  }
  const again = async (doubt: Doubt, lastWords: string, decidedAt?: Date): Promise<Date> => {
    const nextAt = nextLook(due.attempts, ctx.clock.now(), decidedAt);
    await marks.again({ due, doubt, nextAt, lastWords: lastWords.slice(0, WORDS) });
    await report(ctx, due, lastWords);
    return nextAt;
  };
  const { mayHaveLeft, refusedAt, absentAt } = due;
  const doubt: Doubt = { mayHaveLeft, refusedAt, absentAt };
  const log = { withdrawalId: due.withdrawalId, institutionId: due.institutionId };
  // The institution cannot send at present: nothing has left by this attempt, and the money stays held.
  if (!institution || !payouts) {
    ctx.log.warn(log, "a withdrawal waits: its institution cannot send");
    return again(doubt, "The institution cannot send payouts at present.");
  }
  const order = {
    id: due.pspId,
    amount: due.netAmount,
    pixKey: due.pixKey,
    holderDocument: due.holderDocument,
  };
  const find = () => payouts.findPayout(order.id);
  const errand = due.paused ? { find } : { find, send: () => payouts.sendPayout(order) };
  const pursued = await pursue(errand, doubt, PATIENCE, ctx.clock.now);
  switch (pursued.kind) {
    case "open":
      ctx.log.warn({ ...log, reason: pursued.reason }, "a withdrawal has no known outcome yet");
      return again(pursued.doubt, pursued.reason, pursued.decidedAt);
    case "shown": {
      const resolved = await tell(ctx, due, institution, { kind: "shown", payout: pursued.value });
      if (resolved.kind === "known" && !isOpen(resolved.status)) return null;
      const openSeconds = Math.round((ctx.clock.now() - due.createdAt.getTime()) / 1000);
      if (openSeconds >= SLOW) ctx.log.warn({ ...log, openSeconds }, "a withdrawal is still open at its institution");
      return again(AT_PSP, wordsOf(resolved));
    }
    case "refused": {
      const { httpStatus, code } = pursued;
      ctx.log.warn({ ...log, httpStatus, code }, "the PSP refused a withdrawal");
      const resolved = await tell(ctx, due, institution, { kind: "refused", pspId: due.pspId, code, reason: "" });
      return resolved.kind !== "known" ? again(AT_PSP, wordsOf(resolved)) : null;
    }
  }
}

/** Characters of the newest words that are kept. */
const WORDS = 500;

const wordsOf = (resolved: Resolved): string =>
  resolved.kind === "contradiction" ? resolved.about : "The institution is processing it.";

/** Opens the case of one that has had no end, and no news, for too long. */
async function report(ctx: Context, due: Due, says: string): Promise<void> {
  const { accountId, withdrawalId, caseOpenedAt, updatedAt } = due;
  if (caseOpenedAt !== null || ctx.clock.now() - updatedAt.getTime() < LIMITS.payoutUnresolved) return;
  await ctx.lanes.run(reportWithdrawal, { accountId, withdrawalId, says });
}

/** One that is over is only asked about, never sent: a return may have come, or a failure may have been none. */
async function askAgain(
  ctx: Context,
  due: Due,
  institution: Institution | null,
  payouts: Payouts | undefined,
): Promise<Asked> {
  const found = await payouts?.findPayout(due.pspId);
  const now = ctx.clock.date();
  if (found?.kind === "found") await tell(ctx, due, institution!, { kind: "shown", payout: found.value });
  const over = { end: due.status === "failed" ? "failed" : "completed", at: due.processedAt ?? now } as const;
  const { nextAt, asked } = followUp(over, due.attempts, found?.kind !== "unknown", now);
  return { due, nextAt, asked };
}

function tell(
  ctx: Context,
  due: Due,
  { institutionId, environment }: Institution,
  told: ResolveWithdrawal["told"],
): Promise<Resolved> {
  const { accountId, withdrawalId } = due;
  return bookWithdrawal(ctx, { accountId, withdrawalId, institutionId, environment, told });
}

/** The PSP has it: a request has left, and nothing speaks against it. */
const AT_PSP: Doubt = { mayHaveLeft: true, refusedAt: null, absentAt: null };

const postpone = withdrawalsTable.guarded("doubt", ["status"]);
const ask = withdrawalsTable.guarded("followUp", ["status"]);

const accountOf = ({ due }: { readonly due: Due }): string => due.accountId;

const inOrder = <Mark extends { readonly due: Due }>(marks: readonly Mark[]): Mark[] =>
  [...marks].sort(({ due: a }, { due: b }) => (a.accountId + a.withdrawalId < b.accountId + b.withdrawalId ? -1 : 1));

/** Writes outside the lanes say which status they expect: a withdrawal that is over stays over. */
function writeAgain(ctx: Context, marks: readonly Again[]): Promise<unknown> {
  const was = { status: "processing" } as const;
  const rows = inOrder(marks).map(({ due: { accountId, withdrawalId }, doubt, nextAt, lastWords }) => ({
    ...{ accountId, withdrawalId, nextAt, lastWords, was },
    ...doubt,
  }));
  return ctx.db.atOnce([postpone(rows)]);
}

/** A status that the poll has changed has a schedule of its own. */
function writeAsked(ctx: Context, marks: readonly Asked[]): Promise<unknown> {
  const rows = inOrder(marks).map(({ due: { accountId, withdrawalId, status }, nextAt, asked: attempts }) => ({
    ...{ accountId, withdrawalId, nextAt, attempts, was: { status } },
  }));
  return ctx.db.atOnce([ask(rows)]);
}
