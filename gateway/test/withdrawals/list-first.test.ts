/** Payouts of a bank that knows no repeat: its list is searched before anything is sent again, and what was sent is never sent twice. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { MANUAL, pspIdOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { launchProcess } from "../harness/process.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { type Asaas, startAsaas } from "../psp/bridges/asaas.ts";

const MINUTE = 60_000;

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
