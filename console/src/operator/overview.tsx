import "./operator.css";
import { Button } from "@mantine/core";
import { addBrl, CASE_SEVERITIES, type operator } from "@pixgate/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { TimeLeft } from "../blocks/countdown.tsx";
import { showBrl } from "../parts/amount.ts";
import { isForbidden, Read } from "../parts/feedback.tsx";
import { showDayAndClock, showDayTime, showElapsed, showInFull, showWhen } from "../parts/instant.ts";
import { Page, Section } from "../parts/page.tsx";
import { Mark, type Shape } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { aloneAt } from "./alone-at.ts";
import { showLatency, showShare } from "./institutions/show.ts";
import { NightTimeline } from "./night.tsx";
import { Queues } from "./queues.tsx";
import { AGAIN_MS, institutionsQuery, useActivity, useNames } from "./reads.ts";
import { countText, useUnanswered } from "./unanswered.tsx";
import { UnreadOverview } from "./unread-overview.tsx";
import { countOf, oldestOf, type Reason, reasonsOf, type Seen } from "./verdict.ts";
import { institutionShape, institutionWord, personOf, severityShape } from "./words.ts";

/** Withdrawals under way, and open cases, that are read at once; the oldest of more is not known. */
const SHOWN = 100;

function useSeen() {
  const { operator } = useSession();
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["operator", "overview"],
    refetchInterval: AGAIN_MS,
    queryFn: async (): Promise<Seen> => {
      const parts = await Promise.allSettled([
        operator.cases.list({ status: "open", counts: true, limit: SHOWN }).page(),
        queries.fetchQuery(institutionsQuery(operator)),
        operator.brakes.list({ lifted: false, limit: 100 }).page(),
        operator.withdrawals.list({ status: "processing", limit: SHOWN }).page(),
        operator.ledger.listFindings({ status: "open", limit: 20 }).page(),
        operator.queues.list().page(),
      ]);
      const refused = parts.filter((part) => part.status === "rejected");
      if (refused[0] && refused.length === parts.length) throw refused[0].reason;
      const [cases, institutions, brakes, withdrawals, findings, queues] = parts;
      const checks = findings.status === "fulfilled" ? (findings.value.checks ?? []) : [];
      const checkedAt = checks.map((one) => one.checkedAt).sort();
      return {
        counts: cases.status === "fulfilled" ? (cases.value.counts ?? []) : null,
        cases: cases.status === "fulfilled" ? cases.value.items : null,
        institutions: institutions.status === "fulfilled" ? institutions.value : null,
        brakes: brakes.status === "fulfilled" ? brakes.value.items : null,
        processing: withdrawals.status === "fulfilled" ? withdrawals.value.items : null,
        findings: findings.status === "fulfilled" ? findings.value.items : null,
        ...(checkedAt.length > 0 && { checkedAt: checkedAt.at(-1)! }),
        queues: queues.status === "fulfilled" ? queues.value.items : null,
        ...(await aloneAt(operator, institutions.status === "fulfilled" ? institutions.value : [])),
      };
    },
  });
}

/** Whether one may go back to bed, why, and what waits for a person. */
export default function Overview() {
  const { t } = useTranslation();
  const query = useSeen();
  return (
    <Page title={t("nav.operators.overview")} heading={<Now />}>
      {query.error && query.data === undefined && !isForbidden(query.error) ? (
        <UnreadOverview error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Seeing query={query} />
      )}
    </Page>
  );
}

function Seeing({ query }: { query: ReturnType<typeof useSeen> }) {
  return (
    <div className="overview-reading">
      <Read query={query} lines={15}>
        {(seen) => (
          <>
            <Sentence seen={seen} />
            <Figures seen={seen} />
            <div className="split overview-parts">
              <div>
                <Institutions institutions={seen.institutions} />
                <Queues queues={seen.queues} />
              </div>
              <div>
                <Waiting seen={seen} />
                <Brakes brakes={seen.brakes} />
              </div>
            </div>
            <NightTimeline />
          </>
        )}
      </Read>
    </div>
  );
}

function Now() {
  const { i18n } = useTranslation();
  const now = new Date();
  return (
    <time className="overview-now small quiet" title={showInFull(now, i18n.language)}>
      {showDayAndClock(now, i18n.language)}
    </time>
  );
}

const ANSWERS: Record<Reason["answer"], Shape> = {
  sleep: "done",
  check: "needs",
  act: "failed",
  unknown: "waiting",
};

