import { useTranslation } from "react-i18next";
import { ChoiceChip, useAddress } from "../parts/filters.tsx";
import { dayOf, hourOf, instantOf, showDay } from "../parts/instant.ts";

/** The hour of São Paulo that `2026-11-23T14` names; null for another text. */
export function hourNamed(
  text: string | null,
): { readonly from: Date; readonly to: Date; readonly hour: number } | null {
  const from = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3])$/.test(text ?? "") ? instantOf(`${text}:00`) : null;
  if (from === null || Number.isNaN(from.getTime())) return null;
  return { from, to: new Date(from.getTime() + 3_600_000), hour: Number(text!.slice(11)) };
}

/** A filter by an hour of today; another day's hour stays as the address has it. `hourNamed` reads it. */
export function HourChip({ name, label }: { name: string; label: string }) {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const now = new Date();
  const today = Array.from({ length: hourOf(now) + 1 }, (_, hour) => `${dayOf(now)}T${String(hour).padStart(2, "0")}`);
  const chosen = address.get(name);
  const values = chosen === null || today.includes(chosen) ? today : [...today, chosen];
  const textOf = (value: string): string => {
    const named = hourNamed(value);
    if (named === null) return value;
    const day = showDay(named.from, i18n.language);
    return t(today.includes(value) ? "charges.paidHour" : "charges.paidDayHour", {
      ...{ day, from: named.hour, to: named.hour + 1 },
    });
  };
  return (
    <ChoiceChip
      name={name}
      label={label}
      choices={values.toReversed().map((value) => ({ value, text: textOf(value) }))}
    />
  );
}
