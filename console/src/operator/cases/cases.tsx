import "../operator.css";
import { CASE_KINDS, CASE_SEVERITIES, type operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useCounted } from "../../parts/counted.ts";
import { Empty } from "../../parts/feedback.tsx";
import { useAddress, useChoice, useTabs } from "../../parts/filters.tsx";
import { PagedList } from "../../parts/list.tsx";
import { Filters } from "../../parts/list-screen.tsx";
import { Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { Answer } from "../answer.tsx";
import { type Broken, differenceIn } from "../books/detail.ts";
import { useAccountFilter, useInstitutionFilter } from "../named-filter.tsx";
import { useOpenCases } from "../open-cases.tsx";
import { AGAIN_MS, useNames } from "../reads.ts";
import { faultOf, personOf, severityShape, wordOf } from "../words.ts";
import { OneCase } from "./one.tsx";

type Case = operator.Case;
/** Kinds whose name says already that a second person is waited for. */
const WAITS: readonly Case["kind"][] = ["treasury_entry", "second_person_needed"];

/** Kinds of which the amount is what one side has more, or less. */
const DIFFERENCES: readonly Case["kind"][] = ["balance_drift", "books_broken"];

/** The colour of the word that stands beside a severity's shape. */
const SEVERITY_TEXTS: Readonly<Record<Case["severity"], string>> = {
  critical: "failed-text",
  warning: "needs-text",
  notice: "quiet",
};

/** The queue of what a person must decide, and the case that is open beside it. */
export default function Cases() {
  const { t } = useTranslation();
  const address = useAddress();
  const opened = address.get("open");
  return (
    <Page title={t("nav.operators.cases")}>
      {opened === null && (
        <div className="answer-place with-then">
          <Waiting />
        </div>
      )}
      <div className={opened === null ? undefined : "desk opened"}>
        <Queue />
        {opened !== null && <OneCase key={opened} id={opened} />}
      </div>
    </Page>
  );
}

const isCritical = ({ severity }: operator.CaseCount): boolean => severity === "critical";
const isOfRules = ({ kind }: operator.CaseCount): boolean => kind === "books_broken";

/** How many wait, the gravest first: the list below has the newest first. */
function Waiting() {
  const { t, i18n } = useTranslation();
  const counts = useOpenCases();
  if (counts === undefined) return null;
  const countOf = (severity: Case["severity"]) =>
    counts.reduce((sum, one) => sum + (one.severity === severity ? one.count : 0), 0);
  const counted = CASE_SEVERITIES.map((severity) => ({ severity, count: countOf(severity) })).filter(
    ({ count }) => count > 0,
  );
  const [first, ...others] = counted;
  if (first === undefined) {
    return (
      <Answer shape="done" then={t("operator.cases.noneThen")}>
        {t("operator.cases.none")}
      </Answer>
    );
  }
  const rest = others.map(({ severity, count }) => t(`operator.cases.also.${severity}`, { count }));
  const list = new Intl.ListFormat(i18n.language).format(rest);
  // One fault breaks several rules, each with its case: they are no losses side by side.
  const isOfBooks = first.severity === "critical" && counts.every((one) => !isCritical(one) || isOfRules(one));
  return (
    <Answer shape={severityShape(first.severity)} then={rest.length > 0 && t("operator.cases.others", { list })}>
      <Link href={`/operator/cases?severity=${first.severity}`} className="link">
        {t(`operator.cases.waiting.${isOfBooks ? "books" : first.severity}`, { count: first.count })}
      </Link>
    </Answer>
  );
}

function Queue() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const address = useAddress();
  const isFiltered = ["kind", "severity", "institution", "account"].some((name) => address.get(name) !== null);
  const counts = useOpenCases();
  const open = counts?.reduce((sum, one) => sum + one.count, 0) ?? 0;
  const closed = useTabs(["closed"], {
    name: "status",
    label: t("operator.cases.states"),
    first: open > 0 && !isFiltered ? t("operator.cases.openCount", { count: open }) : t("operator.cases.open"),
    textOf: () => t("operator.cases.closed"),
  });
  const status = closed.value ?? "open";
  const severity = useChoice("severity", t("operator.cases.severity"), CASE_SEVERITIES, (value) =>
    t(`operator.severity.${value}`),
  );
  const kind = useChoice("kind", t("operator.cases.kind"), CASE_KINDS, (value) => wordOf("kind", value));
  const institution = useInstitutionFilter();
  const account = useAccountFilter();
  // The sentence above says it, and there is nothing to filter.
  const isNone = counts?.length === 0 && status === "open" && !isFiltered && address.get("open") === null;
  return (
    <div>
      <Filters filters={isNone ? [closed] : [closed, kind, severity, institution, account]} />
      <PagedList
        queryKey={["operator", "cases", status, kind.value, severity.value, account.value, institution.value]}
        againMs={AGAIN_MS}
        read={(page) =>
          operator.cases.list({
            ...page,
            status,
            kind: kind.value,
            severity: severity.value,
            accountId: account.value,
            institutionId: institution.value,
          })
        }
        keyOf={({ id }) => id}
        sumOf={useCounted("cases")}
        empty={!isNone && <Empty>{t(status === "open" ? "operator.cases.empty" : "operator.cases.emptyClosed")}</Empty>}
      >
        {(cases) => cases.map((one) => <Row key={one.id} about={one} />)}
      </PagedList>
    </div>
  );
}

function Row({ about }: { about: Case }) {
  const { t } = useTranslation();
  const address = useAddress();
  const nameOf = useNames();
  const { id, kind, severity, deadline, openedAt, proposal, status, assignee } = about;
  const data = about.evidence.data;
  const rule = data?.invariant;
  // Of broken books the case has no amount: its finding has.
  const amount = about.amount ?? (kind === "books_broken" && data?.figures ? differenceIn(data as Broken) : undefined);
  const to = data?.toInstitutionId;
  const places = [nameOf(about.institutionId), typeof to === "string" ? nameOf(to) : ""];
  // Several rules that one fault has broken are several cases: each by its rule.
  const isOfRule = typeof rule === "string";
  const who =
    assignee === undefined ? t("operator.cases.withNobody") : t("operator.cases.with", { name: personOf(assignee) });
  const where = [
    isOfRule ? wordOf("kind", kind) : "",
    nameOf(about.accountId),
    places.filter((name) => name !== "").join(" → "),
    status === "open" ? who : "",
  ]
    .filter((name) => name !== "")
    .join(" · ");
  return (
    <button
      type="button"
      className="row-line pressable"
      aria-current={address.get("open") === id}
      onClick={() => address.change({ open: id })}
    >
      <Mark shape={status === "closed" ? "done" : severityShape(severity)} />
      <span className="shrinks">
        <strong className="block">{isOfRule ? faultOf(rule, rule) : wordOf("kind", kind)}</strong>
        <span className="small quiet case-where" title={where}>
          {status === "open" && (
            <span className={SEVERITY_TEXTS[severity]}>{t(`operator.severityOfOne.${severity}`)}</span>
          )}
          {status === "open" && where !== "" && " · "}
          {where}
        </span>
        {status === "open" && proposal?.status === "awaiting_approval" && !WAITS.includes(kind) && (
          <span className="small block">{t("operator.cases.awaits")}</span>
        )}
      </span>
      <span className="row-end">
        <span className="block">
          <Money brl={amount} movement={DIFFERENCES.includes(kind)} />
        </span>
        <span className="small quiet">
          {t(deadline === undefined ? "operator.cases.opened" : "operator.cases.until")}{" "}
          <Moment at={deadline ?? openedAt} />
        </span>
      </span>
    </button>
  );
}
