/** A bank that keeps a part of a Pix back as tax: the tax is a line of its own, and the books hold what the bank holds. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

const PLACES = ["list", "read", "charge", "callback"];

let world: World;
before(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.behave({ withheldIn: PLACES, txidIn: PLACES, plainIn: PLACES, autoNotify: true });
  await world.gateway.verify();
});
after(() => world.stop());

/** Our balance at the institution less its own, centavos. */
async function difference(): Promise<number> {
  type State = { books: { balanceCentavos: number } };
  const { body } = await world.gateway.simulator.get<State>("/state");
  return 0 - (await world.sumOf("psp")) - body.books.balanceCentavos;
}
const sums = async () =>
  Object.fromEntries(
    await Promise.all(
      ["available", "psp", "psp_costs", "returns", "suspense"].map(async (kind) => [kind, await world.sumOf(kind)]),
    ),
  ) as Record<string, number>;

/** What the sums of ledger accounts of these kinds have changed by. */
const moved = (before: Record<string, number>, now: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(now).flatMap(([kind, sum]) => (sum === before[kind] ? [] : [[kind, sum - before[kind]!]])),
  );

const taxesOf = async (about: string) =>
  (
    await world.db().query<{ leg: number; amount: number; house: boolean }>(sql`
      select t.leg, t.amount, a.is_house as house from ledger_transfers t
      join accounts a on a.account_id = t.account_id
      join received_pix p on p.account_id = t.account_id and t.source_id in (p.pix_id, p.charge_id)
      where t.kind = 'tax_withheld' and p.e2e_id = ${about} order by a.is_house, t.leg`)
  ).rows;

type Shown = { amount: number; feeAmount: number; netAmount: number; withheldAmount?: number };

test("a charge's payment is credited whole, its tax leaves the wallet as a line, and everything says so", async () => {
  const [before, apart] = [await sums(), await difference()];
  const { id, txid } = await world.create(100);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 1_001 });
  await world.statusIs(id, "completed");
  const fee = 50;
  assert.deepEqual(moved(before, await sums()), { available: 10_000 - 1_001 - fee, psp: -8_999 });
  assert.equal(await difference(), apart, "the books hold what the institution holds");

  const { amount, feeAmount, netAmount, withheldAmount } = (await world.show(id)) as unknown as Shown;
  assert.deepEqual([amount, feeAmount, withheldAmount, netAmount], [100, 0.5, 10.01, 89.49]);
  const { rows } = await world.db().query<{ data: Shown }>(sql`
    select body::jsonb -> 'data' as data from events where event_id = ${id}`);
  assert.deepEqual([rows[0]!.data.withheldAmount, rows[0]!.data.netAmount], [10.01, 89.49]);

  type Item = { kind: string; amount: number; transactionId: string; e2eId: string };
  const { body } = await world.gateway.merchant.get<{ items: Item[] }>(`/statement?originalTransactionId=${id}`);
  assert.deepEqual(
    body.items.map((item) => [item.kind, item.amount]),
    [
      ["charge_fee", -0.5],
      ["tax_withheld", -10.01],
      ["charge_paid", 100],
    ],
  );
  assert.ok(body.items.every((item) => item.transactionId === id && item.e2eId === e2eId));
  assert.deepEqual(await world.findingsOf([e2eId]), [], "the comparison of the day expects what was credited");
});

test("shown again by every list, or without a tax, it is booked once", async () => {
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 90 });
  await world.statusIs(id, "completed");
  const before = await sums();
  await world.quiet();
  await world.pollReceived();
  await world.behave({ withheldIn: [] });
  await world.pollReceived();
  await world.behave({ withheldIn: PLACES });
  assert.deepEqual(moved(before, await sums()), {});
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 90, house: false }]);
});

