/** Payouts of a bank that pays in two steps: nothing moves before the second, and the bank's id is stored before it. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import type { Payouts } from "../../src/psp/psp.ts";
import { bookWithdrawal } from "../../src/withdrawals/book.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { confirmAll, confirmWithdrawal, holdOpenWithdrawals } from "../../src/withdrawals/unconfirmed.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { MANUAL, pspIdOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { launchProcess } from "../harness/process.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

const MINUTE = 60_000;

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
    ...{ name: "Santander", provider: "santander", environment: "sandbox" },
    config: {
      ...{ baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, clientId, clientSecret, pixKey },
      ...{ workspaceId: "w1", paymentsUrl: bank.url, paymentsTokenUrl: `${bank.url}/oauth/token`, timeoutMs: 5_000 },
    },
  });
  assert.equal(made.status, 201, made.text);
  institutionId = made.body.id;
});
beforeEach(async () => {
  merchant = await merchantThere();
});
afterEach(async () => {
  await bank.control("DELETE", "/behaviour");
  await gateway.verify();
});
after(async () => {
  await gateway.stop();
  for (const close of closers.reverse()) await close();
});

/** A merchant with BRL 100 who pays from this bank. */
async function merchantThere(): Promise<Merchant> {
  const made = await newMerchant(gateway);
  await give(gateway, made.accountId, 100);
  const policies = { uncheckedHolders: true };
  assert.equal((await gateway.operator.patch(`/accounts/${made.accountId}`, { policies })).status, 200);
  for (const one of await ctx().psps.all()) {
    const path = `/accounts/${made.accountId}/institutions/${one.institutionId}`;
    const enabled = JSON.stringify({ enabled: one.institutionId === institutionId });
    const linked = await gateway.operator.send("PUT", path, enabled);
    assert.equal(linked.status, 200, linked.text);
  }
  return made;
}

const ctx = () => gateway.running.ctx;

/** One pass of the loop that sends withdrawals, `later` milliseconds from now. */
async function pass(later = 0, psps = ctx().psps): Promise<void> {
  const sender = createSender({ ...ctx(), clock: clockAhead(later), psps });
  await sender.runDue();
  await sender.idle();
}
/** The banks, one of which answers some calls in another way. */
const answering = (over: (payouts: Payouts) => Partial<Payouts>): ReturnType<typeof ctx>["psps"] => ({
  ...ctx().psps,
  async find(id: string) {
    const found = await ctx().psps.find(id);
    const payouts = found?.psp.payouts;
    if (!found || !payouts) return found;
    return { ...found, psp: { ...found.psp, payouts: { ...payouts, ...over(payouts) } } };
  },
});
type Reference = { reference: string; at: string; authorisedAt?: string };
async function references(id: string): Promise<Reference[]> {
  const { rows } = await ctx().db.query<{ references: Reference[] }>(sql`
    select psp_references as references from withdrawals where withdrawal_id = ${id}`);
  return rows[0]!.references;
}
type Made = { idEnvio: string; status: string; prepared?: true; own: { codigo: string; descricao: string } };
/** What the bank has of a withdrawal: each payment that was prepared, and of these the ones that were authorised. */
async function atBank(id: string): Promise<{ prepared: Made[]; authorised: Made[] }> {
  const pspId = await pspIdOf(gateway, id);
  const { items } = await bank.control("GET", "/payouts?limit=100");
  const prepared = (items as Made[]).filter(({ own }) => own?.descricao === pspId);
  return { prepared, authorised: prepared.filter((one) => one.prepared === undefined) };
}
const preparationsOf = async (id: string) =>
  (
    await ctx().db.query<{ preparations: number }>(sql`
      select preparations from withdrawals where withdrawal_id = ${id}`)
  ).rows[0]!.preparations;
const holds = async (id: string) => {
  assert.equal((await show(merchant.client, id)).status, "processing");
  assert.deepEqual(await balancesOf(merchant.client), { available: 9_000, promotional: 0, held: 1_000, total: 10_000 });
};
/** Passes, each later, until the bank has paid it once. */
async function untilPaid(id: string, from = MINUTE): Promise<void> {
  let later = from;
  await eventually("the bank to pay", async () => {
    await pass(later);
    later += 15 * MINUTE;
    return (await show(merchant.client, id)).status === "completed";
  });
  const { authorised } = await atBank(id);
  assert.deepEqual(
    authorised.map(({ own }) => own.codigo),
    [(await references(id))[0]!.reference],
  );
  assert.equal((await balancesOf(merchant.client)).total, 9_000);
}

