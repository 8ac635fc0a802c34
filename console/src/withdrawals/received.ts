import type { merchant } from "@pixgate/sdk";

/** A withdrawal, or its transaction. */
type Received = Pick<merchant.Withdrawal, "paidToOther" | "receiverCheck"> &
  Pick<merchant.Transaction, "receiverExpected">;

/**
 * What is known of whoever received it. `unchecked`: a holder of another name than was asked for, and nobody has said yet whether
 * that was meant; `meant` and `wrong`: what the account has said. Null: nothing is in question.
 */
export function receiverOf(one: Received): "unchecked" | "meant" | "wrong" | null {
  const isMeant = one.receiverCheck?.expected ?? one.receiverExpected;
  if (isMeant !== undefined) return isMeant ? "meant" : "wrong";
  return one.paidToOther === true ? "unchecked" : null;
}

type Paid = Pick<
  merchant.Withdrawal,
  "status" | "snapshotPixKey" | "snapshotHolderName" | "paidToOther" | "receiverCheck"
>;

/**
 * Of withdrawals, newest first, the newest payment to each key that may be repeated. One that went to a wrong name, or that nobody
 * has checked, is not: the key pays somebody else than whose name stands beside it.
 */
export function payeesOf<One extends Paid>(withdrawals: readonly One[]): readonly One[] {
  const newest = new Map<string, One>();
  for (const one of withdrawals) {
    if (one.status === "completed" && !newest.has(one.snapshotPixKey)) newest.set(one.snapshotPixKey, one);
  }
  return [...newest.values()].filter((one) => !["unchecked", "wrong"].includes(receiverOf(one) ?? ""));
}
