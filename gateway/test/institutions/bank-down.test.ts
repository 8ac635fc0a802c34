/** A bank that is down costs a caller nothing but the charge: the answer comes at once, and nobody waits for the bank. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});

const charge = () =>
  gateway.merchant.post<{ details?: { code: string; retryable: boolean } }>("/pix", { amount: 10, description: "d" });
const health = async () => {
  gateway.running.ctx.hints.wake("institutions");
  return (await gateway.operator.get<{ items: { health: string }[] }>("/institutions")).body.items[0]!.health;
};
/** Charges that were sent to the bank, whatever came of them. */
async function sent(): Promise<number> {
  const text = await (await fetch(`${gateway.running.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => /^pixgate_psp_calls_total\{.*route="putCob"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

for (const time of ["once", "a second time"]) {
  test(`a charge is refused without a call while the only bank is down, and issued when it is back: ${time}`, async () => {
    const faults = { seed: 1, rules: [{ route: "*", kind: "reset", probability: 1 }] };
    assert.equal((await gateway.simulator.patch("/behaviour", { faults })).status, 200);
    await eventually("the bank to be down", async () => (await health()) === "down");
    const before = await sent();
    for (let i = 0; i < 5; i += 1) {
      const refused = await charge();
      assert.equal(refused.status, 500, refused.text);
      assert.deepEqual([refused.body.details?.code, refused.body.details?.retryable], ["PSP_UNAVAILABLE", true]);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
    }
    assert.equal(await sent(), before);
    assert.ok((await gateway.simulator.send("DELETE", "/behaviour", undefined)).status < 300);
    await eventually("a charge to be issued", async () => {
      gateway.running.ctx.hints.wake("institutions");
      return (await charge()).status === 201;
    });
    await eventually("the bank to be up", async () => (await health()) === "up");
  });
}
