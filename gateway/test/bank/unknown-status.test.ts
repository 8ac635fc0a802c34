/** A charge in a status that this version does not know: the standard's next version has more of them. */
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

/** Every charge is shown in a status of another version. */
const showAll = (word: string) =>
  world.behave({ statusWords: { ATIVA: word, CONCLUIDA: word, REMOVIDA_PELO_USUARIO_RECEBEDOR: word } });

/** A charge whose time is over, in a status of another version. */
async function overIn(word: string): Promise<{ id: string; txid: string }> {
  await showAll(word);
  const charge = await world.create();
  await world.db().query(sql`update charges set expires_at = ${new Date()} where charge_id = ${charge.id}`);
  await world.pollChargeOften(charge.id);
  return charge;
}
type Found = { caseId: string; status: string; data: Record<string, unknown> };
const casesOf = async (id: string) => {
  const { rows } = await world.db().query<Found>(
    sql`
      select case_id as "caseId", status, evidence -> 'data' as data from cases
      where evidence -> 'data' ->> 'chargeId' = ${id} order by number`,
  );
  return rows;
};
const openOf = (id: string) =>
  eventually("the case", async () => (await casesOf(id)).find(({ status }) => status === "open"));
const noneOpen = (id: string) =>
  eventually("no case to be open", async () => {
    world.ctx.hints.wake("differences");
    return (await casesOf(id)).every(({ status }) => status === "closed");
  });

type Decided = { status: string; proposal: { status: string }; details: { code: string } };
const propose = (caseId: string, action: string) =>
  world.gateway.operator.post<Decided>(`/cases/${caseId}/propose`, {
    ...{ action, parameters: { reason: "The bank says that nobody paid it." } },
  });
const eventsOf = async (id: string): Promise<number> =>
  (await world.db().query(sql`select from events where event_id like ${`%${id}`}`)).rowCount;

for (const word of ["CONCLUIDA_POR_OUTRO_ARRANJO", "REMOVIDA_PELO_PSP_BOLETO", "ALGO_NOVO"]) {
  test(`${word}: neither expired nor paid nor cancelled, and a case names it until a known status ends it`, async () => {
    const held = await world.sumOf("available");
    const { id, txid } = await overIn(word);
    // A poll is counted when it is claimed, before it has its answer.
    await eventually("the case", async () => (await casesOf(id)).length > 0);
    assert.deepEqual([(await world.show(id)).status, await eventsOf(id)], ["pending", 0]);
    const [opened, ...others] = await casesOf(id);
    assert.equal(others.length, 0, "one case, however often it is polled");
    assert.deepEqual(
      [opened?.status, opened?.data.kind, opened?.data.state, opened?.data.key, opened?.data.word],
      ["open", "charge", "unrecognised", txid, word],
    );

    const refused = await world.gateway.merchant.post<{ details: { code: string } }>(`/pix/${id}/cancel`);
    assert.deepEqual([refused.status, refused.body.details.code], [500, "PSP_UNAVAILABLE"]);
    assert.equal((await world.show(id)).status, "pending");
    assert.equal(await world.sumOf("available"), held, "no money moved");

    await world.behave({ statusWords: {} });
    await world.pollUntil(id, "cancelled");
    await noneOpen(id);
  });
}

test("a Pix that it shows is booked all the same, since it is money", async () => {
  const { id, txid } = await overIn("CONCLUIDA_POR_OUTRO_ARRANJO");
  await world.pay(txid, { force: true });
  await world.pollUntil(id, "completed");
  await noneOpen(id);
});

test("a decision ends it as expired, with its event; a Pix that comes all the same is booked", async () => {
  const held = await world.sumOf("available");
  const { id, txid } = await overIn("ALGO_NOVO");
  const { caseId } = await openOf(id);
  const { actions } = (await world.gateway.operator.get<{ actions: { action: string }[] }>(`/cases/${caseId}`)).body;
  const offered = actions.map(({ action }) => action);
  assert.ok(offered.includes("expire_charge"), offered.join());
  assert.ok(!offered.includes("acknowledge"), "it would close the case and leave the charge without an end");
  const done = await propose(caseId, "expire_charge");
  assert.deepEqual([done.status, done.body.status, done.body.proposal?.status], [200, "closed", "executed"], done.text);
  assert.deepEqual([(await world.show(id)).status, await eventsOf(id)], ["cancelled", 1]);
  assert.equal(await world.sumOf("available"), held, "no money moved");
  const again = await propose(caseId, "expire_charge");
  assert.deepEqual([again.status, again.body.details.code], [400, "CASE_CLOSED"]);
  const refused = await world.gateway.merchant.post<{ details: { code: string } }>(`/pix/${id}/cancel`);
  assert.deepEqual([refused.status, refused.body.details.code], [400, "CHARGE_NOT_CANCELLABLE"], "it has an end");
  await world.behave({ statusWords: {} });
  const { e2eId } = await world.pay(txid, { force: true });
  await world.pollReceived();
  assert.deepEqual(
    (await world.receiptsOf(e2eId)).map(({ account, amount }) => [account, amount]),
    [["merchant", 1_000]],
  );
});

