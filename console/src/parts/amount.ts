import { formatBrl, type merchant, toCentavos } from "@pixgate/sdk";
import type { TFunction } from "i18next";

const MINUS = "\u2212";

/** `-1234.5` → `−R$ 1.234,50`: the same in every language. */
export function showBrl(brl: number): string {
  return formatBrl(brl).replace("-", MINUS);
}

/** A movement: `+R$ 10,00`, `−R$ 10,00`. */
export function showMovement(brl: number): string {
  return toCentavos(brl) > 0 ? `+${showBrl(brl)}` : showBrl(brl);
}

/** How an amount came about: `original R$ 100,00 · multa R$ 2,00`. Empty where nobody explains it, and where it is what was asked. */
export function sayComponents(components: merchant.AmountComponents | undefined, t: TFunction): string {
  const parts = Object.entries(components ?? {}).filter(([, brl]) => brl > 0);
  return parts.length < 2 ? "" : parts.map(([part, brl]) => `${t(`due.${part}Part`)} ${showBrl(brl)}`).join(" · ");
}
