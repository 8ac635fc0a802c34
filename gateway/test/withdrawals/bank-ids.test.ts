/** Payouts of a bank that finds them by an id of its own only, which the answer to the request brings, or nothing. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { createApplier } from "../../src/booking/apply.ts";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { dayOf } from "../../src/lib/days.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { createConfirmer } from "../../src/polls/confirm.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { MANUAL, pspIdOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { launchProcess } from "../harness/process.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

const SCOPE =
  "cob.read cob.write pix.read pix.write webhook.read webhook.write extrato.read pagamento-pix.write pagamento-pix.read webhook-banking.write webhook-banking.read";
const MINUTE = 60_000;

let gateway: TestGateway;
let merchant: Merchant;
let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
let institutionId: string;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  bank = await startSimulatorPsp({ after: (close) => closers.push(close as () => unknown) }, {}, [
    "--dialect",
    "inter",
  ]);
  const { clientId, clientSecret, pixKey } = bank.credentials;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Inter", provider: "api-pix", environment: "sandbox" },
    config: {
      ...{ profile: "inter", scope: SCOPE, baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token` },
      ...{ clientId, clientSecret, pixKey, timeoutMs: 5_000 },
    },
  });
  assert.equal(made.status, 201, made.text);
  institutionId = made.body.id;
});
beforeEach(async () => {
  // The bank allows few queries a minute: each test has all of them, and none is spent on a withdrawal of an earlier one.
  await gateway.owner.query(sql`update institutions set updated_at = now()`);
  await gateway.owner.query(
    sql`update withdrawals set next_at = now() + interval '300 days' where status in ('completed', 'failed')`,
  );
  ctx().psps.forget();
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 100);
  const others = (await ctx().psps.all()).filter((one) => one.institutionId !== institutionId);
  for (const other of others) await link(other.institutionId, false);
  assert.equal((await allow(true)).status, 200);
  assert.equal((await link(institutionId)).status, 200);
});
afterEach(async () => {
  await bank.control("DELETE", "/behaviour");
  await gateway.verify();
});
after(async () => {
  await gateway.stop();
  for (const close of closers.reverse()) await close();
});

type Refusal = { details: { code: string; needs: string } };
const ctx = () => gateway.running.ctx;
const link = (id: string, enabled = true) =>
  gateway.operator.send<Refusal>(
    "PUT",
    `/accounts/${merchant.accountId}/institutions/${id}`,
    JSON.stringify({ enabled }),
  );
const allow = (uncheckedHolders: boolean) =>
  gateway.operator.patch<Refusal>(`/accounts/${merchant.accountId}`, { policies: { uncheckedHolders } });

/** One pass of the loop that sends withdrawals, `later` milliseconds from now. */
async function pass(later = 0): Promise<void> {
  const sender = createSender({ ...ctx(), clock: clockAhead(later) });
  await sender.runDue();
  await sender.idle();
}
/** The banks with another answer to these calls. */
const withPayouts = (calls: object): ReturnType<typeof ctx>["psps"] => ({
  ...ctx().psps,
  async find(id: string) {
    const found = await ctx().psps.find(id);
    const payouts = found?.psp.payouts;
    return found && payouts ? { ...found, psp: { ...found.psp, payouts: { ...payouts, ...calls } } } : found;
  },
});
/** The banks at the limit of their queries. */
const beyondLimit = () => withPayouts({ findPayout: async () => ({ kind: "unknown", reason: "bank_limit" }) as const });
const inRow = async (id: string) => {
  const { rows } = await ctx().db.query<{ references: { reference: string; at: string }[]; latest: unknown }>(sql`
    select psp_references as references, latest from withdrawals where withdrawal_id = ${id}`);
  return rows[0]!;
};
/** How often the bank has made it. */
const sent = async (id: string): Promise<number> =>
  (await bank.control("GET", `/payouts?idEnvio=${await pspIdOf(gateway, id)}`)).items.length;
const settle = async (id: string, end: object) =>
  bank.control("POST", `/payouts/${await pspIdOf(gateway, id)}/settle`, end);
