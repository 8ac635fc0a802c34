/** Why a payout was not made, by Woovi's codes and the payment system's (pacs.002), and by words where there is no code. */
import type { PayoutFailure } from "../psp.ts";

const CODES: Readonly<Record<string, PayoutFailure>> = {
  PIX_KEY_INFO_NOT_FOUND: "key_not_found",
  INVALID_PIX_KEY: "key_not_found",
  NOT_ENOUGH_BALANCE: "insufficient_psp_balance",
  // Woovi's participant lacks funds at the central bank, not we at Woovi.
  AM04: "psp_error",
  REACH_TRANSFER_LIMIT: "denied",
  ALIAS_LIMIT_ERROR: "denied",
  ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER: "destination_refused",
  AB03: "psp_error",
  AC03: "destination_refused",
  AC06: "destination_refused",
  AC07: "destination_refused",
  AC14: "destination_refused",
  BE01: "destination_refused",
  CH11: "destination_refused",
  ED05: "destination_refused",
  DS04: "denied",
  FRAD: "denied",
  RR04: "denied",
};

/** Words of refusals in its documentation, which come without a code. */
const WORDS: readonly (readonly [RegExp, PayoutFailure])[] = [
  [/not\s+have\s+enough\s+balance|saldo\s+insuficiente/i, "insufficient_psp_balance"],
  [/chave\s+pix\s+(?:\S+\s+){0,2}?n[ãa]o\s+encontrada|pix\s+key\s+not\s+found/i, "key_not_found"],
];

/** Our code of a failure or refusal: by the first code in its words that is known, else by the words. */
export function failureIn(words: string): PayoutFailure {
  const code = (words.match(/\b[A-Z][A-Z0-9_]{3,63}\b/g) ?? []).find((one) => Object.hasOwn(CODES, one));
  if (code !== undefined) return CODES[code]!;
  return WORDS.find(([known]) => known.test(words))?.[1] ?? "psp_error";
}
