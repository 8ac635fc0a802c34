/** Opens CSV files of the API and the console in LibreOffice, and checks the value and type of every cell. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { csvText } from "../console/src/parts/csv.ts";
import { amount, CSV_FORMATS, type CsvFormat, csvWriter } from "../gateway/src/lib/csv.ts";
import type { Explained } from "../gateway/src/statement/by-key.ts";
import { statementCsv } from "../gateway/src/statement/csv.ts";

/**
 * LibreOffice's import options: separator, quote, UTF-8, first line, no column types, language, detection of special
 * cells.
 */
const OPENED: Readonly<Record<CsvFormat, string>> = {
  en: "CSV:44,34,76,1,,1033,false,true",
  "pt-BR": "CSV:59,34,76,1,,1046,false,true",
};
const AT = new Date("2026-11-28T02:30:00Z");
const CENTAVOS = [123_450, -30, 0, 1_000_000_000_001];
/** Texts of customers and merchants. */
const TEXTS = [
  ...[
    "João da Conceição",
    "日本 株式会社",
    "🍕",
    "العربية",
    "two\nlines",
    'a "b"; c, d',
    "a\tb",
    '=HYPERLINK("http://x")',
  ],
  ...["=1+1", "+5511999998888", "-2+3", "@SUM(A1)", "a;=1+1", "a,=1+1", 'x";"=1+1', "\t=1+1", "TRUE E"],
];
/** Texts that a spreadsheet interprets as numbers, dates and times. */
const NUMBERS = [
  ...["00123", "1E5", "12345678901234567890", "1/2", "2026-11-01", "12:30", "1.234", "1,5", "10%", "R$ 10,00", "1001"],
];

type Cell = { readonly type: string; readonly value: string; readonly formula: boolean };

const folder = mkdtempSync(join(tmpdir(), "pixgate-spreadsheet-"));
const missing = spawnSync("soffice", ["--version"]).status === 0 ? false : "there is no LibreOffice (soffice) here";
after(() => rmSync(folder, { recursive: true, force: true }));

/** The rows of a file as LibreOffice converts them to flat OpenDocument. */
function opened(csv: string, format: CsvFormat): Cell[][] {
  const file = join(folder, "file.csv");
  writeFileSync(file, csv);
  const profile = pathToFileURL(join(folder, "profile")).href;
  const { status, stderr } = spawnSync(
    "soffice",
    [
      ...[`-env:UserInstallation=${profile}`, "--headless", `--infilter=${OPENED[format]}`],
      ...["--convert-to", "fods", "--outdir", folder, file],
    ],
    { encoding: "utf8", timeout: 120_000 },
  );
  assert.equal(status, 0, stderr);
  const text = readFileSync(join(folder, "file.fods"), "utf8");
  return [...text.matchAll(/<table:table-row[^>]*>(.*?)<\/table:table-row>/gs)].map(([, row]) =>
    [...row!.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes, content]) => {
        const given = (name: string) => new RegExp(`:${name}="([^"]*)"`).exec(attributes!)?.[1];
        const paragraphs = [...(content ?? "").matchAll(/<text:p>(.*?)<\/text:p>/gs)].map(([, one]) => plain(one!));
        const cell = {
          type: given("value-type") ?? "empty",
          value: given("value") ?? given("date-value") ?? given("time-value") ?? paragraphs.join("\n"),
          formula: given("formula") !== undefined,
        };
        // Equal cells are written once with a count; the count of the trailing empty cells is huge.
        return Array<Cell>(Math.min(Number(given("number-columns-repeated") ?? 1), 20)).fill(cell);
      },
    ),
  );
}

const plain = (xml: string): string =>
  xml
    .replace(/<text:tab\/>/g, "\t")
    .replace(/<text:s\/>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(
      /&(lt|gt|quot|apos|amp);/g,
      (_, name: string) => ({ lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" })[name]!,
    );

/**
 * Removes the apostrophes that the writer adds before texts which would be a formula or, in the Brazilian format, a
 * number or date.
 */
const bare = (text: string): string => text.replace(/(^|[,;\t\n])'(?=.)/g, "$1").replace(/^'/, "");

/** Asserts the cells of a row, in the order of both writers: a text, a time, its day, an amount. */
function isOpenedRight(row: readonly Cell[], text: string, centavos: number, format: CsvFormat): void {
  const [shown, moment, day, money] = row;
  const what = `${format} ${text}`;
  for (const cell of row) assert.equal(cell.formula, false, what);
  // The other format is for programs: only formulas are escaped there.
  if (format === "pt-BR" || TEXTS.includes(text)) assert.deepEqual([text, bare(shown!.value)], [text, bare(text)]);
  assert.deepEqual(moment, { type: "string", value: "2026-11-27T23:30:00.000-03:00", formula: false });
  assert.deepEqual(day, { type: "date", value: "2026-11-27", formula: false });
  assert.equal(money!.type, "float", what);
  assert.equal(Number(money!.value), centavos / 100, what);
}

describe("a CSV file in a spreadsheet", { timeout: 300_000, skip: missing }, () => {
  const rows = [...TEXTS, ...NUMBERS].map((text, i) => ({ text, centavos: CENTAVOS[i % CENTAVOS.length]! }));
  for (const format of CSV_FORMATS) {
    test(`of the API has texts as they are, days as dates and amounts as numbers (${format})`, () => {
      const csv = csvWriter(format);
      const lines = rows.map(({ text, centavos }) => csv.line([text, AT, "2026-11-27", amount(centavos)]));
      const [, ...cells] = opened(csv.head(["a", "b", "c", "d"]) + lines.join(""), format);
      assert.equal(cells.length, rows.length);
      for (const [i, { text, centavos }] of rows.entries()) isOpenedRight(cells[i]!, text, centavos, format);
    });

    test(`of the console is the same (${format})`, () => {
      const lines = rows.map(({ text, centavos }) => [text, AT, "2026-11-27", centavos / 100]);
      const [, ...cells] = opened(csvText([["a", "b", "c", "d"], ...lines], format), format);
      assert.equal(cells.length, rows.length);
      for (const [i, { text, centavos }] of rows.entries()) isOpenedRight(cells[i]!, text, centavos, format);
    });

    test(`of a statement has the day of São Paulo as a date (${format})`, async () => {
      const line = {
        ...{ balance: "available", line: 1, kind: "charge_paid", sourceId: "x", leg: 0, amount: 123_450 },
        ...{ balanceAfter: 123_450, occurredAt: AT, bookedAt: AT, description: "00123", counterpart: "=1+1" },
        ...{ transactionId: null, e2eId: null, externalReference: "00123" },
      } as unknown as Explained;
      let csv = "";
      for await (const part of statementCsv(pagesOf(line))(csvWriter(format))) csv += part;
      const [head, cells] = opened(csv, format);
      const cell = (name: string) => cells![head!.findIndex(({ value }) => value === name)];
      assert.deepEqual(cell("date"), { type: "date", value: "2026-11-27", formula: false });
      assert.deepEqual([cell("amount")!.type, Number(cell("amount")!.value)], ["float", 1_234.5]);
      assert.deepEqual(cell("counterpart"), { type: "string", value: "'=1+1", formula: false });
      if (format === "pt-BR") assert.equal(cell("externalReference")!.value, "'00123");
    });
  }
});

async function* pagesOf(line: Explained): AsyncGenerator<readonly Explained[]> {
  yield [line];
}
