import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pagesOfPdf } from "../../test/harness/read-pdf.ts";
import { makePdf } from "./make-pdf.ts";
import { type Paper, PaperTooLong } from "./paper.ts";
import { brlText, momentText } from "./words.ts";

const HEAD = {
  title: "Comprovante",
  under: "Loja Açaí",
  language: "pt-BR",
  madeAt: new Date("2026-11-28T15:00:00Z"),
} as const;
const COLUMNS = [
  { title: "Tipo", share: 3 },
  { title: "Valor", share: 1, figures: true },
] as const;
const made = (draw: (paper: Paper) => void | Promise<void>) => makePdf(HEAD, draw);
const rows = (count: number) => Array.from({ length: count }, (_, i) => [`Linha ${i}.`, brlText(-i)]);

describe("a paper", () => {
  test("is read back with its Portuguese letters; a letter that the font lacks loses its mark, another character is a question mark", async () => {
    const bytes = await made((paper) => paper.text("Não há cobrança · “à vista” – Łódź ≤ −1 € 日"));
    assert.match(pagesOfPdf(bytes)[0]!, /Não há cobrança · “à vista” – Lódz <= -1 € \?/);
  });

  test("is the same, byte for byte, for the same content and moment, and another for another moment", async () => {
    const draw = (paper: Paper) => paper.table(COLUMNS, rows(60));
    const [one, two] = await Promise.all([made(draw), made(draw)]);
    assert.ok(one.equals(two));
    assert.ok(!one.equals(await makePdf({ ...HEAD, madeAt: new Date("2026-11-28T15:00:01Z") }, draw)));
  });

  test("goes over pages with the table's titles on each, every row once, and the number of the page", async () => {
    const pages = pagesOfPdf(await made((paper) => paper.table(COLUMNS, rows(150), ["Soma", brlText(1)])));
    assert.ok(pages.length > 2, `${pages.length} pages`);
    for (const [i, page] of pages.entries()) {
      assert.match(page, /Tipo\nValor\n/);
      assert.ok(page.endsWith(`Comprovante · Loja Açaí\nPágina ${i + 1} de ${pages.length}`), page.slice(-80));
    }
    const found = pages.join("\n").match(/Linha \d+\./g);
    assert.deepEqual(
      found,
      rows(150).map(([name]) => name),
    );
    assert.match(pages.at(-1)!, /Soma\nR\$\s1,00/);
  });

  test("shows a text that is longer than a page, and a word that is longer than a line, whole", async () => {
    const words = Array.from({ length: 4_000 }, (_, i) => `p${i}`);
    const pages = pagesOfPdf(
      await made((paper) => {
        paper.text(words.join(" "));
        paper.facts([["Chave", "x".repeat(400)]]);
      }),
    );
    assert.ok(pages.length > 1);
    const shown = pages.join("\n").replace(/Comprovante · Loja Açaí\nPágina \d+ de \d+/g, "");
    assert.deepEqual(shown.match(/\bp\d+\b/g), words);
    assert.equal(shown.match(/x+/g)!.join("").length, 400);
  });

  test("is refused beyond 100 pages, and not cut", async () => {
    await assert.rejects(
      made((paper) => paper.table(COLUMNS, rows(20_000))),
      PaperTooLong,
    );
  });

  test("has money as banks write it and moments of Brasília, also just before midnight", () => {
    assert.equal(brlText(-1234567.5).replace(/\s/g, " "), "-R$ 1.234.567,50");
    assert.equal(momentText(new Date("2026-12-01T02:59:59Z"), "pt-BR"), "30/11/2026 23:59:59");
    assert.equal(momentText(new Date("2026-12-01T02:59:59Z"), "en"), "2026-11-30 23:59:59");
  });
});
