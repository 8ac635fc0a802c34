import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Filter, TypedChip, useAddress, useChoice } from "./filters.tsx";
import { type Days, dayOf, daysBefore, daysOf, PERIODS, showDate, startOfDay } from "./instant.ts";

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOfDay(text).getTime());
const dayNamed = (text: string | null): string | null => (text !== null && isDay(text) ? text : null);

/** The days that the address names: `2026-11-01`, of São Paulo, both included. */
function useDays(): Days {
  const address = useAddress();
  return { from: dayNamed(address.get("from")), to: dayNamed(address.get("to")) };
}

/** Days in words: `01/11/2026 a 30/11/2026`; null without either. */
export function useDaysText(): (days: Days) => string | null {
  const { t, i18n } = useTranslation();
  const say = (day: string) => showDate(startOfDay(day), i18n.language);
  return ({ from, to }) => {
    if (from !== null && to !== null) return t("days.between", { from: say(from), to: say(to) });
    if (from !== null) return t("days.since", { from: say(from) });
    return to === null ? null : t("days.until", { to: say(to) });
  };
}

type PeriodFilter = Filter & {
  readonly days: Days;
  readonly from: string | undefined;
  readonly to: string | undefined;
};

/** When something happened: a period that is known by its name, or the first and the last day. `from` and `to` as the API takes them. */
export function usePeriod(name: string, label: string): PeriodFilter {
  const { t } = useTranslation();
  const named = useChoice(name, label, PERIODS, (period) => t(`charges.${period}`));
  const typed = useDays();
  const isTyped = typed.from !== null || typed.to !== null;
  const days = isTyped || named.value === undefined ? typed : daysOf(named.value);
  const control = (
    <>
      {!isTyped && named.control}
      <DaysChip instead={name} />
    </>
  );
  const from = days.from === null ? undefined : startOfDay(days.from).toISOString();
  const to = days.to === null ? undefined : startOfDay(daysBefore(days.to, -1)).toISOString();
  return { value: from === undefined && to === undefined ? undefined : `${from} ${to}`, control, days, from, to };
}

/** A filter by the first and the last day; either may be left out. One period at a time: it replaces `instead`. */
function DaysChip({ instead }: { instead: string }) {
  const { t } = useTranslation();
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const chosen = useDaysText()(useDays());
  const read = () => {
    const given = [from, to].filter((day) => day !== "");
    if (given.length === 0 || !given.every(isDay) || (from !== "" && to !== "" && to < from)) return null;
    return { from, to, [instead]: null };
  };
  return (
    <TypedChip label={t("days.title")} names={["from", "to"]} chosen={chosen} read={read} missing={t("days.missing")}>
      {(
        [
          ["chargeFilters.from", from, setFrom],
          ["chargeFilters.to", to, setTo],
        ] as const
      ).map(([label, value, change], i) => (
        <TextInput
          key={label}
          type="date"
          label={t(label)}
          max={dayOf(new Date())}
          data-autofocus={i === 0 || undefined}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      ))}
    </TypedChip>
  );
}
