import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { type Shape, State } from "../parts/state.tsx";

type Transaction = merchant.Transaction;

/** A kind that a newer gateway has is shown by its name. */
export function TypeText({ type }: { type: string }) {
  const { t, i18n } = useTranslation();
  return <>{i18n.exists(`transactions.types.${type}`) ? t(`transactions.types.${type}`) : type}</>;
}

const SHAPES: Readonly<Record<Transaction["status"], Shape>> = {
  pending: "waiting",
  completed: "done",
  cancelled: "ended",
  failed: "failed",
};

export function TransactionState({ transaction }: { transaction: Transaction }) {
  const { t } = useTranslation();
  return <State shape={SHAPES[transaction.status]}>{t(`transactions.state.${transaction.status}`)}</State>;
}
