import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { idColumn, timeColumn } from "../parts/columns.tsx";
import { Facts } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { useChoice } from "../parts/filters.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Panel } from "../parts/panel.tsx";
import { useSession } from "../session/session.tsx";
import { pretty } from "./pretty.ts";

/** What a kind of event says; its name in the API where a later gateway has more of them. */
const eventWord = (t: TFunction, kind: string): string => t(`events.of.${kind}`, { defaultValue: kind });

/** What happened in the wallet, as endpoints receive it. */
export default function Events() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const event = useChoice("event", t("webhooks.event"), EVENT_KINDS, (kind) => eventWord(t, kind));
  return (
    <ListScreen<merchant.Event>
      title={t("nav.events")}
      queryKey={[...scope, "events"]}
      filters={[event]}
      read={(page) => pixgate.events.list({ ...page, event: event.value })}
      keyOf={({ eventId }) => eventId}
      empty={t("events.empty")}
      panel={(id, close) => <EventPanel id={id} onClose={close} />}
      columns={[
        timeColumn(t("charges.column.time"), ({ timestamp }) => timestamp, { seconds: true, corner: "amount" }),
        {
          key: "event",
          title: t("webhooks.event"),
          cell: ({ event }) => (
            <>
              {eventWord(t, event)}
              <div className="small quiet mono">{event}</div>
            </>
          ),
          corner: "who",
          phone: ({ event }) => eventWord(t, event),
        },
        idColumn(t("charge.id"), ({ eventId }) => eventId, { corner: "state" }),
      ]}
    />
  );
}

function EventPanel({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "event", id],
    queryFn: () => pixgate.events.get(id ?? ""),
    enabled: id !== null,
  });
  return (
    <Panel
      title={query.data ? eventWord(t, query.data.event) : t("webhooks.event")}
      opened={id !== null}
      onClose={onClose}
    >
      <Read query={query}>
        {({ event, eventId, timestamp, body }) => (
          <>
            <Facts
              facts={[
                [
                  t("charge.id"),
                  <span key="id" className="mono">
                    {eventId}
                  </span>,
                ],
                [
                  t("events.kindInApi"),
                  <span key="kind" className="mono">
                    {event}
                  </span>,
                ],
                [t("charges.column.time"), showInFull(new Date(timestamp), i18n.language)],
              ]}
            />
            <Link href={`/developers/webhooks?event=${encodeURIComponent(eventId)}`} className="act">
              {t("events.deliveries")}
            </Link>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
            <pre className="code" tabIndex={0}>
              {pretty(body)}
            </pre>
          </>
        )}
      </Read>
    </Panel>
  );
}
