/** Payouts and MED cases against the simulator, started as its own process: what a PSP does with what we send. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../test/harness/eventually.ts";
import { startSimulatorPsp } from "../../../test/harness/simulator-psp.ts";
import type { ApiPixSettings } from "../api-pix/config.ts";
import type { Psp, PspPayout } from "../psp.ts";

const CPF = "52998224725";
const NOTHING = { openingBalanceCentavos: 0 };

async function start(t: TestContext, settings: ApiPixSettings = {}) {
  const started = await startSimulatorPsp(t, settings);
  const { payouts, infractions, sandbox, balance } = started.psp;
  assert.ok(payouts && infractions && sandbox && balance);
  const funds = async () => {
    const found = await balance();
    assert.ok(found.kind === "found", JSON.stringify(found));
    return found.value;
  };
  /** How often the PSP has sent under this id. */
  const sent = async (id: string): Promise<number> => {
    const { items } = await started.control("GET", `/payouts?idEnvio=${id}`);
    return items.length;
  };
  return { ...started, payouts, infractions, sandbox, funds, sent };
}

const order = (id: string, amount = 1234, pixKey = CPF) => ({ id, amount, pixKey, holderDocument: CPF });

async function settled(payouts: NonNullable<Psp["payouts"]>, id: string): Promise<PspPayout> {
  return eventually("the payout ends", async () => {
    const found = await payouts.findPayout(id);
    assert.ok(found.kind === "found", JSON.stringify(found));
    return found.value.status !== "processing" && found.value;
  });
}

async function receipt(psp: Psp, amount: number): Promise<string> {
  const txid = `receipt${String(amount).padStart(25, "0")}`;
  await psp.createCharge({ txid, amount, expiresIn: 60, description: "" });
  const paid = await psp.sandbox?.payCharge({ txid });
  assert.ok(paid?.kind === "accepted", JSON.stringify(paid));
  return paid.value.e2eId;
}

test("a payout's life: sent, found, settled, given back in parts", async (t) => {
  const { payouts, sandbox, funds } = await start(t);
  const { total } = await funds();
  const from = new Date(Date.now() - 1000);
  assert.deepEqual(await payouts.findPayout("wd1"), { kind: "absent" });
  const sent = await payouts.sendPayout(order("wd1"));
  assert.ok(sent.kind === "accepted", JSON.stringify(sent));
  assert.deepEqual([sent.value.id, sent.value.amount, sent.value.status], ["wd1", 1234, "processing"]);
  assert.match(sent.value.e2eId ?? "", /^E\w{31}$/);
  assert.deepEqual((await funds()).total, total - 1234);

  const done = await settled(payouts, "wd1");
  assert.deepEqual([done.status, done.e2eId, done.failure, done.returns], ["settled", sent.value.e2eId, undefined, []]);
  assert.ok(done.settledAt !== undefined && done.settledAt >= from);
  // The masked document is left out.
  assert.deepEqual(done.receiver, { name: "Favorecido Teste", document: undefined });

  assert.equal((await sandbox.settlePayout({ id: "wd1", outcome: "complete" })).kind, "rejected");
  assert.deepEqual(await sandbox.settlePayout({ id: "wd1", outcome: "reverse", amount: 234 }), {
    kind: "accepted",
    value: null,
  });
  assert.equal((await sandbox.settlePayout({ id: "wd1", outcome: "reverse", amount: 1001 })).kind, "rejected");
  await sandbox.settlePayout({ id: "wd1", outcome: "reverse" });
  const back = await payouts.findPayout("wd1");
  assert.ok(back.kind === "found");
  assert.equal(back.value.status, "settled");
  assert.deepEqual(
    back.value.returns.map((item) => [item.amount, item.returnedAt >= from, /^D\w{31}$/.test(item.rtrId)]),
    [
      [234, true, true],
      [1000, true, true],
    ],
  );
  assert.equal((await funds()).total, total);
  const listed = await payouts.listPayouts({ from, to: new Date(Date.now() + 1000), page: 0 });
  assert.ok(listed.kind === "found");
  assert.deepEqual(listed.value, { payouts: [back.value], nextPage: null });
});

