/** Answers as PDF: how a caller chooses the language, and the file itself. */
import { Type } from "typebox";
import { MOST_PAGES, PaperTooLong } from "../lib/pdf/paper.ts";
import { PAPER_LANGUAGES } from "../lib/pdf/words.ts";
import { Raw } from "./answer.ts";
import { attachment } from "./csv.ts";
import { ApiError } from "./errors.ts";

export const PDF = "application/pdf";

/** Query parameters of a route that can answer in PDF. */
export const PdfQuery = {
  language: Type.Optional(
    Type.Enum([...PAPER_LANGUAGES], { type: "string", description: "Of a PDF; left out: `pt-BR`." }),
  ),
};

/** A PDF as a file. */
export const pdfFile = async (name: string, paper: Buffer | Promise<Buffer>): Promise<Raw> =>
  new Raw(PDF, await refuseLong(paper), attachment(`${name}.pdf`));

/** Waits for a paper; a paper that is too long is an error that the caller sees. */
export async function refuseLong(paper: Buffer | Promise<Buffer>): Promise<Buffer> {
  try {
    return await paper;
  } catch (error) {
    if (error instanceof PaperTooLong) throw new ApiError("PDF_TOO_LONG", undefined, { limit: MOST_PAGES });
    throw error;
  }
}
