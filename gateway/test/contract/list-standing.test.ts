/** `GET /transactions?standing=`: completed payments by what became of their money, each in one list. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { everyPage, give, newMerchant } from "./money.ts";
import { pay, refundIs, refundManually, settleRefund } from "./payments.ts";
import { assertInvalid } from "./refusal.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const idsOf = async (client: Client, query: string): Promise<string[]> =>
  (await everyPage<{ id: string }>(client, `/transactions?limit=2&${query}`)).map(({ id }) => id);

async function listed(client: Client) {
  const of = (standing: string) => idsOf(client, `standing=${standing}`);
  return { kept: await of("kept"), disputed: await of("disputed"), returned: await of("returned") };
}

async function block(client: Client, transactionId: string): Promise<string> {
  const reply = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}
const resolve = async (client: Client, id: string, outcome: string) =>
  assert.equal((await client.post(`/sandbox/balance-blocks/${id}/resolve`, { outcome })).status, 200);

test("lists each completed payment as kept, disputed or returned, and follows what becomes of it", async () => {
  const { client, accountId } = await newMerchant(gateway, ["loja"]);
  await give(gateway, accountId, 500);
  await client.post("/pix", { amount: 40, description: "unpaid" });
  const plain = await pay(client, 10);
  const refunded = await pay(client, 20);
  const disputed = await pay(client, 30);
  const shop = await pay(client, 15, {}, "loja");
  await refundManually(client, refunded.id);
  const held = await block(client, disputed.id);
  // A refund that is on its way is no longer kept.
  const expected = { kept: [plain.id], disputed: [disputed.id], returned: [refunded.id] };
  assert.deepEqual(await listed(client), expected);
  assert.deepEqual(await idsOf(client, "standing=kept&subAccount=*"), [shop.id, plain.id]);
  assert.deepEqual(await idsOf(client, "standing=disputed&minAmount=31"), []);
  assert.deepEqual(await idsOf(client, "standing=disputed&type=withdrawal"), []);
  assert.deepEqual(await idsOf(client, "standing=kept&status=pending"), []);

  await settleRefund(client, refunded.id, "fail");
  await refundIs(client, refunded.id, "ERROR");
  assert.deepEqual((await listed(client)).returned, []);
  await client.post(`/transactions/${refunded.id}/refund`, { amount: 5 });
  await refundIs(client, refunded.id, "CONFIRMED");
  assert.deepEqual(await listed(client), expected);

  // A dispute that the account loses takes the money; one that it wins leaves it.
  await resolve(client, held, "approved");
  assert.deepEqual(await listed(client), { ...expected, disputed: [], returned: [disputed.id, refunded.id] });
  const won = await block(client, plain.id);
  assert.deepEqual((await listed(client)).disputed, [plain.id]);
  await resolve(client, won, "rejected");
  assert.deepEqual((await listed(client)).kept, [plain.id]);

  assert.deepEqual(await listed((await newMerchant(gateway)).client), { kept: [], disputed: [], returned: [] });
  assertInvalid(await client.get("/transactions?standing=lost"), ["standing"]);
});
