import assert from "node:assert/strict";
import { test } from "node:test";
import { onTenants, placed, sql } from "../sql.ts";
import { homeOf, nameShard } from "./home.ts";

const NAMES = new Map([
  ["charges", "charges_102040"],
  ["accounts", "accounts_102008"],
  ["events", "events_102072"],
]);

test("a statement in a shard names the shard's tables, and nothing else of it changes", () => {
  const named: readonly (readonly [string, string])[] = [
    ["select c.status from charges c", "select c.status from charges_102040 c"],
    ["select charges.status from charges", "select charges_102040.status from charges_102040"],
    ["insert into events (events) values (1)", "insert into events_102072 (events) values (1)"],
    ["update accounts a set number = 1 from charges", "update accounts_102008 a set number = 1 from charges_102040"],
    ["delete from charges using events e", "delete from charges_102040 using events_102072 e"],
    [
      "SELECT 1 FROM ((charges c JOIN accounts a ON true) LEFT JOIN\n events e ON true)",
      "SELECT 1 FROM ((charges_102040 c JOIN accounts_102008 a ON true) LEFT JOIN\n events_102072 e ON true)",
    ],
    ["select endpoint_id, events from open_charges o", "select endpoint_id, events from open_charges o"],
    ["select w.events from webhook_endpoints w", "select w.events from webhook_endpoints w"],
    ["select 1 from institutions where charges_at is null", "select 1 from institutions where charges_at is null"],
  ];
  for (const [text, expected] of named) assert.equal(nameShard(text, NAMES), expected);
});

test("the restriction to tenants is left out of a statement in a shard, with its parameter used", () => {
  const { text } = placed(
    { spread: true, of: () => 0 },
    sql`select from charges c where ${onTenants("c.account_id", [{ accountId: "01a1fdf9-0fb8-7000-8000-012345678900" }])} and c.amount > ${1}`,
  );
  const home = homeOf({ host: "h", port: 1, shardId: 102_008 }, NAMES);
  assert.equal(home.named(text), "select from charges_102040 c where $1::uuid[] is not null and c.amount > $2");
  assert.equal(home.named(text), home.named(text));
});