const holds = async (id: string) => {
  assert.equal((await show(merchant.client, id)).status, "processing");
  assert.deepEqual(await balancesOf(merchant.client), { available: 9_000, promotional: 0, held: 1_000, total: 10_000 });
};
/** Queries it, each time later, until the bank has paid. */
async function untilPaid(id: string): Promise<void> {
  let later = 10 * MINUTE;
  await eventually("the bank to pay", async () => {
    await pass(later);
    later += 15 * MINUTE;
    return (await show(merchant.client, id)).status === "completed";
  });
  await isPaid(id);
}
const isPaid = async (id: string) => {
  assert.equal((await show(merchant.client, id)).status, "completed");
  assert.equal(await sent(id), 1);
  assert.equal((await balancesOf(merchant.client)).total, 9_000);
};

test("a bank that does not check the holder is linked only where the account allows that, whichever comes first", async () => {
  const off = await allow(false);
  assert.deepEqual(
    [off.status, off.body.details.code, off.body.details.needs],
    [400, "NOT_SUPPORTED_BY_INSTITUTION", "holderCheck"],
  );
  assert.equal((await link(institutionId, false)).status, 200);
  assert.equal((await allow(false)).status, 200);
  const refused = await link(institutionId);
  assert.deepEqual([refused.status, refused.body.details.needs], [400, "holderCheck"]);
  const { rowCount } = await ctx().db.query(sql`
    select from account_institutions where account_id = ${merchant.accountId} and institution_id = ${institutionId} and enabled`);
  assert.equal(rowCount, 0);
});

test("the bank's id is stored with its time, the payout is queried by it, and paid", async () => {
  const { id } = await withdraw(merchant.client, MANUAL);
  await pass();
  const { references } = await inRow(id);
  assert.equal(references.length, 1);
  assert.match(references[0]!.reference, /^[0-9a-f-]{36}$/);
  assert.ok(Math.abs(Date.parse(references[0]!.at) - Date.now()) < MINUTE);
  await holds(id);
  await settle(id, { outcome: "complete" });
  await pass(MINUTE);
  await isPaid(id);
  assert.deepEqual((await inRow(id)).references, references);
});

test("an answer that was lost is brought by a repeat, after the first request has certainly ended, and paid once", async () => {
  await bank.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client);
  await pass();
  assert.deepEqual((await inRow(id)).references, []);
  await pass(2_000);
  await holds(id);
  assert.deepEqual((await inRow(id)).references, [], "nothing is repeated at once");
  await pass(40_000);
  assert.equal((await inRow(id)).references.length, 1);
  await untilPaid(id);
});

test("payouts and queries that the bank refuses as too many are made later, and each is paid once", async () => {
  await bank.control("PATCH", "/behaviour", { perMinute: { putPayout: 1, getPayout: 1 } });
  // The bank ends none before it is told to: a pass may take longer than the bank.
  const made = [await withdraw(merchant.client, MANUAL), await withdraw(merchant.client, MANUAL)];
  made.push(await withdraw(merchant.client, MANUAL));
  const ids = made.map(({ id }) => id);
  const statuses = () => Promise.all(ids.map(async (id) => (await show(merchant.client, id)).status));
  for (const later of [0, 2_000]) await pass(later);
  assert.deepEqual(await statuses(), Array(3).fill("processing"));
  assert.deepEqual((await Promise.all(ids.map(sent))).sort(), [0, 0, 1], "the bank has taken one");
  assert.deepEqual(await balancesOf(merchant.client), { available: 7_000, promotional: 0, held: 3_000, total: 10_000 });
  await bank.control("DELETE", "/behaviour");
  let later = MINUTE;
  await eventually("the bank to pay all three", async () => {
    await pass(later);
    later += 5 * MINUTE;
    for (const id of ids) if ((await sent(id)) === 1) await settle(id, { outcome: "complete" }).catch(() => {});
    return (await statuses()).every((status) => status === "completed");
  });
  assert.deepEqual(await Promise.all(ids.map(sent)), [1, 1, 1]);
  assert.deepEqual(await balancesOf(merchant.client), { available: 7_000, promotional: 0, held: 0, total: 7_000 });
});

