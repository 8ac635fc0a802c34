import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import type { Client } from "../harness/client.ts";
import { IN_THIS_DATABASE } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startBeside } from "../harness/process.ts";

type Charge = { id: string };
type Code = { details: { code: string } };

describe("Idempotency-Key", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());

  const chargesAtPsp = async () =>
    (await gateway.simulator.get<{ charges: { total: number } }>("/state")).body.charges.total;
  const create = (key: string, body: unknown, client: Client = gateway.merchant) =>
    client.post<Charge & Code>("/pix", body, { headers: { "idempotency-key": key } });

  test("64 calls at once with one key make one charge and get the same bytes", { rules: ["call.key"] }, async () => {
    const before = await chargesAtPsp();
    const replies = await Promise.all(
      Array.from({ length: 64 }, () => create("storm-one-key", { amount: 7, description: "x" })),
    );
    assert.deepEqual([...new Set(replies.map((r) => r.status))], [201]);
    assert.equal(new Set(replies.map((r) => r.text)).size, 1);
    assert.equal(replies.filter((r) => r.headers.get("idempotent-replayed") === "true").length, 63);
    assert.equal(await chargesAtPsp(), before + 1);
  });

  test("64 calls with one key through two processes on one database make one charge", async () => {
    const second = await startBeside(gateway);
    try {
      const other = await second.client(gateway.sandbox);
      const before = await chargesAtPsp();
      const replies = await Promise.all(
        Array.from({ length: 64 }, (_, i) =>
          create("storm-two-processes", { amount: 7, description: "x" }, i % 2 ? other : gateway.merchant),
        ),
      );
      assert.deepEqual([...new Set(replies.map((r) => r.status))], [201]);
      assert.equal(new Set(replies.map((r) => r.text)).size, 1);
      assert.equal(await chargesAtPsp(), before + 1);
    } finally {
      await second.stop();
    }
  });

  test("the order of keys does not matter; another value is refused with 422 and makes nothing", {
    rules: ["call.key", "call.key.other-body", "error.422"],
  }, async () => {
    const first = await create("order-of-keys", { amount: 3, description: "d", metadata: { a: 1, b: [1, 2] } });
    const reordered = await create("order-of-keys", { metadata: { b: [1, 2], a: 1 }, description: "d", amount: 3 });
    assert.equal(reordered.text, first.text);
    const before = await chargesAtPsp();
    const other = await create("order-of-keys", { amount: 3.01, description: "d", metadata: { a: 1, b: [1, 2] } });
    assert.equal(other.status, 422);
    assert.equal(other.body.details.code, "IDEMPOTENCY_KEY_REUSED");
    assert.equal(await chargesAtPsp(), before);
  });

  test("the key is compared before the body is validated", async () => {
    await create("compare-first", { amount: 3, description: "d" });
    const invalid = await create("compare-first", { amount: -3 });
    assert.equal(invalid.status, 422);
  });

  test("a refused call leaves its key free", async () => {
    const refused = await create("free-again", { amount: 0.5, description: "too little" });
    assert.equal(refused.status, 400);
    const accepted = await create("free-again", { amount: 5, description: "enough" });
    assert.equal(accepted.status, 201);
  });

  test("a key has 8 to 255 visible ASCII characters", { rules: ["limit.key", "call.key"] }, async () => {
    for (const key of ["1234567", "x".repeat(256), "with space", "tab\there12"]) {
      const reply = await create(key, { amount: 5, description: "d" });
      assert.equal(reply.status, 400, key);
    }
    for (const key of ["12345678", "~".repeat(255)]) {
      assert.equal((await create(key, { amount: 5, description: "d" })).status, 201);
    }
  });

  test("a sandbox call under a key acts once and repeats its answer", async () => {
    const { body } = await create("to-be-paid-1", { amount: 5, description: "d" });
    const headers = { "idempotency-key": "pay-it-once" };
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => gateway.merchant.post(`/sandbox/pix/${body.id}/pay`, undefined, { headers })),
    );
    assert.deepEqual([...new Set(replies.map((r) => r.status))], [200]);
    assert.equal(new Set(replies.map((r) => r.text)).size, 1);
  });

  test("a secret shown once is left out of a replay", async () => {
    const headers = { "idempotency-key": "endpoint-once" };
    const body = { url: "http://127.0.0.1:9/hook" };
    const first = await gateway.merchant.post("/webhook-endpoints", body, { headers });
    const again = await gateway.merchant.post("/webhook-endpoints", body, { headers });
    assert.match(first.body.secret as string, /^whsec_/);
    assert.equal(again.body.id, first.body.id);
    assert.equal("secret" in again.body, false);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  });

  test("a call whose database connection dies is answered as one to repeat, and the repeat acts once", async () => {
    const headers = { "idempotency-key": "lost-under-way" };
    const create = () => gateway.merchant.post("/webhook-endpoints", { url: "http://127.0.0.1:9/lost" }, { headers });
    const lost = await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`lock table webhook_endpoints in exclusive mode`);
      const answer = create();
      const pid = await eventually("the call waits for the table", async () => {
        const { rows } = await tx.query<{ pid: number }>(
          sql`select pid from pg_locks
            where relation = 'webhook_endpoints'::regclass and not granted and ${IN_THIS_DATABASE}`,
        );
        return rows[0]?.pid;
      });
      await tx.query(sql`select pg_terminate_backend(${pid}::int)`);
      return answer;
    });
    assert.equal(lost.status, 503);
    assert.equal((lost.body as Code).details.code, "DATABASE_UNAVAILABLE");
    assert.equal((lost.body as { details: { retryable?: boolean } }).details.retryable, true);
    assert.equal(lost.headers.get("retry-after"), "1");
    assert.equal((await create()).status, 201);
    const { rows } = await gateway.owner.query(sql`select url from webhook_endpoints where url like '%/lost'`);
    assert.equal(rows.length, 1);
  });
});
