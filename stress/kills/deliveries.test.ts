import assert from "node:assert/strict";
import { test } from "node:test";
import { kills } from "./deliveries.ts";

// The long run: npm run kills.
test("kill -9 during deliveries loses none, and repeats only those in flight", { timeout: 300_000 }, async () => {
  const { findings, counts } = await kills({ deliveries: 1_000, kills: 2 });
  assert.deepEqual(findings, [], JSON.stringify(counts));
  assert.equal(counts.distinct, 1_000);
  assert.ok(counts.inFlightAtKills > 0, "the kills came while it delivered");
});
