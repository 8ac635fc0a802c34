import "./operator.css";
import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Read } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { dayOf, daysBefore, showDay, showWeekday, startOfDay } from "../parts/instant.ts";
import { Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Mark } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { wordOf } from "./words.ts";

type Report = operator.ReconciliationReport;

/** A month's days; the day that is open with its institutions and findings. */
export default function Reconciliation() {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const today = dayOf(new Date());
  const day = /^\d{4}-\d\d-\d\d$/.test(address.get("day") ?? "") ? (address.get("day") ?? today) : daysBefore(today, 1);
  const month = day.slice(0, 7);
  const before = daysBefore(`${month}-01`, 1);
  const after = daysBefore(`${month}-01`, -32).slice(0, 7);
  const name = new Intl.DateTimeFormat(i18n.language, {
    month: "long",
    year: "numeric",
    timeZone: "America/Sao_Paulo",
  });
  return (
    <Page
      title={t("nav.operators.reconciliation")}
      acts={
        <>
          <Button
            variant="default"
            aria-label={t("operator.reconciliation.before")}
            onClick={() => address.change({ day: before })}
          >
            ‹
          </Button>
          <strong style={{ alignSelf: "center" }}>{name.format(startOfDay(day))}</strong>
          <Button
            variant="default"
            aria-label={t("operator.reconciliation.after")}
            disabled={after > today.slice(0, 7)}
            onClick={() => address.change({ day: `${after}-01` })}
          >
            <Icon name="right" />
          </Button>
        </>
      }
    >
      <div className="split">
        <Calendar month={month} day={day} today={today} />
        <Day day={day} />
      </div>
    </Page>
  );
}

/** A week, Sunday first: for the names of its days. */
const WEEK = Array.from({ length: 7 }, (_, i) => `2026-11-0${i + 1}`);

/** Days are links; the gateway reconciles a day when it is opened, so that no day is marked before it was read. */
function Calendar({ month, day, today }: { month: string; day: string; today: string }) {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const first = startOfDay(`${month}-01`);
  const empty = new Date(`${month}-01T12:00:00Z`).getUTCDay();
  const days = Array.from({ length: 31 }, (_, i) => `${month}-${String(i + 1).padStart(2, "0")}`).filter(
    (one) => dayOf(startOfDay(one)) === one && startOfDay(one) >= first,
  );
  return (
    <nav className="calendar" aria-label={t("operator.reconciliation.days")}>
      {WEEK.map((one) => (
        <span key={one} className="small quiet" style={{ padding: 8 }}>
          {showWeekday(startOfDay(one), i18n.language)}
        </span>
      ))}
      {days.map((one, i) => (
        <Link
          key={one}
          href={address.withChange({ day: one })}
          aria-current={one === day ? "date" : undefined}
          aria-disabled={one > today}
          className={one > today ? "calendar-day quiet" : "calendar-day"}
          style={i === 0 ? { gridColumnStart: empty + 1 } : undefined}
        >
          <span className="num">{i + 1}</span>
          {one === today && <span className="small quiet">{t("operator.reconciliation.today")}</span>}
        </Link>
      ))}
    </nav>
  );
}

function Day({ day }: { day: string }) {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "reconciliation", day],
    queryFn: () => operator.reconciliation.get(day),
    enabled: day <= dayOf(new Date()),
    staleTime: 60_000,
  });
  if (day > dayOf(new Date())) return <p className="quiet">{t("operator.reconciliation.future")}</p>;
  return (
    <Section title={showDay(startOfDay(day), i18n.language)}>
      <Read query={query}>
        {({ institutions }) =>
          institutions.length === 0 ? (
            <p className="row-line small quiet">{t("operator.reconciliation.none")}</p>
          ) : (
            institutions.map((report) => <Institution key={report.institutionId} report={report} />)
          )
        }
      </Read>
    </Section>
  );
}

function Institution({ report }: { report: Report }) {
  const { t } = useTranslation();
  const { name, findings, moreFindings, incomplete, matched, checkedAt } = report;
  const agrees = findings.length === 0 && incomplete === null;
  return (
    <div style={{ paddingBottom: 20 }}>
      <p className="row-line">
        <Mark shape={incomplete !== null ? "waiting" : agrees ? "done" : "needs"} />
        <strong>{name}</strong>
        <span className="row-end small quiet">
          {t(
            incomplete !== null
              ? "operator.reconciliation.incomplete"
              : agrees
                ? "operator.reconciliation.agrees"
                : "operator.reconciliation.differs",
          )}
          , <Moment at={checkedAt} />
        </span>
      </p>
      {incomplete !== null && <p className="note">{incomplete}</p>}
      {(["received", "returned", "sent", "sent_back", "tariff"] as const)
        .filter((kind) => matched[kind].count > 0)
        .map((kind) => (
          <p key={kind} className="row-line small">
            {wordOf("matched", kind)} · {matched[kind].count}
            <span className="row-end">
              <Money brl={matched[kind].amount} />
            </span>
          </p>
        ))}
      {findings.map((finding) => (
        <div key={finding.kind + finding.key} className="row-line">
          <Mark shape="needs" />
          <span style={{ minWidth: 0 }}>
            <strong className="block">
              {wordOf("matched", finding.kind)}: {wordOf("found", finding.state)}
            </strong>
            <span className="small quiet block words">{finding.cause}</span>
            <span className="small quiet block">
              {t("operator.reconciliation.theirs")} <Money brl={finding.theirs} /> · {t("operator.reconciliation.ours")}{" "}
              <Money brl={finding.ours} /> · <Moment at={finding.at} />
            </span>
          </span>
        </div>
      ))}
      {moreFindings > 0 && <p className="small">{t("operator.reconciliation.more", { count: moreFindings })}</p>}
      {findings.length > 0 && (
        <Link href={`/operator/cases?institution=${report.institutionId}`} className="link">
          {t("operator.reconciliation.cases")}
        </Link>
      )}
    </div>
  );
}
