import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { makeServer, on, type Server, startCluster } from "../harness/citus.ts";
import { eventually } from "../harness/eventually.ts";
import { ON_CLUSTER } from "../harness/on-cluster.ts";
import { assertBookedOnce, assertKept, missing } from "./books.ts";
import { endRestore } from "./end-restore.ts";
import { DATABASE, openSite } from "./site.ts";
import { newPeople, startTraffic } from "./traffic.ts";

const bin = (ON_CLUSTER && process.env.PIXGATE_CITUS_BIN) || "";
const skip = bin === "" && "makes servers of the programs in PIXGATE_CITUS_BIN";
const PEOPLE = 6;
/** How often each of them sells and withdraws between two steps. */
const ROUNDS = 2;
/** The name of the moment that is restored. */
const POINT = "tried";
const ARCHIVE = "mkdir -p ../archive && cp %p ../archive/%f.new && mv ../archive/%f.new ../archive/%f";

test("a cluster that was lost under load is restored to a named moment, and what was answered before it is there", {
  skip,
  timeout: 400_000,
}, async (t) => {
  const site = await openSite();
  const servers: Server[] = [];
  try {
    const settings = {
      ...{ archive_mode: "on", archive_command: ARCHIVE },
      ...{ "citus.shard_count": "4", "citus.recover_2pc_interval": "1s" },
    };
    const lost = await startCluster({ bin, folder: site.folder, settings });
    const old = [lost.coordinator, ...lost.workers];
    servers.push(...old);
    for (const server of old) await on(server.url("postgres"), "create role pixgate_gateway login");
    await lost.createDatabase(DATABASE);
    await site.pixgate(lost.coordinator, "migrate");
    await site.start(lost.coordinator);
    const people = await newPeople(site, PEOPLE);
    const traffic = startTraffic(site, people);
    const restored: Server[] = [];
    let before: number;
    try {
      await traffic.stage(ROUNDS);
      for (const [index, server] of old.entries()) restored.push(await backUp(bin, site.folder, index, server));
      await traffic.stage(ROUNDS);
      before = traffic.answered.length;
      await on(lost.coordinator.url(DATABASE), `select citus_create_restore_point('${POINT}')`);
      for (const server of old) await archive(server);
      await traffic.stage(ROUNDS);
      await traffic.end();
    } finally {
      traffic.abandon();
    }
    await site.kill();
    for (const server of old) await server.kill();

    const [coordinator] = restored as [Server];
    servers.push(...restored);
    for (const server of restored) await restore(server);
    for (const [index, server] of restored.entries()) {
      const move = `select citus_update_node(nodeid, '127.0.0.1', ${server.port})`;
      await on(coordinator.url(DATABASE), `${move} from pg_dist_node where nodeport = ${old[index]!.port}`);
    }
    // Until then the workers refuse statements about shared tables: "is a metadata node, but is out of sync".
    await eventually(
      "the workers to know the new addresses",
      async () => {
        const asked = "select bool_and(metadatasynced) as synced from pg_dist_node where hasmetadata";
        return (await on(coordinator.url(DATABASE), asked))[0]!.synced === true;
      },
      120_000,
    );
    await on(coordinator.url(DATABASE), "select recover_prepared_transactions()");
    await site.pixgate(coordinator, "verify");
    await assertKept(coordinator, traffic.answered.slice(0, before));
    const after = await missing(coordinator, traffic.answered.slice(before));
    assert.ok(after.length >= PEOPLE, "what came after the moment is not there");
    t.diagnostic(`${before} answers kept, ${after.length} of the ${traffic.answered.length - before} after it gone`);

    await site.start(coordinator);
    await endRestore(site);
    const again = startTraffic(site, people);
    await again.stage(ROUNDS).finally(() => again.end());
    await assertBookedOnce(coordinator);
    await assertKept(coordinator, [...traffic.answered.slice(0, before), ...again.answered]);
    await site.pixgate(coordinator, "verify");
    await site.stop();
  } finally {
    await site.close(servers);
  }
});

/** Takes a base backup of a server, from which another starts that reads the first one's archive up to the moment. */
const backUp = (bin: string, folder: string, index: number, server: Server): Promise<Server> =>
  makeServer(
    bin,
    join(folder, `restored-${index}`),
    {
      ...{ archive_mode: "off", restore_command: `cp ${server.folder}/archive/%f %p` },
      ...{ recovery_target_name: POINT, recovery_target_action: "promote" },
    },
    server,
  );

/** Waits until the log up to now, with the moment's name in it, is in the archive. */
async function archive(server: Server): Promise<void> {
  const [found] = await on(server.url("postgres"), "select pg_walfile_name(pg_switch_wal()) as file");
  await eventually(`${String(found!.file)} in the archive`, async () => {
    const [state] = await on(server.url("postgres"), "select last_archived_wal as last from pg_stat_archiver");
    return String(state!.last) >= String(found!.file);
  });
}

async function restore(server: Server): Promise<void> {
  server.recover();
  await server.start();
  await eventually("the moment to be reached", async () => {
    const [state] = await on(server.url("postgres"), "select pg_is_in_recovery() as reading");
    return state!.reading === false;
  });
}
