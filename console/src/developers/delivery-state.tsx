import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showMoment } from "../parts/instant.ts";
import { State } from "../parts/state.tsx";

export function DeliveryState({ delivery }: { delivery: merchant.WebhookDelivery }) {
  const { t, i18n } = useTranslation();
  const { status, attemptCount, nextAttemptAt } = delivery;
  if (status === "delivered") return <State shape="done">{t("webhooks.delivered")}</State>;
  if (status === "failed") return <State shape="failed">{t("webhooks.gaveUp", { number: attemptCount })}</State>;
  const when = nextAttemptAt === undefined ? "" : showMoment(new Date(nextAttemptAt), i18n.language, true);
  return <State shape="moving">{t("webhooks.next", { when })}</State>;
}
