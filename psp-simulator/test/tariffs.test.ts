/** What the PSP takes for its work, and payouts of which it says what is not so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, stage, until } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const ALL = ["list", "read", "charge", "callback"];
const WIDE = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z&paginacao.itensPorPagina=1000";
const books = async (): Promise<Json> => {
  const { books: sums } = (await simulator.control("GET", "/control/state")).body;
  assert.equal(sums.ok, true);
  return sums;
};
let sent = 0;
async function send(valor: string, chave = "someone@example.com"): Promise<{ id: string; status: number }> {
  const id = `tariff${++sent}`;
  const body = { valor, pagador: { chave: simulator.credentials.pixKey }, favorecido: { chave } };
  return { id, status: (await simulator.api("PUT", `/v3/gn/pix/${id}`, body)).status };
}
const read = (id: string) => simulator.api("GET", `/v2/gn/pix/enviados/id-envio/${id}`);
const ended = (id: string) =>
  until("the payout ends", async () => {
    const { body } = await read(id);
    return body.status !== "EM_PROCESSAMENTO" && body;
  });
const callbackOf = (id: string) =>
  until("its callback", () =>
    receiver.received
      .flatMap(({ body }) => body.pix)
      .filter((pix: Json) => pix.gnExtras?.idEnvio === id)
      .at(-1),
  );

test("a received Pix costs its tariff, never more than the Pix, and shows it where the behaviour says", async () => {
  await simulator.behave({ tariffs: { receivedCentavos: 30, sentCentavos: 0, shownIn: ["read", "callback"] } });
  const before = (await books()).balanceCentavos;
  const txid = await simulator.charge("10.00");
  const e2eId = await simulator.pay(txid);
  await simulator.pay(await simulator.charge("0.10"));
  const after = await books();
  assert.equal(after.balanceCentavos, before + 1000 - 30 + 10 - 10);
  assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).body.gnExtras.tarifa, "0.30");
  const [reported] = await until("its callback", () => receiver.pixOf(txid).length > 0 && receiver.pixOf(txid));
  assert.equal(reported.gnExtras.tarifa, "0.30");
  const listed = (await simulator.api("GET", `/v2/pix?${WIDE}`)).body.pix.find((pix: Json) => pix.endToEndId === e2eId);
  assert.equal(listed.gnExtras, undefined);
});

test("a payout costs its tariff from the moment it is accepted, and nothing when it fails", async () => {
  await simulator.behave({ payoutDelayMs: 0, tariffs: { receivedCentavos: 0, sentCentavos: 45, shownIn: ALL } });
  const before = (await books()).balanceCentavos;
  const made = await send("20.00");
  assert.equal((await ended(made.id)).gnExtras.tarifa, "0.45");
  assert.equal((await callbackOf(made.id)).gnExtras.tarifa, "0.45");
  assert.equal((await books()).balanceCentavos, before - 2045);
  const failed = await send("20.00", "fail@pixgate.test");
  assert.equal((await ended(failed.id)).gnExtras.tarifa, undefined);
  assert.equal((await books()).balanceCentavos, before - 2045);
  await simulator.kill();
  await simulator.restart();
  assert.equal((await books()).tariffsCentavos, 30 + 10 + 45);
});

test("a payout that the account can pay without the tariff only is refused", async () => {
  const { balanceCentavos } = await books();
  await simulator.behave({
    openingBalanceCentavos: 1000 - balanceCentavos,
    tariffs: { receivedCentavos: 0, sentCentavos: 45, shownIn: [] },
  });
  assert.equal((await send("9.56")).status, 422);
  assert.equal((await send("9.55")).status, 201);
});

test("a payout with a pretence reads otherwise than the books have it, until the pretence is taken away", async () => {
  await simulator.behave({ payoutDelayMs: 0 });
  const { id } = await send("5.00");
  await ended(id);
  const before = (await books()).balanceCentavos;
  const path = `/control/payouts/${id}/pretence`;
  for (const pretence of [{ status: "NAO_REALIZADO" }, { status: "EM_ANALISE", amountCentavos: 501 }]) {
    const put = await simulator.control("PUT", path, pretence);
    assert.deepEqual([put.status, put.body.pretence], [200, pretence]);
    const { body } = await read(id);
    const valor = "amountCentavos" in pretence ? "5.01" : "5.00";
    assert.deepEqual([body.status, body.valor], [pretence.status, valor]);
    await until("a callback that says so", async () => (await callbackOf(id)).status === pretence.status);
  }
  await simulator.control("PUT", path, { absent: true });
  assert.equal((await read(id)).status, 404);
  const listed = async () =>
    (await simulator.api("GET", `/v2/gn/pix/enviados?${WIDE}`)).body.pix.some((pix: Json) => pix.idEnvio === id);
  assert.equal(await listed(), false);
  assert.equal((await books()).balanceCentavos, before);
  assert.equal((await simulator.control("DELETE", path)).body.pretence, null);
  assert.deepEqual([(await read(id)).body.status, await listed()], ["REALIZADO", true]);
  assert.equal((await simulator.control("PUT", path, {})).status, 400);
  assert.equal((await simulator.control("PUT", "/control/payouts/none/pretence", { absent: true })).status, 404);
});

test("money that came back of a payout has its own id first and its rtrId later, and is shown where the behaviour says", async () => {
  await simulator.behave({ payoutDelayMs: 0, rtrIdDelayMs: 60_000, returnsIn: ["read", "callback"] });
  const { id } = await send("5.00");
  await ended(id);
  await simulator.control("POST", `/control/payouts/${id}/settle`, { outcome: "reverse", amountCentavos: 200 });
  const [early] = (await read(id)).body.devolucoes;
  assert.deepEqual([early.rtrId, early.valor], [undefined, "2.00"]);
  await simulator.ahead(60_000);
  const [later] = (await read(id)).body.devolucoes;
  await simulator.ahead(0);
  assert.deepEqual([later.id, typeof later.rtrId], [early.id, "string"]);
  const { pix } = (await simulator.api("GET", `/v2/gn/pix/enviados?${WIDE}&devolucaoPresente=true`)).body;
  assert.deepEqual(
    pix.map((one: Json) => [one.idEnvio, one.devolucoes]),
    [[id, undefined]],
  );
});
