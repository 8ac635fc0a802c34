/** Why a payout was not made, by Stark Bank's codes and the payment system's (pacs.002), and by words where there is no code. */
import { failureInWords, type PayoutFailure } from "../payout-failure.ts";

/** In lower case, as its failures have them; its refusals have them in camel case. */
const CODES: Readonly<Record<string, PayoutFailure>> = {
  invalidpixkey: "key_not_found",
  invaliddictkey: "key_not_found",
  invalidbalance: "insufficient_psp_balance",
  insufficientfunds: "insufficient_psp_balance",
  taxidmismatch: "holder_mismatch",
  invalidtaxid: "holder_mismatch",
  invalidaccountnumber: "destination_refused",
  invalidaccounttype: "destination_refused",
  accountclosed: "destination_refused",
  blockedaccount: "destination_refused",
  orderrejected: "destination_refused",
  ac03: "destination_refused",
  ac06: "destination_refused",
  ac07: "destination_refused",
  ac14: "destination_refused",
  be01: "holder_mismatch",
  ds04: "denied",
  frad: "denied",
  rr04: "denied",
};

/** Our code of a failure or refusal: by its first word that is a known code, else by its words. */
export function failureIn(words: string): PayoutFailure {
  const code = (words.toLowerCase().match(/[a-z0-9]{4,64}/g) ?? []).find((one) => Object.hasOwn(CODES, one));
  return code === undefined ? (failureInWords(words) ?? "psp_error") : CODES[code]!;
}

/**
 * Whether it says that our id was used before. Its documentation says that a repeated `externalId` causes a failure, and not by
 * which code: then an earlier try is there, whatever a list shows.
 */
export const isRepeated = (words: string): boolean => /external|duplic|repeat|already|j[áa]\s+existe/i.test(words);
