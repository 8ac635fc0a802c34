import { dayOf, daysBefore, dayWindow } from "../lib/days.ts";
import { documentKind, normaliseDocument } from "../lib/documents.ts";
import { isUuid } from "../lib/ids.ts";
import { fromBrl } from "../lib/money.ts";

/** The possible meanings of a searched text. There may be several: eleven digits are a CPF, and may be a reference. */
export type Question = {
  /** As it was typed, without surrounding space. */
  readonly text: string;
  readonly id: string | null;
  readonly e2eId: string | null;
  readonly txid: string | null;
  /** Normalised CPF or CNPJ with right check digits. */
  readonly document: string | null;
  /** Lower-case. */
  readonly email: string | null;
  /** Centavos, and a day of São Paulo. */
  readonly amountOnDay: { readonly amount: number; readonly from: Date; readonly to: Date } | null;
  /** Centavos; of an amount without a day. It is searched for within a wallet only, like a name. */
  readonly amount: number | null;
  /** A part of a name, where the text has none of the forms above. */
  readonly name: string | null;
};

/** At least three letters, as names have them. */
const PART_OF_NAME = /^\p{L}[\p{L}\p{M}'.\- ]{2,}$/u;

/** Reads the typed text: an id, an end-to-end id, a txid, a CPF or CNPJ, an e-mail address, or `150,00 2026-11-20`. */
export function readQuestion(typed: string, now: Date): Question {
  const text = typed.trim();
  const id = text.toLowerCase();
  const document = normaliseDocument(text);
  return {
    text,
    id: isUuid(id) ? id : null,
    e2eId: /^[ED][0-9]{8}[0-9A-Za-z]{23}$/.test(text) ? text : null,
    txid: /^[0-9a-zA-Z]{26,35}$/.test(text) ? text : null,
    document: documentKind(document) === null ? null : document,
    email: /^[^\s@]+@[^\s@]+$/.test(text) ? text.toLowerCase() : null,
    amountOnDay: readAmountOnDay(text, now),
    amount: readBareAmount(text),
    name: PART_OF_NAME.test(text) ? text : null,
  };
}

/** `150,00 2026-11-20`, `R$ 1.234,56 20/11/2026`, `150.00 hoje`; the day may come first. */
function readAmountOnDay(text: string, now: Date): Question["amountOnDay"] {
  const words = text.replace(/^R\$\s*/i, "").split(/\s+/);
  if (words.length !== 2) return null;
  const days = words.map((word) => readDay(word.toLowerCase(), now));
  const [window, amount] = days[1] ? [days[1], readAmount(words[0]!)] : [days[0], readAmount(words[1]!)];
  return window && amount !== null ? { amount, ...window } : null;
}

/** `R$ 150`, `150,00`, `1.234,56`, or `150`; a longer number is no amount. */
function readBareAmount(text: string): number | null {
  const word = text.replace(/^R\$\s*/i, "");
  return word !== text || /^[\d.]+[,.]\d{2}$|^\d{3,6}$/.test(word) ? readAmount(word) : null;
}

const DAYS_AGO: Readonly<Record<string, number>> = { hoje: 0, today: 0, ontem: 1, yesterday: 1 };

function readDay(word: string, now: Date): { from: Date; to: Date } | null {
  const ago = Object.hasOwn(DAYS_AGO, word) ? DAYS_AGO[word] : undefined;
  if (ago !== undefined) return dayWindow(daysBefore(dayOf(now), ago));
  return dayWindow(word.replace(/^(\d{2})\/(\d{2})\/(\d{4})$/, "$3-$2-$1"));
}

function readAmount(word: string): number | null {
  const plain = /^\d{1,3}(\.\d{3})*,\d{2}$/.test(word) ? word.replaceAll(".", "") : word;
  const number = plain.replace(",", ".");
  return /^\d{1,12}(\.\d{1,2})?$/.test(number) ? fromBrl(Number(number)) : null;
}
