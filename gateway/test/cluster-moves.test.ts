import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readMap } from "../src/db/cluster/map.ts";
import { type Db, openDb } from "../src/db/pool.ts";
import type { Shards } from "../src/db/shards.ts";
import { sql } from "../src/db/sql.ts";
import { createLanes, type Lanes } from "../src/ledger/lane.ts";
import { adjustBalance } from "../src/operator/adjustments.ts";
import { balancesOf, type Merchant, newMerchant } from "./contract/money.ts";
import { eventually } from "./harness/eventually.ts";
import { startGateway, type TestGateway } from "./harness/gateway.ts";

const skip = process.env.PIXGATE_TEST_CLUSTER ? false : "needs a cluster: npm run test:cluster";

/** Centavos of one adjustment. */
const AMOUNT = 100;
const AT_ONCE = 4;

describe("a shard that moves", { skip }, () => {
  let gateway: TestGateway;
  let merchant: Merchant;
  let db: Db;
  let lanes: Lanes;
  /** The shards as the lanes know them, read again only when a batch asks for it. */
  let known: Shards;
  let readAgain = 0;
  before(async () => {
    gateway = await startGateway();
    merchant = await newMerchant(gateway);
    known = await readMap(gateway.owner);
    const shards: Shards = {
      spread: true,
      of: (accountId) => known.of(accountId),
      homeOf: (accountId) => known.homeOf!(accountId),
      async refresh() {
        readAgain += 1;
        known = await readMap(gateway.owner);
      },
    };
    db = openDb({ url: gateway.databaseUrl, max: 2, onError: () => {}, shards });
    lanes = createLanes({ db, now: () => new Date(), newId: () => gateway.running.ctx.ids.uuid() });
  });
  after(async () => {
    await lanes?.idle();
    await db?.end();
    await gateway.stop();
  });

  const adjust = () =>
    lanes.run(adjustBalance, {
      ...{ accountId: merchant.accountId, walletId: merchant.accountId, subAccount: null },
      ...{ adjustmentId: gateway.running.ctx.ids.uuid(), actor: "test", amount: AMOUNT },
      ...{ balance: "available", type: "adjustment", reason: "a test" },
    });

  test("a batch that finds its shard gone writes nothing there, and runs again where the shard is", async () => {
    await adjust();
    const before = known.homeOf!(merchant.accountId)!;
    await move(gateway, merchant.accountId);
    assert.equal(known.homeOf!(merchant.accountId)!.port, before.port, "nobody has read the shards again");

    await adjust();
    // Once, or more often where another look at it failed meanwhile.
    assert.ok(readAgain > 0);
    assert.notEqual(known.homeOf!(merchant.accountId)!.port, before.port);
    assert.equal((await balancesOf(merchant.client)).available, 2 * AMOUNT);
    await gateway.verify();
  });

  test("payments that go on while it moves are each booked once", async () => {
    const already = (await balancesOf(merchant.client)).available;
    const before = known.homeOf!(merchant.accountId)!;
    let moved = false;
    let booked = 0;
    const payers = Array.from({ length: AT_ONCE }, async () => {
      while (!moved) {
        await adjust();
        booked += 1;
      }
    });
    const paid = Promise.all(payers);
    try {
      // It begins among payments.
      await Promise.race([paid, eventually("payments before the move", () => booked >= AT_ONCE)]);
      await move(gateway, merchant.accountId);
    } finally {
      moved = true;
    }
    await paid;
    await adjust();

    assert.notEqual(known.homeOf!(merchant.accountId)!.port, before.port);
    assert.equal((await balancesOf(merchant.client)).available, already + (booked + 1) * AMOUNT);
    const { rows } = await gateway.owner.query<{ booked: number }>(sql`
      select count(*) as booked from ledger_transfers where account_id = ${merchant.accountId} and kind = 'adjustment'`);
    assert.equal(rows[0]!.booked, already / AMOUNT + booked + 1);
    await gateway.verify();
  });
});

/** Moves an account's shard, with all that lies beside it, to the worker that has it not. */
async function move({ owner }: TestGateway, accountId: string): Promise<void> {
  const { rows } = await owner.query<{ id: number; from: number; to: number }>(sql`
    select p.shardid as id, n.nodeport as "from", o.nodeport as "to"
    from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid
    join pg_dist_node o on o.groupid <> 0 and o.groupid <> n.groupid
    where p.shardid = get_shard_id_for_distribution_column('accounts', ${accountId}::uuid)`);
  const { id, from, to } = rows[0]!;
  await owner.query(sql`select citus_move_shard_placement(${id}, '127.0.0.1', ${from}, '127.0.0.1', ${to})`);
}
