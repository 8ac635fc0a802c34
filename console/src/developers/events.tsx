import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { timeColumn } from "../parts/columns.tsx";
import { Facts } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { useChoice } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { shortId } from "../parts/short-id.ts";
import { useSession } from "../session/session.tsx";
import { EventKind, eventWord } from "./event-kind.tsx";
import { pretty } from "./pretty.ts";

/** What an event says of itself under one of these names, where its kind has it. */
const textIn = ({ data }: merchant.Event, name: string): string | null =>
  typeof data[name] === "string" && data[name] !== "" ? data[name] : null;
const amountIn = ({ data }: merchant.Event): number | null => (typeof data.amount === "number" ? data.amount : null);

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
        timeColumn(t("charges.column.time"), ({ timestamp }) => timestamp, { seconds: true }),
        {
          key: "event",
          title: t("webhooks.event"),
          cell: ({ event }) => <EventKind kind={event} />,
          corner: "who",
          phone: ({ event }) => eventWord(t, event),
        },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: (event) => <FreeText>{textIn(event, "externalReference") ?? "–"}</FreeText>,
          corner: "state",
          phone: (event) => textIn(event, "externalReference") ?? shortId(event.eventId),
        },
        {
          key: "id",
          title: t("charge.id"),
          className: "mono small quiet",
          cell: ({ eventId }) => shortId(eventId),
        },
        {
          key: "amount",
          title: t("charges.column.amount"),
          end: true,
          className: "lead",
          cell: (event) => <Money brl={amountIn(event)} />,
          corner: "amount",
        },
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
