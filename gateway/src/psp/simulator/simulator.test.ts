/** The adapter against the simulator, started as its own process: what a PSP does with what we send. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { eventually } from "../../../test/harness/eventually.ts";
import { startSimulatorPsp as start } from "../../../test/harness/simulator-psp.ts";
import { parse } from "../../lib/brcode.ts";

let charges = 0;
/** A txid that no other charge of this run has. */
const newTxid = () => `test${String(++charges).padStart(24, "0")}`;

test("a charge's life: created, found, paid, returned", async (t) => {
  const { psp, credentials } = await start(t);
  const txid = newTxid();
  const payer = { name: "Maria Teste", document: "12345678909" };
  const order = { txid, amount: 2590, expiresIn: 900, description: "Pedido 1042", payer };

  const created = await psp.createCharge(order);
  assert.ok(created.kind === "accepted", JSON.stringify(created));
  const code = parse(created.value.pixCopyPaste ?? "");
  assert.ok(!("error" in code) && code.amount === 2590);
  assert.deepEqual([created.value.status, created.value.pixKey, created.value.pix], ["active", credentials.pixKey, []]);
  const { createdAt, expiresAt } = created.value;
  assert.equal(Number(expiresAt) - Number(createdAt), 900_000);

  // The same again changes nothing.
  assert.deepEqual(await psp.createCharge(order), created);
  assert.deepEqual(await psp.findCharge(txid), { kind: "found", value: created.value });
  assert.deepEqual(await psp.findCharge(newTxid()), { kind: "absent" });

  const from = new Date(Number(createdAt) - 1000);
  const paid = await psp.sandbox?.payCharge({ txid, payer: { name: "João Pagador", document: "52998224725" } });
  assert.ok(paid?.kind === "accepted", JSON.stringify(paid));
  const { e2eId } = paid.value;
  const again = await psp.sandbox?.payCharge({ txid });
  assert.ok(again?.kind === "rejected" && again.httpStatus === 409 && again.code === "CHARGE_NOT_PAYABLE");
  const none = await psp.sandbox?.payCharge({ txid: newTxid() });
  assert.ok(none?.kind === "rejected" && none.httpStatus === 404);

  const pix = await psp.findPix(e2eId);
  assert.ok(pix.kind === "found");
  assert.deepEqual(
    [pix.value.e2eId, pix.value.txid, pix.value.amount, pix.value.payer, pix.value.returns],
    [e2eId, txid, 2590, { name: "João Pagador", document: "52998224725" }, []],
  );
  assert.ok(pix.value.paidAt >= from);
  const charge = await psp.findCharge(txid);
  assert.ok(charge.kind === "found" && charge.value.status === "paid");
  assert.deepEqual(charge.value.pix[0]?.e2eId, e2eId);
  assert.equal((await psp.findPix("E00000000202601010000abcdefghijk")).kind, "absent");

  const listed = await psp.listPix({ from, to: new Date(from.getTime() + 60_000), page: 0 });
  assert.ok(listed.kind === "found" && listed.value.nextPage === null);
  assert.deepEqual(listed.value.pix, [pix.value]);

  const returned = await psp.returnPix({ e2eId, id: "ref1", amount: 1000, description: "Pedido cancelado" });
  assert.ok(returned.kind === "accepted", JSON.stringify(returned));
  assert.deepEqual([returned.value.status, returned.value.amount, returned.value.med], ["processing", 1000, false]);
  // A repeat of the same return is the same return; with another amount it is not ours to judge.
  const repeated = await psp.returnPix({ e2eId, id: "ref1", amount: 1000 });
  assert.ok(repeated.kind === "accepted" && repeated.value.rtrId === returned.value.rtrId);
  assert.equal((await psp.returnPix({ e2eId, id: "ref1", amount: 1001 })).kind, "unknown");
  const tooMuch = await psp.returnPix({ e2eId, id: "ref2", amount: 1591 });
  assert.ok(tooMuch.kind === "rejected" && tooMuch.code === "PixDevolucaoInvalida", JSON.stringify(tooMuch));

  await eventually("the return settled", async () => {
    const found = await psp.findReturn({ e2eId, id: "ref1" });
    assert.ok(found.kind === "found");
    return found.value.status === "settled" && found.value.settledAt !== undefined;
  });
  assert.equal((await psp.findReturn({ e2eId, id: "ref2" })).kind, "absent");
});

