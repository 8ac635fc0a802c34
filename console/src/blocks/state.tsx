import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { type Shape, State } from "../parts/state.tsx";

const SHAPES: Readonly<Record<merchant.BalanceBlock["status"], Shape>> = {
  awaiting_response: "needs",
  defended: "moving",
  approved: "ended",
  rejected: "done",
};

type Block = Pick<merchant.BalanceBlock, "status" | "blockType">;

/**
 * The API's `approved` and `rejected` speak of the payer's case; people are shown what became of the money.
 *
 * @param text other words, for who is not the merchant.
 */
export function BlockState({ block: { status, blockType }, text }: { block: Block; text?: string }) {
  const { t } = useTranslation();
  // Against its own hold a bank takes no defence: nobody has to do anything.
  const isLookedAt = blockType === "precautionary" && status === "awaiting_response";
  const words = isLookedAt ? t("blocks.state.looked_at") : t(`blocks.state.${status}`);
  return <State shape={isLookedAt ? "moving" : SHAPES[status]}>{text ?? words}</State>;
}