/** The answer in one sentence, and every reason for it, the gravest first. */
function Sentence({ seen }: { seen: Seen }) {
  const { t } = useTranslation();
  const reasons = reasonsOf(seen, new Date());
  const answer = reasons[0]?.answer ?? "unknown";
  return (
    <div className="verdict" role="status">
      <Mark shape={ANSWERS[answer]} />
      <div>
        <p className="verdict-answer">{t(`operator.verdict.${answer}`)}</p>
        {reasons.length === 1 ? (
          reasons.map((one) => <Because key={one.reason} one={one} />)
        ) : (
          <ol className="verdict-reasons">
            {reasons.map((one) => (
              <li key={`${one.reason} ${one.values.name ?? ""}`}>
                <Mark shape={ANSWERS[one.answer]} />
                <Because one={one} />
              </li>
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

/** A reason, the money at stake, what the gateway does about it, and what one may do. */
function Because({ one: { reason, values, stake, tried, acts } }: { one: Reason }) {
  const { t, i18n } = useTranslation();
  const elapsed = (at: unknown) => showElapsed(Date.now() - new Date(String(at)).getTime(), i18n.language);
  const shown = {
    ...values,
    ...(values.since !== undefined && { since: elapsed(values.since) }),
    ...(values.queue !== undefined && { queue: t(`operator.queues.of.${values.queue}`) }),
  };
  const { since, next, person } = tried?.values ?? {};
  const said = {
    ...tried?.values,
    // "Since" takes the time alone, a verb its preposition too.
    ...(since !== undefined && {
      since: (tried?.text === "stopped" ? showWhen : showDayTime)(new Date(since), i18n.language),
    }),
    ...(next !== undefined && { next: showWhen(new Date(next), i18n.language, true) }),
    ...(person !== undefined && { person: personOf(String(person)) }),
  };
  return (
    <div>
      <p className="second">{t(`operator.verdict.reason.${reason}`, shown)}</p>
      {(stake !== undefined || tried) && (
        <p className="small quiet">
          {stake !== undefined && <strong>{t("operator.verdict.stake", { sum: showBrl(stake) })}</strong>}{" "}
          {tried && t(`operator.verdict.tried.${tried.text}`, said)}
        </p>
      )}
      {acts.length > 0 && (
        <div className="verdict-acts">
          {acts.map(({ text, href, name }) => (
            <Button key={href} component={Link} href={href} size="xs" variant="default">
              {t(`operator.verdict.${text}`, { name })}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

function Figures({ seen }: { seen: Seen }) {
  const { t, i18n } = useTranslation();
  const oldest = oldestOf(seen);
  const count = seen.processing?.length;
  const figures: readonly (readonly [string, string, string, string])[] = [
    [
      t("operator.overview.books"),
      seen.findings === null
        ? "–"
        : t(seen.findings.length === 0 ? "operator.overview.booksOk" : "operator.overview.booksBroken"),
      seen.findings?.length === 0 && seen.checkedAt !== undefined
        ? t("operator.overview.checked", { when: showWhen(new Date(seen.checkedAt), i18n.language) })
        : t("operator.overview.booksText", { count: seen.findings?.length ?? 0 }),
      "/operator/books",
    ],
    [
      t("operator.overview.oldest"),
      oldest === null ? "–" : showElapsed(Date.now() - new Date(oldest.createdAt).getTime(), i18n.language),
      oldest === null
        ? t("operator.overview.nothingWaits")
        : t("operator.overview.since", { when: showWhen(new Date(oldest.createdAt), i18n.language) }),
      "/operator/withdrawals?status=processing",
    ],
    [
      t("operator.overview.moving"),
      count === undefined ? "–" : count >= SHOWN ? `${SHOWN}+` : String(count),
      count === undefined || count >= SHOWN || count === 0
        ? t("operator.overview.movingText")
        : t("operator.overview.movingSum", {
            sum: showBrl(addBrl(...(seen.processing ?? []).map(({ amount }) => amount))),
          }),
      "/operator/withdrawals?status=processing",
    ],
    [
      t("operator.overview.openCases"),
      seen.counts === null ? "–" : String(seen.counts.reduce((sum, one) => sum + one.count, 0)),
      t("operator.overview.openCasesText", { count: countOf(seen, "critical") }),
      "/operator/cases",
    ],
  ];
  return (
    <div className="verdict-figures">
      {figures.map(([name, value, text, href]) => (
        <Link key={name} href={href}>
          <span className="small quiet">{name}</span>
          <strong className="num">{value}</strong>
          <span className="small quiet">{text}</span>
        </Link>
      ))}
    </div>
  );
}

function Institutions({ institutions }: { institutions: readonly operator.OperatorInstitution[] | null }) {
  const { t } = useTranslation();
  return (
    <Section title={t("nav.operators.institutions")}>
      {institutions === null && <Unread />}
      {institutions?.length === 0 && <p className="row-line small quiet">{t("operator.institutions.empty")}</p>}
      {institutions?.map((one) => (
        <Link key={one.id} href={`/operator/institutions?open=${one.id}`} className="row-line">
          <Mark shape={institutionShape(one)} />
          <span>
            <strong>{one.name}</strong>
            <span className="small quiet block">{institutionWord(one)}</span>
          </span>
          <span className="small quiet row-end">
            {t("operator.institutions.since")} <Moment at={one.healthSince} />
            <LastHour id={one.id} />
          </span>
        </Link>
      ))}
    </Section>
  );
}

/** How fast it answered in the last hour, and its part of the charges. */
function LastHour({ id }: { id: string }) {
  const { t } = useTranslation();
  const hour = useActivity().data?.institutions.find(({ institutionId }) => institutionId === id);
  if (hour === undefined) return null;
  const parts = [
    hour.p50Ms !== null && showLatency(hour.p50Ms),
    hour.share !== null && t("operator.overview.share", { share: showShare(hour.share) }),
  ];
  return <span className="block num">{parts.filter(Boolean).join(" · ")}</span>;
}

function Unread() {
  const { t } = useTranslation();
  return <p className="row-line small quiet">{t("operator.overview.unread")}</p>;
}

function Waiting({ seen }: { seen: Seen }) {
  const { t } = useTranslation();
  const unanswered = useUnanswered();
  const severities = CASE_SEVERITIES.filter((severity) => countOf(seen, severity) > 0);
  return (
    <Section
      title={t("operator.overview.waiting")}
      end={
        <Link href="/operator/cases" className="link">
          {t("nav.operators.cases")}
        </Link>
      }
    >
      {seen.counts === null && <Unread />}
      {severities.map((severity) => (
        <OfSeverity key={severity} severity={severity} seen={seen} />
      ))}
      {unanswered !== undefined && unanswered.count > 0 && <Unanswered unanswered={unanswered} />}
      {seen.counts !== null && severities.length === 0 && !unanswered?.count && (
        <p className="row-line">
          {/* Of disputes that are not read nothing is said. */}
          <Mark shape="done" /> {t(unanswered ? "operator.overview.nothingForSomebody" : "operator.cases.none")}
        </p>
      )}
    </Section>
  );
}

/** The open cases of a severity, and how many of them one person has proposed something for, which another has to approve. */
function OfSeverity({ severity, seen }: { severity: operator.CaseCount["severity"]; seen: Seen }) {
  const { t } = useTranslation();
  const count = countOf(seen, severity);
  const read = (seen.cases ?? []).filter((one) => one.severity === severity);
  // Of cases that are not all read nobody knows how many wait.
  const awaiting = read.length < count ? [] : read.filter(({ proposal }) => proposal?.status === "awaiting_approval");
  const sum = addBrl(0, ...awaiting.map(({ amount = 0 }) => Math.abs(amount)));
  const [only] = read;
  return (
    <Link
      href={count === 1 && only ? `/operator/cases?open=${only.id}` : `/operator/cases?severity=${severity}`}
      className="row-line"
    >
      <Mark shape={awaiting.length > 0 && severity === "notice" ? "needs" : severityShape(severity)} />
      <span>
        {t(`operator.severity.${severity}`)}
        {awaiting.length > 0 && (
          <span className="small quiet block">
            {t("operator.overview.approvals", { count: awaiting.length })}
            {sum > 0 && `, ${showBrl(sum)}`}
          </span>
        )}
      </span>
      <strong className="row-end num">{count}</strong>
    </Link>
  );
}

/** Disputes that their merchants have not answered, and when the first of these can be answered no more. */
function Unanswered({ unanswered }: { unanswered: NonNullable<ReturnType<typeof useUnanswered>> }) {
  const { t } = useTranslation();
  const { next } = unanswered;
  return (
    <Link href="/operator/disputes?status=awaiting_response" className="row-line">
      <Mark shape="needs" />
      <span>
        {t("operator.overview.unanswered")}
        {next !== undefined && (
          <span className="small quiet block">
            {t("operator.overview.nextDeadline")} <TimeLeft until={next} />
          </span>
        )}
      </span>
      <strong className="row-end num">{countText(unanswered)}</strong>
    </Link>
  );
}

function Brakes({ brakes }: { brakes: readonly operator.Brake[] | null }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  const on = (brakes ?? []).filter(({ paused }) => paused);
  return (
    <Section
      title={t("operator.brakes.title")}
      end={
        <Link href="/operator/payouts" className="link">
          {t("nav.operators.payouts")}
        </Link>
      }
    >
      {brakes === null && <Unread />}
      {brakes !== null && on.length === 0 && (
        <p className="row-line">
          <Mark shape="done" /> {t("operator.brakes.none")}
        </p>
      )}
      {on.map(({ id, scope, targetId, setBy, waiting }) => (
        <Link key={id ?? scope} href="/operator/payouts" className="row-line">
          <Mark shape="needs" />
          <span>
            {t(`operator.brakes.scope.${scope}`)} {nameOf(targetId)}
            {waiting !== undefined && (
              <span className="small quiet block">
                {waiting.count === 0
                  ? t("operator.brakes.nothingWaits")
                  : t(waiting.more ? "operator.brakes.moreWait" : "operator.brakes.waits", {
                      count: waiting.count,
                      sum: showBrl(waiting.amount),
                    })}
              </span>
            )}
          </span>
          <span className="row-end small quiet">{t("operator.brakes.by", { name: personOf(setBy ?? "") })}</span>
        </Link>
      ))}
    </Section>
  );
}