test("a tax that the bank shows only later is a case, and is not booked", async () => {
  await world.behave({ withheldIn: [] });
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.statusIs(id, "completed");
  await world.quiet();
  const before = await sums();
  await world.behave({ withheldIn: PLACES });
  const found = await world.findingsOf([e2eId]);
  assert.deepEqual(
    found.map(({ kind, state, theirs, ours }) => [kind, state, theirs, ours]),
    [["received", "differing", 9, 10]],
  );
  const open = await world.db().query(sql`
    select from cases where status = 'open' and kind = 'reconciliation_difference' and object_id like ${`%${e2eId}`}`);
  assert.equal(open.rowCount, 1);
  assert.deepEqual(moved(before, await sums()), {});
  assert.deepEqual(await taxesOf(e2eId), []);
});

test("the fee takes no more than the tax has left of a payment, and its split gets nothing then", async () => {
  const before = await sums();
  const { id, txid } = await world.create(1);
  await world.pay(txid, { withheldCentavos: 70 });
  await world.statusIs(id, "completed");
  const { feeAmount, netAmount, withheldAmount } = (await world.show(id)) as unknown as Shown;
  assert.deepEqual([feeAmount, withheldAmount, netAmount], [0.3, 0.7, 0]);
  assert.deepEqual(moved(before, await sums()), { psp: -30 });
});

test("of a payment that is not accepted the operator bears the tax, and all of it goes back to its payer", async () => {
  const before = await sums();
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { amountCentavos: 900, withheldCentavos: 80 });
  await world.statusIs(id, "failed");
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 80, house: false }]);
  await eventually("its return", async () => (await world.sumOf("returns")) === before.returns);
  assert.deepEqual(moved(before, await sums()), { psp: 80, psp_costs: -80 });
});

test("of a Pix without a charge the operator bears the tax until it is assigned; then the wallet does", async () => {
  const [before, own] = [await sums(), await world.ownAtBank()];
  const { e2eId } = await world.control<{ e2eId: string }>("/pix", { amountCentavos: 1_000, withheldCentavos: 120 });
  await world.pollReceived();
  assert.equal((await world.receiptsOf(e2eId)).length, 1);
  assert.deepEqual(moved(before, await sums()), { psp: -880, psp_costs: -120, suspense: 1_000 });
  assert.equal((await world.ownAtBank()) - own, -120, "it leaves less of the operator's own money there");
  assert.deepEqual(await world.findingsOf([e2eId]), []);

  const { id } = await world.create(10);
  const { rows } = await world.db().query<{ pix_id: string }>(sql`
    select pix_id from received_pix where e2e_id = ${e2eId}`);
  const to = { action: "assign", accountId: world.gateway.sandbox.accountId, chargeId: id };
  const reply = await world.gateway.operator.post(`/unmatched/${rows[0]!.pix_id}/resolve`, to);
  assert.equal(reply.status, 200, reply.text);
  await world.statusIs(id, "completed");
  assert.deepEqual(moved(before, await sums()), { psp: -880, available: 1_000 - 120 - 50 });
  assert.equal(await world.ownAtBank(), own);
  assert.deepEqual(await taxesOf(e2eId), [
    { leg: 0, amount: 120, house: false },
    { leg: 0, amount: 120, house: true },
    { leg: 1, amount: 120, house: true },
  ]);
  assert.deepEqual(await world.findingsOf([e2eId]), []);
});

test("booked by two processes at once, with a charge and without one, its tax is borne once, by the wallet", async () => {
  const before = await sums();
  await world.behave({ withheldPercent: 10 });
  const { e2eId } = await world.bookTwice(1_000);
  await world.behave({ withheldPercent: 0, autoNotify: true });
  await world.pollReceived();
  await eventually("the receipt to be joined", async () =>
    (await world.receiptsOf(e2eId)).some(({ outcome }) => outcome === "assigned"),
  );
  assert.deepEqual(moved(before, await sums()), { psp: -900, available: 1_000 - 100 - 50 });
});

