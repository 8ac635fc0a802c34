import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createIds, txidFor } from "../lib/ids.ts";
import type { Keys } from "../lib/keys.ts";
import { checkoutToken, readCheckoutToken } from "./checkout-token.ts";

const ids = createIds({ now: () => 1_764_000_000_000, random: (n) => randomBytes(n) });
const keysOf = (checkout: Buffer, other: Keys["other"] = null) => ({ checkout, other }) as Keys;

test("a token names its charge, and no other text does", () => {
  const keys = keysOf(randomBytes(32));
  for (let i = 0; i < 200; i += 1) {
    const id = ids.uuid();
    const txid = txidFor(7 + i, id);
    const token = checkoutToken(keys, txid);
    assert.match(token, /^[0-9a-z]{26,35}-[\w-]{22}$/);
    assert.deepEqual(readCheckoutToken(keys, token), { accountNumber: 7 + i, id });
    // Another character at any place, one more, one less, and another charge's code.
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === "a" ? "b" : "a") + token.slice(at + 1);
      assert.equal(readCheckoutToken(keys, changed), null, changed);
    }
    const [, mac] = checkoutToken(keys, txidFor(7 + i, ids.uuid())).split(/-(.*)/);
    for (const wrong of [
      `${token}a`,
      token.slice(0, -1),
      txid,
      `${txid}-`,
      `${txid}-${mac}`,
      "",
      "-",
      token.toUpperCase(),
    ])
      assert.equal(readCheckoutToken(keys, wrong), null, wrong);
  }
});

test("a token of the other master key is valid during the exchange, and of no third one", () => {
  const [before, after] = [keysOf(randomBytes(32)), keysOf(randomBytes(32))];
  const txid = txidFor(1, ids.uuid());
  const token = checkoutToken(before, txid);
  assert.ok(readCheckoutToken(keysOf(after.checkout, before), token));
  assert.ok(readCheckoutToken(keysOf(before.checkout, after), token));
  assert.equal(readCheckoutToken(after, token), null);
});