test("the same id never sends twice: told as a duplicate, it was accepted", async (t) => {
  const { payouts, funds } = await start(t);
  const { total } = await funds();
  const first = await payouts.sendPayout(order("wd1", 500, "manual@pixgate.test"));
  assert.ok(first.kind === "accepted");
  const again = await payouts.sendPayout(order("wd1", 500, "manual@pixgate.test"));
  assert.ok(again.kind === "accepted" && again.value.e2eId === first.value.e2eId, JSON.stringify(again));
  assert.deepEqual(await payouts.sendPayout(order("wd1", 501)), {
    kind: "unknown",
    reason: "id_used_for_another_payout",
  });
  assert.equal((await funds()).total, total - 500);
});

test("what the PSP refuses is rejected in our words, and nothing moved", async (t) => {
  const { payouts, control, funds, sent } = await start(t);
  await control("PATCH", "/behaviour", NOTHING);
  for (const [pixKey, code, httpStatus] of [
    ["unknown@pixgate.test", "key_not_found", 404],
    ["other-owner@pixgate.test", "holder_mismatch", 400],
    ["11144477735", "holder_mismatch", 400],
    ["joão@example.com", "psp_error", 400],
    ["someone@example.com", "insufficient_psp_balance", 422],
  ] as const) {
    const outcome = await payouts.sendPayout(order("wd1", 100, pixKey));
    assert.ok(outcome.kind === "rejected", JSON.stringify(outcome));
    assert.deepEqual([outcome.code, outcome.httpStatus], [code, httpStatus]);
    assert.equal(await sent("wd1"), 0);
  }
  assert.deepEqual(await funds(), { total: 0, blocked: 0 });
});

test("a payout that fails later says why, and its money is back", async (t) => {
  const { payouts, sandbox, control, funds } = await start(t);
  const { total } = await funds();
  await payouts.sendPayout(order("closed", 100, "fail@pixgate.test"));
  const closed = await settled(payouts, "closed");
  assert.deepEqual([closed.status, closed.failure?.code], ["failed", "destination_refused"]);
  assert.match(closed.failure?.message ?? "", /^AC07: Conta/);

  await payouts.sendPayout(order("manual", 100, "manual@pixgate.test"));
  await sandbox.settlePayout({ id: "manual", outcome: "fail", reason: "Sem motivo" });
  assert.deepEqual((await settled(payouts, "manual")).failure?.code, "destination_refused");

  await control("PATCH", "/behaviour", { ...NOTHING, insufficientBalance: "fail" });
  await payouts.sendPayout(order("poor", 100, "a@example.com"));
  assert.equal((await settled(payouts, "poor")).failure?.code, "insufficient_psp_balance");
  await control("DELETE", "/behaviour");
  assert.equal((await funds()).total, total);
});

test("whatever the PSP does wrong, an outcome is never claimed that did not happen, and a repeat sends once", async (t) => {
  const { payouts, control, faults, sent } = await start(t, { timeoutMs: 300 });
  const calm = () => control("DELETE", "/behaviour");
  for (const [kind, more, exists] of [
    ["timeoutBefore", { ms: 1000 }, false],
    ["timeoutAfter", { ms: 1000 }, true],
    ["slow", { ms: 1000 }, true],
    ["reset", {}, false],
    ["resetAfter", {}, true],
    ["error5xxBefore", { status: 503, html: true }, false],
    ["error5xxBefore", { status: 500 }, false],
    ["error5xxAfter", { status: 500 }, true],
    ["error5xxAfter", { status: 504, html: true }, true],
    ["tooMany", { retryAfter: 1 }, false],
    ["brokenJson", {}, true],
  ] as const) {
    const id = `${kind}${"status" in more ? more.status : ""}`;
    await faults("putPayout", kind, more);
    const outcome = await payouts.sendPayout(order(id, 100, "manual@pixgate.test"));
    assert.equal(outcome.kind, "unknown", `${id}: ${JSON.stringify(outcome)}`);
    await calm();
    assert.equal((await payouts.findPayout(id)).kind, exists ? "found" : "absent", id);
    assert.equal((await payouts.sendPayout(order(id, 100, "manual@pixgate.test"))).kind, "accepted", id);
    assert.equal(await sent(id), 1, id);
  }
});

