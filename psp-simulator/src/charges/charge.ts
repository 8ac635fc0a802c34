/** ATIVA → CONCLUIDA or REMOVIDA_*; there is no status for "expired": an expired charge stays ATIVA (API Pix 2.9.0). */
export type ChargeStatus = "ATIVA" | "CONCLUIDA" | "REMOVIDA_PELO_USUARIO_RECEBEDOR" | "REMOVIDA_PELO_PSP";

export type Person = { cpf: string; nome: string } | { cnpj: string; nome: string };

/** What the receiver asks for; everything that a revision may change. */
export type Terms = {
  expiracaoSeconds: number;
  devedor?: Person;
  amountCentavos: number;
  modalidadeAlteracao?: 0 | 1;
  chave: string;
  solicitacaoPagador?: string;
  infoAdicionais?: { nome: string; valor: string }[];
};

type Revision = { terms: Terms; status: ChargeStatus };

/** An immediate charge (cob). Records are replaced, never changed in place: a change is a new object in the journal. */
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

/** Last moment at which a payment is in time, milliseconds since 1970: creation + expiracao, or a forced end before. */
export function expiresAt(charge: Charge): number {
  return Math.min(
    charge.createdAt + charge.terms.expiracaoSeconds * 1000,
    charge.expiredAt ?? Number.POSITIVE_INFINITY,
  );
}
