import { TextInput } from "@mantine/core";
import { type merchant, parseBrl } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { fieldOf } from "../parts/form-panel.tsx";
import { showDate, startOfDay } from "../parts/instant.ts";

/** A due date for a new charge, and what is added after it. */
export function DueFields() {
  const { t } = useTranslation();
  return (
    <>
      <TextInput name="dueDate" type="date" label={t("due.date")} description={t("due.dateMeans")} />
      <TextInput
        name="daysAfter"
        label={t("due.daysAfter")}
        inputMode="numeric"
        pattern="[0-9]{1,3}"
        placeholder="30"
      />
      <TextInput name="discountUntil" type="date" label={t("due.discountUntil")} />
      <TextInput name="discount" label={t("due.discount")} inputMode="decimal" placeholder="0,00" rightSection="%" />
      <TextInput name="fine" label={t("due.fine")} inputMode="decimal" placeholder="0,00" rightSection="%" />
      <TextInput name="interest" label={t("due.interest")} inputMode="decimal" placeholder="0,00" rightSection="%" />
    </>
  );
}

/** The due date that a form names; undefined where it names none. Throws where a percentage is none. */
export function readDue(form: FormData): merchant.Due | undefined {
  const date = fieldOf(form, "dueDate");
  if (date === "") return undefined;
  const [days, fine, interest] = [fieldOf(form, "daysAfter"), fieldOf(form, "fine"), fieldOf(form, "interest")];
  const [until, discount] = [fieldOf(form, "discountUntil"), fieldOf(form, "discount")];
  return {
    date,
    ...(discount !== "" && { discount: { until: [{ date: until || date, percent: parseBrl(discount) }] } }),
    ...(days !== "" && { daysAfter: Number(days) }),
    ...(fine !== "" && { fine: { percent: parseBrl(fine) } }),
    ...(interest !== "" && { interest: { percent: parseBrl(interest), per: "month" as const } }),
  };
}

/** What a charge's screen says of its due date, and of how the amount came about. */
export function dueFacts(charge: merchant.Transaction, t: TFunction, language: string): [string, ReactNode][] {
  const { due, amountDue, chargedAmount, components } = charge;
  if (due === undefined) return [];
  const parts = Object.entries(components ?? {}).filter(([, brl]) => brl > 0);
  return [
    [t("due.date"), showDate(startOfDay(due.date), language)],
    [t("due.amountDue"), amountDue === undefined ? null : showBrl(amountDue)],
    [t("due.charged"), chargedAmount === undefined ? null : showBrl(chargedAmount)],
    [
      t("due.parts"),
      parts.length === 0 ? null : parts.map(([part, brl]) => `${t(`due.${part}Part`)} ${showBrl(brl)}`).join(" · "),
    ],
  ];
}
