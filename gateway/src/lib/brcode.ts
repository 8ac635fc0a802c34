/** BR Code, the text of a Pix QR ("copia e cola"): EMV QRCPS-MPM with the Central Bank's template `br.gov.bcb.pix`. */

import { type Centavos, parseDecimalString, toDecimalString } from "./money.ts";

/** Limits in characters: EMV fields 59 and 60; a location in its template (99 less GUI and two headers). */
const MAX_NAME = 25;
const MAX_CITY = 15;
const MAX_LOCATION = 77;
/** Of a static code: the key, and key and text together (the Central Bank's API repository, discussion 194). */
const MAX_KEY = 77;
const MAX_KEY_AND_TEXT = 73;
/** What stands in a code that is built without a name, which no code may lack. */
export const NO_NAME = "RECEBEDOR";

/** CRC-16/CCITT-FALSE of the UTF-8 bytes, as 4 upper-case hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc = ((crc << 8) & 0xffff) ^ (CRC_TABLE[(crc >> 8) ^ byte] as number);
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});

/**
 * The code of what a PSP stores at `location` (a URL, without scheme): a charge, payable once, or one charge after the other
 * (`stays`). It has no amount: the payload at the location decides. Null where no BR Code can hold the location: empty,
 * longer than 77, not ASCII.
 *
 * Name and city are folded to upper-case ASCII and cut to 25 and 15: readers disagree on how accents count.
 */
export function buildDynamic(order: {
  location: string;
  merchantName: string;
  city: string;
  stays?: boolean;
}): string | null {
  const location = order.location.replace(/^[a-z]+:\/\//i, "");
  if (!/^[\x21-\x7e]+$/.test(location) || location.length > MAX_LOCATION) return null;
  // The txid is in the payload.
  const singleUse = !order.stays;
  return build({ ...order, singleUse, account: field("25", location), amount: null, txid: "***" });
}

/**
 * The code of a key, payable any number of times: each Pix carries `txid`. Without an amount the payer decides. Null where no
 * BR Code can hold the key or the txid. The description is cut to what fits beside the key, as readers differ about accents
 * in capitals without them.
 */
export function buildStatic(order: {
  key: string;
  txid: string;
  amount: Centavos | null;
  description: string | null;
  merchantName: string;
  city: string;
}): string | null {
  const { key, txid } = order;
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY || !/^[a-zA-Z0-9]{1,25}$/.test(txid)) return null;
  const text = fold(order.description ?? "", Math.max(0, MAX_KEY_AND_TEXT - key.length));
  const account = field("01", key) + (text === "" ? "" : field("02", text));
  return build({ ...order, singleUse: false, account });
}

/** A code from what the two kinds differ in. `account`: the fields of the Pix template after its name. */
function build(parts: {
  singleUse: boolean;
  account: string;
  amount: Centavos | null;
  txid: string;
  merchantName: string;
  city: string;
}): string {
  const code =
    field("00", "01") +
    (parts.singleUse ? field("01", "12") : "") +
    field("26", field("00", "BR.GOV.BCB.PIX") + parts.account) +
    field("52", "0000") + // merchant category: none
    field("53", "986") + // BRL
    (parts.amount === null ? "" : field("54", toDecimalString(parts.amount))) +
    field("58", "BR") +
    field("59", fold(parts.merchantName, MAX_NAME) || NO_NAME) + // a field cannot be empty
    field("60", fold(parts.city, MAX_CITY) || "BRASIL") +
    field("62", field("05", parts.txid)) +
    "6304";
  return code + crc16(code);
}

function field(id: string, value: string): string {
  return id + String(value.length).padStart(2, "0") + value;
}

/** ASCII in upper case, as names stand in codes, cut to `max` characters. */
function fold(text: string, max: number): string {
  return text
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .toUpperCase()
    .replace(/ +/g, " ")
    .trim()
    .slice(0, max)
    .trimEnd();
}

/**
 * The name that a payer's bank will show, as far as it is known: the one that the institution wrote into the code, in our
 * spelling where it is one of the `known`; the first of these where the code has none, or what stands for none.
 */
