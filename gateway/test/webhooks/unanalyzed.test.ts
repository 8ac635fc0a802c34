/** A burst meets a table that nobody has analyzed yet: a mark still finds its row by a key. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { enqueue } from "./enqueue.ts";

const MANY = 3_000;
/** Rows of the queue that may be read for each delivery: polls and claims skip those that are claimed, at most a few dozen. */
const MOST_READ = 50;

let gateway: TestGateway;
let receiver: Receiver;
before(async () => {
  [gateway, receiver] = await Promise.all([startGateway(), startReceiver()]);
});
after(async () => {
  await gateway.end();
  await receiver.close().catch(() => {});
});

const skip = skippedOnCluster("the coordinator's statistics do not count what its shards read");
test("a burst to one endpoint does not read the whole queue for each delivery that it marks", {
  skip,
}, async () => {
  const { db } = gateway.running.ctx;
  await gateway.owner.query(sql`alter table deliveries set (autovacuum_enabled = off)`);
  const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: receiver.url });
  assert.equal(made.status, 201, made.text);
  await enqueue(db, gateway.sandbox.accountId, [made.body.id], MANY);
  await eventually(
    "all are marked",
    async () => {
      const { rows } = await db.query<{ count: number }>(sql`
        select count(*) from deliveries where account_id = ${gateway.sandbox.accountId} and status = 'delivered'`);
      return rows[0]!.count === MANY;
    },
    60_000,
  );
  // A connection reports all that it has counted at once, some time after: a claim and a mark update each delivery.
  let read = 0;
  await eventually(
    "the connections have reported",
    async () => {
      const { rows } = await gateway.owner.query<{ updated: number; read: number }>(sql`
      select t.n_tup_upd::int as updated, i.idx_tup_read::int as read
      from pg_stat_all_tables t join pg_stat_all_indexes i using (relid)
      where t.relname = 'deliveries' and i.indexrelname = 'deliveries_due'`);
      read = rows[0]!.read;
      return rows[0]!.updated >= 2 * MANY;
    },
    30_000,
  );
  const each = read / MANY;
  assert.ok(each < MOST_READ, `${each} rows of the queue were read for each delivery`);
});