test("a duplicate that cannot be looked up, or that reads do not show yet, is unknown and not refused", async (t) => {
  const { payouts, control, faults } = await start(t, { timeoutMs: 300 });
  await payouts.sendPayout(order("wd1"));
  for (const [kind, more] of [
    ["timeoutBefore", { ms: 1000 }],
    ["reset", {}],
    ["error5xxBefore", { status: 503, html: true }],
    ["tooMany", {}],
    ["brokenJson", {}],
  ] as const) {
    await faults("getPayout", kind, more);
    assert.equal((await payouts.sendPayout(order("wd1"))).kind, "unknown", kind);
    assert.equal((await payouts.findPayout("wd1")).kind, "unknown", kind);
    // A refusal is not believed either, while nobody can say whether an earlier try is there.
    assert.equal((await payouts.sendPayout(order("no", 1, "unknown@pixgate.test"))).kind, "unknown", kind);
    await faults("listPayouts", kind, more);
    const window = { from: new Date(0), to: new Date(), page: 0 };
    assert.equal((await payouts.listPayouts(window)).kind, "unknown", kind);
  }
  await control("DELETE", "/behaviour");
  await control("PATCH", "/behaviour", { readLagMs: 60_000 });
  assert.equal((await payouts.sendPayout(order("lags"))).kind, "accepted");
  assert.deepEqual(await payouts.findPayout("lags"), { kind: "absent" });
  assert.equal((await payouts.sendPayout(order("lags"))).kind, "unknown");
});

test("without the scope, or without the PSP, nothing is claimed", async (t) => {
  const { payouts, infractions, psp, stop } = await start(t, { scope: "cob.read" });
  // The adapter asks for what its calls need beside what the profile asks for.
  assert.equal((await payouts.sendPayout(order("wd1"))).kind, "accepted");
  const window = { from: new Date(0), to: new Date(), page: 0 };
  assert.equal((await infractions.listInfractions(window)).kind, "found");
  assert.equal((await psp.listPix(window)).kind, "unknown");
  await stop();
  await payouts.findPayout("wd1");
  assert.deepEqual(await payouts.sendPayout(order("wd2")), { kind: "unsent", reason: "ECONNREFUSED" });
  assert.equal((await payouts.findPayout("wd1")).kind, "unknown");
});

