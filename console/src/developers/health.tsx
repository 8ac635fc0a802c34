import type { merchant, Pixgate } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { State } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";

/** Of so many newest deliveries an endpoint's health is made. */
const NEWEST = 100;

/** The query for an endpoint's newest deliveries. */
export const newestDeliveries = (pixgate: Pixgate, scope: readonly string[], id: string) => ({
  queryKey: [...scope, "deliveries", id, "newest"],
  queryFn: () => pixgate.webhookDeliveries.list({ endpointId: id, limit: NEWEST }).page(),
});

/** How an endpoint fares: what became of its newest deliveries. */
export function Health({ endpoint: { id, enabled } }: { endpoint: merchant.WebhookEndpoint }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data } = useQuery(newestDeliveries(pixgate, scope, id));
  if (!enabled) return <State shape="ended">{t("webhooks.disabled")}</State>;
  const items = data?.items ?? [];
  const count = (matches: (delivery: merchant.WebhookDelivery) => boolean) => items.filter(matches).length;
  const failed = count(({ status }) => status === "failed");
  const retried = count(
    ({ status, attemptCount }) => status !== "delivered" && status !== "failed" && attemptCount > 0,
  );
  const first = count(({ status, attemptCount }) => status === "delivered" && attemptCount === 1);
  const total = count(({ attemptCount }) => attemptCount > 0);
  if (total === 0) return <State shape="done">{t("webhooks.enabled")}</State>;
  if (failed > 0) return <State shape="failed">{t("webhooks.health.failed", { failed, total })}</State>;
  // Nothing that was tried has arrived.
  if (retried > 0 && retried === total)
    return <State shape="needs">{t("webhooks.health.silent", { count: total })}</State>;
  if (retried > 0) return <State shape="moving">{t("webhooks.health.retried", { retried, total })}</State>;
  return <State shape="done">{t("webhooks.health.good", { first, total })}</State>;
}
