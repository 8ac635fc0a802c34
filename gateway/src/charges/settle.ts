import { accountsTable } from "../accounts/account.ts";
import { walletsTable } from "../accounts/wallet.ts";
import { receivedPixTable, settledAlready } from "../claims/received-pix.ts";
import type { Books } from "../ledger/books.ts";
import { available } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { admit } from "./admit.ts";
import { readWalletsAhead } from "./ahead.ts";
import { attemptKey, attemptsTable } from "./attempt.ts";
import { type ChargeRow, chargesTable } from "./charge.ts";
import { credit } from "./credit.ts";
import { isLinkSoldOut, wantLinkOf } from "./payment-link.ts";
import { block, secondPayment } from "./set-aside.ts";
import { evidenceOf, type SettleCharge, type Settled, wantSettlement } from "./settlement.ts";

/**
 * Settles a charge with a received Pix: money, status, event and deliveries in one decision. One Pix settles once, whatever
 * reports it and however often.
 */
export const settleCharge: CommandKind<SettleCharge, Settled> = {
  name: "settle charge",
  evidence: evidenceOf,
  wants: wantSettlement,
  follows(command, books, want) {
    const { accountId } = command;
    const charge = books.find(chargesTable, { accountId, id: command.chargeId });
    if (!charge) return;
    if (charge.institutionId !== command.institutionId) want.row(attemptsTable, attemptKey(command));
    wantLinkOf(charge, want);
    want.row(walletsTable, { accountId, id: charge.walletId });
    want.ledger(accountId, available(charge.walletId));
    for (const leg of charge.split ?? []) {
      want.row(walletsTable, { accountId, id: leg.walletId });
      want.ledger(accountId, available(leg.walletId));
    }
  },
  ahead: readWalletsAhead,
  decide(command, books, deciding) {
    const { accountId, pix } = command;
    const bookedPix = books.find(receivedPixTable, { accountId, id: pix.e2eId });
    if (bookedPix) return { result: settledAlready(bookedPix, command) };
    const charge = books.find(chargesTable, { accountId, id: command.chargeId });
    if (!charge || !(command.assigned || isPaidBy(charge, command, books))) {
      return { result: { outcome: "unmatched", already: false } };
    }
    const settings = books.find(accountsTable, { accountId, id: accountId })!;
    if (charge.status === "completed" || charge.status === "failed")
      return secondPayment(command, charge, settings, deciding);
    const admitted = admit(settings, charge, pix, command.payerMayCome ?? false, isLinkSoldOut(charge, books));
    switch (admitted.kind) {
      case "awaiting_payer":
        return { result: { outcome: "awaiting_payer", already: false } };
      case "credited":
        return credit(command, charge, settings, admitted.late, books, deciding);
      case "blocked":
        return block(command, charge, settings, admitted.reason, books, deciding);
    }
  },
};

/**
 * Whether the Pix has the charge's txid, at an institution where the charge was ever tried. One that a failover left may have
 * accepted it all the same.
 */
const isPaidBy = (charge: ChargeRow, command: SettleCharge, books: Books): boolean =>
  charge.txid === command.pix.txid &&
  (charge.institutionId === command.institutionId || books.find(attemptsTable, attemptKey(command)) !== undefined);
