import { evidence } from "../../cases/case.ts";
import { closeCase, openCase } from "../../cases/write.ts";
import type { Write } from "../../ledger/books.ts";
import { returns, writeOffs } from "../../ledger/chart.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { describeLatest, type Latest } from "../../outgoing/latest.ts";
import {
  andThen,
  type Batch,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  wantPix,
  withRow,
} from "../pix.ts";
import { depositReturns, returnedToPayer } from "./deposit-returns.ts";
import { isUnderWay, type PixReturn } from "./row.ts";

/** Its institution shows another return of the Pix, which these books may have lost in a restore (lost.ts). */
export const LOST = "lost_return";

const byReturnId = ({ returnId }: PixReturn): string => returnId;

/** Centavos of a set-aside Pix that are not back with its payer, neither by our returns nor by the PSP's own. */
export function leftToReturn(pix: ClaimedPix): number {
  const first = depositReturns(pix).find(({ retryOf }) => retryOf === null);
  return (first?.amount ?? 0) - returnedToPayer(pix);
}

/** Whether a return is written off and its money is still in `write_offs`. */
export const isWrittenOff = ({ writtenOffBy, restoredAt }: PixReturn): boolean =>
  writtenOffBy !== null && restoredAt === null;

/**
 * Whether a failed return of a deposit waits for the operator: its money is in `returns`, and no other return has replaced
 * it.
 */
export const awaitsDecision = (pix: ClaimedPix, pixReturn: PixReturn): boolean =>
  pixReturn.purpose === "deposit" &&
  pixReturn.status === "failed" &&
  !isWrittenOff(pixReturn) &&
  !pix.returns.some(({ retryOf }) => retryOf === pixReturn.returnId) &&
  leftToReturn(pix) > 0;

/**
 * Adds to a change the cases of the Pix's returns. A failed return has an open case while its money waits; the case of a
 * return that was under way for too long is closed when the return ends.
 */
export function withCases(before: ClaimedPix, change: Change, { deciding }: Batch): Change {
  const { accountId, e2eId, institutionId } = change.pix;
  const left = leftToReturn(change.pix);
  const writes: Write[] = [];
  let { returns: all } = change.pix;
  for (const pixReturn of change.pix.returns) {
    const { returnId: objectId, pspId, writtenOffAmount: writtenOff } = pixReturn;
    const old = before.returns.find((stored) => stored.returnId === objectId);
    const [waited, waits] = [old !== undefined && awaitsDecision(before, old), awaitsDecision(change.pix, pixReturn)];
    if (waits && (!waited || left !== leftToReturn(before))) {
      const fact = {
        ...{ accountId, kind: "return_failed" as const, objectId, institutionId, amount: left, deadline: null },
        evidence: evidence({
          says: "The institution did not return the money to its payer.",
          source: "institution",
          raw: pixReturn.failureReason ?? "",
          data: { e2eId, pspId, ...(writtenOff !== null && { writtenOff }) },
        }),
      };
      writes.push(openCase(fact, deciding));
    }
    if (waited && !waits) writes.push(closeCase({ accountId, kind: "return_failed", objectId }, deciding));
    if (pixReturn.caseOpenedAt === null || isUnderWay(pixReturn)) continue;
    writes.push(closeCase({ accountId, kind: "return_unresolved", objectId }, deciding));
    all = withRow(all, { ...pixReturn, caseOpenedAt: null }, byReturnId);
  }
  return { ...change, pix: { ...change.pix, returns: all }, writes: [...change.writes, ...writes] };
}

/** Reverses the write-off of a Pix's return: its money is in `returns` again. */
function restoreWrittenOff(pix: ClaimedPix, { deciding: { now } }: Batch): Change {
  const written = pix.returns.find(isWrittenOff);
  if (!written) return { pix, transfers: [], writes: [] };
  const { accountId, returnId: sourceId, writtenOffAmount } = written;
  const kind = "return_written_off" as const;
  return {
    pix: { ...pix, returns: withRow(pix.returns, { ...written, restoredAt: now, updatedAt: now }, byReturnId) },
    transfers: [
      { accountId, kind, sourceId, leg: 1, amount: writtenOffAmount!, from: writeOffs, to: returns, occurredAt: now },
    ],
    writes: [],
  };
}

/** Decides about a Pix whose written-off money may have left: first brings what was written off back to `returns`. */
export const afterRestoring = (pix: ClaimedPix, batch: Batch, next: (pix: ClaimedPix) => Change): Change =>
  andThen(restoreWrittenOff(pix, batch), next);

/** A return without an outcome, and what is known about it. */
type ReportReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly returnId: string;
  /** Since when it is under way, without the time in which a brake held it back. */
  readonly since: Date;
  readonly latest: Latest;
};

/**
 * Opens the case of a return that has had no outcome for too long, or that its PSP contradicts. Opens it once. If a restore
 * makes the return doubtful meanwhile, the case is changed to say so, because that changes what can be decided.
 */
export const reportReturn: CommandKind<ReportReturn, null> = {
  name: "report return",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  decide({ accountId, e2eId, returnId, since, latest }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const pixReturn = pix?.returns.find((stored) => stored.returnId === returnId);
    if (!pix || !pixReturn || !isUnderWay(pixReturn)) return { result: null };
    if (pixReturn.caseOpenedAt !== null && latest.state !== LOST) return { result: null };
    const { institutionId, amount, purpose, pspId } = pixReturn;
    const fact = {
      ...{ accountId, kind: "return_unresolved" as const, objectId: returnId, institutionId, amount, deadline: null },
      evidence: evidence({
        says: describeLatest(latest),
        source: "gateway",
        data: { e2eId, pspId, purpose, since: since.toISOString(), latest },
      }),
    };
    const after = { ...pix, returns: withRow(pix.returns, { ...pixReturn, caseOpenedAt: deciding.now }, byReturnId) };
    return decided(pix, { pix: after, transfers: [], writes: [openCase(fact, deciding)] }, null);
  },
};
