import type { Decision } from "../../ledger/books.ts";
import { psp, returns } from "../../ledger/chart.ts";
import { answered } from "../../ledger/evidence.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { compareNames } from "../../psp/pair-returns.ts";
import type { PspReturn } from "../../psp/psp.ts";
import type { Said } from "../../psp/said.ts";
import {
  type Batch,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  unchanged,
  wantMoneyOf,
  wantPix,
  wentBack,
  withRow,
} from "../pix.ts";
import { confirmRefund, failRefund } from "../refunds/end.ts";
import { afterRestoring, withCases } from "./case.ts";
import { withReturnEvent } from "./report.ts";
import { isUnderWay, type PixReturn, type ReturnStatus } from "./row.ts";

/** How a return of ours ended, as its PSP reports it. */
export type FinishReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  /** The institution that reports it. It cannot book a Pix of another institution. */
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  /** Its id at the PSP. */
  readonly pspId: string;
  /** What the PSP returned, or did not. */
  readonly amount: number;
  /** The institution's answer. Left out where only the outcome is known. */
  readonly shown?: Said;
  readonly end:
    | { readonly kind: "settled"; readonly rtrId: string | null; readonly settledAt: Date | null }
    | { readonly kind: "failed"; readonly reason: string };
};

/**
 * The status afterwards; null where nothing was written: it is not our return, the amount differs, or with it the returns
 * would exceed the Pix.
 */
export type Finished = { readonly status: ReturnStatus; readonly already: boolean } | null;

/** The command for a return that a PSP shows; null while it is under way. */
export function finishOf(
  ofPix: Pick<FinishReturn, "accountId" | "e2eId" | "institutionId" | "environment">,
  shown: PspReturn,
): FinishReturn | null {
  const { id: pspId, amount, status } = shown;
  if (status === "settled") {
    const end = { kind: "settled" as const, rtrId: shown.rtrId ?? null, settledAt: shown.settledAt ?? null };
    return { ...ofPix, pspId, amount, shown, end };
  }
  if (status !== "failed") return null;
  const reason = shown.reason ?? "The PSP did not carry it out.";
  return { ...ofPix, pspId, amount, shown, end: { kind: "failed", reason } };
}

/**
 * Ends a return that we requested, of a deposit or a refund. The same end is booked once, whoever reports it and however
 * often.
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
    const before = pix?.returns.find((pixReturn) => pixReturn.pspId === pspId && pixReturn.amount === amount);
    if (!pix || !before || pix.institutionId !== institutionId) return { result: null };
    if (before.status === "confirmed") {
      if (end.kind === "settled" && compareNames({ rtrId: before.rtrId }, end) === "other") return { result: null };
      const already = { status: "confirmed" as const, already: true };
      return decided(pix, unchanged(withRtrId(pix, before, end, deciding.now)), already);
    }
    if (before.status === "failed" && end.kind === "failed") return { result: { status: "failed", already: true } };
    if (end.kind === "settled" && wentBack(pix) + amount > pix.amount) return { result: null };
    const status = end.kind === "settled" ? "confirmed" : "failed";
    const batch = { books, deciding };
    const ended =
      end.kind === "settled"
        ? afterRestoring(pix, batch, (so) => endOf(so, returnIn(so, before), command, batch))
        : endOf(pix, before, command, batch);
    const change = withReturnEvent(pix, withCases(pix, ended, batch), command.environment, batch);
    return decided(pix, change, { status, already: false });
  },
};

/** Fills in the network's id of a return that was confirmed without it, also in its refund and its parts. */
function withRtrId(pix: ClaimedPix, pixReturn: PixReturn, end: FinishReturn["end"], updatedAt: Date): ClaimedPix {
  if (end.kind !== "settled" || end.rtrId === null || pixReturn.rtrId !== null) return pix;
  const { rtrId } = end;
  const { returnId } = pixReturn;
  return {
    ...pix,
    returns: withRow(pix.returns, { ...pixReturn, rtrId, updatedAt }, (stored) => stored.returnId),
    refunds: pix.refunds.map((refund) => (refund.refundId === returnId ? { ...refund, rtrId, updatedAt } : refund)),
    pspReturns: pix.pspReturns.map((pspReturn) =>
      pspReturn.pspReturnId === returnId ? { ...pspReturn, rtrId } : pspReturn,
    ),
  };
}

/** The return as it is after a change of its Pix. */
const returnIn = ({ returns: all }: ClaimedPix, { returnId }: PixReturn): PixReturn =>
  all.find((stored) => stored.returnId === returnId)!;

function endOf(pix: ClaimedPix, pixReturn: PixReturn, { end, environment }: FinishReturn, batch: Batch): Change {
  if (pixReturn.purpose === "deposit") return endDeposit(pix, pixReturn, end, batch);
  const refund = pix.refunds.find((stored) => stored.refundId === pixReturn.returnId)!;
  return end.kind === "settled"
    ? confirmRefund(pix, refund, { ...end, environment }, batch)
    : failRefund(pix, refund, { reason: end.reason, environment }, batch);
}

/**
 * Settled: the money of the deposit leaves `returns` for the PSP, which has given it back. Failed: it stays there for the
 * operator.
 */
function endDeposit(pix: ClaimedPix, pixReturn: PixReturn, end: FinishReturn["end"], { deciding }: Batch): Change {
  const { now } = deciding;
  const { accountId, returnId: sourceId, amount, institutionId } = pixReturn;
  const over = { ...pixReturn, nextAt: null, updatedAt: now };
  const withReturn = (row: PixReturn): ClaimedPix => ({
    ...pix,
    returns: withRow(pix.returns, row, (stored) => stored.returnId),
  });
  if (end.kind === "failed") {
    return unchanged(withReturn({ ...over, status: "failed", failureReason: end.reason }));
  }
  const settledAt = end.settledAt ?? now;
  const settled = withReturn({ ...over, status: "confirmed", rtrId: end.rtrId, settledAt, failureReason: null });
  return {
    pix: { ...settled, returns: settled.returns.map((stored) => failRetry(stored, now)) },
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

/** Fails a return whose predecessor was settled after all: the PSP has nothing left to give back. */
function failRetry(pixReturn: PixReturn, now: Date): PixReturn {
  if (!isUnderWay(pixReturn)) return pixReturn;
  const failureReason = "An earlier return was settled after all.";
  return { ...pixReturn, status: "failed", failureReason, nextAt: null, updatedAt: now };
}
