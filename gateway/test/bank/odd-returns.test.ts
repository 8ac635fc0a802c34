/** Returns that an institution shows in a way that nobody can read: a person has to find out, and nothing is taken for absent. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { becomes, pspIdOf, settle, waiting, withdraw } from "../contract/payouts.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

const ALL = ["list", "read", "charge", "callback"];

type Case = { kind: string; objectId: string; evidence: { says: string; data: Record<string, unknown> } };

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

const openCases = async (kind: string): Promise<Case[]> =>
  (await world.gateway.operator.get<{ items: Case[] }>(`/cases?status=open&kind=${kind}`)).body.items;

test("of a Pix, whoever reports it: a case, and debited when it can be read", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await world.behave({ returnsCommaIn: ALL, autoNotify: false });
  await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
  await world.pollReceived();
  const about = async () =>
    (await openCases("reconciliation_difference")).find(({ evidence: { data } }) => data.key === e2eId);
  assert.match((await about())?.evidence.says ?? "", /return of the Pix that cannot be read/);
  // Another list shows it as well: it stays one case.
  await world.pollReceived();
  await world.findingsOf([e2eId]);
  assert.equal((await openCases("reconciliation_difference")).length, 1);
  assert.equal((await balancesOf(client)).available, 5_000);
  await world.behave({ returnsCommaIn: [], autoNotify: true });
  await world.pollReceived();
  assert.equal((await balancesOf(client)).available, 3_000);
  assert.equal(await about(), undefined);
});

test("of a Pix in a list alone: the Pix is queried, and its return is booked", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 30);
  await world.behave({ returnsCommaIn: ["list"], autoNotify: false });
  await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 1_000 });
  await world.pollReceived();
  assert.equal((await balancesOf(client)).available, 2_000);
  assert.deepEqual(await openCases("reconciliation_difference"), []);
  await world.behave({ returnsCommaIn: [], autoNotify: true });
});

test("of a payout: a case, and credited when it can be read", notAt("api-pix", "it has no payouts"), async () => {
  const { client, accountId } = await newMerchant(world.gateway);
  await give(world.gateway, accountId, 100);
  const { id } = await withdraw(client, { netAmount: 50 });
  await becomes(client, id, "completed");
  await world.behave({ returnsCommaIn: ALL, autoNotify: false });
  const pspId = await pspIdOf(world.gateway, id);
  await world.control(`/payouts/${pspId}/settle`, { outcome: "reverse", amountCentavos: 2_000 });
  await world.pollWithdrawal(id);
  const about = async () => (await openCases("payout_contradiction")).find(({ objectId }) => objectId === id);
  assert.match((await about())?.evidence.says ?? "", /a return that cannot be read/);
  assert.equal((await balancesOf(client)).available, 5_000);
  await world.behave({ returnsCommaIn: [], autoNotify: true });
  await world.pollWithdrawal(id);
  await eventually("the money that came back", async () => (await balancesOf(client)).available === 7_000);
  assert.equal(await about(), undefined);
  await settle(client, id, { outcome: "reverse" });
  await becomes(client, id, "reversed");
});

test(
  "of a payout, shown with its end: the tariff is booked all the same",
  notAt("api-pix", "it has no payouts"),
  async () => {
    const { client, accountId } = await newMerchant(world.gateway);
    await give(world.gateway, accountId, 100);
    await world.behave({ tariffs: { receivedCentavos: 0, sentCentavos: 45, shownIn: ALL } });
    const { id } = await waiting(client, { netAmount: 50 });
    const query = async (at: Date) => {
      await world.db().query(sql`update withdrawals set next_at = ${at} where withdrawal_id = ${id}`);
      world.ctx.hints.wake("withdrawals");
    };
    await query(new Date(Date.now() + 3_600_000));
    await world.behave({ returnsCommaIn: ALL, autoNotify: false });
    const pspId = await pspIdOf(world.gateway, id);
    await world.control(`/payouts/${pspId}/settle`, { outcome: "complete" });
    await world.control(`/payouts/${pspId}/settle`, { outcome: "reverse", amountCentavos: 2_000 });
    await query(new Date());
    await becomes(client, id, "completed");
    await eventually("the tariff", async () => {
      const { rows } = await world.db().query<{ amount: number }>(sql`
      select amount from bank_tariffs where account_id = ${accountId} and source_id = ${id}`);
      return rows.length === 1 && rows[0]!.amount === 45;
    });
    const [about] = (await openCases("payout_contradiction")).filter(({ objectId }) => objectId === id);
    assert.match(about?.evidence.says ?? "", /a return that cannot be read/);
    assert.equal((await balancesOf(client)).available, 5_000);
    await world.behave({
      returnsCommaIn: [],
      autoNotify: true,
      tariffs: { receivedCentavos: 0, sentCentavos: 0, shownIn: ALL },
    });
    await query(new Date());
    await eventually("the money that came back", async () => (await balancesOf(client)).available === 7_000);
    await settle(client, id, { outcome: "reverse" });
    await becomes(client, id, "reversed");
  },
);

test(
  "a Pix and a MED case that a list shows unreadably are cases, until they can be read",
  notAt("api-pix", "it has no MED cases"),
  async () => {
    const { client } = await newMerchant(world.gateway);
    const { e2eId } = await pay(client, 20);
    await world.behave({ commaIn: ["list"], autoNotify: false });
    await world.control("/pix", { amountCentavos: 700 });
    await world.pollReceived();
    await world.pollReceived();
    const unreadable = async () =>
      (await openCases("reconciliation_difference")).map(({ evidence: { data } }) => data.kind).sort();
    assert.deepEqual(await unreadable(), ["received"]);
    await world.control("/infractions", { e2eId });
    const list = async () => {
      await world.db().query(sql`update infraction_polls set next_at = ${new Date()}`);
      world.ctx.hints.wake("infractions");
    };
    await list();
    await eventually("the case of the list", async () => (await unreadable()).join() === "infractions,received");
    assert.equal((await balancesOf(client)).held, 0);
    await world.behave({ commaIn: [], autoNotify: true });
    await world.db().query(sql`update infraction_polls set whole_at = null`);
    await list();
    await eventually("the MED case", async () => (await balancesOf(client)).held === 2_000);
    await world.findingsOf([]);
    await eventually("both cases to close", async () => (await unreadable()).length === 0);
  },
);
