import { invalid } from "../http/errors.ts";
import type { TransferKind } from "../ledger/chart.ts";

/** Kinds of transfer in a wallet's statement, with descriptions, and the type of transaction as which they count. */
type Kind = {
  readonly type:
    | "payment"
    | "refund"
    | "fee"
    | "withdrawal"
    | "chargeback"
    | "adjustment"
    | "internal_transfer"
    | "referral_commission"
    | "tax";
  readonly description: string;
  /** Between balances of the wallet: its total stays. */
  readonly inside?: true;
};

export const KINDS: Readonly<Partial<Record<TransferKind, Kind>>> = {
  charge_paid: { type: "payment", description: "a charge was paid, its gross amount" },
  charge_fee: { type: "fee", description: "fee of a charge" },
  tax_withheld: { type: "tax", description: "tax that the institution kept back of a charge's payment" },
  charge_split: { type: "internal_transfer", description: "a leg of a split, to or from another wallet" },
  transfer: { type: "internal_transfer", description: "a transfer to or from another wallet" },
  withdrawal_held: { type: "withdrawal", description: "a withdrawal was asked for: available → held", inside: true },
  withdrawal_sent: { type: "withdrawal", description: "it was paid: what the receiver gets" },
  withdrawal_fee: { type: "fee", description: "fee of a withdrawal" },
  withdrawal_released: { type: "withdrawal", description: "it failed: held → available", inside: true },
  withdrawal_reclaimed: {
    type: "withdrawal",
    description: "it was paid after it had been reported as failed: available → held",
    inside: true,
  },
  withdrawal_returned: { type: "adjustment", description: "its receiver gave money back" },
  withdrawal_fee_returned: { type: "adjustment", description: "its fee, with the return that makes it whole" },
  refund_held: {
    type: "refund",
    description: "a refund was asked for, amount and fee: available → held",
    inside: true,
  },
  refund_sent: { type: "refund", description: "it was settled" },
  refund_fee: { type: "fee", description: "fee of a refund" },
  refund_released: { type: "refund", description: "it failed: held → available", inside: true },
  block_held: { type: "chargeback", description: "a balance block: available → held", inside: true },
  block_taken: { type: "chargeback", description: "a block was approved: the money has left" },
  block_released: {
    type: "chargeback",
    description: "a block was rejected, or a refund took it over: held → available",
    inside: true,
  },
  psp_return: {
    type: "chargeback",
    description: "the institution returned a Pix by itself, or settled a refund after all",
  },
  adjustment: { type: "adjustment", description: "the operator adjusted the balance" },
  debt_written_off: {
    type: "adjustment",
    description: "the operator wrote off what the wallet owed, or took that back",
  },
  promotional_credit: { type: "adjustment", description: "promotional credit" },
  commission: { type: "referral_commission", description: "a commission by the operator" },
};

/** As the reference lists them. */
export const kindsText = Object.entries(KINDS)
  .map(([kind, { description }]) => `\`${kind}\` (${description})`)
  .join(", ");

export const typeOf = (kind: TransferKind): Kind["type"] => KINDS[kind]?.type ?? "adjustment";
/** False for movements between balances of the wallet. */
export const changesTotal = (kind: TransferKind): boolean => KINDS[kind]?.inside !== true;

export const TYPES = [...new Set(Object.values(KINDS).map(({ type }) => type))];

/** The kinds to which a query limits the lines: one, or those that count as a type; null: all. */
export function kindsOf({ kind, type }: { kind?: string; type?: string }): readonly TransferKind[] | null {
  if (kind !== undefined && type !== undefined) throw invalid("type", "is not taken together with kind");
  if (kind !== undefined) return [kind as TransferKind];
  if (type === undefined) return null;
  return (Object.keys(KINDS) as TransferKind[]).filter((one) => changesTotal(one) && typeOf(one) === type);
}
