/** An institution may return a Pix by itself weeks after it was paid, and the notification of that may be lost. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { startAt } from "../../src/psp/list-window.ts";
import { balancesOf, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { eventually } from "../harness/eventually.ts";
import { isNight, startWorld, type World } from "./world.ts";

/** What one window of the listing covers, milliseconds. */
const WINDOW = 5 * 86_400_000;

let world: World;
before(async () => {
  world = await startWorld();
});
after(async () => {
  await world.gateway.verify();
  await world.stop();
});

type Stands = { next_at: Date; from: number | null; calls: number };
const stands = async () => {
  const { rows } = await world.db().query<Stands>(sql`
    select returns_next_at as next_at, (returns_place -> 'from')::bigint as "from", returns_calls as calls
    from received_polls where institution_id = ${world.institutionId}`);
  return rows[0]!;
};
/** Makes the nightly listing due from where it stands; resolves when it has ended for this night. */
const night = async (from: number | null = null, calls = 0) => {
  await world.stopPolling();
  const place =
    from === null
      ? null
      : JSON.stringify({
          ...startAt(from, { until: Date.now(), longest: WINDOW }),
          ...{ since: from, unreadable: false, unanswered: false, night: "" },
        });
  await world.db().query(sql`
    update received_polls set returns_next_at = ${new Date()}, returns_place = ${place}::jsonb, returns_calls = ${calls}
    where institution_id = ${world.institutionId}`);
  world.ctx.hints.wake("returned");
  return eventually("the night's listing", async () => {
    const now = await stands();
    return isNight(now.next_at) && now;
  });
};
test("a return whose notification was lost is found by the nightly listing, in any of the last 90 days", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await world.stopPolling();
  await world.behave({ autoNotify: false });
  await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
  assert.equal((await balancesOf(client)).available, 5_000);
  const after = await night();
  assert.equal((await balancesOf(client)).available, 3_000);
  assert.deepEqual([after.from, after.calls], [null, 0]);
  await night();
  assert.equal((await balancesOf(client)).available, 3_000);
  await world.behave({ autoNotify: true });
});

test("a listing that has used up its calls goes on from there in the next night", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await world.stopPolling();
  await world.behave({ autoNotify: false });
  await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 1_000 });
  const from = Date.now() - 20 * 86_400_000;
  const stopped = await night(from, 299);
  // One call was left: one window was listed.
  assert.equal(stopped.from, from + WINDOW);
  assert.equal((await balancesOf(client)).available, 5_000);
  await night(stopped.from);
  assert.equal((await balancesOf(client)).available, 4_000);
  await world.behave({ autoNotify: true });
});

test("a return that the institution notifies before its reads show it is booked as soon as they do", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await world.stopPolling();
  await world.behave({ returnsIn: ["callback"] });
  await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
  await eventually("the notification to be confirmed once", async () => {
    const { rowCount } = await world.db().query(sql`
      select from inbox where subject_id = ${e2eId} and kind = 'return_moved' and (attempts > 0 or status = 'applied')`);
    return rowCount === 1;
  });
  assert.equal((await balancesOf(client)).available, 5_000);
  await world.behave({ returnsIn: ["read", "list", "charge", "callback"] });
  await eventually("the return", async () => (await balancesOf(client)).available === 3_000);
  await world.quiet();
});

test("a return that is notified and never shown is a case, until it is shown after all", async () => {
  const { client } = await newMerchant(world.gateway);
  const { e2eId } = await pay(client, 50);
  await world.stopPolling();
  await world.behave({ returnsIn: ["callback"] });
  await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
  await eventually("the notification to be abandoned", async () => {
    // As the last attempt: three hours of them have passed.
    await world.db().query(sql`
      update inbox set attempts = 23, next_at = ${new Date()}
      where subject_id = ${e2eId} and kind = 'return_moved' and status = 'pending'`);
    world.ctx.hints.wake("inbox");
    const { rowCount } = await world.db().query(sql`
      select from inbox where subject_id = ${e2eId} and kind = 'return_moved' and status = 'abandoned'`);
    return rowCount === 1;
  });
  const cases = async () => {
    const { rows } = await world.db().query<{ status: string; data: object }>(sql`
      select status, evidence -> 'data' as data from cases where evidence -> 'data' ->> 'key' = ${e2eId}`);
    return rows.map(({ status, data }) => [status, { ...data, day: null }]);
  };
  const data = { day: null, kind: "returned", state: "unreadable", key: e2eId, unclear: 1 };
  assert.deepEqual(await cases(), [["open", data]]);
  assert.equal((await balancesOf(client)).available, 5_000, "nothing of a notification is booked");
  await world.behave({ returnsIn: ["read", "list", "charge", "callback"] });
  await night();
  assert.equal((await balancesOf(client)).available, 3_000);
  assert.deepEqual(await cases(), [["closed", data]]);
  await world.quiet();
});
