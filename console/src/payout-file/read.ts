/** Reads the text of a table that a spreadsheet has stored. */

/** A line of the file with what stands in it. `line`: as an editor counts, from 1. */
export type FileLine = { readonly line: number; readonly cells: readonly string[] };

const [BYTE_ORDER_MARK, NO_BREAK_SPACE] = [/^\ufeff/, /\u00a0/g];

/**
 * The text of a file: UTF-8, or UTF-16 where it says so ("Unicode text" of Excel), else Windows-1252, in which Excel stores
 * CSV in Brazil.
 */
export function decodeFile(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : null;
  if (utf16 !== null) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(BYTE_ORDER_MARK, "");
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** What separates the cells: what the first line has most of outside quotes. Brazilian spreadsheets write semicolons. */
function separatorOf(text: string): string {
  const first = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r\n|\r|\n/, 1)[0] ?? "";
  const count = (separator: string) => first.split(separator).length;
  return [";", ",", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * The lines of a CSV file (RFC 4180) that have something in them. A quoted cell may hold separators and line ends; the line
 * has the number on which it begins.
 *
 * @throws {UnclosedQuote} a quoted cell never ends: what stands after it would be part of a name.
 */
export function readLines(text: string): readonly FileLine[] {
  const separator = separatorOf(text);
  const lines: FileLine[] = [];
  let [cells, cell, line, began]: [string[], string, number, number] = [[], "", 1, 1];
  const endCell = () => {
    cells.push(clean(cell));
    cell = "";
  };
  const endLine = () => {
    endCell();
    if (cells.some((one) => one !== "")) lines.push({ line: began, cells });
    cells = [];
    began = line;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === '"' && cell.trim() === "") {
      const end = endOfQuoted(text, i);
      if (end === null) throw new UnclosedQuote(began);
      cell = text.slice(i + 1, end).replaceAll('""', '"');
      line += cell.split(/\r\n|\r|\n/).length - 1;
      i = end;
    } else if (character === separator) endCell();
    else if (character === "\n" || character === "\r") {
      if (character === "\r" && text[i + 1] === "\n") i++;
      line++;
      endLine();
    } else cell += character;
  }
  endLine();
  return lines;
}

/** Where the quoted cell ends that begins at `start`; null: nowhere. */
function endOfQuoted(text: string, start: number): number | null {
  for (let i = text.indexOf('"', start + 1); i >= 0; i = text.indexOf('"', i + 2)) if (text[i + 1] !== '"') return i;
  return null;
}

export class UnclosedQuote extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`the quote on line ${line} never ends`);
    this.line = line;
  }
}

/** A cell as it was meant: without the spaces around it, and without the apostrophe that our own files have before `+` and `=`. */
const clean = (cell: string): string =>
  cell
    .replaceAll(NO_BREAK_SPACE, " ")
    .trim()
    .replace(/^'(?=[\d+=@-])/, "");
