import type { Person } from "../charges/charge.ts";
import type { Composition } from "../due/due.ts";
import type { Return } from "../returns/return.ts";

/** ISPB of the bank that every payer here uses; an endToEndId carries the payer's bank, not the receiver's. */
export const PAYER_ISPB = "12345678";

/** A received Pix. Its presence means that it is settled; the protocol gives it no status. */
export type Pix = {
  endToEndId: string;
  txid?: string;
  amountCentavos: number;
  chave: string;
  /** `horario`: when it was settled, milliseconds since 1970. */
  settledAt: number;
  /** When reads begin to show it (behaviour `readLagMs`), milliseconds since 1970. */
  visibleAt: number;
  payer: Person;
  /** Drawn once when it arrives (behaviour `includePayer`), so that every answer says the same. */
  showsPayer: boolean;
  infoPagador?: string;
  /** How the amount came about, of a charge with a due date. */
  composition?: Composition;
  /** What the PSP took from the balance for it. Absent: nothing. */
  tariffCentavos?: number;
  /** What the PSP kept back of it as tax. Absent: nothing. */
  withheldCentavos?: number;
  returns?: Return[];
};

export function isVisible(pix: Pix, now: number): boolean {
  return pix.visibleAt <= now;
}
