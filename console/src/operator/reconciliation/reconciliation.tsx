import "../operator.css";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { Failure } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { Icon } from "../../parts/icon.tsx";
import { dayOf, daysBefore, startOfDay } from "../../parts/instant.ts";
import { Page } from "../../parts/page.tsx";
import { useSession } from "../../session/session.tsx";
import { Calendar, type ReconciledDay } from "./calendar.tsx";
import { Day } from "./day.tsx";

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
            <Icon name="left" />
          </Button>
          <strong className="self-centered">{name.format(startOfDay(day))}</strong>
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
      <Month month={month} day={day} today={today} />
    </Page>
  );
}

/** How often a month is read again, ms: its days change once a night, and whenever somebody compares one. */
const MONTH_AGAIN_MS = 60_000;

function Month({ month, day, today }: { month: string; day: string; today: string }) {
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "reconciliation-month", month],
    queryFn: () => operator.reconciliation.month(month),
    refetchInterval: MONTH_AGAIN_MS,
  });
  return (
    <>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      <Sentence days={query.data?.days ?? null} today={today} />
      <div className="split">
        <Calendar month={month} day={day} today={today} days={query.data?.days ?? null} />
        <Day day={day} />
      </div>
    </>
  );
}

/** What the month came to, in one sentence; the days that need somebody are links. */
function Sentence({ days, today }: { days: readonly ReconciledDay[] | null; today: string }) {
  const { t } = useTranslation();
  const address = useAddress();
  const over = (days ?? []).filter(({ date }) => date < today);
  const differing = (days ?? []).filter(({ state }) => state === "differs");
  const [first] = differing;
  const sum = differing.reduce((all, { difference }) => all + Math.round(difference * 100), 0) / 100;
  return (
    <p className="second month-sentence">
      {days?.length === 0 && t("operator.reconciliation.noneYet")}
      {over.length > 0 &&
        t("operator.reconciliation.agreeing", {
          agreeing: over.filter(({ state }) => state === "agrees").length,
          count: over.length,
        })}{" "}
      {first && (
        <Link href={address.withChange({ day: first.date })} className="link">
          {t("operator.reconciliation.differing", { count: differing.length, sum: showBrl(sum) })}
        </Link>
      )}
    </p>
  );
}
