import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { untilDue } from "../parts/due.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { Panel } from "../parts/panel.tsx";
import { useSession } from "../session/session.tsx";
import { Attempts } from "./attempts.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { eventWord } from "./event-kind.tsx";
import { pretty } from "./pretty.ts";
import { useWhy } from "./why.ts";

/** A delivery: every attempt with its answer, and once what was sent. */
export function DeliveryPanel({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "delivery", id],
    enabled: id !== null,
    refetchInterval: ({ state }) => untilDue([state.data?.delivery.nextAttemptAt]),
    queryFn: async () => {
      const delivery = await pixgate.webhookDeliveries.get(id ?? "");
      return { delivery, event: await pixgate.events.get(delivery.eventId) };
    },
  });
  return (
    <Panel wide title={t("webhooks.delivery")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{({ delivery, event }) => <Details delivery={delivery} body={event.body} />}</Read>
    </Panel>
  );
}

function Details({ delivery, body }: { delivery: merchant.WebhookDeliveryWithAttempts; body: string }) {
  const { t } = useTranslation();
  const { pixgate, may } = useSession();
  const why = useWhy();
  const redelivery = useChange(() => pixgate.webhookDeliveries.redeliver(delivery.id));
  return (
    <>
      <div className="between">
        <div>
          <strong>{eventWord(t, delivery.event)}</strong>
          <div className="small quiet mono">{delivery.event}</div>
          {delivery.externalReference && (
            <div className="small second">
              <FreeText>{delivery.externalReference}</FreeText>
            </div>
          )}
          <div className="small">
            <DeliveryState delivery={delivery} why={why(delivery)} />
          </div>
        </div>
        {may("WEBHOOK:WRITE") && (
          <Button
            variant="default"
            leftSection={<Icon name="again" />}
            loading={redelivery.isPending}
            onClick={() => redelivery.mutate()}
          >
            {t("webhooks.redeliver")}
          </Button>
        )}
      </div>
      {redelivery.error && <Failure error={redelivery.error} />}
      <Attempts attempts={delivery.attempts} />
      <div>
        <strong>{t("webhooks.sent")}</strong>
        <pre className="code">{pretty(body)}</pre>
      </div>
    </>
  );
}
