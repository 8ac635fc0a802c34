/** Payouts of a bank that knows no repeat: its list is searched before anything is sent again, and what was sent is never sent twice. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { Payouts } from "../../src/psp/psp.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { confirmAll, holdOpenWithdrawals } from "../../src/withdrawals/unconfirmed.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { MANUAL, pspIdOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { launchProcess } from "../harness/process.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { type Asaas, startAsaas } from "../psp/bridges/asaas.ts";

const MINUTE = 60_000;

type Send = Payouts["sendPayout"];
type Order = Parameters<Send>[0];

let gateway: TestGateway;
let merchant: Merchant;
let simulator: Awaited<ReturnType<typeof startSimulatorPsp>>;
let asaas: Asaas;
let institutionId: string;
/** How far the bank's clock is ahead: as far as that of the last pass. */
let ahead = 0;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  simulator = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) });
  asaas = await startAsaas(simulator, () => Date.now() + ahead);
  closers.push(asaas.close);
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Asaas", provider: "asaas", environment: "sandbox" },
    config: { ...asaas.settings, timeoutMs: 5_000 },
  });
  assert.equal(made.status, 201, made.text);
  institutionId = made.body.id;
});
beforeEach(async () => {
  ahead = 0;
  Object.assign(asaas, { guards: false, lags: false });
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 100);
  const policies = { uncheckedHolders: true };
  assert.equal((await gateway.operator.patch(`/accounts/${merchant.accountId}`, { policies })).status, 200);
  for (const one of await ctx().psps.all()) {
    const path = `/accounts/${merchant.accountId}/institutions/${one.institutionId}`;
    const enabled = JSON.stringify({ enabled: one.institutionId === institutionId });
    assert.equal((await gateway.operator.send("PUT", path, enabled)).status, 200);
  }
});
afterEach(async () => {
  await simulator.control("DELETE", "/behaviour");
  await gateway.verify();
});
after(async () => {
  await gateway.stop();
  for (const close of closers.reverse()) await close();
});

const ctx = () => gateway.running.ctx;

