import type { Static } from "typebox";
import type { LinkField } from "../../charges/payment-link.ts";
import { invalid } from "../../http/errors.ts";
import { hasInk } from "../../http/visible.ts";
import { documentKind, normaliseDocument } from "../../lib/documents.ts";
import { LIMITS } from "../../lib/limits.ts";
import { type Centavos, MAX_CENTAVOS } from "../../lib/money.ts";
import type { LinkColumns } from "./link.ts";

/** Characters of one value. */
const MAX_VALUE = 200;
/** The value that is longest in JSON: three bytes a character. */
const WIDEST = "\u8a9e".repeat(MAX_VALUE);
/** Characters that are not shown, that turn the direction of what follows, or that stand for what could not be read. */
const UNREADABLE = /[\p{Cc}\p{Bidi_Control}\ufffd]/u;
/** Least amount that a payer may choose where the link sets none, centavos. */
const LEAST = 100;

type Field = Static<typeof LinkField>;
/** What is wrong with a value; the words are in texts.ts. */
export type Wrong = "missing" | "tooLong" | "unreadable" | "email" | "document" | "phone" | "amount" | "range";
/** A form as a payer sent it: `amount`, and the link's fields as `f.<name>`. */
export type Sent = Readonly<Record<string, string>>;

type Filled = {
  readonly amount: Centavos;
  /** What the charge knows of its payer, from the field of each type. */
  readonly customer: { readonly email?: string; readonly document?: string; readonly phone?: string };
  /** Every field that was filled in, by its name. */
  readonly fields: Readonly<Record<string, string>>;
};

/** Least and most that a payer of the link may choose. */
export const boundsOf = ({ minAmount, maxAmount }: Pick<LinkColumns, "minAmount" | "maxAmount">) => ({
  least: minAmount ?? LEAST,
  most: maxAmount ?? MAX_CENTAVOS,
});

/**
 * Refuses metadata of a link that would leave no space in its charges' metadata for what the payer fills in: nobody could pay.
 */
export function leavingRoom<Metadata extends object | null>(own: Metadata, fields: LinkColumns["fields"]): Metadata {
  if (own === null || fields.length === 0) return own;
  if ("fields" in own) throw invalid("metadata.fields", "is where a charge has what its payer fills in");
  const filled = { fields: Object.fromEntries(fields.map(({ name }) => [name, WIDEST])) };
  const left = LIMITS.metadataBytes - Buffer.byteLength(JSON.stringify(filled));
  if (Buffer.byteLength(JSON.stringify(own)) <= left) return own;
  throw invalid("metadata", `is larger than the ${left} bytes that the link's fields leave`);
}

/** Reads a form: what the charge needs, or what is wrong, by the field's name (`amount` for the amount). */
export function readForm(
  link: Pick<LinkColumns, "amount" | "minAmount" | "maxAmount" | "fields">,
  sent: Sent,
): { readonly filled: Filled } | { readonly wrong: ReadonlyMap<string, Wrong> } {
  const wrong = new Map<string, Wrong>();
  const customer: { email?: string; document?: string; phone?: string } = {};
  const fields: Record<string, string> = {};
  const amount = link.amount ?? readAmount(sent.amount ?? "");
  const { least, most } = boundsOf(link);
  if (amount === null) wrong.set("amount", "amount");
  else if (link.amount === null && (amount < least || amount > most)) wrong.set("amount", "range");
  for (const field of link.fields) {
    const text = (sent[`f.${field.name}`] ?? "").trim();
    const value = UNREADABLE.test(text) || hasInk(text) ? text : "";
    const problem = value === "" ? (field.required ? "missing" : null) : problemOf(field, value);
    if (problem !== null) wrong.set(`f.${field.name}`, problem);
    else if (value !== "") {
      const clean = field.type === "document" ? normaliseDocument(value) : value;
      fields[field.name] = clean;
      if (field.type !== "text") customer[field.type] = clean;
    }
  }
  return wrong.size > 0 ? { wrong } : { filled: { amount: amount!, customer, fields } };
}

function problemOf({ type }: Field, value: string): Wrong | null {
  if (value.length > MAX_VALUE) return "tooLong";
  if (UNREADABLE.test(value)) return "unreadable";
  if (type === "email") return /^[^\s@<>"]{1,64}@[^\s@<>"]+\.[^\s@<>"]+$/.test(value) ? null : "email";
  if (type === "document") return documentKind(normaliseDocument(value)) === null ? "document" : null;
  if (type === "phone") return /^\+?[\d\s().-]{8,20}$/.test(value) && /^\D*(\d\D*){8,15}$/.test(value) ? null : "phone";
  return null;
}

/**
 * An amount as people in Brazil and elsewhere write it: `1.234,50`, `12,5`, `12.50`. A dot before three digits separates
 * thousands. Null for anything else.
 */
export function readAmount(text: string): Centavos | null {
  const plain = text.replace(/^R\$/, "").replace(/\s/g, "");
  const match = /^(\d{1,3}(?:\.\d{3})+|\d{1,10})(?:,(\d{1,2}))?$/.exec(plain) ?? /^(\d{1,10})\.(\d{1,2})$/.exec(plain);
  if (!match) return null;
  const centavos = Number(match[1]!.replaceAll(".", "")) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  return centavos <= MAX_CENTAVOS ? centavos : null;
}
