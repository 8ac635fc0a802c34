import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl, showMovement } from "../../parts/amount.ts";
import { useAddress } from "../../parts/filters.tsx";
import { dayOf, showWeekday, startOfDay } from "../../parts/instant.ts";
import { Mark, type Shape, State } from "../../parts/state.tsx";

export type ReconciledDay = operator.ReconciledDay;

/** A week, Sunday first: for the names of its days. */
const WEEK = Array.from({ length: 7 }, (_, i) => `2026-11-0${i + 1}`);

/** How a day stands: as it was compared, or that it was not. */
type DayState = "agrees" | "still" | "differs" | "decided" | "incomplete" | "open" | "unchecked";
const SHAPES: Record<DayState, Shape | null> = {
  agrees: "done",
  // Zero against zero proves little: the cell says so in words.
  still: null,
  differs: "needs",
  decided: "ended",
  incomplete: "moving",
  open: "waiting",
  unchecked: "waiting",
};
/** A day that goes on is one more that is not compared yet. */
const LEGEND = ["agrees", "differs", "decided", "incomplete", "unchecked"] as const;
const DAYS_OF_WEEK = 7;

/** A month's days by their last comparison. Null: they are not read yet, and no cell has a mark. `first`: nothing is compared before it. */
export function Calendar({
  month,
  day,
  today,
  first,
  days,
}: {
  month: string;
  day: string;
  today: string;
  first: string | null;
  days: readonly ReconciledDay[] | null;
}) {
  const { t, i18n } = useTranslation();
  const empty = new Date(`${month}-01T12:00:00Z`).getUTCDay();
  const all = Array.from({ length: 31 }, (_, i) => `${month}-${String(i + 1).padStart(2, "0")}`).filter(
    (one) => dayOf(startOfDay(one)) === one,
  );
  const foundOn = (one: string) => days?.find(({ date }) => date === one);
  const isNone = (one: string) => one > today || isBefore(one, first, foundOn(one));
  const states = new Set(all.filter((one) => !isNone(one)).map((one) => stateOn(one, today, foundOn(one))));
  const isShown = (state: DayState) => states.has(state) || (state === "unchecked" && states.has("open"));
  const last = (empty + all.length) % DAYS_OF_WEEK;
  return (
    <div>
      <nav className="calendar" aria-label={t("operator.reconciliation.days")}>
        {WEEK.map((one) => (
          <span key={one} className="small quiet weekday">
            {showWeekday(startOfDay(one), i18n.language)}
          </span>
        ))}
        {empty > 0 && <span className="calendar-day" style={{ gridColumn: `1 / ${empty + 1}` }} />}
        {all.map((one) => (
          <Cell
            key={one}
            day={one}
            today={today}
            isNone={isNone(one)}
            selected={one === day}
            found={foundOn(one)}
            isRead={days !== null}
          />
        ))}
        {last > 0 && <span className="calendar-day" style={{ gridColumn: `${last + 1} / -1` }} />}
      </nav>
      <p className="calendar-legend">
        {(days === null ? [] : LEGEND.filter(isShown)).map((state) => (
          <State key={state} shape={SHAPES[state] ?? "ended"}>
            {t(`operator.reconciliation.day.${state}`)}
          </State>
        ))}
      </p>
    </div>
  );
}

function Cell(props: {
  day: string;
  today: string;
  /** Not to be opened: it has not come, or was before there was an institution. */
  isNone: boolean;
  selected: boolean;
  found: ReconciledDay | undefined;
  isRead: boolean;
}) {
  const { t } = useTranslation();
  const address = useAddress();
  const { day, today, found } = props;
  const number = <span className="num">{Number(day.slice(8))}</span>;
  if (props.isNone) {
    return <span className="calendar-day quiet">{number}</span>;
  }
  const state = stateOn(day, today, found);
  const word = t(`operator.reconciliation.day.${state}`);
  const isDifferent = found !== undefined && found.findings > 0;
  const figure = isDifferent
    ? showMovement(found.difference)
    : found && found.volume > 0
      ? compact(found.volume)
      : state === "still"
        ? word.toLowerCase()
        : "";
  const exact =
    found === undefined
      ? ""
      : isDifferent
        ? showMovement(found.difference)
        : found.volume > 0
          ? showBrl(found.volume)
          : "";
  return (
    <Link
      href={address.withChange({ day })}
      aria-current={props.selected ? "date" : undefined}
      title={word}
      className={`calendar-day ${state}`}
    >
      <span className="calendar-head">
        <span>
          {number} {day === today && <span className="calendar-today">{t("operator.reconciliation.today")}</span>}
        </span>
        {props.isRead && SHAPES[state] !== null && <Mark shape={SHAPES[state]} />}
      </span>
      {props.isRead && <span className="hidden">{[word, exact].filter(Boolean).join(", ")}</span>}
      <span className="calendar-figure num" aria-hidden="true">
        {figure}
      </span>
    </Link>
  );
}

/** The list of a day that goes on is never complete. */
const stateOn = (day: string, today: string, found: ReconciledDay | undefined): DayState =>
  day === today && found?.state !== "differs" ? "open" : stateOf(found);

/** A day before there was an institution: nobody expects that it was compared, and there was nothing to find. */
export const isBefore = (day: string, first: string | null, found: ReconciledDay | undefined): boolean =>
  first !== null && day < first && (found === undefined || stateOf(found) === "still");

export function stateOf(found: ReconciledDay | undefined): DayState {
  const states = ["agrees", "decided", "incomplete"] as const;
  // A newer gateway may know more states: each of them wants somebody.
  if (found === undefined) return "unchecked";
  if (found.state === "agrees" && found.volume === 0 && found.findings === 0) return "still";
  return states.find((one) => one === found.state) ?? "differs";
}

/** `R$ 30,5 mil`, as money is in both languages. */
const compact = (brl: number): string =>
  new Intl.NumberFormat("pt-BR", {
    style: "currency",
    currency: "BRL",
    notation: "compact",
    maximumFractionDigits: 1,
  }).format(brl);
