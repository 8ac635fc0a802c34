/**
 * The chart of accounts: every kind of ledger account, and who owns one (docs/money.md).
 *
 * `available`, `held`, `promotional`: one for each wallet. `psp`: one for each institution; it holds the negative of
 * what the institution holds for the tenant. `fees`, `returns`, `operator`, `psp_costs`, `write_offs`: one for each tenant.
 * `suspense`, `operator_funds`, `transit`: the house account's. All balances of a tenant sum to zero.
 */
export type LedgerKind =
  | "available"
  | "held"
  | "promotional"
  | "fees"
  | "returns"
  | "suspense"
  | "operator"
  | "psp_costs"
  | "operator_funds"
  | "write_offs"
  | "transit"
  | "psp";

/** A ledger account of a tenant, by its purpose. `ownerId` is a wallet or, for `psp`, an institution. */
export type LedgerName = { readonly kind: LedgerKind; readonly ownerId: string | null };

export const available = (walletId: string): LedgerName => ({ kind: "available", ownerId: walletId });
export const held = (walletId: string): LedgerName => ({ kind: "held", ownerId: walletId });
export const promotional = (walletId: string): LedgerName => ({ kind: "promotional", ownerId: walletId });
export const psp = (institutionId: string): LedgerName => ({ kind: "psp", ownerId: institutionId });
export const fees: LedgerName = { kind: "fees", ownerId: null };
export const returns: LedgerName = { kind: "returns", ownerId: null };
export const suspense: LedgerName = { kind: "suspense", ownerId: null };
export const operator: LedgerName = { kind: "operator", ownerId: null };
/** The negative of what institutions charged. */
export const pspCosts: LedgerName = { kind: "psp_costs", ownerId: null };
/** What the operator paid in, less what it took out. */
export const operatorFunds: LedgerName = { kind: "operator_funds", ownerId: null };
/** Money that nobody will claim, less money that will not come back. */
export const writeOffs: LedgerName = { kind: "write_offs", ownerId: null };
/**
 * Money on its way between two institutions: it has reached one and is not booked as gone from the other, or (negative) the
 * reverse.
 */
export const transit: LedgerName = { kind: "transit", ownerId: null };

/**
 * Why money moved. Kind, source and leg together are the cause of a transfer, and one cause posts once. `MAY_OVERDRAW`
 * lists the kinds that may bring a wallet's `available` below zero.
 */
export type TransferKind =
  | "charge_paid"
  | "charge_fee"
  | "charge_split"
  | "deposit_blocked"
  | "deposit_returned"
  | "unmatched_received"
  | "unmatched_resolved"
  | "withdrawal_held"
  | "withdrawal_sent"
  | "withdrawal_fee"
  | "withdrawal_released"
  | "withdrawal_reclaimed"
  | "withdrawal_returned"
  | "withdrawal_fee_returned"
  | "refund_held"
  | "refund_sent"
  | "refund_fee"
  | "refund_released"
  | "block_held"
  | "block_taken"
  | "block_released"
  | "psp_return"
  | "adjustment"
  | "promotional_credit"
  | "commission"
  | "transfer"
  | "top_up"
  | "sweep"
  | "tariff"
  | "loss"
  | "gain"
  | "bank_tariff"
  | "tax_withheld"
  | "debt_written_off"
  | "return_written_off"
  | "interbank";

/**
 * Debts, which are booked whatever the balance is: a MED, a chargeback, a return that the PSP made itself, and a withdrawal
 * that was paid out although the PSP had reported it as failed.
 */
export const MAY_OVERDRAW: readonly TransferKind[] = [
  "block_held",
  "block_taken",
  "psp_return",
  "withdrawal_reclaimed",
];

/** Between which kinds of ledger account each kind of transfer moves money, `from>to` (docs/money.md; T1 of verify). */
export const ROUTES: Readonly<Record<TransferKind, readonly `${LedgerKind}>${LedgerKind}`[]>> = {
  charge_paid: ["psp>available"],
  charge_fee: ["available>fees"],
  charge_split: ["available>available"],
  deposit_blocked: ["psp>returns"],
  deposit_returned: ["returns>psp"],
  unmatched_received: ["psp>suspense"],
  unmatched_resolved: ["suspense>psp", "suspense>returns"],
  withdrawal_held: ["available>held"],
  withdrawal_sent: ["held>psp"],
  withdrawal_fee: ["held>fees"],
  withdrawal_released: ["held>available"],
  withdrawal_reclaimed: ["available>held"],
  withdrawal_returned: ["psp>available"],
  withdrawal_fee_returned: ["fees>available"],
  refund_held: ["available>held"],
  refund_sent: ["held>psp"],
  refund_fee: ["held>fees"],
  refund_released: ["held>available"],
  block_held: ["available>held"],
  block_taken: ["held>psp", "available>psp"],
  block_released: ["held>available"],
  psp_return: ["available>psp", "returns>psp", "suspense>psp", "operator_funds>psp", "transit>psp", "write_offs>psp"],
  adjustment: ["operator>available", "available>operator", "psp>available"],
  promotional_credit: ["operator>promotional", "promotional>operator"],
  commission: ["operator>available", "available>operator", "operator>promotional", "promotional>operator"],
  transfer: ["available>available"],
  top_up: ["psp>operator_funds", "suspense>operator_funds"],
  sweep: ["operator_funds>psp"],
  tariff: ["psp_costs>psp"],
  loss: ["write_offs>psp"],
  gain: ["psp>write_offs", "suspense>write_offs"],
  bank_tariff: ["psp_costs>psp"],
  tax_withheld: ["available>psp", "psp_costs>psp", "psp>psp_costs"],
  debt_written_off: ["write_offs>available", "available>write_offs"],
  return_written_off: ["returns>write_offs", "write_offs>returns"],
  interbank: ["transit>psp", "psp>transit", "suspense>transit"],
};

/** One movement of a positive number of centavos. */
export type Transfer = {
  readonly accountId: string;
  readonly kind: TransferKind;
  /** UUID of what caused it. */
  readonly sourceId: string;
  readonly leg: number;
  /** Centavos, positive. */
  readonly amount: number;
  readonly from: LedgerName;
  readonly to: LedgerName;
  /** When it happened. The lane adds when it was booked. */
  readonly occurredAt: Date;
};

/** Key of a ledger account inside a tenant. */
export const nameKey = (name: LedgerName): string => `${name.kind}:${name.ownerId ?? ""}`;
