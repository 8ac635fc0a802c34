/** Payouts of a bank that wants a number of ours with each: it is stored before the request, and never used for another one. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { pspIdOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { launchProcess } from "../harness/process.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

const MINUTE = 60_000;
const LAST = 9_999_999;

let gateway: TestGateway;
let merchant: Merchant;
let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
let institutionId: string;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  bank = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) });
  const { clientId, clientSecret, pixKey } = bank.credentials;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Banco do Brasil", provider: "banco-do-brasil", environment: "sandbox" },
    config: {
      ...{ baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, clientId, clientSecret, pixKey },
      ...{ contract: 731030, debitBranch: 1607, debitAccount: 99738672, debitDigit: "X", timeoutMs: 5_000 },
      ...{ batchesUrl: `${bank.url}/pagamentos-lote/v1`, batchesTokenUrl: `${bank.url}/oauth/token` },
    },
  });
  assert.equal(made.status, 201, made.text);
  institutionId = made.body.id;
});
beforeEach(async () => {
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 100);
  const policies = { uncheckedHolders: true };
  assert.equal((await gateway.operator.patch(`/accounts/${merchant.accountId}`, { policies })).status, 200);
  for (const one of await ctx().psps.all()) {
    const path = `/accounts/${merchant.accountId}/institutions/${one.institutionId}`;
    const enabled = JSON.stringify({ enabled: one.institutionId === institutionId });
    const linked = await gateway.operator.send("PUT", path, enabled);
    assert.equal(linked.status, 200, linked.text);
  }
});
afterEach(async () => {
  await bank.control("DELETE", "/behaviour");
  await gateway.verify();
});
after(async () => {
  await gateway.stop();
  for (const close of closers.reverse()) await close();
});

const ctx = () => gateway.running.ctx;

/** One pass of the loop that sends withdrawals, `later` milliseconds from now. */
async function pass(later = 0): Promise<void> {
  const sender = createSender({ ...ctx(), clock: clockAhead(later) });
  await sender.runDue();
  await sender.idle();
}

async function numbersOf(id: string): Promise<string[]> {
  const { rows } = await ctx().db.query<{ references: { reference: string }[] }>(sql`
    select psp_references as references from withdrawals where withdrawal_id = ${id}`);
  return rows[0]!.references.map(({ reference }) => reference);
}

type Made = { own: { codigo: string; descricao: string }; prepared?: true };
/** Every batch that the bank has of a withdrawal. */
async function atBank(id: string): Promise<Made[]> {
  const pspId = await pspIdOf(gateway, id);
  const { items } = await bank.control("GET", "/payouts?limit=1000");
  return (items as Made[]).filter(({ own }) => own?.descricao === pspId);
}

/** Passes, each later, until the bank has paid it by one batch, of the number that our books have. */
async function untilPaid(id: string, from = MINUTE): Promise<void> {
  let later = from;
  await eventually("the bank to pay", async () => {
    await pass(later);
    later += 15 * MINUTE;
    return (await show(merchant.client, id)).status === "completed";
  });
  const [number, ...others] = await numbersOf(id);
  assert.deepEqual(others, []);
  assert.deepEqual(
    (await atBank(id)).map(({ own, prepared }) => [Number(own.codigo), prepared]),
    [[Number(number), undefined]],
  );
}

const holds = async (id: string, amount = 1_000) => {
  assert.equal((await show(merchant.client, id)).status, "processing");
  assert.equal((await balancesOf(merchant.client)).held, amount);
};

