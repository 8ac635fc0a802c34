/** Where the books are broken, in both languages: whatever the auditor's statements and checks write is known, and has its texts. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { type Fact, factsOf } from "../src/operator/books/detail.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
type Books = { readonly fact: Record<string, string>; readonly word: Record<string, string> };
const booksIn = (language: string) =>
  (JSON.parse(read(`console/src/texts/operator.${language}.json`)) as { books: Books }).books;

const INVARIANTS = "gateway/src/auditor/invariants/";
const ID = "01a20e0d-b06c-7138-b011-d89d5c379041";
/** What stands for each part of a statement's detail, by what it reads: the first that fits. */
const SAMPLES: readonly (readonly [RegExp, string])[] = [
  [/no schedule/, "no schedule"],
  [/c\.what/, "block"],
  [/count\(|leg|seq|\bno\b/, "2"],
  [/_id|source_id|\bid\b/, ID],
  [/e2e_id|about/, "E12345678202611241455VPahf7HJMDY"],
  [/environment/, "sandbox"],
  [/direction/, "out"],
  [/day/, "2026-11-23"],
  [/status|outcome/, "pending"],
  [/\b[afrs]\.kind/, "available"],
  [/kind|type/, "withdrawal_sent"],
];

/** The expression that ends at an index: back to the comma, or the word, before which it begins. */
function expressionBefore(source: string, end: number): string {
  let depth = 0;
  let quoted = false;
  for (let i = end - 1; i >= 0; i--) {
    const char = source[i]!;
    if (char === "'") quoted = !quoted;
    if (quoted) continue;
    if (char === ")") depth++;
    if (char === "(") depth--;
    if (char === "`" || (char === "," && depth === 0)) return source.slice(i + 1, end);
  }
  throw new Error("no beginning");
}

/** A detail as a statement writes it, of parts that `||` joins. */
function sampleOf(expression: string): string {
  const parts = expression.split("||").map((part) => part.trim());
  return parts.reduce((text, part) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the statement's source has them
    const literal = part.replaceAll("${table}", "withdrawals").replaceAll("${column}", "next_at");
    if (/^'.*'$/s.test(literal)) return text + literal.slice(1, -1);
    if (text === "tariff of ") return `${text}received`;
    return text + (SAMPLES.find(([reads]) => reads.test(part))?.[1] ?? "1234");
  }, "");
}

/** Details of each statement of the auditor's, with its rule where it is written beside. */
function samples(): [invariant: string, detail: string][] {
  const files = readdirSync(new URL(`../../${INVARIANTS}`, import.meta.url)).filter((name) => !/test/.test(name));
  return files.flatMap((name) => {
    const source = read(INVARIANTS + name);
    const ends = [...source.matchAll(/\s+as detail\b|' returns without event'()\n/g)];
    return ends.flatMap((end): [string, string][] => {
      const more = end[0].trimEnd().endsWith("event'") ? end[0].trimEnd().length : 0;
      const expression = expressionBefore(source, end.index + more);
      const rule = [...source.slice(0, end.index).matchAll(/name: "(\w\d)"/g)].at(-1)?.[1] ?? "";
      return expression.trim() === "''" ? [] : [[rule, sampleOf(expression)]];
    });
  });
}

/** The facts of a detail, each with its words in both languages. */
function known(invariant: string, detail: string): readonly Fact[] {
  const facts = factsOf(invariant, detail);
  assert.ok(facts !== null, `${invariant} is not known: ${detail}`);
  for (const language of ["pt-BR", "en"]) {
    const { fact, word } = booksIn(language);
    for (const [key, value] of facts) {
      assert.ok(fact[key], `${language} lacks operator.books.fact.${key}: ${detail}`);
      if (!("word" in value)) continue;
      assert.ok(
        word[value.word.replaceAll(" ", "_")],
        `${language} lacks operator.books.word.${value.word}: ${detail}`,
      );
    }
  }
  return facts;
}

describe("a finding of the auditor's", () => {
  test("is known from whatever a statement of the auditor's writes", () => {
    const details = samples();
    for (const [invariant, detail] of details) known(invariant, detail);
    assert.ok(details.length > 40, String(details.length));
    assert.match(read("gateway/src/audit-log/check.ts"), /`audit entry \$\{row.seq\}: \$\{row.action\} of \$\{/);
    known("K2", "audit entry 7: account.update of 2026-11-23T14:32:00.000Z");
  });

  test("has a word for each state of what the books are about, and each kind of ledger account", () => {
    const schema = read("gateway/src/db/schema.sql");
    const of = (constraint: string) => {
      const [, list] = new RegExp(`${constraint} CHECK \\(\\w+ = ANY \\(ARRAY\\[(.*?)\\]`).exec(schema)!;
      return [...list!.matchAll(/'(\w+)'/g)].map(([, word]) => word!);
    };
    const tables = ["charges", "withdrawals", "refunds", "pix_returns", "pix_assignments"];
    for (const status of tables.flatMap((table) => of(`${table}_status_check`))) {
      known("W3", `withdrawal ${ID} (${status}): released 1, taken back 0`);
    }
    for (const outcome of of("received_pix_outcome_check")) known("P1", `pix E1 (${outcome})`);
    for (const kind of of("ledger_accounts_kind_check")) known("T1", `charge_paid ${ID} leg 0: ${kind} > none`);
  });

  test("says in centavos what should be, what is, and the difference; and what it is about by its id", () => {
    assert.deepEqual(known("C1", `charge ${ID}: status completed, amount 1000, booked 999`), [
      ["charge", { thing: { kind: "charge", id: ID } }],
      ["status", { word: "completed" }],
      ["amount", { centavos: 1000 }],
      ["booked", { centavos: 999 }],
      ["difference", { centavos: 1 }],
    ]);
    const [, source] = known("F1", `refund_held ${ID} leg 0: should be 1025, booked 0`);
    assert.deepEqual(source, ["refund", { thing: { kind: "refund", id: ID } }]);
    const lines = known("L3", "account 5: seq 3, lines 2, distinct 2, last 3");
    assert.ok(lines.every(([, value]) => "count" in value));
  });

  test("that is not known keeps the auditor's words", () => {
    assert.equal(factsOf("Z1", "moon phase 3: waxing by 4"), null);
    assert.equal(factsOf("W1", `withdrawal ${ID}: amount 1000, promised 900`), null);
  });
});
