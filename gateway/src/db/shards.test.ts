import assert from "node:assert/strict";
import { test } from "node:test";
import { shardOf } from "./shard-pools.ts";
import { byShard, type Home, inShards, laneOf, ONE_SERVER, ShardMovedError, type Shards } from "./shards.ts";

const [A, B, C] = ["a", "b", "c"].map((digit) => `01a1fdf9-0fb8-7000-8000-0123456789${digit}0`) as [
  string,
  string,
  string,
];
/** Two accounts in one shard, one in another. */
const SPREAD: Shards = { spread: true, of: (accountId) => (accountId === C ? 1 : 0) };

test("on one server a statement may be about any accounts, and lanes share them evenly", () => {
  const rows = [A, B, C].map((accountId) => ({ accountId }));
  assert.deepEqual(
    byShard(ONE_SERVER, rows, (row) => row.accountId),
    [rows],
  );
  assert.deepEqual(
    byShard(ONE_SERVER, [], () => A),
    [],
  );
  assert.equal(inShards(ONE_SERVER, () => A).shardOf, undefined);
  assert.deepEqual(
    ["000000", "000001", "000002", "00000f"].map((end) => laneOf(ONE_SERVER, A.slice(0, -6) + end, 2)),
    [0, 1, 0, 1],
  );
});

test("on a cluster a statement is about accounts of one shard, and a lane has whole shards", () => {
  const rows = [A, C, B].map((accountId) => ({ accountId }));
  assert.deepEqual(
    byShard(SPREAD, rows, (row) => row.accountId),
    [[rows[0], rows[2]], [rows[1]]],
  );
  assert.equal(inShards(SPREAD, () => C).shardOf?.(null), 1);
  assert.deepEqual(
    [A, B, C].map((accountId) => laneOf(SPREAD, accountId, 2)),
    [0, 0, 1],
  );
});

test("a transaction within a shard takes rows of one shard only, else they are to be grouped anew", () => {
  const home: Home = { host: "h", port: 1, shardId: 102_008, named: (text) => text };
  const shards: Shards = { ...SPREAD, homeOf: () => home };
  const rows = (...accounts: string[]) => accounts.map((accountId) => ({ accountId }));
  assert.deepEqual(shardOf(shards, rows(A, B)), { home, accountId: A });
  assert.equal(shardOf(shards, []), null);
  assert.equal(shardOf(ONE_SERVER, rows(A, C)), null);
  assert.throws(() => shardOf(shards, rows(A, B, C)), ShardMovedError);
});
