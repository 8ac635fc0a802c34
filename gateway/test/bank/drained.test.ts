/** An institution that is drained takes nothing new; what is open there, and what still comes, is found as before. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { isNight, startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(async () => {
  await world.gateway.verify();
  await world.stop();
});

const setStatus = async (status: "active" | "inactive") => {
  const reply = await world.gateway.operator.patch(`/institutions/${world.institutionId}`, { status });
  assert.equal(reply.status, 200, reply.text);
  await eventually(
    `it to be ${status}`,
    async () => (await world.ctx.psps.find(world.institutionId))!.status === status,
  );
};
/** While this runs, the bank is drained and its notifications are lost. */
const whileDrained = async (run: () => Promise<void>) => {
  await world.quiet();
  await world.behave({ autoNotify: false });
  await setStatus("inactive");
  try {
    await run();
  } finally {
    await world.behave({ autoNotify: true, faults: { seed: 1, rules: [] } });
    await setStatus("active");
  }
};
/** Makes what is polled due, and waits until a row says that it was done. */
const poll = async (loop: string, due: ReturnType<typeof sql>, isDone: () => Promise<unknown>) => {
  await world.db().query(due);
  world.ctx.hints.wake(loop);
  await eventually(`the poll of ${loop}`, isDone);
};

test("a payment that comes to it without a notification is found by its list", async () => {
  const { id, txid } = await world.create();
  await whileDrained(async () => {
    const { e2eId } = await world.pay(txid);
    await world.pollReceived();
    await world.statusIs(id, "completed");
    assert.equal((await world.receiptsOf(e2eId)).length, 1);
  });
});

test("a MED case that is opened there holds the money", notAt("api-pix", "it has no MED cases"), async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await whileDrained(async () => {
    await world.control("/infractions", { e2eId });
    await poll("infractions", sql`update infraction_polls set next_at = ${new Date()}`, async () => {
      const { available, held } = await balancesOf(client);
      return available === 0 && held === 5_000;
    });
  });
});

test("a return that it makes by itself is found by the nightly listing", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await world.stopPolling();
  await whileDrained(async () => {
    await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
    assert.equal((await balancesOf(client)).available, 5_000);
    const due = sql`update received_polls set returns_next_at = ${new Date()}, returns_place = null, returns_calls = 0`;
    await poll("returned", due, async () => {
      const { rows } = await world.db().query<{ at: Date }>(sql`select returns_next_at as at from received_polls`);
      return isNight(rows[0]!.at);
    });
    assert.equal((await balancesOf(client)).available, 3_000);
  });
});

test("its balance is compared with the books", notAt("api-pix", "it reports no balance"), async () => {
  await whileDrained(async () => {
    const started = new Date();
    await poll("balances", sql`update balance_watches set sample = null, next_at = ${new Date(0)}`, async () => {
      const { rows } = await world.db().query<{ sampledAt: string | null }>(sql`
        select sample ->> 'sampledAt' as "sampledAt" from balance_watches`);
      return (rows[0]?.sampledAt ?? "") >= started.toISOString();
    });
    await poll("balances", sql`update balance_watches set next_at = ${new Date(0)}`, async () => {
      const { rowCount } = await world.db().query(sql`select from balance_checks where sampled_at >= ${started}`);
      return rowCount > 0;
    });
    const text = await (await fetch(`${world.gateway.running.url}/metrics`)).text();
    assert.match(text, /^pixgate_balance_age_seconds\{/m);
  });
});

test("a paid charge of which it shows nothing does not expire, and is completed when it is shown", async () => {
  const { id, txid } = await world.create();
  await whileDrained(async () => {
    await world.pay(txid);
    await world.db().query(sql`update charges set expires_at = ${new Date()} where charge_id = ${id}`);
    const rules = ["getCob", "getPix", "listPix"].map((route) => ({ route, kind: "notFound", probability: 1 }));
    await world.behave({ faults: { seed: 1, rules } });
    await world.pollChargeOften(id);
    assert.equal((await world.show(id)).status, "pending");
    await world.behave({ faults: { seed: 1, rules: [] } });
    const shown = (await world.pollUntil(id, "completed")) as Record<string, unknown>;
    assert.equal(shown.paidAfterExpiry, undefined);
    const { rowCount } = await world.db().query(sql`select from events where event_id = ${`payment_expired_${id}`}`);
    assert.equal(rowCount, 0);
  });
});

test("it is probed, so that what waits for it leaves as soon as it answers again", async () => {
  const stateIs = (what: string, isSo: (state: string) => boolean) =>
    eventually(what, async () => {
      world.ctx.hints.wake("institutions");
      return isSo((await world.ctx.psps.find(world.institutionId))!.health.state);
    });
  await whileDrained(async () => {
    await world.behave({ faults: { seed: 1, rules: [{ route: "*", kind: "reset", probability: 1 }] } });
    const { psp } = (await world.ctx.psps.find(world.institutionId))!;
    for (let i = 0; i < 3; i += 1) await psp.findPix("E00000000202611280000000000000000");
    await stateIs("it to be down", (state) => state === "down");
    await world.behave({ faults: { seed: 1, rules: [] } });
    await stateIs("it to answer again", (state) => state !== "down");
  });
});
