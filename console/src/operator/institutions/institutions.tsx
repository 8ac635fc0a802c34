import "../operator.css";
import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useMutation } from "@tanstack/react-query";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { useChange } from "../../parts/change.ts";
import { stateColumn, timeColumn } from "../../parts/columns.tsx";
import { showDocument } from "../../parts/document.ts";
import { Facts } from "../../parts/facts.tsx";
import { Empty, Failure, Read } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { MakingPage } from "../../parts/list-screen.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Mark, State } from "../../parts/state.tsx";
import { Table } from "../../parts/table.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { useActivity, useInstitutions } from "../reads.ts";
import { institutionShape, institutionWord, wordOf } from "../words.ts";
import { Abilities, useBankOf } from "./abilities.tsx";
import { NotificationAddress } from "./address.tsx";
import { useBankName } from "./bank-name.ts";
import { HealthHistory } from "./health.tsx";
import { InstitutionHours } from "./hours.tsx";
import { NewInstitution } from "./new.tsx";
import { Outage } from "./outage.tsx";
import { RouteOrder } from "./route.tsx";

type Institution = operator.OperatorInstitution;

/** Banks and PSPs: how each is, in the order of the route. */
export default function Institutions() {
  const { t } = useTranslation();
  const { session } = useSession();
  const address = useAddress();
  const query = useInstitutions();
  const opened = address.get("open");
  const close = () => address.change({ open: null });
  return (
    <MakingPage
      title={t("nav.operators.institutions")}
      make={
        session.installationRole === "admin" && {
          text: t("operator.institutions.new"),
          panel: (opened, close) => <NewInstitution opened={opened} onClose={close} />,
        }
      }
    >
      <Read query={query}>
        {(institutions) => (
          <>
            {institutions.length === 0 ? (
              <Empty>{t("operator.institutions.empty")}</Empty>
            ) : (
              <>
                <List institutions={institutions.toSorted((a, b) => a.priority - b.priority)} />
                <RouteOrder institutions={institutions} />
              </>
            )}
            <Panel title={t("operator.cases.institution")} opened={opened !== null} onClose={close}>
              {institutions
                .filter(({ id }) => id === opened)
                .map((one) => (
                  <One key={one.id} one={one} />
                ))}
            </Panel>
          </>
        )}
      </Read>
    </MakingPage>
  );
}

