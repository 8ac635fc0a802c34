import { carryingOut, type Facts, type Standing } from "../cases/basis.ts";
import { type ClaimedPix, claimedPixTable, sumOf, wantPix } from "../claims/pix.ts";
import { receivedPixTable } from "../claims/received-pix.ts";
import { returnStanding } from "../claims/returns/force.ts";
import { assignmentsTable } from "./assignment.ts";
import { assignReceipt, retryKeyed, returnKeyed } from "./resolve.ts";

/** The state of a receipt on which a decision about it is based. */
export const receiptStanding: Standing<{ readonly accountId: string; readonly e2eId: string }> = {
  wants({ accountId, e2eId }, want) {
    const key = { accountId, id: e2eId };
    want.row(receivedPixTable, key);
    want.row(assignmentsTable, key);
    wantPix(want, accountId, e2eId);
  },
  facts({ accountId, e2eId }, books): Facts {
    const key = { accountId, id: e2eId };
    const received = books.find(receivedPixTable, key);
    const pix = books.find(claimedPixTable, key);
    const assignment = books.find(assignmentsTable, key);
    if (!received || !pix) return {};
    return { outcome: received.outcome, amount: pix.amount, assignment: assignment?.status ?? null, ...claimsOf(pix) };
  },
};

const claimsOf = ({ returns, pspReturns, blocks }: ClaimedPix): Facts => ({
  returns: returns.length,
  returnedByInstitution: sumOf(pspReturns),
  blocks: blocks.length,
});

/** These decisions run only while the receipt is as it was when the operators decided. */
export const assignDecided = carryingOut(assignReceipt, receiptStanding, ({ accountId, shown }) => ({
  accountId,
  e2eId: shown.e2eId,
}));
export const returnDecided = carryingOut(returnKeyed, receiptStanding, ({ accountId, command: { shown } }) => ({
  accountId,
  e2eId: shown.e2eId,
}));
/** The same for a failed return. */
export const retryDecided = carryingOut(retryKeyed, returnStanding, ({ accountId, command: { shown } }) => ({
  accountId,
  e2eId: shown.e2eId,
  returnId: shown.id,
}));
