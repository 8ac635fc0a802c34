import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TypedChip, useAddress } from "../parts/filters.tsx";
import { dayOf, showDate, startOfDay } from "../parts/instant.ts";

type Days = { readonly from: string | null; readonly to: string | null };

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOfDay(text).getTime());
const dayNamed = (text: string | null): string | null => (text !== null && isDay(text) ? text : null);

/** The days that the address names: `2026-11-01`, of São Paulo, both included. */
export function useDays(): Days {
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

/** A filter by the first and the last day; either may be left out. */
export function DaysChip() {
  const { t } = useTranslation();
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const chosen = useDaysText()(useDays());
  const read = () => {
    const given = [from, to].filter((day) => day !== "");
    if (given.length === 0 || !given.every(isDay) || (from !== "" && to !== "" && to < from)) return null;
    // One period at a time.
    return { from, to, period: null };
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
