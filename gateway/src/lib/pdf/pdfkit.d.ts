/** What we use of pdfkit, which ships no types. */
declare module "pdfkit" {
  import type { Readable } from "node:stream";

  type TextOptions = {
    lineBreak?: boolean;
  };

  export default class PDFDocument extends Readable {
    constructor(options: {
      size: "A4" | "A6";
      margin: number;
      bufferPages: true;
      autoFirstPage: false;
      lang: string;
      info: { Title: string; CreationDate: Date; Producer: string; Creator: string };
    });
    readonly page: { readonly width: number; readonly height: number };
    addPage(): this;
    switchToPage(page: number): unknown;
    bufferedPageRange(): { start: number; count: number };
    font(name: string, size: number): this;
    fillColor(colour: string): this;
    strokeColor(colour: string): this;
    lineWidth(width: number): this;
    text(text: string, x: number, y: number, options?: TextOptions): this;
    widthOfString(text: string): number;
    currentLineHeight(includeGap: boolean): number;
    rect(x: number, y: number, width: number, height: number): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    fill(colour?: string): this;
    stroke(): this;
    end(): void;
  }
}
