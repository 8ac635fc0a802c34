/** Asaas's question whether a transfer may leave: a second lock, which opens for what the books know as leaving, and once. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { bookWithdrawal } from "../../src/withdrawals/book.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { pspIdOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { type Asaas, startAsaas } from "../psp/bridges/asaas.ts";

const TOKEN = "a-token-that-asaas-sends";

let gateway: TestGateway;
let merchant: Merchant;
let simulator: Awaited<ReturnType<typeof startSimulatorPsp>>;
let asaas: Asaas;
let institutionId: string;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  simulator = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) });
  asaas = await startAsaas(simulator);
  closers.push(asaas.close);
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Asaas", provider: "asaas", environment: "sandbox" },
    config: { ...asaas.settings, asaasToken: TOKEN, timeoutMs: 5_000 },
  });
  assert.equal(made.status, 201, made.text);
  institutionId = made.body.id;
});
beforeEach(async () => {
  // Every transfer waits there, until the test ends it as Asaas would after our answer.
  await simulator.control("PATCH", "/behaviour", { payoutApproval: true });
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
async function pass(): Promise<void> {
  const sender = createSender(ctx());
  await sender.runDue();
  await sender.idle();
}
/** As Asaas shows it. */
type Transfer = Readonly<Record<string, unknown>> & { readonly id: string };
const api = async (path: string, body?: object) => {
  const answer = await fetch(`${asaas.settings.asaasUrl}${path}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", access_token: asaas.settings.asaasKey },
  });
  assert.equal(answer.status, 200);
  return (await answer.json()) as Transfer & { readonly data: readonly Transfer[] };
};
/** What Pixgate answers about a transfer. */
async function ask(transfer: object, token = TOKEN, of = institutionId): Promise<string> {
  const address = gateway.running.url + notificationPath(ctx().keys, of);
  const answer = await fetch(address, {
    ...{ method: "POST", body: JSON.stringify({ type: "TRANSFER", transfer }) },
    headers: { "content-type": "application/json", "asaas-access-token": token },
  });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { status: string }).status;
}
type Reference = { reference: string; authorisedAt?: string; overAt?: string };
const referencesOf = async (id: string): Promise<Reference[]> =>
  (
    await ctx().db.query<{ known: Reference[] }>(sql`
      select psp_references as known from withdrawals where withdrawal_id = ${id}`)
  ).rows[0]!.known;
/** A withdrawal whose transfer waits at Asaas. */
async function leaving(): Promise<{ id: string; transfer: Transfer }> {
  const { id } = await withdraw(merchant.client);
  await pass();
  const { data } = await api(`/transfers?externalReference=${await pspIdOf(gateway, id)}`);
  assert.equal(data.length, 1);
  return { id, transfer: data[0]! };
}

test("the transfer of a withdrawal on its way is approved, as often as it is asked, and then it is paid", async () => {
  const { id, transfer } = await leaving();
  assert.equal(await ask(transfer), "APPROVED");
  const [known, ...others] = await referencesOf(id);
  assert.deepEqual([known?.reference, others], [transfer.id, []]);
  assert.equal(await ask(transfer), "APPROVED");
  assert.deepEqual(await referencesOf(id), [known], "the first answer stays");
  await simulator.control("POST", `/payouts/${await pspIdOf(gateway, id)}/settle`, { outcome: "complete" });
  await eventually("the bank to pay", async () => {
    // In milliseconds, as a claim compares it.
    await ctx().db.query(sql`update withdrawals set next_at = ${new Date()} where withdrawal_id = ${id}`);
    await pass();
    return (await show(merchant.client, id)).status === "completed";
  });
  // What has ended is not on its way.
  assert.equal(await ask(transfer), "REFUSED");
});

test("after a lost answer the transfer is approved by our id alone, and its bank's id is known from then on", async () => {
  await simulator.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  const { data } = await api(`/transfers?externalReference=${await pspIdOf(gateway, id)}`);
  assert.deepEqual([data.length, await referencesOf(id)], [1, []]);
  assert.equal(await ask(data[0]!), "APPROVED");
  const [known] = await referencesOf(id);
  assert.equal(known?.reference, data[0]!.id);
  assert.ok(known?.authorisedAt);
});

test("a second transfer of the same withdrawal is refused, whichever is asked about first", async () => {
  const { id, transfer } = await leaving();
  const externalReference = await pspIdOf(gateway, id);
  const twin = await api("/transfers", {
    ...{ value: 10, operationType: "PIX", pixAddressKeyType: "CPF", pixAddressKey: "52998224725" },
    externalReference,
  });
  assert.notEqual(twin.id, transfer.id);
  const before = await referencesOf(id);
  assert.equal(await ask({ ...transfer, id: twin.id }), "REFUSED", "the books know the other one");
  assert.deepEqual(await referencesOf(id), before);
  assert.equal(await ask(transfer), "APPROVED");
  assert.equal(await ask({ ...transfer, id: twin.id }), "REFUSED");
});

test("two questions at once about two transfers of one withdrawal: one is approved", async () => {
  await simulator.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  const { data } = await api(`/transfers?externalReference=${await pspIdOf(gateway, id)}`);
  const answers = await Promise.all(
    ["tr-one", "tr-two", "tr-three", "tr-four"].map((one) => ask({ ...data[0], id: one })),
  );
  assert.deepEqual(answers.toSorted(), ["APPROVED", "REFUSED", "REFUSED", "REFUSED"]);
  assert.equal((await referencesOf(id)).length, 1);
});

test("what is not as asked for, not on its way, another institution's or another's token is refused, and nothing moved", async () => {
  const { id, transfer } = await leaving();
  const [before, known] = [await balancesOf(merchant.client), await referencesOf(id)];
  const bankAccount = transfer.bankAccount as object;
  for (const wrong of [
    { ...transfer, value: 10.01 },
    { ...transfer, value: 9.99 },
    { ...transfer, bankAccount: { ...bankAccount, pixAddressKey: "11144477735" } },
    { ...transfer, bankAccount: null },
    { ...transfer, externalReference: "nobodys0001" },
    { ...transfer, externalReference: null, description: null },
  ]) {
    assert.equal(await ask(wrong), "REFUSED", JSON.stringify(wrong));
  }
  assert.equal(await ask(transfer, "another-token-of-somebody"), "REFUSED");
  const [other] = (await ctx().psps.all()).filter((one) => one.institutionId !== institutionId);
  assert.notEqual(await ask(transfer, TOKEN, other!.institutionId), "APPROVED");
  // One whose receiver somebody changed in the database.
  await ctx().db.query(sql`update withdrawals set pix_key = '11144477735' where withdrawal_id = ${id}`);
  assert.equal(await ask({ ...transfer, bankAccount: { ...bankAccount, pixAddressKey: "11144477735" } }), "REFUSED");
  await ctx().db.query(sql`
    update withdrawals set pix_key = ${(bankAccount as { pixAddressKey: string }).pixAddressKey} where withdrawal_id = ${id}`);
  // One that operators must decide about, since the books were restored.
  await ctx().db.query(sql`update withdrawals set unconfirmed_since = now() where withdrawal_id = ${id}`);
  assert.equal(await ask(transfer), "REFUSED");
  await ctx().db.query(sql`update withdrawals set unconfirmed_since = null where withdrawal_id = ${id}`);
  // One that has not left.
  const waits = await withdraw(merchant.client);
  assert.equal(
    await ask({ ...transfer, id: "tr-other", externalReference: await pspIdOf(gateway, waits.id) }),
    "REFUSED",
  );
  assert.deepEqual([await referencesOf(id), await referencesOf(waits.id)], [known, []]);
  assert.equal((await show(merchant.client, id)).status, "processing");
  assert.equal((await balancesOf(merchant.client)).total, before.total);
  assert.equal(await ask(transfer), "APPROVED");
});

test("a second payout that the bank shows beside the approved one changes no answer; once it was refused or failed, the approved one decides", async () => {
  for (const ending of ["refused", "failed"] as const) {
    await simulator.faults("putPayout", "resetAfter", { times: 1 });
    const { id: withdrawalId } = await withdraw(merchant.client);
    await pass();
    const pspId = await pspIdOf(gateway, withdrawalId);
    const { data } = await api(`/transfers?externalReference=${pspId}`);
    const first = data[0]!;
    const twin = { ...first, id: `tr-twin-${ending}` };
    assert.equal(await ask(first), "APPROVED");
    const shown = async ({ id: reference }: Transfer, status: "processing" | "settled" | "failed", e2eId?: string) => {
      const payout = { id: pspId, reference, amount: 1_000, status, returns: [], e2eId };
      const ofRow = { accountId: merchant.accountId, withdrawalId, institutionId, environment: "sandbox" as const };
      const done = await bookWithdrawal(ctx(), { ...ofRow, reported: { kind: "shown", payout } });
      return [done.kind, (await show(merchant.client, withdrawalId)).status];
    };
    const before = await balancesOf(merchant.client);
    // The answer to a second request, which left before the list showed the first one.
    assert.deepEqual(await shown(twin, "processing"), ["contradiction", "processing"]);
    assert.deepEqual(await shown(first, "processing"), ["contradiction", "processing"], "it may still pay twice");
    assert.equal(await ask(first), "APPROVED");
    if (ending === "refused") assert.equal(await ask(twin), "REFUSED");
    else assert.deepEqual(await shown(twin, "failed"), ["known", "processing"]);
    assert.equal(await ask(first), "APPROVED");
    const [one, two, ...others] = await referencesOf(withdrawalId);
    assert.deepEqual([one?.reference, two?.reference, others], [first.id, twin.id, []]);
    assert.ok(one?.authorisedAt && !one.overAt && two?.overAt && !two.authorisedAt);
    assert.deepEqual(await shown(twin, "failed"), ["known", "processing"], "of the approved one it says nothing");
    assert.deepEqual(await balancesOf(merchant.client), before, "nothing moved");
    assert.deepEqual(await shown(first, "settled", `E99999999${pspId.slice(-23)}`), ["known", "completed"]);
    assert.deepEqual(await shown(twin, "failed"), ["known", "completed"]);
    assert.deepEqual(await shown(twin, "settled"), ["contradiction", "completed"], "it was paid all the same");
    assert.deepEqual(await shown(first, "settled"), ["contradiction", "completed"], "a person must look at it");
    assert.equal(await ask(twin), "REFUSED");
  }
});
