import { type AccountSettings, accountsTable } from "../accounts/account.ts";
import { eventWallet, walletsTable } from "../accounts/wallet.ts";
import { type ClaimedPix, claimWrites } from "../claims/pix.ts";
import { newReturn, type PixReturn } from "../claims/return.ts";
import { type Books, type Decision, insert, update } from "../ledger/books.ts";
import { available, fees, psp, returns, type Transfer } from "../ledger/chart.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { customerIdOf } from "../lib/customer.ts";
import { fee, toBrl } from "../lib/money.ts";
import type { PspPix } from "../psp/psp.ts";
import { internalTransferWrite } from "../transactions/movement.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit, wantReceivers } from "../webhooks/events/emit.ts";
import { admit, type BlockedReason } from "./admit.ts";
import { attemptKey, attemptsTable } from "./attempt.ts";
import { type ChargeRow, type ChargeSettlement, chargesTable } from "./charge.ts";
import { paymentCompleted, paymentFailed } from "./events.ts";
import { type PixOutcome, type ReceivedPix, receivedPixTable } from "./received-pix.ts";
import { appliedAmounts, serveLegs, toAllocations } from "./split.ts";

/** A Pix that its PSP confirmed, with the charge that its txid names. */
export type SettleCharge = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  readonly pix: PspPix;
  /** The operator says that it is this charge's, whatever the txid and the institution. */
  readonly assigned?: boolean;
  /** A notification that names the payer may still come. Left out: what is known now decides. */
  readonly payerMayCome?: boolean;
};

/**
 * `unmatched`: there is no such charge at this institution. `awaiting_payer`: the account's policies depend on the payer,
 * who may still be named. Nothing was written then.
 */
export type Settled = { readonly outcome: PixOutcome | "awaiting_payer"; readonly already: boolean };

/** What the merchant reads about it. */
const FAILURE_REASONS: Readonly<Record<BlockedReason, string>> = {
  cnpj_payer_not_allowed: "The account does not accept payers with a CNPJ.",
  unknown_payer_not_allowed: "The PSP did not tell who paid, and the account does not accept unknown payers.",
  amount_mismatch: "The amount paid differs from the amount of the charge.",
  late_payment: "The charge was paid after it had expired or been cancelled.",
};

/**
 * Settles a charge with a received Pix: money, status, event and deliveries in one decision. The same Pix settles
 * once, whatever reports it and however often.
 */
export const settleCharge: CommandKind<SettleCharge, Settled> = {
  name: "settle charge",
  wants(command, want) {
    const { accountId } = command;
    want.row(accountsTable, { accountId, id: accountId });
    want.row(chargesTable, { accountId, id: command.chargeId });
    want.row(receivedPixTable, { accountId, id: command.pix.e2eId });
    want.ledger(accountId, psp(command.institutionId));
    want.ledger(accountId, fees);
    want.ledger(accountId, returns);
    wantReceivers(want, accountId);
  },
  follows(command, books, want) {
    const { accountId } = command;
    const charge = books.find(chargesTable, { accountId, id: command.chargeId });
    if (!charge) return;
    if (charge.institutionId !== command.institutionId) want.row(attemptsTable, attemptKey(command));
    want.row(walletsTable, { accountId, id: charge.walletId });
    want.ledger(accountId, available(charge.walletId));
    for (const leg of charge.split ?? []) {
      want.row(walletsTable, { accountId, id: leg.walletId });
      want.ledger(accountId, available(leg.walletId));
    }
  },
  decide(command, books, deciding) {
    const { accountId, pix } = command;
    const known = books.find(receivedPixTable, { accountId, id: pix.e2eId });
    if (known) return { result: { outcome: known.outcome, already: true } };
    const charge = books.find(chargesTable, { accountId, id: command.chargeId });
    const named = charge?.txid === pix.txid && wasTriedAt(command, charge, books);
    if (!charge || !(command.assigned || named)) {
      return { result: { outcome: "unmatched", already: false } };
    }
    const settings = books.find(accountsTable, { accountId, id: accountId })!;
    if (charge.status === "completed" || charge.status === "failed")
      return secondPayment(command, charge, settings, deciding);
    const admitted = admit(settings, charge, pix, command.payerMayCome ?? false);
    switch (admitted.kind) {
      case "awaiting_payer":
        return { result: { outcome: "awaiting_payer", already: false } };
      case "credited":
        return credit(command, charge, settings, admitted.late, books, deciding);
      case "blocked":
        return block(command, charge, settings, admitted.reason, admitted.late, books, deciding);
    }
  },
};

