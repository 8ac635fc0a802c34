/** Statements as OFX, read back by the importers that accountants' software uses: Python's ofxparse and ofxtools. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Explained } from "./by-key.ts";
import { statementOfx } from "./ofx.ts";
import type { Window } from "./window.ts";

/** The versions that were read with. */
const READERS = ["ofxparse==0.21", "ofxtools==1.1.1"];
/** Names of every alphabet, and what a reader could take for something else. Beside each: what Windows-1252 can hold of it. */
const NAMES: readonly (readonly [string, string | null])[] = [
  ["João da Conceição", "João da Conceição"],
  ["“Padaria” – São João & Cia…", "“Padaria” – São João & Cia…"],
  ["日本 株式会社", null],
  ["Ελληνικά", null],
  ["Привет", null],
  ["العربية", null],
  ["עברית", null],
  ["हिन्दी", null],
  ["한국어", null],
  ["ไทย", null],
  ["🍕 Pizza", "Pizza"],
  ["</NAME><STMTTRN>", "</NAME><STMTTRN>"],
  ["&amp;", "&amp;"],
  ["   ", null],
  ['O\'Brien \\ "x"', 'O\'Brien \\ "x"'],
];

const SCRIPT = `
import json, sys
from ofxparse import OfxParser
from ofxtools.Parser import OFXTree
with open(sys.argv[1], 'rb') as file:
    account = OfxParser.parse(file, fail_fast=True).account
statement = account.statement
loose = [[t.id, str(t.amount), t.payee or None] for t in statement.transactions]
tree = OFXTree()
with open(sys.argv[1], 'rb') as file:
    tree.parse(file)
strict = tree.convert().statements[0]
rows = [[t.fitid, str(t.trnamt), t.name] for t in strict.transactions]
print(json.dumps({'loose': loose, 'strict': rows, 'balances': [str(statement.balance), str(strict.ledgerbal.balamt)]}))
`;

describe("A statement as OFX", () => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-ofx-"));
  const python = join(folder, "venv/bin/python");
  let missing: string | null = null;
  before(() => {
    const made = spawnSync("python3", ["-m", "venv", join(folder, "venv")]);
    if (made.status !== 0) missing = "there is no Python with venv here";
    else if (spawnSync(python, ["-m", "pip", "install", "-q", ...READERS], { timeout: 120_000 }).status !== 0)
      missing = `${READERS.join(" and ")} could not be installed`;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("is read back by ofxparse and ofxtools to the centavo, with names in every alphabet", async (t) => {
    if (missing !== null) return t.skip(missing);
    const at = new Date("2026-11-27T15:00:00Z");
    const lines = NAMES.map(
      ([counterpart], i) =>
        ({
          ...{ kind: i % 2 ? "withdrawal_sent" : "charge_paid", balance: "available", line: i + 1, bookedAt: at },
          ...{ amount: (i % 2 ? -1 : 1) * (12_345 + i), counterpart, description: counterpart },
          ...{ externalReference: null, e2eId: null },
        }) as unknown as Explained,
    );
    const sum = lines.reduce((total, { amount }) => total + amount, 0);
    const header = {
      ...{ accountId: "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11", reference: "principal" },
      ...{ from: new Date("2026-11-01T03:00:00Z"), to: new Date("2026-12-01T03:00:00Z"), now: at },
    };
    const pieces: Buffer[] = [];
    const pages = (async function* () {
      yield lines;
    })();
    for await (const piece of statementOfx(header, { closingBalance: sum } as Window, pages)) pieces.push(piece);
    const file = join(folder, "statement.ofx");
    writeFileSync(file, Buffer.concat(pieces));

    const { stdout, stderr, status } = spawnSync(python, ["-c", SCRIPT, file], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const read = JSON.parse(stdout) as { [reader: string]: [string, string, string | null][] } & { balances: string[] };
    const amount = (centavos: number) => (centavos / 100).toFixed(2);
    const expected = lines.map((line, i) => [`available-${line.line}`, amount(line.amount), NAMES[i]![1]]);
    assert.deepEqual(read.strict, expected);
    assert.deepEqual(read.loose, expected);
    assert.deepEqual(read.balances, [amount(sum), amount(sum)]);
  });
});
