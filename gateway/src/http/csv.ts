/** Answers in CSV: how a caller chooses the format, and the file itself. */
import { Type } from "typebox";
import { CSV_FORMATS, type CsvFormat, type CsvWriter, csvWriter } from "../lib/csv.ts";
import { Raw } from "./answer.ts";

/**
 * Query parameters of a route that can answer in CSV. Its language is a parameter and no header, because programs send
 * their user's language without knowing it.
 */
export const CsvQuery = {
  format: Type.Optional(
    Type.Enum([...CSV_FORMATS], {
      type: "string",
      description:
        "Of CSV. `en`: commas and decimal points. `pt-BR`: semicolons, decimal commas and a byte order mark, as a spreadsheet in Brazilian Portuguese opens it, with an apostrophe before a text that it would take for another number or a date, such as `00123`. Left out: `en`.",
    }),
  ),
};

/** A file that is written while it is sent. */
export function csvFile(
  name: string,
  format: CsvFormat | undefined,
  lines: (csv: CsvWriter) => Iterable<string> | AsyncIterable<string>,
): Raw {
  return new Raw("text/csv; charset=utf-8", lines(csvWriter(format ?? "en")), attachment(`${name}.csv`));
}

/** The header with which a browser stores an answer as a file. */
export const attachment = (name: string) => ({ "content-disposition": `attachment; filename="${name}"` });

/**
 * The media type of `types` that an Accept header prefers to JSON: it names that type, and JSON not at a higher quality, or
 * at the same quality but later (RFC 9110, 12.5.1). Null: answer with JSON.
 */
export function prefers(accept: string | undefined, types: readonly string[]): string | null {
  const ranges = (accept ?? "").split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number.parseFloat(quality) || 0 };
  });
  const best = (types: readonly string[]) => {
    const accepted = ranges.filter(({ type, quality }) => types.includes(type) && quality > 0);
    const quality = Math.max(0, ...accepted.map((range) => range.quality));
    return { quality, at: ranges.findIndex((range) => types.includes(range.type) && range.quality === quality) };
  };
  const preferred = ["application/json", ...types]
    .map((type) => ({ type, ...best([type]) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || a.at - b.at)[0];
  return preferred === undefined || preferred.type === "application/json" ? null : preferred.type;
}

/** True when an Accept header prefers CSV to JSON. */
export const prefersCsv = (accept: string | undefined): boolean => prefers(accept, ["text/csv"]) !== null;
