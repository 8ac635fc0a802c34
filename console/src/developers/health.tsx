import type { merchant, Pixgate } from "@pixgate/sdk";
import { type Query, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { untilDue } from "../parts/due.ts";
import { showMoment } from "../parts/instant.ts";
import { type Shape, State } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";
import { useWhy } from "./why.ts";

type Delivery = merchant.WebhookDelivery;

/** Of so many newest deliveries an endpoint's health is made. */
const NEWEST = 100;

/** The query for an endpoint's newest deliveries. */
export const newestDeliveries = (pixgate: Pixgate, scope: readonly string[], id: string) => ({
  queryKey: [...scope, "deliveries", id, "newest"],
  queryFn: () => pixgate.webhookDeliveries.list({ endpointId: id, limit: NEWEST }).page(),
  refetchInterval: (query: Query<merchant.WebhookDeliveryPage>) =>
    untilDue(query.state.data?.items.map(({ nextAttemptAt }) => nextAttemptAt) ?? []),
});

/** How an endpoint fares: what became of its newest deliveries, and why the newest one that failed did. */
export function Health({ endpoint }: { endpoint: merchant.WebhookEndpoint }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const { data } = useQuery(newestDeliveries(pixgate, scope, endpoint.id));
  const why = useWhy();
  if (!endpoint.enabled) return <State shape="ended">{t("webhooks.disabled")}</State>;
  return <Fares attempted={(data?.items ?? []).filter(({ attemptCount }) => attemptCount > 0)} why={why} />;
}

function Fares({ attempted, why }: { attempted: readonly Delivery[]; why: (delivery: Delivery) => string | null }) {
  const { t, i18n } = useTranslation();
  const total = attempted.length;
  const undelivered = attempted.filter(({ status }) => status !== "delivered");
  const failed = undelivered.filter(({ status }) => status === "failed").length;
  const [newest, oldest] = [undelivered[0], undelivered.at(-1)];
  if (total === 0) return <State shape="done">{t("webhooks.enabled")}</State>;
  if (newest === undefined || oldest === undefined) {
    const first = attempted.filter(({ attemptCount }) => attemptCount === 1).length;
    return <State shape="done">{t("webhooks.health.good", { first, total })}</State>;
  }
  const says = (shape: Shape, text: string) => (
    <State shape={shape}>
      {text}
      <span className="label block">{why(newest)}</span>
    </State>
  );
  if (failed > 0) return says("failed", t("webhooks.health.failed", { failed, total }));
  // Not one of the newest has arrived: somebody has to look at the receiver.
  if (undelivered.length === total) {
    const since = showMoment(new Date(oldest.createdAt), i18n.language);
    return says("needs", t("webhooks.health.silent", { since, count: total }));
  }
  return says("moving", t("webhooks.health.retried", { retried: undelivered.length, total }));
}
