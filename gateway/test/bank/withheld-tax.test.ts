/** A bank that keeps a part of a Pix back as tax: what was not credited is not booked as if it had been. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

const openCases = async () =>
  (
    await world.db().query<{ data: Record<string, unknown> }>(sql`
      select evidence -> 'data' as data from cases where status = 'open' and kind = 'reconciliation_difference'`)
  ).rows.map(({ data }) => [data.kind, data.state]);

test("a Pix of which less was credited is booked nowhere, its charge stays pending after its time, and a case says so", async () => {
  const [held, atBank] = [await world.sumOf("available"), await world.sumOf("psp")];
  await world.behave({ withheldPercent: 10 });
  const { id, txid } = await world.create();
  const { e2eId } = await world.pay(txid);
  await world.db().query(sql`update charges set expires_at = ${new Date()} where charge_id = ${id}`);
  await world.pollChargeOften(id);
  await world.pollReceived();
  await eventually("the case", async () => (await openCases()).length > 0);
  assert.deepEqual(await openCases(), [["received", "unreadable"]]);
  assert.equal((await world.show(id)).status, "pending");
  assert.deepEqual(await world.receiptsOf(e2eId), []);
  assert.deepEqual([await world.sumOf("available"), await world.sumOf("psp")], [held, atBank]);
  const { rowCount } = await world.db().query(sql`select from events where event_id like ${`%${id}`}`);
  assert.equal(rowCount, 0);
});

test("one that was credited whole is booked", async () => {
  await world.behave({ withheldPercent: 0 });
  const { id, txid } = await world.create();
  await world.pay(txid);
  await world.statusIs(id, "completed");
});
