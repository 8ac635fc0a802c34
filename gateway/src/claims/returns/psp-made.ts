import { answered } from "../../ledger/evidence.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import type { PspReturn } from "../../psp/psp.ts";
import { findBooked, findUnbooked, isUnclear } from "../find-booked.ts";
import { isUnexplained, payBack, releaseRest } from "../paid-back.ts";
import {
  type At,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  put,
  then,
  unchanged,
  wantMoneyOf,
  wantPix,
  wentBack,
} from "../pix.ts";
import type { PspMadeReturn } from "../psp-return.ts";
import { failRefund } from "../refunds/end.ts";
import { afterRestoring, withCases } from "./case.ts";
import { withReturnEvent } from "./report.ts";
import { isUnderWay } from "./row.ts";

/** A return that a PSP shows on a Pix, which we did not ask for. */
type BookPspReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  /** Who shows it, and its environment. */
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  readonly shown: PspReturn;
  /** All that it shows of the Pix. Left out: this one. */
  readonly all?: readonly PspReturn[];
  /** The institution's cases of the Pix are in the books, as far as it lists any. */
  readonly casesRead?: boolean;
};

/**
 * `ours`: we asked for it, and `finishReturn` ends it. `nothing`: it is not settled, or not in these books. `elsewhere`:
 * the Pix was assigned, and is in another account's books now. `contradiction`: with it more than the Pix would have gone back, or
 * nothing tells it from one that is booked. `case_wanted`: nothing is booked, since only the institution's list of cases can tell
 * whether the wallet has lost a dispute by it.
 */
type PspReturnBooked = "booked" | "already" | "ours" | "nothing" | "elsewhere" | "contradiction" | "case_wanted";

/**
 * Books a return that the PSP made by itself (MED), once, whatever name it bears. The money has left the PSP, so it is booked
 * whatever the balance is: against blocks of the Pix first, then out of what holds its money. What is still under way
 * on the same money ends. No more goes back than was paid: what a PSP shows beyond that is a contradiction.
 */
export const bookPspReturn: CommandKind<BookPspReturn, PspReturnBooked> = {
  name: "book PSP return",
  evidence: ({ institutionId, e2eId, shown }) => answered(institutionId, e2eId, shown),
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide({ accountId, e2eId, institutionId, environment, shown, all = [shown], casesRead = false }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    if (!pix || shown.status !== "settled" || shown.amount <= 0) return { result: "nothing" };
    if (pix.institutionId !== institutionId) return { result: "nothing" };
    if (pix.outcome === "assigned") return { result: "elsewhere" };
    const known = findBooked(pix, shown, all);
    if (known?.by === "us") return { result: "ours" };
    if (known) return decided(pix, unchanged(withRtrId(pix, known.pspReturnId, shown)), "already");
    if (isUnclear(pix, shown) || wentBack(pix) + shown.amount > pix.amount) return { result: "contradiction" };
    const at = { books, deciding };
    const pspReturnId = deciding.newId();
    const settledAt = shown.settledAt ?? deciding.now;
    const { id: pspId, rtrId = null, amount, med } = shown;
    const back = { pspId, rtrId, pspReturnId, amount, settledAt, asChargeback: true, med, environment };
    const others = findUnbooked(pix, all).filter((one) => one !== shown);
    const ended = afterRestoring(pix, at, (so) => endOwn(so, rtrId ?? pspId, environment, at));
    const booked = then(ended, (so) => payBack(so, back, at));
    const isOurs = (part: PspMadeReturn): boolean => part.pspReturnId === pspReturnId && isUnexplained(part);
    if (!casesRead && booked.pix.pspReturns.some(isOurs)) return { result: "case_wanted" };
    const change = then(booked, (so) => releaseRest(so, others, at));
    return decided(pix, withReturnEvent(pix, withCases(pix, change, at), environment, at), "booked");
  },
};

/** Fills in the network's id of a return that bears the same own id. */
function withRtrId(pix: ClaimedPix, pspReturnId: string, { id, rtrId }: PspReturn): ClaimedPix {
  if (rtrId === undefined) return pix;
  const isNew = (part: ClaimedPix["pspReturns"][number]): boolean =>
    part.pspReturnId === pspReturnId && part.pspId === id && part.rtrId === null;
  return { ...pix, pspReturns: pix.pspReturns.map((part) => (isNew(part) ? { ...part, rtrId } : part)) };
}

/** Both are of the whole Pix, and of a part less the PSP cannot return the whole any more. */
function endOwn(pix: ClaimedPix, rtrId: string, environment: BookPspReturn["environment"], at: At): Change {
  const reason = `The PSP returned the Pix by itself (${rtrId}).`;
  const refund = pix.refunds.find((one) => one.status === "pending");
  if (refund) return failRefund(pix, refund, { reason, environment }, at);
  const own = pix.returns.find(isUnderWay);
  if (!own) return unchanged(pix);
  const failed = { ...own, status: "failed" as const, failureReason: reason, nextAt: null, updatedAt: at.deciding.now };
  return unchanged({ ...pix, returns: put(pix.returns, failed, (one) => one.returnId) });
}
