/** What one tenant may keep here, so that it cannot take memory and time from the others. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertInvalid, nothingMoves } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

describe("Bounds of a tenant", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.verify();
    await gateway.stop();
  });

  test("metadata has at most 16 KiB and 50 keys", async () => {
    const charge = (metadata: unknown) => gateway.merchant.post("/pix", { amount: 10, description: "d", metadata });
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    const bytes = (count: number) => ({ a: "x".repeat(count - '{"a":""}'.length) });
    for (const metadata of [keys(50), bytes(16 * 1024)]) assert.equal((await charge(metadata)).status, 201);
    for (const metadata of [keys(51), bytes(16 * 1024 + 1), bytes(250_000), { a: "é".repeat(9_000) }]) {
      await nothingMoves(gateway, async () => assertInvalid(await charge(metadata), ["metadata"]));
    }
  });
});
