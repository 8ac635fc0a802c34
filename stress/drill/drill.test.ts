import assert from "node:assert/strict";
import { test } from "node:test";
import { drill } from "./drill.ts";

// The long run, with two gateways: npm run drill.
test("every secret is exchanged and a backup restored under load: nothing is lost", { timeout: 400_000 }, async () => {
  const serverUrl = process.env.PIXGATE_TEST_POSTGRES!;
  const { findings, counts } = await drill({ serverUrl, merchants: 2, gateways: 1, payments: 2 });
  assert.deepEqual(findings, []);
  assert.equal(Number(counts.paid) >= 12, true);
});
