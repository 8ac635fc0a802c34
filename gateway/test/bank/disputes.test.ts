/** The operator's view of the disputes of all accounts, and what tells of their deadlines. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { assertRefused } from "../contract/refusal.ts";
import { notAt } from "../harness/bank.ts";
import { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Shown = { id: string; accountId: string; accountName: string; status: string; respondBy?: string; amount: number };
type Page = { items: Shown[]; nextCursor: string | null };

describe("The disputes of all accounts", notAt("api-pix", "it has no MED cases"), () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.verify();
    await gateway.stop();
  });
  const list = async (query = ""): Promise<Page> => {
    const reply = await gateway.operator.get<Page>(`/balance-blocks${query}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const metric = async (name: string): Promise<number | null> => {
    const text = await (await fetch(`${gateway.running.url}/metrics`)).text();
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1];
    return value === undefined ? null : Number(value);
  };

  test("are listed with their merchants and deadlines, and the first deadline is a metric until it is answered", async () => {
    assert.deepEqual(
      [await metric("pixgate_disputes_unanswered"), await metric("pixgate_dispute_deadline_seconds")],
      [0, null],
    );
    const made: { id: string; accountId: string }[] = [];
    for (let i = 0; i < 2; i += 1) {
      const { accountId, client } = await newMerchant(gateway);
      const payment = await pay(client, 100);
      const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: payment.id });
      assert.equal(block.status, 201, block.text);
      made.push({ id: block.body.id, accountId });
    }
    const [first, second] = made as [(typeof made)[0], (typeof made)[0]];
    const all = await list();
    assert.deepEqual(
      all.items.map(({ id, accountId, status, amount }) => ({ id, accountId, status, amount })),
      [second, first].map((one) => ({ ...one, status: "awaiting_response", amount: 100 })),
    );
    assert.ok(all.items.every(({ respondBy, accountName }) => respondBy !== undefined && accountName !== ""));
    const page = await list("?limit=1");
    assert.deepEqual(
      (await list(`?limit=1&cursor=${page.nextCursor}`)).items.map(({ id }) => id),
      [first.id],
    );
    assert.deepEqual(
      (await list(`?accountId=${first.accountId}`)).items.map(({ id }) => id),
      [first.id],
    );

    // One answer is due tomorrow.
    const due = new Date(Date.now() + 86_400_000);
    await gateway.owner.query(sql`update balance_blocks set respond_by = ${due} where block_id = ${first.id}`);
    const soon = new Date(Date.now() + 2 * 86_400_000).toISOString();
    assert.deepEqual(
      (await list(`?respondBefore=${soon}`)).items.map(({ id }) => id),
      [first.id],
    );
    assert.equal(await metric("pixgate_disputes_unanswered"), 2);
    const left = (await metric("pixgate_dispute_deadline_seconds"))!;
    assert.ok(left > 86_300 && left <= 86_400, String(left));

    await gateway.operator.post(`/accounts/${first.accountId}/balance-blocks/${first.id}/resolve`, {
      outcome: "rejected",
    });
    assert.equal(await metric("pixgate_disputes_unanswered"), 1);
    assert.deepEqual(
      (await list("?open=true")).items.map(({ id }) => id),
      [second.id],
    );
    assert.deepEqual(
      (await list("?open=false")).items.map(({ id }) => id),
      [first.id],
    );
  });

  test("are for roles that read what concerns payers, and refuse what they do not know", async () => {
    assertRefused(await gateway.operator.get("/balance-blocks?state=open"), 400, "VALIDATION_ERROR");
    const token = await gateway.operator.post<{ token: string }>("/tokens", { name: "desk", role: "support" });
    const desk = new Client(gateway.sandbox.operatorUrl).withToken(token.body.token);
    assertRefused(await desk.get("/balance-blocks"), 403, "PERMISSION_DENIED");
  });
});
