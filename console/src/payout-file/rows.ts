/** The payouts of a file: what each line asks for, and what is wrong with it. Nothing is guessed that could pay somebody else. */
import { type merchant, parseBrl } from "@pixgate/sdk";
import { documentKindOf, isPixKey, plainKey, readDocument } from "../parts/document.ts";
import { keyTypeOf as typeOfKey } from "../withdrawals/key-type.ts";
import type { FileLine } from "./read.ts";

/** Lines of one file. */
export const MOST_ROWS = 500;
/** Largest file, bytes: 500 lines of the longest values are smaller. */
export const MOST_BYTES = 1024 * 1024;
const LONGEST_NAME = 255;
const LONGEST_REFERENCE = 255;

export const FIELDS = ["name", "document", "keyType", "key", "amount", "reference"] as const;
export type Field = (typeof FIELDS)[number];

/** What is wrong with a value: the end of a key in the texts (`payoutFile.wrong`). */
type Wrong =
  | "missing" | "tooLong" | "document" | "documentShort" | "keyType" | "key" | "keyShortened" | "holder" | "amount"
  | "amountUnclear" | "referenceTwice"; // biome-ignore format: a list
export type Fault =
  | { readonly field: Field; readonly wrong: Wrong }
  /** A line has more than the columns with a title: what is `written` there. */
  | { readonly field: "line"; readonly wrong: "surplus"; readonly written: string };

export type PayoutRow = {
  readonly line: number;
  /** As the file has them. */
  readonly written: Readonly<Record<Field, string>>;
  readonly faults: readonly Fault[];
  /** What is sent; null where something is wrong. */
  readonly request:
    | (merchant.WithdrawalRequest & { readonly netAmount: number; readonly externalReference: string })
    | null;
  /** The line before it with the same key and amount, which may be a mistake. */
  readonly sameAs: number | null;
};

/** Why a file has no rows: the end of a key in the texts (`payoutFile.unread`). */
export type Unread =
  | { readonly why: "empty" | "tooMany" }
  | { readonly why: "columns"; readonly columns: readonly Field[] }
  /** The titles of columns that are the same field. */
  | { readonly why: "columnTwice"; readonly titles: readonly string[] };

/** Names of the columns, without accents, spaces and punctuation. */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  name: ["nome", "favorecido", "nomedofavorecido", "nomedequemrecebe", "name", "payee"],
  document: ["documento", "cpf", "cnpj", "cpfcnpj", "cpfoucnpj", "document"],
  keyType: ["tipo", "tipodechave", "tipodachave", "tipochave", "keytype", "type"],
  key: ["chave", "chavepix", "pix", "key", "pixkey"],
  // The second one is "Valor (R$)".
  amount: ["valor", "valorr", "amount"],
  reference: ["referencia", "ref", "reference"],
};
const KEY_TYPES: Readonly<Record<string, merchant.WithdrawalRequest["pixKeyType"]>> = {
  ...{ cpf: "cpf", cnpj: "cnpj", email: "email", telefone: "phone", celular: "phone", phone: "phone" },
  ...{ aleatoria: "random", chavealeatoria: "random", evp: "random", random: "random" },
};

const plain = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]/g, ""); // biome-ignore format: a chain

/** The rows of a file, the first of whose lines names the columns, in any order. */
export function rowsOf(lines: readonly FileLine[]): readonly PayoutRow[] | Unread {
  const [head, ...body] = lines;
  if (head === undefined) return { why: "empty" };
  const titles = head.cells.map(plain);
  const at = (field: Field) => titles.findIndex((title) => NAMES[field].includes(title));
  for (const field of FIELDS) {
    const same = head.cells.filter((_, i) => NAMES[field].includes(titles[i]!));
    if (same.length > 1) return { why: "columnTwice", titles: same };
  }
  const missing = FIELDS.filter((field) => field !== "keyType" && at(field) < 0);
  if (missing.length > 0) return { why: "columns", columns: missing };
  if (body.length === 0) return { why: "empty" };
  if (body.length > MOST_ROWS) return { why: "tooMany" };
  const rows = body.map(({ line, cells }) => {
    const written = Object.fromEntries(FIELDS.map((field) => [field, cells[at(field)] ?? ""]));
    const row = readRow(line, written as Record<Field, string>);
    // An amount that a comma cut in two moves the cells behind it: what is read of the line is another payout.
    const surplus = cells.filter((cell, i) => cell !== "" && !head.cells[i]).join(" · ");
    if (surplus === "") return row;
    return { ...row, faults: [{ field: "line" as const, wrong: "surplus" as const, written: surplus }], request: null };
  });
  return compared(rows);
}

