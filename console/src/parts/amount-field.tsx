import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { readBrl } from "./typed-amount.tsx";

/** An amount in BRL that is being written. `error`: what else is wrong with it. */
export function AmountField(props: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  error?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <TextInput
      label={props.label}
      leftSection="R$"
      placeholder="0,00"
      inputMode="decimal"
      autoComplete="off"
      required
      data-autofocus
      value={props.value}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
      error={(props.value !== "" && readBrl(props.value) === null && t("newCharge.amountWrong")) || props.error}
    />
  );
}
