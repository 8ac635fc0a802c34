import { failRefund } from "../claims/end-refund.ts";
import { payBack } from "../claims/paid-back.ts";
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
} from "../claims/pix.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspReturn } from "../psp/psp.ts";

/** A return that a PSP shows on a Pix, which we did not ask for. */
type BookPspReturn = {
  readonly accountId: string;
  readonly e2eId: string;
  /** Of the institution that shows it. */
  readonly environment: "production" | "sandbox";
  readonly shown: PspReturn;
};

/**
 * `ours`: we asked for it, and `finishReturn` ends it. `nothing`: it is not settled, or not in these books. `elsewhere`:
 * the Pix was assigned, and is in another account's books now.
 */
type PspReturnBooked = "booked" | "already" | "ours" | "nothing" | "elsewhere";

/**
 * Books a return that the PSP made by itself (MED), once by its rtrId. The money has left the PSP, so it is booked
 * whatever the balance is: against blocks of the Pix first, then out of what holds its money. What is still under way
 * on the same money ends.
 */
export const bookPspReturn: CommandKind<BookPspReturn, PspReturnBooked> = {
  name: "book PSP return",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide({ accountId, e2eId, environment, shown }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    if (!pix || shown.status !== "settled" || shown.amount <= 0) return { result: "nothing" };
    if (pix.outcome === "assigned") return { result: "elsewhere" };
    if (pix.returns.some((one) => one.pspId === shown.id)) return { result: "ours" };
    const rtrId = shown.rtrId ?? shown.id;
    if (pix.pspReturns.some((part) => part.rtrId === rtrId)) return { result: "already" };
    const at = { books, deciding };
    const pspReturnId = deciding.newId();
    const settledAt = shown.settledAt ?? deciding.now;
    const back = { rtrId, pspReturnId, amount: shown.amount, settledAt, asChargeback: true };
    return decided(
      pix,
      then(endOwn(pix, rtrId, environment, at), (so) => payBack(so, back, at)),
      "booked",
    );
  },
};

/** Both are of the whole Pix, and of a part less the PSP cannot return the whole any more. */
function endOwn(pix: ClaimedPix, rtrId: string, environment: BookPspReturn["environment"], at: At): Change {
  const reason = `The PSP returned the Pix by itself (${rtrId}).`;
  const refund = pix.refunds.find((one) => one.status === "pending");
  if (refund) return failRefund(pix, refund, { reason, environment }, at);
  const own = pix.returns.find((one) => one.status === "pending" || one.status === "sending");
  if (!own) return unchanged(pix);
  const failed = { ...own, status: "failed" as const, failureReason: reason, nextAt: null, updatedAt: at.deciding.now };
  return unchanged({ ...pix, returns: put(pix.returns, failed, (one) => one.returnId) });
}