/** A worker of its own, which dies at a point of the two calls. */
async function dyingAt(point: string): Promise<void> {
  const worker = launchProcess({
    ...{ DATABASE_URL: gateway.databaseUrl, PIXGATE_DATA_DIR: gateway.dataDir, PIXGATE_SIMULATOR_PORT: "off" },
    ...{ PIXGATE_ROLE: "worker", PIXGATE_FAILPOINTS: point },
  });
  await worker.exited;
}

test("a payout is prepared, its id is stored, and only then it is authorised, once, and paid", async () => {
  const { id } = await withdraw(merchant.client);
  await pass();
  const [stored, ...others] = await references(id);
  assert.match(stored?.reference ?? "", /^[0-9a-f-]{36}$/);
  assert.deepEqual([others, stored?.authorisedAt], [[], undefined]);
  await holds(id);
  const { prepared, authorised } = await atBank(id);
  assert.deepEqual([prepared.length, authorised.length], [1, 0]);
  await untilPaid(id);
  assert.equal((await atBank(id)).prepared.length, 1);
});

test("a first answer that was lost is followed by another preparation: one of the two is authorised", async () => {
  await bank.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  assert.deepEqual(await references(id), []);
  await pass(2_000);
  await pass(40_000);
  assert.equal((await references(id)).length, 1);
  await untilPaid(id);
  const { prepared, authorised } = await atBank(id);
  assert.deepEqual([prepared.length, authorised.length], [2, 1]);
});

test("a prepared payout is not paid where a brake comes while its authorisation waits for a turn or a token", async () => {
  const brake = async (paused: boolean) => {
    const body = JSON.stringify({ scope: "all", paused, reason: "a test" });
    assert.equal((await gateway.operator.send("PUT", "/brakes", body)).status, 200);
  };
  const { id } = await withdraw(merchant.client);
  let asked = 0;
  const slow = answering((payouts) => ({
    async authorisePayout(order) {
      asked += 1;
      await brake(true);
      return payouts.authorisePayout!(order);
    },
  }));
  for (let later = 0; asked === 0 && later < 10_000; later += 2_000) await pass(later, slow);
  const { prepared, authorised } = await atBank(id);
  assert.deepEqual([asked, prepared.length, authorised.length], [1, 1, 0]);
  await holds(id);
  await brake(false);
  await untilPaid(id);
});

for (const [fault, done] of [
  ["resetAfter", "had arrived"],
  ["reset", "had not arrived"],
] as const) {
  test(`an authorisation without an answer, which ${done}, is settled by the query, and paid once`, async () => {
    await bank.faults("authorisePayout", fault, { times: 1 });
    const { id } = await withdraw(merchant.client);
    await pass();
    await pass(2_000);
    const [{ authorisedAt } = {}] = await references(id);
    assert.ok(authorisedAt !== undefined);
    await holds(id);
    // Still shown as prepared, it is not authorised again at once.
    await pass(6_000);
    assert.equal((await references(id))[0]?.authorisedAt, authorisedAt);
    assert.equal((await atBank(id)).authorised.length, fault === "reset" ? 0 : 1);
    await untilPaid(id);
  });
}

for (const point of ["psp.after:postPayout@1", "psp.before:authorisePayout@1", "psp.after:authorisePayout@1"]) {
  test(`a process that dies at ${point} neither pays twice nor loses it`, async () => {
    const { id } = await withdraw(merchant.client);
    await dyingAt(point);
    await holds(id);
    assert.equal((await references(id)).length, point.includes("postPayout") ? 0 : 1);
    await pass(2 * MINUTE);
    await untilPaid(id, 3 * MINUTE);
  });
}

test("processes that die before its request leaves use up no preparation, however many: the next one prepares and pays it", async () => {
  const { id } = await withdraw(merchant.client);
  const ours = await pspIdOf(gateway, id);
  let deaths = 0;
  // Nothing of the request leaves, and nothing comes of it.
  const psps = answering((payouts) => ({
    sendPayout(order) {
      if (order.id !== ours) return payouts.sendPayout(order);
      deaths += 1;
      return new Promise(() => {});
    },
  }));
  let later = 0;
  await eventually("four processes to die", async () => {
    await createSender({ ...ctx(), clock: clockAhead(later), psps }).runDue();
    later += MINUTE;
    return deaths >= 4;
  });
  assert.equal(await preparationsOf(id), 0);
  await holds(id);
  await untilPaid(id, later + 2 * MINUTE);
  assert.equal((await atBank(id)).prepared.length, 1);
});

