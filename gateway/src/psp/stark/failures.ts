/** Why a payout was not made, by Stark Bank's codes and the payment system's (pacs.002), and by words where there is no code. */
import { failureInWords, type PayoutFailure } from "../payout-failure.ts";

/** In lower case, as Stark Bank writes the codes of failed transfers; it writes those of refusals in camel case. */
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

const knownIn = (words: string): PayoutFailure | undefined => {
  const code = (words.toLowerCase().match(/[a-z0-9]{4,64}/g) ?? []).find((one) => Object.hasOwn(CODES, one));
  return code === undefined ? undefined : CODES[code];
};

/** Our code of a failure or refusal: by its first word that is a known code, else by its words. */
export const failureIn = (words: string): PayoutFailure => knownIn(words) ?? failureInWords(words) ?? "psp_error";

/**
 * Whether a failure or refusal means that our id was used before: then an earlier transfer exists, whatever a list shows. Stark
 * Bank's documentation says that a repeated `externalId` fails, but not with which code. "Already closed", of an account, does
 * not mean it.
 */
export const isRepeated = (words: string): boolean =>
  /external[\s_-]?id/i.test(words) ||
  (knownIn(words) === undefined &&
    /duplic|repeat|already[\s_-]?(?:exist|used|in[\s_-]?use)|j[áa]\s+(?:existe|utilizad)/i.test(words));

/** Whether a code is about the caller (key, signature, clock, rights), and so not about the payout. It may have status 400 too. */
export const isOfCaller = (code: string): boolean =>
  /access|signature|credential|permission|unauthorized|forbidden|^(?:invalid)?(?:project|workspace)/i.test(code);
