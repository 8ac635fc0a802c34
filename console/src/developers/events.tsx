import { Button } from "@mantine/core";
import { EVENT_KINDS, type merchant } from "@pixgate/sdk";
import { type Query, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { undelivered } from "../app/waiting.tsx";
import { ReferenceChip, referenceNamed } from "../charges/typed-chips.tsx";
import { timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { untilDue } from "../parts/due.ts";
import { Facts } from "../parts/facts.tsx";
import { Empty, Read } from "../parts/feedback.tsx";
import { useAddress, useChoice } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { CopyAct, Id } from "../parts/id.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { Section } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { usePeriod } from "../parts/period.tsx";
import { State } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { isRefusal } from "../session/calls.ts";
import { type SignedIn, useSession } from "../session/session.tsx";
import { addressOf } from "./address-of.ts";
import { DeliveryState } from "./delivery-state.tsx";
import { EventKind, eventWord } from "./event-kind.tsx";
import { pretty } from "./pretty.ts";
import { Redeliver } from "./redeliver.tsx";
import { EventSubject } from "./subject.tsx";
import { useReadUndelivered } from "./undelivered.tsx";
import { useWhy } from "./why.ts";

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
        readWithDeliveries((deliveries) =>
          pixgate.events
            .list({
              ...{ ...page, event: event.value, from: happened.from, to: happened.to },
              ...{ externalReference, deliveries },
            })
            .page(),
        )
      }
      keyOf={({ eventId }) => eventId}
      sumOf={counted}
      empty={<NoEvents />}
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
          phone: (one) => (
            <>
              <Delivered event={one} />
              {one.deliveries && referenceOf(one) && " · "}
              <FreeText>{referenceOf(one) ?? ""}</FreeText>
            </>
          ),
        },
        { key: "delivered", title: t("events.delivered"), cell: (one) => <Delivered event={one} /> },
        {
          key: "amount",
          title: t("charges.column.amount"),
          end: true,
          className: "lead",
          cell: (one) => <Money brl={amountOf(one)} />,
          corner: "amount",
        },
      ]}
    >
      <Lead />
    </ListScreen>
  );
}

/** What has not arrived, and the way to it; where nothing waits, what an event is. */
function Lead() {
  const { t } = useTranslation();
  const session = useSession();
  const mayRead = session.may("WEBHOOK:READ");
  const { data: lost } = useQuery({ ...undelivered(session), enabled: mayRead });
  const { data: retried } = useQuery({ ...retriedDeliveries(session), enabled: mayRead });
  const late = retried?.items.filter(({ attemptCount }) => attemptCount > 0) ?? [];
  useReadUndelivered(late.length);
  const isLost = lost !== null && lost !== undefined && lost.items.length > 0;
  const { length: count } = isLost ? lost.items : late;
  const shown = (isLost ? lost.more : retried?.nextCursor !== null) ? `${count}+` : count;
  // One line whatever it says, and kept before it is read: the rows below stay where they are.
  return (
    <p className="today">
      {count > 0 ? (
        <State shape={isLost ? "failed" : "needs"}>
          {t(isLost ? "webhooks.undelivered" : "events.retried", { count, shown })}{" "}
          <Link href={`/developers/webhooks?status=${isLost ? "failed" : "pending"}`} className="link">
            {t("events.seeUndelivered")}
          </Link>
        </State>
      ) : (
        (!mayRead || (lost !== undefined && retried)) && <span className="second">{t("events.lead")}</span>
      )}
    </p>
  );
}

/** Deliveries that are still to arrive, those that were attempted among them. */
const retriedDeliveries = ({ together, scope }: SignedIn) => ({
  queryKey: [...scope, "deliveries", "retried"],
  queryFn: () => together.webhookDeliveries.list({ status: "pending" }).page(),
  refetchInterval: ({ state }: Query<merchant.WebhookDeliveryPage>) =>
    untilDue(state.data?.items.map(({ nextAttemptAt }) => nextAttemptAt) ?? []),
});

