/** Asaas's token, and its question whether a transfer may leave, in the shape of its documentation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWireServer } from "../../../test/psp/wire-server.ts";
import { bank } from "./bank.ts";

const TOKEN = "a-token-that-asaas-sends";
const ID = "0bed986c-737d-49bf-a1cc-beca916797c4";
const KEY = "+5511999998888";
const TRANSFER = {
  ...{ object: "transfer", id: ID, dateCreated: "2026-08-02", status: "PENDING", effectiveDate: null },
  ...{ type: "BANK_ACCOUNT", value: 12.34, netValue: 12.34, transferFee: 0, authorized: true, failReason: null },
  ...{ operationType: "PIX", externalReference: "wd0001", description: "Pixgate wd0001" },
  bankAccount: { ownerName: "Maria", cpfCnpj: "***.143.689-**", pixAddressKey: "11999998888" },
};
const SETTINGS = { asaasKey: "k", pixKey: "52998224725", asaasToken: TOKEN };
const deps = { clock: { now: () => 0 }, log: () => {} };
const headers = { "asaas-access-token": TOKEN };
const create = (more: object = {}) => bank.create({ ...SETTINGS, ...more }, deps);
const ask = (transfer: object, more: object = {}) => JSON.stringify({ type: "TRANSFER", transfer, ...more });

test("a question names our id, the bank's, the amount and the key; what cannot be read or is not Asaas's is refused", async (t) => {
  const psp = create();
  t.after(() => psp.close());
  const read = (raw: string, of: Record<string, string> = headers) => psp.approvals!.read({ raw, headers: of });
  const asked = read(ask(TRANSFER));
  assert.ok(asked !== null && typeof asked === "object");
  assert.deepEqual([asked.id, asked.reference, asked.amount], ["wd0001", ID, 1_234]);
  assert.deepEqual([KEY, "+5511999998889", "11999998888@x.com"].map(asked.isTo), [true, false, false]);
  for (const [shown, key, is, cpfCnpj] of [
    // Eleven digits are a document or a telephone.
    ["+5511987654321", "11987654321", false, undefined],
    ["11987654321", "+11987654321", false],
    ["52998224725", "+5552998224725", true],
    ["(11) 99999-8888", "+5511999998888", true],
    ["5511999998888", "+5511999998888", true],
    ["11999998888", "52998224725", false],
    // Asaas shows a telephone without its country: then the owner's document tells.
    ["52998224725", "52998224725", true, "***.982.247-**"],
    ["52998224725", "52998224725", false, "***.143.689-**"],
    ["52998224725", "52998224725", false, "12.345.678/0001-95"],
    ["52998224725", "+5552998224725", true, "***.143.689-**"],
    ["maria@example.com", "maria@example.com", true, "***.143.689-**"],
    ["12.345.678/0001-95", "12345678000195", true, "12.345.678/0001-95"],
    ["12.345.678/0001-95", "12345678000195", false, "12.345.678/0002-76"],
    ["12.ABC.345/01DE-35", "12ABC34501DE35", true, undefined],
    ["12.abc.345/01de-35", "12ABC34501DE35", true, "12.ABC.345/01DE-35"],
    ["529.982.247-25", "52998224725", true],
    ["Maria@Example.com", "maria@example.com", true],
    ["52998224725", "11144477735", false],
    [null, "52998224725", false],
    [undefined, "52998224725", false],
  ] as const) {
    const one = read(ask({ ...TRANSFER, bankAccount: { pixAddressKey: shown, cpfCnpj } }));
    assert.ok(one !== null && typeof one === "object");
    assert.equal(one.isTo(key), is, `${shown} of ${cpfCnpj} for ${key}`);
  }
  for (const [raw, of, why] of [
    [ask(TRANSFER), {}, "other_token"],
    [ask(TRANSFER), { "asaas-access-token": `${TOKEN}x` }, "other_token"],
    [ask({ ...TRANSFER, value: "?" }), {}, "other_token"],
    [ask({ ...TRANSFER, value: "?" }), headers, "unreadable"],
    [ask({ ...TRANSFER, id: "../1" }), headers, "unreadable"],
    [ask({ ...TRANSFER, externalReference: null, description: null }), headers, "unreadable"],
    [JSON.stringify({ type: "BILL", bill: { id: ID } }), headers, "unreadable"],
    [JSON.stringify({ type: "PIX_REFUND", pixRefund: { id: ID } }), headers, "unreadable"],
  ] as const) {
    assert.equal(read(raw, of as Record<string, string>), why, raw);
  }
  // Notifications are none.
  for (const raw of ["", "not json", "[]", JSON.stringify({ event: "TRANSFER_DONE", transfer: TRANSFER })]) {
    assert.equal(read(raw), null, raw);
  }
  assert.deepEqual(psp.approvals!.answer(true), { status: "APPROVED" });
  assert.equal((psp.approvals!.answer(false) as { status: string }).status, "REFUSED");
});

test("with a token, a notification without it is dropped, and the address is registered with it each time", async (t) => {
  const wire = await startWireServer(t);
  const psp = create({ asaasUrl: `${wire.origin}/v3` });
  const without = create({ asaasToken: undefined });
  t.after(() => Promise.all([psp.close(), without.close()]));
  const check = (of: Record<string, string | string[]>) => psp.checkSignature!({ raw: "{}", headers: of });
  assert.equal(await check(headers), "valid");
  for (const of of [
    {},
    { "asaas-access-token": "" },
    { "asaas-access-token": [TOKEN] },
    { "asaas-access-token": "x" },
  ]) {
    assert.equal(await check(of as Record<string, string>), "forged");
  }
  assert.deepEqual([without.checkSignature, without.approvals], [undefined, undefined]);
  const url = "https://pay.example/psp/1/secret";
  const ours = { id: "wh-1", name: "Pixgate", url, enabled: true, interrupted: false, events: [] };
  wire.answer = ({ method }) => ({ json: method === "GET" ? { data: [ours], hasMore: false } : {} });
  assert.equal((await psp.registerNotifications!(url)).kind, "accepted");
  const put = wire.heard.find(({ method }) => method === "PUT")!;
  assert.equal(JSON.parse(put.body).authToken, TOKEN);
  assert.throws(() => create({ asaasToken: "short" }), /^TypeError: asaasToken: /);
});