function List({ institutions }: { institutions: readonly Institution[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  const activity = useActivity();
  const nameOf = useBankName();
  const hourOf = ({ id }: Institution) =>
    activity.data?.institutions.find(({ institutionId }) => institutionId === id) ?? null;
  return (
    <Table<Institution>
      caption={t("nav.operators.institutions")}
      columns={[
        {
          key: "name",
          title: t("operator.institutions.name"),
          className: "lead",
          cell: ({ name }) => name,
          corner: "who",
        },
        {
          key: "provider",
          title: t("operator.institutions.provider"),
          cell: ({ provider }) => nameOf(provider),
          corner: "amount",
          phone: ({ provider }) => <span className="small quiet">{nameOf(provider)}</span>,
        },
        stateColumn(t("operator.institutions.state"), (one) => (
          <State shape={institutionShape(one)}>{institutionWord(one)}</State>
        )),
        timeColumn(t("operator.institutions.sinceTitle"), ({ healthSince }) => healthSince),
        {
          key: "share",
          title: t("operator.institutions.hourShare"),
          end: true,
          cell: (one) => <span className="num">{percent(hourOf(one)?.share)}</span>,
        },
        {
          key: "median",
          title: t("operator.institutions.median"),
          end: true,
          cell: (one) => <span className="num">{showLatency(hourOf(one)?.p50Ms)}</span>,
        },
        {
          key: "p95",
          title: t("operator.institutions.p95"),
          end: true,
          cell: (one) => <span className="num">{showLatency(hourOf(one)?.p95Ms)}</span>,
        },
        { key: "order", title: t("operator.institutions.priority"), end: true, cell: ({ priority }) => priority },
      ]}
      rows={institutions}
      keyOf={({ id }) => id}
      onOpen={({ id }) => address.change({ open: id })}
      selected={address.get("open")}
    />
  );
}

const percent = (share: number | null | undefined): string => (share == null ? "–" : `${share} %`);

/** Slower answers are not told apart: the gateway counts them as this or more, ms. */
const SLOWEST_MS = 5_000;

/** `120 ms`; a dash where nothing was answered. */
const showLatency = (ms: number | null | undefined): string =>
  ms == null ? "–" : ms >= SLOWEST_MS ? `≥ ${SLOWEST_MS / 1_000} s` : `${ms} ms`;

function One({ one }: { one: Institution }) {
  const { t } = useTranslation();
  const bank = useBankOf(one);
  const hour = useActivity().data?.institutions.find(({ institutionId }) => institutionId === one.id);
  return (
    <>
      <h2>{one.name}</h2>
      <State shape={institutionShape(one)}>{institutionWord(one)}</State>
      <Facts
        facts={[
          [t("operator.institutions.provider"), bank?.name ?? one.provider],
          [t("operator.institutions.environment"), wordOf("environment", one.environment)],
          [t("operator.institutions.priority"), one.priority],
          [t("operator.institutions.share"), one.share === null ? null : `${one.share} %`],
          [t("operator.institutions.capacity"), one.capacityPerSecond ?? t("operator.institutions.noCapacity")],
          [
            t("operator.institutions.hour"),
            hour &&
              t(hour.answers === 0 ? "operator.institutions.hourNone" : "operator.institutions.hourText", {
                count: hour.answers,
                share: percent(hour.share),
                median: showLatency(hour.p50Ms),
                p95: showLatency(hour.p95Ms),
              }),
          ],
          ["CNPJ", one.cnpj && showDocument(one.cnpj)],
          [
            t("operator.institutions.certificateEnd"),
            one.certificateExpiresAt && <Moment key="end" at={one.certificateExpiresAt} />,
          ],
          [
            t("operator.accounts.id"),
            <span key="id" className="mono">
              {one.id}
            </span>,
          ],
        ]}
      />
      <Acts one={one} />
      <Outage id={one.id} name={one.name} />
      <Abilities one={one} />
      <HealthHistory id={one.id} />
      <InstitutionHours id={one.id} tariffs={one.capabilities?.tariffs === true} />
      <NotificationAddress id={one.id} name={one.name} provider={one.provider} />
    </>
  );
}

function Acts({ one: { id, name, status } }: { one: Institution }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const test = useMutation({ mutationFn: () => operator.institutions.test(id) });
  const check = useMutation({ mutationFn: (charge: boolean) => operator.institutions.check(id, { charge }) });
  const change = useChange((to: Institution["status"]) => operator.institutions.update(id, { status: to }));
  if (session.installationRole !== "admin" || status === "retired") return null;
  return (
    <>
      <p className="note">{t("operator.institutions.drainText")}</p>
      {change.error && <Failure error={change.error} />}
      <div className="acts">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t("operator.institutions.test")}
        </Button>
        <Button
          variant="default"
          loading={check.isPending}
          onClick={() => check.mutate(window.confirm(t("operator.institutions.checkAsk")))}
        >
          {t("operator.institutions.check")}
        </Button>
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(status === "active" ? "inactive" : "active")}
        >
          {t(status === "active" ? "operator.institutions.drain" : "operator.institutions.undrain")}
        </Button>
        {status === "inactive" && (
          <Button
            color="red"
            variant="outline"
            loading={change.isPending}
            onClick={() => {
              if (window.confirm(t("operator.institutions.retireAsk", { name }))) change.mutate("retired");
            }}
          >
            {t("operator.institutions.retire")}
          </Button>
        )}
      </div>
      {test.error && <Failure error={test.error} />}
      {test.data && <Tested test={test.data} />}
      {check.error && <Failure error={check.error} />}
      {check.data && (
        <>
          <Tested test={check.data} />
          <Seen seen={check.data.seen} />
          <p className="small quiet">{t("operator.institutions.checkText")}</p>
          <pre className="small words">{JSON.stringify(check.data, null, 2)}</pre>
        </>
      )}
    </>
  );
}

/** What a bank has done by itself within a day. */
function Seen({ seen }: { seen: operator.BankCheck["seen"] }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="strong">{t("operator.institutions.seen")}</p>
      {seen.map(({ what, at }) => (
        <div key={what} className="row-line">
          <Mark shape={at === undefined ? "ended" : "done"} />
          <span>
            {t(`operator.seen.${what}`, what)}{" "}
            {at === undefined ? t("operator.institutions.seenNot") : <Moment at={at} />}
          </span>
        </div>
      ))}
      <p className="small quiet">{t("operator.institutions.seenHow")}</p>
    </>
  );
}

/** What came of a check; what failed has the bank's own words too. */
function saidOf(name: string, result: string, says: string): string {
  const key = result === "works" ? `operator.worked.${name}` : `operator.${result}.${name}`;
  if (!i18next.exists(key)) return says;
  return result === "failed" ? `${i18next.t(key)} ${says}` : i18next.t(key);
}

/** The test, step by step, in words. */
function Tested({
  test: { ok, checks },
}: {
  test: Pick<operator.ConnectionTest | operator.BankCheck, "ok" | "checks">;
}) {
  const { t } = useTranslation();
  return (
    <div role="status">
      <p className="strong">{t(ok ? "operator.institutions.testOk" : "operator.institutions.testFailed")}</p>
      {checks.map(({ name, result, says }) => (
        <div key={name} className="row-line">
          <Mark shape={result === "works" ? "done" : result === "failed" ? "failed" : "ended"} />
          <span>
            {wordOf("check", name)}, {wordOf("result", result)}
            <span className="small quiet block words">{saidOf(name, result, says)}</span>
          </span>
        </div>
      ))}
    </div>
  );
}