test("a process that was stopped beyond its claim stores nothing of what it had prepared: another prepares and pays one", async () => {
  const { id } = await withdraw(merchant.client);
  let stoppedFor = 0;
  const clock = { now: () => Date.now() + stoppedFor, date: () => new Date(Date.now() + stoppedFor) };
  const psps = answering((payouts) => ({
    async sendPayout(order) {
      const answer = await payouts.sendPayout(order);
      stoppedFor = 2 * MINUTE;
      return answer;
    },
  }));
  const stopped = createSender({ ...ctx(), clock, psps });
  await stopped.runDue();
  await stopped.idle();
  assert.equal((await atBank(id)).prepared.length, 1);
  assert.deepEqual(await references(id), []);
  await holds(id);
  await pass(3 * MINUTE);
  await untilPaid(id, 5 * MINUTE);
  const { prepared, authorised } = await atBank(id);
  assert.deepEqual([prepared.length, authorised.length], [2, 1]);
});

test("what the bank rejects at either step fails with our reason, and its money is available again", async () => {
  const unknown = await withdraw(merchant.client, { pixKey: "unknown@pixgate.test" });
  await pass();
  const first = await show(merchant.client, unknown.id);
  assert.deepEqual([first.status, first.failureCode], ["failed", "key_not_found"]);
  const { id } = await withdraw(merchant.client);
  await pass();
  const { books } = await bank.control("GET", "/state");
  await bank.control("PATCH", "/behaviour", { openingBalanceCentavos: -books.balanceCentavos });
  await pass(2_000);
  await pass(MINUTE);
  const failed = await show(merchant.client, id);
  assert.deepEqual([failed.status, failed.failureCode], ["failed", "insufficient_psp_balance"]);
  assert.equal((await balancesOf(merchant.client)).available, 10_000);
});

test("a brake between the steps stops the second: nothing is authorised until it is released", async () => {
  const { id } = await withdraw(merchant.client, MANUAL);
  await pass();
  const set = async (status: string) => {
    const changed = await gateway.operator.patch(`/accounts/${merchant.accountId}`, { status });
    assert.equal(changed.status, 200, changed.text);
  };
  await set("suspended");
  await pass(2_000);
  await pass(5 * MINUTE);
  assert.equal((await atBank(id)).authorised.length, 0);
  assert.equal((await references(id))[0]?.authorisedAt, undefined);
  await set("approved");
  await pass(20 * MINUTE);
  await pass(40 * MINUTE);
  assert.equal((await atBank(id)).authorised.length, 1);
  await bank.control("POST", `/payouts/${await pspIdOf(gateway, id)}/settle`, { outcome: "complete" });
  await untilPaid(id, 60 * MINUTE);
});

test("one payment at the bank completes one withdrawal: another that it is shown for keeps its hold, and a case is open", async () => {
  let first: Awaited<ReturnType<Payouts["sendPayout"]>> | null = null;
  // A bank that answers the second preparation with the first's id.
  const psps = answering((payouts) => ({
    async sendPayout(order) {
      if (first?.kind === "accepted") return { ...first, value: { ...first.value, id: order.id } };
      first = await payouts.sendPayout(order);
      return first;
    },
  }));
  const one = await withdraw(merchant.client);
  await pass(0, psps);
  const stranger = await merchantThere();
  const others = [await withdraw(merchant.client), await withdraw(stranger.client)];
  let later = 2_000;
  await eventually("the bank to pay the first", async () => {
    await pass(later, psps);
    later += 15 * MINUTE;
    return (await show(merchant.client, one.id)).status === "completed";
  });
  for (let more = 0; more < 3; more++, later += 15 * MINUTE) await pass(later, psps);
  const shown = [await show(merchant.client, others[0]!.id), await show(stranger.client, others[1]!.id)];
  assert.deepEqual(shown.map(({ status, pspReference }) => [status, pspReference]), Array(2).fill(["processing", null])); // biome-ignore format: one line
  assert.deepEqual(await balancesOf(stranger.client), { available: 9_000, promotional: 0, held: 1_000, total: 10_000 });
  assert.equal((await balancesOf(merchant.client)).total, 9_000);
  for (const { id } of others) {
    assert.deepEqual(await references(id), []);
    const { rows } = await ctx().db.query<{ evidence: { data: object } }>(sql`
      select evidence from cases where kind = 'payout_contradiction' and status = 'open' and object_id = ${id}`);
    assert.equal((rows[0]?.evidence.data as { shownAnothers?: true }).shownAnothers, true);
  }
});

