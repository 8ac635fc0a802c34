import { createHash } from "node:crypto";

/**
 * The fields of an order that never change: who gets how much, out of which wallet, by which institution, under which id.
 */
const ASKED = [
  "accountId", "withdrawalId", "walletId", "institutionId", "pspId", "netAmount", "pixKey", "pixKeyType", "holderName",
  "holderDocument", "holderDocumentType",
] as const; // biome-ignore format: a list
const NEWLINE = "\n";

type OrderFields = Readonly<Record<(typeof ASKED)[number], string | number>>;

/**
 * A digest of these fields, stored with the row. The sender compares it before each request, and so does `verify` (W8), so
 * that an order whose receiver or amount was changed in the database is not paid. It is no secret: whoever knows it can
 * change both.
 */
export const digestOfAsked = (row: OrderFields): string =>
  createHash("sha256")
    .update(ASKED.map((name) => String(row[name])).join(NEWLINE))
    .digest("hex");

/** The same in SQL, of the table's own columns. */
export const DIGEST_OF_ASKED = `encode(sha256(convert_to(concat_ws(E'\\n', ${ASKED.map((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
).join(", ")}), 'UTF8')), 'hex')`;
