/** Where the books are broken, in both languages: whatever the auditor's statements and checks write is known, and has its texts. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type Broken, type Fact, factsOf } from "../src/operator/books/detail.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
type Books = { readonly fact: Record<string, string>; readonly word: Record<string, string> };
const booksIn = (language: string) =>
  (JSON.parse(read(`console/src/texts/operator.${language}.json`)) as { books: Books }).books;

const INVARIANTS = "gateway/src/auditor/invariants/";
const ID = "01a20e0d-b06c-7138-b011-d89d5c379041";
/** What stands for each value of a finding, by what the statement reads: the first that fits. */
const SAMPLES: readonly (readonly [RegExp, string | number])[] = [
  [/no_schedule/, "no_schedule"],
  [/no_evidence/, "no_evidence"],
  [/case_without_receipt/, "case_without_receipt"],
  [/to_timestamp/, "2026-11-23T14:00:00+00:00"],
  [/c\.what/, "block"],
  [/count\(|leg|seq|\bno\b/, 2],
  [/_id|source_id|\bid\b/, ID],
  [/e2e_id|about/, "E12345678202611241455VPahf7HJMDY"],
  [/environment/, "sandbox"],
  [/direction/, "out"],
  [/day/, "2026-11-23"],
  [/status|outcome/, "pending"],
  [/\b[afrs]\.kind/, "available"],
  [/kind|type/, "withdrawal_sent"],
];

/** The arguments of a call, from behind its opening bracket. */
function argumentsAt(source: string, start: number): string[] {
  const parts = [""];
  for (let i = start, depth = 0, quoted = false; ; i++) {
    const char = source[i]!;
    if (char === "'") quoted = !quoted;
    if (!quoted && char === "(") depth++;
    if (!quoted && char === ")" && depth-- === 0) return parts.map((part) => part.trim());
    if (!quoted && char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
}

/** A value as a statement gives it. */
function sampleOf(expression: string): string | number {
  const literal = /^'([^']*)'$/.exec(expression)?.[1];
  if (literal !== undefined) return literal.includes("${") ? "next_at" : literal;
  return SAMPLES.find(([reads]) => reads.test(expression))?.[1] ?? 1234;
}

/** What each statement of the auditor's finds, with its rule where it is written beside. */
function samples(): Broken[] {
  const files = readdirSync(new URL(`../../${INVARIANTS}`, import.meta.url)).filter((name) => !/test/.test(name));
  return [...files.map((name) => INVARIANTS + name), "gateway/src/auditor/check-fresh.ts"].flatMap((path) => {
    const source = read(path);
    assert.doesNotMatch(
      source,
      /\bas detail\b|: ' \|\||'\w+ ' \|\| \w+\./,
      `${path}: a statement finds data: json_build_array(…) as found`,
    );
    return [...source.matchAll(/json_build_array\(/g)].map(({ 0: call, index }): Broken => {
      const [kind = "", id = "", ...pairs] = argumentsAt(source, index + call.length);
      const invariant = [...source.slice(0, index).matchAll(/name: "(\w\d)"/g)].at(-1)?.[1] ?? "";
      const names = pairs.filter((_, i) => i % 2 === 0);
      const figures = Object.fromEntries(names.map((name, i) => [sampleOf(name), sampleOf(pairs[2 * i + 1]!)]));
      const kinds = [...kind.matchAll(/(?:then|else) '(\w+)'/g)].map(([, one]) => one!);
      return { invariant, place: { kind: kinds[0] ?? String(sampleOf(kind)), id: String(sampleOf(id)) }, figures };
    });
  });
}

const broken = (invariant: string, kind: string, figures: Broken["figures"] = {}, id = ID): Broken => ({
  ...{ invariant, place: { kind, id }, figures },
});

/** The facts of a finding, each with its words in both languages. */
function known(found: Broken): readonly Fact[] {
  const facts = factsOf(found);
  for (const language of ["pt-BR", "en"]) {
    const { fact, word } = booksIn(language);
    for (const [key, value] of facts) {
      assert.ok(fact[key], `${language} lacks operator.books.fact.${key}: ${JSON.stringify(found)}`);
      if ("word" in value)
        assert.ok(word[value.word] ?? /^\d|-/.test(value.word), `${language} lacks operator.books.word.${value.word}`);
      if ("centavos" in value || "count" in value)
        assert.ok(!Number.isNaN(Object.values(value)[0]), `${key} is no number`);
    }
  }
  return facts;
}

describe("a finding of the auditor's", () => {
  test("has its words for whatever a statement of the auditor's finds", () => {
    const found = samples();
    for (const one of found) known(one);
    assert.ok(found.length > 60, String(found.length));
    assert.match(read("gateway/src/audit-log/check.ts"), /\["auditEntry", row.seq, "action", row.action, "at", /);
    known(broken("K2", "auditEntry", { action: "account.update", at: "2026-11-23T14:32:00.000Z" }, "7"));
  });

  test("has a word for each state of what the books are about, and each kind of ledger account", () => {
    const schema = read("gateway/src/db/schema.sql");
    const of = (constraint: string) => {
      const [, list] = new RegExp(`${constraint} CHECK \\(\\w+ = ANY \\(ARRAY\\[(.*?)\\]`).exec(schema)!;
      return [...list!.matchAll(/'(\w+)'/g)].map(([, word]) => word!);
    };
    const tables = ["charges", "withdrawals", "refunds", "pix_returns", "pix_assignments"];
    for (const status of tables.flatMap((table) => of(`${table}_status_check`))) {
      known(broken("W3", "withdrawal", { status, released: 1, takenBack: 0 }));
    }
    for (const outcome of of("received_pix_outcome_check")) known(broken("P1", "pix", { status: outcome }, "E1"));
    for (const kind of of("ledger_accounts_kind_check")) {
      known(broken("T1", "transfer", { movement: "charge_paid", leg: 0, from: kind, to: "none" }));
    }
  });

  test("says in centavos what should be, what is, and the difference; and what it is about by its id", () => {
    assert.deepEqual(known(broken("C1", "charge", { statusNow: "completed", amount: 1000, booked: 999 })), [
      ["charge", { thing: { kind: "charge", id: ID } }],
      ["statusNow", { word: "completed" }],
      ["amount", { centavos: 1000 }],
      ["booked", { centavos: 999 }],
      ["difference", { centavos: 1 }],
    ]);
    const [source] = known(broken("F1", "transfer", { movement: "refund_held", leg: 0, due: 1025, booked: 0 }));
    assert.deepEqual(source, ["refund", { thing: { kind: "refund", id: ID } }]);
    const lines = known(broken("L3", "ledgerAccount", { lastNumber: 3, lineCount: 2, distinct: 2, lastLine: 3 }, "5"));
    assert.ok(lines.every(([, value]) => "count" in value));
  });

  test("shows a figure that has no words yet by its name", () => {
    const [, figure] = factsOf(broken("Z1", "moon", { phase: 3 }));
    assert.deepEqual(figure, ["phase", { centavos: 3 }]);
    assert.match(read("console/src/operator/books/broken.tsx"), /t\(`operator\.books\.fact\.\$\{key\}`, key\)/);
  });
});
