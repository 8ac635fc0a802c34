import "../operator.css";
import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { stateColumn } from "../../parts/columns.tsx";
import { Empty, Read } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { showDayTime } from "../../parts/instant.ts";
import { MakingPage } from "../../parts/list-screen.tsx";
import { Panel } from "../../parts/panel.tsx";
import { State } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { Answer } from "../answer.tsx";
import { useActivity, useInstitutions } from "../reads.ts";
import { institutionShape, institutionWord } from "../words.ts";
import { useBankName } from "./bank-name.ts";
import { illSince } from "./ill-since.ts";
import { NewInstitution } from "./new.tsx";
import { One } from "./one.tsx";
import { RouteOrder } from "./route.tsx";
import { placeOf, showLatency, showShare } from "./show.ts";

type Institution = operator.OperatorInstitution;

/** What does not answer well comes first, what is used no more last. */
const rankOf = ({ status, health }: Institution): number =>
  status === "retired" ? 2 : status === "active" && health !== "up" ? 0 : 1;

/** Banks and PSPs: how each is. */
export default function Institutions() {
  const { t } = useTranslation();
  const { session } = useSession();
  const address = useAddress();
  const query = useInstitutions();
  const [isOrdering, setOrdering] = useState(false);
  const institutions = (query.data ?? []).toSorted((a, b) => rankOf(a) - rankOf(b) || a.priority - b.priority);
  const used = institutions.filter(({ status }) => status !== "retired");
  const isAdmin = session.installationRole === "admin";
  const opened = address.get("open");
  const one = institutions.find(({ id }) => id === opened);
  return (
    <MakingPage
      title={t("nav.operators.institutions")}
      acts={
        isAdmin &&
        used.length > 1 && (
          <Button variant="default" aria-expanded={isOrdering} onClick={() => setOrdering(!isOrdering)}>
            {t("operator.institutions.changeRoute")}
          </Button>
        )
      }
      make={
        isAdmin && {
          text: t("operator.institutions.new"),
          isQuiet: institutions.length > 0,
          panel: (opened, close) => <NewInstitution opened={opened} onClose={close} />,
        }
      }
    >
      <Read query={query}>
        {() =>
          institutions.length === 0 ? (
            <Empty>{t("operator.institutions.empty")}</Empty>
          ) : (
            <>
              <Sentence institutions={institutions} />
              <List institutions={institutions} />
              {isOrdering && <RouteOrder institutions={institutions} />}
            </>
          )
        }
      </Read>
      <Panel
        title={t("operator.cases.institution")}
        opened={one !== undefined}
        onClose={() => address.change({ open: null })}
      >
        {one && <One key={one.id} one={one} all={institutions} />}
      </Panel>
    </MakingPage>
  );
}

/** Which institutions do not answer, and which do; that all do is an answer too. */
function Sentence({ institutions }: { institutions: readonly Institution[] }) {
  const { t, i18n } = useTranslation();
  const activity = useActivity().data;
  const active = institutions.filter(({ status }) => status === "active");
  const list = (some: readonly Institution[]) =>
    new Intl.ListFormat(i18n.language).format(some.map(({ name }) => name));
  const [up, ill] = [active.filter(({ health }) => health === "up"), active.filter(({ health }) => health !== "up")];
  if (active.length === 0) return <Answer shape="needs">{t("operator.verdict.reason.noInstitution")}</Answer>;
  if (ill.length === 0) return <Answer shape="done">{t("operator.institutions.allUp", { count: up.length })}</Answer>;
  const [first] = ill;
  const began = first === undefined ? new Date(0) : illSince(first, activity);
  const text = t(
    ill.every(({ health }) => health === "down") ? "operator.institutions.down" : "operator.institutions.ill",
    {
      ...{ count: ill.length, names: list(ill) },
      since: showDayTime(began, i18n.language),
    },
  );
  return (
    <Answer
      shape={ill.some(({ health }) => health === "down") ? "failed" : "needs"}
      then={
        up.length > 0
          ? t("operator.institutions.others", { count: up.length, names: list(up) })
          : t("operator.institutions.noOthers")
      }
    >
      <Link href={`/operator/institutions?open=${first?.id}`} className="link">
        {text}
      </Link>
    </Answer>
  );
}