function readRow(line: number, written: Readonly<Record<Field, string>>): PayoutRow {
  const faults: Fault[] = FIELDS.flatMap((field) =>
    field !== "keyType" && written[field] === "" ? [{ field, wrong: "missing" as const }] : [],
  );
  const fault = (field: Field, wrong: Wrong) => {
    if (!faults.some((one) => one.field === field)) faults.push({ field, wrong });
  };
  if (written.name.length > LONGEST_NAME) fault("name", "tooLong");
  if (written.reference.length > LONGEST_REFERENCE) fault("reference", "tooLong");
  const { document } = readDocument(written.document);
  const kind = documentKindOf(document);
  if (kind === null) fault("document", /^\d{8,10}$/.test(document) ? "documentShort" : "document");
  const type = keyTypeOf(written, document, kind);
  if (type === null) fault("keyType", "keyType");
  else if (/^\d[.,]\d+e\+?\d+$/i.test(written.key)) fault("key", "keyShortened");
  else if (!isPixKey(type, written.key)) fault("key", "key");
  else if ((type === "cpf" || type === "cnpj") && readDocument(written.key).document !== document)
    fault("key", "holder");
  const netAmount = amountOf(written.amount);
  if (typeof netAmount === "string") fault("amount", netAmount);
  if (faults.length > 0 || type === null || kind === null || typeof netAmount === "string")
    return { line, written, faults, request: null, sameAs: null };
  const request = {
    ...{ netAmount, pixKey: written.key, pixKeyType: type, holderName: written.name },
    ...{ holderDocument: document, holderDocumentType: kind },
    ...{ externalReference: written.reference, uniqueReference: true },
  };
  return { line, written, faults, request, sameAs: null };
}

/** The type that the file names; where it names none, only one that the key cannot be mistaken in. */
function keyTypeOf(
  { keyType, key }: Readonly<Record<Field, string>>,
  document: string,
  kind: "cpf" | "cnpj" | null,
): merchant.WithdrawalRequest["pixKeyType"] | null {
  if (keyType !== "") return KEY_TYPES[plain(keyType)] ?? null;
  const type = typeOfKey(key);
  if (type !== "cpf" && type !== "cnpj") return type;
  return readDocument(key).document === document ? kind : null;
}

function amountOf(text: string): number | "amount" | "amountUnclear" {
  // A thousand, or one and a bit: nobody can say.
  if (/^(?:R\$\s*)?\d{1,3}[.,]\d{3}$/.test(text)) return "amountUnclear";
  try {
    const brl = parseBrl(text);
    return brl > 0 ? brl : "amount";
  } catch {
    return "amount";
  }
}

/** The rows with what only shows beside the others: a reference that two have, the same key and amount. */
function compared(rows: readonly PayoutRow[]): readonly PayoutRow[] {
  const uses = new Map<string, number>();
  for (const { written } of rows) uses.set(written.reference, (uses.get(written.reference) ?? 0) + 1);
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const twice = row.written.reference !== "" && uses.get(row.written.reference) !== 1;
    if (twice) {
      const faults: Fault[] = [...row.faults, { field: "reference", wrong: "referenceTwice" }];
      return { ...row, faults, request: null };
    }
    if (row.request === null) return row;
    const paid = `${row.request.netAmount} ${plainKey(row.request.pixKeyType, row.request.pixKey)}`;
    const sameAs = seen.get(paid) ?? null;
    if (sameAs === null) seen.set(paid, row.line);
    return { ...row, sameAs };
  });
}

/** Whether a withdrawal is what the row asks for: else its reference was used for something else. */
export const isSame = (
  withdrawal: merchant.Withdrawal,
  { netAmount, holderDocument, pixKeyType, pixKey }: NonNullable<PayoutRow["request"]>,
): boolean =>
  withdrawal.netAmount === netAmount &&
  withdrawal.snapshotHolderDocument === holderDocument &&
  withdrawal.snapshotPixKeyType === pixKeyType &&
  withdrawal.snapshotPixKey === plainKey(pixKeyType, pixKey);