/** An institution that a failover left behind may have taken the charge all the same: its payment is as good. */
function wasTriedAt(command: SettleCharge, charge: ChargeRow | undefined, books: Books): boolean {
  if (!charge) return false;
  return charge.institutionId === command.institutionId || books.find(attemptsTable, attemptKey(command)) !== undefined;
}

function credit(
  command: SettleCharge,
  charge: ChargeRow,
  settings: AccountSettings,
  late: boolean,
  books: Books,
  deciding: Deciding,
): Decision<Settled> {
  const { accountId, pix } = command;
  const feeAmount = fee(settings.fees.charge, pix.amount);
  const cause = { accountId, sourceId: charge.chargeId, leg: 0, occurredAt: pix.paidAt };
  const transfers: Transfer[] = [
    {
      ...cause,
      kind: "charge_paid",
      amount: pix.amount,
      from: psp(command.institutionId),
      to: available(charge.walletId),
    },
  ];
  if (feeAmount > 0) {
    transfers.push({ ...cause, kind: "charge_fee", amount: feeAmount, from: available(charge.walletId), to: fees });
  }
  const netAmount = pix.amount - feeAmount;
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
  const data: EventData<typeof paymentCompleted> = {
    ...eventData(command, charge, settlement),
    ...(legs === null ? {} : { split: toAllocations(legs) }),
    status: "completed",
    completedAt: pix.paidAt.toISOString(),
    ...optional(charge, settlement),
  };
  const received = pixWrite(command, charge, "credited", null, deciding);
  return {
    result: { outcome: "credited", already: false },
    transfers,
    writes: [
      chargeWrite(charge, "completed", settlement, deciding),
      received,
      ...claimWrites(null, unclaimed(command, charge, received.row)),
      ...shared,
      emit(paymentCompleted, data, eventWallet(books, charge), { books, deciding }),
    ],
  };
}

function block(
  command: SettleCharge,
  charge: ChargeRow,
  settings: AccountSettings,
  reason: BlockedReason,
  late: boolean,
  books: Books,
  deciding: Deciding,
): Decision<Settled> {
  const { pix } = command;
  const settlement = settlementOf(pix, { feeAmount: 0, netAmount: 0, paidAfterExpiry: late, blocked: reason });
  const received = pixWrite(command, charge, "blocked", reason, deciding);
  const data: EventData<typeof paymentFailed> = {
    ...eventData(command, charge, settlement),
    amount: toBrl(pix.amount),
    feeAmount: 0,
    netAmount: 0,
    status: "failed",
    failedAt: deciding.now.toISOString(),
    failureReason: FAILURE_REASONS[reason],
    blockedDeposit: { reason, refund: { status: "pending" } },
    ...optional(charge, settlement),
  };
  return {
    result: { outcome: "blocked", already: false },
    transfers: [setAside(command, received.row.pixId)],
    writes: [
      chargeWrite(charge, "failed", settlement, deciding),
      received,
      ...claimWrites(null, giveBack(command, charge, received.row, settings, deciding)),
      emit(paymentFailed, data, eventWallet(books, charge), { books, deciding }),
    ],
  };
}

/** A charge that was paid before: kept as its own received Pix, credited to nobody, to be returned. */
function secondPayment(
  command: SettleCharge,
  charge: ChargeRow,
  settings: AccountSettings,
  deciding: Deciding,
): Decision<Settled> {
  const received = pixWrite(command, charge, "second_payment", null, deciding);
  return {
    result: { outcome: "second_payment", already: false },
    transfers: [setAside(command, received.row.pixId)],
    writes: [received, ...claimWrites(null, giveBack(command, charge, received.row, settings, deciding))],
  };
}

