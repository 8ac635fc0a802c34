/** What the sandbox lets the simulator's payer do to a charge that has ended, and without a name. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { balancesOf, newMerchant } from "./contract/money.ts";
import { returnsAtPsp } from "./contract/payments.ts";
import type { Client } from "./harness/client.ts";
import { eventually } from "./harness/eventually.ts";
import { startGateway, type TestGateway } from "./harness/gateway.ts";

type Transaction = { id: string; status: string; e2eId?: string; blockedDeposit: unknown } & Record<string, unknown>;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});

async function charge(client: Client, end?: "expire" | "cancel"): Promise<string> {
  const made = await client.post<{ id: string }>("/pix", { amount: 20, description: "d" });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  if (end !== undefined) {
    const ended = await client.post(end === "expire" ? `/sandbox/pix/${id}/expire` : `/pix/${id}/cancel`);
    assert.deepEqual([ended.status, ended.body.status], [200, "cancelled"], ended.text);
  }
  return id;
}

async function pay(client: Client, id: string, body?: Record<string, unknown>): Promise<Transaction> {
  const paid = await client.post<Transaction>(`/sandbox/pix/${id}/pay`, body);
  assert.equal(paid.status, 200, paid.text);
  return paid.body;
}

describe("POST /sandbox/pix/{id}/pay", () => {
  for (const end of ["expire", "cancel"] as const) {
    test(`on a charge after ${end} is a late payment, which the account's policy credits`, async () => {
      const { client } = await newMerchant(gateway);
      const paid = await pay(client, await charge(client, end));
      assert.deepEqual([paid.status, paid.paidAfterExpiry, paid.blockedDeposit], ["completed", true, null]);
      assert.equal((await balancesOf(client)).available, 2_000);
    });
  }

  test("late, where the policy returns late payments, credits nothing and is given back", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const changed = await gateway.operator.patch(`/accounts/${accountId}`, { policies: { latePayments: "return" } });
    assert.equal(changed.status, 200, changed.text);
    const id = await charge(client, "expire");
    const paid = await pay(client, id);
    assert.equal(paid.status, "failed");
    assert.equal("paidAfterExpiry" in paid, false, "it was not credited");
    assert.equal((paid.blockedDeposit as { reason: string }).reason, "late_payment");
    assert.equal((await balancesOf(client)).total, 0);
  });

  test("on a charge that is paid is a second payment, which goes back and changes no balance", async () => {
    const { client } = await newMerchant(gateway);
    const id = await charge(client);
    const first = await pay(client, id);
    const again = await pay(client, id);
    assert.deepEqual([again.id, again.status, again.e2eId], [id, "completed", first.e2eId]);
    assert.equal((await balancesOf(client)).available, 2_000);
    await eventually(
      "the second payment to be returned",
      async () => (await returnsAtPsp(gateway, id)).length > 0 || null,
    );
  });

  test("with a null payer is paid by somebody whom the bank does not name", async () => {
    const { client } = await newMerchant(gateway);
    const paid = await pay(client, await charge(client), { payer: null });
    assert.equal(paid.status, "completed");
    assert.equal("counterpartName" in paid || "counterpartDocument" in paid || "customerId" in paid, false);
  });
});
