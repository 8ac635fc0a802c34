import "../operator.css";
import { TextInput } from "@mantine/core";
import { addBrl, type operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import i18next from "i18next";
import { type ComponentProps, Fragment, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl, showMovement } from "../../parts/amount.ts";
import { csvFormat } from "../../parts/csv.ts";
import { Read } from "../../parts/feedback.tsx";
import { FileButton } from "../../parts/file-button.tsx";
import { TypedForm, useAddress } from "../../parts/filters.tsx";
import {
  dayOf,
  daysBefore,
  lastDayOf,
  monthAfter,
  showClock,
  showDay,
  showMonth,
  showWhen,
  startOfDay,
} from "../../parts/instant.ts";
import { Page } from "../../parts/page.tsx";
import { State } from "../../parts/state.tsx";
import { useSession } from "../../session/session.tsx";
import { Answer } from "../answer.tsx";
import { closeOf, isCloseDue, lastClosableDay } from "../close-due.ts";
import { useFirstDay } from "../reads.ts";
import { Stepper } from "../stepper.tsx";
import { Institution, Whole } from "./institution.tsx";
import { Running } from "./running.tsx";

/** What a day or a month came to at each institution. */
export default function Closes() {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const address = useAddress();
  const { first, isPending } = useFirstDay();
  const span = spanOf(address, first);
  const isMonth = span.length === 7;
  const query = useQuery({
    queryKey: ["operator", "close", span],
    queryFn: () => (isMonth ? operator.closes.month(span) : operator.closes.day(span)),
    // Which day is opened depends on when the installation began.
    enabled: !isPending,
  });
  const format = csvFormat(i18n.language);
  const readCsv = () =>
    isMonth
      ? operator.closes.monthAs("text/csv", span, { format })
      : operator.closes.dayAs("text/csv", span, { format });
  return (
    <Page
      title={t("nav.operators.close")}
      acts={
        <>
          <GoTo />
          <Steps span={span} first={first} />
          {(query.data?.institutions.length ?? 0) > 0 && (
            <FileButton name={`pixgate-${span}.csv`} type="text/csv" read={readCsv}>
              CSV
            </FileButton>
          )}
        </>
      }
    >
      <nav className="tabs" aria-label={t("operator.close.span")}>
        <Link href={address.withChange({ month: null })} aria-current={isMonth ? undefined : "true"}>
          {t("operator.close.day")}
        </Link>
        <Link
          href={address.withChange({ month: isMonth ? span : span.slice(0, 7), day: null })}
          aria-current={isMonth ? "true" : undefined}
        >
          {t("operator.close.month")}
        </Link>
      </nav>
      <div className="closes">
        <Read query={query} lines={8}>
          {(close) => <Closed close={close} first={first} span={span} />}
        </Read>
      </div>
    </Page>
  );
}

function isDay(text: string): boolean {
  const start = startOfDay(text);
  return !Number.isNaN(start.getTime()) && dayOf(start) === text;
}
const laterOf = (one: string, other: string | null): string => (other !== null && other > one ? other : one);

/** The month or day of the address; else the last day that can be closed, on the first day of all that day. */
function spanOf({ get }: ReturnType<typeof useAddress>, first: string | null): string {
  const [month, day] = [get("month") ?? "", get("day") ?? ""];
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month;
  return isDay(day) ? day : laterOf(lastClosableDay(), first);
}

/** To the day or month before and after: none before the first of all, none that has not begun. */
function Steps({ span, first }: { span: string; first: string | null }) {
  const { t, i18n } = useTranslation();
  const isMonth = span.length === 7;
  const today = dayOf(new Date());
  const least = first?.slice(0, span.length) ?? "";
  const most = today.slice(0, span.length);
  const move = (by: 1 | -1) => (isMonth ? monthAfter(span, by) : daysBefore(span, -by));
  const stepTo = (to: string): Readonly<Record<string, string>> => (isMonth ? { month: to } : { day: to });
  const after = laterOf(move(1), least);
  return (
    <Stepper
      name={isMonth ? showMonth(span, i18n.language) : showDay(startOfDay(span), i18n.language)}
      before={{ label: t("operator.close.before"), to: span > least ? stepTo(move(-1)) : null }}
      after={{ label: t("operator.close.after"), to: after <= most ? stepTo(after) : null }}
    />
  );
}

/** Any day at once. */
function GoTo() {
  const { t } = useTranslation();
  const address = useAddress();
  const [day, setDay] = useState("");
  const apply = () => {
    if (!isDay(day)) return false;
    address.change({ day, month: null });
    return true;
  };
  return (
    <TypedForm label={t("operator.close.goTo")} apply={apply} missing={t("operator.close.noDay")}>
      <TextInput
        type="date"
        label={t("operator.close.day")}
        max={dayOf(new Date())}
        value={day}
        onChange={({ currentTarget }) => setDay(currentTarget.value)}
      />
    </TypedForm>
  );
}

function Closed({ close, first, span }: { close: operator.Close; first: string | null; span: string }) {
  const { t, i18n } = useTranslation();
  const { closed, closedAt, institutions } = close;
  const isMonth = span.length === 7;
  if (institutions.length === 0) return <NoFigures close={close} first={first} />;
  // With its date on that day too: a closing is a document.
  const end = closedAt === null ? null : new Date(closedAt);
  const at = end === null ? "" : `${showDay(end, i18n.language)}, ${showClock(end, i18n.language)}`;
  return (
    <>
      <Answer
        {...answerOf(institutions)}
        then={t(`operator.close.${!closed ? "open" : isMonth ? "closedMonth" : "closed"}`, { at })}
      />
      {isMonth && <DaysOf month={span} first={first} />}
      {institutions.length > 1 && <Whole name={t("operator.close.whole")} of={institutions} />}
      {institutions.map((one) => (
        <Institution key={one.institutionId} one={one} close={close} first={first} />
      ))}
      <p className="small gap-above">
        <Link href={`/operator/reconciliation?day=${[close.to, dayOf(new Date())].sort()[0]}`} className="link">
          {t(isMonth ? "operator.close.monthReconciliation" : "operator.close.reconciliation")}
        </Link>
      </p>
    </>
  );
}

/** The closings of a month's days; `first`: there is none before it. */
function DaysOf({ month, first }: { month: string; first: string | null }) {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const [from, last] = [laterOf(`${month}-01`, first), [lastDayOf(month), lastClosableDay()].sort()[0]!];
  const days: string[] = [];
  for (let day = from; day <= last; day = daysBefore(day, -1)) days.push(day);
  if (days.length === 0) return null;
  return (
    <p className="small second">
      {t("operator.close.days")}{" "}
      {days.map((day) => (
        <Fragment key={day}>
          <Link href={address.withChange({ day, month: null })} className="link num">
            {showDay(startOfDay(day), i18n.language)}
          </Link>{" "}
        </Fragment>
      ))}
    </p>
  );
}

/** Whether the books and the banks are equal, as far as the banks say what they hold. */
function answerOf(institutions: readonly operator.InstitutionClose[]): ComponentProps<typeof Answer> {
  const differing = institutions.filter(({ difference }) => difference !== null && difference !== 0);
  const untold = institutions.filter(({ difference }) => difference === null).length;
  const sum = showMovement(addBrl(0, ...differing.map(({ difference }) => difference ?? 0)));
  if (differing.length > 0)
    return { shape: "needs", children: i18next.t("operator.close.differ", { count: differing.length, sum }) };
  // Without any balance of a bank nothing is compared, so nothing agrees.
  const isNoneTold = untold === institutions.length;
  if (untold > 0) {
    const text = isNoneTold ? "operator.close.untoldAll" : "operator.close.untold";
    return { shape: "waiting", children: i18next.t(text, { count: untold }) };
  }
  const held = showBrl(addBrl(0, ...institutions.map(({ closing }) => closing)));
  return { shape: "done", children: i18next.t("operator.close.equal", { sum: held }) };
}

/** Why a day or month has no figures: it is before the installation, they are still to come, or they are late. */
function NoFigures({ close, first }: { close: operator.Close; first: string | null }) {
  const { from, to, closed, running = [] } = close;
  const { t, i18n } = useTranslation();
  if (closed) return <p className="quiet">{t("operator.close.empty")}</p>;
  if (first === null) return <State shape="ended">{t("operator.close.none")}</State>;
  const began = showDay(startOfDay(first), i18n.language);
  if (to < first) return <State shape="ended">{t("operator.close.beforeAll", { day: began })}</State>;
  const due = laterOf(from, first);
  const [day, at] = [showDay(startOfDay(due), i18n.language), showWhen(closeOf(due), i18n.language)];
  if (isCloseDue(due)) {
    return (
      <Answer
        shape="failed"
        then={
          <Link href="/operator" className="link">
            {t("operator.close.lateSee")}
          </Link>
        }
      >
        {t("operator.close.lateClose", { day, at })}
      </Answer>
    );
  }
  return (
    <>
      <Answer
        shape="waiting"
        then={`${due === first ? `${t("operator.close.firstDay")} ` : ""}${t("operator.close.notYet")}`}
      >
        {t("operator.close.nextClose", { day, at })}
      </Answer>
      <Running running={running} />
      <p className="small gap-above">
        <Link href={`/operator/reconciliation?day=${due}`} className="link">
          {t("operator.close.reconciliation")}
        </Link>{" "}
        ·{" "}
        <Link href={`/operator/treasury?status=booked&from=${due}`} className="link">
          {t("operator.close.ownMoved")}
        </Link>
      </p>
      <p className="small quiet gap-above">{t("operator.close.blocks")}</p>
    </>
  );
}
