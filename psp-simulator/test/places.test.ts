/** What a Pix shows differs from place to place, as it does at real banks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, stage, until } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const WIDE = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z&paginacao.itensPorPagina=1000";

/** A Pix in all four places, and the callback that the receiver got last for it. */
async function everywhere(e2eId: string, txid: string): Promise<Record<string, Json>> {
  const callback: Json = await until("the callback", () =>
    receiver.received
      .flatMap(({ body }) => body.pix)
      .filter((pix: Json) => pix.endToEndId === e2eId)
      .at(-1),
  );
  const list = (await simulator.api("GET", `/v2/pix?${WIDE}`)).body.pix.find((pix: Json) => pix.endToEndId === e2eId);
  const read = (await simulator.api("GET", `/v2/pix/${e2eId}`)).body;
  const charge = (await simulator.api("GET", `/v2/cob/${txid}`)).body.pix[0];
  return { list, read, charge, callback };
}

/** The places in which the Pix has a field. */
const placesOf = (shown: Record<string, Json>, field: string): string[] =>
  Object.keys(shown).filter((place) => shown[place][field] !== undefined);

const ALL = ["list", "read", "charge", "callback"];

test("without a wish every place shows the txid, the payer and the returns", async () => {
  await simulator.behave({ returnDelayMs: 0 });
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/r1`, { valor: "1.00" });
  await until("the callback of the return", async () => (await everywhere(e2eId, txid)).callback.devolucoes);
  const shown = await everywhere(e2eId, txid);
  for (const field of ["txid", "pagador", "devolucoes"]) assert.deepEqual(placesOf(shown, field), ALL, field);
});

test("each of them shows only in the places of the behaviour, whatever the others do", async () => {
  const wishes = [
    { txidIn: ["read", "callback"], payerIn: ["callback"], returnsIn: ["read"] },
    { txidIn: ["list"], payerIn: [], returnsIn: ["list", "charge"] },
  ];
  for (const wish of wishes) {
    await simulator.behave({ ...wish, returnDelayMs: 0 });
    const txid = await simulator.charge();
    const e2eId = await simulator.pay(txid);
    await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/r1`, { valor: "1.00" });
    await until(
      "both callbacks",
      () =>
        receiver.received.flatMap(({ body }) => body.pix).filter((pix: Json) => pix.endToEndId === e2eId).length === 2,
    );
    const shown = await everywhere(e2eId, txid);
    assert.deepEqual(placesOf(shown, "txid"), wish.txidIn);
    assert.deepEqual(placesOf(shown, "pagador"), wish.payerIn);
    assert.deepEqual(placesOf(shown, "devolucoes"), wish.returnsIn);
  }
});

test("a list still finds a Pix by the txid and the returns that it does not show", async () => {
  await simulator.behave({ txidIn: [], returnsIn: [], returnDelayMs: 0 });
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/r1`, { valor: "1.00" });
  const ids = async (filter: string) =>
    (await simulator.api("GET", `/v2/pix?${WIDE}&${filter}`)).body.pix.map((pix: Json) => pix.endToEndId);
  assert.deepEqual(await ids(`txid=${txid}`), [e2eId]);
  assert.ok((await ids("devolucaoPresente=true")).includes(e2eId));
  assert.ok(!(await ids("devolucaoPresente=false")).includes(e2eId));
});

test("a payer of null is named nowhere", async () => {
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid, { payer: null });
  assert.deepEqual(placesOf(await everywhere(e2eId, txid), "pagador"), []);
});

test("a charge that is expired, removed or paid is paid all the same where the payer is forced", async () => {
  const conditions: [string, (txid: string) => Promise<unknown>][] = [
    ["expired", (txid) => simulator.control("POST", `/control/charges/${txid}/expire`)],
    ["removed", (txid) => simulator.api("PATCH", `/v2/cob/${txid}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" })],
    ["paid", (txid) => simulator.pay(txid)],
  ];
  for (const [reason, bring] of conditions) {
    const txid = await simulator.charge();
    await bring(txid);
    const refused = await simulator.control("POST", `/control/charges/${txid}/pay`);
    assert.deepEqual([refused.status, refused.body.reason], [409, reason]);
    const e2eId = await simulator.pay(txid, { force: true });
    const reported: Json = await until("its callback", () =>
      receiver.pixOf(txid).find((pix) => pix.endToEndId === e2eId),
    );
    assert.equal(reported.txid, txid);
  }
  const nowhere = await simulator.control("POST", `/control/charges/${"0".repeat(30)}/pay`, { force: true });
  assert.deepEqual([nowhere.status, nowhere.body.code], [404, "CHARGE_NOT_FOUND"]);
});

