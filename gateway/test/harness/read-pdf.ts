import { inflateSync } from "node:zlib";

/** The pages of a PDF with standard fonts, as the text that a reader finds in them: a line for each piece that was written. */
export const pagesOfPdf = (bytes: Buffer): string[] => operatorsOf(bytes).map(textOf);

/** How high above the lower edge each piece of text stands, in points, page by page. */
export const baselinesOfPdf = (bytes: Buffer): number[][] =>
  operatorsOf(bytes).map((page) =>
    [...page.matchAll(/^1 0 0 1 [-.\d]+ ([-.\d]+) Tm$/gm)].map(([, height]) => Number(height)),
  );

function operatorsOf(bytes: Buffer): string[] {
  const text = bytes.toString("latin1");
  if (!text.startsWith("%PDF-") || !text.trimEnd().endsWith("%%EOF")) throw new Error("not a whole PDF");
  const objects = new Map<string, { head: string; data: Buffer | null }>();
  for (const found of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [, number, body] = found as unknown as [string, string, string];
    const at = body.indexOf("stream\n");
    const head = at === -1 ? body : body.slice(0, at);
    const raw = Buffer.from(at === -1 ? "" : body.slice(at + 7, body.lastIndexOf("\nendstream")), "latin1");
    const data = at === -1 ? null : head.includes("/FlateDecode") ? inflateSync(raw) : raw;
    objects.set(number, { head, data });
  }
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\b/.test(head));
  return pages.map(({ head }) => {
    const contents = /\/Contents (\d+) 0 R/.exec(head)![1]!;
    return objects.get(contents)!.data!.toString("latin1");
  });
}

const windows1252 = new TextDecoder("windows-1252");
const textOf = (operators: string): string =>
  [...operators.matchAll(/\[([^\]]*)\] TJ/g)]
    .map(([, pieces]) =>
      [...pieces!.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => windows1252.decode(Buffer.from(hex!, "hex"))).join(""),
    )
    .join("\n");
