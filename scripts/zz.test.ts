import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
test("bad", () => { fc.assert(fc.property(fc.integer(), (n) => assert.ok(n < 1000))); });
test("slow", async () => { await new Promise((r) => setInterval(r, 60000)); });
