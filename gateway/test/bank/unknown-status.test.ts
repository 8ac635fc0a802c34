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

/** A charge whose time is over, in a status of another version. */
async function overIn(word: string): Promise<{ id: string; txid: string }> {
  const statusWords = { ATIVA: word, CONCLUIDA: word, REMOVIDA_PELO_USUARIO_RECEBEDOR: word };
  await world.behave({ statusWords });
  const charge = await world.create();
  await world.db().query(sql`update charges set expires_at = ${new Date()} where charge_id = ${charge.id}`);
  await world.pollChargeOften(charge.id);
  return charge;
}
const casesOf = async (id: string) => {
  const { rows } = await world.db().query<{ status: string; data: Record<string, unknown> }>(
    sql`
      select status, evidence -> 'data' as data from cases where evidence -> 'data' ->> 'chargeId' = ${id} order by number`,
  );
  return rows;
};
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
    await world.pollCharge(id);
    await world.statusIs(id, "cancelled");
    await eventually("no case to be open", async () => (await casesOf(id)).every(({ status }) => status === "closed"));
  });
}

test("a Pix that it shows is booked all the same, since it is money", async () => {
  const { id, txid } = await overIn("CONCLUIDA_POR_OUTRO_ARRANJO");
  await world.pay(txid, { force: true });
  await world.pollCharge(id);
  await world.statusIs(id, "completed");
  await eventually("no case to be open", async () => (await casesOf(id)).every(({ status }) => status === "closed"));
});
