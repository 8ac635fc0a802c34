import type PDFDocument from "pdfkit";
import { qrModules } from "../lib/qr.ts";
import { showable } from "./characters.ts";

type Document = InstanceType<typeof PDFDocument>;

/** Points of the foot inside the margin. */
const FOOT = 24;
const INK = "#111111";
const QUIET = "#555555";
const RULE = "#bbbbbb";
const SIZES = { title: 17, heading: 11.5, text: 9.5, cell: 8.5, foot: 7.5 } as const;
const GAP = 5;

/** A column of a table. */
type Column = {
  readonly title: string;
  /** Its share of the width. */
  readonly share: number;
  /** Figures stand at the right. */
  readonly figures?: true;
};

/** A paper has more pages than it may have. */
export class PaperTooLong extends Error {}

/** A sheet that is written from the top; what does not fit goes on the next one, a table with its titles. */
export class Paper {
  readonly #document: Document;
  readonly #margin: number;
  readonly #mostPages: number;
  #y = 0;

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
  }

  /** Makes room for so many points. */
  #room(height: number): void {
    if (this.#y + height > this.#bottom && this.#y > this.#margin) this.#turn();
  }

  #line(): void {
    const right = this.#margin + this.#width;
    this.#document.lineWidth(0.5).strokeColor(RULE).moveTo(this.#margin, this.#y).lineTo(right, this.#y).stroke();
  }

  #say(text: string, font: "Helvetica" | "Helvetica-Bold", size: number, colour: string): void {
    const shown = showable(text);
    this.#document.font(font, size);
    const options = { width: this.#width, lineGap: 1 };
    // A text longer than a page goes over several, a line at a time.
    for (const line of shown.split("\n").flatMap((paragraph) => this.#lines(paragraph, this.#width))) {
      this.#document.font(font, size);
      const height = this.#document.heightOfString(line || " ", options);
      this.#room(height);
      this.#document
        .font(font, size)
        .fillColor(colour)
        .text(line, this.#margin, this.#y, { ...options, lineBreak: false });
      this.#y += height;
    }
  }

  /** A paragraph as lines of at most this width, in the present font; a word that is wider is cut. */
  #lines(paragraph: string, width: number): string[] {
    const fits = (text: string) => this.#document.widthOfString(text) <= width;
    if (fits(paragraph)) return [paragraph];
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ")) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (fits(longer)) line = longer;
      else {
        if (line !== "") lines.push(line);
        line = word;
        while (!fits(line)) {
          let length = line.length - 1;
          while (length > 1 && !fits(line.slice(0, length))) length -= 1;
          lines.push(line.slice(0, length));
          line = line.slice(length);
        }
      }
    }
    return [...lines, line];
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

  text(text: string): void {
    this.#say(text, "Helvetica", SIZES.text, INK);
    this.#y += GAP;
  }

  /** Names and values beside each other; what is empty is left out. */
  facts(facts: readonly (readonly [string, string | null | undefined])[]): void {
    for (const [name, value] of facts) {
      if (value === null || value === undefined || value === "") continue;
      this.#row([name, value], [{ share: 28 }, { share: 72 }], { bold: [], size: SIZES.text, colours: [QUIET, INK] });
    }
    this.#y += GAP;
  }

  /** Rows come as they are read. After each page the process's thread is left to others. */
  async table(
    columns: readonly Column[],
    rows: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
    total?: readonly string[],
  ): Promise<void> {
    const bold = columns.map(() => true);
    const titles = () => {
      this.#row(
        columns.map(({ title }) => title),
        columns,
        { bold, size: SIZES.cell, colours: [QUIET] },
      );
      this.#line();
      this.#y += 2;
    };
    this.#room(40);
    titles();
    for await (const row of rows) {
      const height = this.#heightOf(row, columns, SIZES.cell);
      if (this.#y + height > this.#bottom) {
        this.#turn();
        titles();
        await new Promise((resolve) => setImmediate(resolve));
      }
      this.#row(row, columns, { bold: [], size: SIZES.cell, colours: [INK] });
    }
    if (total) {
      this.#room(this.#heightOf(total, columns, SIZES.cell) + 4);
      this.#line();
      this.#y += 2;
      this.#row(total, columns, { bold, size: SIZES.cell, colours: [INK] });
    }
    this.#y += GAP;
  }

  #widths(columns: readonly Pick<Column, "share">[]): number[] {
    const all = columns.reduce((sum, { share }) => sum + share, 0);
    return columns.map(({ share }) => (this.#width * share) / all);
  }

  #cells(cells: readonly string[], columns: readonly Pick<Column, "share">[]): string[][] {
    const widths = this.#widths(columns);
    return cells.map((cell, i) =>
      showable(cell)
        .split("\n")
        .flatMap((paragraph) => this.#lines(paragraph, widths[i]! - GAP)),
    );
  }

  #heightOf(cells: readonly string[], columns: readonly Pick<Column, "share">[], size: number): number {
    this.#document.font("Helvetica", size);
    const most = Math.max(...this.#cells(cells, columns).map(({ length }) => length));
    return most * size * 1.25 + 3;
  }

  /** One row. One that is higher than a page goes over several. */
  #row(
    cells: readonly string[],
    columns: readonly Pick<Column, "share" | "figures">[],
    how: { readonly bold: readonly boolean[]; readonly size: number; readonly colours: readonly string[] },
  ): void {
    const { size, bold, colours } = how;
    const fontOf = (i: number) => (bold[i] ? "Helvetica-Bold" : "Helvetica");
    this.#document.font(fontOf(0), size);
    const widths = this.#widths(columns);
    const lines = this.#cells(cells, columns);
    const step = size * 1.25;
    for (let line = 0; line < Math.max(...lines.map(({ length }) => length)); line += 1) {
      this.#room(step + 3);
      let x = this.#margin;
      for (const [i, cell] of lines.entries()) {
        const text = cell[line];
        const width = widths[i]! - (i < lines.length - 1 ? GAP : 0);
        if (text) {
          this.#document.font(fontOf(i), size).fillColor(colours[i] ?? colours[0]!);
          const left = columns[i]!.figures ? x + width - this.#document.widthOfString(text) : x;
          this.#document.text(text, left, this.#y, { lineBreak: false });
        }
        x += widths[i]!;
      }
      this.#y += step;
    }
    this.#y += 3;
  }

  /** Text in the middle of the page. */
  centred(text: string, size: number, bold = false): void {
    const font = bold ? "Helvetica-Bold" : "Helvetica";
    this.#document.font(font, size);
    for (const line of showable(text)
      .split("\n")
      .flatMap((paragraph) => this.#lines(paragraph, this.#width))) {
      const x = this.#margin + (this.#width - this.#document.widthOfString(line)) / 2;
      this.#document.font(font, size).fillColor(INK).text(line, x, this.#y, { lineBreak: false });
      this.#y += size * 1.25;
    }
    this.#y += size * 0.4;
  }

  /** A QR code in lines, not pixels, in the middle and so wide: sharp at any size. */
  qr(text: string, share: number): void {
    const modules = qrModules(text);
    const side = this.#width * share;
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
