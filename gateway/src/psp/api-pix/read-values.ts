/**
 * Reads values of an answer loosely: fields vary between versions and banks, optional ones come as null, amounts as
 * numbers. A reader returns nothing for an invalid value.
 */
import { createHash } from "node:crypto";
import { normaliseDocument } from "../../lib/documents.ts";
import { parseDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import type { ApiPixConfig } from "./config.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What names an item that cannot be read: its time, if there is one, and a digest. */
export function nameUnreadable(item: unknown, at: Date | undefined): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(item) ?? "")
    .digest("base64url")
    .slice(0, 16);
  return `${at?.toISOString() ?? ""}/${digest}`;
}

/** A number of so many digits may be an id that a double cannot hold: 9,007,199,254,740,991 is the last exact one. */
const LONG_NUMBER = /[:,[]\s*\d{16}/;

/** A body as JSON, with or without byte order mark; undefined when it is none. A whole number too long for a double is a text. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    const text = body.toString("utf8");
    const json = text.startsWith("\ufeff") ? text.slice(1) : text;
    return LONG_NUMBER.test(json) ? JSON.parse(json, exactly) : JSON.parse(json);
  } catch {
    return undefined;
  }
}

const exactly = (_: string, value: unknown, at?: { readonly source?: string }): unknown =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? (at?.source ?? value) : value;

export function record(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Longest text that is stored of a name or a reason; the standard's longest is 200. */
const MAX_TEXT = 256;

/** A non-empty text, shortened, without characters that the database cannot store (NUL, lone surrogates). */
export function text(value: unknown, max = MAX_TEXT): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return truncate(value, max).toWellFormed().replaceAll("\0", "\ufffd");
}

/**
 * An amount in centavos, or null: `"25.90"`, and also `"25.9"`, `"25"`, `25.9`, `"25.900"`. A number is read by its printed
 * digits, which are those of the JSON; nothing is multiplied or rounded. Zero, negative amounts, a third decimal other than
 * 0 and exponents are refused.
 */
export function readAmount(value: unknown): number | null {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string") return null;
  let amount = parseDecimalString(written);
  if (amount === null) {
    const parts = /^([0-9]{1,10})(?:\.([0-9]{0,2})0*)?$/.exec(written);
    if (parts !== null) amount = parseDecimalString(`${parts[1]}.${(parts[2] ?? "").padEnd(2, "0")}`);
  }
  return amount === null || amount === 0 ? null : amount;
}

const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,3})\d*)?(?:([Zz])|([+-]\d{2}):?(\d{2})?)?$/;

/** Years of the times that are read: `0001-01-01` and `9999-12-31` are programs' words for none. */
const [EARLIEST, LATEST] = [Date.UTC(2000), Date.UTC(3000)];

/**
 * Reads RFC 3339 and similar times: without a zone (then in `zoneless`, never in this machine's zone), with any number of
 * decimals, with a space, with `-0300`. Undefined when it is no time.
 */
export function readTime(value: unknown, zoneless: ApiPixConfig["zonelessTime"]): Date | undefined {
  if (typeof value !== "string") return undefined;
  const parts = TIME.exec(value);
  if (parts === null) return undefined;
  const [, day, clock, decimals, z, hours, minutes] = parts;
  const zone = z !== undefined ? "Z" : hours !== undefined ? `${hours}:${minutes ?? "00"}` : zoneless;
  const seconds = clock?.length === 5 ? `${clock}:00` : clock;
  const ms = Date.parse(`${day}T${seconds}.${(decimals ?? "").padEnd(3, "0")}${zone}`);
  return ms >= EARLIEST && ms < LATEST ? new Date(ms) : undefined;
}

/** Like `readAmount`, but zero and negative amounts are allowed. */
export function readSigned(value: unknown): number | null {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string") return null;
  if (/^-?0{1,10}(?:\.0*)?$/.test(written)) return 0;
  const amount = readAmount(written.replace(/^-/, ""));
  return amount === null || !written.startsWith("-") ? amount : -amount;
}

/** RFC 3339 in UTC, for queries (`+` of an offset would have to be encoded, so always Z). */
export function writeTime(time: Date, millis: boolean): string {
  const written = time.toISOString();
  return millis ? written : `${written.slice(0, 19)}Z`;
}

/** An unmasked CPF (11 digits) or CNPJ (14, since 2026 with letters), without punctuation; undefined otherwise. */
export function readDocument(value: unknown): string | undefined {
  const written = typeof value === "string" ? normaliseDocument(value) : "";
  return /^(?:[0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/.test(written) ? written : undefined;
}

/** Ids of the network and of banks. Their documentation shows ids of 26 to 34 characters, where 32 is the rule. */
export function readId(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-zA-Z0-9]{1,64}$/.test(value) ? value : undefined;
}

export function pick<T>(table: Readonly<Record<string, T>>, value: unknown): T | "unrecognised" {
  return typeof value === "string" && Object.hasOwn(table, value) ? (table[value] as T) : "unrecognised";
}
