import { type AccountSettings, accountsTable } from "../accounts/account.ts";
import type { ClaimedPix, PixOutcome } from "../claims/pix.ts";
import { type ReceivedPix, receivedPixTable } from "../claims/received-pix.ts";
import { insert, update } from "../ledger/books.ts";
import { fees, psp, pspCosts, returns } from "../ledger/chart.ts";
import { answered, type Evidence } from "../ledger/evidence.ts";
import type { Deciding, Want } from "../ledger/lane.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { PspPix } from "../psp/psp.ts";
import { fiscalFields } from "../transactions/invoices/invoice.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { wantReceivers } from "../webhooks/events/emit.ts";
import type { BlockedReason } from "./admit.ts";
import { type ChargeRow, type ChargeSettlement, chargesTable } from "./charge.ts";
import { customerIdOf } from "./customer-id.ts";
import type { paymentCompleted } from "./events.ts";
import { explained } from "./terms.ts";

/** A Pix that its PSP confirmed, with the charge that its txid names. */
export type SettleCharge = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  /** The institution's CNPJ, where its operator has entered it. */
  readonly cnpj?: string | null;
  /** The static code that was paid; left out: the charge was issued before. */
  readonly qrCodeId?: string;
  readonly pix: PspPix;
  /** The operator has assigned the Pix to this charge, whatever its txid and institution. */
  readonly assigned?: boolean;
  /** A notification that names the payer may still come. Left out: decide by what is known now. */
  readonly payerMayCome?: boolean;
};

/**
 * What a settlement did. After the last three nothing was written:
 * - `unmatched`: this institution has no such charge.
 * - `awaiting_payer`: the account's policies depend on the payer, who may still be named.
 * - `contradiction`: the account has this Pix at another institution.
 */
export type Settled = {
  readonly outcome: PixOutcome | "awaiting_payer" | "contradiction";
  readonly already: boolean;
  /** Of the charge that has the Pix; left out where it is the command's own. */
  readonly chargeId?: string | null;
};

/** What a settlement rests on: the institution's answer, or the receipt that the operator has assigned. */
export const evidenceOf = ({ institutionId, pix, assigned }: SettleCharge): Evidence =>
  assigned ? { origin: "receipt", about: pix.e2eId } : answered(institutionId, pix.e2eId, pix);

/** What every settlement of a Pix reads, whether its charge was issued before or is made by it. */
export function wantSettlement(command: SettleCharge, want: Want): void {
  const { accountId } = command;
  want.row(accountsTable, { accountId, id: accountId });
  want.row(chargesTable, { accountId, id: command.chargeId });
  want.row(receivedPixTable, { accountId, id: command.pix.e2eId });
  want.ledger(accountId, psp(command.institutionId));
  want.ledger(accountId, fees);
  want.ledger(accountId, returns);
  if (command.pix.withheld !== undefined) want.ledger(accountId, pspCosts);
  wantReceivers(want, accountId);
}

/** The reason that the merchant reads. */
export const FAILURE_REASONS: Readonly<Record<BlockedReason, string>> = {
  cnpj_payer_not_allowed: "The account does not accept payers with a CNPJ.",
  unknown_payer_not_allowed: "The PSP did not name the payer, and the account does not accept unknown payers.",
  amount_mismatch: "The amount paid differs from the amount of the charge.",
  late_payment: "The charge was paid after it had expired or been cancelled.",
  sold_out: "The payment link had taken its last payment.",
};

/** A Pix without claims. Refunds, blocks and returns are checked against it later. */
export function unclaimed(
  { accountId, institutionId, pix }: SettleCharge,
  charge: ChargeRow,
  { pixId, outcome, reason }: ReceivedPix,
): ClaimedPix {
  const { chargeId, walletId, externalReference, metadata } = charge;
  return {
    accountId, e2eId: pix.e2eId, pixId, institutionId, outcome, reason, chargeId, walletId, bookedAs: null, amount: pix.amount,
    paidAt: pix.paidAt, externalReference, metadata, returns: [], refunds: [], blocks: [], pspReturns: [],
  }; // biome-ignore format: one row
}

/** The columns of a charge that a payment fills. */
export function settlementOf(
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

/** Data that both events of a payment have, whether it was credited or refused. */
export function eventData(command: SettleCharge, charge: ChargeRow, settlement: ChargeSettlement) {
  return {
    transactionId: charge.chargeId,
    environment: command.environment,
    amount: toBrl(command.pix.amount),
    feeAmount: toBrl(settlement.feeAmount),
    netAmount: toBrl(settlement.netAmount),
    currency: "BRL" as const,
    paymentMethod: "pix" as const,
  };
}

/** The fields of an invoice that describe the payment. */
export const fiscalOf = ({ qrCodeId, cnpj = null }: SettleCharge, { document }: Pick<AccountSettings, "document">) =>
  fiscalFields({ isStatic: qrCodeId !== undefined, receiver: document, institution: cnpj });

/** Event fields that not every payment has. */
export function optionalData(
  charge: ChargeRow,
  settlement: ChargeSettlement,
): Pick<
  EventData<typeof paymentCompleted>,
  | "externalReference"
  | "paymentLinkId"
  | "e2eId"
  | "counterpartName"
  | "counterpartDocument"
  | "metadata"
  | "paidAfterExpiry"
  | "qrCodeId"
> {
  return present({
    externalReference: charge.externalReference,
    paymentLinkId: charge.paymentLinkId,
    e2eId: settlement.e2eId,
    counterpartName: settlement.counterpartName,
    counterpartDocument: settlement.counterpartDocument,
    metadata: charge.metadata,
    qrCodeId: charge.qrCodeId,
    paidAfterExpiry: settlement.paidAfterExpiry || null,
  });
}

export function chargeWrite(
  { pix }: SettleCharge,
  charge: ChargeRow,
  status: "completed" | "failed",
  settlement: ChargeSettlement,
  { now }: Deciding,
) {
  const document = settlement.counterpartDocument;
  const set = {
    ...settlement,
    status,
    customerId: charge.customerId ?? (document === null ? null : customerIdOf(charge.accountId, document)),
    updatedAt: now,
  };
  if (charge.due === null || status === "failed") return update(chargesTable, charge, "settlement", set);
  const paid = { amount: pix.amount, chargedAmount: charge.amount, components: explained(charge, pix) };
  return update(chargesTable, charge, "dueSettlement", { ...set, ...paid });
}

export function pixWrite(
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
    components: null,
    paidAt: pix.paidAt,
    receivedAt: deciding.now,
    withheld: pix.withheld ?? null,
  });
}
