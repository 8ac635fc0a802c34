/** Answers as PDF: how a caller chooses the language, and the file itself. */
import { Type } from "typebox";
import { PAPER_LANGUAGES } from "../pdf/words.ts";
import { Raw } from "./answer.ts";
import { attachment } from "./csv.ts";

export const PDF = "application/pdf";

/** Query parameters of a route that can answer in PDF. */
export const PdfQuery = {
  language: Type.Optional(
    Type.Enum([...PAPER_LANGUAGES], { type: "string", description: "Of a PDF; left out: `pt-BR`." }),
  ),
};

/** A PDF as a file. */
export const pdfFile = (name: string, bytes: Buffer): Raw => new Raw(PDF, bytes, attachment(`${name}.pdf`));
