/** What an endpoint may receive at once does not depend on how fast our database stores what it has received. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { enqueue } from "./enqueue.ts";

/** More than the slots that an endpoint ever has. */
const MANY = 60;

let gateway: TestGateway;
let receiver: Receiver;
before(async () => {
  [gateway, receiver] = await Promise.all([startGateway(), startReceiver()]);
});
after(async () => {
  await gateway.end();
  await receiver.close().catch(() => {});
});

const skip = skippedOnCluster("a lock of the table at the coordinator keeps no writer from its shards");
test("an endpoint receives on while marks wait for the database, and each delivery is marked once it answers", {
  skip,
}, async () => {
  const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: receiver.url });
  assert.equal(made.status, 201, made.text);
  const { db, hints } = gateway.running.ctx;
  const { accountId } = gateway.sandbox;
  const marked = async () => {
    const { rows } = await db.query<{ count: number }>(sql`
      select count(*) from deliveries where account_id = ${accountId} and endpoint_id = ${made.body.id} and status = 'delivered'`);
    return rows[0]!.count;
  };
  await db.transaction(async (tx) => {
    await tx.query(sql`lock table delivery_attempts in share mode`);
    await enqueue(db, accountId, [made.body.id], MANY);
    hints.wake("deliver");
    await eventually("all have come", () => receiver.received.length >= MANY);
    assert.equal(await marked(), 0);
  });
  await eventually("all are marked", async () => (await marked()) === MANY);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, MANY);
});
