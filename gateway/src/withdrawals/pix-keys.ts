/** Pix keys: what identifies an account in the Central Bank's directory (DICT), in the directory's own form. */
import { isCnpj, isCpf, normaliseDocument } from "../lib/documents.ts";
import { isUuid } from "../lib/ids.ts";

export const PIX_KEY_TYPES = ["cpf", "cnpj", "email", "phone", "random"] as const;
export type PixKeyType = (typeof PIX_KEY_TYPES)[number];

/** Longest e-mail address that the directory accepts. */
const MAX_EMAIL = 77;
/** The directory's own pattern: lower case, no quotes, no trailing dot. */
const EMAIL =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** E.164 with at least two digits of country; a number of Brazil has an area code without a 0 and eight or nine digits. */
const PHONE = /^\+[1-9][0-9]{2,14}$/;
const BRAZILIAN_PHONE = /^\+55[1-9][0-9](?:9[0-9]{8}|[2-8][0-9]{7})$/;

/**
 * A key of a declared type in its canonical form, or null where it does not fit the type: check digits, E.164, UUID. The
 * type is never guessed, since eleven digits may be a CPF or a phone. Punctuation that people write is removed.
 */
export function normalisePixKey(type: PixKeyType, text: string): string | null {
  switch (type) {
    case "cpf": {
      const document = normaliseDocument(text);
      return isCpf(document) ? document : null;
    }
    case "cnpj": {
      const document = normaliseDocument(text);
      return isCnpj(document) ? document : null;
    }
    case "email": {
      const address = text.trim().toLowerCase();
      return address.length <= MAX_EMAIL && EMAIL.test(address) ? address : null;
    }
    case "phone": {
      const number = text.replace(/[\s().-]/g, "");
      if (!PHONE.test(number)) return null;
      return !number.startsWith("+55") || BRAZILIAN_PHONE.test(number) ? number : null;
    }
    case "random": {
      const key = text.trim().toLowerCase();
      return isUuid(key) ? key : null;
    }
  }
}
