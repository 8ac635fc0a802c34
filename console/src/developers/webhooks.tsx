import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Empty, Read } from "../parts/feedback.tsx";
import { focusFilters, useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { PagedList } from "../parts/list.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { DeliveryPanel } from "./delivery.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { EndpointPanel } from "./endpoint.tsx";
import { Health } from "./health.tsx";
import { NewEndpoint } from "./new-endpoint.tsx";

/** Endpoints, and what was delivered to them. */
export default function Webhooks() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const address = useAddress();
  const endpointId = address.get("endpoint");
  const eventId = address.get("event");
  const make = may("WEBHOOK:WRITE") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => address.change({ new: "1" })}>
      {t("webhooks.new")}
    </Button>
  );
  return (
    <Page title={t("nav.webhooks")} acts={make}>
      <Endpoints />
      <Section
        title={t("webhooks.deliveries")}
        end={
          (endpointId ?? eventId) !== null && (
            <button
              type="button"
              className="act"
              onClick={() => {
                focusFilters();
                address.change({ endpoint: null, event: null });
              }}
            >
              {t("webhooks.allDeliveries")}
            </button>
          )
        }
      >
        <PagedList
          queryKey={[...scope, "deliveries", endpointId, eventId]}
          read={(cursor, limit) =>
            pixgate.webhookDeliveries
              .list({
                ...(endpointId !== null && { endpointId }),
                ...(eventId !== null && { eventId }),
                limit,
                ...(cursor !== undefined && { cursor }),
              })
              .page()
          }
          keyOf={({ id }) => id}
          dueOf={({ nextAttemptAt }) => nextAttemptAt}
          empty={<Empty>{t("webhooks.noDeliveries")}</Empty>}
        >
          {(deliveries) => <Deliveries deliveries={deliveries} />}
        </PagedList>
      </Section>
      <NewEndpoint opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
      <EndpointPanel id={address.get("manage")} onClose={() => address.change({ manage: null })} />
      <DeliveryPanel id={address.get("delivery")} onClose={() => address.change({ delivery: null })} />
    </Page>
  );
}

function Endpoints() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const query = useQuery({
    queryKey: [...scope, "endpoints"],
    queryFn: () => pixgate.webhookEndpoints.list({}).page(),
  });
  return (
    <Section title={t("webhooks.endpoints")}>
      <Read query={query} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t("webhooks.noEndpoints")}</Empty>
          ) : (
            <Table
              caption={t("webhooks.endpoints")}
              rows={items}
              keyOf={({ id }) => id}
              selected={address.get("manage") ?? address.get("endpoint")}
              onOpen={({ id }) => address.change({ manage: id, endpoint: id })}
              columns={[
                { key: "url", title: t("webhooks.address"), cell: ({ url }) => <span className="mono">{url}</span> },
                {
                  key: "events",
                  title: t("webhooks.events"),
                  className: "second",
                  cell: ({ events }) => events?.join(", ") ?? t("webhooks.allEvents"),
                },
                {
                  key: "state",
                  title: t("charges.column.state"),
                  cell: (endpoint) => <Health endpoint={endpoint} />,
                },
              ]}
              phone={(endpoint) => [
                endpoint.url,
                "",
                <Health key="state" endpoint={endpoint} />,
                <Moment key="time" at={endpoint.createdAt} />,
              ]}
            />
          )
        }
      </Read>
    </Section>
  );
}

function Deliveries({ deliveries }: { deliveries: readonly merchant.WebhookDelivery[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  return (
    <Table
      caption={t("webhooks.deliveries")}
      rows={deliveries}
      keyOf={({ id }) => id}
      selected={address.get("delivery")}
      onOpen={({ id }) => address.change({ delivery: id })}
      columns={[
        {
          key: "time",
          title: t("charges.column.time"),
          className: "quiet",
          cell: ({ createdAt }) => <Moment at={createdAt} seconds />,
        },
        { key: "event", title: t("webhooks.event"), cell: ({ event }) => event },
        { key: "state", title: t("charges.column.state"), cell: (one) => <DeliveryState delivery={one} /> },
        { key: "attempts", title: t("webhooks.attempts"), end: true, cell: ({ attemptCount }) => attemptCount },
      ]}
      phone={(one) => [
        one.event,
        one.attemptCount,
        <DeliveryState key="state" delivery={one} />,
        <Moment key="time" at={one.createdAt} seconds />,
      ]}
    />
  );
}
