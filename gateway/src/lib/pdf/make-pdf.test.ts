import assert from "node:assert/strict";
import { describe, test } from "node:test";
import PDFDocument from "pdfkit";
import { pagesOfPdf } from "../../../test/harness/read-pdf.ts";
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
      await made(async (paper) => {
        await paper.text(words.join(" "));
        await paper.facts([["Chave", "x".repeat(400)]]);
      }),
    );
    assert.ok(pages.length > 1);
    const shown = pages.join("\n").replace(/Comprovante · Loja Açaí\nPágina \d+ de \d+/g, "");
    assert.deepEqual(shown.match(/\bp\d+\b/g), words);
    assert.equal(shown.match(/x+/g)!.join("").length, 400);
  });

  test("measures as much again as it is long, whatever is written, and leaves the thread to others meanwhile", async (t) => {
    let measured = 0;
    const own = PDFDocument.prototype.widthOfString;
    t.mock.method(PDFDocument.prototype, "widthOfString", function (this: PDFDocument, text: string) {
      measured += text.length;
      return own.call(this, text);
    });
    const texts = [
      "x".repeat(20_000),
      "0 ".repeat(10_000),
      "i".repeat(20_000),
      `${"palavra ".repeat(10)}\n`.repeat(250),
    ];
    for (const text of texts)
      for (const draw of [
        (paper: Paper) => paper.text(text),
        (paper: Paper) => paper.facts(Array.from({ length: 10 }, () => ["Chave", text.slice(0, 2_000)] as const)),
        (paper: Paper) => paper.table(COLUMNS, new Array(10).fill([text.slice(0, 2_000), "1"])),
      ]) {
        let [turns, over] = [0, false];
        const turn = () => {
          turns += 1;
          if (!over) setImmediate(turn);
        };
        measured = 0;
        const bytes = await made(async (paper) => {
          setImmediate(turn);
          await draw(paper);
          over = true;
        });
        const pages = pagesOfPdf(bytes).length;
        assert.ok(pages > 1, `${pages} page`);
        assert.ok(measured <= 10 * 20_000, `${measured} characters of ${text.slice(0, 10)}… measured`);
        assert.ok(turns >= pages - 1, `${turns} turns of the loop in ${pages} pages`);
      }
  });

  test("shows of a cell no more than it may have, and says by dots that there is more", async () => {
    const text = pagesOfPdf(await made((paper) => paper.facts([["Chave", "x".repeat(50_000)]]))).join("\n");
    const shown = text.replace(/[^x…]/g, "");
    assert.equal(shown, `${"x".repeat(4_000)}…`);
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
