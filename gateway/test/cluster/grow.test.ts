import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { makeServer, on, type Server, startCluster } from "../harness/citus.ts";
import { ON_CLUSTER } from "../harness/on-cluster.ts";
import { assertBookedOnce, assertKept } from "./books.ts";
import { DATABASE, makeDatabase, openSite } from "./site.ts";
import { newPeople, startTraffic } from "./traffic.ts";

const bin = (ON_CLUSTER && process.env.PIXGATE_CITUS_BIN) || "";
const skip = bin === "" && "makes servers of the programs in PIXGATE_CITUS_BIN";
const PEOPLE = 6;
/** How often each of them sells and withdraws before the server is added, while accounts move to it, and after that. */
const ROUNDS = 2;
const SHARDS = 4;

test("a server that is added under load gets half of the shards, and nothing that was answered is lost", {
  skip,
  timeout: 400_000,
}, async (t) => {
  const site = await openSite();
  const servers: Server[] = [];
  try {
    const settings = { "citus.shard_count": String(SHARDS) };
    const cluster = await startCluster({ bin, folder: site.folder, workers: 1, settings });
    const { coordinator } = cluster;
    servers.push(coordinator, ...cluster.workers);
    for (const server of servers) await on(server.url("postgres"), "create role pixgate_gateway login");
    await cluster.createDatabase(DATABASE);
    await site.pixgate(coordinator, "migrate");
    await site.start(coordinator);
    const people = await newPeople(site, PEOPLE);
    const traffic = startTraffic(site, people);
    try {
      await traffic.stage(ROUNDS);
      const before = traffic.answered.length;

      const added = await makeServer(bin, join(site.folder, "added"), settings);
      servers.push(added);
      await added.start();
      await makeDatabase(added);
      await on(added.url(DATABASE), "create extension citus");
      const began = performance.now();
      await on(
        coordinator.url(DATABASE),
        `select citus_add_node('${added.host}', ${added.port})`,
        "select citus_rebalance_start()",
        "select citus_rebalance_wait()",
      );
      const seconds = Math.round((performance.now() - began) / 1000);
      t.diagnostic(`${traffic.answered.length - before} answers in the ${seconds} s in which shards moved`);
      assert.ok(traffic.answered.length > before, "people were answered meanwhile");

      await traffic.stage(ROUNDS);
      await traffic.end();
    } finally {
      traffic.abandon();
    }
    const placed = await on(
      coordinator.url(DATABASE),
      `select count(*)::int as shards from pg_dist_placement p join pg_dist_shard s using (shardid)
       where s.logicalrelid = 'accounts'::regclass group by p.groupid`,
    );
    assert.deepEqual(placed, [{ shards: SHARDS / 2 }, { shards: SHARDS / 2 }]);
    await assertBookedOnce(coordinator);
    await assertKept(coordinator, traffic.answered);
    await site.pixgate(coordinator, "verify");
    await site.stop();
  } finally {
    await site.close(servers);
  }
});
