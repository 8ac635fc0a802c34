import type { Window } from "../ledger/window.ts";
import { decimal } from "../lib/csv.ts";
import { OFFSET } from "../lib/days.ts";
import type { Explained } from "./by-key.ts";
import { changesTotal, KINDS, typeOf } from "./kinds.ts";

const ZONE = "[-3:BRT]";
/** Windows-1252 characters from 0x80 on, which Latin-1 lacks; a space where there is none. */
const TYPOGRAPHIC = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
const WRITABLE = /[\x20-\x7e\xa0-\xff]/;

/** The text in Windows-1252; `safe` has removed all other characters. */
const encoded = (text: string): Buffer =>
  Buffer.from(
    [...text].map((character) => {
      const at = character === " " ? -1 : TYPOGRAPHIC.indexOf(character);
      return at === -1 ? character.charCodeAt(0) : 0x80 + at;
    }),
  );

const time = (at: Date): string =>
  new Date(at.getTime() - OFFSET).toISOString().slice(0, 19).replace(/[-:T]/g, "") + ZONE;

/** Characters with a meaning in OFX, and those that Windows-1252 lacks. */
const safe = (text: string, longest: number): string =>
  [...text.normalize("NFC").replace(/\s+/g, " ")]
    .filter((character) => WRITABLE.test(character) || TYPOGRAPHIC.includes(character))
    .slice(0, longest)
    .join("")
    .trim()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/**
 * An optional element. Importers refuse a whole file for an empty one, such as a name in an alphabet that the encoding
 * lacks.
 */
function element(name: string, value: string, longest: number): string[] {
  const text = safe(value, longest);
  return text === "" ? [] : [`<${name}>${text}</${name}>`];
}

const TYPES: Readonly<Partial<Record<ReturnType<typeof typeOf>, string>>> = { fee: "FEE", internal_transfer: "XFER" };

/** One line as a bank transaction. Its FITID is the balance and number of the line, which never change. */
function transaction(line: Explained): string {
  const { amount, kind } = line;
  const type = TYPES[typeOf(kind)] ?? (amount < 0 ? "DEBIT" : "CREDIT");
  const memo = [line.description ?? KINDS[kind]?.description ?? kind, line.externalReference, line.e2eId].filter(
    (part) => part !== null,
  );
  return [
    "<STMTTRN>",
    `<TRNTYPE>${type}</TRNTYPE>`,
    `<DTPOSTED>${time(line.bookedAt)}</DTPOSTED>`,
    `<TRNAMT>${decimal(amount)}</TRNAMT>`,
    `<FITID>${line.balance}-${line.line}</FITID>`,
    ...element("NAME", line.counterpart ?? "", 32),
    ...element("MEMO", memo.join(" | "), 255),
    "</STMTTRN>",
  ].join("\r\n");
}

type Header = {
  readonly accountId: string;
  /** Reference of the wallet; `principal` is the main account. */
  readonly reference: string;
  readonly from: Date;
  readonly to: Date;
  readonly now: Date;
};

/**
 * A statement as OFX 1.02, Windows-1252, as Brazilian banks write it and accounting software reads it: everything that
 * changes the wallet's total, without movements between its own balances. In pieces, oldest page last.
 */
export async function* statementOfx(
  { accountId, reference, from, to, now }: Header,
  window: Window,
  pages: AsyncIterable<readonly Explained[]>,
): AsyncGenerator<Buffer> {
  // For a period that has not ended, data is known until now.
  const end = to > now ? now : to;
  const head = [
    "OFXHEADER:100", "DATA:OFXSGML", "VERSION:102", "SECURITY:NONE", "ENCODING:USASCII", "CHARSET:1252", "COMPRESSION:NONE",
    "OLDFILEUID:NONE", "NEWFILEUID:NONE", "",
    "<OFX>", "<SIGNONMSGSRSV1>", "<SONRS>", "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>",
    `<DTSERVER>${time(now)}</DTSERVER>`, "<LANGUAGE>POR</LANGUAGE>", "</SONRS>", "</SIGNONMSGSRSV1>",
    "<BANKMSGSRSV1>", "<STMTTRNRS>", "<TRNUID>1</TRNUID>", "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>",
    "<STMTRS>", "<CURDEF>BRL</CURDEF>",
    `<BANKACCTFROM><BANKID>PIXGATE</BANKID><BRANCHID>${safe(reference, 22)}</BRANCHID><ACCTID>${accountId.replaceAll("-", "").slice(-22)}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>`,
    "<BANKTRANLIST>", `<DTSTART>${time(from)}</DTSTART>`, `<DTEND>${time(end)}</DTEND>`, "",
  ]; // biome-ignore format: a document
  yield encoded(head.join("\r\n"));
  for await (const lines of pages) {
    const shown = lines.filter(({ kind }) => changesTotal(kind));
    if (shown.length > 0) yield encoded(`${shown.map(transaction).join("\r\n")}\r\n`);
  }
  const foot = [
    "</BANKTRANLIST>",
    `<LEDGERBAL><BALAMT>${decimal(window.closingBalance)}</BALAMT><DTASOF>${time(end)}</DTASOF></LEDGERBAL>`,
    "</STMTRS>", "</STMTTRNRS>", "</BANKMSGSRSV1>", "</OFX>", "",
  ]; // biome-ignore format: a document
  yield encoded(foot.join("\r\n"));
}
