import type { AccountSettings } from "../accounts/account.ts";
import { eventWallet } from "../accounts/wallet.ts";
import { type ClaimedPix, claimWrites } from "../claims/pix.ts";
import type { ReceivedPix } from "../claims/received-pix.ts";
import { newReturn, type PixReturn } from "../claims/returns/row.ts";
import type { Books, Decision } from "../ledger/books.ts";
import { psp, returns, type Transfer } from "../ledger/chart.ts";
import type { Deciding } from "../ledger/lane.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit } from "../webhooks/events/emit.ts";
import type { BlockedReason } from "./admit.ts";
import type { ChargeRow } from "./charge.ts";
import { paymentFailed } from "./events.ts";
import {
  chargeWrite,
  eventData,
  FAILURE_REASONS,
  optionalData,
  pixWrite,
  type SettleCharge,
  type Settled,
  settlementOf,
  unclaimed,
} from "./settlement.ts";
import { taxOf } from "./withheld-tax.ts";

/** Fails the charge: a policy of the account refuses the deposit, and the money goes back to its payer. */
export function block(
  command: SettleCharge,
  charge: ChargeRow,
  settings: AccountSettings,
  reason: BlockedReason,
  books: Books,
  deciding: Deciding,
): Decision<Settled> {
  const { pix } = command;
  const settlement = settlementOf(pix, { feeAmount: 0, netAmount: 0, paidAfterExpiry: false, blocked: reason });
  const received = pixWrite(command, charge, "blocked", reason, deciding);
  const data: EventData<typeof paymentFailed> = {
    ...eventData(command, charge, settlement),
    feeAmount: 0,
    netAmount: 0,
    status: "failed",
    failedAt: deciding.now.toISOString(),
    failureReason: FAILURE_REASONS[reason],
    blockedDeposit: { reason, refund: { status: "pending" } },
    ...optionalData(charge, settlement),
  };
  return {
    result: { outcome: "blocked", already: false },
    transfers: setAside(command, received.row.pixId),
    writes: [
      chargeWrite(command, charge, "failed", settlement, deciding),
      received,
      ...claimWrites(null, giveBack(command, charge, received.row, settings, deciding)),
      emit(paymentFailed, data, eventWallet(books, charge), { books, deciding }),
    ],
  };
}

/**
 * Keeps the payment of a charge that was paid before. It is a received Pix of its own, credited to nobody, and goes back to
 * its payer.
 */
export function secondPayment(
  command: SettleCharge,
  charge: ChargeRow,
  settings: AccountSettings,
  deciding: Deciding,
): Decision<Settled> {
  const received = pixWrite(command, charge, "second_payment", null, deciding);
  return {
    result: { outcome: "second_payment", already: false },
    transfers: setAside(command, received.row.pixId),
    writes: [received, ...claimWrites(null, giveBack(command, charge, received.row, settings, deciding))],
  };
}

/** The description that the payer reads. */
const DESCRIPTION = "Devolução automática: o pagamento não pôde ser aceito";

/**
 * The Pix and its return. Both are made here, because nothing is credited; the loop of claims/returns/send.ts sends the
 * return.
 */
function giveBack(
  command: SettleCharge,
  charge: ChargeRow,
  received: ReceivedPix,
  settings: AccountSettings,
  { now, newId }: Deciding,
): ClaimedPix {
  const pix = unclaimed(command, charge, received);
  const { accountId, e2eId, institutionId, amount } = pix;
  const { chargeId } = charge;
  const back: PixReturn = newReturn(
    {
      accountId,
      returnId: newId(),
      purpose: "deposit",
      e2eId,
      institutionId,
      chargeId,
      amount,
      description: DESCRIPTION,
    },
    settings.number,
    now,
  );
  return { ...pix, returns: [back] };
}

/**
 * psp → returns: the institution has the money, and no wallet does until it is returned. It never passes through
 * `available`. All of it goes back to the payer, so the operator bears a tax that was withheld.
 */
function setAside(command: SettleCharge, pixId: string): readonly Transfer[] {
  const { accountId, pix } = command;
  return [
    {
      accountId,
      kind: "deposit_blocked",
      sourceId: pixId,
      leg: 0,
      amount: pix.amount,
      from: psp(command.institutionId),
      to: returns,
      occurredAt: pix.paidAt,
    },
    ...taxOf(command, pixId),
  ];
}
