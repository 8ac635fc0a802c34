import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { joinServers, makeServer, on, type Server } from "../harness/citus.ts";
import { ON_CLUSTER } from "../harness/on-cluster.ts";
import { asOwner, assertBookedOnce, assertKept, digestsOf } from "./books.ts";
import { DATABASE, makeDatabase, openSite } from "./site.ts";
import { newPeople, startTraffic } from "./traffic.ts";

const bin = (ON_CLUSTER && process.env.PIXGATE_CITUS_BIN) || "";
const skip = bin === "" && "makes servers of the programs in PIXGATE_CITUS_BIN";
const PEOPLE = 6;
/** How often each of them sells and withdraws before the steps, and after them. */
const ROUNDS = 4;

test("one PostgreSQL under load becomes a cluster by the steps of the page, and nothing that was answered is lost", {
  skip,
  timeout: 400_000,
}, async (t) => {
  const site = await openSite();
  const servers: Server[] = [];
  const add = async (name: string, settings: Readonly<Record<string, string>>) => {
    const server = await makeServer(bin, join(site.folder, name), settings);
    servers.push(server);
    await server.start();
    return server;
  };
  try {
    const single = await add("single", { shared_preload_libraries: "", wal_level: "replica" });
    await makeDatabase(single);
    await site.pixgate(single, "migrate");
    await site.start(single);
    const people = await newPeople(site, PEOPLE);
    const traffic = startTraffic(site, people);
    try {
      await traffic.stage(ROUNDS);

      const began = performance.now();
      await site.stop();
      await on(single.url("postgres"), `create database a_backup template ${DATABASE}`);
      // What was answered just before the gateways ended has been read by now.
      const before = traffic.answered.length;
      await single.stop();
      single.change({ shared_preload_libraries: "citus", wal_level: "logical", "citus.shard_count": "4" });
      await single.start();
      const workers = [await add("worker-1", {}), await add("worker-2", {})];
      for (const worker of workers) await on(worker.url("postgres"), `create database ${DATABASE}`);
      await joinServers(DATABASE, single, workers);
      assert.match(await site.pixgate(single, "migrate"), /spread/);
      assert.deepEqual(await digestsOf(single), await digestsOf(single, "a_backup"));
      await site.pixgate(single, "verify");
      assert.equal(traffic.answered.length, before, "nobody was answered meanwhile");
      await site.start(single);
      t.diagnostic(`${Math.round((performance.now() - began) / 1000)} s without a gateway, after ${before} answers`);

      await traffic.stage(ROUNDS);
      await traffic.end();
    } finally {
      traffic.abandon();
    }
    await assertBookedOnce(single);
    await assertKept(single, traffic.answered);
    const { rows } = await asOwner(single, (db) =>
      db.query<{ shards: number }>(sql`
        select count(distinct get_shard_id_for_distribution_column('accounts', account_id)) as shards
        from (select distinct account_id from charges) c`),
    );
    assert.ok(rows[0]!.shards > 1);
    await site.pixgate(single, "verify");
    await site.stop();
  } finally {
    await site.close(servers);
  }
});
