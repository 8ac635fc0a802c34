import { MOST_PAGES, Paper } from "./paper.ts";
import type { PaperLanguage } from "./words.ts";

/** Loaded at its first use: a gateway that makes no paper does without its time and memory. */
const library = () => import("pdfkit");

/** Points. */
const MARGINS = { A4: 42, A6: 22 } as const;

type Head = {
  readonly title: string;
  /** Whose it is, and of what, below the title. */
  readonly under: string;
  readonly language: PaperLanguage | "es";
  readonly madeAt: Date;
  readonly size?: "A4" | "A6";
};

/**
 * Makes a paper of what `draw` writes: the same bytes for the same content and moment. Text can be searched and copied. Every
 * page says whose it is, when it was made, and which of how many it is; a poster (`plain`) has neither head nor foot.
 *
 * @throws PaperTooLong for more than 100 pages.
 */
export async function makePdf(
  { title, under, language, madeAt, size = "A4" }: Head,
  draw: (paper: Paper) => void | Promise<void>,
  plain = false,
): Promise<Buffer> {
  const { default: PDFDocument } = await library();
  const document = new PDFDocument({
    size,
    margin: 0,
    bufferPages: true,
    autoFirstPage: false,
    lang: language,
    info: { Title: title, CreationDate: madeAt, Producer: "Pixgate", Creator: "Pixgate" },
  });
  const pieces: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    document.on("data", (piece: Buffer) => pieces.push(piece));
    document.on("end", () => resolve(Buffer.concat(pieces)));
    document.on("error", reject);
  });
  try {
    const paper = new Paper(document, MARGINS[size], MOST_PAGES);
    if (!plain) paper.title(title, under);
    await draw(paper);
    if (!plain) {
      const says = language === "en" ? "Page" : "Página";
      const of = language === "en" ? "of" : "de";
      paper.foot(`${title} · ${under}`, (page, pages) => `${says} ${page} ${of} ${pages}`);
    }
  } catch (error) {
    document.destroy();
    throw error;
  }
  document.end();
  return whole;
}
