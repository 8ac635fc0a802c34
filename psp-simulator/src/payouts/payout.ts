/** EM_PROCESSAMENTO → REALIZADO or NAO_REALIZADO; a return by the receiver leaves it REALIZADO. */
type PayoutStatus = "EM_PROCESSAMENTO" | "REALIZADO" | "NAO_REALIZADO";

/** A bank account that was named in place of a key. */
type BankAccount = { codigoBanco: string; agencia: string; conta: string; tipoConta: "cacc" | "svgs" };

/** Who receives it: the key that was named (empty: an account was), and its holder as the directory of keys has him. */
export type Receiver = { chave: string; nome: string; cpf?: string; cnpj?: string; contaBanco?: BankAccount };

/** Why the payment system refused it: a reason code of its own ("AC07"), which side said so, and a text. */
export type PayoutError = { codigo: string; origem: string; motivo: string };

/** Money of a sent Pix that its receiver gave back. */
export type PayoutReturn = {
  /** The PSP's own id; present only where the `rtrId` appears later (behaviour `rtrIdDelayMs`). */
  id?: string;
  rtrId: string;
  /** When clients begin to see its `rtrId`, milliseconds since 1970. Absent: at once. */
  rtrIdShownFrom?: number;
  amountCentavos: number;
  /** Milliseconds since 1970. */
  at: number;
  /** When reads begin to show it, milliseconds since 1970. */
  shownFrom: number;
  motivo?: string;
};

/** What reads and callbacks say of a payout instead of what is in the books (control API). */
export type Pretence = {
  /** Any text, known to the protocol or not. */
  status?: string;
  amountCentavos?: number;
  /** Reads do not find it. */
  absent?: true;
};

/** A Pix that the account sends (cash-out). Records are replaced, never changed in place. */
export type Payout = {
  /** Chosen by the client, unique for ever. */
  idEnvio: string;
  endToEndId: string;
  amountCentavos: number;
  /** The account's own key, whose webhook gets the callbacks. */
  chave: string;
  infoPagador?: string;
  receiver: Receiver;
  /** Milliseconds since 1970, as the other times. */
  requestedAt: number;
  /** When reads begin to show it (behaviour `readLagMs`). */
  visibleAt: number;
  status: PayoutStatus;
  settledAt?: number;
  /** When reads begin to show its end; until then they say EM_PROCESSAMENTO. */
  endShownFrom?: number;
  error?: PayoutError;
  returns?: PayoutReturn[];
  /** The charge of this PSP that it pays, by its code. */
  paysTxid?: string;
  /** Taken on without the money for it (behaviour `insufficientBalance`): it lowers no balance and will fail. */
  unfunded?: true;
  /** A person at the bank must approve it (behaviour `payoutApproval`). */
  awaitsApproval?: true;
  /** The bank analyses it (behaviour `payoutAnalysis`). */
  isAnalysed?: true;
  /** What the PSP takes from the balance for it, unless it fails. Absent: nothing. */
  tariffCentavos?: number;
  /** Waits for its authorisation (Santander, Banco do Brasil): it takes no money, and never ends by itself. */
  prepared?: true;
  /** Made by Inter's, Santander's or Banco do Brasil's API: the id that the bank gave it, or the client's number, and the key and the text of its request. */
  own?: { codigo: string; key?: string; descricao?: string };
  pretence?: Pretence;
};

/** Sum of what came back, in centavos. */
export function givenBackCentavos(payout: Payout): number {
  let sum = 0;
  for (const item of payout.returns ?? []) sum += item.amountCentavos;
  return sum;
}

/** What a payout takes out of the balance, in centavos: amount and tariff from the moment it is accepted, until it fails. */
export function takenCentavos(payout: Payout): number {
  if (payout.status === "NAO_REALIZADO" || payout.unfunded || payout.prepared) return 0;
  return payout.amountCentavos + (payout.tariffCentavos ?? 0) - givenBackCentavos(payout);
}

/** An entry that the control API made: the holder of a key, or nobody (null). */
export type KeyEntry = { chave: string; holder: { document: string; nome: string } | null };
