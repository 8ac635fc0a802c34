/** Why a payout was not made, by Woovi's codes and the payment system's (pacs.002), and by words where there is no code. */
import { failureInWords, type PayoutFailure } from "../payout-failure.ts";

const CODES: Readonly<Record<string, PayoutFailure>> = {
  PIX_KEY_INFO_NOT_FOUND: "key_not_found",
  INVALID_PIX_KEY: "key_not_found",
  NOT_ENOUGH_BALANCE: "insufficient_psp_balance",
  // Woovi's participant lacks funds at the central bank, not we at Woovi.
  AM04: "psp_error",
  REACH_TRANSFER_LIMIT: "denied",
  ALIAS_LIMIT_ERROR: "denied",
  ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER: "key_blocked",
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

/** Our code of a failure or refusal: by the first code in its words that is known, else by the words. */
export function failureIn(words: string): PayoutFailure {
  const code = (words.match(/\b[A-Z][A-Z0-9_]{3,63}\b/g) ?? []).find((one) => Object.hasOwn(CODES, one));
  if (code !== undefined) return CODES[code]!;
  return failureInWords(words) ?? "psp_error";
}
