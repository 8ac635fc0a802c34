/** An institution whose lists show ten items at most, and say neither so nor how many there are. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

const SECOND = 1_000;
/** More than the lists show; few are paid in one second, so that lists can show them. */
const PAID = 23;

let world: World;
before(async () => {
  world = await startWorld();
  await world.behave({ autoNotify: false, silentListCap: 10 });
  // The listing of the gateway's start is over.
  await world.pollReceived();
});
after(() => world.stop());

/** Pix without a charge, a second apart. Gives their end-to-end ids. */
async function payMany(): Promise<string[]> {
  const paid: string[] = [];
  for (let n = 0; n < PAID; n += 1) {
    const paidAt = new Date(Date.now() - n * SECOND).toISOString();
    paid.push((await world.control<{ e2eId: string }>("/pix", { amountCentavos: 1000, paidAt })).e2eId);
  }
  return paid;
}

/** Begins the nightly listing of returns. */
const listReturns = async () => {
  await world.db().query(sql`
    update received_polls set returns_next_at = ${new Date()}, returns_place = null, returns_calls = 0`);
  world.ctx.hints.wake("returned");
};

const bookedOf = async (paid: readonly string[]): Promise<number> => {
  const booked = await Promise.all(paid.map((e2eId) => world.receiptsOf(e2eId)));
  return booked.filter((receipts) => receipts.length > 0).length;
};

test("the poll of received Pix finds every payment, and so does the reconciliation", async () => {
  const polled = await payMany();
  await world.pollReceived();
  assert.equal(await bookedOf(polled), PAID);
  const unpolled = await payMany();
  const found = await world.findingsOf(unpolled);
  assert.deepEqual([found.length, found.filter(({ booked }) => booked).length], [PAID, PAID]);
  assert.equal(await bookedOf(unpolled), PAID);
  const report = await world.gateway.operator.get<{ institutions: { incomplete: string | null }[] }>(
    `/reconciliation/${dayOf(new Date())}`,
  );
  assert.equal(report.body.institutions[0]!.incomplete, null);
});

test("the nightly listing finds every return that the institution made", async () => {
  const paid = await payMany();
  await world.pollReceived();
  for (const e2eId of paid) await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 1000, notify: false });
  await listReturns();
  await eventually("every return", async () => {
    const { rowCount } = await world.db().query(sql`
      select from psp_returns where e2e_id = any(${`{${paid.join()}}`}::text[])`);
    return rowCount === PAID;
  });
});

test("more Pix or returns in one second than the institution lists are cases, until it lists them all", async () => {
  const paidAt = new Date(Math.floor(Date.now() / SECOND) * SECOND - 10 * SECOND).toISOString();
  const pay = () => world.control<{ e2eId: string }>("/pix", { amountCentavos: 1000, paidAt });
  const paid = await Promise.all(Array.from({ length: 12 }, pay));
  for (const { e2eId } of paid) {
    await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 1000, notify: false });
  }
  const openCases = async () => {
    const path = "/cases?status=open&kind=reconciliation_difference";
    const { body } = await world.gateway.operator.get<{ items: { objectId: string; evidence: { says: string } }[] }>(
      path,
    );
    return body.items.filter(({ objectId }) => / unlisted( |$)/.test(objectId));
  };
  await world.pollReceived();
  assert.match((await openCases())[0]?.evidence.says ?? "", /received more Pix at one time than it shows/);
  await listReturns();
  await eventually("the case of the returns", async () => (await openCases()).length === 2);
  // The comparison opens it by itself.
  await world.gateway.owner.query(sql`
    update cases set status = 'closed', closed_because = 'resolved', closed_at = now()
    where status = 'open' and object_id like '% received unlisted %'`);
  assert.equal((await openCases()).length, 1);
  await world.findingsOf([]);
  assert.equal((await openCases()).length, 2, "what the day's comparison does not reach it does not close");
  await world.behave({ silentListCap: 0 });
  await world.findingsOf([]);
  assert.match((await openCases())[0]?.evidence.says ?? "", /more returned Pix at one time than it shows/);
  await listReturns();
  await eventually("the case to be closed", async () => (await openCases()).length === 0);
});
