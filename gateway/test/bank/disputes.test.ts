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
  after(() => gateway.end());
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

  test("are listed by deadline, page for page: the nearest first, those without one last, each once", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const ids: string[] = [];
    for (let i = 0; i < 25; i += 1) {
      const { id } = await pay(client, 10);
      const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: id });
      assert.equal(block.status, 201, block.text);
      ids.push(block.body.id);
    }
    const day = 86_400_000;
    // Out of the order in which they were made; two have the same deadline, one has passed, one is an order without any.
    const days = ids.map((_, i) => (i === 3 ? null : i === 4 ? -1 : i === 5 ? 7 : ((i * 7) % 25) + 1));
    const began = Date.now();
    for (const [i, at] of days.entries()) {
      const due = at === null ? null : new Date(began + at * day);
      await gateway.owner.query(sql`update balance_blocks set respond_by = ${due} where block_id = ${ids[i]}`);
    }
    const { rows } = await gateway.owner.query<{ id: string }>(sql`
      select block_id as id from balance_blocks where account_id = ${accountId} order by respond_by nulls last, block_id`);
    const expected = rows.map(({ id }) => id);
    assert.equal(expected.length, 25);
    for (const limit of [1, 7, 24, 100]) {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await list(
          `?accountId=${accountId}&order=deadline&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
        );
        found.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(found, expected, `pages of ${limit}`);
    }
    const now = new Date().toISOString();
    const open = await list(`?accountId=${accountId}&order=deadline&respondAfter=${now}&limit=1`);
    assert.equal(open.items[0]!.id, expected[1], "the first whose deadline has not passed");
    const newest = await list(`?accountId=${accountId}&limit=100`);
    assert.deepEqual(
      newest.items.map(({ id }) => id),
      ids.toReversed(),
    );
    const first = await list(`?accountId=${accountId}&order=deadline&limit=1`);
    assertRefused(
      await gateway.operator.get(`/balance-blocks?limit=1&cursor=${first.nextCursor}`),
      400,
      "VALIDATION_ERROR",
    );
    assertRefused(await gateway.operator.get("/balance-blocks?order=oldest"), 400, "VALIDATION_ERROR");
  });

  test("and the treasury's entries refuse a cursor whose time PostgreSQL does not take", async () => {
    const id = "01a20e0d-b06c-7138-b011-d89d5c379041";
    const [ms, written] = [
      [9e15, 8.7e15, -8e15, Date.UTC(10_000, 0), -1],
      ["1", "2026", "+275760-01-01T00:00:00.000Z", "Nov 28"],
    ];
    const lists = [
      ["/balance-blocks?", "all balance blocks", ms],
      ["/balance-blocks?order=deadline&", "all balance blocks by deadline", ms],
      ["/treasury?", "treasury", written],
    ] as const;
    for (const [path, list, times] of lists) {
      for (const at of times) {
        const made = Buffer.from(JSON.stringify([list, at, id])).toString("base64url");
        assertRefused(await gateway.operator.get(`${path}cursor=${made}`), 400, "VALIDATION_ERROR");
      }
    }
  });

  test("are for roles that read what concerns payers, and refuse what they do not know", async () => {
    assertRefused(await gateway.operator.get("/balance-blocks?state=open"), 400, "VALIDATION_ERROR");
    const token = await gateway.operator.post<{ token: string }>("/tokens", { name: "desk", role: "support" });
    const desk = new Client(gateway.sandbox.operatorUrl).withToken(token.body.token);
    assertRefused(await desk.get("/balance-blocks"), 403, "PERMISSION_DENIED");
  });
});