test("a tax that only the list shows stays with a Pix whose txid only the query shows", async () => {
  const apart = await difference();
  await world.behave({ withheldIn: ["list"], txidIn: ["read"], autoNotify: false });
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.pollReceived();
  await world.statusIs(id, "completed");
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 100, house: false }]);
  assert.equal(await difference(), apart);
});

test("the wallet bears a tax that the house has booked, though its charge's answer shows the Pix without it", async () => {
  const apart = await difference();
  await world.behave({ withheldIn: ["list", "read"], txidIn: ["charge"], autoNotify: false });
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.pollReceived();
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 100, house: true }]);
  await world.pollUntil(id, "completed");
  await eventually("its assignment", async () =>
    (await world.receiptsOf(e2eId)).some(({ outcome }) => outcome === "assigned"),
  );
  assert.deepEqual(await taxesOf(e2eId), [
    { leg: 0, amount: 100, house: false },
    { leg: 0, amount: 100, house: true },
    { leg: 1, amount: 100, house: true },
  ]);
  assert.equal(await difference(), apart);
});

test("of a Pix that the lists lack the comparison expects what was credited, as of one that they have", async () => {
  const receive = async () => {
    const { e2eId } = await world.control<{ e2eId: string }>("/pix", { amountCentavos: 1_000, withheldCentavos: 100 });
    await world.pollReceived();
    assert.equal((await world.receiptsOf(e2eId)).length, 1);
    return e2eId;
  };
  const known = await receive();
  await world.behave({ withheldIn: [] });
  const unknown = await receive();
  await world.behave({ plainIn: ["read", "callback"], withheldIn: PLACES });
  const found = await world.findingsOf([known, unknown]);
  assert.deepEqual(
    found.map(({ key }) => key),
    [unknown],
    "the bank kept 100 of it back, which the books do not know",
  );
});

test("a list that shows no tax of a Pix is silent about it: it differs from no Pix that the query showed with its tax", async () => {
  await world.behave({ withheldIn: ["read"] });
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.statusIs(id, "completed");
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 100, house: false }]);
  assert.deepEqual(await world.findingsOf([e2eId]), []);
  // Nor does the query for a Pix that the list lacks.
  await world.behave({ withheldIn: PLACES });
  const plain = await world.control<{ e2eId: string }>("/pix", { amountCentavos: 1_000, withheldCentavos: 100 });
  await world.pollReceived();
  assert.deepEqual(await taxesOf(plain.e2eId), [{ leg: 0, amount: 100, house: true }]);
  await world.behave({ plainIn: ["read", "callback"], withheldIn: [] });
  assert.deepEqual(await world.findingsOf([e2eId, plain.e2eId]), []);
});

test("booked by two processes at once, and with its tax by one of them alone, its tax is borne once, by the operator", async () => {
  const [before, apart] = [await sums(), await difference()];
  await world.behave({ withheldPercent: 10 });
  const { e2eId } = await world.bookTwice(1_000, { settledWithout: "withheld" });
  await world.behave({ withheldPercent: 0, autoNotify: true });
  await world.pollReceived();
  await eventually("the receipt to be joined", async () =>
    (await world.receiptsOf(e2eId)).some(({ outcome }) => outcome === "assigned"),
  );
  await eventually(
    "the end of its assignment",
    async () => (await world.sumOf("psp_costs")) === before.psp_costs! - 100,
  );
  assert.deepEqual(moved(before, await sums()), { psp: -900, psp_costs: -100, available: 1_000 - 50 });
  assert.equal(await difference(), apart, "the books hold what the institution holds");
  assert.deepEqual(await taxesOf(e2eId), [0, 1, 2].map((leg) => ({ leg, amount: 100, house: true }))); // biome-ignore format: one line
  assert.deepEqual(await world.findingsOf([e2eId]), [], "the comparison of the day counts what the operator bears");
});

