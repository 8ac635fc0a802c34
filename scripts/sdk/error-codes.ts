import { codesOf, type OpenApiDocument } from "./document.ts";

/** The union of every machine code that an operation of the documents publishes. */
export function errorCodesOf(documents: readonly OpenApiDocument[]): string {
  const codes = documents.flatMap((document) =>
    Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => codesOf(document, operation)),
    ),
  );
  const lines = [...new Set(codes)].sort().map((code) => `  | "${code}"`);
  return `\n/** Machine codes of errors, as the documents of this version list them. */\nexport type ErrorCode =\n${lines.join("\n")};\n`;
}
