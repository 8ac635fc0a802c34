import type { Decision } from "../../ledger/books.ts";
import { psp, returns } from "../../ledger/chart.ts";
import { answered } from "../../ledger/evidence.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import type { Said } from "../../lib/said.ts";
import { compareNames } from "../../outgoing/pair-returns.ts";
import type { PspReturn } from "../../psp/psp.ts";
import {
  type At,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  put,
  unchanged,
  wantMoneyOf,
  wantPix,
  wentBack,
} from "../pix.ts";
import { confirmRefund, failRefund } from "../refunds/end.ts";
import { afterRestoring, withCases } from "./case.ts";
import { withReturnEvent } from "./report.ts";
import { isUnderWay, type PixReturn, type ReturnStatus } from "./row.ts";

/** How a return of ours ended, as its PSP reports it. */
export type FinishReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  /** Who reports it: nothing is booked of a Pix that another institution has. */
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  /** Its id at the PSP. */
  readonly pspId: string;
  /** What the PSP returned, or did not. */
  readonly amount: number;
  /** The return as it shows it. Left out: how it ended is all that is known. */
  readonly shown?: Said;
  readonly end:
    | { readonly kind: "settled"; readonly rtrId: string | null; readonly settledAt: Date | null }
    | { readonly kind: "failed"; readonly reason: string };
};

/**
 * The status afterwards; null where nothing was written: it is no return of ours, or of another amount, or with it more than the Pix would
 * have gone back.
 */
export type Finished = { readonly status: ReturnStatus; readonly already: boolean } | null;

/** What a PSP shows of a return as a command; null while it is under way. */
export function finishOf(
  of: Pick<FinishReturn, "accountId" | "e2eId" | "institutionId" | "environment">,
  shown: PspReturn,
): FinishReturn | null {
  const { id: pspId, amount, status } = shown;
  if (status === "settled") {
    const end = { kind: "settled" as const, rtrId: shown.rtrId ?? null, settledAt: shown.settledAt ?? null };
    return { ...of, pspId, amount, shown, end };
  }
  if (status !== "failed") return null;
  const reason = shown.reason ?? "The PSP did not carry it out.";
  return { ...of, pspId, amount, shown, end: { kind: "failed", reason } };
}

/**
 * Ends a return that we asked for, a deposit's or a refund's. The same end is booked once, whoever reports it and
 * however often.
 */
export const finishReturn: CommandKind<FinishReturn, Finished> = {
  name: "finish return",
  evidence: ({ institutionId, e2eId, pspId, end, shown = { said: { id: pspId, ...end } } }) =>
    answered(institutionId, e2eId, shown),
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding): Decision<Finished> {
    const { accountId, e2eId, institutionId, pspId, amount, end } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const before = pix?.returns.find((one) => one.pspId === pspId && one.amount === amount);
    if (!pix || !before || pix.institutionId !== institutionId) return { result: null };
    if (before.status === "confirmed") {
      if (end.kind === "settled" && compareNames({ rtrId: before.rtrId }, end) === "other") return { result: null };
      const already = { status: "confirmed" as const, already: true };
      return decided(pix, unchanged(withRtrId(pix, before, end, deciding.now)), already);
    }
    if (before.status === "failed" && end.kind === "failed") return { result: { status: "failed", already: true } };
    if (end.kind === "settled" && wentBack(pix) + amount > pix.amount) return { result: null };
    const status = end.kind === "settled" ? "confirmed" : "failed";
    const at = { books, deciding };
    const ended =
      end.kind === "settled"
        ? afterRestoring(pix, at, (so) => endOf(so, of(so, before), command, at))
        : endOf(pix, before, command, at);
    const change = withReturnEvent(pix, withCases(pix, ended, at), command.environment, at);
    return decided(pix, change, { status, already: false });
  },
};

/** Fills in the network's id of a return that was confirmed without it: of its refund and its parts too. */
function withRtrId(pix: ClaimedPix, back: PixReturn, end: FinishReturn["end"], updatedAt: Date): ClaimedPix {
  if (end.kind !== "settled" || end.rtrId === null || back.rtrId !== null) return pix;
  const { rtrId } = end;
  const { returnId } = back;
  return {
    ...pix,
    returns: put(pix.returns, { ...back, rtrId, updatedAt }, (one) => one.returnId),
    refunds: pix.refunds.map((one) => (one.refundId === returnId ? { ...one, rtrId, updatedAt } : one)),
    pspReturns: pix.pspReturns.map((one) => (one.pspReturnId === returnId ? { ...one, rtrId } : one)),
  };
}

/** The return as it is after a change of its Pix. */
const of = ({ returns: all }: ClaimedPix, { returnId }: PixReturn): PixReturn =>
  all.find((one) => one.returnId === returnId)!;

function endOf(pix: ClaimedPix, back: PixReturn, { end, environment }: FinishReturn, at: At): Change {
  if (back.purpose === "deposit") return endDeposit(pix, back, end, at);
  const refund = pix.refunds.find((one) => one.refundId === back.returnId)!;
  return end.kind === "settled"
    ? confirmRefund(pix, refund, { ...end, environment }, at)
    : failRefund(pix, refund, { reason: end.reason, environment }, at);
}

/**
 * Settled: the money of a deposit that was not credited leaves `returns` for the PSP, who has given it back. Failed: it
 * stays there for the operator.
 */
function endDeposit(pix: ClaimedPix, back: PixReturn, end: FinishReturn["end"], { deciding }: At): Change {
  const { now } = deciding;
  const { accountId, returnId: sourceId, amount, institutionId } = back;
  const over = { ...back, nextAt: null, updatedAt: now };
  const withReturn = (row: PixReturn): ClaimedPix => ({
    ...pix,
    returns: put(pix.returns, row, (one) => one.returnId),
  });
  if (end.kind === "failed") {
    return unchanged(withReturn({ ...over, status: "failed", failureReason: end.reason }));
  }
  const settledAt = end.settledAt ?? now;
  const settled = withReturn({ ...over, status: "confirmed", rtrId: end.rtrId, settledAt, failureReason: null });
  return {
    pix: { ...settled, returns: settled.returns.map((one) => inVain(one, now)) },
    transfers: [
      {
        accountId,
        kind: "deposit_returned",
        sourceId,
        leg: 0,
        amount,
        from: returns,
        to: psp(institutionId),
        occurredAt: settledAt,
      },
    ],
    writes: [],
  };
}

/** One that took the place of a return which was settled after all: the PSP has nothing left to give back. */
function inVain(back: PixReturn, now: Date): PixReturn {
  if (!isUnderWay(back)) return back;
  const failureReason = "An earlier return was settled after all.";
  return { ...back, status: "failed", failureReason, nextAt: null, updatedAt: now };
}
