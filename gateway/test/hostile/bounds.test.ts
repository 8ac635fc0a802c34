/** What one tenant may keep here, so that it cannot take memory and time from the others. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { everyPage, newMerchant, type Page } from "../contract/money.ts";
import { assertInvalid, nothingMoves } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

describe("Bounds of a tenant", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());

  test("metadata has at most 16 KiB and 50 keys", async () => {
    const charge = (metadata: unknown) => gateway.merchant.post("/pix", { amount: 10, description: "d", metadata });
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    const bytes = (count: number) => ({ a: "x".repeat(count - '{"a":""}'.length) });
    for (const metadata of [keys(50), bytes(16 * 1024)]) assert.equal((await charge(metadata)).status, 201);
    for (const metadata of [keys(51), bytes(16 * 1024 + 1), bytes(250_000), { a: "é".repeat(9_000) }]) {
      await nothingMoves(gateway, async () => assertInvalid(await charge(metadata), ["metadata"]));
    }
  });

  test("a page ends early, with a cursor, when it has half a megabyte", async () => {
    const { client } = await newMerchant(gateway);
    const metadata = { note: "x".repeat(16_000) };
    for (let i = 0; i < 50; i += 1) {
      assert.equal((await client.post("/pix", { amount: 10, description: "d", metadata })).status, 201);
    }
    const page = await client.get<Page<{ id: string }>>("/transactions?limit=100");
    assert.ok(page.text.length < 560_000, `${page.text.length} bytes`);
    assert.ok(page.body.items.length >= 20 && page.body.nextCursor !== null, `${page.body.items.length} items`);
    const all = await everyPage<{ id: string }>(client, "/transactions?limit=100");
    assert.deepEqual([all.length, new Set(all.map(({ id }) => id)).size], [50, 50]);
  });

  test("a whole list is sent while it is read, and is what its pages are", async () => {
    const references = Array.from({ length: 230 }, (_, i) => `loja-${i}`);
    const { client } = await newMerchant(gateway, references);
    const whole = await client.get<{ data: { reference: string }[] }>("/sub-accounts");
    assert.equal(whole.headers.get("transfer-encoding"), "chunked");
    assert.equal(whole.headers.get("content-type"), "application/json; charset=utf-8");
    assert.deepEqual(Object.keys(whole.body), ["data"]);
    assert.deepEqual(
      whole.body.data.map(({ reference }) => reference),
      references.toReversed(),
    );
    const page = await client.get<{ data: unknown[]; nextCursor: string | null }>("/sub-accounts?limit=1000");
    assert.deepEqual(page.body, { data: whole.body.data, nextCursor: null });
  });
});