test("a charge is removed once, and a paid one not at all", async (t) => {
  const { psp } = await start(t);
  const order = { amount: 100, expiresIn: 60, description: "" };
  const txid = newTxid();
  await psp.createCharge({ ...order, txid });
  const removed = await psp.cancelCharge(txid);
  assert.ok(removed.kind === "accepted" && removed.value.status === "removed", JSON.stringify(removed));
  assert.equal((await psp.sandbox?.payCharge({ txid }))?.kind, "rejected");
  const paid = newTxid();
  await psp.createCharge({ ...order, txid: paid });
  await psp.sandbox?.payCharge({ txid: paid });
  assert.equal((await psp.cancelCharge(paid)).kind, "rejected");
  assert.equal((await psp.cancelCharge(newTxid())).kind, "rejected");
});

test("notifications arrive where they were registered, and are read", async (t) => {
  const { psp } = await start(t);
  const bodies: { path: string; body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push({ path: request.url ?? "", body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/psp/secret`;
  assert.deepEqual(await psp.registerNotifications(url), { kind: "accepted", value: null });
  assert.equal((await psp.registerNotifications("ftp://x")).kind, "rejected");

  const txid = newTxid();
  await psp.createCharge({ txid, amount: 77, expiresIn: 60, description: "" });
  const paid = await psp.sandbox?.payCharge({ txid, amount: 77 });
  assert.ok(paid?.kind === "accepted");
  await eventually("a notification", () => bodies.length > 0);
  assert.equal(bodies[0]?.path, "/psp/secret/pix");
  const [pix] = psp.readNotification(JSON.parse(bodies[0]?.body ?? "")).pix;
  assert.deepEqual([pix?.e2eId, pix?.txid, pix?.amount], [paid.value.e2eId, txid, 77]);
});

test("pages of a list follow each other and hold every Pix once", async (t) => {
  const { psp } = await start(t, { pageSize: 3 });
  const from = new Date(Date.now() - 60_000);
  const e2eIds = new Set<string>();
  for (let i = 0; i < 7; i += 1) {
    const txid = newTxid();
    await psp.createCharge({ txid, amount: 100 + i, expiresIn: 60, description: "" });
    const paid = await psp.sandbox?.payCharge({ txid });
    assert.ok(paid?.kind === "accepted");
    e2eIds.add(paid.value.e2eId);
  }
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let page: number | null = 0; page !== null; ) {
    const found = await psp.listPix({ from, to: new Date(Date.now() + 60_000), page });
    assert.ok(found.kind === "found");
    seen.push(...found.value.pix.map((pix) => pix.e2eId));
    sizes.push(found.value.pix.length);
    page = found.value.nextPage;
  }
  assert.deepEqual(sizes, [3, 3, 1]);
  assert.equal(seen.length, 7);
  assert.deepEqual(new Set(seen), e2eIds);
});

test("whatever the PSP does wrong, an outcome is never claimed that did not happen", async (t) => {
  const { psp, control, faults } = await start(t, { timeoutMs: 300 });
  const calm = () => control("DELETE", "/behaviour");

  // Whether the charge is there after the fault has passed.
  for (const [kind, more, exists] of [
    ["timeoutBefore", { ms: 1000 }, false],
    ["timeoutAfter", { ms: 1000 }, true],
    ["reset", {}, false],
    ["resetAfter", {}, true],
    ["error5xxBefore", { status: 503, html: true }, false],
    ["error5xxAfter", { status: 500 }, true],
    ["tooMany", { retryAfter: 1 }, false],
    ["brokenJson", {}, true],
  ] as const) {
    const txid = newTxid();
    await faults("putCob", kind, more);
    const outcome = await psp.createCharge({ txid, amount: 500, expiresIn: 60, description: "" });
    assert.equal(outcome.kind, "unknown", `${kind}: ${JSON.stringify(outcome)}`);
    await calm();
    const found = await psp.findCharge(txid);
    assert.equal(found.kind, exists ? "found" : "absent", kind);
    // And a repeat with the same txid settles it.
    assert.equal(
      (await psp.createCharge({ txid, amount: 500, expiresIn: 60, description: "" })).kind,
      "accepted",
      kind,
    );
  }

  const txid = newTxid();
  await psp.createCharge({ txid, amount: 500, expiresIn: 60, description: "" });
  const paid = await psp.sandbox?.payCharge({ txid });
  assert.ok(paid?.kind === "accepted");
  await faults("putReturn", "resetAfter", { times: 1 });
  const order = { e2eId: paid.value.e2eId, id: "r1", amount: 500 };
  assert.equal((await psp.returnPix(order)).kind, "unknown");
  // The PSP refuses the repeat, as the sum would be too large and the id is taken; the return is there all the same.
  assert.equal((await psp.returnPix(order)).kind, "accepted");
  await calm();
});

test("in Efí's dialect a conflict is settled by asking, and its 400 for what is not there means absent", async (t) => {
  const { psp, control } = await start(t);
  await control("PUT", "/behaviour", { putMode: "efi", dialect: "efi" });
  const txid = newTxid();
  const order = { txid, amount: 500, expiresIn: 60, description: "" };
  assert.equal((await psp.createCharge(order)).kind, "accepted");
  assert.deepEqual(await psp.createCharge(order), { kind: "unknown", reason: "http_409_txid_duplicado" });
  assert.equal((await psp.findCharge(txid)).kind, "found");
  assert.equal((await psp.findCharge(newTxid())).kind, "absent");
  const paid = await psp.sandbox?.payCharge({ txid });
  assert.ok(paid?.kind === "accepted");
  const giveBack = { e2eId: paid.value.e2eId, id: "r1", amount: 500 };
  assert.equal((await psp.findPix("E00000000202601010000abcdefghijk")).kind, "absent");
  assert.equal((await psp.findReturn(giveBack)).kind, "absent");
  assert.equal((await psp.cancelCharge(txid)).kind, "rejected");
  assert.equal((await psp.returnPix({ ...giveBack, id: "r0", amount: 501 })).kind, "rejected");
  assert.equal((await psp.returnPix(giveBack)).kind, "accepted");
  assert.equal((await psp.returnPix(giveBack)).kind, "accepted");
});

test("a token that ends early costs a refresh, not a call", async (t) => {
  const { psp, control, clock, events } = await start(t);
  await control("PUT", "/behaviour", { tokenExpiresIn: 1 });
  // To our clock no time passes, so the adapter believes in its first token for ever.
  clock.stop();
  const txid = newTxid();
  assert.equal((await psp.createCharge({ txid, amount: 1, expiresIn: 60, description: "" })).kind, "accepted");
  await eventually("a second token", async () => {
    assert.equal((await psp.findCharge(txid)).kind, "found");
    return events.filter((event) => event.event === "psp_token").length > 1;
  });
  const refusals = events.filter((event) => event.event === "psp_call" && event.outcome !== "ok");
  assert.deepEqual(refusals, []);
});

test("without the PSP everything is unsent or unknown", async (t) => {
  const { psp, stop } = await start(t);
  const txid = newTxid();
  const order = { txid, amount: 100, expiresIn: 60, description: "" };
  assert.equal((await psp.createCharge(order)).kind, "accepted");
  await stop();
  // The first call may still find a connection that is just being closed.
  await psp.findCharge(txid);
  assert.deepEqual(await psp.createCharge(order), { kind: "unsent", reason: "ECONNREFUSED" });
  assert.deepEqual(await psp.findCharge(txid), { kind: "unknown", reason: "ECONNREFUSED" });
});
