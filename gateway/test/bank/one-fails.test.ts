/** One row of a list that cannot be booked keeps none of the others waiting, and is booked as soon as it can be. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { joinReceipts } from "../../src/unmatched/join.ts";
import { balancesOf, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { isNight, startWorld, type World } from "./world.ts";

type Row = { status: string; attempts: number; error: string | null; nextAt: Date };
type Report = {
  incomplete: string | null;
  findings: { key: string; booked: boolean; cause: string }[];
};

/** What the log says of rows that the database refuses, in lists; a test of something else says what. */
const OF_LISTS = [
  "what an institution lists could not be booked",
  "a receipt could not be joined",
  "a batch of money commands failed",
];
let expected = OF_LISTS;

let world: World;
before(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  expected = OF_LISTS;
  await world.behave({ autoNotify: true });
});
afterEach(() => {
  const errors = world.gateway.takeErrors();
  assert.ok(errors.length > 0);
  for (const error of errors) assert.ok(expected.some((text) => error.startsWith(text)), error);
}); // biome-ignore format: one row
after(async () => {
  await world.gateway.verify();
  await world.stop();
});

/** The database refuses the rows of one Pix in a table, until `allow`. */
async function refuse(table: string, e2eId: string): Promise<{ allow(): Promise<unknown> }> {
  const run = (text: string) => world.gateway.owner.query({ text, values: [] });
  await run(`alter table ${table} add constraint refused_in_test check (e2e_id <> '${e2eId}')`);
  return { allow: () => run(`alter table ${table} drop constraint refused_in_test`) };
}

test("in the list of received Pix: the others are booked, by the reconciliation too", async () => {
  await world.behave({ autoNotify: false });
  const charges = [await world.create(), await world.create()];
  const [first, second] = [await world.pay(charges[0]!.txid), await world.pay(charges[1]!.txid)];
  const refused = await refuse("received_pix", first.e2eId);
  await world.pollReceived();
  await world.statusIs(charges[1]!.id, "completed");
  assert.equal((await world.show(charges[0]!.id)).status, "pending");

  const third = await world.create();
  const { e2eId } = await world.pay(third.txid);
  const reply = await world.gateway.operator.post<{ institutions: Report[] }>(`/reconciliation/${dayOf(new Date())}`);
  assert.equal(reply.status, 200, reply.text);
  const { incomplete, findings } = reply.body.institutions[0]!;
  assert.equal(incomplete, null);
  const booked = new Map(findings.map((one) => [one.key, one.booked]));
  assert.deepEqual([booked.get(first.e2eId), booked.get(second.e2eId), booked.get(e2eId)], [false, undefined, true]);
  await world.statusIs(third.id, "completed");

  await refused.allow();
  await world.pollReceived();
  await world.statusIs(charges[0]!.id, "completed");
});

test("a Pix that cannot be booked begins the next windows for an hour, and is then left to the reconciliation", async () => {
  const HOUR = 3_600_000;
  await world.behave({ autoNotify: false });
  const receive = async (ago: number) => {
    const paidAt = new Date(Date.now() - ago);
    return { paidAt, ...(await world.control<{ e2eId: string }>("/pix", { amountCentavos: 900, paidAt })) };
  };
  const isBooked = async (e2eId: string) => (await world.receiptsOf(e2eId)).length === 1;
  /** Lists what came in the last four hours, or since the last listing. Gives from when on the next one lists. */
  const poll = async (since: "long ago" | "the last time") => {
    const coveredUntil = new Date(Date.now() - 4 * HOUR);
    if (since === "long ago") await world.db().query(sql`update received_polls set covered_until = ${coveredUntil}`);
    await world.pollReceived();
    const { rows } = await world.db().query<{ until: Date }>(sql`select covered_until as until from received_polls`);
    return rows[0]!.until.getTime();
  };
  const young = await receive(HOUR / 2);
  const ofYoung = await refuse("received_pix", young.e2eId);
  assert.equal(await poll("long ago"), young.paidAt.getTime());
  await ofYoung.allow();
  const next = await poll("the last time");
  assert.ok(Date.now() - next < HOUR / 2 && (await isBooked(young.e2eId)));

  const old = await receive(3 * HOUR);
  const ofOld = await refuse("received_pix", old.e2eId);
  const began = Date.now();
  const until = await poll("long ago");
  assert.ok(until >= began - HOUR && until <= Date.now() - HOUR, new Date(until).toISOString());
  await ofOld.allow();
  await poll("the last time");
  assert.equal(await isBooked(old.e2eId), false);
  const reply = await world.gateway.operator.post(`/reconciliation/${dayOf(old.paidAt)}`);
  assert.equal(reply.status, 200, reply.text);
  assert.ok(await isBooked(old.e2eId));
});

test("in the nightly listing of returns: the others are booked", async () => {
  const [one, other] = [await newMerchant(world.gateway), await newMerchant(world.gateway)];
  const [first, second] = [await pay(one.client, 50), await pay(other.client, 50)];
  await world.stopPolling();
  await world.behave({ autoNotify: false });
  for (const { e2eId } of [first, second]) {
    await world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 1_000 });
  }
  const refused = await refuse("psp_returns", first.e2eId);
  const night = async () => {
    await world.db().query(sql`update received_polls set returns_next_at = ${new Date()}, returns_place = null`);
    world.ctx.hints.wake("returned");
    await eventually("the night's listing", async () => {
      const { rows } = await world.db().query<{ next_at: Date; place: unknown }>(sql`
        select returns_next_at as next_at, returns_place as place from received_polls where institution_id = ${world.institutionId}`);
      return rows[0]!.place === null && isNight(rows[0]!.next_at);
    });
  };
  await night();
  assert.equal((await balancesOf(one.client)).available, 5_000);
  assert.equal((await balancesOf(other.client)).available, 4_000);
  await refused.allow();
  await night();
  assert.equal((await balancesOf(one.client)).available, 4_000);
});

