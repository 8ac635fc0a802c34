import type { operator } from "@pixgate/sdk";

export type Line = operator.StatementItem;

/** An account of the books that a wallet's line can stand against. */
type OtherSide = "psp" | "fees" | "operator" | "write_offs" | "available" | "held" | "wallet";

/** Unique in a wallet: its lines have gapless numbers. */
export const keyOf = ({ balance, line }: Line): string => `${balance}-${line}`;

/** Between which two accounts each kind moves money: docs/money.md. */
const AGAINST: Readonly<Record<string, Exclude<OtherSide, "available" | "held"> | "swap">> = {
  charge_paid: "psp",
  charge_fee: "fees",
  tax_withheld: "psp",
  charge_split: "wallet",
  transfer: "wallet",
  withdrawal_held: "swap",
  withdrawal_sent: "psp",
  withdrawal_fee: "fees",
  withdrawal_released: "swap",
  withdrawal_reclaimed: "swap",
  withdrawal_returned: "psp",
  withdrawal_fee_returned: "fees",
  refund_held: "swap",
  refund_sent: "psp",
  refund_fee: "fees",
  refund_released: "swap",
  block_held: "swap",
  block_taken: "psp",
  block_released: "swap",
  psp_return: "psp",
  adjustment: "operator",
  debt_written_off: "write_offs",
  promotional_credit: "operator",
  commission: "operator",
};

/** The account at the other end of the line's transfer; null of a kind that this console does not know. */
export function otherSideOf({ kind, balance }: Line): OtherSide | null {
  const against = AGAINST[kind];
  if (against !== "swap") return against ?? null;
  return balance === "held" ? "available" : "held";
}
