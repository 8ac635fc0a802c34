import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { untilDue } from "../parts/due.ts";
import { Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { CopyAct } from "../parts/id.tsx";
import { Section } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { useSession } from "../session/session.tsx";
import { Attempts } from "./attempts.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { eventWord } from "./event-kind.tsx";
import { pretty } from "./pretty.ts";
import { Redeliver } from "./redeliver.tsx";
import { EventSubject } from "./subject.tsx";
import { useWhy } from "./why.ts";

type Delivery = merchant.WebhookDeliveryWithAttempts;

/** A delivery: where it goes, every attempt with its answer, and once what was sent. */
export function DeliveryPanel({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "delivery", id],
    enabled: id !== null,
    refetchInterval: ({ state }) => untilDue([state.data?.delivery.nextAttemptAt]),
    queryFn: async () => {
      const delivery = await pixgate.webhookDeliveries.get(id ?? "");
      const [event, endpoints] = await Promise.all([
        pixgate.events.get(delivery.eventId),
        pixgate.webhookEndpoints.list({}).page(),
      ]);
      return { delivery, event, url: endpoints.items.find((one) => one.id === delivery.endpointId)?.url };
    },
  });
  return (
    <Panel wide title={t("webhooks.delivery")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{({ delivery, event, url }) => <Details delivery={delivery} event={event} url={url} />}</Read>
    </Panel>
  );
}

/** `url`: of the endpoint; undefined once that is deleted. */
function Details(props: { delivery: Delivery; event: merchant.EventWithBody; url: string | undefined }) {
  const { delivery, event, url } = props;
  const { body } = event;
  const { t } = useTranslation();
  const why = useWhy();
  return (
    <>
      <div className="between">
        <div className="shrinks">
          <strong>{eventWord(t, delivery.event)}</strong>
          {delivery.externalReference && (
            <>
              {" · "}
              <FreeText>{delivery.externalReference}</FreeText>
            </>
          )}
          <div className="small second mono">{url ?? t("webhooks.deleted")}</div>
          <div className="small">
            <DeliveryState delivery={delivery} why={why(delivery)} />
          </div>
          <EventSubject event={event} />
        </div>
        {url !== undefined && <Redeliver delivery={delivery} />}
      </div>
      <Attempts attempts={delivery.attempts} />
      <Section title={t("webhooks.request")} end={<CopyAct text={body} act={t("webhooks.copyBody")} />}>
        <pre className="code">{[...headOf(delivery), pretty(body)].join("\n")}</pre>
        <p className="small quiet gap-above">{t("webhooks.signatures")}</p>
      </Section>
    </>
  );
}

/** What is known of the newest attempt's request above its body: a signature is not stored. */
function headOf({ event, eventId, attempts }: Delivery): readonly string[] {
  const attempt = attempts.at(-1);
  if (attempt === undefined) return [];
  const at = Date.parse(attempt.startedAt);
  return [
    "Content-Type: application/json",
    `X-Service-Event: ${event}`,
    `X-Service-Webhook-ID: ${attempt.webhookId}`,
    `X-Service-Timestamp: ${at}`,
    `webhook-id: ${eventId}`,
    `webhook-timestamp: ${Math.floor(at / 1_000)}`,
    "",
  ];
}
