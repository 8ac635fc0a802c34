import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { model } from "./model.ts";

const seed = randomInt(2 ** 31);

// The long run: npm run model.
test(`what is decided is what the models decide (seed ${seed})`, { timeout: 300_000 }, async (t) => {
  const counts = await model({ commands: 100_000, seed, times: 1, log: (line) => t.diagnostic(line) });
  for (const [file, count] of counts) assert.ok(count > 5_000, `${file} has decided ${count} commands`);
});