export function receiverName(known: readonly [string, ...string[]], code: BrCode | { readonly error: string }): string {
  const written = "error" in code ? null : code.merchantName?.trim();
  const folded = (text: string) => fold(text, MAX_NAME);
  if (!written || folded(written) === NO_NAME) return known[0];
  return known.find((one) => folded(one) === folded(written)) ?? written;
}

export type BrCode = {
  /** Static code: the receiver's key. */
  readonly key: string | null;
  /** Static code: text for the payer. */
  readonly description: string | null;
  /** Dynamic code: where the payload is, without scheme. */
  readonly url: string | null;
  /** Centavos; null where the code leaves it open. In a dynamic code it is only informative. */
  readonly amount: Centavos | null;
  /** Null for the `***` of a code without one. */
  readonly txid: string | null;
  readonly merchantName: string | null;
  readonly city: string | null;
  readonly singleUse: boolean;
};

/**
 * Reads a code as tolerantly as payers' apps do: the check sum in either case, fields in any order, the Pix template
 * anywhere from 26 to 51 and with neither key nor URL (Pix Automático), lengths in characters or in UTF-8 bytes, the
 * single-use mark under 02 as Efí's SDK writes it, an amount without decimals. Refuses what cannot be read safely.
 */
export function parse(code: string): BrCode | { readonly error: string } {
  const text = code.trim();
  if (text.length > 512) return { error: "longer than 512 characters" };
  if (!/6304[0-9A-Fa-f]{4}$/.test(text)) return { error: "does not end in a checksum" };
  if (text.slice(-4).toUpperCase() !== crc16(text.slice(0, -4))) return { error: "wrong checksum" };

  const fields = readFields(text) ?? readFieldsInBytes(text);
  if (fields === null) return { error: "a field is cut short or malformed" };
  if (fields.get("00") !== "01" || !text.startsWith("00")) return { error: "not a BR Code of version 01" };
  const template = findPixTemplate(fields);
  if (template === null) return { error: "no readable Pix template" };
  const amount = fields.get("54");
  const centavos = amount === undefined ? null : parseAmount(amount);
  if (amount !== undefined && centavos === null) return { error: "malformed amount" };
  const additional = fields.has("62") ? readFields(fields.get("62") as string) : new Map<string, string>();
  if (additional === null) return { error: "malformed additional data" };

  const txid = additional.get("05") ?? null;
  return {
    key: template.get("01") ?? null,
    description: template.get("02") ?? null,
    url: template.get("25") ?? null,
    amount: centavos,
    txid: txid === "***" ? null : txid,
    merchantName: fields.get("59") ?? null,
    city: fields.get("60") ?? null,
    singleUse: (fields.get("01") ?? fields.get("02")) === "12",
  };
}

/**
 * Reads two digits of id, two of length, the value, and so on; null where that does not end with the text. The first field
 * of an id counts.
 */
function readFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const head = text.slice(at, at + 4);
    if (!/^[0-9]{4}$/.test(head)) return null;
    const end = at + 4 + Number(head.slice(2));
    if (end > text.length) return null;
    if (!fields.has(head.slice(0, 2))) fields.set(head.slice(0, 2), text.slice(at + 4, end));
    at = end;
  }
  return fields;
}

/** The same with lengths in bytes: one character stands for each byte, and the values are converted back. */
function readFieldsInBytes(text: string): Map<string, string> | null {
  const fields = readFields(Buffer.from(text).toString("latin1"));
  if (fields === null) return null;
  return new Map([...fields].map(([id, value]) => [id, Buffer.from(value, "latin1").toString()]));
}

function findPixTemplate(fields: Map<string, string>): Map<string, string> | null {
  for (const [id, value] of fields) {
    if (id < "26" || id > "51") continue;
    const template = readFields(value) ?? readFieldsInBytes(value);
    if (template?.get("00")?.toLowerCase() === "br.gov.bcb.pix") return template;
  }
  return null;
}

/** `12`, `12.`, `12.3` and `12.34` occur. */
function parseAmount(text: string): Centavos | null {
  const match = /^([0-9]{1,10})(?:\.([0-9]{0,2}))?$/.exec(text);
  return match === null ? null : parseDecimalString(`${match[1]}.${(match[2] ?? "").padEnd(2, "0")}`);
}
