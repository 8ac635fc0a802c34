import "./requests.css";
import { TextInput } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { type FormEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { stateColumn, timeColumn } from "../parts/columns.tsx";
import { Facts } from "../parts/facts.tsx";
import { type Filter, useAddress, useTabs } from "../parts/filters.tsx";
import { fieldOf } from "../parts/form-panel.tsx";
import { showElapsed, showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { usePeriod } from "../parts/period.tsx";
import { State } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";

type Request = merchant.ApiRequest;

/** From here on a latency is shown in seconds, ms: calls are compared by their milliseconds. */
const SLOW_MS = 10_000;
const OUTCOMES = ["succeeded", "refused", "failed"] as const;

/** What programs called, and how each call ended; the trace id of an error finds its call. */
export default function Requests() {
  const { t, i18n } = useTranslation();
  const { pixgate, scope } = useSession();
  const outcome = useTabs(OUTCOMES, {
    ...{ name: "outcome", label: t("requests.outcome"), textOf: (outcome) => t(`requests.${outcome}`) },
  });
  const traceId = useTraceId();
  const created = usePeriod("created", t("requests.made"));
  return (
    <ListScreen<Request>
      title={t("nav.requests")}
      queryKey={[...scope, "requests"]}
      filters={[outcome, traceId, created]}
      read={(page) =>
        pixgate.requests.list({
          ...page,
          outcome: outcome.value,
          traceId: traceId.value,
          from: created.from,
          to: created.to,
        })
      }
      keyOf={({ traceId }) => traceId}
      empty={t(traceId.value === undefined ? "requests.empty" : "requests.notFound")}
      panel={{
        title: () => t("requests.one"),
        body: (request) => <Details request={request} explain={i18n.exists(`errors.${request.code}`)} />,
      }}
      columns={[
        timeColumn(t("charges.column.time"), ({ startedAt }) => startedAt, { seconds: true }),
        {
          key: "call",
          title: t("requests.call"),
          className: "mono",
          cell: ({ method, route }) => `${method} ${route}`,
          corner: "who",
          phone: ({ method, route }) => (
            <span className="mono">
              {method} {route}
            </span>
          ),
        },
        stateColumn(t("requests.outcome"), (request) => <Outcome request={request} />),
        {
          key: "latency",
          title: t("requests.latency"),
          end: true,
          className: "quiet num",
          cell: ({ latencyMs }) =>
            latencyMs < SLOW_MS
              ? `${latencyMs.toLocaleString(i18n.language)} ms`
              : showElapsed(latencyMs, i18n.language),
          corner: "amount",
        },
      ]}
    />
  );
}

/** A filter by the trace id of a call. */
function useTraceId(): Filter {
  const { t } = useTranslation();
  const address = useAddress();
  const traceId = address.get("traceId") ?? undefined;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.value = traceId ?? "";
  }, [traceId]);
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    address.change({ traceId: fieldOf(new FormData(event.currentTarget), "traceId") });
  };
  const control = (
    <form className="as-wide-as-id" onSubmit={find}>
      <TextInput ref={field} name="traceId" aria-label={t("requests.find")} placeholder={t("requests.find")} />
    </form>
  );
  return { value: traceId, control };
}

function Outcome({ request: { status, code } }: { request: Request }) {
  return (
    <State shape={status < 400 ? "done" : "failed"}>
      {status}
      {code !== undefined && ` ${code}`}
    </State>
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
