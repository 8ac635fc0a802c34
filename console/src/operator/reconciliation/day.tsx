import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Failure, isForbidden, Read } from "../../parts/feedback.tsx";
import { dayOf, showDay, showWeekday, startOfDay } from "../../parts/instant.ts";
import { Money } from "../../parts/money.tsx";
import { Section } from "../../parts/page.tsx";
import { readAgain } from "../../parts/read-again.ts";
import { Mark } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { isCloseDue } from "../close-due.ts";
import { Jobs } from "../jobs.tsx";
import { causeOf, foundWord, stoppedWords, wordOf } from "../words.ts";

type Report = operator.ReconciliationReport;
type Finding = Report["findings"][number];

/** A day's institutions, and what does not agree; the last comparison is shown, and another one made when that is wanted. */
export function Day({ day }: { day: string }) {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const queries = useQueryClient();
  const isFuture = day > dayOf(new Date());
  const queryKey = ["operator", "reconciliation", day];
  const query = useQuery({
    queryKey,
    queryFn: () => operator.reconciliation.get(day),
    enabled: !isFuture,
    staleTime: 60_000,
  });
  const close = useQuery({
    queryKey: ["operator", "close", day],
    queryFn: () => operator.closes.day(day),
    enabled: day < dayOf(new Date()),
    staleTime: 60_000,
  });
  const again = useMutation({
    mutationFn: () => operator.reconciliation.refresh(day),
    onSuccess: (answer) => {
      queries.setQueryData(queryKey, answer);
      void readAgain(queries, (one) => one.queryKey[1] === "reconciliation-month");
    },
  });
  const place = useInView(day);
  if (isFuture) return <p className="quiet">{t("operator.reconciliation.future")}</p>;
  const title = `${showWeekday(startOfDay(day), i18n.language)} ${showDay(startOfDay(day), i18n.language)}`;
  return (
    <div ref={place}>
      <Section
        title={title}
        end={
          <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
            {t("operator.reconciliation.again")}
          </Button>
        }
      >
        <p className="small quiet pad-top gap-below">{t("operator.reconciliation.againText")}</p>
        {again.error && <Failure error={again.error} />}
        {close.error && !isForbidden(close.error) && <Failure error={close.error} retry={() => void close.refetch()} />}
        <Read query={query}>
          {({ institutions, notCompared }) => (
            <>
              {institutions.length + notCompared.length === 0 && (
                <p className="row-line small quiet">{t("operator.reconciliation.none")}</p>
              )}
              {institutions.map((report) => (
                <Institution key={report.institutionId} report={report}>
                  <EndOfDay close={close.data} institutionId={report.institutionId} />
                </Institution>
              ))}
              {notCompared.map(({ institutionId, name }) => (
                <p key={institutionId} className="row-line">
                  <Mark shape="waiting" />
                  <strong>
                    <Link href={`/operator/institutions?open=${institutionId}`}>{name}</Link>
                  </strong>
                  <span className="row-end small quiet">{t("operator.reconciliation.notCompared")}</span>
                </p>
              ))}
            </>
          )}
        </Read>
      </Section>
      <Jobs kinds={["reconciliation"]} isStarted={again.isPending} />
    </div>
  );
}

/** Where the day stands above the calendar, one that is chosen there may be out of sight. */
function useInView(day: string) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(day);
  useEffect(() => {
    const head = place.current?.querySelector("h2");
    if (shown.current !== day && head && head.getBoundingClientRect().top < 0) head.scrollIntoView({ block: "center" });
    shown.current = day;
  }, [day]);
  return place;
}

const KINDS = ["received", "returned", "sent", "sent_back", "tariff"] as const;
const centavos = (brl: number | null): number => Math.round((brl ?? 0) * 100);
/** What a kind does to the money at the institution. */
const signOf = (kind: string): 1 | -1 => (kind === "received" || kind === "sent_back" ? 1 : -1);

/** What the day came to by each side, BRL: what both have alike, and what only this one has. */
function sumOf({ matched, findings }: Report, side: "theirs" | "ours"): number {
  const alike = KINDS.reduce((sum, kind) => sum + signOf(kind) * centavos(matched[kind].amount), 0);
  const own = findings.reduce((sum, one) => {
    // What the comparison booked is in the books now.
    const has = one.booked ? one.theirs : one[side];
    return sum + signOf(one.kind) * centavos(has);
  }, 0);
  return (alike + own) / 100;
}

const isOpen = (finding: Finding): boolean => !finding.booked && finding.caseOpen !== false;

