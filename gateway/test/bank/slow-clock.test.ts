/** A bank whose clock is minutes behind or ahead. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newMerchant } from "../contract/money.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const MINUTES = 60_000;
for (const [name, offset] of [
  ["behind", -12 * MINUTES],
  ["ahead", 12 * MINUTES],
] as const) {
  test(`a charge at a bank whose clock is minutes ${name} is shown to live as long as was asked, and is credited`, async () => {
    const { client } = await newMerchant(gateway);
    const set = (now: number) =>
      gateway.simulator.send("PUT", "/clock", JSON.stringify({ now: new Date(now).toISOString() }));
    assert.equal((await set(Date.now() + offset)).status, 200);
    try {
      type Charge = { id: string; createdAt: string; expiresAt: string };
      const body = { amount: 10, description: "d", expiresIn: 300 };
      const charge = await client.post<Charge>("/pix", body);
      assert.equal(charge.status, 201, charge.text);
      const life = (one: Charge) => Date.parse(one.expiresAt) - Date.parse(one.createdAt);
      assert.ok(life(charge.body) >= 300_000, `it lives ${life(charge.body)} ms`);
      const shown = await client.get<Charge>(`/transactions/${charge.body.id}`);
      assert.ok(life(shown.body) >= 300_000);
      const paid = await client.post<{ status: string }>(`/sandbox/pix/${charge.body.id}/pay`, {});
      assert.deepEqual([paid.status, paid.body.status], [200, "completed"], paid.text);
    } finally {
      await set(Date.now());
    }
  });
}
