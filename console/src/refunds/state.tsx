import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { type Shape, State } from "../parts/state.tsx";

const SHAPES: Readonly<Record<merchant.Refund["status"], Shape>> = {
  PENDING: "moving",
  CONFIRMED: "done",
  ERROR: "failed",
};

export function RefundState({ refund: { status } }: { refund: Pick<merchant.Refund, "status"> }) {
  const { t } = useTranslation();
  return <State shape={SHAPES[status]}>{t(`refunds.state.${status}`)}</State>;
}