/** One pass of the loop that sends withdrawals, `later` milliseconds from now. */
async function pass(later = 0): Promise<void> {
  ahead = later;
  const sender = createSender({ ...ctx(), clock: clockAhead(later) });
  await sender.runDue();
  await sender.idle();
}
/** How often the bank pays it. */
const sent = async (id: string): Promise<number> => asaas.transfersOf(await pspIdOf(gateway, id));
async function referencesOf(id: string): Promise<string[]> {
  const { rows } = await ctx().db.query<{ references: { reference: string }[] }>(sql`
    select psp_references as references from withdrawals where withdrawal_id = ${id}`);
  return rows[0]!.references.map(({ reference }) => reference);
}
const holds = async (id: string, of = 10_000) => {
  assert.equal((await show(merchant.client, id)).status, "processing");
  assert.equal((await balancesOf(merchant.client)).total, of);
};
/** One pass in which `instead` makes the call that sends a payout, `later` milliseconds from now. */
async function passInstead(later: number, instead: (send: Send, order: Order) => ReturnType<Send>): Promise<void> {
  ahead = later;
  const { psps } = ctx();
  const find = async (of: string) => {
    const found = (await psps.find(of))!;
    const payouts = found.psp.payouts!;
    const sendPayout: Send = (order) => instead(payouts.sendPayout, order);
    return { ...found, psp: { ...found.psp, payouts: { ...payouts, sendPayout } } };
  };
  const clock = clockAhead(0);
  const sender = createSender({
    ...{ ...ctx(), psps: { ...psps, find } },
    clock: { ...clock, now: () => clock.now() + ahead, date: () => new Date(clock.now() + ahead) },
  });
  await sender.runDue();
  await sender.idle();
}
/** A payout whose first request never arrived, and whose absence is known for five minutes. @returns its id and now. */
async function ripe(): Promise<{ id: string; later: number }> {
  await simulator.faults("putPayout", "reset", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  await simulator.control("DELETE", "/behaviour");
  await pass(2_000);
  assert.equal(await sent(id), 0);
  return { id, later: LIMITS.payoutListed + 10_000 };
}
/** Somebody sends once more under the id of a payout. */
async function sendAgain(id: string, pixAddressKey: string): Promise<void> {
  const body = {
    value: 10,
    operationType: "PIX",
    pixAddressKey,
    externalReference: await pspIdOf(gateway, id),
  };
  const made = await fetch(`${asaas.settings.asaasUrl}/transfers`, {
    ...{ method: "POST", body: JSON.stringify(body) },
    headers: { "content-type": "application/json", access_token: asaas.settings.asaasKey },
  });
  assert.equal(made.status, 200, await made.text());
}
const casesOf = async (id: string) =>
  (
    await ctx().db.query<{ kind: string; says: string }>(sql`
      select kind, evidence ->> 'says' as says from cases where object_id = ${id} and status = 'open'`)
  ).rows;
/** That the bank may have paid it twice is a case, and both its ids are known. */
async function isContradicted(id: string): Promise<void> {
  const [open, ...others] = await casesOf(id);
  assert.deepEqual([open?.kind, others, (await referencesOf(id)).length], ["payout_contradiction", [], 2]);
  assert.match(open!.says, /second id/);
}
/** Passes, each later, until the bank has paid it once. */
async function untilPaid(id: string, from: number): Promise<void> {
  let later = from;
  await eventually("the bank to pay", async () => {
    await pass(later);
    later += MINUTE;
    return (await show(merchant.client, id)).status === "completed";
  });
  assert.equal(await sent(id), 1);
}

test("a payout is sent, its id of the bank is stored, and it is paid once", async () => {
  const { id } = await withdraw(merchant.client);
  await pass();
  assert.equal((await referencesOf(id)).length, 1);
  await holds(id);
  await untilPaid(id, MINUTE);
  assert.equal((await balancesOf(merchant.client)).total, 9_000);
});

test("a payout whose answer was lost is found in the list, and nothing is sent again", async () => {
  await simulator.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  assert.deepEqual([await referencesOf(id), await sent(id)], [[], 1]);
  await holds(id);
  await untilPaid(id, 2_000);
  assert.equal((await balancesOf(merchant.client)).total, 9_000);
});

test("a process that dies with the answer leaves a payout that the list shows, and nothing is sent again", async () => {
  const { id } = await withdraw(merchant.client);
  const worker = launchProcess({
    ...{ DATABASE_URL: gateway.databaseUrl, PIXGATE_DATA_DIR: gateway.dataDir, PIXGATE_SIMULATOR_PORT: "off" },
    ...{ PIXGATE_ROLE: "worker", PIXGATE_FAILPOINTS: "psp.after:putPayout@1" },
  });
  await worker.exited;
  assert.deepEqual([await referencesOf(id), await sent(id)], [[], 1]);
  await untilPaid(id, 2 * MINUTE);
});

test("while the list does not show it, or is not answered, a payout is not sent again for five minutes", async () => {
  await simulator.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  await simulator.control("DELETE", "/behaviour");
  asaas.lags = true;
  for (const later of [2_000, MINUTE, LIMITS.payoutListed - 10_000]) {
    await pass(later);
    assert.equal(await sent(id), 1, `after ${later} ms`);
    await holds(id);
  }
  await simulator.faults("listPayouts", "error5xxBefore", { status: 503 });
  for (const later of [LIMITS.payoutListed + MINUTE, 3 * LIMITS.payoutListed]) {
    await pass(later);
    assert.equal(await sent(id), 1, "a list that is not answered proves nothing");
  }
  await simulator.control("DELETE", "/behaviour");
  asaas.lags = false;
  await untilPaid(id, 4 * LIMITS.payoutListed);
});

test("a request that never arrived is sent again once the list has not shown it for five minutes", async () => {
  await simulator.faults("putPayout", "reset", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  assert.equal(await sent(id), 0);
  await simulator.control("DELETE", "/behaviour");
  await pass(2_000);
  await pass(LIMITS.payoutListed - 10_000);
  assert.equal(await sent(id), 0);
  await untilPaid(id, LIMITS.payoutListed + 10_000);
});

test("an honest twin within 15 minutes is refused by the bank's guard, waits, and is paid once after it", async () => {
  asaas.guards = true;
  const first = await withdraw(merchant.client, MANUAL);
  await pass();
  assert.equal(await sent(first.id), 1);
  const twin = await withdraw(merchant.client, MANUAL);
  for (const later of [MINUTE, 7 * MINUTE, 13 * MINUTE]) {
    await pass(later);
    assert.equal(await sent(twin.id), 0, "a conflict is no payment");
    await holds(twin.id);
  }
  let later = 16 * MINUTE;
  await eventually("the twin to leave", async () => {
    await pass(later);
    later += MINUTE;
    return (await sent(twin.id)) === 1;
  });
  await holds(twin.id);
  assert.equal(await sent(first.id), 1);
});

test("a process that dies with the answer of a repeat makes the next one wait five minutes again", async () => {
  const { id, later } = await ripe();
  await passInstead(later, async (send, order) => {
    await send(order);
    throw new Error("it dies here");
  });
  gateway.takeErrors();
  assert.equal(await sent(id), 1);
  asaas.lags = true;
  for (const more of [61_000, 2 * MINUTE, LIMITS.payoutListed]) {
    await pass(later + more);
    assert.equal(await sent(id), 1, `after ${more} ms`);
    await holds(id);
  }
  asaas.lags = false;
  await untilPaid(id, later + LIMITS.payoutListed + MINUTE);
});

test("a payout that another process has taken over while its list was searched is not sent by the slow one", async () => {
  const { id, later } = await ripe();
  asaas.lags = true;
  await passInstead(later, async (send, order) => {
    await pass(later + 61_000);
    ahead = later;
    return send(order);
  });
  assert.equal(await sent(id), 0, "the other one waits five minutes, and this one has lost it");
  asaas.lags = false;
  await untilPaid(id, later + 2 * MINUTE);
});

test("a search that leaves no time for the request sends nothing", async () => {
  const { id, later } = await ripe();
  await passInstead(later, async (send, order) => {
    ahead = later + 31_000;
    return send(order);
  });
  assert.equal(await sent(id), 0);
  await holds(id);
  await untilPaid(id, later + 2 * MINUTE);
});

test("after a restore the absence that the books remember lets nothing leave", async () => {
  const { id, later } = await ripe();
  const { db } = ctx();
  const restored = { now: new Date(Date.now() + later), newId: () => crypto.randomUUID() };
  await db.transaction((tx) => holdOpenWithdrawals(tx, db.shards, restored));
  await db.transaction((tx) => confirmAll(tx, [institutionId], restored.now));
  await db.query(sql`update cases set status = 'closed', closed_at = now() where object_id = ${id}`);
  await pass(later);
  assert.equal(await sent(id), 0, "a request may have left since the backup");
  await untilPaid(id, later + LIMITS.payoutListed + MINUTE);
});

test("two transfers under the id of an open payout open a case, and the loop sends nothing", async () => {
  await simulator.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client, MANUAL);
  await pass();
  await simulator.control("DELETE", "/behaviour");
  await sendAgain(id, MANUAL.pixKey);
  assert.equal(await sent(id), 2);
  await pass(2_000);
  await isContradicted(id);
  await holds(id);
});

test("a second transfer under the id of a payout that was paid is found by the comparison of a day", async () => {
  const { id } = await withdraw(merchant.client);
  await pass();
  await untilPaid(id, MINUTE);
  await sendAgain(id, "52998224725");
  const day = dayOf(new Date());
  assert.equal((await gateway.operator.post(`/reconciliation/${day}`)).status, 200);
  await isContradicted(id);
});
