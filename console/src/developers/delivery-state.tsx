import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useIsAhead } from "../parts/due.ts";
import { showWhen } from "../parts/instant.ts";
import { type Shape, State } from "../parts/state.tsx";

/** How a delivery stands; `why`: beneath it, why its newest attempt failed. */
export function DeliveryState({ delivery, why }: { delivery: merchant.WebhookDelivery; why?: string | null }) {
  const { t, i18n } = useTranslation();
  const { status, nextAttemptAt, finishedAt } = delivery;
  const isAhead = useIsAhead(nextAttemptAt);
  const says = (shape: Shape, text: string) => (
    <State shape={shape}>
      <span>{text}</span>
      {why && <span className="label block">{why}</span>}
    </State>
  );
  if (status === "delivered") return says("done", t("webhooks.delivered"));
  if (status === "failed") {
    return says("failed", t("webhooks.gaveUp", { when: finishedAt && showWhen(new Date(finishedAt), i18n.language) }));
  }
  if (nextAttemptAt === undefined || !isAhead) return says("moving", t("webhooks.attempting"));
  return says("moving", t("webhooks.next", { when: showWhen(new Date(nextAttemptAt), i18n.language, true) }));
}