test("in the list of MED cases: the others are held", { ...notAt("api-pix", "it has no MED cases") }, async () => {
  const [one, other] = [await newMerchant(world.gateway), await newMerchant(world.gateway)];
  const [first, second] = [await pay(one.client, 50), await pay(other.client, 50)];
  const refused = await refuse("balance_blocks", first.e2eId);
  for (const { e2eId } of [first, second]) await world.control("/infractions", { e2eId });
  const listed = async () => {
    await world.db().query(sql`update infraction_polls set next_at = ${new Date()}`);
    world.ctx.hints.wake("infractions");
  };
  await listed();
  await eventually("the other case", async () => (await balancesOf(other.client)).held === 5_000);
  assert.equal((await balancesOf(one.client)).held, 0);
  await refused.allow();
  await listed();
  await eventually("the case", async () => (await balancesOf(one.client)).held === 5_000);
});

test("among receipts that were settled while they were kept: the others are joined with their charges", async () => {
  const joined = "assigned,credited";
  const run = (text: string) => world.gateway.owner.query({ text: `alter table pix_assignments ${text}`, values: [] });
  // Whichever is the first to be joined: each is refused once.
  for (const n of [0, 1, 2]) {
    // The gateway's own loop joins none before the test does.
    await run("add constraint none_yet check (false) not valid");
    const pairs = [await world.bookTwice(1_000), await world.bookTwice(1_100), await world.bookTwice(1_200)];
    const outcomes = async () =>
      Promise.all(pairs.map(async ({ e2eId }) => (await world.receiptsOf(e2eId)).map(({ outcome }) => outcome).join()));
    const [{ houseId }] = pairs as [(typeof pairs)[0]];
    const refused = await refuse("pix_assignments", pairs[n]!.e2eId);
    await run("drop constraint none_yet");
    // The loop may be joining one of them at the same time.
    await eventually("the others to be joined", async () => {
      await joinReceipts(world.ctx, houseId);
      return (await outcomes()).filter((one) => one === joined).length === 2;
    });
    const all = await outcomes();
    await refused.allow();
    assert.equal(all[n], "unmatched,credited");
    await eventually("all to be joined", async () => {
      await joinReceipts(world.ctx, houseId);
      return (await outcomes()).every((one) => one === joined);
    });
  }
});

test("of notifications and of polled charges: it is tried again later each time, never given up, and booked as soon as it can be", async () => {
  expected = ["a batch of money commands failed", "the loop inbox could not process", "the loop charges could not process"];
  await world.behave({ autoNotify: false });
  const [one, other] = [await world.create(), await world.create()];
  const [first, second] = [await world.pay(one.txid), await world.pay(other.txid)];
  const refused = await refuse("received_pix", first.e2eId);
  const notified = async (e2eId: string) => {
    const { rows } = await world.db().query<Row>(sql`
      select status, attempts, last_error as error, next_at as "nextAt" from inbox where subject_id = ${e2eId}`);
    return rows[0];
  };
  for (const [{ e2eId }, { txid }] of [[first, one], [second, other]] as const) {
    const pix = { endToEndId: e2eId, txid, valor: "10.00", horario: new Date().toISOString() };
    assert.equal(await world.notify(JSON.stringify({ pix: [pix] })), 200);
  }
  await world.statusIs(other.id, "completed");
  const afterAttempts = (least: number) =>
    eventually(`${least} attempts`, async () => {
      const row = await notified(first.e2eId);
      return row !== undefined && row.attempts >= least ? row : undefined;
    });
  await afterAttempts(2);
  // As the 24th attempt, after which a notification that the bank does not confirm is abandoned.
  const due = new Date();
  await world.db().query(sql`update inbox set attempts = 23, next_at = ${due} where subject_id = ${first.e2eId}`);
  world.ctx.hints.wake("inbox");
  const waiting = await afterAttempts(24);
  assert.deepEqual([waiting.status, waiting.error], ["pending", "it could not be processed"]);
  const minutes = (waiting.nextAt.getTime() - due.getTime()) / 60_000;
  assert.ok(minutes >= 10 && minutes < 12, `${minutes} minutes`);

  // Made four hours ago it is queried again in an hour, or when it expires. A claim ends in a minute.
  const made = new Date(Date.now() - 4 * 3_600_000);
  await world.gateway.owner.query(sql`update charges set created_at = ${made} where charge_id = ${one.id}`);
  await world.pollCharge(one.id);
  await eventually("the charge to be polled, and to be due much later", async () => {
    const { rows } = await world.db().query(sql`
      select from open_charges where charge_id = ${one.id} and check_at > now() + interval '2 minutes'`);
    return rows.length === 1;
  });
  assert.equal((await world.show(one.id)).status, "pending");

  await refused.allow();
  await world.db().query(sql`update inbox set next_at = ${new Date()} where subject_id = ${first.e2eId}`);
  world.ctx.hints.wake("inbox");
  await world.statusIs(one.id, "completed");
  await eventually("the notification", async () => (await notified(first.e2eId))?.status === "applied");
}); // biome-ignore format: one row each