test("two withdrawals that are shown with one end-to-end id are one payment: the second is not completed by it", async () => {
  const pair = [await withdraw(merchant.client), await withdraw(merchant.client)] as const;
  await pass();
  const shown = (id: string, pspId: string, e2eId: string): Parameters<typeof bookWithdrawal>[1] => ({
    ...{ accountId: merchant.accountId, withdrawalId: id, institutionId, environment: "sandbox" },
    reported: { kind: "shown", payout: { id: pspId, amount: 1_000, status: "settled", e2eId, returns: [] } },
  });
  const results = [];
  for (const { id } of [pair[0], pair[1], pair[0]])
    results.push((await bookWithdrawal(ctx(), shown(id, await pspIdOf(gateway, id), `E${pair[0].id}`))).kind);
  assert.deepEqual(results, ["known", "contradiction", "known"]);
  const statuses = await Promise.all(pair.map(async ({ id }) => (await show(merchant.client, id)).status));
  assert.deepEqual(statuses, ["completed", "processing"]);
});

test("a second authorisation that the bank refuses fails nothing: the first pays it", async () => {
  const { id } = await withdraw(merchant.client);
  const ours = await pspIdOf(gateway, id);
  let authorisations = 0;
  let lags = true;
  const psps = answering((payouts) => ({
    async authorisePayout(order) {
      if (order.id === ours) authorisations += 1;
      const answer = await payouts.authorisePayout!(order);
      if (order.id !== ours) return answer;
      if (authorisations === 1) return { kind: "unknown", reason: "timeout" };
      assert.ok(answer.kind === "accepted");
      const failure = { code: "psp_error" as const, message: "Pagamento já autorizado" };
      return { ...answer, value: { ...answer.value, status: "failed", failure } };
    },
    // Its query lags behind.
    async findPayout(asked, reference) {
      const found = await payouts.findPayout(asked, reference);
      return lags && asked === ours && found.kind === "found"
        ? { ...found, value: { ...found.value, status: "prepared" } }
        : found;
    },
  }));
  let later = 0;
  await eventually("two authorisations", async () => {
    await pass(later, psps);
    later += MINUTE;
    return authorisations === 2;
  });
  await holds(id);
  lags = false;
  await untilPaid(id, later);
});

test("an id that a process stores late does not hide the payout that was authorised", async () => {
  const { id } = await withdraw(merchant.client);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { lanes } = ctx();
  const run: typeof lanes.run = async (kind, command) => {
    if (kind.name === "resolve withdrawal") await released;
    return lanes.run(kind, command);
  };
  const stopped = createSender({ ...ctx(), lanes: { ...lanes, run } });
  await stopped.runDue();
  await eventually("the first preparation", async () => (await atBank(id)).prepared.length === 1);
  let later = 2 * MINUTE;
  await eventually("the other process to authorise its own", async () => {
    await pass(later);
    later += MINUTE;
    return (await references(id))[0]?.authorisedAt !== undefined;
  });
  release();
  await stopped.idle();
  assert.equal((await references(id)).length, 1);
  assert.equal((await atBank(id)).prepared.length, 2);
  await untilPaid(id, later + 15 * MINUTE);
});

test("a bank whose first answer never has an id prepares three payments: then a person decides", async () => {
  const psps = answering((payouts) => ({
    async sendPayout(order) {
      await payouts.sendPayout(order);
      return { kind: "unknown", reason: "unexpected_answer" };
    },
  }));
  const { id } = await withdraw(merchant.client);
  for (let later = 0; later < 6 * 60 * MINUTE; later += 10 * MINUTE) await pass(later, psps);
  assert.deepEqual((await atBank(id)).prepared.length, 3);
  await holds(id);
  const { rows } = await ctx().db.query<{ latest: object }>(sql`
    select latest from withdrawals where withdrawal_id = ${id}`);
  assert.deepEqual(rows[0]!.latest, { state: "no_bank_id" });
});

