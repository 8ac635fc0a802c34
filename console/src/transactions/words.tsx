import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { ChargeState } from "../charges/state.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { RefundState } from "../refunds/state.tsx";
import { receiverOf } from "../withdrawals/received.ts";

type Transaction = merchant.Transaction;

type Typed = Pick<Transaction, "type" | "refundTransactionId">;

/** A kind that a newer gateway has is shown by its name. A fee with a refund is that of the refund. */
export function useTypeText(): (of: Typed) => string {
  const { t, i18n } = useTranslation();
  return ({ type, refundTransactionId }) => {
    if (type === "fee" && refundTransactionId !== undefined) return t("kind.refund_fee");
    return i18n.exists(`transactions.types.${type}`) ? t(`transactions.types.${type}`) : type;
  };
}

export const TypeText = ({ of }: { of: Typed }) => <>{useTypeText()(of)}</>;

const SHAPES: Readonly<Record<Transaction["status"], Shape>> = {
  pending: "waiting",
  completed: "done",
  cancelled: "ended",
  failed: "failed",
};

/** The same words as on the lists of refunds and of withdrawals. */
const OF_REFUND: Partial<Record<Transaction["status"], merchant.Refund["status"]>> = {
  pending: "PENDING",
  failed: "ERROR",
};
const OF_WITHDRAWAL: Readonly<Record<string, Shape>> = {
  pending: "waiting",
  processing: "moving",
  completed: "done",
  reversed: "ended",
};

/** The state of a transaction, in the words of its own screen. */
export function TransactionState({ transaction }: { transaction: Transaction }) {
  const { t } = useTranslation();
  const { type, status, withdrawalStatus } = transaction;
  if (type === "payment") return <ChargeState charge={transaction} />;
  // "Returned" is what became of a charge.
  if (type === "refund" && status === "completed") return <State shape="done">{t("transactions.made")}</State>;
  if (type === "refund" && OF_REFUND[status]) return <RefundState refund={{ status: OF_REFUND[status] }} />;
  const receiver = withdrawalStatus === "completed" ? receiverOf(transaction) : null;
  if (receiver === "unchecked" || receiver === "wrong") {
    const [shape, said] = receiver === "wrong" ? (["failed", "toWrong"] as const) : (["needs", "otherName"] as const);
    return <State shape={shape}>{t(`withdrawals.${said}`, { state: t("withdrawals.completed") })}</State>;
  }
  const ofWithdrawal = OF_WITHDRAWAL[withdrawalStatus ?? ""];
  if (ofWithdrawal) return <State shape={ofWithdrawal}>{t(`withdrawals.${withdrawalStatus}`)}</State>;
  return <State shape={SHAPES[status]}>{t(`transactions.state.${status}`)}</State>;
}
