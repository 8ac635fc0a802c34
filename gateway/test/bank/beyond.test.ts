/** Returns that fit no Pix: more than was paid, or two under one id of the bank. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { becomes, pspIdOf, withdraw } from "../contract/payouts.ts";
import { notAt } from "../harness/bank.ts";
import { startWorld, type World } from "./world.ts";

type Case = { kind: string; objectId: string; evidence: { says: string; data: Record<string, unknown> } };
type Finding = { kind: string; state: string; key: string };

let world: World;
before(async () => {
  world = await startWorld();
  await world.behave({ autoNotify: false });
});
after(() => world.stop());

const casesAbout = async (e2eId: string): Promise<Case[]> => {
  const reply = await world.gateway.operator.get<{ items: Case[] }>("/cases?status=open&limit=100");
  return reply.body.items.filter(({ evidence }) => evidence.data.key === e2eId || evidence.data.parent === e2eId);
};
const returns = (e2eId: string, body: Record<string, unknown>) => world.control(`/pix/${e2eId}/med-return`, body);
const rtrId = (n: number) => `D${String(n).padStart(31, "0")}`;
/** What the auditor has frozen. */
const frozen = async (accountId: string) => {
  const { rowCount } = await world.db().query(sql`
    select from accounts where account_id = ${accountId} and withdrawals_frozen_at is not null`);
  return rowCount > 0;
};
const paid = async (amount: number) => {
  await world.behave({ autoNotify: true });
  const merchant = await newMerchant(world.gateway);
  const payment = await pay(merchant.client, amount);
  await world.behave({ autoNotify: false });
  return { ...merchant, ...payment };
};

test("more returned than was paid: what fits is booked, the rest is a case, and nobody is frozen", async () => {
  const { client, accountId, e2eId } = await paid(100);
  await returns(e2eId, { amountCentavos: 8_000 });
  await returns(e2eId, { amountCentavos: 8_000, force: true });
  await world.pollReceived();
  assert.equal((await balancesOf(client)).available, 2_000);
  const [open, ...more] = await casesAbout(e2eId);
  assert.deepEqual([open!.kind, open!.evidence.data.amount, more], ["reconciliation_difference", 8_000, []]);
  assert.match(open!.evidence.says, /more would have gone back than was paid/);
  // Shown again, by a list or the comparison of the day, it is neither booked nor another case.
  await world.pollReceived();
  await world.findingsOf([]);
  assert.deepEqual([(await balancesOf(client)).available, (await casesAbout(e2eId)).length], [2_000, 1]);
  await world.gateway.verify();
  assert.equal(await frozen(accountId), false);
});

test("two under one id of the bank: both are booked where the network tells them apart, and what follows too", async () => {
  const { client, e2eId } = await paid(100);
  await returns(e2eId, { amountCentavos: 2_000, id: "same", rtrId: rtrId(1) });
  await returns(e2eId, { amountCentavos: 3_000, id: "same", rtrId: rtrId(2) });
  await returns(e2eId, { amountCentavos: 1_000 });
  await world.pollReceived();
  assert.equal((await balancesOf(client)).available, 4_000);
  assert.deepEqual(await casesAbout(e2eId), []);
  assert.deepEqual(await world.findingsOf([rtrId(1), rtrId(2)]), []);
});

test("two under one name: the second is a case, and what follows is booked", async () => {
  const { client, e2eId } = await paid(100);
  await returns(e2eId, { amountCentavos: 2_000, id: "same", rtrId: rtrId(3) });
  await returns(e2eId, { amountCentavos: 3_000, id: "same", rtrId: rtrId(3) });
  await returns(e2eId, { amountCentavos: 1_000 });
  await world.pollReceived();
  assert.equal((await balancesOf(client)).available, 7_000);
  const [open, ...more] = await casesAbout(e2eId);
  assert.deepEqual([open!.evidence.data.amount, more], [3_000, []]);
});

test("one that is not booked under the id of another Pix's: the comparison of the day does not say that it matches", async () => {
  const [one, other] = [await paid(50), await paid(50)];
  await returns(one.e2eId, { amountCentavos: 2_000, id: "first", rtrId: rtrId(4) });
  await world.pollReceived();
  // No answer but that of the list names it, and there it cannot be read as long as nobody compares.
  await returns(other.e2eId, { amountCentavos: 2_000, id: "first", rtrId: rtrId(4) });
  const found = (await world.findingsOf([rtrId(4)])) as Finding[];
  assert.deepEqual(
    found.map(({ kind, state }) => [kind, state]),
    [["returned", "missing_here"]],
  );
  assert.equal((await balancesOf(other.client)).available, 3_000, "found, it is booked");
});

test(
  "two of a payout under one id of the bank: both are credited where the network tells them apart",
  notAt("api-pix", "it has no payouts"),
  async () => {
    const { client, accountId } = await newMerchant(world.gateway);
    await give(world.gateway, accountId, 100);
    const { id } = await withdraw(client, { netAmount: 50 });
    await becomes(client, id, "completed");
    const pspId = await pspIdOf(world.gateway, id);
    for (const n of [5, 6]) {
      await world.control(`/payouts/${pspId}/settle`, { outcome: "reverse", amountCentavos: n * 100, id: "same" });
    }
    await world.pollWithdrawal(id);
    assert.equal((await balancesOf(client)).available, 6_100);
  },
);