/** So many passes, a minute apart, in which no payout has its turn. Returns how far the clock is ahead then. */
async function withoutTurn(passes: number): Promise<number> {
  const unsent = async () => ({ kind: "unsent", reason: "bank_limit" }) as const;
  for (let n = 0; n < passes; n += 1) {
    const psps = withPayouts({ sendPayout: unsent });
    const sender = createSender({ ...ctx(), psps, clock: clockAhead(n * MINUTE) });
    await sender.runDue();
    await sender.idle();
  }
  return passes * MINUTE;
}

test("payouts whose turn does not come are tried again within half a minute, each at its own moment, however often", async () => {
  const made = [await withdraw(merchant.client), await withdraw(merchant.client), await withdraw(merchant.client)];
  let later = await withoutTurn(12);
  const { rows } = await ctx().db.query<{ next: Date; attempts: number }>(sql`
    select next_at as next, attempts from withdrawals where account_id = ${merchant.accountId}`);
  const within = rows.map(({ next }) => next.getTime() - (Date.now() + later - MINUTE));
  assert.deepEqual(
    rows.map(({ attempts }) => attempts),
    [12, 12, 12],
  );
  assert.ok(
    within.every((ms) => ms < 32_000),
    within.join(),
  );
  assert.equal(new Set(within).size, 3);
  await eventually("each to be sent when its turn comes", async () => {
    await pass(later);
    later += MINUTE;
    return (await Promise.all(made.map(({ id }) => sent(id)))).every((times) => times === 1);
  });
});

test("a payout that has waited for its turn is queried as soon after it has left as one that left at once", async () => {
  const { id } = await withdraw(merchant.client, MANUAL);
  const later = await withoutTurn(12);
  await pass(later);
  assert.equal(await sent(id), 1);
  const { rows } = await ctx().db.query<{ next: Date }>(sql`
    select next_at as next from withdrawals where withdrawal_id = ${id}`);
  const within = rows[0]!.next.getTime() - (Date.now() + later);
  assert.ok(within <= 1_000, `${within}`);
  await settle(id, { outcome: "complete" });
  await pass(later + MINUTE);
  await isPaid(id);
});

test("a process that died between the bank's answer and its own books neither pays twice nor loses it", async () => {
  const { id } = await withdraw(merchant.client);
  const worker = launchProcess({
    ...{ DATABASE_URL: gateway.databaseUrl, PIXGATE_DATA_DIR: gateway.dataDir, PIXGATE_SIMULATOR_PORT: "off" },
    ...{ PIXGATE_ROLE: "worker", PIXGATE_FAILPOINTS: "psp.after:postPayout@1" },
  });
  await worker.exited;
  assert.equal(await sent(id), 1);
  await holds(id);
  assert.deepEqual((await inRow(id)).references, []);
  await pass(2 * MINUTE);
  await pass(3 * MINUTE);
  assert.equal((await inRow(id)).references.length, 1);
  await untilPaid(id);
});

test("without the bank's id nothing is repeated once the bank may have forgotten it: a person decides", async () => {
  await bank.faults("putPayout", "resetAfter");
  const { id } = await withdraw(merchant.client, MANUAL);
  for (const later of [0, 2_000, 40_000, 10 * MINUTE, 20 * MINUTE, 50 * MINUTE]) await pass(later);
  assert.equal(await sent(id), 1);
  // From now on a repeat would pay again.
  await bank.control("DELETE", "/behaviour");
  await bank.control("PATCH", "/behaviour", { keyRememberedMs: 1 });
  for (const later of [1, 15, 40, 24 * 60]) await pass(LIMITS.payoutRepeats + later * MINUTE);
  assert.equal(await sent(id), 1);
  await holds(id);
  assert.deepEqual((await inRow(id)).latest, { state: "no_bank_id" });
  const cases = await gateway.operator.get<{ items: { objectId: string; kind: string }[] }>(
    `/cases?accountId=${merchant.accountId}&status=open`,
  );
  assert.deepEqual(
    cases.body.items.filter(({ objectId }) => objectId === id).map(({ kind }) => kind),
    ["payout_unresolved"],
  );
});

