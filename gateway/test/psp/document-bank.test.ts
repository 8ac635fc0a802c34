/**
 * The API Pix adapter at a bank that the Central Bank's description alone decides: what only our simulator forgives, or tells
 * beside what the description requires, is missed here.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parse } from "../../src/lib/brcode.ts";
import { bank as apiPix } from "../../src/psp/api-pix/bank.ts";
import type { Psp } from "../../src/psp/psp.ts";
import { startDocumentBank } from "./document-bank.ts";

const MARIA = { name: "Maria Teste", document: "52998224725" };
let made = 0;
const newTxid = (): string => `document${String(++made).padStart(20, "0")}`;
const window = { from: new Date("2020-01-01T00:00:00Z"), to: new Date("2099-01-01T00:00:00Z"), page: 0 };

/** A bank, and the adapter there. */
function meeting(shown: NonNullable<Parameters<typeof startDocumentBank>[0]["shown"]>) {
  const met = {} as { bank: Awaited<ReturnType<typeof startDocumentBank>>; psp: Psp };
  before(async () => {
    met.bank = await startDocumentBank({ shown });
    const addresses = { baseUrl: `${met.bank.url}/v2`, tokenUrl: `${met.bank.url}/oauth/token` };
    const own = { clientId: "id", clientSecret: "secret", pixKey: "loja@example.com", tokenAuth: "basic" };
    met.psp = apiPix.create({ ...addresses, ...own }, { clock: { now: () => Date.now() }, log: () => {} });
  });
  after(async () => {
    await met.psp.close();
    met.bank.close();
  });
  return met;
}

describe("at a bank that shows a charge's location and no code", () => {
  const met = meeting(["location"]);

  test("a charge is issued with a code that points there, found, paid and returned", async () => {
    const { bank, psp } = met;
    const order = { txid: newTxid(), amount: 2_590, expiresIn: 900, description: "Pedido", payer: MARIA };
    const created = await psp.createCharge(order);
    assert.ok(created.kind === "accepted", JSON.stringify(created));
    const code = parse(created.value.pixCopyPaste ?? "");
    assert.ok(!("error" in code), JSON.stringify(created.value));
    assert.equal(created.value.status, "active");
    assert.deepEqual(await psp.findCharge(order.txid, "immediate"), { kind: "found", value: created.value });
    assert.deepEqual(await psp.findCharge(newTxid(), "immediate"), { kind: "absent" });
    const e2eId = bank.pay(order.txid);
    const paid = await psp.findCharge(order.txid, "immediate");
    assert.ok(paid.kind === "found", JSON.stringify(paid));
    assert.deepEqual(
      [paid.value.status, paid.value.pix.map((one) => [one.e2eId, one.amount])],
      ["paid", [[e2eId, 2_590]]],
    );
    const found = await psp.findPix(e2eId);
    assert.ok(found.kind === "found");
    assert.deepEqual([found.value.txid, found.value.amount, found.value.returns], [order.txid, 2_590, []]);
    const listed = await psp.listPix(window);
    assert.ok(listed.kind === "found");
    assert.deepEqual(
      listed.value.pix.map((one) => one.e2eId),
      [e2eId],
    );

    const back = { e2eId, id: "r1", amount: 1_000 };
    const returned = await psp.returnPix({ ...back, description: "Troca" });
    assert.ok(returned.kind === "accepted", JSON.stringify(returned));
    assert.deepEqual([returned.value.status, returned.value.amount], ["processing", 1_000]);
    bank.settle(e2eId, "r1", "DEVOLVIDO");
    // The description requires no time of its end.
    const ended = await psp.findReturn(back);
    assert.ok(ended.kind === "found", JSON.stringify(ended));
    assert.equal(ended.value.status, "settled");
    const again = await psp.findPix(e2eId);
    assert.ok(again.kind === "found");
    assert.deepEqual(
      again.value.returns.map(({ id, amount, status }) => [id, amount, status]),
      [["r1", 1_000, "settled"]],
    );
    assert.deepEqual(await psp.findReturn({ ...back, id: "none" }), { kind: "absent" });
    const returnedOnes = await psp.listPix({ ...window, onlyReturned: true });
    assert.ok(returnedOnes.kind === "found" && returnedOnes.value.pix.length === 1);
  });

  test("a charge is removed, and is shown so", async () => {
    const { psp } = met;
    const order = { txid: newTxid(), amount: 100, expiresIn: 900, description: "" };
    assert.equal((await psp.createCharge(order)).kind, "accepted");
    assert.equal((await psp.cancelCharge(order.txid, "immediate")).kind, "accepted");
    const shown = await psp.findCharge(order.txid, "immediate");
    assert.ok(shown.kind === "found");
    assert.equal(shown.value.status, "removed");
  });

  test("a charge with a due date is issued, found, changed and paid", async () => {
    const { bank, psp } = met;
    const due = { date: "2099-12-10", daysAfter: 30, fine: { percentBps: 200 } };
    const order = { txid: newTxid(), amount: 10_000, expiresIn: 900, description: "Fatura", payer: MARIA, due };
    const created = await psp.createCharge(order);
    assert.ok(created.kind === "accepted", JSON.stringify(created));
    assert.deepEqual([created.value.amount, created.value.due], [10_000, due]);
    assert.deepEqual(await psp.findCharge(order.txid, "immediate"), { kind: "absent" });
    const changed = await psp.reviseCharge!({ txid: order.txid, amount: 9_000, due });
    assert.ok(changed.kind === "accepted", JSON.stringify(changed));
    const e2eId = bank.pay(order.txid);
    const paid = await psp.findCharge(order.txid, "due");
    assert.ok(paid.kind === "found");
    assert.deepEqual([paid.value.status, paid.value.amount, paid.value.pix[0]?.e2eId], ["paid", 9_000, e2eId]);
  });

  test("a till's location is made, and an address for notifications registered and found", async () => {
    const { psp } = met;
    assert.equal((await psp.createLocation!()).kind, "accepted");
    assert.equal((await psp.findNotifications!()).kind, "absent");
    const url = "https://gateway.example/psp/secret";
    assert.equal((await psp.registerNotifications!(url)).kind, "accepted");
    const found = await psp.findNotifications!();
    assert.ok(found.kind === "found");
    assert.ok(found.value.startsWith(url));
  });
});

describe("at a bank that shows neither code nor location", () => {
  const met = meeting([]);

  test("a charge is found there, and has no code", async () => {
    const { psp } = met;
    const order = { txid: newTxid(), amount: 2_590, expiresIn: 900, description: "Pedido" };
    const created = await psp.createCharge(order);
    assert.ok(created.kind === "accepted", JSON.stringify(created));
    assert.equal(created.value.pixCopyPaste, undefined);
    assert.deepEqual(await psp.findCharge(order.txid, "immediate"), { kind: "found", value: created.value });
  });
});