/** What makes events; with filters, that these find none. */
function NoEvents() {
  const { t } = useTranslation();
  const { may } = useSession();
  const address = useAddress();
  if (["event", "happened", "from", "to", "reference"].some((name) => address.get(name) !== null)) {
    return <Empty>{t("filters.none")}</Empty>;
  }
  return (
    <Empty
      act={
        may("PIX:WRITE") && (
          <Button component={Link} href="/charges?new=1">
            {t("charges.new")}
          </Button>
        )
      }
    >
      {t("events.empty")}
    </Empty>
  );
}

/** Asks for the deliveries too; a process of an earlier version knows none of them. */
async function readWithDeliveries<Page>(read: (deliveries?: boolean) => Promise<Page>): Promise<Page> {
  try {
    return await read(true);
  } catch (error) {
    if (isRefusal(error) && error.status === 400) return read();
    throw error;
  }
}

/** Whether endpoints have received it: what failed before what is on its way. A dash where none of them takes such events. */
function Delivered({ event: { deliveries } }: { event: Event }) {
  const { t } = useTranslation();
  if (deliveries === undefined) return "–";
  const { pending, delivered, failed } = deliveries;
  if (delivered > 0 && pending + failed > 0) {
    const all = pending + delivered + failed;
    return <State shape={failed > 0 ? "needs" : "moving"}>{t("events.delivery.partly", { delivered, all })}</State>;
  }
  if (failed > 0) return <State shape="failed">{t("events.delivery.failed")}</State>;
  if (pending > 0) return <State shape="moving">{t("events.delivery.pending")}</State>;
  return delivered > 0 ? <State shape="done">{t("events.delivery.delivered")}</State> : "–";
}

/** A delivery of the event: to where, how it stands, and doing it again where it has not arrived. */
function EventDelivery({ delivery, address }: { delivery: merchant.WebhookDelivery; address: string }) {
  const { t } = useTranslation();
  const why = useWhy();
  return (
    <div className="between">
      <div className="shrinks">
        <div className="mono">{address}</div>
        <div className="small">
          <DeliveryState delivery={delivery} why={why(delivery)} />
        </div>
        <Link href={`/developers/webhooks?delivery=${delivery.id}`} className="act small">
          {t("events.attempts")}
        </Link>
      </div>
      {delivery.status !== "delivered" && <Redeliver delivery={delivery} />}
    </div>
  );
}

function EventPanel({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const query = useQuery({
    queryKey: [...scope, "event", id],
    queryFn: async () => {
      const [event, deliveries, endpoints] = await Promise.all([
        pixgate.events.get(id ?? ""),
        may("WEBHOOK:READ") ? pixgate.webhookDeliveries.list({ eventId: id ?? "" }).page() : null,
        may("WEBHOOK:READ") ? pixgate.webhookEndpoints.list({}).page() : null,
      ]);
      return { event, deliveries: deliveries?.items ?? [], endpoints: endpoints?.items };
    },
    refetchInterval: ({ state }) => untilDue(state.data?.deliveries.map(({ nextAttemptAt }) => nextAttemptAt) ?? []),
    enabled: id !== null,
  });
  return (
    <Panel
      title={query.data ? eventWord(t, query.data.event.event) : t("webhooks.event")}
      opened={id !== null}
      onClose={onClose}
    >
      <Read query={query}>
        {({ event: one, deliveries, endpoints }) => (
          <>
            {deliveries.map((delivery) => (
              <EventDelivery
                key={delivery.id}
                delivery={delivery}
                address={addressOf(t, endpoints, delivery.endpointId)}
              />
            ))}
            <EventSubject event={one} />
            <Facts
              facts={[
                [t("charge.reference"), referenceOf(one)],
                [t("charges.column.amount"), <Money key="amount" brl={amountOf(one)} />],
                [t("charges.column.time"), <Moment key="time" at={one.timestamp} seconds />],
                [
                  t("events.kindInApi"),
                  <span key="kind" className="mono">
                    {one.event}
                  </span>,
                ],
                [t("charge.id"), <Id key="id">{one.eventId}</Id>],
              ]}
            />
            <Section title={t("events.body")} end={<CopyAct text={one.body} act={t("webhooks.copyBody")} />}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code scrolls by keyboard */}
              <pre className="code" tabIndex={0}>
                {pretty(one.body)}
              </pre>
            </Section>
          </>
        )}
      </Read>
    </Panel>
  );
}