test("no decision ends it while it can be paid, or when its bank shows a status that is known", async () => {
  await showAll("ALGO_NOVO");
  const early = await world.create();
  await world.pollCharge(early.id);
  const { caseId } = await openOf(early.id);
  const refused = await propose(caseId, "expire_charge");
  assert.deepEqual([refused.status, refused.body.details.code], [400, "VALIDATION_ERROR"], refused.text);
  assert.match(refused.text, /can be paid until/);
  assert.deepEqual([(await world.show(early.id)).status, await eventsOf(early.id)], ["pending", 0]);

  const { id } = await overIn("ALGO_NOVO");
  const found = await openOf(id);
  await world.stopPolling();
  await world.behave({ statusWords: {} });
  const late = await propose(found.caseId, "expire_charge");
  assert.deepEqual([late.status, late.body.details.code], [400, "VALIDATION_ERROR"], late.text);
  assert.match(late.text, /shows the charge as active: the poll ends it/);
  await world.statusIs(id, "cancelled");
  await noneOpen(id);
});

test("no decision ends as unpaid what its bank shows as paid, though it shows no Pix yet", async () => {
  const held = await world.sumOf("available");
  const { id, txid } = await overIn("ALGO_NOVO");
  const { caseId } = await openOf(id);
  await world.stopPolling();
  await world.behave({ statusWords: { ATIVA: "CONCLUIDA" } });
  const refused = await propose(caseId, "expire_charge");
  assert.deepEqual([refused.status, refused.body.details.code], [400, "VALIDATION_ERROR"], refused.text);
  assert.match(refused.text, /shows the charge as paid: wait for its Pix/);
  assert.deepEqual([(await world.show(id)).status, await eventsOf(id)], ["pending", 0]);
  assert.equal(await world.sumOf("available"), held, "no money moved");

  await world.behave({ statusWords: {} });
  await world.pay(txid, { force: true });
  await world.pollUntil(id, "completed");
  await noneOpen(id);
});

test("a hundred have a case each, and one more case stands for the others", async () => {
  await showAll("ALGO_NOVO");
  const charges = await Promise.all(Array.from({ length: 103 }, () => world.create()));
  const ids = charges.map(({ id }) => id);
  const dueNow = async () => {
    await world.db().query(sql`update open_charges set check_at = ${new Date()} where charge_id = any(${ids}::uuid[])`);
    world.ctx.hints.wake("charges");
  };
  const openCases = async () => {
    const { rows } = await world.db().query<{ kind: string; count: number }>(sql`
      select evidence -> 'data' ->> 'kind' as kind, count(*)::int as count from cases
      where status = 'open' and kind = 'reconciliation_difference' group by 1 order by 1`);
    return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
  };
  const before = (await openCases()).charge ?? 0;
  await dueNow();
  await eventually("the case of the others", async () => (await openCases()).more === 1);
  const { rows } = await world.db().query<{ least: number }>(sql`
    select min(checks) as least from open_charges where charge_id = any(${ids}::uuid[])`);
  await eventually(
    "each to be polled again",
    async () => {
      await dueNow();
      const polled = await world.db().query<{ least: number }>(sql`
      select min(checks) as least from open_charges where charge_id = any(${ids}::uuid[])`);
      return polled.rows[0]!.least >= rows[0]!.least + 2;
    },
    180_000,
  );
  const stands = await openCases();
  assert.deepEqual([before < 100, stands.charge, stands.more], [true, 100, 1]);

  await world.behave({ statusWords: {} });
  await world.db().query(sql`update charges set expires_at = ${new Date()} where charge_id = any(${ids}::uuid[])`);
  await eventually(
    "all to end, and their cases",
    async () => {
      await dueNow();
      world.ctx.hints.wake("differences");
      const { charge = 0, more = 0 } = await openCases();
      return charge + more <= before;
    },
    180_000,
  );
});
