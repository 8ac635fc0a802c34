import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showClock, writeInstant } from "../parts/instant.ts";
import { readWhen } from "./read-when.ts";

/** `30/11/2026`, also in English: it is typed, and its order stands in its label. */
const writeDay = (at: Date): string => writeInstant(at).slice(0, 10).split("-").reverse().join("/");

/**
 * A moment that has been, as people of São Paulo write it: a browser's own field has its own language, with the month first and
 * a clock of twelve hours. Its form reads it as `when`; `onChange` says whether it is one.
 */
export function WhenField({ label, onChange }: { label: string; onChange: (isRight: boolean) => void }) {
  const { t } = useTranslation();
  const [now] = useState(() => new Date());
  const [day, setDay] = useState(writeDay(now));
  const [time, setTime] = useState(showClock(now, "pt-BR"));
  const at = readWhen(day, time);
  const change = (nextDay: string, nextTime: string) => {
    setDay(nextDay);
    setTime(nextTime);
    onChange(readWhen(nextDay, nextTime) !== null);
  };
  return (
    <div>
      <div className="fee-row">
        <TextInput
          label={label}
          placeholder={t("operator.treasury.dayForm")}
          required
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
          value={day}
          onChange={({ currentTarget }) => change(currentTarget.value, time)}
        />
        <TextInput
          label={t("operator.treasury.time")}
          placeholder="00:00"
          required
          inputMode="numeric"
          autoComplete="off"
          maxLength={5}
          value={time}
          onChange={({ currentTarget }) => change(day, currentTarget.value)}
        />
      </div>
      {at === null && (
        <p className="small failed-text" role="alert">
          {t("operator.treasury.whenWrong")}
        </p>
      )}
      <input type="hidden" name="when" value={at?.toISOString() ?? ""} />
    </div>
  );
}
