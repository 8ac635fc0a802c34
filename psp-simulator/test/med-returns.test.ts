/** The PSP's own returns: late, in part, without a callback; and cases that are reopened. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, stage, until, within } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const WIDE = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z";
const post = (path: string, body?: unknown) => simulator.control("POST", `/control${path}`, body);
const returnsOf = async (e2eId: string): Promise<Json[]> =>
  (await simulator.api("GET", `/v2/pix/${e2eId}`)).body.devolucoes ?? [];
const balance = async (): Promise<number> => {
  const { books } = (await simulator.control("GET", "/control/state")).body;
  assert.equal(books.ok, true);
  return books.balanceCentavos;
};
const statusOf = async (id: string) =>
  (await simulator.api("GET", `/v2/gn/infracoes?${WIDE}`)).body.infracoes.find((one: Json) => one.idInfracao === id)
    .status;

async function contested(amountCentavos = 1000): Promise<{ txid: string; e2eId: string; id: string }> {
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  const opened = await post("/infractions", { e2eId, amountCentavos });
  assert.equal(opened.status, 200, opened.text);
  return { txid, e2eId, id: opened.body.id };
}

test("a return without notice is in no callback: reads and the list with devolucaoPresente show it", async () => {
  const txid = await simulator.charge();
  const paidAt = new Date(Date.now() - 30 * 86_400_000).toISOString();
  const { e2eId } = (await post("/pix", { amountCentavos: 1000, txid, paidAt })).body;
  await until("the callback of the Pix", () => receiver.pixOf(txid).length === 1);
  const made = await post(`/pix/${e2eId}/med-return`, { amountCentavos: 400, notify: false });
  assert.equal(made.status, 200, made.text);
  await until("nothing is owed", async () => {
    return (await simulator.control("GET", "/control/state")).body.callbacks.pending === 0;
  });
  assert.equal(receiver.pixOf(txid).length, 1);
  assert.deepEqual(
    (await returnsOf(e2eId)).map((item) => item.valor),
    ["4.00"],
  );
  const listed = (await simulator.api("GET", `/v2/pix?${WIDE}&devolucaoPresente=true`)).body.pix;
  assert.deepEqual(
    listed.map((pix: Json) => pix.endToEndId),
    [e2eId],
  );
});

test("an accepted case returns the part of the behaviour, later, also after the program was killed", async () => {
  // Its clock is late by the delay: the return is not due before a restart, which has the right time, and due from it on.
  await simulator.ahead(-60_000);
  await simulator.behave({ medReturn: { delayMs: 60_000, percent: 40 } });
  const before = await balance();
  const { e2eId, id } = await contested();
  assert.equal((await post(`/infractions/${id}/resolve`, { outcome: "accepted" })).status, 200);
  assert.deepEqual([await statusOf(id), await returnsOf(e2eId)], ["ACEITA", []]);
  assert.equal(await balance(), before + 1000);
  await simulator.kill();
  await simulator.restart();
  const [item] = await until("the return", async () => {
    const items = await returnsOf(e2eId);
    return items.length > 0 && items;
  });
  assert.deepEqual([item!.valor, item!.natureza, item!.status], ["4.00", "MED_FRAUDE", "DEVOLVIDO"]);
  assert.equal(await balance(), before + 600);
});

test("what is asked for stands above the behaviour: 0 returns nothing, and only an accepted case takes it", async () => {
  const first = await contested();
  await post(`/infractions/${first.id}/resolve`, { outcome: "accepted", returnCentavos: 0 });
  const second = await contested();
  await post(`/infractions/${second.id}/resolve`, { outcome: "accepted", returnCentavos: 250 });
  const third = await contested();
  const wrong = await post(`/infractions/${third.id}/resolve`, { outcome: "rejected", returnCentavos: 250 });
  assert.deepEqual([wrong.status, wrong.body.issues[0].path], [400, "returnCentavos"]);
  assert.deepEqual(await returnsOf(first.e2eId), []);
  assert.deepEqual(
    (await returnsOf(second.e2eId)).map((item) => item.valor),
    ["2.50"],
  );
  assert.equal(await statusOf(third.id), "ABERTA");
});

test("a closed case is reopened under its id, takes a defence again, and what was due of it is not returned", async () => {
  await simulator.behave({ medReturn: { delayMs: 300, percent: 100 } });
  const { e2eId, id, open, reopened } = await within(300, async () => {
    const one = await contested();
    const open = await post(`/infractions/${one.id}/reopen`);
    await post(`/infractions/${one.id}/resolve`, { outcome: "accepted" });
    return { ...one, open, reopened: await post(`/infractions/${one.id}/reopen`) };
  });
  assert.deepEqual([open.status, open.body.code], [409, "INFRACTION_OPEN"]);
  assert.deepEqual([reopened.status, reopened.body.status, reopened.body.closedAt], [200, "ABERTA", null]);
  const defence = { analise: "rejeitado", justificativa: "Foi entregue." };
  assert.equal((await simulator.api("POST", `/v2/gn/infracoes/${id}/defesa`, defence)).status, 201);
  await post(`/infractions/${id}/resolve`, { outcome: "rejected" });
  // A case that is due later than the first one was shows that its time has passed.
  const later = await contested();
  await post(`/infractions/${later.id}/resolve`, { outcome: "accepted" });
  await until("the later return", async () => (await returnsOf(later.e2eId)).length === 1);
  assert.deepEqual(await returnsOf(e2eId), []);
  assert.equal((await post("/infractions/nobody/reopen")).body.code, "INFRACTION_NOT_FOUND");
});
