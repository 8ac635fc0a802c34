import assert from "node:assert/strict";
import { test } from "node:test";
import { stage, until, within } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const behave = (...rules: Record<string, unknown>[]) =>
  simulator.behave({
    faults: { seed: 3, rules: rules.map((rule) => ({ route: "callback", probability: 1, ...rule })) },
  });

const pending = async (): Promise<number> => (await simulator.control("GET", "/control/state")).body.callbacks.pending;

async function paid(): Promise<string> {
  const txid = await simulator.charge();
  await simulator.pay(txid);
  return txid;
}

/** Order in which txids first reached the receiver. */
const orderOf = (txids: string[]) =>
  receiver.received
    .flatMap((one) => one.body.pix)
    .map((pix) => pix.txid)
    .filter((txid) => txids.includes(txid));

test("lost: never sent, though the Pix is there and the log says so", async () => {
  await behave({ kind: "lost", times: 1 });
  const lost = await paid();
  const reported = await paid();
  await until("the next one comes", () => receiver.pixOf(reported).length === 1);
  await until("nothing is owed", async () => (await pending()) === 0);
  assert.equal(receiver.pixOf(lost).length, 0);
  assert.equal((await simulator.api("GET", `/v2/cob/${lost}`)).body.status, "CONCLUIDA");
  const { entries } = (await simulator.control("GET", "/control/log?limit=10000")).body;
  const payment = entries.find(
    (entry: { type: string; txid: string }) => entry.type === "payment" && entry.txid === lost,
  );
  assert.deepEqual([payment.callbackFault, payment.callbacks], ["lost", []]);
});

test("doubled: the same Pix is reported twice", async () => {
  await behave({ kind: "doubled" });
  const txid = await paid();
  await until("both come", () => receiver.pixOf(txid).length === 2);
  await until("nothing is owed", async () => (await pending()) === 0);
  const [first, second] = receiver.pixOf(txid);
  assert.deepEqual(first, second);
});

test("delayed: sent after its time, and a later one overtakes it", async () => {
  const { began, late, soon } = await within(700, async () => {
    await behave({ kind: "delayed", ms: 700, times: 1 });
    return { began: Date.now(), late: await paid(), soon: await paid() };
  });
  await until("both come", () => receiver.pixOf(late).length === 1 && receiver.pixOf(soon).length === 1);
  assert.ok(Date.now() - began >= 695);
  assert.deepEqual(orderOf([late, soon]), [soon, late]);
});

test("reordered: held until the next one was sent", async () => {
  await behave({ kind: "reordered", ms: 60_000, times: 1 });
  const held = await paid();
  await until("it alone is owed", async () => (await pending()) === 1);
  const next = await paid();
  await until("both come", () => receiver.pixOf(held).length === 1 && receiver.pixOf(next).length === 1);
  assert.deepEqual(orderOf([held, next]), [next, held]);
});

test("reordered: goes alone when no other comes in time", async () => {
  await behave({ kind: "reordered", ms: 100 });
  const txid = await paid();
  await until("it comes", () => receiver.pixOf(txid).length === 1);
});

test("early: sent before any read shows the Pix", async () => {
  await behave({ kind: "early", ms: 60_000 });
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  await until("the callback comes", () => receiver.pixOf(txid).length === 1);
  assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).status, 404);
  assert.equal((await simulator.api("GET", `/v2/cob/${txid}`)).body.status, "ATIVA");
  await simulator.ahead(60_000);
  assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).status, 200);
  assert.equal((await simulator.api("GET", `/v2/cob/${txid}`)).body.status, "CONCLUIDA");
  await simulator.ahead(0);
});

test("batched: several Pix in one callback, and a lonely one goes after its time", async () => {
  await behave({ kind: "batched", size: 3, ms: 60_000 });
  const txids = [await paid(), await paid(), await paid()];
  const whole = await until("the batch comes", () =>
    receiver.received.find((one) => one.body.pix.some((pix: { txid: string }) => pix.txid === txids[0])),
  );
  assert.deepEqual(
    whole.body.pix.map((pix: { txid: string }) => pix.txid),
    txids,
  );
  await until("nothing is owed", async () => (await pending()) === 0);
  await behave({ kind: "batched", size: 3, ms: 400 });
  const lonely = await paid();
  await until("the lonely one comes", () => receiver.pixOf(lonely).length === 1);
  assert.deepEqual(
    txids.map((txid) => receiver.pixOf(txid).length),
    [1, 1, 1],
  );
});

test("the callback of a return draws a fault of its own", async () => {
  await simulator.behave({ returnDelayMs: 0, faults: { seed: 1, rules: [] } });
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  await until("the receipt is reported", () => receiver.pixOf(txid).length === 1);
  await simulator.control("PATCH", "/control/behaviour", {
    faults: { seed: 1, rules: [{ route: "callback", kind: "doubled", probability: 1 }] },
  });
  await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/r`, { valor: "1.00" });
  await until("the return is reported twice", () => receiver.pixOf(txid).filter((pix) => pix.devolucoes).length === 2);
});

test("the same seed and txids lose the same callbacks again", async () => {
  const run = async () => {
    await behave({ kind: "lost", probability: 0.5 });
    for (let i = 0; i < 30; i++) {
      await simulator.control("POST", "/control/pix", { amountCentavos: 1, txid: `again${i}` });
    }
    await until("all are reported", async () => (await pending()) === 0);
    const reported = receiver.received.flatMap((one) => one.body.pix.map((pix: { txid: string }) => pix.txid));
    receiver.received.length = 0;
    return reported.filter((txid) => txid.startsWith("again")).sort();
  };
  const first = await run();
  assert.ok(first.length > 5 && first.length < 25, `${first.length} of 30`);
  assert.deepEqual(await run(), first);
});
