/** The Idempotency-Keys of what a panel sends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallKeys } from "../src/parts/call-keys.ts";

test("the same body has one key until it is forgotten, also after another body was tried, and another body has another", () => {
  const { keyOf, forget } = createCallKeys();
  const first = keyOf({ amount: 20 });
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.notEqual(keyOf({ amount: 20.01 }), first);
  assert.equal(keyOf({ amount: 20 }), first);
  forget();
  assert.notEqual(keyOf({ amount: 20 }), first);
  assert.notEqual(createCallKeys().keyOf({ amount: 20 }), first);
});
