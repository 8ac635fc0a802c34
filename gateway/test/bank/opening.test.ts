/** What the sandbox's simulator opened with, where something was recorded before the first comparison. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

const OPENING = 1_000_000_000;
const TARIFF = 250;

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

type Case = { amount: number };

/** Compares until there is a case. */
const reported = () =>
  eventually("a case about the balance", async () => {
    const { body } = await world.gateway.operator.get<{ items: Case[] }>("/cases?kind=balance_drift");
    if (body.items.length > 0) return body.items;
    await world.db().query(sql`update balance_watches set next_at = ${new Date(0)}`);
    world.ctx.hints.wake("balances");
    return false;
  });

test(
  "is in the books though a tariff was recorded before: only the tariff, which the simulator never took, is a case",
  notAt("api-pix", "it reports no balance"),
  async () => {
    const { operator } = world.gateway;
    const occurredAt = new Date(Date.now() - 60_000).toISOString();
    const tariff = { kind: "tariff", institutionId: world.institutionId, amount: TARIFF / 100, occurredAt };
    const recorded = await operator.post("/treasury", tariff);
    assert.equal(recorded.status, 201, recorded.text);
    assert.equal(await world.sumOf("operator_funds"), 0, "nothing was compared before");
    const cases = await reported();
    assert.deepEqual(
      cases.map(({ amount }) => amount),
      [TARIFF / 100],
    );
    assert.equal(await world.sumOf("operator_funds"), OPENING);
    await world.gateway.verify();
  },
);
