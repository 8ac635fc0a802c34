/** Finds examples of a published document that break a rule of their field that the schema cannot express. */

import jsQR from "jsqr";
import { PNG } from "pngjs";
import { parse } from "../../gateway/src/lib/brcode.ts";
import { documentKind, normaliseDocument } from "../../gateway/src/lib/documents.ts";
import { normalisePixKey, PIX_KEY_TYPES, type PixKeyType } from "../../gateway/src/withdrawals/pix-keys.ts";
import { inlined, type Schema, validatorOf } from "../../gateway/test/harness/document.ts";

type Fields = Readonly<Record<string, unknown>>;
/** Returns what is wrong with the value of a field; null: nothing. */
type Rule = (value: string, beside: Fields) => string | null;

/** Rules for texts, by the name of the field. */
const RULES: readonly (readonly [field: RegExp, rule: Rule])[] = [
  [/^pixCopyPaste$/, (value) => errorOf(parse(value))],
  [/^qrCodeBase64$/, (value, { pixCopyPaste }) => (readPicture(value) === pixCopyPaste ? null : "shows another code")],
  [/document$/i, (value) => (documentKind(normaliseDocument(value)) ? null : "has wrong check digits")],
  [/pixKey$/i, (value, beside) => (isKey(value, beside) ? null : "is no key of its type")],
  [/e2eId$/i, (value) => (isEndToEnd(value) ? null : "is no end-to-end id")],
  [/^txid$/, (value) => (/^[a-z0-9]{26,35}$/i.test(value) ? null : "is no txid")],
  [/url$/i, (value) => (URL.canParse(value) && new URL(value).protocol === "https:" ? null : "is no https URL")],
  [/^access_token$/, (value) => (isJwt(value) ? null : "is no JWT")],
];
/** Times that are never earlier than the object's creation. */
const LATER = ["paidAt", "completedAt", "failedAt", "expiresAt", "updatedAt", "settledAt", "resolvedAt", "processedAt"];

const errorOf = (code: object): string | null => ("error" in code ? String(code.error) : null);

function readPicture(uri: string): string | undefined {
  try {
    const { data, width, height } = PNG.sync.read(Buffer.from(uri.replace(/^data:image\/png;base64,/, ""), "base64"));
    const read = jsQR as unknown as (pixels: Uint8ClampedArray, w: number, h: number) => { data: string } | null;
    return read(new Uint8ClampedArray(data), width, height)?.data;
  } catch {
    return undefined;
  }
}

function isKey(value: string, beside: Fields): boolean {
  const named = beside.pixKeyType ?? beside.snapshotPixKeyType;
  const types = named === undefined ? PIX_KEY_TYPES : [named as PixKeyType];
  return types.some((type) => normalisePixKey(type, value) !== null);
}

/** Whether it is an end-to-end id: `E` or `D`, the institution, the minute in UTC, and eleven characters. */
function isEndToEnd(value: string): boolean {
  const [, year, month, day, hour, minute] =
    /^[ED]\d{8}(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)[a-z0-9]{11}$/i.exec(value) ?? [];
  return year !== undefined && isMoment(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
}

/** Whether a day or date-time exists: `Date` accepts the 31st of February as a day of March. */
function isMoment(value: string): boolean {
  const at = new Date(value);
  return !Number.isNaN(at.getTime()) && (!/T.*Z$/.test(value) || at.toISOString().slice(0, 16) === value.slice(0, 16));
}

const isJwt = (value: string): boolean => {
  const [head, claims, signature] = value.split(".");
  const isObject = (part = "") => {
    try {
      return typeof JSON.parse(Buffer.from(part, "base64url").toString()) === "object";
    } catch {
      return false;
    }
  };
  return isObject(head) && isObject(claims) && !!signature;
};

/** What is wrong with a value and everything in it. */
function wrongIn(value: unknown, at: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, i) => wrongIn(item, `${at}[${i}]`));
  const fields = value as Fields;
  return Object.entries(fields).flatMap(([name, inner]) => {
    const here = `${at}.${name}`;
    if (typeof inner === "string") return wrongText(name, inner, fields).map((wrong) => `${here} ${wrong}`);
    return wrongIn(inner, here);
  });
}

function wrongText(name: string, value: string, beside: Fields): string[] {
  const broken = RULES.filter(([field]) => field.test(name)).map(([, rule]) => rule(value, beside));
  if (/^\d{4}-\d\d(-\d\d|$)/.test(value) && !isMoment(value)) broken.push("is not in the calendar");
  const { createdAt } = beside;
  if (LATER.includes(name) && typeof createdAt === "string" && Date.parse(value) < Date.parse(createdAt))
    broken.push("is before createdAt");
  return broken.filter((wrong) => wrong !== null);
}

type Media = { readonly schema: Schema; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };
type Shown = { readonly at: string; readonly name: string; readonly schema: Schema; readonly value: unknown };

/** Every example of a document, with its schema. */
function examplesOf(value: unknown, at: string): Shown[] {
  if (typeof value !== "object" || value === null) return [];
  const node = value as Record<string, unknown>;
  const { schema, examples, example, name } = node as Media & { example?: unknown; name?: string };
  const own =
    schema === undefined || Array.isArray(examples)
      ? []
      : [
          ...Object.entries(examples ?? {}).map(([key, one]) => ({
            at: `${at}/${key}`,
            name: "",
            schema,
            value: one.value,
          })),
          ...(example === undefined ? [] : [{ at: `${at}/example`, name: name ?? "", schema, value: example }]),
        ];
  const below = Object.entries(node)
    .filter(([key]) => key !== "examples" && key !== "example")
    .flatMap(([key, inner]) => examplesOf(inner, `${at}/${key}`));
  return [...own, ...below];
}

/** Makes a validator of a document's schemas. Compiling them takes seconds. */
export const checkOf = (published: object): ReturnType<typeof validatorOf> =>
  validatorOf(inlined(published) as Parameters<typeof validatorOf>[0], false);

/**
 * Returns a line for each example that breaks its schema or a rule of its field: a checksum, check digits, the code in
 * a picture, the form of an id, a day that does not exist, the order of times.
 */
export function wrongExamples(published: object, check = checkOf(published)): string[] {
  const document = inlined(published);
  return examplesOf({ ...document, components: {} }, "").flatMap(({ at, name, schema, value }) => {
    const problem = check(schema, value);
    const texts = name === "" ? wrongIn(value, "") : wrongIn({ [name]: value }, "");
    return [...(problem === null ? [] : [problem]), ...texts].map((wrong) => `${at}: ${wrong}`);
  });
}
