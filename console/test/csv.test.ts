import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { csvText } from "../src/parts/csv.ts";

describe("A CSV file of the console", () => {
  test("has the formats of the API's files: Brazilian in Portuguese, else commas and points", () => {
    const rows = [
      ["id", "at", "amount"],
      ["a", new Date("2026-11-28T02:30:00Z"), 1234.5],
      ["b", undefined, -0.3],
    ];
    assert.equal(csvText(rows, "en"), "id,at,amount\r\na,2026-11-27T23:30:00.000-03:00,1234.50\r\nb,,-0.30\r\n");
    assert.equal(
      csvText(rows, "pt-BR"),
      "\ufeffid;at;amount\r\na;2026-11-27T23:30:00.000-03:00;1234,50\r\nb;;-0,30\r\n",
    );
  });

  test("has no text that begins a formula after a separator of any language", () => {
    const given = [
      "=1",
      "a,=1",
      "a;+1",
      "a\t-1",
      "a\n@x",
      "a\r\n=1",
      'a;"=1',
      "; \n=1",
      ";;=1",
      "\t=1",
      "＝1",
      "a - b",
      "a=b",
    ];
    const expected = [
      "'=1",
      "a,'=1",
      "a;'+1",
      "a\t'-1",
      "a\n'@x",
      "a\r\n'=1",
      `a;'"=1`,
      "; \n'=1",
      ";;'=1",
      "'\t'=1",
      "'＝1",
      "a - b",
      "a=b",
    ];
    for (const [i, text] of given.entries()) {
      const cell = csvText([["x", text]], "pt-BR").slice("\ufeffx;".length, -"\r\n".length);
      const held = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      assert.equal(held, expected[i]);
    }
  });

  test("has an apostrophe before what a spreadsheet in Portuguese takes for a number or a date", () => {
    const second = (text: string) => csvText([["x", text]], "pt-BR").slice("\ufeffx;".length, -"\r\n".length);
    for (const text of ["00123", "1E5", "5 jan", "jan/26", "10/nov", "R$ 10"]) assert.equal(second(text), `'${text}`);
    for (const text of ["1001", "2026-11-27", "Marco 2", "5 dias"]) assert.equal(second(text), text);
    // 4,000 characters took 15 ms and more where spaces could be read in several ways.
    const began = process.cpuUsage();
    for (let i = 0; i < 100; i += 1) second(`${" ".repeat(2_000)}1${" ".repeat(2_000)}x`);
    assert.ok(process.cpuUsage(began).user < 1_000_000);
  });
});
