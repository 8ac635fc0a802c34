import type PDFDocument from "pdfkit";
import { qrModules } from "../qr.ts";
import { showable } from "./characters.ts";

type Document = InstanceType<typeof PDFDocument>;

/** Points of the foot inside the margin. */
const FOOT = 24;
const INK = "#111111";
const QUIET = "#555555";
const RULE = "#bbbbbb";
const SIZES = { title: 17, heading: 11.5, text: 9.5, cell: 8.5, foot: 7.5 } as const;
const GAP = 5;
/** Most characters of a cell, and lines of them (three pages): a row is written in one piece, and others wait for it. */
const MOST_OF_CELL = 4_000;
const MOST_LINES = 200;
const DOTS = "…";
/** Of a line's size its height. */
const LINE = 1.25;

type Font = "Helvetica" | "Helvetica-Bold";
type How = { readonly font: Font; readonly size: number; readonly colours: readonly string[] };
/** The lines of each cell of a row. */
type Cells = readonly (readonly string[])[];
const mostOf = (cells: Cells): number => Math.max(...cells.map(({ length }) => length));
const heightOf = (cells: Cells, size: number): number => mostOf(cells) * size * LINE + 3;

/** A column of a table. */
type Column = {
  readonly title: string;
  /** Its share of the width. */
  readonly share: number;
  /** Figures stand at the right. */
  readonly figures?: true;
};

/** Most pages of a paper: some 5,000 lines of a table, 200 kB, a second of work in pieces of a page. */
export const MOST_PAGES = 100;

/** A paper has more pages than it may have. */
export class PaperTooLong extends Error {}

/** A sheet that is written from the top; what does not fit goes on the next one, a table with its titles. */
export class Paper {
  readonly #document: Document;
  readonly #margin: number;
  readonly #mostPages: number;
  /** Widths of characters after the one before them, by font and size. */
  readonly #advances = new Map<string, number>();
  #y = 0;
  #turned = false;

  /** `margin` in points. */
  constructor(document: Document, margin: number, mostPages: number) {
    this.#document = document;
    this.#margin = margin;
    this.#mostPages = mostPages;
    this.#turn();
  }

