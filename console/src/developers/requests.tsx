import "./requests.css";
import { TextInput } from "@mantine/core";
import type { merchant, operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, Fragment, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Facts } from "../parts/facts.tsx";
import { type Filter, useAddress, useTabs } from "../parts/filters.tsx";
import { fieldOf } from "../parts/form-panel.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { Id } from "../parts/id.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { usePeriod } from "../parts/period.tsx";
import { shortId } from "../parts/short-id.ts";
import { State } from "../parts/state.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { showLatency } from "./latency.ts";

type Request = merchant.ApiRequest;
const OUTCOMES = ["succeeded", "refused", "failed"] as const;
const BAD = ["refused", "failed"] as const;

/** What programs called, and how each call ended; the trace id of an error finds its call. */
export default function Requests() {
  const { t, i18n } = useTranslation();
  const counted = useCounted<Request>("requests");
  const { pixgate, scope } = useSession();
  const outcome = useTabs(OUTCOMES, {
    ...{ name: "outcome", label: t("requests.outcome"), textOf: (outcome) => t(`requests.${outcome}`) },
  });
  const traceId = useTraceId();
  const created = usePeriod("created", t("requests.made"));
  const nameOf = useCallers();
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
      sumOf={counted}
      empty={t(traceId.value === undefined ? "requests.empty" : "requests.notFound")}
      panel={{
        title: () => t("requests.one"),
        body: (request) => (
          <Details request={request} name={nameOf(request)} explain={i18n.exists(`errors.${request.code}`)} />
        ),
      }}
      columns={[
        timeColumn(t("charges.column.time"), ({ startedAt }) => startedAt, { seconds: true }),
        {
          key: "call",
          title: t("requests.call"),
          cell: (request) => <Call request={request} />,
          corner: "who",
          phone: ({ method, route }) => (
            <span className="mono call-on-phone">
              {method} {route}
            </span>
          ),
        },
        { key: "by", title: t("requests.by"), className: "second", cell: (request) => nameOf(request) },
        stateColumn(t("requests.outcome"), (request) => <Outcome request={request} />, {
          phone: (request) => <Outcome request={request} by={nameOf(request)} />,
        }),
        {
          key: "latency",
          title: t("requests.latency"),
          end: true,
          className: "quiet num",
          cell: ({ latencyMs }) => showLatency(latencyMs, i18n.language),
          corner: "amount",
          phone: ({ latencyMs }) => <span className="small quiet">{showLatency(latencyMs, i18n.language)}</span>,
        },
      ]}
    >
      <LastDay />
    </ListScreen>
  );
}

const DAY_MS = 86_400_000;

/** Whether a call was refused or failed in the last 24 hours, and the way to those. */
function LastDay() {
  const { t } = useTranslation();
  const { together, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "requests", "lastDay"],
    queryFn: () => {
      const from = new Date(Date.now() - DAY_MS).toISOString();
      return Promise.all(BAD.map((outcome) => together.requests.list({ outcome, from }).page()));
    },
  });
  const found = BAD.flatMap((outcome, n) => {
    const { items = [], nextCursor = null } = data?.[n] ?? {};
    const count = items.length;
    return count === 0 ? [] : [{ outcome, count, shown: nextCursor === null ? count : `${count}+` }];
  });
  return (
    <p className="today">
      {data && found.length === 0 && <State shape="done">{t("requests.lastDay.none")}</State>}
      {found.length > 0 && (
        <State shape={found.some(({ outcome }) => outcome === "failed") ? "failed" : "needs"}>
          {t("requests.lastDay.some")}{" "}
          {found.map(({ outcome, ...count }, n) => (
            <Fragment key={outcome}>
              {n > 0 && ` ${t("requests.lastDay.and")} `}
              <Link href={`/developers/requests?outcome=${outcome}`} className="link">
                {t(`requests.lastDay.${outcome}`, count)}
              </Link>
            </Fragment>
          ))}
          .
        </State>
      )}
    </p>
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
      <TextInput
        ref={field}
        name="traceId"
        size="xs"
        leftSection={<Icon name="search" size={12} />}
        aria-label={t("requests.find")}
        placeholder={t("requests.find")}
      />
    </form>
  );
  return { value: traceId, control };
}

function Call({ request: { method, route } }: { request: Request }) {
  return (
    <span className="mono call">
      <span className="quiet">{method}</span> {route}
    </span>
  );
}

/** The names of the credentials, for who may read them: a call says the id alone. */
function useCallers(): (request: Request) => string {
  const { t } = useTranslation();
  const { account, may } = useSession();
  const { data } = useQuery({
    queryKey: [account.accountId, "credentials", "names"],
    queryFn: () => callConsole<operator.CredentialPage>("GET", `/accounts/${account.accountId}/credentials`),
    enabled: may("CREDENTIAL:READ"),
  });
  return ({ credentialId }) => {
    if (credentialId === undefined) return t("requests.console");
    return data?.items.find(({ id }) => id === credentialId)?.name ?? shortId(credentialId);
  };
}

/** A refusal changes nothing; only a failure is the gateway's own. `by`: who called, in the same line. */
function Outcome({ request: { status, code }, by }: { request: Request; by?: string }) {
  const { t } = useTranslation();
  const [shape, word] =
    status < 400
      ? (["done", "requests.word.succeeded"] as const)
      : status < 500
        ? (["ended", "requests.word.refused"] as const)
        : (["failed", "requests.word.failed"] as const);
  return (
    <State shape={shape}>
      {status} {t(word)}
      {code !== undefined && (by !== undefined ? ` · ${code}` : <span className="label mono block">{code}</span>)}
      {by !== undefined && (
        <>
          {" · "}
          <FreeText>{by}</FreeText>
        </>
      )}
    </State>
  );
}

function Details({ request, name, explain }: { request: Request; name: string; explain: boolean }) {
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
          [t("requests.traceId"), <Id key="trace">{request.traceId}</Id>],
          [t("charges.column.time"), showInFull(new Date(request.startedAt), i18n.language)],
          [t("requests.latency"), showLatency(request.latencyMs, i18n.language)],
          [t("requests.by"), request.credentialId === undefined ? t("requests.person") : name],
          [t("requests.credential"), request.credentialId === undefined ? null : mono(request.credentialId)],
        ]}
      />
      <p className="small quiet">{t("requests.kept")}</p>
    </>
  );
}
