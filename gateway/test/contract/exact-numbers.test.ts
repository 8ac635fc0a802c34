/** Numbers in a merchant's own objects come back as they were sent, or are refused. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertInvalid } from "./refusal.ts";

/** Stored as another number, if they were taken. */
const INEXACT = [
  "9007199254740993", "-9007199254740993", "12345678901234567890", "9007199254740992.5", "1e20", "1E+400", "-1e400", "1e-400",
  "0.123456789012345678", "100.00000000000000001", "9007199254740991.5", `1${"0".repeat(100)}`, `0.${"0".repeat(100)}1`,
]; // biome-ignore format: a list
const EXACT = [
  "9007199254740992", "-9007199254740992", "9007199254740991", "0.1", "-0.1", "0", "1.50", "1.0000000000000000000000", "1e3", "1e-7",
  "4503599627370497.5", "0.10000000000000001", "123456789012345.67",
]; // biome-ignore format: a list

describe("A number in metadata", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());

  const charge = (metadata: string, key?: string) =>
    gateway.merchant.send<{ id: string; metadata: unknown }>(
      "POST",
      "/pix",
      `{"amount":10,"description":"Order","metadata":${metadata}}`,
      key === undefined ? {} : { headers: { "idempotency-key": key } },
    );
  const count = async () =>
    (await gateway.merchant.get<{ items: unknown[] }>("/transactions?limit=100")).body.items.length;

  test("that JSON numbers do not hold exactly is refused by its path, and nothing is made", async () => {
    const before = await count();
    for (const number of INEXACT) {
      assertInvalid(await charge(`{"order":{"lines":[1,${number}]}}`), ["metadata.order.lines[1]"]);
      assertInvalid(await charge(`{"n":${number}}`, "a-key-of-its-own"), ["metadata.n"]);
    }
    assert.equal(await count(), before);
  });

  test("comes back as it was sent, and one more than it is another request under the same key", async () => {
    for (const number of EXACT) {
      const made = await charge(`{"n":${number}}`);
      assert.equal(made.status, 201, `${number} ${made.text}`);
      const read = await gateway.merchant.get<{ metadata: unknown }>(`/transactions/${made.body.id}`);
      assert.deepEqual(read.body.metadata, { n: Number(number) });
    }
    const first = await charge('{"n":9007199254740992}', "same-exact-key");
    assert.equal(first.status, 201, first.text);
    const other = await charge('{"n":9007199254740991}', "same-exact-key");
    assert.equal(other.status, 422, other.text);
    assertInvalid(await charge('{"n":9007199254740993}', "third-exact-key"), ["metadata.n"]);
  });

  test("is refused where the object comes twice: the last one counts", async () => {
    const before = await count();
    assertInvalid(await charge('{"n":1},"metadata":{"n":9007199254740993}'), ["metadata.n"]);
    assert.equal(await count(), before);
  });

  test("is refused in every body that takes an object of the caller's own", async () => {
    const body = '{"subAccount":"loja","amount":1,"metadata":{"n":12345678901234567890}}';
    assertInvalid(await gateway.merchant.send("POST", "/transfers", body), ["metadata.n"]);
  });
});
