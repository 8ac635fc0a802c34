import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { ReferenceChip, referenceNamed } from "../charges/typed-chips.tsx";
import { timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Facts } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { useAddress, useChoice } from "../parts/filters.tsx";
import { Id } from "../parts/id.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { usePeriod } from "../parts/period.tsx";
import { useSession } from "../session/session.tsx";
import { EventKind, eventWord } from "./event-kind.tsx";
import { pretty } from "./pretty.ts";

type Event = merchant.Event;

/** What most kinds have in common: the reference of the request, and an amount, BRL. */
const referenceOf = ({ data: { externalReference: text } }: Event) => (typeof text === "string" ? text : undefined);
const amountOf = ({ data: { amount } }: Event) => (typeof amount === "number" ? amount : undefined);

/** What happened in the wallet, as endpoints receive it. */
export default function Events() {
  const { t } = useTranslation();
  const counted = useCounted<Event>("events");
  const { pixgate, scope } = useSession();
  const event = useChoice("event", t("webhooks.event"), EVENT_KINDS, (kind) => eventWord(t, kind));
  const happened = usePeriod("happened", t("events.happened"));
  const externalReference = referenceNamed(useAddress().get("reference")) ?? undefined;
  return (
    <ListScreen<Event>
      title={t("nav.events")}
      queryKey={[...scope, "events", externalReference]}
      filters={[event, happened]}
      beside={<ReferenceChip />}
      read={(page) =>
        pixgate.events.list({
          ...{ ...page, event: event.value, from: happened.from, to: happened.to },
          externalReference,
        })
      }
      keyOf={({ eventId }) => eventId}
      sumOf={counted}
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
          cell: (one) => referenceOf(one) ?? "–",
          corner: "state",
          phone: (one) => [referenceOf(one), one.event].filter(Boolean).join(" · "),
        },
        {
          key: "amount",
          title: t("charges.column.amount"),
          end: true,
          className: "lead",
          cell: (one) => <Money brl={amountOf(one)} />,
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
        {(one) => (
          <>
            <Facts
              facts={[
                [t("charge.reference"), referenceOf(one)],
                [t("charges.column.amount"), <Money key="amount" brl={amountOf(one)} />],
                [t("charges.column.time"), showInFull(new Date(one.timestamp), i18n.language)],
                [
                  t("events.kindInApi"),
                  <span key="kind" className="mono">
                    {one.event}
                  </span>,
                ],
                [t("charge.id"), <Id key="id">{one.eventId}</Id>],
              ]}
            />
            <Link href={`/developers/webhooks?event=${encodeURIComponent(one.eventId)}`} className="act">
              {t("events.deliveries")}
            </Link>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
            <pre className="code" tabIndex={0}>
              {pretty(one.body)}
            </pre>
          </>
        )}
      </Read>
    </Panel>
  );
}
