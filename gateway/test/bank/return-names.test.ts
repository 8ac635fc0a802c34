/** A bank may name a return by its own id first and by the network's later: both are the one return. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { pay, refundIs, refundsOf } from "../contract/payments.ts";
import { becomes, payoutsOf, settle, withdraw } from "../contract/payouts.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

/** Longer than the first check of each test takes. */
const LATER = 1500;

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

/** Waits until the bank shows the network's id of what came back. */
const renamed = (what: () => Promise<readonly { rtrId?: string | undefined }[]>) =>
  eventually("the network's id", async () => (await what()).every(({ rtrId }) => rtrId !== undefined));

test(
  "of a withdrawal, partly returned: credited once, under either name",
  notAt("api-pix", "it has no payouts"),
  async () => {
    const { client, accountId } = await newMerchant(world.gateway);
    await give(world.gateway, accountId, 100);
    const { id } = await withdraw(client, { netAmount: 50 });
    await becomes(client, id, "completed");
    await world.behave({ rtrIdDelayMs: LATER });
    await settle(client, id, { outcome: "reverse", amount: 20 });
    const before = await balancesOf(client);
    assert.equal(before.available, 7_000);
    const payout = async () => {
      const { psp } = (await world.ctx.psps.find(world.institutionId))!;
      const found = await psp.payouts!.findPayout((await payoutsOf(world.gateway, id))[0]!.idEnvio);
      return found.kind === "found" ? found.value.returns : [];
    };
    await renamed(payout);
    await world.pollWithdrawal(id);
    await world.pollWithdrawal(id);
    assert.deepEqual(await balancesOf(client), before);
    const [shown] = await payout();
    const stored = await world.db().query<{ psp_id: string; rtr_id: string }>(sql`
    select psp_id, rtr_id from withdrawal_returns where withdrawal_id = ${id}`);
    assert.deepEqual(stored.rows, [{ psp_id: shown!.id, rtr_id: shown!.rtrId }]);
    assert.deepEqual(await world.findingsOf([shown!.id!, shown!.rtrId!]), []);
    // The rest is another return, and makes it whole.
    await settle(client, id, { outcome: "reverse" });
    await becomes(client, id, "reversed");
    assert.equal((await balancesOf(client)).available, 10_000);
  },
);

test("of a payment, made by the bank itself: debited once, under either name", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await world.behave({ rtrIdDelayMs: LATER });
  const med = await world.control<{ id: string; rtrId: string }>(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
  await eventually("the chargeback", async () => (await balancesOf(client)).available === 3_000);
  const { psp } = (await world.ctx.psps.find(world.institutionId))!;
  await renamed(async () => {
    const found = await psp.findPix(e2eId);
    return found.kind === "found" ? found.value.returns : [];
  });
  await world.pollReceived();
  await world.pollReceived();
  assert.equal((await balancesOf(client)).available, 3_000);
  const stored = await world.db().query<{ psp_id: string; rtr_id: string }>(sql`
    select psp_id, rtr_id from psp_returns where e2e_id = ${e2eId}`);
  assert.deepEqual(stored.rows, [{ psp_id: med.id, rtr_id: med.rtrId }]);
  assert.deepEqual(await world.findingsOf([med.id, med.rtrId]), []);
});

test("of a refund: its end-to-end id is filled in when the bank names it", async () => {
  const { client } = await newMerchant(world.gateway);
  const { id, e2eId } = await pay(client, 30);
  await world.behave({ rtrIdDelayMs: 600_000, returnDelayMs: 0 });
  const asked = await client.post(`/transactions/${id}/refund`);
  assert.equal(asked.status, 201, asked.text);
  const confirmed = await refundIs(client, id, "CONFIRMED");
  assert.equal(confirmed.e2eId, undefined);
  const later = await world.gateway.simulator.send(
    "PUT",
    "/clock",
    JSON.stringify({ now: new Date(Date.now() + 660_000).toISOString() }),
  );
  assert.equal(later.status, 200, later.text);
  await eventually("its end-to-end id", async () => {
    await world.pollReceived();
    const [refund] = await refundsOf(client, id);
    return refund!.e2eId !== undefined && refund!.e2eId !== e2eId;
  });
  assert.equal((await balancesOf(client)).available, 0);
});
