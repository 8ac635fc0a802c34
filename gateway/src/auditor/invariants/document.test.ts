import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { REWRITTEN, ruleOf } from "../violation.ts";
import { INVARIANTS } from "./invariants.ts";

test("docs/money.md lists every invariant in the words of its statement, and no other", () => {
  const document = readFileSync(new URL("../../../../docs/money.md", import.meta.url), "utf8");
  const listed = [...document.matchAll(/^- \*\*(\w\d+)\*\*: (.+)$/gm)].map(([, name, says]) => `${name}: ${says}`);
  const checked = [...INVARIANTS.map(({ name }) => name), REWRITTEN].map((name) => `${name}: ${ruleOf(name)}`);
  assert.deepEqual(listed.sort(), checked.sort());
});
