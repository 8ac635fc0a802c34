import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../../gateway/test/harness/database.ts";
import { attack } from "./attack.ts";
import { FAILED } from "./attacks.ts";
import { grows, hostile } from "./hostile.ts";

// The long run: npm run hostile.
test("requests, notifications and answers of strangers harm nothing", { timeout: 480_000 }, async () => {
  const database = await freshDatabase();
  try {
    const { findings, counts } = await hostile({
      seed: 3, requests: 100, notifications: 50, answers: 80, env: { DATABASE_URL: database.url }, log: () => {},
    }); // biome-ignore format: a row
    assert.deepEqual(findings, []);
    assert.ok(counts.requests === 100 && counts.notifications === 50 && counts.answers >= 80, JSON.stringify(counts));
  } finally {
    await database.drop();
  }
});

test("while a gateway is attacked, every call of another tenant is answered", { timeout: 480_000 }, async () => {
  const database = await freshDatabase();
  try {
    const { lines, booksHold } = await attack({ databaseUrl: database.url, lines: 20_000, seconds: 2 }, () => {});
    assert.ok(booksHold);
    for (const { name, now, others } of lines) {
      assert.ok(!now.startsWith(FAILED), `${name}: ${now}`);
      assert.ok(others.failed === 0, `${name}: ${JSON.stringify(others)}`);
    }
  } finally {
    await database.drop();
  }
});

test("memory that settles is flat, also where collections come late; memory that goes on growing is not", () => {
  assert.equal(grows([190, 217, 244, 146, 200, 260, 250, 270, 240, 260]), false);
  assert.equal(grows([150, 200, 240, 260, 300, 310, 305, 390, 300, 310]), false);
  assert.equal(grows([150, 200, 250, 300, 350, 400, 480, 560, 640, 720]), true);
});