test("requests that the bank refuses prepare nothing, however many: once it takes one, that is paid", async () => {
  let refusals = 0;
  const psps = answering(() => ({
    async sendPayout() {
      refusals += 1;
      return { kind: "rejected", httpStatus: 403, code: "psp_error", message: "scope" };
    },
  }));
  const { id } = await withdraw(merchant.client);
  for (let later = 0; later <= MINUTE; later += 6_000) await pass(later, psps);
  assert.ok(refusals > 3, `${refusals} refusals`);
  assert.equal(await preparationsOf(id), 0);
  await holds(id);
  await untilPaid(id, 2 * MINUTE);
  assert.equal((await atBank(id)).prepared.length, 1);
});

test("a lost first answer, then refusals that are certain: it fails with our reason, and its money is available again", async () => {
  let asked = 0;
  const psps = answering((payouts) => ({
    async sendPayout(order) {
      asked += 1;
      if (asked > 1) return { kind: "rejected", httpStatus: 422, code: "key_not_found", message: "" };
      await payouts.sendPayout(order);
      return { kind: "unknown", reason: "timeout" };
    },
  }));
  const { id } = await withdraw(merchant.client);
  await pass(0, psps);
  await holds(id);
  let later = 0;
  await eventually("its failure", async () => {
    later += MINUTE / 2;
    await pass(later, psps);
    return (await show(merchant.client, id)).status !== "processing";
  });
  const { status, failureCode } = await show(merchant.client, id);
  assert.deepEqual([status, failureCode], ["failed", "key_not_found"]);
  assert.equal((await atBank(id)).authorised.length, 0);
  assert.equal((await balancesOf(merchant.client)).available, 10_000);
});

test("an adapter that does not ask before its request is counted from its start: of processes that die three prepare one", async () => {
  const { id } = await withdraw(merchant.client);
  const ours = await pspIdOf(gateway, id);
  const psps = answering((payouts) => ({
    asksToLeave: undefined,
    async sendPayout({ mayLeave: _, ...order }) {
      const answer = await payouts.sendPayout(order);
      return order.id === ours ? new Promise(() => {}) : answer;
    },
  }));
  let later = 0;
  await eventually("three processes to die", async () => {
    await createSender({ ...ctx(), clock: clockAhead(later), psps }).runDue();
    later += MINUTE;
    return (await atBank(id)).prepared.length === 3;
  });
  for (const end = later + 20 * MINUTE; later < end; later += 5 * MINUTE) await pass(later, psps);
  assert.equal((await atBank(id)).prepared.length, 3);
  assert.equal(await preparationsOf(id), 3);
  await holds(id);
});

test("a restore that has lost the bank's id is confirmed by a decision of its own, and never in bulk", async () => {
  const { id } = await withdraw(merchant.client);
  await pass();
  // The backup has its claim, three hours ago, and not the answer.
  await gateway.owner.query(sql`
    update withdrawals set psp_references = '[]', left_at = left_at - interval '3 hours' where withdrawal_id = ${id}`);
  const { db } = ctx();
  const restored = { now: new Date(), newId: () => ctx().ids.uuid() };
  await db.transaction((tx) => holdOpenWithdrawals(tx, db.shards, restored));
  const findable = (await ctx().psps.all()).flatMap((one) =>
    one.can.payouts?.foundBy === "our_id" ? [one.institutionId] : [],
  );
  const confirmed = await db.transaction((tx) => confirmAll(tx, findable, new Date()));
  assert.ok(confirmed.every(({ objectId }) => objectId !== id));
  for (let later = 0; later < 60 * MINUTE; later += 10 * MINUTE) await pass(later);
  assert.equal((await atBank(id)).prepared.length, 1);
  await holds(id);
  const command = { accountId: merchant.accountId, withdrawalId: id, actor: "test", reason: "It was not paid." };
  assert.equal(await ctx().lanes.run(confirmWithdrawal, command), null);
  await untilPaid(id, 90 * MINUTE);
});

test("attempts of which nothing left, for want of a token or the bank's limit, use up no preparation: it is sent later", async () => {
  const psps = answering(() => ({ sendPayout: async () => ({ kind: "unsent", reason: "bank_limit" }) }));
  const { id } = await withdraw(merchant.client);
  for (let later = 0; later < 4 * MINUTE; later += MINUTE) await pass(later, psps);
  await holds(id);
  const { rows } = await ctx().db.query<{ attempts: number; preparations: number }>(sql`
    select attempts, preparations from withdrawals where withdrawal_id = ${id}`);
  assert.deepEqual(rows, [{ attempts: 4, preparations: 0 }]);
  assert.equal((await atBank(id)).prepared.length, 0);
  await untilPaid(id, 5 * MINUTE);
  assert.equal((await atBank(id)).prepared.length, 1);
});
