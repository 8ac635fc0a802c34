import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createAccount } from "../../src/accounts/create.ts";
import { verifyBooks } from "../../src/auditor/verify-books.ts";
import { distribute } from "../../src/db/cluster/distribute.ts";
import { readMap } from "../../src/db/cluster/map.ts";
import { fingerprintOf, migrate } from "../../src/db/migrate.ts";
import { type Db, openDb } from "../../src/db/pool.ts";
import { knownShards, type Shards } from "../../src/db/shards.ts";
import { sql } from "../../src/db/sql.ts";
import { createLanes } from "../../src/ledger/lane.ts";
import { createIds } from "../../src/lib/ids.ts";
import { adjustBalance } from "../../src/transfers/adjustments/adjust.ts";
import { on } from "../harness/citus.ts";
import { freshDatabase } from "../harness/database.ts";
import { NEEDS_CLUSTER } from "../harness/on-cluster.ts";

const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
const WORKERS = (process.env.PIXGATE_TEST_WORKERS ?? "").split(" ");
const MIGRATIONS = new URL("../../src/db/migrations/", import.meta.url);
const ACCOUNTS = 12;
/** Centavos. */
const AMOUNT = 100;

test("a database that has rows is spread by migrate as the page says, and money goes on in every account", {
  skip: NEEDS_CLUSTER,
}, async () => {
  const database = await freshDatabase({ empty: true });
  const db = openDb({ url: database.url, max: 4, onError: () => {} });
  let spread: Db | null = null;
  try {
    assert.equal((await migrate(db, () => new Date())).spread, null);
    const accounts = await makeAccounts(db);
    await giveEach(db, accounts);

    await makeCluster(database.url);
    const done = await migrate(db, () => new Date());
    assert.equal(done.spread!.servers, WORKERS.length);
    assert.ok(done.spread!.distributed.length > 30);

    const shards: Shards = await readMap(db);
    assert.ok(new Set(accounts.map((account) => shards.of(account))).size > 1);
    spread = openDb({ url: database.url, max: 4, onError: () => {}, shards: knownShards(shards) });
    await giveEach(spread, accounts);
    const { rows } = await spread.query<{ balance: number }>(sql`
      select balance from ledger_accounts where kind = 'available'`);
    assert.deepEqual(
      rows.map(({ balance }) => balance),
      accounts.map(() => 2 * AMOUNT),
    );
    assert.deepEqual((await verifyBooks(spread)).violations, []);
  } finally {
    await spread?.end();
    await db.end();
    await drop(database);
  }
});

test("a cluster of the first release is upgraded: each later migration runs over spread tables", {
  skip: NEEDS_CLUSTER,
}, async () => {
  const database = await freshDatabase({ empty: true });
  const db = openDb({ url: database.url, max: 4, onError: () => {} });
  try {
    const [first = "", ...later] = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));
    const text = readFileSync(new URL(first, MIGRATIONS), "utf8");
    await on(
      database.url,
      text,
      `create table schema_migrations (
        number integer primary key, name text not null, fingerprint text not null, applied_at timestamptz not null)`,
      `insert into schema_migrations values (1, '${first}', '${fingerprintOf(text)}', now())`,
    );
    await makeCluster(database.url);
    assert.ok((await distribute(db, 1))!.distributed.includes("withdrawals"));
    assert.deepEqual((await migrate(db, () => new Date())).applied, later);
  } finally {
    await db.end();
    await drop(database);
  }
});

/** Makes a cluster of a database and of new ones at the workers. */
async function makeCluster(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  for (const worker of WORKERS) await on(worker, `create database ${pathname.slice(1)}`);
  const there = WORKERS.map((worker) => Object.assign(new URL(worker), { pathname }));
  for (const one of [url, ...there.map(({ href }) => href)]) await on(one, "create extension citus");
  await on(url, `select citus_set_coordinator_host('${hostname}', ${port})`);
  for (const one of there) await on(url, `select citus_add_node('${one.hostname}', ${one.port})`);
}

async function drop(database: Awaited<ReturnType<typeof freshDatabase>>): Promise<void> {
  await database.drop();
  const name = new URL(database.url).pathname.slice(1);
  for (const worker of WORKERS) await on(worker, `drop database if exists ${name} with (force)`);
}

async function makeAccounts(db: Db): Promise<string[]> {
  const accounts = Array.from({ length: ACCOUNTS }, () => ids.uuid());
  for (const accountId of accounts) {
    await db.transaction((tx) =>
      createAccount(tx, {
        ...{ accountId, name: "a test", legalName: null, document: null, isHouse: false, environment: "sandbox" },
        ...{ institutionIds: [], now: new Date() },
      }),
    );
  }
  return accounts;
}

async function giveEach(db: Db, accounts: readonly string[]): Promise<void> {
  const lanes = createLanes({ db, now: () => new Date(), newId: () => ids.uuid() });
  await Promise.all(
    accounts.map((accountId) =>
      lanes.run(adjustBalance, {
        ...{ accountId, walletId: accountId, subAccount: null, adjustmentId: ids.uuid(), actor: "test" },
        ...{ amount: AMOUNT, balance: "available", type: "adjustment", reason: "a test" },
      }),
    ),
  );
}
