import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../sdk/src/index.ts";
import { createProgram } from "./program.ts";
import { show } from "./show.ts";
import { toCliError } from "./to-cli-error.ts";

const load = () => Promise.reject(new Error("help needs no gateway"));

test("an object's lists and objects stand below their names, indented", () => {
  const checks = [
    { name: "token", says: "It works." },
    { name: "scopes", says: "It does not." },
  ];
  assert.equal(
    show({ ok: false, checks, limits: { perDay: 5, of: { night: null } }, events: ["a"], none: {} }),
    [
      "ok      false",
      "checks",
      "  name    says",
      "  token   It works.",
      "  scopes  It does not.",
      "limits",
      "  perDay  5",
      "  of",
      "    night  -",
      "events  a",
      "none    -",
    ].join("\n"),
  );
});

test("what is nested in a table's cell is said in words", () => {
  const heldBy = { withdrawals: { count: 1, amount: "30.00" }, blocks: {} };
  const items = [{ name: "Loja", heldBy, permissions: ["PIX:WRITE", "WEBHOOK:READ"], addresses: [] }];
  assert.equal(
    show({ items }).split("\n")[1],
    "Loja  withdrawals (count 1, amount 30.00), blocks -  PIX:WRITE, WEBHOOK:READ  -",
  );
});

test("a time is Brasília's with its offset wherever it stands, and another text unchanged", () => {
  const at = "2026-11-28T02:30:00.000Z";
  const shown = "2026-11-27T23:30:00.000-03:00";
  assert.equal(
    show({ at, of: { at }, list: [at], day: "2026-11-28", said: `at ${at}` }),
    `at    ${shown}\nof\n  at  ${shown}\nlist  ${shown}\nday   2026-11-28\nsaid  at ${at}`,
  );
  assert.equal(show({ items: [{ at }] }).split("\n")[1], shown);
});

test("a refusal that leads to a case names the case", () => {
  const refused = new ApiError({
    ...{ status: 403, code: "TWO_PERSONS_REQUIRED", message: "Two operators must decide this.", traceId: null },
    ...{ details: { caseId: "0198" }, retryAfterMs: null, idempotencyKey: null },
  });
  assert.match((toCliError(refused) as Error).message, /\(TWO_PERSONS_REQUIRED\)\n {2}caseId: 0198$/);
});

test("a text that others wrote moves no cursor and breaks no table", () => {
  const shown = show({ name: "\x1b]0;owned\x07Maria\u202e\nid  1", document: "\x9b2J" });
  assert.equal(shown, "name      \\u001b]0;owned\\u0007Maria\\u202e\\nid  1\ndocument  \\u009b2J");
});

test("a table fits the terminal by cutting long texts, and never an id; without a terminal nothing is cut", () => {
  const id = "01a20694-61ab-7113-903f-0323528aec2b";
  const items = [
    { id, description: "Two coffees and a cake with a long name", counterpartName: "Maria da Silva e Souza" },
  ];
  const names = ["id", "description", "counterpartName"];
  const lines = show({ items }, names, undefined, 80).split("\n");
  assert.ok(
    lines.every((line) => line.length <= 80),
    lines.join("\n"),
  );
  assert.match(lines[1]!, new RegExp(`^${id}  Two .*…  Maria`));
  assert.match(show({ items }, names), /long name {2}Maria da Silva e Souza$/);
  assert.match(show({ items }, names, undefined, 20), new RegExp(`^${id} `, "m"));
});

test("every noun in the plural has a singular, and no noun of one operation has the description of another", () => {
  const { commands } = createProgram(load);
  const nouns = commands.filter(
    (one) => one.commands.length > 0 && /[^s]s$/.test(one.name()) && one.name() !== "profiles",
  );
  for (const noun of nouns) assert.notEqual(noun.alias() ?? "", "", noun.name());
  const described = commands.map((one) => one.description());
  assert.equal(new Set(described).size, described.length, described.sort().join("\n"));
});
