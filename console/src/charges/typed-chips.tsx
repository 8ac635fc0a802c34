import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { TextChip, TypedChip, useAddress } from "../parts/filters.tsx";
import { readBrl } from "../parts/typed-amount.tsx";

/** Characters of a payer's name or document that the API accepts. */
const [MIN_PAYER, MAX_PAYER] = [2, 255];

/** The payer that the address names, as the API accepts it. */
export function payerNamed(text: string | null): string | null {
  const payer = text?.trim() ?? "";
  return payer.length >= MIN_PAYER && payer.length <= MAX_PAYER ? payer : null;
}

/** A filter by the payer's name or document. */
export function PayerChip() {
  const { t } = useTranslation();
  return (
    <TextChip
      name="payer"
      label={t("columns.payer")}
      field={t("chargeFilters.payer")}
      description={t("chargeFilters.payerHow")}
      maxLength={MAX_PAYER}
      read={payerNamed}
      missing={t("chargeFilters.payerMissing")}
    />
  );
}

/** Characters of a reference that the API accepts. */
const MAX_REFERENCE = 255;

/** The merchant's reference that the address names, as the API accepts it. */
export function referenceNamed(text: string | null): string | null {
  const reference = text?.trim() ?? "";
  return reference !== "" && reference.length <= MAX_REFERENCE ? reference : null;
}

/** A filter by the merchant's reference, whole: the API compares no parts of it. */
export function ReferenceChip() {
  const { t } = useTranslation();
  return (
    <TextChip
      name="reference"
      label={t("charges.column.reference")}
      field={t("charges.column.reference")}
      description={t("chargeFilters.referenceHow")}
      maxLength={MAX_REFERENCE}
      read={referenceNamed}
      missing={t("chargeFilters.referenceMissing")}
    />
  );
}

/** The amount that the address names, BRL. */
export const amountNamed = (text: string | null): number | null => (text === null ? null : readBrl(text));

/** A filter by the least and the most amount; either may be left out. */
export function AmountChip() {
  const { t } = useTranslation();
  const address = useAddress();
  const [least, setLeast] = useState("");
  const [most, setMost] = useState("");
  const [min, max] = [amountNamed(address.get("min")), amountNamed(address.get("max"))];
  const wrong = (text: string) => text !== "" && readBrl(text) === null;
  const read = () => {
    if ((least === "" && most === "") || wrong(least) || wrong(most)) return null;
    return { min: least, max: most };
  };
  return (
    <TypedChip
      label={t("charges.column.amount")}
      names={["min", "max"]}
      chosen={rangeOf(t, min, max)}
      read={read}
      missing={t("chargeFilters.amountMissing")}
    >
      {(
        [
          ["chargeFilters.from", least, setLeast],
          ["chargeFilters.to", most, setMost],
        ] as const
      ).map(([label, value, change], i) => (
        <TextInput
          key={label}
          label={t(label)}
          leftSection="R$"
          placeholder="0,00"
          inputMode="decimal"
          autoComplete="off"
          data-autofocus={i === 0 || undefined}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          error={wrong(value) && t("newCharge.amountWrong")}
        />
      ))}
    </TypedChip>
  );
}

/** `de R$ 10,00 a R$ 20,00`, in the words of the language; null without either. */
function rangeOf(t: ReturnType<typeof useTranslation>["t"], min: number | null, max: number | null): string | null {
  if (min === null && max === null) return null;
  if (min === max) return showBrl(min!);
  if (max === null) return t("chargeFilters.atLeast", { amount: showBrl(min!) });
  if (min === null) return t("chargeFilters.atMost", { amount: showBrl(max) });
  return t("chargeFilters.between", { min: showBrl(min), max: showBrl(max) });
}
