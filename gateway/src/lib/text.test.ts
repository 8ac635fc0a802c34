import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, findTextProblem, truncate } from "./text.ts";

const wellFormed = fc.string({ unit: "binary" }).filter((s) => !s.includes("\0"));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 6 },
    wellFormed,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(fc.oneof(wellFormed, fc.constant("__proto__")), tie("value")), { maxLength: 4 }).map(fromPairs),
  ),
})).value;

/** An object as JSON.parse makes it: `__proto__` is a key like any other. */
function fromPairs(pairs: [string, unknown][]): unknown {
  return JSON.parse(`{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`);
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = Object.entries(value).map(([key, inner]) => [key, reversed(inner)]);
  return fromPairs(entries.reverse());
}

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

test("clean values have no problem", () => {
  fc.assert(fc.property(json, (value) => assert.equal(findTextProblem(value), null)));
  assert.equal(findTextProblem("👍 ação"), null);
});

test("a NUL or a lone surrogate is found wherever it hides", () => {
  for (const bad of ["\0", "a\0b", "\ud800", "\udc00\ud800", "x\udfff"]) {
    const pathIn = (value: unknown) => findTextProblem(value)?.path;
    assert.equal(pathIn(bad), "");
    assert.equal(pathIn({ a: [1, { b: "fine" }, { c: bad }] }), "a[2].c");
    assert.equal(pathIn({ a: { [bad]: 1 } }), "a");
    assert.equal(pathIn(JSON.parse(`{"__proto__": {"x": ${JSON.stringify(bad)}}}`)), "__proto__.x");
  }
  assert.deepEqual(findTextProblem({ a: { "k\0": 1 } }), {
    path: "a",
    message: "has a key that contains a NUL character",
  });
});

test("a number beyond a double is found wherever it hides", () => {
  for (const text of ["1e400", "-1e999"]) {
    for (const [json, path] of [
      [text, ""],
      [`{"a":[1,${text}]}`, "a[1]"],
      [`{"a":{"b":${text}}}`, "a.b"],
    ] as const) {
      assert.deepEqual(findTextProblem(JSON.parse(json)), { path, message: "is a number too large for a double" });
    }
  }
  assert.equal(findTextProblem([1e308, -1e308, 5e-324, -0]), null);
});

test("nesting is checked to 32 levels and refused beyond, however deep", () => {
  assert.equal(findTextProblem(nested(32)), null);
  assert.match(findTextProblem(nested(33))?.message ?? "", /deeper than 32 levels/);
  assert.match(findTextProblem(nested(100_000))?.message ?? "", /deeper than 32 levels/);
  assert.equal(canonicalJson(nested(32)), "[".repeat(32) + "]".repeat(32));
  assert.throws(() => canonicalJson(nested(33)), RangeError);
});

test("a cut text is a prefix of whole code points", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, max) => {
      assert.equal(truncate(text, max), Array.from(text).slice(0, max).join(""));
    }),
  );
  assert.equal(truncate("a👍b", 2), "a👍");
});

test("the order of keys does not change the canonical text, and it parses to the same value", () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(reversed(value)), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 500 },
  );
});

test("different values have different canonical texts", () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const same = JSON.stringify(reversed(reversed(a))) === JSON.stringify(b);
      if (canonicalJson(a) === canonicalJson(b))
        assert.deepEqual(JSON.parse(canonicalJson(a)), JSON.parse(canonicalJson(b)));
      else assert.equal(same, false);
    }),
  );
  const texts = [1, "1", true, "true", null, "null", [], {}, [[]], [null], { a: 1 }, { a: "1" }, ["a", 1], '{"a":1}'];
  assert.equal(new Set(texts.map(canonicalJson)).size, texts.length);
  assert.equal(canonicalJson(JSON.parse("1.0")), canonicalJson(1));
  assert.equal(canonicalJson({ b: undefined, a: 1 }), '{"a":1}');
});

test("a key named __proto__ counts like any other", () => {
  const evil = JSON.parse('{"__proto__":{"amount":1},"a":2}');
  assert.equal(canonicalJson(evil), '{"__proto__":{"amount":1},"a":2}');
  assert.notEqual(canonicalJson(evil), canonicalJson({ a: 2 }));
});

test("what JSON does not know throws", () => {
  for (const value of [undefined, Number.NaN, Infinity, 1n, () => 1, [undefined]]) {
    assert.throws(() => canonicalJson(value), TypeError);
  }
});
