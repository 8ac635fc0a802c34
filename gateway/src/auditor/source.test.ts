import assert from "node:assert/strict";
import { test } from "node:test";
import { name } from "../db/sql.ts";
import { INVARIANTS } from "./invariants/invariants.ts";
import { SLICE } from "./slice.ts";
import type { Source } from "./source.ts";

test("a rule reads each table that the slice has from its source, and names none itself", () => {
  const asked = new Set<string>();
  const source: Source = (table) => {
    if (SLICE(table).strings[0] !== table) asked.add(table);
    return name(`elsewhere_${table}`);
  };
  const texts = INVARIANTS.map((rule) => [rule.name, rule.query(source).text] as const);
  assert.ok(asked.size >= 18, [...asked].join());
  const itself = new RegExp(`\\b(?:from|join) (?:${[...asked].join("|")})\\b`);
  for (const [rule, text] of texts) assert.doesNotMatch(text, itself, rule);
});
