import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldNames, sentencesAbout, testTitles } from "./sentences.ts";

const FIELDS = new Set(["amount", "netAmount", "balance", "blockedDeposit", "lastLine", "status"]);
const about = (page: string, isForIntegrators = true) => sentencesAbout(FIELDS, page, isForIntegrators);

test("the names of fields are those of properties and query parameters, however deep", () => {
  const schema = { properties: { refund: { anyOf: [{ properties: { status: {} } }, { type: "null" }] } } };
  const parameters = [{ in: "query", name: "updatedFrom" }, { in: "path", name: "id" }]; // biome-ignore format: a row
  assert.deepEqual([...fieldNames([{ paths: { parameters } }, schema])].sort(), ["refund", "status", "updatedFrom"]);
});

test("a sentence, an item and a row of a table that name a field are found, each alone and on one line", () => {
  const page = `# \`amount\` of a title is one too

It costs nothing. The receiver gets \`netAmount\`, which
is less. \`status: "failed"\` stays.

- \`balance.lastLine\` is a line;
  see below
- nothing here

  | rows of an item | \`netAmount\` |
  | other | text |

> The \`"amount"\` is
> quoted.

| field | says |
|---|---|
| \`amount\` | BRL |
| other | \`POST /v2/amount\` |`;
  assert.deepEqual(about(page), [
    "# `amount` of a title is one too",
    "The receiver gets `netAmount`, which is less.",
    '`status: "failed"` stays.',
    "`balance.lastLine` is a line; see below",
    "| rows of an item | `netAmount` |",
    'The `"amount"` is quoted.',
    "| `amount` | BRL |",
  ]);
});

test("a field is also named inside of a body or an address", () => {
  const body = '`{ "id": 1, "status": "failed" }` ends it.';
  assert.deepEqual(about(`${body} \`/v2/returns?limit=1&amount=2\` lists it. \`{ "id": 1 }\` does not.`), [
    body,
    "`/v2/returns?limit=1&amount=2` lists it.",
  ]);
});

test("generated tables, examples and comments are not hand-written", () => {
  const generated = "<!-- fields: Event amount -->\n| `amount` | BRL |\n<!-- /fields -->";
  assert.deepEqual(about(`${generated}\n\n\`\`\`\nsee \`amount\`\n\`\`\`\n\n<!-- \`amount\` -->`), []);
});

test("on pages that are not for integrators only a compound name, or part of one, is a field's", () => {
  const page =
    "`amount` is a ledger's. `netAmount` is a field. So is `blockedDeposit.status`. `netAmount.ts` is a file.";
  assert.deepEqual(about(page, false), ["`netAmount` is a field.", "So is `blockedDeposit.status`."]);
});

test("a test that is skipped or to be written holds nothing", () => {
  const source = `test("one", () => {});\n  test(\n    'two',\n  );\ntest.skip("three");\ntest.todo("four");`;
  assert.deepEqual([...testTitles(source)], ["one", "two"]);
});
