import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { freshDatabase } from "../../../test/harness/database.ts";
import { skippedOnCluster } from "../../../test/harness/on-cluster.ts";
import { type Db, openDb } from "../pool.ts";
import { ONE_SERVER } from "../shards.ts";
import { sql } from "../sql.ts";
import { distribute } from "./distribute.ts";
import { hashOf } from "./hash.ts";
import { readShards, shardsOf } from "./map.ts";

const SHARDS = [-(2 ** 31), -(2 ** 30), 0, 2 ** 30].map((from, i) => ({
  ...{ shardId: 102_008 + i, from, host: "127.0.0.1", port: 5_432 },
}));

describe("the shards of accounts", () => {
  let db: Db;
  let drop: () => Promise<void>;
  before(async () => {
    const database = await freshDatabase();
    db = openDb({ url: database.url, max: 1, onError: () => {} });
    drop = database.drop;
  });
  after(async () => {
    await db.end();
    await drop();
  });

  test("are chosen by PostgreSQL's own hash", async () => {
    const { rows } = await db.query<{ id: string; hash: number }>(sql`
      select id, uuid_hash(id) as hash from (select md5(n::text)::uuid as id from generate_series(1, 1000) n) u`);
    assert.equal(rows.length, 1_000);
    for (const { id, hash } of rows) assert.equal(hashOf(id), hash, id);
  });

  test("begin at their first hash and end before the next", () => {
    const shards = shardsOf(SHARDS);
    assert.ok(shards.spread);
    for (let n = 0; n < 1_000; n += 1) {
      const id = `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
      const from = SHARDS.findLastIndex((shard) => shard.from <= hashOf(id));
      assert.equal(shards.of(id), from);
    }
    assert.throws(() => hashOf("no uuid"), /only a uuid has a shard/);
  });

  test("are none on a plain PostgreSQL, where nothing is spread", {
    skip: skippedOnCluster("the database is spread"),
  }, async () => {
    assert.deepEqual(await readShards(db), []);
    assert.equal(shardsOf([]), ONE_SERVER);
    assert.equal(await distribute(db, 1), null);
  });
});
