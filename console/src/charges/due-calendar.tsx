import "@mantine/core/styles/ActionIcon.css";
import { ActionIcon } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { merchant } from "@pixgate/sdk";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Read } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { lastDayOf, monthAfter, showDate, showMonth, showWeekday, startOfDay } from "../parts/instant.ts";
import { useSession } from "../session/session.tsx";
import "./due-calendar.css";

/** What is asked while somebody types is asked after this pause. */
const PAUSE_MS = 300;
/** A week that begins on Sunday, for the names of its days. */
const A_WEEK = Array.from({ length: 7 }, (_, n) => `2026-11-${String(n + 1).padStart(2, "0")}`);

/** What a charge with a due date costs on which day, a month at a time: one that is there, or one that is being written. */
export function DueCalendar({ of }: { of: { transactionId?: string; amount?: number; due: merchant.Due } }) {
  const { t, i18n } = useTranslation();
  const { pixgate, scope } = useSession();
  const [asked] = useDebouncedValue(of, PAUSE_MS, { leading: true });
  const [turned, setTurned] = useState<string | null>(null);
  const month = turned ?? asked.due.date.slice(0, 7);
  const query = useQuery({
    queryKey: [...scope, "due preview", JSON.stringify(asked), month],
    queryFn: () => pixgate.charges.previewDue({ ...asked, from: `${month}-01`, days: 31 }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <section className="due-calendar" aria-label={t("due.calendar")}>
      <header>
        <ActionIcon variant="subtle" aria-label={t("due.monthBefore")} onClick={() => setTurned(monthAfter(month, -1))}>
          <Icon name="left" />
        </ActionIcon>
        <b aria-live="polite">{showMonth(month, i18n.language)}</b>
        <ActionIcon variant="subtle" aria-label={t("due.monthAfter")} onClick={() => setTurned(monthAfter(month, 1))}>
          <Icon name="right" />
        </ActionIcon>
      </header>
      <Read query={query} lines={6}>
        {(preview) => (
          <>
            <Month month={month} preview={preview} language={i18n.language} />
            <p className="small quiet">
              {t("due.calendarMeans", {
                due: showDate(startOfDay(preview.dueDay), i18n.language),
                last: showDate(startOfDay(preview.lastDay), i18n.language),
              })}
            </p>
          </>
        )}
      </Read>
    </section>
  );
}

function Month({ month, preview, language }: { month: string; preview: merchant.DuePreview; language: string }) {
  const costs = new Map(preview.days.map((day) => [day.date, day]));
  const count = Number(lastDayOf(month).slice(8));
  const before = new Date(`${month}-01T00:00:00Z`).getUTCDay();
  const cells = [
    ...Array.from({ length: before }, () => null),
    ...Array.from({ length: count }, (_, n) => `${month}-${String(n + 1).padStart(2, "0")}`),
  ];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7));
  return (
    <table>
      <thead>
        <tr>
          {A_WEEK.map((day) => (
            <th key={day} scope="col">
              {showWeekday(startOfDay(day), language)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, n) => (
          <tr key={week.find((day) => day !== null) ?? n}>
            {week.map((day, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the days before the first have no name
              <Day
                key={day ?? at}
                day={day}
                cost={day === null ? undefined : costs.get(day)}
                isDue={day === preview.dueDay}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({ day, cost, isDue }: { day: string | null; cost: merchant.DueDay | undefined; isDue: boolean }) {
  const { t } = useTranslation();
  if (day === null) return <td />;
  const kind = [isDue && "is-due", cost && !cost.isBusinessDay && "is-off"].filter(Boolean).join(" ");
  return (
    <td className={kind || undefined}>
      <span className="day">{Number(day.slice(8))}</span>
      {isDue && <span className="hidden">{t("due.date")}</span>}
      {cost && <span className="cost">{showBrl(cost.amount).replace(/^R\$\s?/, "")}</span>}
    </td>
  );
}