test("a refusal fails it at once where nothing may have left, and never after an answer was lost", async () => {
  const refused = await withdraw(merchant.client, { pixKey: "unknown@pixgate.test" });
  await pass();
  const failed = await show(merchant.client, refused.id);
  assert.deepEqual([failed.status, failed.failureCode], ["failed", "key_not_found"]);
  assert.equal((await balancesOf(merchant.client)).available, 10_000);

  await bank.faults("putPayout", "resetAfter", { times: 1 });
  const { id } = await withdraw(merchant.client, MANUAL);
  await pass();
  // The bank looks at the money before it looks for the key, and the first request has taken the money.
  const { books } = await bank.control("GET", "/state");
  const openingBalanceCentavos = -books.balanceCentavos;
  await bank.control("PATCH", "/behaviour", { keyRememberedMs: 1, openingBalanceCentavos });
  for (const later of [2_000, 40_000, 3 * MINUTE, 8 * MINUTE, 20 * MINUTE]) await pass(later);
  await holds(id);
  assert.equal(await sent(id), 1);
});

test("a payout that a person at the bank lets wait for days says so, and is given back when its time is over", async () => {
  await bank.control("PATCH", "/behaviour", { payoutApproval: true });
  const { id } = await withdraw(merchant.client);
  await pass();
  for (const later of [MINUTE, 60 * MINUTE, 3 * 24 * 60 * MINUTE]) {
    await pass(later);
    assert.equal((await show(merchant.client, id)).pendingReason, "awaiting_bank_approval");
    await holds(id);
  }
  await settle(id, { outcome: "fail", code: "aprovacao_expirada" });
  await pass(4 * 24 * 60 * MINUTE);
  const failed = await show(merchant.client, id);
  assert.deepEqual([failed.status, failed.failureCode], ["failed", "not_approved"]);
  assert.equal((await balancesOf(merchant.client)).available, 10_000);
});

test("a notification with the bank's id books its payout, and one of nobody's waits for an id that comes later", async () => {
  const { id } = await withdraw(merchant.client, MANUAL);
  await pass();
  const { reference } = (await inRow(id)).references[0]!;
  await settle(id, { outcome: "complete" });
  const stranger = "00000000-0000-4000-8000-000000000000";
  const body = [reference, stranger].map((codigoSolicitacao) => ({
    codigoSolicitacao,
    status: "EFETIVADO",
    valor: "10.00",
  }));
  const { keys } = ctx();
  const answer = await fetch(gateway.running.url + notificationPath(keys, institutionId), {
    ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
  });
  assert.equal(answer.status, 200);
  const { rows } = await ctx().db.query<{ house: string }>(
    sql`select account_id as house from accounts where is_house`,
  );
  const houseId = rows[0]!.house;
  const confirm = async (over: Partial<ReturnType<typeof ctx>> = {}) => {
    const confirmer = createConfirmer({ ...ctx(), ...over }, houseId, createApplier(ctx(), houseId));
    await confirmer.runDue();
    await confirmer.idle();
  };
  // The bank's limit lets no query leave: that is no attempt.
  await confirm({ psps: beyondLimit() });
  const waiting = await ctx().db.query<{ status: string; attempts: number }>(sql`
    select status, attempts from inbox where subject_id = ${reference}`);
  assert.deepEqual(waiting.rows, [{ status: "pending", attempts: 0 }]);
  assert.equal((await show(merchant.client, id)).status, "processing");
  await confirm({ clock: clockAhead(MINUTE) });
  await isPaid(id);
  const inbox = await ctx().db.query<{ subject: string; status: string }>(sql`
    select subject_id as subject, status from inbox where subject_id in (${reference}, ${stranger}) order by status`);
  assert.deepEqual(inbox.rows, [
    { subject: reference, status: "applied" },
    { subject: stranger, status: "pending" },
  ]);
});

test("a day is compared without the payouts of a bank that lists none: none of them is called missing", async () => {
  const { id } = await withdraw(merchant.client, MANUAL);
  await pass();
  await settle(id, { outcome: "complete" });
  await pass(MINUTE);
  await isPaid(id);
  const report = await gateway.operator.post<{
    institutions: { institutionId: string; incomplete: string | null; findings: { kind: string }[] }[];
  }>(`/reconciliation/${dayOf(new Date())}`);
  assert.equal(report.status, 200, report.text);
  const compared = report.body.institutions.find((one) => one.institutionId === institutionId);
  assert.deepEqual([compared?.incomplete ?? null, compared?.findings], [null, []]);
});
