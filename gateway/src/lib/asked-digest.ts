import { createHash } from "node:crypto";

/** What was asked for and never changes: who gets how much, out of which wallet, by which institution, under which id. */
const ASKED = [
  "accountId", "withdrawalId", "walletId", "institutionId", "pspId", "netAmount", "pixKey", "pixKeyType", "holderName",
  "holderDocument", "holderDocumentType",
] as const; // biome-ignore format: a list
const NEWLINE = "\n";

type Asked = Readonly<Record<(typeof ASKED)[number], string | number>>;

/**
 * A digest of it, stored with the row: before each request the sender compares it, and `verify` does (W8), so a receiver or
 * an amount that a fault or a person changed in the database afterwards is not paid. It is no secret: whoever knows it can
 * change both.
 */
export const digestOfAsked = (row: Asked): string =>
  createHash("sha256")
    .update(ASKED.map((name) => String(row[name])).join(NEWLINE))
    .digest("hex");

/** The same in SQL, of the table's own columns. */
export const DIGEST_OF_ASKED = `encode(sha256(convert_to(concat_ws(E'\\n', ${ASKED.map((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
).join(", ")}), 'UTF8')), 'hex')`;
