/** An institution that answers 404 about a charge that it has accepted: nothing is proved by that. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  await world.behave({ autoNotify: false });
});
after(() => world.stop());

/** A charge whose time is over, at an institution that answers 404 to every query. */
async function expiredUnseen(paid: boolean) {
  const { id, txid } = await world.create();
  if (paid) await world.pay(txid);
  await world.db().query(sql`update charges set expires_at = ${new Date()} where charge_id = ${id}`);
  const routes = ["getCob", "getPix", "listPix"];
  await world.behave({
    faults: { seed: 1, rules: routes.map((route) => ({ route, kind: "notFound", probability: 1 })) },
  });
  await world.pollChargeOften(id);
  return id;
}

test("a charge that was paid does not expire by it, and is completed when it is shown", async () => {
  const id = await expiredUnseen(true);
  assert.equal((await world.show(id)).status, "pending");
  await world.behave({ faults: { seed: 1, rules: [] } });
  const shown = (await world.pollUntil(id, "completed")) as Record<string, unknown>;
  assert.equal(shown.paidAfterExpiry, undefined);
  const { rowCount } = await world.db().query(sql`select from events where event_id = ${`payment_expired_${id}`}`);
  assert.equal(rowCount, 0);
});

test("a charge that was not paid expires when the list of received Pix has no payment of it", async () => {
  const id = await expiredUnseen(false);
  assert.equal((await world.show(id)).status, "pending");
  await world.behave({ faults: { seed: 1, rules: [{ route: "getCob", kind: "notFound", probability: 1 }] } });
  await world
    .db()
    .query(sql`update charges set expires_at = ${new Date(Date.now() - 120_000)} where charge_id = ${id}`);
  await world.pollReceived();
  await world.pollUntil(id, "cancelled");
});

test("a charge that is long over is queried ever more rarely, and loses no payment when the list comes back", async () => {
  const { id, txid } = await world.create();
  const HOUR = 3_600_000;
  const [madeAt, endedAt] = [new Date(Date.now() - 49 * HOUR), new Date(Date.now() - 48 * HOUR)];
  await world
    .db()
    .query(sql`update charges set created_at = ${madeAt}, expires_at = ${endedAt} where charge_id = ${id}`);
  await world.pay(txid);
  await world.db().query(sql`update received_polls set covered_until = ${madeAt}`);
  const nextQuery = async (): Promise<number> => {
    const { rows } = await world.db().query<{ at: Date }>(sql`
      select check_at as at from open_charges where charge_id = ${id}`);
    return rows[0]!.at.getTime() - Date.now();
  };
  for (const kind of ["notFound", "error5xxBefore"]) {
    const rules = ["getCob", "getPix", "listPix"].map((route) => ({ route, kind, probability: 1 }));
    await world.behave({ faults: { seed: 1, rules } });
    await world.pollCharge(id);
    await eventually("the next query to be in about an hour", async () => (await nextQuery()) > HOUR / 2);
    assert.ok((await nextQuery()) <= HOUR);
  }
  assert.equal((await world.show(id)).status, "pending");
  await world.behave({ faults: { seed: 1, rules: [] } });
  await world.pollReceived();
  await world.statusIs(id, "completed");
});
