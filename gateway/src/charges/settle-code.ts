import { accountsTable } from "../accounts/account.ts";
import { walletsTable } from "../accounts/wallet.ts";
import { receivedPixTable, settledAlready } from "../claims/received-pix.ts";
import { type Decision, insert } from "../ledger/books.ts";
import { available } from "../ledger/chart.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { admit } from "./admit.ts";
import { type ChargeColumns, chargesTable } from "./charge.ts";
import { credit } from "./credit.ts";
import { offSince, type QrCodeRow, qrCodesTable } from "./qr-codes/qr-code.ts";
import { block } from "./set-aside.ts";
import { evidenceOf, type SettleCharge, type Settled, wantSettlement } from "./settlement.ts";

/** A Pix that its PSP confirmed, with the static code that its txid names. `chargeId`: of the charge that is made for it. */
type SettleCode = SettleCharge & Required<Pick<SettleCharge, "qrCodeId">>;

/** No Pix of an active code is late. */
const NEVER = new Date(8.64e15);

/**
 * Settles a Pix of a static code. Nothing was stored before the payer paid, so the charge is made and settled in one decision,
 * by the same policies, fee and events as any other. One Pix settles once, whatever reports it and however often: the second
 * time its end-to-end id is in the books, and no charge is made.
 */
export const settleCode: CommandKind<SettleCode, Settled> = {
  name: "settle code",
  evidence: evidenceOf,
  wants(command, want) {
    // Wants the charge too, although it does not exist yet: later commands of the batch may read it.
    wantSettlement(command, want);
    want.row(qrCodesTable, { accountId: command.accountId, id: command.qrCodeId });
  },
  follows({ accountId, qrCodeId }, books, want) {
    const code = books.find(qrCodesTable, { accountId, id: qrCodeId });
    if (!code) return;
    want.row(walletsTable, { accountId, id: code.walletId });
    want.ledger(accountId, available(code.walletId));
  },
  decide(command, books, deciding): Decision<Settled> {
    const { accountId, pix } = command;
    const booked = books.find(receivedPixTable, { accountId, id: pix.e2eId });
    if (booked) return { result: settledAlready(booked, command) };
    const code = books.find(qrCodesTable, { accountId, id: command.qrCodeId });
    if (!code || !(command.assigned || isPaidBy(code, command))) {
      return { result: { outcome: "unmatched", already: false } };
    }
    const settings = books.find(accountsTable, { accountId, id: accountId })!;
    const charge = chargeOf(code, command, deciding);
    const closedAt = offSince(code, pix.paidAt);
    const payable = { amount: charge.amount, due: null, dueEdits: null, closedAt, expiresAt: NEVER };
    const status = closedAt === null ? "pending" : "cancelled";
    const admitted = admit(settings, { ...payable, status }, pix, command.payerMayCome ?? false);
    if (admitted.kind === "awaiting_payer") return { result: { outcome: "awaiting_payer", already: false } };

    // ---- All checks are done.
    const settled =
      admitted.kind === "credited"
        ? credit(command, charge, settings, admitted.late, books, deciding)
        : block(command, charge, settings, admitted.reason, books, deciding);
    // The settlement's update completes this row before it is written.
    return { ...settled, writes: [insert(chargesTable, charge), ...settled.writes!] };
  },
};

const isPaidBy = (code: QrCodeRow, { institutionId, pix }: SettleCode): boolean =>
  code.txid === pix.txid && code.institutionId === institutionId;

/** The charge of one Pix of a code, as if it had been made in the moment in which it was paid. */
function chargeOf(code: QrCodeRow, { chargeId, pix }: SettleCode, { now }: Deciding): ChargeColumns {
  return {
    accountId: code.accountId,
    chargeId,
    walletId: code.walletId,
    qrCodeId: code.qrCodeId,
    status: "pending",
    amount: code.amount ?? pix.amount,
    due: null,
    chargedAmount: null,
    components: null,
    dueEdits: null,
    description: code.description ?? code.name,
    externalReference: null,
    idempotencyKey: null,
    projectId: code.projectId,
    customerId: null,
    customer: null,
    metadata: code.metadata,
    split: null,
    returnUrl: null,
    paymentLinkId: null,
    institutionId: code.institutionId,
    pinned: false,
    routing: null,
    txid: code.txid!,
    expiresIn: 0,
    expiresAt: now,
    pixCopyPaste: code.pixCopyPaste,
    pspPaymentId: null,
    feeAmount: null,
    netAmount: null,
    appliedSplit: null,
    paidAt: null,
    e2eId: null,
    counterpartName: null,
    counterpartDocument: null,
    paidAfterExpiry: false,
    failureReason: null,
    blockedReason: null,
    closedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
