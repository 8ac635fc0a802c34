import type { Context } from "../context.ts";
import { createMarks } from "../db/due-rows/marks.ts";
import type { Latest } from "../outgoing/latest.ts";
import type { RequestState } from "../outgoing/pursue.ts";
import { type WithdrawalRow, withdrawalsTable } from "./withdrawal.ts";

/** A withdrawal as the loop claimed it. */
type Due = Pick<WithdrawalRow, "accountId" | "withdrawalId" | "status" | "attempts">;

/** What the loop writes after a step: of an open withdrawal the state of its requests, of an ended one the next query. */
type OpenMark = { readonly due: Due; readonly state: RequestState; readonly nextAt: Date; readonly latest: Latest };
export type EndedMark = { readonly due: Due; readonly nextAt: Date | null; readonly queries: number };
export type Marks = {
  open(mark: OpenMark): Promise<void>;
  ended(mark: EndedMark): Promise<void>;
};

/** Writes what the loop knows after each step, of many withdrawals in one statement. */
export const withdrawalMarks = (ctx: Context): Marks => ({
  open: createMarks<OpenMark>(ctx, "withdrawal marks", accountOf, (rows) => writeOpenMarks(ctx, rows)),
  ended: createMarks<EndedMark>(ctx, "withdrawal follow-ups", accountOf, (rows) => writeEndedMarks(ctx, rows)),
});

const postpone = withdrawalsTable.guarded("requestState", ["status", "attempts"]);
const scheduleFollowUp = withdrawalsTable.guarded("followUp", ["status"]);

const accountOf = ({ due }: { readonly due: Due }): string => due.accountId;

const inOrder = <Mark extends { readonly due: Due }>(marks: readonly Mark[]): Mark[] =>
  [...marks].sort(({ due: a }, { due: b }) => (a.accountId + a.withdrawalId < b.accountId + b.withdrawalId ? -1 : 1));

/**
 * Written outside the lanes, so the update names the status that it expects: an ended withdrawal stays ended. It also names
 * its claim: a process whose claim another has taken over knows less, and its `mayHaveLeft: false` would free money that
 * has left.
 */
function writeOpenMarks(ctx: Context, marks: readonly OpenMark[]): Promise<unknown> {
  const rows = inOrder(marks).map(({ due: { accountId, withdrawalId, attempts }, state, nextAt, latest }) => ({
    ...{ accountId, withdrawalId, nextAt, latest, was: { status: "processing" as const, attempts } },
    ...state,
  }));
  return ctx.db.atOnce([postpone(rows)], rows);
}

/** If the status has changed since, the new status has a schedule of its own. */
function writeEndedMarks(ctx: Context, marks: readonly EndedMark[]): Promise<unknown> {
  const rows = inOrder(marks).map(({ due: { accountId, withdrawalId, status }, nextAt, queries: attempts }) => ({
    ...{ accountId, withdrawalId, nextAt, attempts, was: { status } },
  }));
  return ctx.db.atOnce([scheduleFollowUp(rows)], rows);
}
