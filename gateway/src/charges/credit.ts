import type { AccountSettings } from "../accounts/account.ts";
import { eventWallet, walletsTable } from "../accounts/wallet.ts";
import { claimWrites } from "../claims/pix.ts";
import { showComponents } from "../http/amount-components.ts";
import type { Books, Decision } from "../ledger/books.ts";
import { available, fees, psp, type Transfer } from "../ledger/chart.ts";
import type { Deciding } from "../ledger/lane.ts";
import { internalTransferWrite } from "../ledger/movement.ts";
import { fee, toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit } from "../webhooks/events/emit.ts";
import type { ChargeRow, ChargeSettlement } from "./charge.ts";
import { paymentCompleted } from "./events.ts";
import { countPayment } from "./payment-link.ts";
import {
  chargeWrite,
  eventData,
  fiscalOf,
  optionalData,
  pixWrite,
  type SettleCharge,
  type Settled,
  settlementOf,
  unclaimed,
} from "./settlement.ts";
import { appliedAmounts, serveLegs, toAllocations } from "./split.ts";
import { explained } from "./terms.ts";
import { taxOf } from "./withheld-tax.ts";

/**
 * Completes the charge: credits the payment to its wallet, books what was withheld of it as tax, takes the fee, and pays each
 * leg of the split as far as the net amount reaches. The fee is of the amount paid, and at most what the tax leaves of it.
 */
export function credit(
  command: SettleCharge,
  charge: ChargeRow,
  settings: AccountSettings,
  late: boolean,
  books: Books,
  deciding: Deciding,
): Decision<Settled> {
  const { accountId, pix } = command;
  const { feeAmount, netAmount } = sharesOf(pix, settings);
  const cause = { accountId, sourceId: charge.chargeId, leg: 0, occurredAt: pix.paidAt };
  const transfers: Transfer[] = [
    {
      ...cause,
      kind: "charge_paid",
      amount: pix.amount,
      from: psp(command.institutionId),
      to: available(charge.walletId),
    },
    ...taxOf(command, charge.chargeId, available(charge.walletId)),
  ];
  if (feeAmount > 0) {
    transfers.push({ ...cause, kind: "charge_fee", amount: feeAmount, from: available(charge.walletId), to: fees });
  }
  const statusOf = (walletId: string) => books.find(walletsTable, { accountId, id: walletId })?.status;
  const legs = charge.split === null ? null : serveLegs(charge.split, netAmount, statusOf);
  for (const { walletId, amount, leg } of legs ?? []) {
    const to = available(walletId);
    transfers.push({ ...cause, kind: "charge_split", leg, amount, from: available(charge.walletId), to });
  }
  const shared = (legs ?? []).map(({ walletId, amount, leg }) =>
    internalTransferWrite({
      accountId,
      amount,
      causeId: charge.chargeId,
      leg,
      description: charge.description,
      createdAt: deciding.now,
      from: { walletId: charge.walletId, movementId: deciding.newId() },
      to: { walletId, movementId: deciding.newId() },
    }),
  );
  const settlement: ChargeSettlement = {
    ...settlementOf(pix, { feeAmount, netAmount, paidAfterExpiry: late, blocked: null }),
    appliedSplit: charge.split === null ? null : appliedAmounts(charge.split, legs ?? []),
  };
  const data: EventData<typeof paymentCompleted> = present({
    ...eventData(command, charge, settlement),
    split: legs && toAllocations(legs),
    status: "completed",
    completedAt: pix.paidAt.toISOString(),
    ...askedAndPaid(charge, pix),
    fiscal: fiscalOf(command, settings),
    ...optionalData(charge, settlement),
  });
  const received = pixWrite(command, charge, "credited", null, deciding);
  return {
    result: { outcome: "credited", already: false },
    transfers,
    writes: [
      chargeWrite(command, charge, "completed", settlement, deciding),
      received,
      ...claimWrites(null, unclaimed(command, charge, received.row)),
      ...shared,
      ...countPayment(charge, pix.amount, books, deciding),
      emit(paymentCompleted, data, eventWallet(books, charge), { books, deciding }),
    ],
  };
}

/**
 * Figures of the event: of every charge the withheld tax, and of a charge with a due date what was asked and how the amount
 * paid came about.
 */
function askedAndPaid(charge: ChargeRow, pix: SettleCharge["pix"]) {
  const parts = explained(charge, pix);
  return {
    chargedAmount: charge.due && toBrl(charge.amount),
    components: parts && showComponents(parts),
    withheldAmount: toBrl(pix.withheld),
  };
}

/** The fee, which is of the amount paid and at most what the withheld tax leaves of it, and the net amount after both. */
function sharesOf({ amount, withheld = 0 }: SettleCharge["pix"], { fees: { charge } }: AccountSettings) {
  const credited = amount - withheld;
  const feeAmount = Math.min(fee(charge, amount), credited);
  return { feeAmount, netAmount: credited - feeAmount };
}
