import { dayAt } from "../due/calendar.ts";
import { compose, dueUntil } from "../due/compute.ts";
import { type Composition, type Due, finalCentavos } from "../due/due.ts";

/** ATIVA → CONCLUIDA or REMOVIDA_*; there is no status for "expired": an expired charge stays ATIVA (API Pix 2.9.0). */
export type ChargeStatus = "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP";

export type Person = { cpf: string; nome: string } | { cnpj: string; nome: string };

/** What the receiver asks for; everything that a revision may change. */
export type Terms = {
  /** Of an immediate charge; 0 where there is a due date. */
  expiracaoSeconds: number;
  /** Makes it a charge with a due date (cobv). */
  due?: Due;
  devedor?: Person;
  amountCentavos: number;
  modalidadeAlteracao?: 0 | 1;
  chave: string;
  solicitacaoPagador?: string;
  infoAdicionais?: { nome: string; valor: string }[];
};

type Revision = { terms: Terms; status: ChargeStatus };

/** A charge of either kind (cob, cobv). Records are replaced, never changed in place: a change is a new object in the journal. */
export type Charge = {
  txid: string;
  createdAt: number;
  terms: Terms;
  status: ChargeStatus;
  revisao: number;
  /** The location that it stands on, without scheme; absent: it was unlinked. */
  locId?: number;
  location?: string;
  /** Earlier revisions by number, kept for `GET ?revisao=`. */
  history?: Revision[];
  /** When the charge pays itself (behaviour `autoPay`), milliseconds since 1970. */
  autoPayAt?: number;
  /** When the control API expired it, milliseconds since 1970. */
  expiredAt?: number;
};

/** `cob`: an immediate one. `cobv`: one with a due date. */
export type Kind = "cob" | "cobv";
export const kindOf = ({ terms }: Pick<Charge, "terms">): Kind => (terms.due ? "cobv" : "cob");

/** Last moment at which a payment is in time, milliseconds since 1970: its own end, or a forced one before. */
export function expiresAt(charge: Charge): number {
  const { due, expiracaoSeconds } = charge.terms;
  const end = due ? dueUntil(due) : charge.createdAt + expiracaoSeconds * 1000;
  return Math.min(end, charge.expiredAt ?? Number.POSITIVE_INFINITY);
}

/** How what a payer is asked at a moment comes about; undefined where it is always the same amount. */
export const composedAt = ({ terms }: Charge, at: number): Composition | undefined =>
  terms.due && compose(terms.amountCentavos, terms.due, dayAt(at));

/** What a payer is asked at a moment, in centavos. */
export function askedAt(charge: Charge, at: number): number {
  const composed = composedAt(charge, at);
  return composed ? finalCentavos(composed) : charge.terms.amountCentavos;
}
