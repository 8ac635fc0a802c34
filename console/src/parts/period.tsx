import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Filter, TypedChip, useAddress } from "./filters.tsx";
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
  const address = useAddress();
  const typed = useDays();
  const named = PERIODS.find((one) => one === address.get(name));
  const isTyped = typed.from !== null || typed.to !== null;
  const days = isTyped || named === undefined ? typed : daysOf(named);
  const control = <PeriodChip name={name} label={label} />;
  const from = days.from === null ? undefined : startOfDay(days.from).toISOString();
  const to = days.to === null ? undefined : startOfDay(daysBefore(days.to, -1)).toISOString();
  return { value: from === undefined && to === undefined ? undefined : `${from} ${to}`, control, days, from, to };
}

/** One chip for both: the periods with a name, and below them the first and the last day, either of which may be left out. */
function PeriodChip({ name, label }: { name: string; label: string }) {
  const { t } = useTranslation();
  const address = useAddress();
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const typed = useDaysText()(useDays());
  const named = PERIODS.find((one) => one === address.get(name));
  const read = () => {
    const given = [from, to].filter((day) => day !== "");
    if (given.length === 0 || !given.every(isDay) || (from !== "" && to !== "" && to < from)) return null;
    return { from, to, [name]: null };
  };
  return (
    <TypedChip
      label={label}
      names={["from", "to", name]}
      chosen={typed ?? (named === undefined ? null : t(`charges.${named}`))}
      read={read}
      missing={t("days.missing")}
      choices={PERIODS.map((one) => ({ text: t(`charges.${one}`), change: { [name]: one, from: null, to: null } }))}
    >
      {(
        [
          ["chargeFilters.from", from, setFrom],
          ["chargeFilters.to", to, setTo],
        ] as const
      ).map(([text, value, change]) => (
        <TextInput
          key={text}
          type="date"
          label={t(text)}
          max={dayOf(new Date())}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      ))}
    </TypedChip>
  );
}