const taxCases = async (e2eId: string) =>
  (
    await world.db().query<{ amount: number }>(sql`
      select (evidence -> 'data' ->> 'amount')::bigint as amount from cases
      where status = 'open' and evidence -> 'data' ->> 'state' = 'tax_unbooked' and evidence -> 'data' ->> 'key' = ${e2eId}`)
  ).rows.map(({ amount }) => amount);

test("of a tax that the notification names and the query does not the list decides", async () => {
  await world.behave({ withheldIn: ["callback", "list"] });
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.statusIs(id, "completed");
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 100, house: false }]);
  await world.quiet();
  assert.deepEqual(await taxCases(e2eId), []);
});

test("a tax that nothing but the notification names is not booked, and is a case", async () => {
  const before = await sums();
  await world.behave({ withheldIn: ["callback"] });
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.statusIs(id, "completed");
  await world.quiet();
  assert.deepEqual(moved(before, await sums()), { psp: -1_000, available: 950 });
  assert.deepEqual(await taxesOf(e2eId), []);
  assert.deepEqual(await taxCases(e2eId), [100]);
  // The comparison of the day, whose list is silent, does not end it.
  await world.findingsOf([e2eId]);
  assert.deepEqual(await taxCases(e2eId), [100]);
});

test("a tax that the query shows once the Pix is booked is a case too, where no list shows it", async () => {
  await world.behave({ withheldIn: [] });
  await world.holdNotification();
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.pollUntil(id, "completed");
  await world.behave({ withheldIn: ["read"] });
  await world.releaseNotification();
  await eventually("its case", async () => (await taxCases(e2eId)).length > 0);
  assert.deepEqual(await taxCases(e2eId), [100]);
  assert.deepEqual(await taxesOf(e2eId), []);
});

test("a tax that a waiting notification names is looked for in the list also where a poll books its Pix first", async () => {
  const rules = [{ route: "getPix", kind: "error5xxBefore", probability: 1 }];
  await world.behave({ withheldIn: ["callback", "list"], faults: { seed: 1, rules } });
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await eventually("its notification to wait", async () => {
    const { rowCount } = await world.db().query(sql`
      select from inbox where status = 'pending' and attempts > 0 and subject_id = ${e2eId}`);
    return rowCount === 1;
  });
  await world.pollUntil(id, "completed");
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 100, house: false }]);
  await world.behave({ faults: { seed: 1, rules: [] } });
  await world.quiet();
  assert.deepEqual(await taxCases(e2eId), []);
});

test("a notification that names another tax than the one that is booked is a case, and nothing moves", async () => {
  const { id, txid } = await world.create(10);
  const { e2eId } = await world.pay(txid, { withheldCentavos: 100 });
  await world.statusIs(id, "completed");
  await world.quiet();
  assert.deepEqual(await taxCases(e2eId), []);
  const before = await sums();
  const pix = { endToEndId: e2eId, txid, valor: "10.00", valorLiquido: "9.10", horario: new Date().toISOString() };
  assert.equal(await world.notify(JSON.stringify({ pix: [pix] })), 200);
  await eventually("its case", async () => (await taxCases(e2eId)).length > 0);
  assert.deepEqual(await taxCases(e2eId), [90]);
  assert.deepEqual(moved(before, await sums()), {});
  assert.deepEqual(await taxesOf(e2eId), [{ leg: 0, amount: 100, house: false }]);
});

test("booked by two processes at once, by one of them with more tax, the wallet bears that, and a case asks which is right", async () => {
  const before = await sums();
  await world.behave({ withheldPercent: 10 });
  const { e2eId } = await world.bookTwice(1_000, { settledAs: { withheld: 150 } });
  await world.behave({ withheldPercent: 0, autoNotify: true });
  await world.pollReceived();
  await eventually("its case", async () => (await taxCases(e2eId)).length > 0);
  assert.deepEqual(await taxCases(e2eId), [100]);
  assert.deepEqual(moved(before, await sums()), { psp: -850, available: 1_000 - 150 - 50 });
});
