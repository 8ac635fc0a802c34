/** docs/money.md draws the chart of accounts as it is. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ROUTES } from "./chart.ts";

const [, page = ""] = /^## Chart of accounts$([\s\S]*?)^## /m.exec(
  readFileSync(new URL("../../../docs/money.md", import.meta.url), "utf8"),
)!;

test("the drawings of the chart of accounts have every route of money, each once, and no other", () => {
  const arrows = [...page.matchAll(/^ {2}(\w+)(?:\[.*?\])? -- (\S+) --> (\w+)/gm)];
  const drawn = arrows.flatMap(([, from, kinds, to]) => kinds!.split("<br/>").map((kind) => `${kind}: ${from}>${to}`));
  const routes = Object.entries(ROUTES).flatMap(([kind, ways]) => ways.map((way) => `${kind}: ${way}`));
  assert.deepEqual(drawn.sort(), routes.sort());
});
