import { TextInput } from "@mantine/core";
import { type merchant, parseBrl } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { sayComponents, showBrl } from "../parts/amount.ts";
import { fieldOf } from "../parts/form-panel.tsx";
import { showDate, startOfDay } from "../parts/instant.ts";

/** A due date, and once it is chosen what is taken off or added when: for a new charge, or with the terms of one that is there. */
export function DueFields({ due, hasDate }: { due?: merchant.Due; hasDate: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="dueDate"
        type="date"
        label={t(due === undefined ? "due.dateOptional" : "due.date")}
        description={due === undefined && t("due.dateMeans")}
        defaultValue={due?.date}
        required={due !== undefined}
      />
      {hasDate && <Terms due={due} />}
    </>
  );
}

function Terms({ due }: { due: merchant.Due | undefined }) {
  const { t } = useTranslation();
  const { discount, fine, interest } = due === undefined ? NOTHING : written(due);
  return (
    <>
      <TextInput
        name="daysAfter"
        label={t("due.daysAfter")}
        inputMode="numeric"
        pattern="[0-9]{1,3}"
        placeholder="30"
        defaultValue={due?.daysAfter}
      />
      <TextInput name="discountUntil" type="date" label={t("due.discountUntil")} defaultValue={discount?.date} />
      <Percent name="discount" label={t("due.discount")} percent={discount?.percent} />
      <Percent name="fine" label={t("due.fine")} percent={fine} />
      <Percent name="interest" label={t("due.interest")} percent={interest} />
    </>
  );
}

function Percent({ name, label, percent }: { name: string; label: string; percent: number | undefined }) {
  const { i18n } = useTranslation();
  const shown = percent?.toLocaleString(i18n.language, { useGrouping: false });
  return (
    <TextInput
      name={name}
      label={label}
      inputMode="decimal"
      pattern="[0-9]{1,3}([.,][0-9]{1,2})?"
      placeholder="0,00"
      rightSection="%"
      defaultValue={shown}
    />
  );
}

const NOTHING = { discount: undefined, fine: undefined, interest: undefined };

/** The parts of terms that the form has fields for. */
function written({ discount, fine, interest }: merchant.Due) {
  const [step, ...more] = discount?.until ?? [];
  return {
    discount: step?.percent !== undefined && more.length === 0 ? { date: step.date, percent: step.percent } : undefined,
    fine: fine?.percent,
    interest: interest?.per === "month" && interest.days !== "business" ? interest.percent : undefined,
  };
}

/** The parts of terms that the form has no fields for: they stay as they are. */
export function keptOf(due: merchant.Due): Partial<merchant.Due> {
  const shown = written(due);
  return {
    ...(due.abatement && { abatement: due.abatement }),
    ...(due.discount && shown.discount === undefined && { discount: due.discount }),
    ...(due.fine && shown.fine === undefined && { fine: due.fine }),
    ...(due.interest && shown.interest === undefined && { interest: due.interest }),
  };
}

/** The due date that a form names; undefined where it names none. Throws where a percentage is none. */
export function readDue(form: FormData, kept: Partial<merchant.Due> = {}): merchant.Due | undefined {
  const date = fieldOf(form, "dueDate");
  if (date === "") return undefined;
  const [days, fine, interest] = [fieldOf(form, "daysAfter"), fieldOf(form, "fine"), fieldOf(form, "interest")];
  const [until, discount] = [fieldOf(form, "discountUntil"), fieldOf(form, "discount")];
  return {
    ...kept,
    date,
    ...(discount !== "" && { discount: { until: [{ date: until || date, percent: parseBrl(discount) }] } }),
    ...(days !== "" && { daysAfter: Number(days) }),
    ...(fine !== "" && { fine: { percent: parseBrl(fine) } }),
    ...(interest !== "" && { interest: { percent: parseBrl(interest), per: "month" as const } }),
  };
}

/** What a charge's screen says of its due date, and of how the amount came about. */
export function dueFacts(charge: merchant.Transaction, t: TFunction, language: string): [string, ReactNode][] {
  const { due, dueEdits = [], amountDue, chargedAmount, components } = charge;
  if (due === undefined) return [];
  return [
    [t("due.date"), showDate(startOfDay(due.date), language)],
    [
      t("due.edits"),
      dueEdits.length === 0 ? null : dueEdits.map((edit) => <div key={edit.askedAt}>{sayEdit(edit, t, language)}</div>),
    ],
    [t("due.amountDue"), amountDue === undefined ? null : showBrl(amountDue)],
    [t("due.charged"), chargedAmount === undefined ? null : showBrl(chargedAmount)],
    [t("due.parts"), sayComponents(components, t) || null],
  ];
}

function sayEdit({ from, to, status, by }: merchant.DueEdit, t: TFunction, language: string): string {
  const [before, after] = [from, to].map(({ date }) => showDate(startOfDay(date), language));
  const dates = { from: before, to: after };
  if (status === "pending") return t("due.editPending", dates);
  if (by === "institution") return t("due.editByBank", dates);
  return status === "refused" ? t("due.editRefused", dates) : t("due.editDone", dates);
}