/** A certificate that ends within this is shown in the list, ms. */
const SOON_MS = 30 * 86_400_000;

function List({ institutions }: { institutions: readonly Institution[] }) {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const activity = useActivity();
  const bankOf = useBankName();
  const hourOf = ({ id }: Institution) =>
    activity.data?.institutions.find(({ institutionId }) => institutionId === id) ?? null;
  const since = (one: Institution) =>
    `${t("operator.institutions.since")} ${showDayTime(illSince(one, activity.data), i18n.language)}`;
  return (
    <Table<Institution>
      caption={t("nav.operators.institutions")}
      columns={[
        {
          key: "name",
          title: t("operator.institutions.name"),
          className: "lead",
          corner: "who",
          cell: (one) => (
            <>
              {one.name}
              <span className="small quiet block">{bankOf(one)}</span>
              <Certificate one={one} />
            </>
          ),
          phone: (one) => {
            const place = placeOf(one, institutions);
            if (place === null) return one.name;
            return (
              <>
                {one.name} <span className="small quiet">{t("operator.institutions.placeShort", place)}</span>
              </>
            );
          },
        },
        {
          ...stateColumn(t("operator.institutions.state"), (one) => (
            <>
              <State shape={institutionShape(one)}>{institutionWord(one)}</State>
              {one.status === "active" && <span className="small quiet below-state">{since(one)}</span>}
            </>
          )),
          phone: (one) => (
            <>
              <State shape={institutionShape(one)}>{institutionWord(one)}</State>
              {one.status === "active" && ` ${since(one)}`}
            </>
          ),
        },
        ...figureColumns(t, activity.data === undefined ? null : hourOf, institutions),
      ]}
      rows={institutions}
      keyOf={({ id }) => id}
      onOpen={({ id }) => address.change({ open: id })}
      selected={address.get("open")}
    />
  );
}

type Hour = (one: Institution) => operator.InstitutionActivity["institutions"][number] | null;

/**
 * How an institution answered in the last hour, and its place; a phone has no names of columns, so its figures have theirs.
 * `hourOf`: null until that hour is read, when nothing is shown of it: a dash would say that there is nothing.
 */
function figureColumns(t: TFunction, hourOf: Hour | null, all: readonly Institution[]): readonly Column<Institution>[] {
  const figure = (key: string, of: (one: Institution) => string): Column<Institution> => ({
    key,
    title: t(`operator.institutions.${key}`),
    end: true,
    cell: (one) => <span className="num">{of(one)}</span>,
  });
  const share = (one: Institution) => (hourOf === null ? "" : showShare(hourOf(one)?.share));
  const latency = (name: "p50Ms" | "p95Ms") => (one: Institution) =>
    hourOf === null ? "" : showLatency(hourOf(one)?.[name]);
  const median = latency("p50Ms");
  /** With its name; nothing where there was no answer: a phone has no column in which a dash would say of what. */
  const short = (key: string, name: string, of: (one: Institution) => string) => (one: Institution) => {
    const text = of(one);
    return text === "–" || text === "" ? null : (
      <span className="num">{t(`operator.institutions.${key}`, { [name]: text })}</span>
    );
  };
  return [
    {
      ...figure("hourShare", share),
      corner: "amount",
      phone: short("shareShort", "share", share),
    },
    {
      ...figure("median", median),
      corner: "time",
      phone: short("medianShort", "median", median),
    },
    figure("p95", latency("p95Ms")),
    figure("place", (one) => {
      const place = placeOf(one, all);
      return place === null ? "–" : t("operator.institutions.placeOf", place);
    }),
  ];
}

/** That a certificate ends soon. */
function Certificate({ one: { certificateExpiresAt } }: { one: Institution }) {
  const { t } = useTranslation();
  if (certificateExpiresAt === null || new Date(certificateExpiresAt).getTime() > Date.now() + SOON_MS) return null;
  return (
    <span className="small needs-text block">
      {t("operator.institutions.certificateEnd")} <Moment at={certificateExpiresAt} />
    </span>
  );
}
