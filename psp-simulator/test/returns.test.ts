import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { type Json, type Reply, stage, until } from "./harness.ts";

const { simulator, receiver } = stage();
// A return of an earlier test that settled between two balances would be in the difference.
afterEach(async () => {
  await simulator.behave({});
  await until("the returns that settle by themselves have ended", async () => {
    const { items } = (await simulator.control("GET", "/control/pix")).body as { items: Json[] };
    const open = items.flatMap((pix) => pix.returns).filter((item) => item.status === "EM_PROCESSAMENTO");
    return open.every((item) => item.descricao === "manual");
  });
});

const PROBLEM = "https://pix.bcb.gov.br/api/v2/error/";

const put = (e2eId: string, id: string, body: unknown) =>
  simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/${id}`, body);
const get = (e2eId: string, id: string) => simulator.api("GET", `/v2/pix/${e2eId}/devolucao/${id}`);
const settle = (e2eId: string, id: string, body: unknown) =>
  simulator.control("POST", `/control/pix/${e2eId}/returns/${id}/settle`, body);
const balance = async (): Promise<number> => {
  const { books } = (await simulator.control("GET", "/control/state")).body;
  assert.equal(books.ok, true);
  assert.equal(books.balanceCentavos, books.receiptsCentavos - books.returnsCentavos);
  return books.balanceCentavos;
};

async function paid(valor: string): Promise<{ txid: string; e2eId: string }> {
  const txid = await simulator.charge(valor);
  return { txid, e2eId: await simulator.pay(txid) };
}

function assertRefused(answer: Reply, propriedade: string): void {
  assert.deepEqual([answer.status, answer.body.type], [400, `${PROBLEM}PixDevolucaoInvalida`], answer.text);
  assert.equal(answer.body.violacoes[0].propriedade, propriedade);
}

test("a return is under way at first, settles by itself, lowers the balance and is reported with the whole Pix", async () => {
  const { txid, e2eId } = await paid("10.00");
  const before = await balance();
  await simulator.behave({ returnDelayMs: 500 });
  const asked = await put(e2eId, "ref1", { valor: "4.00", descricao: "troca" });
  assert.equal(asked.status, 201);
  assert.equal(asked.body.status, "EM_PROCESSAMENTO");
  assert.equal(asked.body.horario.liquidacao, undefined);
  assert.match(asked.body.rtrId, /^D\d{8}\d{12}[a-zA-Z0-9]{11}$/);
  assert.equal(asked.body.rtrId.slice(1, 9), simulator.credentials.ispb);
  // One answer has both, so that a slow machine cannot put the settlement between them.
  const { returns, books } = (await simulator.control("GET", "/control/state")).body;
  assert.equal(books.balanceCentavos, returns.open === 1 ? before : before - 400);

  const settled = await until("it settles", async () => {
    const answer = await get(e2eId, "ref1");
    return answer.body.status === "DEVOLVIDO" ? answer.body : undefined;
  });
  assert.deepEqual(
    [settled.id, settled.valor, settled.natureza, settled.descricao],
    ["ref1", "4.00", "ORIGINAL", "troca"],
  );
  assert.ok(settled.horario.liquidacao >= settled.horario.solicitacao);
  assert.equal(await balance(), before - 400);

  const reported: Json = await until("the callback of the return comes", () =>
    receiver.pixOf(txid).find((pix) => pix.devolucoes),
  );
  assert.deepEqual(reported, (await simulator.api("GET", `/v2/pix/${e2eId}`)).body);
  assert.deepEqual(reported.devolucoes, [settled]);
});

test("returns in parts may reach the Pix and not a centavo more", async () => {
  const { e2eId } = await paid("10.00");
  assert.equal((await put(e2eId, "a", { valor: "6.00" })).status, 201);
  assertRefused(await put(e2eId, "b", { valor: "4.01" }), "devolucao.valor");
  assert.equal((await get(e2eId, "b")).status, 404);
  assert.equal((await put(e2eId, "b", { valor: "4.00" })).status, 201);
  assertRefused(await put(e2eId, "c", { valor: "0.01" }), "devolucao.valor");
});

test("an id is used once for each Pix: the standard answers 400, Efí 409, and the first return stands", async () => {
  const { e2eId } = await paid("10.00");
  await put(e2eId, "same", { valor: "1.00", descricao: "manual" });
  assertRefused(await put(e2eId, "same", { valor: "1.00" }), "id");
  await simulator.behave({ putMode: "efi" });
  const efi = await put(e2eId, "same", { valor: "2.00" });
  assert.deepEqual([efi.status, efi.body.nome], [409, "devolucao_id_duplicado"]);
  assert.equal((await get(e2eId, "same")).body.valor, "1.00");
  const other = await paid("10.00");
  assert.equal((await put(other.e2eId, "same", { valor: "1.00" })).status, 201);
});

test("a wrong return is refused with the field, an unknown one is not found", async () => {
  const { e2eId } = await paid("10.00");
  const cases: [string, unknown, string][] = [
    ["x", {}, "devolucao.valor"],
    ["x", { valor: "0.00" }, "devolucao.valor"],
    ["x", { valor: 1 }, "devolucao.valor"],
    ["x", { valor: "1.00", natureza: "RETIRADA" }, "devolucao.natureza"],
    ["x", { valor: "1.00", natureza: "MED_FRAUDE" }, "devolucao.natureza"],
    ["x", { valor: "1.00", descricao: "x".repeat(141) }, "devolucao.descricao"],
    ["x".repeat(36), { valor: "1.00" }, "id"],
    ["a-b", { valor: "1.00" }, "id"],
  ];
  for (const [id, body, propriedade] of cases) assertRefused(await put(e2eId, id, body), propriedade);
  const nowhere = await put(`E${"0".repeat(31)}`, "x", { valor: "1.00" });
  assert.deepEqual([nowhere.status, nowhere.body.type], [404, `${PROBLEM}NaoEncontrado`]);
  const unknown = await get(e2eId, "never");
  assert.deepEqual([unknown.status, unknown.body.type], [404, `${PROBLEM}PixDevolucaoNaoEncontrada`]);
});

test("after 90 days a Pix takes no return", async () => {
  const day = 24 * 60 * 60 * 1000;
  const send = async (ageMs: number) => {
    const paidAt = new Date(Date.now() - ageMs).toISOString();
    return (await simulator.control("POST", "/control/pix", { amountCentavos: 500, paidAt })).body.e2eId;
  };
  assertRefused(await put(await send(90 * day + 60_000), "late", { valor: "1.00" }), "devolucao");
  assert.equal((await put(await send(90 * day - 60_000), "late", { valor: "1.00" })).status, 201);
});

test("a return with the text manual waits for the control API, which confirms it once", async () => {
  await simulator.behave({ returnDelayMs: 0 });
  const { e2eId } = await paid("10.00");
  await put(e2eId, "waits", { valor: "10.00", descricao: "manual" });
  await put((await paid("1.00")).e2eId, "goes", { valor: "1.00" });
  const before = await balance();
  assert.equal((await get(e2eId, "waits")).body.status, "EM_PROCESSAMENTO");
  const confirmed = await settle(e2eId, "waits", { outcome: "confirm" });
  assert.deepEqual([confirmed.status, confirmed.body.status], [200, "DEVOLVIDO"]);
  assert.ok((await balance()) <= before - 1000);
  const again = await settle(e2eId, "waits", { outcome: "fail" });
  assert.deepEqual([again.status, again.body.code, again.body.status], [409, "RETURN_ALREADY_FINAL", "DEVOLVIDO"]);
  assert.equal((await settle(e2eId, "never", { outcome: "fail" })).status, 404);
  assert.equal((await settle(e2eId, "waits", { outcome: "perhaps" })).status, 400);
});

test("a failed return reports why, moves no money and frees its amount", async () => {
  const { txid, e2eId } = await paid("10.00");
  await put(e2eId, "fails", { valor: "10.00", descricao: "manual" });
  const before = await balance();
  const failed = await settle(e2eId, "fails", { outcome: "fail", reason: "Conta encerrada" });
  assert.deepEqual([failed.body.status, failed.body.motivo], ["NAO_REALIZADO", "Conta encerrada"]);
  assert.equal(failed.body.horario.liquidacao, undefined);
  assert.equal(await balance(), before);
  const reported: Json = await until("the callback comes", () => receiver.pixOf(txid).find((pix) => pix.devolucoes));
  assert.equal(reported.devolucoes[0].status, "NAO_REALIZADO");
  assert.equal((await put(e2eId, "again", { valor: "10.00" })).status, 201);
});

test("a MED return is made by the PSP, shown among the returns, reported, and never exceeds the Pix", async () => {
  const { txid, e2eId } = await paid("10.00");
  await put(e2eId, "mine", { valor: "3.00", descricao: "manual" });
  const before = await balance();
  const path = `/control/pix/${e2eId}/med-return`;
  const over = await simulator.control("POST", path, { amountCentavos: 701 });
  assert.deepEqual([over.status, over.body.code], [409, "RETURN_EXCEEDS_PIX"]);
  const made = await simulator.control("POST", path, { amountCentavos: 700 });
  assert.deepEqual([made.body.natureza, made.body.status, made.body.valor], ["MED_FRAUDE", "DEVOLVIDO", "7.00"]);
  assert.equal(await balance(), before - 700);
  const reported: Json = await until("the callback comes", () => receiver.pixOf(txid).find((pix) => pix.devolucoes));
  assert.deepEqual(reported.devolucoes[1], made.body);
  assert.equal(
    (await simulator.control("POST", "/control/pix/none/med-return", { amountCentavos: 1 })).body.code,
    "PIX_NOT_FOUND",
  );
});
