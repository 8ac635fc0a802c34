import { receivedPixTable } from "../claims/received-pix.ts";
import { update } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { ERASED } from "../lib/erased.ts";
import type { PspPix } from "../psp/psp.ts";
import { chargesTable } from "./charge.ts";
import { customerIdOf } from "./customer-id.ts";

/**
 * How long after a payment its payer is filled in: a return may come for 90 days, and some banks repeat the Pix in its
 * notification.
 */
const WINDOW = 90 * 86_400_000;

/** A payer whom the institution named after the Pix was booked. */
type LearnPayer = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly payer: NonNullable<PspPix["payer"]>;
};

/**
 * Fills in what a received Pix and its charge lack of their payer: name, document, customer. Existing values stay, and a
 * payer who was erased (persons/erase.ts) does not come back. The money stays where the policies have put it.
 *
 * @returns true when something was filled in.
 */
export const learnPayer: CommandKind<LearnPayer, boolean> = {
  name: "learn payer",
  wants: ({ accountId, e2eId }, want) => want.row(receivedPixTable, { accountId, id: e2eId }),
  follows({ accountId, e2eId }, books, want) {
    const chargeId = books.find(receivedPixTable, { accountId, id: e2eId })?.chargeId;
    if (chargeId) want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, e2eId, payer }, books, { now }) {
    const pix = books.find(receivedPixTable, { accountId, id: e2eId });
    if (!pix || pix.payerName === ERASED || now.getTime() - pix.paidAt.getTime() > WINDOW) return { result: false };
    const payerName = pix.payerName ?? payer.name ?? null;
    const payerDocument = pix.payerDocument ?? payer.document ?? null;
    if (payerName === pix.payerName && payerDocument === pix.payerDocument) return { result: false };

    // ---- All checks are done.
    const filled = update(receivedPixTable, pix, "payer", { payerName, payerDocument });
    const charge = pix.chargeId === null ? null : books.find(chargesTable, { accountId, id: pix.chargeId });
    // A second payment of a charge may have another payer.
    if (!charge || pix.outcome === "second_payment") return { result: true, writes: [filled] };
    const customerId = charge.customerId ?? (payerDocument === null ? null : customerIdOf(accountId, payerDocument));
    const set = { counterpartName: payerName, counterpartDocument: payerDocument, customerId, updatedAt: now };
    return { result: true, writes: [filled, update(chargesTable, charge, "payer", set)] };
  },
};
