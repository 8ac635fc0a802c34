import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { type Shape, State } from "../parts/state.tsx";

const SHAPES: Readonly<Record<merchant.BalanceBlock["status"], Shape>> = {
  awaiting_response: "needs",
  defended: "moving",
  approved: "ended",
  rejected: "done",
};

/** The API's `approved` and `rejected` speak of the payer's case; people are shown what became of the money. */
export function BlockState({ block }: { block: Pick<merchant.BalanceBlock, "status"> }) {
  const { t } = useTranslation();
  return <State shape={SHAPES[block.status]}>{t(`blocks.state.${block.status}`)}</State>;
}
