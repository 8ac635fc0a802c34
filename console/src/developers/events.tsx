import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Facts } from "../parts/facts.tsx";
import { Empty, Read } from "../parts/feedback.tsx";
import { ChoiceChip, useAddress } from "../parts/filters.tsx";
import { showInFull } from "../parts/instant.ts";
import { PagedList } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { pretty } from "./pretty.ts";

type Query = NonNullable<merchant.EventsListData["query"]>;

/** What happened in the wallet, as endpoints receive it. */
export default function Events() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const event = address.get("event") as Query["event"] | null;
  return (
    <Page title={t("nav.events")}>
      <div className="chips">
        <ChoiceChip
          name="event"
          label={t("webhooks.event")}
          choices={EVENT_KINDS.map((value) => ({ value, text: value }))}
        />
      </div>
      <PagedList
        queryKey={[...scope, "events", event]}
        read={(cursor, limit) =>
          pixgate.events.list({ ...(event && { event }), limit, ...(cursor !== undefined && { cursor }) }).page()
        }
        keyOf={({ eventId }) => eventId}
        empty={<Empty>{t("events.empty")}</Empty>}
      >
        {(events) => <EventTable events={events} />}
      </PagedList>
      <EventPanel id={address.get("open")} onClose={() => address.change({ open: null })} />
    </Page>
  );
}

function EventTable({ events }: { events: readonly merchant.Event[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  return (
    <Table
      caption={t("nav.events")}
      rows={events}
      keyOf={({ eventId }) => eventId}
      selected={address.get("open")}
      onOpen={({ eventId }) => address.change({ open: eventId })}
      columns={[
        {
          key: "time",
          title: t("charges.column.time"),
          className: "quiet",
          cell: ({ timestamp }) => <Moment at={timestamp} seconds />,
        },
        { key: "event", title: t("webhooks.event"), cell: ({ event }) => event },
        { key: "id", title: t("charge.id"), cell: ({ eventId }) => <span className="mono small">{eventId}</span> },
      ]}
      phone={(one) => [
        one.event,
        <Moment key="time" at={one.timestamp} seconds />,
        <span key="id" className="mono">
          {one.eventId}
        </span>,
        "",
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
    <Panel title={query.data?.event ?? t("webhooks.event")} opened={id !== null} onClose={onClose}>
      <Read query={query}>
        {({ eventId, timestamp, body }) => (
          <>
            <Facts
              facts={[
                [
                  t("charge.id"),
                  <span key="id" className="mono">
                    {eventId}
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
