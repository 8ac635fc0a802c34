import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { useIsAhead } from "../parts/due.ts";
import { showWhen } from "../parts/instant.ts";
import { State } from "../parts/state.tsx";

export function DeliveryState({ delivery }: { delivery: merchant.WebhookDelivery }) {
  const { t, i18n } = useTranslation();
  const { status, attemptCount, nextAttemptAt } = delivery;
  const isAhead = useIsAhead(nextAttemptAt);
  if (status === "delivered") return <State shape="done">{t("webhooks.delivered")}</State>;
  if (status === "failed") return <State shape="failed">{t("webhooks.gaveUp", { number: attemptCount })}</State>;
  if (nextAttemptAt === undefined || !isAhead) return <State shape="moving">{t("webhooks.attempting")}</State>;
  const when = showWhen(new Date(nextAttemptAt), i18n.language, true);
  return <State shape="moving">{t("webhooks.next", { when })}</State>;
}
