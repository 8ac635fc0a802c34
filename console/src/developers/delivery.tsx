import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { showElapsed } from "../parts/instant.ts";
import { Panel } from "../parts/panel.tsx";
import { State } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { pretty } from "./pretty.ts";

/** A delivery: every attempt with its answer, and once what was sent. */
export function DeliveryPanel({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "delivery", id],
    enabled: id !== null,
    queryFn: async () => {
      const delivery = await pixgate.webhookDeliveries.get(id ?? "");
      return { delivery, event: await pixgate.events.get(delivery.eventId) };
    },
  });
  return (
    <Panel title={t("webhooks.delivery")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{({ delivery, event }) => <Details delivery={delivery} body={event.body} />}</Read>
    </Panel>
  );
}

function Details({ delivery, body }: { delivery: merchant.WebhookDeliveryWithAttempts; body: string }) {
  const { t, i18n } = useTranslation();
  const { pixgate, may } = useSession();
  const again = useChange(() => pixgate.webhookDeliveries.redeliver(delivery.id));
  return (
    <>
      <div style={{ display: "flex", justifyContent: "space-between", gap: 12, alignItems: "center" }}>
        <div>
          <strong>{delivery.event}</strong>
          <div className="small">
            <DeliveryState delivery={delivery} />
          </div>
        </div>
        {may("WEBHOOK:WRITE") && (
          <Button
            variant="default"
            leftSection={<Icon name="again" />}
            loading={again.isPending}
            onClick={() => again.mutate()}
          >
            {t("webhooks.redeliver")}
          </Button>
        )}
      </div>
      {again.error && <Failure error={again.error} />}
      {delivery.attempts.map(({ number, status, startedAt, latencyMs, statusCode, error, response }) => (
        <div key={number}>
          <div style={{ display: "flex", justifyContent: "space-between" }}>
            <State shape={status === "delivered" ? "done" : "failed"}>{t("webhooks.attempt", { number })}</State>
            <span className="small quiet">
              <Moment at={startedAt} seconds /> · {showElapsed(latencyMs, i18n.language)}
            </span>
          </div>
          <pre className="code">
            {statusCode === undefined ? error : `HTTP ${statusCode}`}
            {response ? `\n\n${response}` : ""}
          </pre>
        </div>
      ))}
      <div>
        <strong>{t("webhooks.sent")}</strong>
        <pre className="code">{pretty(body)}</pre>
      </div>
    </>
  );
}
