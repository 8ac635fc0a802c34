import { eventWallet, walletsTable } from "../accounts/wallet.ts";
import { type Decision, update } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit, wantReceivers } from "../webhooks/events/emit.ts";
import { type ChargeStatus, chargesTable } from "./charge.ts";
import { endCharge } from "./edit-due.ts";
import { paymentExpired } from "./events.ts";
import { abandonedAt, openEdit } from "./terms.ts";

type ExpireCharge = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly environment: "production" | "sandbox";
};

/**
 * Expires a charge that is due and unpaid. The caller has queried the PSP first. A payment that was booked meanwhile has
 * changed the status, and then nothing happens.
 *
 * @returns the charge's status afterwards; null when there is no such charge.
 */
export const expireCharge: CommandKind<ExpireCharge, ChargeStatus | null> = {
  name: "expire charge",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
    wantReceivers(want, accountId);
  },
  follows({ accountId, chargeId }, books, want) {
    const charge = books.find(chargesTable, { accountId, id: chargeId });
    if (charge) want.row(walletsTable, { accountId, id: charge.walletId });
  },
  decide({ accountId, chargeId, environment }, books, deciding): Decision<ChargeStatus | null> {
    const key = { accountId, id: chargeId };
    const charge = books.find(chargesTable, key);
    if (!charge) return { result: null };
    // Never before the second in which it is due, whatever the caller's clock shows, and not while the institution may have
    // given it longer.
    const edit = openEdit(charge);
    const end = edit === null ? charge.expiresAt : abandonedAt(edit);
    if (charge.status !== "pending" || deciding.now < charge.expiresAt || deciding.now < end)
      return { result: charge.status };
    const data: EventData<typeof paymentExpired> = present({
      transactionId: chargeId,
      environment,
      amount: toBrl(charge.amount),
      feeAmount: 0,
      netAmount: 0,
      currency: "BRL",
      paymentMethod: "pix",
      status: "expired",
      expiredAt: charge.expiresAt.toISOString(),
      externalReference: charge.externalReference,
      paymentLinkId: charge.paymentLinkId,
      metadata: charge.metadata,
      qrCodeId: charge.qrCodeId,
    });
    return {
      result: "expired",
      writes: [
        endCharge(charge, "expired", deciding.now),
        emit(paymentExpired, data, eventWallet(books, charge), { books, deciding }),
      ],
    };
  },
};

/** Makes a pending charge due now (sandbox). Returns the status afterwards; null when there is no such charge. */
export const makeDue: CommandKind<{ readonly accountId: string; readonly chargeId: string }, ChargeStatus | null> = {
  name: "make charge due",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, chargeId }, books, { now }) {
    const key = { accountId, id: chargeId };
    const charge = books.find(chargesTable, key);
    if (!charge) return { result: null };
    if (charge.status !== "pending") return { result: charge.status };
    const due = charge.expiresAt < now ? charge.expiresAt : now;
    return {
      result: "pending",
      writes: [update(chargesTable, charge, "due", { expiresAt: due, updatedAt: now })],
    };
  },
};
