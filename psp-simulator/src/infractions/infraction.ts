import type { Pix } from "../pix/pix.ts";
import { returnedCentavos } from "../returns/return.ts";

/** ABERTA → EM_DEFESA (a defence was sent) → ACEITA, REJEITADA or CANCELADA_EFI, also at once; closed → ABERTA when it is reopened. */
export type InfractionStatus = "ABERTA" | "EM_DEFESA" | "ACEITA" | "REJEITADA" | "CANCELADA_EFI";

/** A MED case: the payer of a received Pix contests it. Records are replaced, never changed in place. */
export type Infraction = {
  /** A UUID. */
  idInfracao: string;
  endToEndId: string;
  protocolo: number;
  amountCentavos: number;
  chave: string;
  status: InfractionStatus;
  razao: string;
  /** Milliseconds since 1970, as the other times. */
  openedAt: number;
  updatedAt: number;
  /** Last moment at which a defence is taken. */
  respondBy: number;
  defence?: { text: string; at: number };
  closedAt?: number;
  /** The PSP's own return that is still to come of an accepted case (behaviour `medReturn`). */
  returnDue?: { at: number; amountCentavos: number };
  /** Nobody contests it: the PSP holds the money by itself while it looks at the Pix, until `respondBy`. */
  precautionary?: true;
  /** What the analyst wrote on closing it. */
  justificativaAnalista?: string;
};

export function isOpen(infraction: Infraction): boolean {
  return infraction.status === "ABERTA" || infraction.status === "EM_DEFESA";
}

/** What an open case holds of its Pix, in centavos. */
export function blocks(infraction: Infraction, pix: Pix): number {
  return Math.min(infraction.amountCentavos, pix.amountCentavos - returnedCentavos(pix.returns));
}
