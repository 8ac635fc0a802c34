import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { ChargeState } from "../charges/state.tsx";
import { type Shape, State } from "../parts/state.tsx";

type Transaction = merchant.Transaction;

/** A kind that a newer gateway has is shown by its name. A fee with a refund is that of the refund. */
export function TypeText({
  of: { type, refundTransactionId },
}: {
  of: Pick<Transaction, "type" | "refundTransactionId">;
}) {
  const { t, i18n } = useTranslation();
  if (type === "fee" && refundTransactionId !== undefined) return <>{t("kind.refund_fee")}</>;
  return <>{i18n.exists(`transactions.types.${type}`) ? t(`transactions.types.${type}`) : type}</>;
}

const SHAPES: Readonly<Record<Transaction["status"], Shape>> = {
  pending: "waiting",
  completed: "done",
  cancelled: "ended",
  failed: "failed",
};

/** The state of a transaction, in the words of its own screen. */
export function TransactionState({ transaction }: { transaction: Transaction }) {
  const { t, i18n } = useTranslation();
  const { type, status } = transaction;
  if (type === "payment") return <ChargeState charge={transaction} />;
  const ofType = `transactions.done.${type}`;
  const key = status === "completed" && i18n.exists(ofType) ? ofType : `transactions.state.${status}`;
  return <State shape={SHAPES[status]}>{t(key)}</State>;
}
