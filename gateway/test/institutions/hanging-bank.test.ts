/** A bank that takes requests and answers none keeps the money of other banks from nobody. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createSender } from "../../src/withdrawals/send.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startHangingReceiver } from "../harness/hanging.ts";

/** More than the loop has slots. */
const WAITING = 70;

let gateway: TestGateway;
let hanging: Awaited<ReturnType<typeof startHangingReceiver>>;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  hanging = await startHangingReceiver();
});
after(async () => {
  await gateway.stop();
  await hanging.close();
});

/** A merchant with money, whose only bank is this one. */
async function merchantAt(institutionId: string, all: readonly string[]): Promise<Merchant> {
  const merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
  const policies = { uncheckedHolders: true };
  assert.equal((await gateway.operator.patch(`/accounts/${merchant.accountId}`, { policies })).status, 200);
  for (const id of all) {
    const enabled = JSON.stringify({ enabled: id === institutionId });
    const path = `/accounts/${merchant.accountId}/institutions/${id}`;
    assert.equal((await gateway.operator.send("PUT", path, enabled)).status, 200);
  }
  return merchant;
}

test("a payout leaves at its bank at once, while seventy older ones wait for the answers of a bank that hangs", async () => {
  const { items } = (await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).body;
  const own = items[0]!.id;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Hangs", provider: "woovi", environment: "sandbox" },
    config: { wooviUrl: hanging.url, appId: "app", wooviPayouts: true, timeoutMs: 20_000 },
  });
  assert.equal(made.status, 201, made.text);
  const banks = [own, made.body.id];
  const [at, elsewhere] = [await merchantAt(made.body.id, banks), await merchantAt(own, banks)];
  const waiting = await Promise.all(Array.from({ length: WAITING }, () => withdraw(at.client)));
  const sender = createSender(gateway.running.ctx);
  await eventually("all of its slots to wait", async () => {
    await sender.runDue();
    return hanging.received() >= 64;
  });
  const { id } = await withdraw(elsewhere.client);
  await eventually(
    "the payout at the other bank",
    async () => {
      await sender.runDue();
      return (await payoutsOf(gateway, id)).length === 1;
    },
    10_000,
  );
  const still = await Promise.all(waiting.map(async (one) => (await show(at.client, one.id)).status));
  assert.ok(
    still.every((status) => status === "processing" || status === "pending"),
    still.join(),
  );
  await hanging.close();
  await sender.idle();
});
