import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type ChainedEntry, checkExport, hashOfEntry, isSigned, signHead } from "./chain.ts";

const accountId = "01a1fdf9-0fb8-7000-8000-012345678900";
type Line = ChainedEntry & { hash: string };

/** A chain whose entries were made by these actors. */
function chainOf(...actors: string[]): Line[] {
  const lines: Line[] = [];
  for (const [i, actor] of actors.entries()) {
    const entry = {
      ...{ accountId, seq: i + 1, previousHash: lines[i - 1]?.hash ?? null, id: `entry ${i}`, actor, objectId: null },
      ...{ action: "account.update", before: { b: 0.1, a: "ç" }, after: null, createdAt: "2026-11-22T12:00:00.000Z" },
    };
    lines.push({ ...entry, hash: hashOfEntry(entry).toString("hex") });
  }
  return lines;
}
const headOf = (lines: readonly Line[], seed = randomBytes(32)) => {
  const { seq, hash } = lines.at(-1)!;
  return signHead(seed, { createdAt: "2026-11-22T12:00:00.000Z", chains: [{ accountId, seq, hash }] });
};
const check = (lines: readonly Line[], head: Parameters<typeof checkExport>[1] = null) =>
  checkExport(
    lines.map((line) => JSON.stringify(line)),
    head,
  );

test("an entry's hash is that of its fields as JSON with sorted keys, whatever the order of a line", () => {
  const [first] = chainOf("maria");
  // Python: sha256(json.dumps(entry, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode()).hexdigest()
  assert.equal(first!.hash, "f5fa4892fbdbf298ce01dae0580df2ebe1942aa658c987c877b4468707e8a1d0");
  const turned = Object.fromEntries(Object.entries(first!).reverse()) as Line;
  assert.equal(check([turned]).ok, true);
});

test("a log as it was written passes, with a head of then and of before", () => {
  const lines = chainOf("maria", "ana", "maria");
  assert.deepEqual(check(lines, headOf(lines)), { ok: true, entries: 3, chains: 1, problems: [] });
  assert.equal(check(lines, headOf(lines.slice(0, 2))).ok, true);
});

test("an entry that was changed, removed, moved or added is named", () => {
  const [a, b, c] = chainOf("maria", "ana", "maria") as [Line, Line, Line];
  for (const [lines, says] of [
    [[a, { ...b, actor: "maria" }, c], [/^entry 2 .* its hash is not that of its content$/]],
    [
      [a, c],
      [/^entry 3 .* follows entry 1$/, /^entry 3 .* does not carry the hash/],
    ],
    [
      [b, c],
      [/^entry 2 .* follows entry 0$/, /^entry 2 .* does not carry the hash/],
    ],
    [
      [a, b, b, c],
      [/^entry 2 .* follows entry 2$/, /^entry 2 .* does not carry the hash/],
    ],
  ] satisfies [Line[], RegExp[]][]) {
    const { ok, problems } = check(lines);
    assert.equal(ok, false);
    assert.equal(problems.length, says.length, problems.join("\n"));
    for (const [i, pattern] of says.entries()) assert.match(problems[i]!, pattern);
  }
  assert.deepEqual(checkExport(["nonsense", "null"], null).problems, [
    "line 1: is not an entry",
    "line 2: is not an entry",
  ]);
});

test("a log written anew, its hashes with it, or cut at its end is found by a head of before, and by nothing else", () => {
  const lines = chainOf("maria", "ana", "maria");
  const head = headOf(lines);
  for (const [forged, says] of [
    [chainOf("nobody", "ana", "maria"), /^entry 3 of account .*: the head has another hash of it$/],
    [lines.slice(0, 2), /^entry 3 of account .*: is missing$/],
  ] as const) {
    assert.equal(check(forged).ok, true);
    assert.match(check(forged, head).problems.join("\n"), says);
  }
});

test("a head is as it was signed, or it is refused", () => {
  const lines = chainOf("maria");
  const head = headOf(lines);
  assert.equal(isSigned(head), true);
  const chains = [{ ...head.chains[0]!, hash: "00" }];
  for (const forged of [
    { ...head, createdAt: "2026-11-23T12:00:00.000Z" },
    { ...head, chains },
    { ...head, publicKey: headOf(lines).publicKey },
    { ...head, publicKey: "" },
    { ...head, signature: "" },
  ]) {
    assert.equal(isSigned(forged), false);
    assert.equal(check(lines, forged).problems.at(-1), "the head: its signature is wrong");
  }
});
