import { addBrl, type merchant } from "@pixgate/sdk";

/** Fees by what they were taken for, as kinds of lines: each is the sum of its lines, and they are a type together. */
export const FEES = ["charge_fee", "withdrawal_fee", "refund_fee", "withdrawal_fee_returned"] as const;
type Fee = (typeof FEES)[number];
export const isFee = (type: string): type is Fee => FEES.some((fee) => fee === type);

/**
 * What each kind of fee came to in a month, BRL. The summary gives the fees of withdrawals less those that came back with their
 * withdrawals, and the type `fee` without these: the difference is what came back.
 */
export function feeRows({ items, fees }: Pick<merchant.StatementSummary, "items" | "fees">) {
  const total = addBrl(0, ...fees.map(({ amount }) => amount));
  const back = addBrl(items.find(({ type }) => type === "fee")?.out ?? 0, -total);
  const rows = fees.map(({ operation, count, amount }): { kind: Fee; count: number | null; amount: number } => ({
    ...{ kind: `${operation}_fee`, count },
    amount: operation === "withdrawal" ? addBrl(amount, back) : amount,
  }));
  // How many came back, the summary does not count.
  if (back > 0) rows.push({ kind: "withdrawal_fee_returned", count: null, amount: -back });
  return { rows: rows.filter(({ amount }) => amount !== 0), total };
}