/** What the institution held at the end of the day, by itself and by the books; nothing where the role may not read it. */
function EndOfDay({ close, institutionId }: { close: operator.Close | undefined; institutionId: string }) {
  const { t } = useTranslation();
  if (close === undefined) return null;
  const one = close.institutions.find((own) => own.institutionId === institutionId);
  if (one === undefined) {
    const key = close.closed ? "notThen" : isCloseDue(close.to) ? "neverClosed" : "notClosed";
    return (
      <p className="row-line">
        <span className="small quiet">{t(`operator.reconciliation.${key}`)}</span>
      </p>
    );
  }
  return (
    <>
      <p className="row-line small day-balance">
        {one.difference !== null && <Mark shape={one.difference === 0 ? "done" : "needs"} />}
        <strong>{t("operator.reconciliation.balance")}</strong>
        <Link href={`/operator/close?day=${close.to}`} className="link row-end">
          {t("operator.reconciliation.seeClose")}
        </Link>
      </p>
      {one.theirs === null ? (
        <p className="row-line">
          <span className="small quiet">{t(`operator.close.${one.theirsMissing ?? "not_reported"}`)}</span>
        </p>
      ) : (
        <Line name={t("operator.reconciliation.balanceTheirs")} brl={one.theirs} />
      )}
      {one.enteredBy !== null && (
        <p className="quiet small">{t("operator.close.enteredBy", { name: one.enteredBy })}</p>
      )}
      <Line name={t("operator.reconciliation.balanceOurs")} brl={one.closing} />
      {one.difference !== null && one.difference !== 0 && (
        <Line name={t("operator.reconciliation.difference")} brl={one.difference} movement />
      )}
    </>
  );
}

function Institution({ report, children }: { report: Report; children: ReactNode }) {
  const { t } = useTranslation();
  const { institutionId, name, findings, moreFindings, incomplete, stopped, matched, checkedAt } = report;
  const unbooked = findings.filter(({ booked }) => !booked);
  const differs = unbooked.some(isOpen) || moreFindings > 0;
  const [theirs, ours] = [sumOf(report, "theirs"), sumOf(report, "ours")];
  const state = differs ? "differs" : incomplete !== null ? "incomplete" : unbooked.length > 0 ? "decided" : "agrees";
  const shape = { differs: "needs", incomplete: "moving", decided: "ended", agrees: "done" } as const;
  return (
    <div className="day-institution">
      <p className="row-line">
        <Mark shape={shape[state]} />
        <strong>
          <Link href={`/operator/institutions?open=${institutionId}`}>{name}</Link>
        </strong>
        <span className="row-end small quiet">
          {t(`operator.reconciliation.${state}`)}, <Moment at={checkedAt} />
        </span>
      </p>
      {stopped !== null && <p className="note words">{stoppedWords(stopped)}</p>}
      {KINDS.filter((kind) => matched[kind].count > 0).map((kind) => (
        <p key={kind} className="row-line small">
          {wordOf("matched", kind)} · {matched[kind].count}
          <span className="row-end">
            <Money brl={signOf(kind) * matched[kind].amount} movement />
          </span>
        </p>
      ))}
      {/* What a part of the day comes to is no sum of the day: the institution's would be too small. */}
      {moreFindings === 0 && incomplete === null && (
        <>
          <Line name={t("operator.reconciliation.movedTheirs")} brl={theirs} />
          <Line name={t("operator.reconciliation.movedOurs")} brl={ours} />
          {centavos(theirs) !== centavos(ours) && (
            <Line
              name={t("operator.reconciliation.difference")}
              brl={(centavos(theirs) - centavos(ours)) / 100}
              movement
            />
          )}
        </>
      )}
      {children}
      {findings.map((finding) => (
        <OneFinding key={finding.kind + finding.key} finding={finding} />
      ))}
      {moreFindings > 0 && <p className="small">{t("operator.reconciliation.more", { count: moreFindings })}</p>}
      {unbooked.length > 0 && (
        <Link href={`/operator/cases?institution=${institutionId}`} className="link">
          {t("operator.reconciliation.cases")}
        </Link>
      )}
    </div>
  );
}

function Line({ name, brl, movement = false }: { name: string; brl: number; movement?: boolean }) {
  return (
    <p className="row-line small">
      {name}
      <strong className="row-end">
        <Money brl={brl} movement={movement} />
      </strong>
    </p>
  );
}

/** Opens its case, where there is one. */
function OneFinding({ finding }: { finding: Finding }) {
  const { t } = useTranslation();
  const { kind, booked, theirs, ours, at, caseId, caseOpen } = finding;
  const said = (
    <>
      <Mark shape={booked ? "done" : isOpen(finding) ? "needs" : "ended"} />
      <span className="shrinks">
        <strong className="block">
          {wordOf("matched", kind)}: {booked ? t("operator.reconciliation.booked") : foundWord(finding)}
        </strong>
        <span className="small quiet block words">{causeOf(finding, finding.cause)}</span>
        <span className="small quiet block">
          {t("operator.reconciliation.theirs")} <Money brl={theirs} /> · {t("operator.reconciliation.ours")}{" "}
          <Money brl={ours} /> · <Moment at={at} />
        </span>
        {caseId !== undefined && (
          <span className="small block">
            <span className="link">
              {t(caseOpen ? "operator.reconciliation.openCase" : "operator.reconciliation.closedCase")}
            </span>
          </span>
        )}
      </span>
    </>
  );
  if (caseId === undefined) return <div className="row-line">{said}</div>;
  return (
    <Link href={`/operator/cases?${caseOpen ? "" : "status=closed&"}open=${caseId}`} className="row-line">
      {said}
    </Link>
  );
}
