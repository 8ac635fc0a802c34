import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import {
  accountOfCodeTxid,
  base36ToUuid,
  codeTxidFor,
  createIds,
  isUuid,
  parseTxid,
  txidFor,
  uuidToBase36,
} from "./ids.ts";

const NIL = "00000000-0000-0000-0000-000000000000";
const MAX = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const uuid = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Buffer.from(bytes).toString("hex"))
  .map((h) => `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`);
const accountNumber = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 36 ** 10 - 1 }));

test("a UUID holds the time, the version and the variant", () => {
  const ids = createIds({ now: () => 0x0123_4567_89ab, random: (n) => new Uint8Array(n).fill(0xff) });
  assert.equal(ids.uuid(), "01234567-89ab-77ff-bfff-ffffffffffff");
});

test("ids of one process only ever increase, whatever the clock does", () => {
  const steps = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(steps, (jumps) => {
      let now = 1_800_000_000_000;
      const ids = createIds({ now: () => now, random: (n) => randomBytes(n) });
      let last = "";
      for (const jump of jumps) {
        now += jump;
        for (let i = 0; i < 20; i += 1) {
          const id = ids.uuid();
          assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
          assert.ok(id > last, `${id} after ${last}`);
          last = id;
        }
      }
    }),
  );
});

test("twenty thousand ids of one millisecond are different, in order, and at most ten milliseconds early", () => {
  const now = 1_800_000_000_000;
  const ids = createIds({ now: () => now, random: (n) => randomBytes(n) });
  const made = Array.from({ length: 20_000 }, () => ids.uuid());
  assert.equal(new Set(made).size, made.length);
  assert.deepEqual([...made].sort(), made);
  const last = made.at(-1) as string;
  assert.ok(parseInt(last.slice(0, 8) + last.slice(9, 13), 16) - now <= 10);
});

test("the same clock and the same bytes give the same ids", () => {
  const make = () => {
    let byte = 0;
    const random = (n: number) => Uint8Array.from({ length: n }, () => (byte = (byte * 5 + 3) & 0xff));
    const ids = createIds({ now: () => 1_700_000_000_000, random });
    return Array.from({ length: 1_000 }, () => ids.uuid());
  };
  assert.deepEqual(make(), make());
});

test("a UUID is canonical or it is not one", () => {
  assert.ok(isUuid(NIL) && isUuid("01234567-89ab-77ff-bfff-ffffffffffff"));
  for (const bad of [
    "",
    "1",
    MAX.toUpperCase(),
    MAX.replaceAll("-", ""),
    `${MAX}\n`,
    `{${MAX}}`,
    `g${MAX.slice(1)}`,
    null,
    1,
  ]) {
    assert.equal(isUuid(bad), false, String(bad));
  }
});

test("128 bits become 25 digits and come back", () => {
  assert.equal(uuidToBase36(NIL), "0".repeat(25));
  assert.equal(uuidToBase36(MAX), "f5lxx1zz5pnorynqglhzmsp33");
  assert.equal(base36ToUuid("f5lxx1zz5pnorynqglhzmsp33"), MAX);
  fc.assert(
    fc.property(uuid, (id) => {
      const digits = uuidToBase36(id);
      assert.match(digits, /^[0-9a-z]{25}$/);
      assert.equal(base36ToUuid(digits), id);
    }),
    { numRuns: 2_000 },
  );
});

test("digits beyond 128 bits are no UUID", () => {
  assert.equal(base36ToUuid("f5lxx1zz5pnorynqglhzmsp34"), null);
  assert.equal(base36ToUuid("z".repeat(25)), null);
  for (const bad of ["", "0".repeat(24), "0".repeat(26), "A".repeat(25), `-${"0".repeat(24)}`, `${"0".repeat(24)}\n`]) {
    assert.equal(base36ToUuid(bad), null, bad);
  }
});

test("what is not a UUID has no digits", () => {
  for (const bad of ["", "x", MAX.toUpperCase()]) assert.throws(() => uuidToBase36(bad), TypeError);
});

test("a txid is what the PSP takes, and carries account and charge", () => {
  assert.equal(txidFor(1, NIL), `1${"0".repeat(25)}`);
  fc.assert(
    fc.property(accountNumber, uuid, (number, id) => {
      const txid = txidFor(number, id);
      assert.match(txid, /^[a-z0-9]{26,35}$/);
      assert.equal(txidFor(BigInt(number), id), txid);
      assert.deepEqual(parseTxid(txid), { accountNumber: number, id });
    }),
    { numRuns: 2_000 },
  );
});

test("every txid that parses is one that txidFor makes", () => {
  const digit = fc.constantFrom(..."0123456789abcdefghijklmnopqrstuvwxyzAZ-");
  fc.assert(
    fc.property(fc.string({ unit: digit, minLength: 20, maxLength: 40 }), (text) => {
      const parsed = parseTxid(text);
      if (parsed !== null) assert.equal(txidFor(parsed.accountNumber, parsed.id), text);
    }),
    { numRuns: 5_000 },
  );
});

test("a txid that txidFor cannot have made is refused", () => {
  const good = txidFor(1234, "0190f3c5-7a3b-7def-8123-456789abcdef");
  assert.ok(parseTxid(good));
  for (const bad of [
    "",
    good.toUpperCase(),
    `0${good}`,
    good.slice(3),
    `1${"z".repeat(25)}`,
    "z".repeat(36),
    `${good}\n`,
    `é${good.slice(1)}`,
  ]) {
    assert.equal(parseTxid(bad), null, bad);
  }
});

test("an account number without a txid throws", () => {
  for (const number of [0, -1, 1.5, Number.NaN, 36 ** 10]) assert.throws(() => txidFor(number, NIL), RangeError);
  assert.throws(() => txidFor(2n ** 64n, NIL), RangeError);
});

test("a static code's txid has 16 to 25 characters, names its account, and is no charge's", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 36 ** 10 - 1 }), fc.uuid({ version: 7 }), (number, uuid) => {
      const txid = codeTxidFor(number, uuid);
      assert.match(txid, /^[0-9a-z]{16,25}$/);
      assert.equal(accountOfCodeTxid(txid), number);
      assert.equal(parseTxid(txid), null);
      assert.equal(accountOfCodeTxid(txidFor(number, uuid)), null);
    }),
  );
  for (const bad of ["", "0".repeat(16), "A".repeat(20), "z".repeat(26), "pedido42"])
    assert.equal(accountOfCodeTxid(bad), null);
});
