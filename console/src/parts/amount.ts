import { formatBrl, toCentavos } from "@pixgate/sdk";

const MINUS = "\u2212";

/** `-1234.5` → `−R$ 1.234,50`: the same in every language. */
export function showBrl(brl: number): string {
  return formatBrl(brl).replace("-", MINUS);
}

/** A movement: `+R$ 10,00`, `−R$ 10,00`. */
export function showMovement(brl: number): string {
  return toCentavos(brl) > 0 ? `+${showBrl(brl)}` : showBrl(brl);
}
