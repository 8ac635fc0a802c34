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
});
