import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random letters and digits. 248 is the largest multiple of 62 in a byte; above it the draw would be biased. */
export function randomAlphanumeric(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length + 4)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** Length of an id that this PSP gives a return beside its `rtrId`. */
export const OWN_ID_LENGTH = 20;

/** yyyyMMddHHmm in UTC. */
function minuteStamp(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace(/[-T:]/g, "");
}

/** endToEndId: `E`, ISPB of the payer's bank, minute in UTC, 11 alphanumerics: 32 characters. */
export function endToEndId(payerIspb: string, at: number): string {
  return `E${payerIspb}${minuteStamp(at)}${randomAlphanumeric(11)}`;
}

/** rtrId of a return: as an endToEndId, with `D` and the ISPB of the bank that returns. */
export function returnId(ispb: string, at: number): string {
  return `D${ispb}${minuteStamp(at)}${randomAlphanumeric(11)}`;
}
