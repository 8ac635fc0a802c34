import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deriveKey, hmacSha256, open, randomSecret, safeEqual, seal, sha256 } from "./secrets.ts";

const key = Buffer.alloc(32, 7);
const text = fc.string({ unit: "binary", maxLength: 300 });

test("a secret has 256 random bits after its prefix", () => {
  assert.match(randomSecret(), /^[A-Za-z0-9_-]{43}$/);
  assert.match(randomSecret("whsec_"), /^whsec_[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(Array.from({ length: 1_000 }, () => randomSecret())).size, 1_000);
});

test("digests match their published vectors", () => {
  assert.equal(sha256("abc").toString("hex"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const bytes = Buffer.from("Jefe");
  // Twice with the same bytes: what is made of them is kept.
  for (const key of ["Jefe", bytes, bytes]) {
    assert.equal(
      hmacSha256(key, "what do ya want for nothing?").toString("hex"), // RFC 4231, case 2
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  }
});

test("only equal texts are equal, whatever their lengths", () => {
  fc.assert(fc.property(text, text, (a, b) => assert.equal(safeEqual(a, b), a === b)));
  assert.ok(safeEqual("ação", Buffer.from("ação")));
  assert.equal(safeEqual("", "a"), false);
});

test("each purpose has its own key, the same every time", () => {
  assert.equal(deriveKey(key, "tokens").length, 32);
  assert.deepEqual(deriveKey(key, "tokens"), deriveKey(key, "tokens"));
  assert.notDeepEqual(deriveKey(key, "tokens"), deriveKey(key, "sealing"));
  assert.notDeepEqual(deriveKey(key, "tokens"), deriveKey(Buffer.alloc(32, 8), "tokens"));
});

test("what was sealed opens, and never looks the same twice", () => {
  fc.assert(
    fc.property(text, text, (plaintext, aad) => {
      const sealed = seal(key, plaintext, aad);
      assert.match(sealed, /^v1\.[A-Za-z0-9_-]+$/);
      assert.notEqual(seal(key, plaintext, aad), sealed);
      assert.equal(open(key, sealed, aad), plaintext);
    }),
  );
});

test("another key, another place or another character does not open", () => {
  const sealed = seal(key, "the PSP's secret", "institutions/1");
  assert.throws(() => open(Buffer.alloc(32, 8), sealed, "institutions/1"), /does not open/);
  assert.throws(() => open(key, sealed, "institutions/2"), /does not open/);
  for (let i = 0; i < sealed.length; i += 1) {
    const other = sealed[i] === "A" ? "B" : "A";
    assert.throws(
      () => open(key, sealed.slice(0, i) + other + sealed.slice(i + 1), "institutions/1"),
      Error,
      `at ${i}`,
    );
    assert.throws(() => open(key, sealed.slice(0, i), "institutions/1"), Error, `cut at ${i}`);
  }
  for (const bad of ["", "v1.", `v2.${sealed.slice(3)}`, `${sealed}=`, `${sealed} `]) {
    assert.throws(() => open(key, bad, "institutions/1"), /not a sealed value/);
  }
});

test("a refusal says nothing of the content", () => {
  const sealed = seal(key, "hunter2", "x");
  assert.throws(
    () => open(key, sealed, "y"),
    (error: Error) => !error.message.includes("hunter2") && !error.message.includes(sealed),
  );
});