/** What the payer reads of it. */
const DESCRIPTION = "Devolução automática: o pagamento não pôde ser aceito";

/** The return that a Pix which is not credited is born with; the loop of returns/send.ts carries it out. */
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

/** The Pix for what is later claimed of it. */
function unclaimed(
  { accountId, institutionId, pix }: SettleCharge,
  charge: ChargeRow,
  { pixId, outcome }: ReceivedPix,
): ClaimedPix {
  const { chargeId, walletId, externalReference, metadata } = charge;
  return {
    accountId, e2eId: pix.e2eId, pixId, institutionId, outcome, chargeId, walletId, amount: pix.amount, paidAt: pix.paidAt,
    externalReference, metadata, returns: [], refunds: [], blocks: [], pspReturns: [],
  }; // biome-ignore format: one row
}

/** psp → returns: the money is there, and nobody's until it has gone back. Never through `available`. */
function setAside(command: SettleCharge, pixId: string): Transfer {
  const { accountId, pix } = command;
  return {
    accountId,
    kind: "deposit_blocked",
    sourceId: pixId,
    leg: 0,
    amount: pix.amount,
    from: psp(command.institutionId),
    to: returns,
    occurredAt: pix.paidAt,
  };
}

function settlementOf(
  pix: PspPix,
  how: { feeAmount: number; netAmount: number; paidAfterExpiry: boolean; blocked: BlockedReason | null },
): ChargeSettlement {
  return {
    appliedSplit: null,
    feeAmount: how.feeAmount,
    netAmount: how.netAmount,
    paidAt: pix.paidAt,
    e2eId: pix.e2eId,
    counterpartName: pix.payer?.name ?? null,
    counterpartDocument: pix.payer?.document ?? null,
    paidAfterExpiry: how.paidAfterExpiry,
    failureReason: how.blocked === null ? null : FAILURE_REASONS[how.blocked],
    blockedReason: how.blocked,
  };
}

function eventData(command: SettleCharge, charge: ChargeRow, settlement: ChargeSettlement) {
  return {
    transactionId: charge.chargeId,
    environment: command.environment,
    amount: toBrl(charge.amount),
    feeAmount: toBrl(settlement.feeAmount),
    netAmount: toBrl(settlement.netAmount),
    currency: "BRL" as const,
    paymentMethod: "pix" as const,
  };
}

function optional(charge: ChargeRow, settlement: ChargeSettlement) {
  return {
    ...(charge.externalReference === null ? {} : { externalReference: charge.externalReference }),
    e2eId: settlement.e2eId,
    ...(settlement.counterpartName === null ? {} : { counterpartName: settlement.counterpartName }),
    ...(settlement.counterpartDocument === null ? {} : { counterpartDocument: settlement.counterpartDocument }),
    ...(charge.metadata === null ? {} : { metadata: charge.metadata }),
    ...(settlement.paidAfterExpiry ? { paidAfterExpiry: true } : {}),
  };
}

function chargeWrite(
  charge: ChargeRow,
  status: "completed" | "failed",
  settlement: ChargeSettlement,
  { now }: Deciding,
) {
  const document = settlement.counterpartDocument;
  return update(chargesTable, charge, "settlement", {
    ...settlement,
    status,
    customerId: charge.customerId ?? (document === null ? null : customerIdOf(charge.accountId, document)),
    updatedAt: now,
  });
}

function pixWrite(
  command: SettleCharge,
  charge: ChargeRow,
  outcome: PixOutcome,
  reason: BlockedReason | null,
  deciding: Deciding,
) {
  const { accountId, pix } = command;
  return insert(receivedPixTable, {
    accountId,
    e2eId: pix.e2eId,
    pixId: deciding.newId(),
    institutionId: command.institutionId,
    chargeId: charge.chargeId,
    walletId: charge.walletId,
    amount: pix.amount,
    outcome,
    reason,
    txid: null,
    payerName: pix.payer?.name ?? null,
    payerDocument: pix.payer?.document ?? null,
    paidAt: pix.paidAt,
    receivedAt: deciding.now,
  });
}