for (const point of [
  "psp.before:postPayout@1",
  "psp.after:postPayout@1",
  "psp.before:releasePayout@1",
  "psp.after:releasePayout@1",
]) {
  test(`a process that dies at ${point} leaves the number stored, and it is paid once under it`, async () => {
    const { id } = await withdraw(merchant.client);
    const worker = launchProcess({
      ...{ DATABASE_URL: gateway.databaseUrl, PIXGATE_DATA_DIR: gateway.dataDir, PIXGATE_SIMULATOR_PORT: "off" },
      ...{ PIXGATE_ROLE: "worker", PIXGATE_FAILPOINTS: point },
    });
    await worker.exited;
    await holds(id);
    const stored = await numbersOf(id);
    assert.match(stored.join(), /^\d{7}$/);
    assert.equal((await atBank(id)).length, point === "psp.before:postPayout@1" ? 0 : 1);
    await pass(2 * MINUTE);
    await pass(4 * MINUTE);
    await untilPaid(id, 6 * MINUTE);
    assert.deepEqual(await numbersOf(id), stored);
    assert.equal((await balancesOf(merchant.client)).total, 9_000);
  });
}

for (const [route, fault] of [
  ["putPayout", "resetAfter"],
  ["putPayout", "reset"],
  ["authorisePayout", "resetAfter"],
  ["authorisePayout", "reset"],
] as const) {
  test(`a lost answer (${route}, ${fault}) is settled under the same number: one batch, paid once`, async () => {
    await bank.faults(route, fault, { times: 1 });
    const { id } = await withdraw(merchant.client);
    await pass();
    await holds(id);
    const stored = await numbersOf(id);
    assert.equal(stored.length, 1);
    for (const later of [2_000, 40_000, 2 * MINUTE]) await pass(later);
    await untilPaid(id, 4 * MINUTE);
    assert.deepEqual(await numbersOf(id), stored);
    assert.equal((await balancesOf(merchant.client)).total, 9_000);
  });
}

test("payouts that several processes send at once have a number each", async () => {
  await give(gateway, merchant.accountId, 200);
  const made = await Promise.all(Array.from({ length: 12 }, () => withdraw(merchant.client)));
  const senders = Array.from({ length: 3 }, () => createSender(ctx()));
  await Promise.all(senders.map((sender) => sender.runDue()));
  await Promise.all(senders.map((sender) => sender.idle()));
  await pass(2 * MINUTE);
  const numbers = (await Promise.all(made.map(({ id }) => numbersOf(id)))).flat();
  assert.equal(numbers.length, 12);
  assert.equal(new Set(numbers).size, 12);
  for (const { id } of made) await untilPaid(id, 4 * MINUTE);
});

test("a number that somebody else has used at the bank neither pays nor fails a payout: its money stays held", async () => {
  const { id: earlier } = await withdraw(merchant.client);
  await pass();
  const next = String(Number((await numbersOf(earlier))[0]) + 1).padStart(7, "0");
  await untilPaid(earlier);
  const strange = { id: "strange", amount: 1_000, pixKey: "52998224725", holderDocument: "52998224725" };
  const { psp } = (await ctx().psps.find(institutionId))!;
  assert.equal((await psp.payouts!.sendPayout({ ...strange, reference: next })).kind, "accepted");
  assert.equal((await psp.payouts!.authorisePayout!({ ...strange, reference: next })).kind, "accepted");
  const { id } = await withdraw(merchant.client);
  await pass();
  assert.deepEqual(await numbersOf(id), [next]);
  for (let later = MINUTE; later < 60 * MINUTE; later += 10 * MINUTE) await pass(later);
  await holds(id);
  assert.deepEqual(await atBank(id), []);
});

test("after the last number nothing is sent, and no number is used again", async () => {
  const config = { firstRequestNumber: LAST };
  const changed = await gateway.operator.patch(`/institutions/${institutionId}`, { config });
  assert.equal(changed.status, 200, changed.text);
  await eventually("the institution to be read again", async () => {
    const read = await ctx().psps.find(institutionId);
    return read?.can.payouts?.numbers?.first === LAST;
  });
  const last = await withdraw(merchant.client);
  await pass();
  assert.deepEqual(await numbersOf(last.id), [String(LAST)]);
  await untilPaid(last.id);
  const { id } = await withdraw(merchant.client);
  for (const later of [0, MINUTE, 30 * MINUTE]) await pass(later);
  await holds(id);
  assert.deepEqual(await numbersOf(id), []);
  assert.deepEqual(await atBank(id), []);
});