test("a return has its own id at once and its rtrId only after the delay, and both stay the same", async () => {
  await simulator.behave({ returnDelayMs: 0, rtrIdDelayMs: 60_000 });
  const e2eId = await simulator.pay(await simulator.charge());
  const asked = await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/mine`, { valor: "1.00" });
  assert.deepEqual([asked.status, asked.body.id, asked.body.rtrId], [201, "mine", undefined]);
  const med = await simulator.control("POST", `/control/pix/${e2eId}/med-return`, { amountCentavos: 200 });
  const read = async () => (await simulator.api("GET", `/v2/pix/${e2eId}`)).body.devolucoes as Json[];
  const early = await read();
  assert.deepEqual(
    early.map((item) => [item.id, item.rtrId]),
    [
      ["mine", undefined],
      [med.body.id, undefined],
    ],
  );
  assert.notEqual(med.body.id, med.body.rtrId);
  await simulator.ahead(60_000);
  const later = await read();
  await simulator.ahead(0);
  assert.ok(later.every((item) => item.rtrId !== undefined));
  assert.deepEqual(
    later.map((item) => item.id),
    ["mine", med.body.id],
  );
  assert.equal(later[1]!.rtrId, med.body.rtrId);
});

test("a Pix without a txid is seen only where the behaviour says, and those of charges everywhere", async () => {
  await simulator.behave({ plainIn: ["read"] });
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  const plain = (await simulator.control("POST", "/control/pix", { amountCentavos: 700 })).body.e2eId;
  const list = async () =>
    (await simulator.api("GET", `/v2/pix?${WIDE}`)).body.pix.map((pix: Json) => pix.endToEndId as string);
  const seen = await list();
  assert.deepEqual([seen.includes(e2eId), seen.includes(plain)], [true, false]);
  assert.equal((await simulator.api("GET", `/v2/pix/${plain}`)).status, 200);
  await simulator.behave({ plainIn: ["list"] });
  assert.ok((await list()).includes(plain));
  assert.equal((await simulator.api("GET", `/v2/pix/${plain}`)).status, 404);
});

test("statuses are shown by the words of the behaviour, and change nothing else", async () => {
  await simulator.behave({
    ...{ returnDelayMs: 0, payoutDelayMs: 0 },
    statusWords: { ATIVA: "REMOVIDA_PELO_PSP_BOLETO", DEVOLVIDO: "DEVOLVIDO_EM_PARTE", REALIZADO: "LIQUIDADO" },
  });
  const txid = await simulator.charge();
  const status = async () => (await simulator.api("GET", `/v2/cob/${txid}`)).body.status;
  assert.equal(await status(), "REMOVIDA_PELO_PSP_BOLETO");
  const e2eId = await simulator.pay(txid);
  assert.equal(await status(), "CONCLUIDA");
  await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/r1`, { valor: "1.00" });
  const back = () => simulator.api("GET", `/v2/pix/${e2eId}/devolucao/r1`);
  await until("the return", async () => (await back()).body.status === "DEVOLVIDO_EM_PARTE");
  await simulator.behave({ statusWords: {} });
  assert.equal((await back()).body.status, "DEVOLVIDO");
});
