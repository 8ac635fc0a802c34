import { evidence } from "../../cases/case.ts";
import { closeCase, openCase } from "../../cases/write.ts";
import type { Write } from "../../ledger/books.ts";
import { returns, writeOffs } from "../../ledger/chart.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { type At, type Change, type ClaimedPix, claimedPixTable, decided, put, then, wantPix } from "../pix.ts";
import { depositReturns, givenBack } from "./given-back.ts";
import { isUnderWay, type PixReturn } from "./row.ts";

const byReturnId = ({ returnId }: PixReturn): string => returnId;

/** What of a Pix that was set aside is not back with its payer, centavos: neither by our returns nor by the PSP's own. */
export function leftToReturn(pix: ClaimedPix): number {
  const first = depositReturns(pix).find(({ retryOf }) => retryOf === null);
  return (first?.amount ?? 0) - givenBack(pix);
}

/** True of a written-off return whose money has not left `write_offs` again. */
export const isWrittenOff = ({ writtenOffBy, restoredAt }: PixReturn): boolean =>
  writtenOffBy !== null && restoredAt === null;

/** True when a failed return of a deposit waits for the operator: its money is in `returns`, and no other return took its place. */
export const awaitsDecision = (pix: ClaimedPix, back: PixReturn): boolean =>
  back.purpose === "deposit" &&
  back.status === "failed" &&
  !isWrittenOff(back) &&
  !pix.returns.some(({ retryOf }) => retryOf === back.returnId) &&
  leftToReturn(pix) > 0;

/**
 * Adds to a change what it means for the cases of the Pix's returns: a failed one whose money waits is a case until none
 * of it waits, and one that was reported as under way for too long has ended.
 */
export function withCases(before: ClaimedPix, change: Change, { deciding }: At): Change {
  const { accountId, e2eId, institutionId } = change.pix;
  const left = leftToReturn(change.pix);
  const writes: Write[] = [];
  let { returns: all } = change.pix;
  for (const back of change.pix.returns) {
    const { returnId: objectId, pspId, writtenOffAmount: writtenOff } = back;
    const old = before.returns.find((one) => one.returnId === objectId);
    const [waited, waits] = [old !== undefined && awaitsDecision(before, old), awaitsDecision(change.pix, back)];
    if (waits && (!waited || left !== leftToReturn(before))) {
      const fact = {
        ...{ accountId, kind: "return_failed" as const, objectId, institutionId, amount: left, deadline: null },
        evidence: evidence({
          says: "The institution did not return the money to its payer.",
          source: "institution",
          raw: back.failureReason ?? "",
          data: { e2eId, pspId, ...(writtenOff !== null && { writtenOff }) },
        }),
      };
      writes.push(openCase(fact, deciding));
    }
    if (waited && !waits) writes.push(closeCase({ accountId, kind: "return_failed", objectId }, deciding));
    if (back.caseOpenedAt === null || isUnderWay(back)) continue;
    writes.push(closeCase({ accountId, kind: "return_unresolved", objectId }, deciding));
    all = put(all, { ...back, caseOpenedAt: null }, byReturnId);
  }
  return { ...change, pix: { ...change.pix, returns: all }, writes: [...change.writes, ...writes] };
}

/** Takes the write-off of a Pix's return back: its money is in `returns` again. */
function restoreWrittenOff(pix: ClaimedPix, { deciding: { now } }: At): Change {
  const written = pix.returns.find(isWrittenOff);
  if (!written) return { pix, transfers: [], writes: [] };
  const { accountId, returnId: sourceId, writtenOffAmount } = written;
  const kind = "return_written_off" as const;
  return {
    pix: { ...pix, returns: put(pix.returns, { ...written, restoredAt: now, updatedAt: now }, byReturnId) },
    transfers: [
      { accountId, kind, sourceId, leg: 1, amount: writtenOffAmount!, from: writeOffs, to: returns, occurredAt: now },
    ],
    writes: [],
  };
}

/** Decides about a Pix whose written-off money may have left: what was written off is back in `returns` first. */
export const afterRestoring = (pix: ClaimedPix, at: At, next: (pix: ClaimedPix) => Change): Change =>
  then(restoreWrittenOff(pix, at), next);

/** A return without an end, and what is known about it. */
type ReportReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly returnId: string;
  /** Since when it has been under way: a brake may have held it back before. */
  readonly since: Date;
  readonly says: string;
};

/** Opens the case of a return that has had no end for too long, or that its PSP shows otherwise; once. */
export const reportReturn: CommandKind<ReportReturn, null> = {
  name: "report return",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  decide({ accountId, e2eId, returnId, since, says }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const back = pix?.returns.find((one) => one.returnId === returnId);
    if (!pix || !back || !isUnderWay(back) || back.caseOpenedAt !== null) return { result: null };
    const { institutionId, amount, purpose, pspId } = back;
    const fact = {
      ...{ accountId, kind: "return_unresolved" as const, objectId: returnId, institutionId, amount, deadline: null },
      evidence: evidence({ says, source: "gateway", data: { e2eId, pspId, purpose, since: since.toISOString() } }),
    };
    const after = { ...pix, returns: put(pix.returns, { ...back, caseOpenedAt: deciding.now }, byReturnId) };
    return decided(pix, { pix: after, transfers: [], writes: [openCase(fact, deciding)] }, null);
  },
};
