import "../operator.css";
import { addBrl } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { Failure, Loading } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { dayOf, daysBefore, monthAfter, showDay, showMonth, showWhen, startOfDay } from "../../parts/instant.ts";
import { Page } from "../../parts/page.tsx";
import { useSession } from "../../session/session.tsx";
import { Answer } from "../answer.tsx";
import { useFirstDay } from "../reads.ts";
import { Stepper } from "../stepper.tsx";
import { Calendar, isBefore, type ReconciledDay, stateOf } from "./calendar.tsx";
import { Day } from "./day.tsx";

/** A month's days; the day that is open with its institutions and findings. */
export default function Reconciliation() {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const { first, isPending } = useFirstDay();
  const today = dayOf(new Date());
  const yesterday = daysBefore(today, 1);
  const asked = /^\d{4}-\d\d-\d\d$/.test(address.get("day") ?? "") ? address.get("day") : null;
  // On the first day of all there is no day before to look at.
  const day = asked ?? (first !== null && first > yesterday ? today : yesterday);
  const month = day.slice(0, 7);
  const after = monthAfter(month, 1);
  return (
    <Page
      title={t("nav.operators.reconciliation")}
      acts={
        <Stepper
          name={showMonth(month, i18n.language)}
          before={{
            label: t("operator.reconciliation.before"),
            to: first !== null && month <= first.slice(0, 7) ? null : { day: daysBefore(`${month}-01`, 1) },
          }}
          after={{
            label: t("operator.reconciliation.after"),
            to: after > today.slice(0, 7) ? null : { day: `${after}-01` },
          }}
        />
      }
    >
      {isPending ? <Loading lines={8} /> : <Month month={month} day={day} today={today} first={first} />}
    </Page>
  );
}

/** How often a month is read again, ms: its days change once a night, and whenever somebody compares one. */
const MONTH_AGAIN_MS = 60_000;

type MonthProps = { month: string; day: string; today: string; first: string | null };

function Month({ month, day, today, first }: MonthProps) {
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "reconciliation-month", month],
    queryFn: () => operator.reconciliation.month(month),
    refetchInterval: MONTH_AGAIN_MS,
  });
  return (
    <>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      <Sentence days={query.data?.days ?? null} month={month} today={today} first={first} />
      <div className="split day-first">
        <Calendar month={month} day={day} today={today} first={first} days={query.data?.days ?? null} />
        <Day day={day} />
      </div>
    </>
  );
}

/** A day is compared for the first time so long after its end, ms. */
const COMPARED_AFTER_MS = 3 * 3_600_000;

type SentenceProps = Omit<MonthProps, "day"> & { days: readonly ReconciledDay[] | null };

/** What the month came to, in one sentence; the days that need somebody are a link to the first of them. */
function Sentence({ days, month, today, first }: SentenceProps) {
  return (
    <div className="month-sentence">
      {days?.length === 0 && <NoneYet month={month} today={today} first={first} />}
      {days !== null && days.length > 0 && <Compared days={days} month={month} today={today} first={first} />}
    </div>
  );
}

function NoneYet({ month, today, first }: Omit<SentenceProps, "days">) {
  const { t, i18n } = useTranslation();
  const yesterday = daysBefore(today, 1);
  const next = first !== null && first > yesterday ? first : yesterday;
  const at = new Date(startOfDay(daysBefore(next, -1)).getTime() + COMPARED_AFTER_MS);
  const isToCome = next.startsWith(month) && at.getTime() > Date.now();
  const said = { day: showDay(startOfDay(next), i18n.language), at: showWhen(at, i18n.language) };
  const then = [
    isToCome && t("operator.reconciliation.next", said),
    // The days before it look like days that nobody has compared.
    first !== null &&
      first > `${month}-01` &&
      t("operator.reconciliation.first", { day: showDay(startOfDay(first), i18n.language) }),
  ];
  return (
    <Answer shape="waiting" then={then.filter(Boolean).join(" ")}>
      {t("operator.reconciliation.noneYet")}
    </Answer>
  );
}

/** How many days of the month that are over nobody has compared; `first`: none is compared before it, unless somebody asked. */
function countUnchecked(days: readonly ReconciledDay[], { month, today, first }: Omit<SentenceProps, "days">): number {
  const known = new Set(days.map(({ date }) => date));
  let count = 0;
  const from = [`${month}-01`, first ?? today].sort().at(-1)!;
  for (let day = from; day < today && day.startsWith(month); day = daysBefore(day, -1)) if (!known.has(day)) count += 1;
  return count;
}

/** What somebody has to do, else what the bank still owes; what agrees stands below it. */
function Compared({ days, ...of }: Omit<SentenceProps, "days"> & { days: readonly ReconciledDay[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  const over = days.filter((one) => one.date < of.today && !isBefore(one.date, of.first, one));
  const differing = days.filter((day) => stateOf(day) === "differs");
  const cut = over.filter(({ state }) => state === "incomplete");
  const agreeing = over.filter((one) => stateOf(one) === "agrees").length;
  const still = over.filter((one) => stateOf(one) === "still").length;
  const sum = differing.reduce((all, { difference }) => all + Math.round(difference * 100), 0) / 100;
  const [worst] = differing.length > 0 ? differing : cut;
  const unchecked = countUnchecked(days, of);
  const count = over.length - still + unchecked;
  const agrees =
    over.length > 0 &&
    count > 0 &&
    t(`operator.reconciliation.${agreeing === count ? "agreeingAll" : "agreeing"}`, { agreeing, count });
  const volume = addBrl(0, ...over.map((one) => one.volume));
  const stood = still > 0 && t("operator.reconciliation.still", { count: still });
  const same = volume > 0 && t("operator.reconciliation.volume", { sum: showBrl(volume) });
  if (worst === undefined) {
    if (over.length === 0) return <NoneYet {...of} />;
    if (!agrees) return <Answer shape="ended">{t("operator.reconciliation.allStill", { count: still })}</Answer>;
    return (
      <Answer shape={unchecked > 0 ? "waiting" : "done"} then={[same, stood].filter(Boolean).join(" ")}>
        {agrees}
      </Answer>
    );
  }
  const shape = differing.length > 0 ? "needs" : "moving";
  // That no day agrees, where none has its list, is said by the sentence.
  const isSaid = differing.length === 0 && cut.length === count;
  const then = [isSaid ? "" : agrees, stood, differing.length === 0 && t("operator.reconciliation.cutText")];
  return (
    <Answer shape={shape} then={then.filter(Boolean).join(" ")}>
      <Link href={address.withChange({ day: worst.date })} className="link">
        {differing.length > 0
          ? t("operator.reconciliation.differing", { count: differing.length, sum: showBrl(sum) })
          : t("operator.reconciliation.cut", { count: cut.length })}
      </Link>
      .
    </Answer>
  );
}
