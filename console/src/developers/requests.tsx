import { TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { type FormEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Facts } from "../parts/facts.tsx";
import { Empty } from "../parts/feedback.tsx";
import { PeriodChip, StateTabs, useAddress } from "../parts/filters.tsx";
import { fieldOf } from "../parts/form-panel.tsx";
import { periodStart, showElapsed, showInFull } from "../parts/instant.ts";
import { PagedList } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";

type Request = merchant.ApiRequest;
type Query = NonNullable<merchant.RequestsListData["query"]>;
const OUTCOMES = ["succeeded", "refused", "failed"] as const;

/** What programs called, and how each call ended; the trace id of an error finds its call. */
export default function Requests() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const outcome = address.get("outcome") as Query["outcome"] | null;
  const traceId = address.get("traceId");
  const from = periodStart(address.get("created"));
  const query: Query = {
    ...(outcome && { outcome }),
    ...(traceId !== null && { traceId }),
    ...(from !== null && { from }),
  };
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.value = traceId ?? "";
  }, [traceId]);
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    address.change({ traceId: fieldOf(new FormData(event.currentTarget), "traceId") });
  };
  return (
    <Page title={t("nav.requests")}>
      <StateTabs
        name="outcome"
        label={t("requests.outcome")}
        first={t("charges.all")}
        states={OUTCOMES}
        textOf={(one) => t(`requests.${one}`)}
      />
      <form className="chips" onSubmit={find}>
        <TextInput
          ref={field}
          name="traceId"
          aria-label={t("requests.find")}
          placeholder={t("requests.find")}
          style={{ flex: "0 1 340px" }}
        />
        <PeriodChip name="created" label={t("requests.made")} />
      </form>
      <PagedList
        queryKey={[...scope, "requests", query]}
        read={(cursor, limit) =>
          pixgate.requests.list({ ...query, limit, ...(cursor !== undefined && { cursor }) }).page()
        }
        keyOf={({ traceId }) => traceId}
        empty={<Empty>{t(traceId === null ? "requests.empty" : "requests.notFound")}</Empty>}
      >
        {(requests) => <RequestTable requests={requests} />}
      </PagedList>
    </Page>
  );
}

function Outcome({ request: { status, code } }: { request: Request }) {
  return (
    <State shape={status < 400 ? "done" : "failed"}>
      {status}
      {code !== undefined && ` ${code}`}
    </State>
  );
}

function RequestTable({ requests }: { requests: readonly Request[] }) {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const open = address.get("open");
  const call = ({ method, route }: Request) => (
    <span className="mono">
      {method} {route}
    </span>
  );
  return (
    <>
      <Table
        caption={t("nav.requests")}
        rows={requests}
        keyOf={({ traceId }) => traceId}
        selected={open}
        onOpen={({ traceId }) => address.change({ open: traceId })}
        columns={[
          {
            key: "time",
            title: t("charges.column.time"),
            className: "quiet",
            cell: ({ startedAt }) => <Moment at={startedAt} seconds />,
          },
          { key: "call", title: t("requests.call"), cell: call },
          { key: "outcome", title: t("requests.outcome"), cell: (one) => <Outcome request={one} /> },
          {
            key: "latency",
            title: t("requests.latency"),
            end: true,
            className: "quiet num",
            cell: ({ latencyMs }) => showElapsed(latencyMs, i18n.language),
          },
        ]}
        phone={(one) => [
          call(one),
          showElapsed(one.latencyMs, i18n.language),
          <Outcome key="outcome" request={one} />,
          <Moment key="time" at={one.startedAt} seconds />,
        ]}
      />
      <RequestPanel
        request={requests.find(({ traceId }) => traceId === open) ?? null}
        onClose={() => address.change({ open: null })}
      />
    </>
  );
}

function RequestPanel({ request, onClose }: { request: Request | null; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  return (
    <Panel title={t("requests.one")} opened={request !== null} onClose={onClose}>
      {request !== null && <Details request={request} explain={i18n.exists(`errors.${request.code}`)} />}
    </Panel>
  );
}

function Details({ request, explain }: { request: Request; explain: boolean }) {
  const { t, i18n } = useTranslation();
  const mono = (text: string) => <span className="mono">{text}</span>;
  return (
    <>
      <p className="mono">
        {request.method} {request.route}
      </p>
      <Outcome request={request} />
      {explain && <p className="small second">{t(`errors.${request.code}`)}</p>}
      <Facts
        facts={[
          [t("requests.traceId"), mono(request.traceId)],
          [t("charges.column.time"), showInFull(new Date(request.startedAt), i18n.language)],
          [t("requests.latency"), showElapsed(request.latencyMs, i18n.language)],
          [t("requests.by"), request.credentialId === undefined ? t("requests.person") : mono(request.credentialId)],
        ]}
      />
      <p className="small quiet">{t("requests.kept")}</p>
    </>
  );
}
