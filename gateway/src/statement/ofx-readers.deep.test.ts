/** Statements as OFX, read back by the importers that accountants' software uses: Python's ofxparse and ofxtools, and libofx's ofxdump. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Window } from "../ledger/window.ts";
import type { Explained } from "./by-key.ts";
import { statementOfx } from "./ofx.ts";

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

const AT = new Date("2026-11-27T15:00:00Z");
const LINES = NAMES.map(
  ([counterpart], i) =>
    ({
      ...{ kind: i % 2 ? "withdrawal_sent" : "charge_paid", balance: "available", line: i + 1, bookedAt: AT },
      ...{ amount: (i % 2 ? -1 : 1) * (12_345 + i), counterpart, description: counterpart },
      ...{ externalReference: null, e2eId: null },
    }) as unknown as Explained,
);
const TOTAL = LINES.reduce((total, { amount }) => total + amount, 0);

/** An amount of centavos as the readers print it. */
const printed = (centavos: number) => (centavos / 100).toFixed(2);
/** What a reader should have: id, amount and name of each line. */
const EXPECTED = LINES.map((line, i) => [`available-${line.line}`, printed(line.amount), NAMES[i]![1]]);

describe("A statement as OFX", () => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-ofx-"));
  const file = join(folder, "statement.ofx");
  before(async () => {
    const header = {
      ...{ accountId: "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11", reference: "principal" },
      ...{ from: new Date("2026-11-01T03:00:00Z"), to: new Date("2026-12-01T03:00:00Z"), now: AT },
    };
    const pages = (async function* () {
      yield LINES;
    })();
    const pieces: Buffer[] = [];
    for await (const piece of statementOfx(header, { closingBalance: TOTAL } as Window, pages)) pieces.push(piece);
    writeFileSync(file, Buffer.concat(pieces));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("is read back by ofxparse and ofxtools to the centavo, with names in every alphabet", async (t) => {
    const python = join(folder, "venv/bin/python");
    if (spawnSync("python3", ["-m", "venv", join(folder, "venv")]).status !== 0)
      return t.skip("there is no Python with venv here");
    if (spawnSync(python, ["-m", "pip", "install", "-q", ...READERS], { timeout: 120_000 }).status !== 0)
      return t.skip(`${READERS.join(" and ")} could not be installed`);
    const { stdout, stderr, status } = spawnSync(python, ["-c", SCRIPT, file], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const read = JSON.parse(stdout) as { [reader: string]: [string, string, string | null][] } & { balances: string[] };
    assert.deepEqual(read.strict, EXPECTED);
    assert.deepEqual(read.loose, EXPECTED);
    assert.deepEqual(read.balances, [printed(TOTAL), printed(TOTAL)]);
  });

  test("is read back by ofxdump, with no line lost and each at its time", (t) => {
    const { stdout, status, error } = spawnSync("ofxdump", [file], {
      encoding: "utf8",
      env: { ...process.env, TZ: "UTC" },
    });
    if (error) return t.skip("there is no ofxdump here (Debian: apt-get install ofx)");
    assert.equal(status, 0);
    const field = (block: string, name: string) => new RegExp(`^ *${name}: (.*)$`, "m").exec(block)?.[1];
    const [head, ...blocks] = stdout.split("ofx_proc_transaction():");
    assert.equal(field(head!, "Ledger balance"), printed(TOTAL));
    assert.deepEqual(
      blocks.map((block) => [
        field(block, "Financial institution's ID for this transaction"),
        field(block, "Total money amount"),
        field(block, "Name of payee or transaction description") ?? null,
      ]),
      EXPECTED,
    );
    assert.deepEqual(
      new Set(blocks.map((block) => field(block, "Date posted"))),
      new Set(["Fri Nov 27 15:00:00 2026 UTC"]),
    );
  });
});
