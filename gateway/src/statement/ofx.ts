import { decimal } from "../lib/csv.ts";
import type { Explained } from "./by-key.ts";
import { changesTotal, KINDS, typeOf } from "./kinds.ts";
import type { Window } from "./window.ts";

/** São Paulo is UTC−3 all year. */
const ZONE = "[-3:BRT]";
const OFFSET = 3 * 3_600_000;

const time = (at: Date): string =>
  new Date(at.getTime() - OFFSET).toISOString().slice(0, 19).replace(/[-:T]/g, "") + ZONE;

/** Characters that OFX gives a meaning, and those that Windows-1252 does not have. */
const safe = (text: string, longest: number): string =>
  [...text.normalize("NFC").replace(/\s+/g, " ")]
    .filter((character) => /[\x20-\x7e\xa0-\xff]/.test(character))
    .slice(0, longest)
    .join("")
    .trim()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

const TYPES: Readonly<Partial<Record<ReturnType<typeof typeOf>, string>>> = { fee: "FEE", internal_transfer: "XFER" };

/** One line as a bank transaction. Its FITID is the balance and number of the line, which never change. */
function transaction(line: Explained): string {
  const { amount, kind } = line;
  const type = TYPES[typeOf(kind)] ?? (amount < 0 ? "DEBIT" : "CREDIT");
  const memo = [line.description ?? KINDS[kind]?.says ?? kind, line.externalReference, line.e2eId].filter(
    (part) => part !== null,
  );
  return [
    "<STMTTRN>",
    `<TRNTYPE>${type}</TRNTYPE>`,
    `<DTPOSTED>${time(line.bookedAt)}</DTPOSTED>`,
    `<TRNAMT>${decimal(amount)}</TRNAMT>`,
    `<FITID>${line.balance}-${line.line}</FITID>`,
    ...(line.counterpart === null ? [] : [`<NAME>${safe(line.counterpart, 32)}</NAME>`]),
    `<MEMO>${safe(memo.join(" | "), 255)}</MEMO>`,
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
 * A statement as OFX 1.02, Windows-1252, as Brazilian banks write it and accounting software reads it: what changes the
 * wallet's total, without what moves between its own balances. In pieces, oldest page last.
 */
export async function* statementOfx(
  { accountId, reference, from, to, now }: Header,
  window: Window,
  pages: AsyncIterable<readonly Explained[]>,
): AsyncGenerator<Buffer> {
  const latin = (text: string) => Buffer.from(text, "latin1");
  const head = [
    "OFXHEADER:100", "DATA:OFXSGML", "VERSION:102", "SECURITY:NONE", "ENCODING:USASCII", "CHARSET:1252", "COMPRESSION:NONE",
    "OLDFILEUID:NONE", "NEWFILEUID:NONE", "",
    "<OFX>", "<SIGNONMSGSRSV1>", "<SONRS>", "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>",
    `<DTSERVER>${time(now)}</DTSERVER>`, "<LANGUAGE>POR</LANGUAGE>", "</SONRS>", "</SIGNONMSGSRSV1>",
    "<BANKMSGSRSV1>", "<STMTTRNRS>", "<TRNUID>1</TRNUID>", "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>",
    "<STMTRS>", "<CURDEF>BRL</CURDEF>",
    `<BANKACCTFROM><BANKID>PIXGATE</BANKID><BRANCHID>${safe(reference, 22)}</BRANCHID><ACCTID>${accountId.replaceAll("-", "").slice(-22)}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>`,
    "<BANKTRANLIST>", `<DTSTART>${time(from)}</DTSTART>`, `<DTEND>${time(to)}</DTEND>`, "",
  ]; // biome-ignore format: a document
  yield latin(head.join("\r\n"));
  for await (const lines of pages) {
    const shown = lines.filter(({ kind }) => changesTotal(kind));
    if (shown.length > 0) yield latin(`${shown.map(transaction).join("\r\n")}\r\n`);
  }
  const end = [
    "</BANKTRANLIST>",
    `<LEDGERBAL><BALAMT>${decimal(window.closingBalance)}</BALAMT><DTASOF>${time(to)}</DTASOF></LEDGERBAL>`,
    "</STMTRS>", "</STMTTRNRS>", "</BANKMSGSRSV1>", "</OFX>", "",
  ]; // biome-ignore format: a document
  yield latin(end.join("\r\n"));
}