  get #width(): number {
    return this.#document.page.width - 2 * this.#margin;
  }

  get #bottom(): number {
    return this.#document.page.height - this.#margin - FOOT;
  }

  #turn(): void {
    if (this.#document.bufferedPageRange().count >= this.#mostPages) throw new PaperTooLong();
    this.#document.addPage();
    this.#y = this.#margin;
    this.#turned = true;
  }

  /** After each page the process's thread is left to others. */
  async #rest(): Promise<void> {
    if (!this.#turned) return;
    this.#turned = false;
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Makes room for so many points. */
  #room(height: number): void {
    if (this.#y + height > this.#bottom && this.#y > this.#margin) this.#turn();
  }

  #line(): void {
    const right = this.#margin + this.#width;
    this.#document.lineWidth(0.5).strokeColor(RULE).moveTo(this.#margin, this.#y).lineTo(right, this.#y).stroke();
  }

  #say(text: string, font: Font, size: number, colour: string): void {
    for (const line of this.#lines(text, this.#width, font, size)) this.#put(line, font, size, colour);
  }

  #put(line: string, font: Font, size: number, colour: string): void {
    this.#document.font(font, size);
    const height = this.#document.currentLineHeight(true) + 1;
    this.#room(height);
    this.#document.font(font, size).fillColor(colour).text(line, this.#margin, this.#y, { lineBreak: false });
    this.#y += height;
  }

  #advance(before: string, character: string, font: Font, size: number): number {
    const key = `${font} ${size} ${before}${character}`;
    const known = this.#advances.get(key);
    if (known !== undefined) return known;
    this.#document.font(font, size);
    const whole = this.#document.widthOfString(before + character);
    const advance = before === "" ? whole : whole - this.#document.widthOfString(before);
    this.#advances.set(key, advance);
    return advance;
  }

  /** A text as lines of at most this width; a word that is wider is cut. */
  #lines(text: string, width: number, font: Font, size: number): string[] {
    return showable(text)
      .split("\n")
      .flatMap((paragraph) => this.#broken(paragraph, width, font, size));
  }

  /** Reads each character at most twice. */
  #broken(paragraph: string, width: number, font: Font, size: number): string[] {
    const lines: string[] = [];
    let [from, space, wide] = [0, -1, 0];
    for (let at = 0; at < paragraph.length; at += 1) {
      const character = paragraph[at]!;
      wide += this.#advance(at === from ? "" : paragraph[at - 1]!, character, font, size);
      // A space at the end of a line may stand beyond it, where nobody sees it.
      if (character === " ") space = at;
      if (character === " " || wide <= width || at === from) continue;
      const inWord = space <= from;
      lines.push(paragraph.slice(from, inWord ? at : space));
      from = inWord ? at : space + 1;
      at = from - 1;
      wide = 0;
    }
    return [...lines, paragraph.slice(from)];
  }

  space(points: number): void {
    this.#y += points;
  }

  title(text: string, under: string): void {
    this.#say(text, "Helvetica-Bold", SIZES.title, INK);
    this.#y += 3;
    this.#say(under, "Helvetica", SIZES.text, QUIET);
    this.#y += 6;
    this.#line();
    this.#y += 8;
  }

  heading(text: string): void {
    this.#y += 8;
    // A heading does not stand alone at the foot of a page.
    this.#room(60);
    this.#say(text, "Helvetica-Bold", SIZES.heading, INK);
    this.#y += 4;
  }

  /** A text longer than a page goes over several. */
  async text(text: string): Promise<void> {
    for (const line of this.#lines(text, this.#width, "Helvetica", SIZES.text)) {
      this.#put(line, "Helvetica", SIZES.text, INK);
      await this.#rest();
    }
    this.#y += GAP;
  }

  /** Names and values beside each other; what is empty is left out, and a value beyond 4,000 characters cut. */
  async facts(facts: readonly (readonly [string, string | null | undefined])[]): Promise<void> {
    const columns = [{ share: 28 }, { share: 72 }];
    const how = { font: "Helvetica", size: SIZES.text, colours: [QUIET, INK] } as const;
    for (const [name, value] of facts) {
      if (value === null || value === undefined || value === "") continue;
      this.#row(this.#cells([name, value], columns, how), columns, how);
      await this.#rest();
    }
    this.#y += GAP;
  }

  /** Rows come as they are read; a cell beyond 4,000 characters is cut. */
  async table(
    columns: readonly Column[],
    rows: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
    total?: readonly string[],
  ): Promise<void> {
    const plain = { font: "Helvetica", size: SIZES.cell, colours: [INK] } as const;
    const bold = { ...plain, font: "Helvetica-Bold" } as const;
    const heads = this.#cells(
      columns.map(({ title }) => title),
      columns,
      bold,
    );
    const titles = () => {
      this.#row(heads, columns, { ...bold, colours: [QUIET] });
      this.#line();
      this.#y += 2;
    };
    this.#room(40);
    titles();
    for await (const row of rows) {
      const cells = this.#cells(row, columns, plain);
      if (this.#y + heightOf(cells, SIZES.cell) > this.#bottom) {
        this.#turn();
        titles();
      }
      this.#row(cells, columns, plain);
      await this.#rest();
    }
    if (total) {
      const cells = this.#cells(total, columns, bold);
      this.#room(heightOf(cells, SIZES.cell) + 4);
      this.#line();
      this.#y += 2;
      this.#row(cells, columns, bold);
    }
    this.#y += GAP;
  }

  #widths(columns: readonly Pick<Column, "share">[]): number[] {
    const all = columns.reduce((sum, { share }) => sum + share, 0);
    return columns.map(({ share }) => (this.#width * share) / all);
  }

  #cells(cells: readonly string[], columns: readonly Pick<Column, "share">[], { font, size }: How): Cells {
    const widths = this.#widths(columns);
    return cells.map((cell, i) => {
      const text = cell.length > MOST_OF_CELL ? cell.slice(0, MOST_OF_CELL) + DOTS : cell;
      const lines = this.#lines(text, widths[i]! - GAP, font, size);
      return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), DOTS] : lines;
    });
  }

  /** One row. One that is higher than a page goes over several. */
  #row(cells: Cells, columns: readonly Pick<Column, "share" | "figures">[], { font, size, colours }: How): void {
    const widths = this.#widths(columns);
    const step = size * LINE;
    for (let line = 0; line < mostOf(cells); line += 1) {
      this.#room(step + 3);
      let x = this.#margin;
      for (const [i, cell] of cells.entries()) {
        const text = cell[line];
        const width = widths[i]! - (i < cells.length - 1 ? GAP : 0);
        if (text) {
          this.#document.font(font, size).fillColor(colours[i] ?? colours[0]!);
          const left = columns[i]!.figures ? x + width - this.#document.widthOfString(text) : x;
          this.#document.text(text, left, this.#y, { lineBreak: false });
        }
        x += widths[i]!;
      }
      this.#y += step;
    }
    this.#y += 3;
  }

  /** Points from here to the margin below, on a page without a foot. */
  get left(): number {
    return this.#document.page.height - this.#margin - this.#y;
  }

  /** Points that such a text takes. */
  heightOfCentred(text: string, size: number, bold = false): number {
    return (
      this.#lines(text, this.#width, bold ? "Helvetica-Bold" : "Helvetica", size).length * size * LINE + size * 0.4
    );
  }

  /** Text in the middle of the page. */
  centred(text: string, size: number, bold = false): void {
    const font = bold ? "Helvetica-Bold" : "Helvetica";
    for (const line of this.#lines(text, this.#width, font, size)) {
      this.#document.font(font, size);
      const x = this.#margin + (this.#width - this.#document.widthOfString(line)) / 2;
      this.#document.fillColor(INK).text(line, x, this.#y, { lineBreak: false });
      this.#y += size * LINE;
    }
    this.#y += size * 0.4;
  }

  /** A QR code in lines, not pixels, in the middle: sharp at any size. So wide, or as the height allows, in points. */
  qr(text: string, share: number, height: number): void {
    const modules = qrModules(text);
    const side = Math.min(this.#width * share, height - GAP);
    const step = side / modules.length;
    const left = this.#margin + (this.#width - side) / 2;
    for (const [y, row] of modules.entries())
      for (let x = 0; x < row.length; x += 1) {
        const from = x;
        while (row[x]) x += 1;
        if (x > from) this.#document.rect(left + from * step, this.#y + y * step, (x - from) * step, step * 1.01);
      }
    this.#document.fill("#000000");
    this.#y += side + GAP;
  }

  /** The foot of every page, once all are written. */
  foot(text: string, pageOf: (page: number, pages: number) => string): void {
    const { start, count } = this.#document.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      this.#document.switchToPage(page);
      this.#document.font("Helvetica", SIZES.foot).fillColor(QUIET);
      const y = this.#document.page.height - this.#margin - SIZES.foot;
      const number = pageOf(page - start + 1, count);
      const right = this.#margin + this.#width - this.#document.widthOfString(number);
      this.#document.text(showable(text), this.#margin, y, { lineBreak: false });
      this.#document.text(number, right, y, { lineBreak: false });
    }
  }
}
