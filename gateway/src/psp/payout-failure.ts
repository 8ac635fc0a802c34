/**
 * Why a payout was not made, in our own codes.
 * - `key_not_found`: nobody has the key. `holder_mismatch`: somebody else has it. `key_blocked`: the directory has blocked it,
 *   as one that was used for fraud.
 * - `destination_refused`: the receiver's account cannot receive it (closed, blocked, of another type).
 * - `insufficient_psp_balance`: our own account at the PSP lacks money.
 * - `denied`: refused for fraud suspicion or by regulation. `not_approved`: nobody approved it at the PSP. `psp_error`:
 *   any other failure at the PSP.
 */
export type PayoutFailure =
  | "key_not_found"
  | "holder_mismatch"
  | "key_blocked"
  | "destination_refused"
  | "insufficient_psp_balance"
  | "denied"
  | "not_approved"
  | "psp_error";

/** What banks' words about a payout certainly mean; the first match counts. */
const MEANINGS: readonly (readonly [words: RegExp, code: PayoutFailure])[] = [
  // Since 2025-10 the directory blocks keys that were marked for fraud (Resolução BCB 493).
  [/chave\s+(?:\S+\s+){0,3}?bloquead|key\s+(?:\S+\s+){0,2}?blocked/i, "key_blocked"],
  [
    /saldo[\s_]{1,3}(?:\S{1,30}\s{1,3}){0,4}?insuficiente|insufici[eê]ncia\s+de\s+saldo|not\s+have\s+enough\s+balance/i,
    "insufficient_psp_balance",
  ],
  [/chave\s+(?:\S+\s+){0,3}?(?:n[aã]o\s+(?:foi\s+)?encontrada|inexistente)|pix\s+key\s+not\s+found/i, "key_not_found"],
];

/** Our code of words about a payout, by `Psp.payouts`; undefined where their meaning is not certain. */
export const failureInWords = (words: string): PayoutFailure | undefined =>
  MEANINGS.find(([known]) => known.test(words))?.[1];
