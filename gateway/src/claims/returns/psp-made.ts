import { answered } from "../../ledger/evidence.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import type { PspReturn } from "../../psp/psp.ts";
import { findBooked, findUnbooked, isUnclear } from "../find-booked.ts";
import { isUnexplained, payBack, releaseRest } from "../paid-back.ts";
import {
  andThen,
  type Batch,
  type Change,
  type ClaimedPix,
  canReturnBeside,
  claimedPixTable,
  decided,
  unchanged,
  wantMoneyOf,
  wantPix,
  wentBack,
  withRow,
} from "../pix.ts";
import type { PspMadeReturn } from "../psp-return.ts";
import { failRefund } from "../refunds/end.ts";
import { afterRestoring, withCases } from "./case.ts";
import { withReturnEvent } from "./report.ts";
import { isUnderWay } from "./row.ts";

/** A return that a PSP shows on a Pix, and that we did not request. */
type BookPspReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  /** The institution that shows it. */
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  readonly shown: PspReturn;
  /** All returns of the Pix that it shows. Left out: only this one. */
  readonly all?: readonly PspReturn[];
  /** The institution's cases of the Pix are in the books already, as far as it lists any. */
  readonly casesRead?: boolean;
};

/**
 * What booking it did. `booked` and `already` leave it in the books; after the others nothing was written:
 * - `ours`: we requested it, so `finishReturn` ends it.
 * - `nothing`: it is not settled, or its Pix is not in these books.
 * - `elsewhere`: the Pix was assigned, and is in another account's books now.
 * - `contradiction`: with it the returns would exceed the Pix, or it cannot be distinguished from a booked return.
 * - `case_wanted`: only the institution's list of cases can tell whether the wallet has lost a dispute by it.
 */
type PspReturnBooked = "booked" | "already" | "ours" | "nothing" | "elsewhere" | "contradiction" | "case_wanted";

/**
 * Books a return that the PSP made by itself (MED), once, under whichever id it comes. The money has left the PSP, so it is
 * booked whatever the balance: first against blocks of the Pix, then out of the account that has the rest of its money. Our
 * own requests for the same money end. No more is booked than was paid: a return beyond that is a contradiction.
 */
export const bookPspReturn: CommandKind<BookPspReturn, PspReturnBooked> = {
  name: "book PSP return",
  evidence: ({ institutionId, e2eId, shown: pspReturn }) => answered(institutionId, e2eId, pspReturn),
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(
    { accountId, e2eId, institutionId, environment, shown: pspReturn, all = [pspReturn], casesRead = false },
    books,
    deciding,
  ) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    if (!pix || pspReturn.status !== "settled" || pspReturn.amount <= 0) return { result: "nothing" };
    if (pix.institutionId !== institutionId) return { result: "nothing" };
    if (pix.outcome === "assigned") return { result: "elsewhere" };
    const known = findBooked(pix, pspReturn, all);
    if (known?.by === "us") return { result: "ours" };
    if (known) return decided(pix, unchanged(withRtrId(pix, known.pspReturnId, pspReturn)), "already");
    if (isUnclear(pix, pspReturn) || wentBack(pix) + pspReturn.amount > pix.amount) return { result: "contradiction" };
    const batch = { books, deciding };
    const pspReturnId = deciding.newId();
    const settledAt = pspReturn.settledAt ?? deciding.now;
    const { id: pspId, rtrId = null, amount, med } = pspReturn;
    const paidBack = { pspId, rtrId, pspReturnId, amount, settledAt, asChargeback: true, med, environment };
    const others = findUnbooked(pix, all).filter((other) => other !== pspReturn);
    const ended = afterRestoring(pix, batch, (so) =>
      failOwnRequest(so, { rtrId: rtrId ?? pspId, amount, environment }, batch),
    );
    const booked = andThen(ended, (so) => payBack(so, paidBack, batch));
    const isOurs = (part: PspMadeReturn): boolean => part.pspReturnId === pspReturnId && isUnexplained(part);
    if (!casesRead && booked.pix.pspReturns.some(isOurs)) return { result: "case_wanted" };
    const change = andThen(booked, (so) => releaseRest(so, others, batch));
    return decided(pix, withReturnEvent(pix, withCases(pix, change, batch), environment, batch), "booked");
  },
};

/** Fills in the network's id of a return with the same id of the PSP. */
function withRtrId(pix: ClaimedPix, pspReturnId: string, { id, rtrId }: PspReturn): ClaimedPix {
  if (rtrId === undefined) return pix;
  const isNew = (part: ClaimedPix["pspReturns"][number]): boolean =>
    part.pspReturnId === pspReturnId && part.pspId === id && part.rtrId === null;
  return { ...pix, pspReturns: pix.pspReturns.map((part) => (isNew(part) ? { ...part, rtrId } : part)) };
}

/** Ends our own refund or return if the PSP has too little of the Pix left for it. An automatic return is of the whole Pix. */
function failOwnRequest(
  pix: ClaimedPix,
  { rtrId, amount, environment }: { rtrId: string; amount: number } & Pick<BookPspReturn, "environment">,
  batch: Batch,
): Change {
  const reason = `The PSP returned the Pix by itself (${rtrId}).`;
  const refund = pix.refunds.find((stored) => stored.status === "pending");
  if (refund && !canReturnBeside(pix, refund, amount)) return failRefund(pix, refund, { reason, environment }, batch);
  const underWay = pix.returns.find((stored) => stored.purpose === "deposit" && isUnderWay(stored));
  if (!underWay) return unchanged(pix);
  const failed = {
    ...underWay,
    status: "failed" as const,
    failureReason: reason,
    nextAt: null,
    updatedAt: batch.deciding.now,
  };
  return unchanged({ ...pix, returns: withRow(pix.returns, failed, (stored) => stored.returnId) });
}
