import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readShards, shardsOf } from "../src/db/cluster/map.ts";
import { migrate } from "../src/db/migrate.ts";
import { sql } from "../src/db/sql.ts";
import { eventually } from "./harness/eventually.ts";
import { startGateway, type TestGateway } from "./harness/gateway.ts";

/** Set by `npm run test:cluster`, whose global set-up has started a coordinator and two workers. */
const skip = process.env.PIXGATE_TEST_CLUSTER ? false : "needs a cluster: npm run test:cluster";

describe("on a Citus cluster", { skip }, () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  test("every table is spread: those of accounts beside each other, shared ones on every server", async () => {
    const { rows } = await gateway.owner.query<{
      name: string;
      method: string;
      column: string | null;
      group: number;
    }>(sql`
      select c.relname as name, d.partmethod as method, d.colocationid as "group",
        column_to_column_name(d.logicalrelid, d.partkey) as column
      from pg_class c left join pg_dist_partition d on d.logicalrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'`);
    const spread = rows.filter((row) => row.column !== null);
    assert.ok(spread.length > 30);
    assert.equal(new Set(spread.map((row) => row.group)).size, 1);
    assert.deepEqual(
      spread.filter((row) => row.column !== "account_id" || row.method !== "h"),
      [],
    );
    assert.deepEqual(
      rows.filter((row) => row.column === null && row.method !== "n"),
      [],
    );
  });

  test("migrating again changes nothing", async () => {
    assert.deepEqual(await migrate(gateway.owner, () => new Date()), {
      ...{ applied: [], role: "unchanged" },
      spread: { servers: 2, distributed: [], copied: [] },
    });
  });

  test("an account lies in the shard that this program computes", async () => {
    const shards = await readShards(gateway.owner);
    const { of } = shardsOf(shards);
    const { rows } = await gateway.owner.query<{ id: string; shard: number }>(sql`
      select id, get_shard_id_for_distribution_column('accounts', id) as shard
      from (select md5(n::text)::uuid as id from generate_series(1, 500) n) u`);
    for (const { id, shard } of rows) assert.equal(shards[of(id)]!.shardId, shard, id);
  });

  test("a charge is made and paid, and its money is booked once", async () => {
    const made = await gateway.merchant.post("/pix", { amount: 12.34, description: "on a cluster" });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { id } = made.body as { id: string };
    const before = await booked(gateway);
    await gateway.merchant.post(`/sandbox/pix/${id}/pay`, {});
    await eventually("the charge to be completed", async () => {
      const { body } = await gateway.merchant.get(`/transactions/${id}`);
      return (body as { status: string }).status === "completed";
    });
    assert.equal(await booked(gateway), before + 1_234);
    const { rows } = await gateway.owner.query<{ transfers: number; credited: number }>(sql`
      select count(*) as transfers, count(*) filter (where kind = 'charge_paid') as credited
      from ledger_transfers where source_id = ${id}`);
    assert.deepEqual(rows, [{ transfers: rows[0]!.transfers, credited: 1 }]);
  });
});

/** What payers of charges have paid by the ledger, centavos. */
async function booked({ owner }: TestGateway): Promise<number> {
  const { rows } = await owner.query<{ gross: number }>(
    sql`select coalesce(sum(amount), 0)::bigint as gross from ledger_transfers where kind = 'charge_paid'`,
  );
  return rows[0]!.gross;
}
