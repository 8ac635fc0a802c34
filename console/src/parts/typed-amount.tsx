import { TextInput } from "@mantine/core";
import { parseBrl } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "./amount.ts";

/** From this amount on, BRL, it is typed again before money leaves. */
const TYPED_FROM = 1_000;

/** An amount that a person typed, BRL; null where it is none, or not above zero. */
export function readBrl(text: string): number | null {
  try {
    const brl = parseBrl(text);
    return brl > 0 ? brl : null;
  } catch {
    return null;
  }
}

/** A number as a person types it: `1234,56`; "" for none. */
export const writeNumber = (number: number | null | undefined): string =>
  number === null || number === undefined ? "" : number.toFixed(2).replace(".", ",");

/** Asks for a large amount once more. `confirmed` is true from the start where the amount is below the limit. */
export function useTypedAmount(brl: number | null) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const asked = brl !== null && brl >= TYPED_FROM;
  return {
    confirmed: !asked || readBrl(typed) === brl,
    written: typed !== "",
    clear: () => setTyped(""),
    field: asked && (
      <TextInput
        label={t("charge.end.type", { amount: showBrl(brl) })}
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    ),
  };
}
