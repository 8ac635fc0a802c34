import type { merchant } from "@pixgate/sdk";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { undelivered } from "../app/waiting.tsx";
import { afterState, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Empty, Read } from "../parts/feedback.tsx";
import { focusFilters, useAddress, useTabs } from "../parts/filters.tsx";
import { MakingPage, TableList } from "../parts/list-screen.tsx";
import { Section } from "../parts/page.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { addressOf } from "./address-of.ts";
import { DeliveryPanel } from "./delivery.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { EndpointPanel } from "./endpoint.tsx";
import { EventKind, eventWord } from "./event-kind.tsx";
import { Health, newestDeliveries } from "./health.tsx";
import { NewEndpoint } from "./new-endpoint.tsx";
import { Undelivered } from "./undelivered.tsx";
import { useWhy } from "./why.ts";

/** Endpoints, and what was delivered to them. */
export default function Webhooks() {
  const { t } = useTranslation();
  const { may } = useSession();
  const endpoints = useEndpoints();
  const address = useAddress();
  return (
    <MakingPage
      title={t("nav.webhooks")}
      make={
        may("WEBHOOK:WRITE") && {
          text: t("webhooks.new"),
          panel: (opened, close) => <NewEndpoint opened={opened} onClose={close} />,
        }
      }
    >
      <Endpoints query={endpoints} />
      <Deliveries endpoints={endpoints.data?.items} />
      <EndpointPanel id={address.get("manage")} onClose={() => address.change({ manage: null })} />
    </MakingPage>
  );
}

function useEndpoints(): UseQueryResult<merchant.WebhookEndpointPage> {
  const session = useSession();
  const { pixgate, scope } = session;
  const queries = useQueryClient();
  return useQuery({
    queryKey: [...scope, "endpoints"],
    queryFn: async () => {
      const page = await pixgate.webhookEndpoints.list({}).page();
      // How they fare is shown with them: coming later it would change the widths of the columns.
      await Promise.all([
        queries.prefetchQuery(undelivered(session)),
        ...page.items.map(({ id }) => queries.prefetchQuery(newestDeliveries(pixgate, scope, id))),
      ]);
      return page;
    },
  });
}

function Endpoints({ query }: { query: UseQueryResult<merchant.WebhookEndpointPage> }) {
  const { t } = useTranslation();
  return (
    <Read query={query} lines={4}>
      {({ items }) => (
        <>
          <Undelivered endpoints={items} />
          <Section title={t("webhooks.endpoints")}>
            {items.length === 0 ? <Empty>{t("webhooks.noEndpoints")}</Empty> : <EndpointTable endpoints={items} />}
          </Section>
        </>
      )}
    </Read>
  );
}

