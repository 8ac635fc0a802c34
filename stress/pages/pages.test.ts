import assert from "node:assert/strict";
import { test } from "node:test";
import { openPages } from "./pages.ts";

// A thousand run by hand: node stress/pages/main.ts.
test("a hundred pages that are open at once all see their own payment", { timeout: 300_000 }, async () => {
  const { seen, p50, slowest } = await openPages({ pages: 100, everyMs: 20 });
  assert.equal(seen, 100);
  // Generous bounds, for a busy machine: on an idle one a payer waits about a second.
  assert.ok(p50 < 10_000 && slowest < 60_000, `${p50} ms, ${slowest} ms`);
});
