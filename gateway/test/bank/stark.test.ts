/** A life at Stark Bank, which pays out and issues no charges, beside a bank that receives; a bridge speaks its API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { give, type Merchant } from "../contract/money.ts";
import { ask, becomes, MARIA, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startStark } from "../psp/bridges/stark.ts";
import { lifeAt } from "./life-at.ts";

const there = lifeAt({ name: "Stark Bank", provider: "stark" }, (bank) => startStark(bank, MARIA.holderDocument));
const { ctx, address, money } = there;

/** A merchant who is linked to Stark Bank; alone, or beside the bank that receives. */
const merchantThere = (alone: boolean): Promise<Merchant> =>
  // Stark Bank first, so that a charge would meet it.
  there.newMerchant({ linkOf: (isStark) => ({ enabled: isStark || !alone, ...(isStark && { priority: 1 }) }) });

const sentThere = async () => (await there.bank.control("GET", "/payouts?limit=100")).items;

test("a charge goes past it to the bank that issues them, and is refused where there is no such bank", async () => {
  const { client, accountId } = await merchantThere(false);
  const charge = await client.post<{ id: string }>("/pix", { amount: 50, description: "Pedido 1042" });
  assert.equal(charge.status, 201, charge.text);
  const { rows } = await ctx().db.query<{ institutionId: string; routing: unknown }>(sql`
    select institution_id as "institutionId", routing from charges where charge_id = ${charge.body.id}`);
  assert.notEqual(rows[0]?.institutionId, there.institutionId);
  assert.ok(!JSON.stringify(rows[0]).includes(there.institutionId), "it is no institution that was passed over");
  const alone = await merchantThere(true);
  const refused = await alone.client.post("/pix", { amount: 50, description: "Pedido 1043" });
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /NOT_SUPPORTED_BY_INSTITUTION/);
  const none = await ctx().db.query(sql`select from charges where account_id = ${alone.accountId}`);
  assert.equal(none.rows.length, 0);
  assert.ok(accountId !== alone.accountId);
});

test("an order about no payment blocks money at the bank that receives, also where another one comes first", async () => {
  const merchant = await merchantThere(false);
  await give(there.gateway, merchant.accountId, 100);
  const path = `/accounts/${merchant.accountId}/balance-blocks`;
  const block = await there.gateway.operator.post<{ id: string }>(path, { amount: 10, blockType: "judicial" });
  assert.equal(block.status, 201, block.text);
  const { rows } = await ctx().db.query<{ institutionId: string }>(sql`
    select institution_id as "institutionId" from balance_blocks where block_id = ${block.body.id}`);
  assert.ok(rows.length === 1 && rows[0]!.institutionId !== there.institutionId);
  const alone = await merchantThere(true);
  await give(there.gateway, alone.accountId, 100);
  const refused = await there.gateway.operator.post(`/accounts/${alone.accountId}/balance-blocks`, {
    ...{ amount: 10, blockType: "judicial" },
  });
  assert.equal(refused.status, 400, refused.text);
  assert.deepEqual(await money(alone), [10_000, 0]);
});

test("a charge is issued in the moment in which the receiving bank is linked beside it", async () => {
  const { client, accountId } = await merchantThere(true);
  const charge = () => client.post("/pix", { amount: 50, description: "Pedido 1044" });
  assert.equal((await charge()).status, 400);
  const receiving = (await ctx().psps.all()).find((one) => one.institutionId !== there.institutionId)!;
  // As another process has just done: this one has read the links less than a second ago.
  await there.gateway.owner.query(sql`
    update account_institutions set enabled = true
    where account_id = ${accountId} and institution_id = ${receiving.institutionId}`);
  const issued = await charge();
  assert.equal(issued.status, 201, issued.text);
});

test("a payout is settled once to the owner of its key, and reported with a signature", async () => {
  const merchant = await merchantThere(true);
  await give(there.gateway, merchant.accountId, 100);
  const { id } = await withdraw(merchant.client);
  await becomes(merchant.client, id, "completed");
  const items = await sentThere();
  assert.deepEqual([items.length, items[0].amountCentavos, items[0].status], [1, 1_000, "REALIZADO"]);
  assert.deepEqual(await money(merchant), [9_000, 0]);
  await eventually("its notification to be applied", async () => {
    const { rows } = await ctx().db.query<{ status: string }>(sql`
      select status from inbox where institution_id = ${there.institutionId} and subject_id = ${items[0].idEnvio}`);
    return rows[0]?.status === "applied";
  });
});

test("a key of somebody else is not paid, and the money is back", async () => {
  const merchant = await merchantThere(true);
  await give(there.gateway, merchant.accountId, 100);
  const before = (await sentThere()).length;
  const reply = await ask(merchant.client, { pixKey: "other-owner@pixgate.test", pixKeyType: "email" });
  assert.equal(reply.status, 201, reply.text);
  await becomes(merchant.client, reply.body.id, "failed");
  assert.equal((await sentThere()).length, before);
  assert.deepEqual(await money(merchant), [10_000, 0]);
});

test("a notification without Stark Bank's signature is dropped", async () => {
  const transfer = { id: "5", externalId: "forged0000000000000000001", status: "success", amount: 1 };
  const body = JSON.stringify({ event: { subscription: "transfer", log: { type: "success", transfer } } });
  for (const signature of [undefined, "", "AAAA", Buffer.alloc(70, 1).toString("base64")]) {
    const headers: Record<string, string> = signature === undefined ? {} : { "digital-signature": signature };
    assert.equal((await fetch(address(), { method: "POST", body, headers })).status, 200);
  }
  const { rows } = await ctx().db.query(sql`
    select from inbox where institution_id = ${there.institutionId} and subject_id = ${transfer.externalId}`);
  assert.equal(rows.length, 0);
});

test("the connection test asks for no charge, and finds the rest", async () => {
  const tested = await there.gateway.operator.post<{ ok: boolean; checks: { name: string; result: string }[] }>(
    `/institutions/${there.institutionId}/test`,
    {},
  );
  assert.equal(tested.status, 200, tested.text);
  const results = Object.fromEntries(tested.body.checks.map(({ name, result }) => [name, result]));
  assert.deepEqual(results, {
    ...{ token: "works", scopes: "not_offered", key: "not_offered", charges: "not_offered" },
    ...{ received: "not_offered", notifications: results.notifications, settings: "not_offered" },
    ...{ balance: "works", payouts: "works", infractions: "not_offered" },
  });
  assert.equal(tested.body.ok, true);
});