function EndpointTable({ endpoints }: { endpoints: readonly merchant.WebhookEndpoint[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  return (
    <Table<merchant.WebhookEndpoint>
      caption={t("webhooks.endpoints")}
      rows={endpoints}
      keyOf={({ id }) => id}
      selected={address.get("manage") ?? address.get("endpoint")}
      onOpen={({ id }) => address.change({ manage: id, endpoint: id })}
      columns={[
        {
          key: "url",
          title: t("webhooks.address"),
          cell: ({ url }) => <span className="mono">{url}</span>,
          corner: "who",
          phone: ({ url }) => url,
        },
        {
          key: "events",
          title: t("webhooks.events"),
          className: "second",
          cell: ({ events }) => <Received events={events} />,
        },
        stateColumn(t("charges.column.state"), (endpoint) => <Health endpoint={endpoint} />),
      ]}
    />
  );
}

/** Which kinds an endpoint receives: their number, and all of them in its title. */
function Received({ events }: { events: readonly string[] | undefined }) {
  const { t } = useTranslation();
  if (events === undefined) return <span title={t("webhooks.basicText")}>{t("webhooks.allEvents")}</span>;
  const names = events.map((kind) => eventWord(t, kind)).join(", ");
  return <span title={names}>{events.length === 1 ? names : t("webhooks.kinds", { count: events.length })}</span>;
}

const STATUSES = ["pending", "delivered", "failed"] as const;

function Deliveries({ endpoints }: { endpoints: readonly merchant.WebhookEndpoint[] | undefined }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const counted = useCounted<merchant.WebhookDelivery>("deliveries");
  const status = useTabs(STATUSES, {
    name: "status",
    first: t("webhooks.every"),
    textOf: (one) => t(`webhooks.status.${one}`),
  });
  const endpointId = address.get("endpoint") ?? undefined;
  const eventId = address.get("event") ?? undefined;
  const showAll = () => {
    focusFilters();
    address.change({ endpoint: null, event: null });
  };
  return (
    <Section
      title={
        endpointId === undefined
          ? t("webhooks.deliveries")
          : t("webhooks.deliveriesTo", { address: addressOf(t, endpoints, endpointId) })
      }
      end={
        (endpointId ?? eventId) !== undefined && (
          <button type="button" className="act" onClick={showAll}>
            {t("webhooks.allDeliveries")}
          </button>
        )
      }
    >
      <TableList<merchant.WebhookDelivery>
        caption={t("webhooks.deliveries")}
        queryKey={[...scope, "deliveries", endpointId, eventId]}
        filters={[endpoints?.length === 0 && status.value === undefined ? { ...status, control: null } : status]}
        sumOf={counted}
        read={(page) => pixgate.webhookDeliveries.list({ ...page, endpointId, eventId, status: status.value })}
        keyOf={({ id }) => id}
        dueOf={({ nextAttemptAt }) => nextAttemptAt}
        empty={t(status.value === undefined ? "webhooks.noDeliveries" : "filters.none")}
        openAs="delivery"
        panel={(id, close) => <DeliveryPanel id={id} onClose={close} />}
        columns={useDeliveryColumns(endpoints, endpointId !== undefined)}
      />
    </Section>
  );
}

/** `isOne`: all of them go to one endpoint. */
function useDeliveryColumns(
  endpoints: readonly merchant.WebhookEndpoint[] | undefined,
  isOne: boolean,
): readonly Column<merchant.WebhookDelivery>[] {
  const { t } = useTranslation();
  const why = useWhy();
  const address = ({ endpointId }: merchant.WebhookDelivery) => addressOf(t, endpoints, endpointId);
  const endpoint: Column<merchant.WebhookDelivery> = {
    ...{ key: "endpoint", title: t("webhooks.address"), className: "mono small second" },
    cell: (delivery) => <BeforePath address={address(delivery)} />,
  };
  return [
    timeColumn(t("charges.column.time"), ({ createdAt }) => createdAt, { seconds: true }),
    {
      key: "event",
      title: t("webhooks.event"),
      cell: ({ event }) => <EventKind kind={event} />,
      corner: "who",
      phone: ({ event, externalReference }) => [eventWord(t, event), externalReference].filter(Boolean).join(" · "),
    },
    {
      key: "reference",
      title: t("charges.column.reference"),
      className: "second",
      cell: ({ externalReference }) => externalReference ?? "–",
    },
    // Not before it can be filled: columns keep the widths that they have at first.
    ...(isOne || endpoints === undefined ? [] : [endpoint]),
    stateColumn(t("charges.column.state"), (delivery) => <DeliveryState delivery={delivery} why={why(delivery)} />, {
      phone: (delivery) => (
        <>
          <DeliveryState delivery={delivery} />
          {afterState(isOne ? undefined : address(delivery))}
        </>
      ),
    }),
    {
      key: "attempts",
      title: t("webhooks.attempts"),
      end: true,
      cell: ({ attemptCount }) => attemptCount,
      corner: "amount",
      phone: ({ attemptCount }) => (
        <span className="small quiet">{t("webhooks.attemptCount", { count: attemptCount })}</span>
      ),
    },
  ];
}

/** An address that breaks before its path sooner than within a word. */
function BeforePath({ address }: { address: string }) {
  const at = address.indexOf("/") + 1;
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  );
}
