/** Charges are made on tables that nobody has analyzed yet, as on a new installation: an answer still finds its charge by its key. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";

const MANY = 2_400;
const AT_ONCE = 40;
/** Rows that an index of the charges may show for each: its own few, and not those of the whole account. */
const MOST_READ = 10;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const skip = skippedOnCluster("the coordinator's statistics do not count what its shards read");
test("to store the answer of a charge with a key reads no other charge of its account", { skip }, async () => {
  await gateway.owner.query(sql`alter table charges set (autovacuum_enabled = off)`);
  await gateway.owner.query(sql`alter table idempotency_keys set (autovacuum_enabled = off)`);
  for (let from = 0; from < MANY; from += AT_ONCE) {
    const made = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        gateway.merchant.post(
          "/pix",
          { amount: 10, description: "order" },
          { headers: { "idempotency-key": `unanalyzed-${from + i}` } },
        ),
      ),
    );
    assert.deepEqual([...new Set(made.map(({ status }) => status))], [201]);
  }
  let read = 0;
  // A connection reports all that it has counted at once, some time after.
  await eventually("the connections have reported", async () => {
    const { rows } = await gateway.owner.query<{ inserted: number; updated: number; read: number }>(sql`
      select t.n_tup_ins::int as inserted, t.n_tup_upd::int as updated, i.idx_tup_read::int as read
      from pg_stat_all_tables t join pg_stat_all_indexes i using (relid)
      where t.relname = 'charges' and i.indexrelname = 'charges_pkey'`);
    read = rows[0]!.read;
    return rows[0]!.inserted >= MANY && rows[0]!.updated >= MANY;
  });
  const each = read / MANY;
  assert.ok(each < MOST_READ, `${each} charges were read for each`);
});