test("notifications name payouts that ended or came back, beside the receipts of the same callback", async (t) => {
  const { psp, payouts, sandbox, faults } = await start(t);
  const bodies: unknown[] = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  await psp.registerNotifications(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/psp`);
  await faults("callback", "batched", { size: 3, ms: 60_000 });
  await payouts.sendPayout(order("made", 100, "manual@pixgate.test"));
  await payouts.sendPayout(order("fails", 100, "manual@pixgate.test"));
  await sandbox.settlePayout({ id: "made", outcome: "complete" });
  await sandbox.settlePayout({ id: "fails", outcome: "fail" });
  const e2eId = await receipt(psp, 700);
  await eventually("the batch comes", () => bodies.length > 0);
  const told = psp.readNotification(bodies[0]);
  assert.deepEqual(told.payoutIds, ["made", "fails"]);
  assert.deepEqual(
    told.pix.map((pix) => pix.e2eId),
    [e2eId],
  );
  await faults("callback", "doubled");
  await sandbox.settlePayout({ id: "made", outcome: "reverse", amount: 1 });
  await eventually("it is told twice", () => bodies.length > 2);
  for (const body of bodies.slice(1)) assert.deepEqual(psp.readNotification(body), { pix: [], payoutIds: ["made"] });
});

test("pages of payouts follow each other and hold each once", async (t) => {
  const { payouts } = await start(t, { pageSize: 2 });
  const from = new Date(Date.now() - 1000);
  const ids = ["a", "b", "c", "d", "e"];
  for (const id of ids) await payouts.sendPayout(order(id, 100));
  const seen: string[] = [];
  for (let page: number | null = 0; page !== null; ) {
    const found = await payouts.listPayouts({ from, to: new Date(Date.now() + 1000), page });
    assert.ok(found.kind === "found");
    seen.push(...found.value.payouts.map((payout) => payout.id));
    page = found.value.nextPage;
  }
  assert.deepEqual(seen, ids);
});

test("a case's life: opened, listed, defended once, resolved with its return", async (t) => {
  const { psp, infractions, sandbox, funds } = await start(t);
  const e2eId = await receipt(psp, 1000);
  const before = await funds();
  const opened = await sandbox.openInfraction({ e2eId, amount: 650, reason: "Golpe" });
  assert.ok(opened.kind === "accepted", JSON.stringify(opened));
  const { id } = opened.value;
  assert.equal((await sandbox.openInfraction({ e2eId })).kind, "rejected");
  const window = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000), page: 0 };
  const look = async () => {
    const listed = await infractions.listInfractions(window);
    assert.ok(listed.kind === "found" && listed.value.nextPage === null);
    return listed.value.infractions.find((item) => item.id === id);
  };
  const open = await look();
  assert.deepEqual([open?.e2eId, open?.amount, open?.status, open?.reason], [e2eId, 650, "open", "Golpe"]);
  assert.match(open?.protocol ?? "", /^\d+$/);
  assert.ok(open?.respondBy && open.openedAt && open.respondBy > open.openedAt && open.closedAt === undefined);
  assert.deepEqual(await funds(), { total: before.total, blocked: 650 });

  const defence = { id, text: "Pedido entregue." };
  assert.deepEqual(await infractions.defendInfraction(defence), { kind: "accepted", value: null });
  assert.equal((await look())?.status, "in_defence");
  const again = await infractions.defendInfraction(defence);
  assert.ok(again.kind === "rejected" && again.httpStatus === 409, JSON.stringify(again));
  assert.equal((await infractions.defendInfraction({ ...defence, id: "never" })).kind, "rejected");

  assert.equal((await sandbox.resolveInfraction({ id, outcome: "accepted" })).kind, "accepted");
  const closed = await look();
  assert.deepEqual([closed?.status, closed?.resolution], ["accepted", "Fraude confirmada"]);
  assert.ok(closed?.closedAt);
  const pix = await psp.findPix(e2eId);
  assert.ok(pix.kind === "found");
  assert.deepEqual(
    pix.value.returns.map((item) => [item.med, item.amount, item.status]),
    [[true, 650, "settled"]],
  );
  assert.deepEqual(await funds(), { total: before.total - 650, blocked: 0 });
});

test("a defence too late is rejected; what goes wrong on the way is unknown", async (t) => {
  const { psp, infractions, sandbox, control, faults } = await start(t, { timeoutMs: 300 });
  const late = await control("POST", "/infractions", {
    e2eId: await receipt(psp, 1),
    respondBy: "2020-01-01T00:00:00Z",
  });
  const refused = await infractions.defendInfraction({ id: late.id, text: "x" });
  assert.ok(refused.kind === "rejected" && refused.httpStatus === 422, JSON.stringify(refused));

  const opened = await sandbox.openInfraction({ e2eId: await receipt(psp, 2) });
  assert.ok(opened.kind === "accepted");
  const window = { from: new Date(0), to: new Date(), page: 0 };
  for (const [kind, more] of [
    ["timeoutBefore", { ms: 1000 }],
    ["reset", {}],
    ["error5xxBefore", { status: 503, html: true }],
    ["tooMany", {}],
  ] as const) {
    await faults("postDefence", kind, more);
    assert.equal((await infractions.defendInfraction({ id: opened.value.id, text: "x" })).kind, "unknown", kind);
    await faults("listInfractions", kind, more);
    assert.equal((await infractions.listInfractions(window)).kind, "unknown", kind);
  }
  await control("DELETE", "/behaviour");
  assert.equal((await infractions.defendInfraction({ id: opened.value.id, text: "x" })).kind, "accepted");
});
