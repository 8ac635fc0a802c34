import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, newTxid, stage, until, within } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const behave = (...rules: Record<string, unknown>[]) => simulator.behave({ faults: { seed: 7, rules } });

function put(txid: string) {
  return simulator.api("PUT", `/v2/cob/${txid}`, {
    calendario: { expiracao: 900 },
    valor: { original: "10.00" },
    chave: simulator.credentials.pixKey,
  });
}

/** Whether the PSP has the charge, asked past every fault. */
const exists = async (txid: string) => (await simulator.control("GET", `/control/charges/${txid}`)).status === 200;

async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return (error as { cause?: { code?: string } }).cause?.code ?? String(error);
  }
  throw new Error("the call was answered");
}

test("slow: the work is done at once and the answer comes late", async () => {
  await behave({ route: "putCob", kind: "slow", probability: 1, ms: 700 });
  const txid = newTxid();
  assert.equal((await put(txid)).status, 201);
  const answeredAt = Date.now();
  const { entries } = (await simulator.control("GET", "/control/log?limit=10000")).body;
  const done = entries.find((entry: Json) => entry.type === "charge.put" && entry.txid === txid);
  assert.ok(answeredAt - Date.parse(done.at) >= 695, `answered ${answeredAt}, done ${done.at}`);
});

test("timeoutBefore: never answered, the socket is dropped in the end, nothing was done", async () => {
  await behave({ route: "putCob", kind: "timeoutBefore", probability: 1, ms: 200 });
  const txid = newTxid();
  const began = Date.now();
  await failureOf(put(txid));
  assert.ok(Date.now() - began >= 195);
  assert.equal(await exists(txid), false);
});

test("timeoutAfter: never answered, but done", async () => {
  await behave({ route: "putCob", kind: "timeoutAfter", probability: 1, ms: 200 });
  const txid = newTxid();
  const began = Date.now();
  await failureOf(put(txid));
  assert.ok(Date.now() - began >= 195);
  assert.equal(await exists(txid), true);
});

test("reset and resetAfter: the connection is reset, before or after the work", async () => {
  for (const [kind, done] of [
    ["reset", false],
    ["resetAfter", true],
  ] as const) {
    await behave({ route: "putCob", kind, probability: 1 });
    const txid = newTxid();
    assert.match(await failureOf(put(txid)), /ECONNRESET|UND_ERR_SOCKET/);
    assert.equal(await exists(txid), done, kind);
  }
});

test("error5xxBefore and error5xxAfter: 500, 503, 504 as a problem or as HTML, before or after the work", async () => {
  for (const [kind, done] of [
    ["error5xxBefore", false],
    ["error5xxAfter", true],
  ] as const) {
    for (const status of [500, 503, 504]) {
      await behave({ route: "putCob", kind, probability: 1, status });
      const txid = newTxid();
      const answer = await put(txid);
      assert.deepEqual([answer.status, answer.body.status], [status, status]);
      assert.match(answer.headers.get("content-type")!, /problem\+json/);
      assert.equal(await exists(txid), done, `${kind} ${status}`);
    }
    await behave({ route: "putCob", kind, probability: 1, html: true });
    const answer = await put(newTxid());
    assert.equal(answer.status, 503);
    assert.match(answer.headers.get("content-type")!, /text\/html/);
    assert.match(answer.text, /^<html>/);
  }
});

test("tooMany: 429 with Retry-After, nothing done", async () => {
  await behave({ route: "putCob", kind: "tooMany", probability: 1, retryAfter: 7 });
  const txid = newTxid();
  const answer = await put(txid);
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [429, "7"]);
  assert.equal(await exists(txid), false);
});

test("brokenJson: done and answered as success, in JSON that breaks off", async () => {
  await behave({ route: "putCob", kind: "brokenJson", probability: 1 });
  const txid = newTxid();
  const answer = await put(txid);
  assert.deepEqual([answer.status, answer.body], [201, undefined]);
  assert.match(answer.text, /^\{"calendario"/);
  assert.equal(await exists(txid), true);
});

test("each route can be named, and * is every call of a client but not the control API", async () => {
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  const period = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z";
  const calls: [string, string, string, unknown?][] = [
    ["getCob", "GET", `/v2/cob/${txid}`],
    ["patchCob", "PATCH", `/v2/cob/${txid}`, {}],
    ["postCob", "POST", "/v2/cob", {}],
    ["listCob", "GET", `/v2/cob?${period}`],
    ["getPix", "GET", `/v2/pix/${e2eId}`],
    ["listPix", "GET", `/v2/pix?${period}`],
    ["putReturn", "PUT", `/v2/pix/${e2eId}/devolucao/r1`, { valor: "1.00" }],
    ["getReturn", "GET", `/v2/pix/${e2eId}/devolucao/r1`],
    ["getWebhook", "GET", `/v2/webhook/${simulator.credentials.pixKey}`],
    ["listWebhook", "GET", "/v2/webhook"],
    ["token", "POST", "/oauth/token", {}],
  ];
  for (const [route, method, path, body] of calls) {
    await behave({ route, kind: "tooMany", probability: 1 });
    assert.equal((await simulator.api(method, path, body)).status, 429, route);
    const other = route === "getCob" ? "/v2/webhook" : `/v2/cob/${txid}`;
    assert.equal((await simulator.api("GET", other)).status, 200, `not ${route}`);
    await behave({ route: "*", kind: "tooMany", probability: 1 });
    assert.equal((await simulator.api(method, path, body)).status, 429, `* for ${route}`);
  }
  assert.equal((await simulator.control("GET", "/control/state")).status, 200);
});

test("times bounds a rule over all calls, timesPerId for each id, and the next rule follows", async () => {
  await behave(
    { route: "getCob", kind: "tooMany", probability: 1, times: 2 },
    { route: "getCob", kind: "error5xxBefore", probability: 1, times: 1 },
  );
  const txid = await simulator.charge();
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await simulator.api("GET", `/v2/cob/${txid}`)).status);
  assert.deepEqual(statuses, [429, 429, 503, 200, 200]);

  await behave({ route: "putCob", kind: "tooMany", probability: 1, timesPerId: 1 });
  for (const id of [newTxid(), newTxid()]) {
    assert.equal((await put(id)).status, 429);
    assert.equal((await put(id)).status, 201);
  }
});

test("the same seed and the same ids meet the same faults again, in any order; another seed meets others", async () => {
  const txids = Array.from({ length: 60 }, (_, i) => `determinism${String(i).padStart(20, "0")}`);
  const rules = [
    { route: "getCob", kind: "tooMany", probability: 0.3 },
    { route: "getCob", kind: "error5xxBefore", probability: 0.3, status: 500 },
  ];
  const run = async (seed: number, order: string[]) => {
    await simulator.behave({ faults: { seed, rules } });
    const statuses = new Map<string, string>();
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(order.map((txid) => simulator.api("GET", `/v2/cob/${txid}`)));
      for (const [i, txid] of order.entries()) {
        statuses.set(txid, `${statuses.get(txid) ?? ""} ${answers[i]!.status}`);
      }
    }
    return txids.map((txid) => statuses.get(txid));
  };
  const first = await run(11, txids);
  assert.deepEqual(await run(11, [...txids].reverse()), first);
  assert.notDeepEqual(await run(12, txids), first);
  const faults = first.join(" ").match(/429/g)?.length ?? 0;
  assert.ok(faults > 15 && faults < 60, `${faults} of 120 calls drew the first rule`);
});

test("a callback waits until the held answer to its PUT has gone, unless it is early", async () => {
  const slow = { route: "putCob", kind: "slow", probability: 1, ms: 900 };
  for (const early of [false, true]) {
    await behave(slow, ...(early ? [{ route: "callback", kind: "early", probability: 1, ms: 60_000 }] : []));
    // Paid while its answer is held.
    const { txid, e2eId, answer } = await within(700, async () => {
      const txid = newTxid();
      const answer = put(txid).then(({ status }) => ({ status, at: Date.now() }));
      await until("the charge exists", () => exists(txid));
      return { txid, answer, e2eId: await simulator.pay(txid) };
    });
    const { status, at } = await answer;
    assert.equal(status, 201);
    await until("the callback comes", () => receiver.pixOf(txid).length === 1);
    const reported = receiver.received.find((one) => one.body.pix.some((pix: Json) => pix.txid === txid))!;
    // Both arrive here, and the one that is not early right behind the answer.
    assert.equal(reported.at < at - 100, early, `${at - reported.at} ms before the answer`);
    if (early) {
      assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).status, 404);
      assert.equal((await simulator.api("GET", `/v2/cob/${txid}`)).body.status, "ATIVA");
      await simulator.ahead(60_000);
      assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).status, 200);
      await simulator.ahead(0);
    }
  }
});

test("rules that make no sense are refused with the place, and the behaviour stays", async () => {
  const good = { route: "getCob", kind: "tooMany", probability: 1 };
  const before = (await simulator.control("GET", "/control/behaviour")).body;
  const cases: [Json, string][] = [
    [{ putMode: "other" }, "putMode"],
    [{ unheard: 1 }, "unheard"],
    [{ includePayer: 2 }, "includePayer"],
    [{ readLagMs: { min: 5, max: 1 } }, "readLagMs"],
    [{ readLagMs: { min: 5 } }, "readLagMs"],
    [{ faults: { rules: [] } }, "faults.seed"],
    [{ faults: { seed: 1, rules: [{ ...good, route: "nowhere" }] } }, "faults.rules.0.route"],
    [{ faults: { seed: 1, rules: [{ ...good, probability: 1.5 }] } }, "faults.rules.0.probability"],
    [{ faults: { seed: 1, rules: [good, { ...good, kind: "lost" }] } }, "faults.rules.1.kind"],
    [{ faults: { seed: 1, rules: [{ ...good, route: "callback" }] } }, "faults.rules.0.kind"],
  ];
  for (const method of ["PUT", "PATCH"]) {
    for (const [body, path] of cases) {
      const refused = await simulator.control(method, "/control/behaviour", body);
      assert.deepEqual([refused.status, refused.body.code], [400, "VALIDATION_ERROR"], refused.text);
      assert.ok(
        refused.body.issues.some((issue: Json) => issue.path.startsWith(path)),
        refused.text,
      );
    }
  }
  assert.deepEqual((await simulator.control("GET", "/control/behaviour")).body, before);
});

test("PATCH changes what it names, PUT resets the rest, DELETE resets all", async () => {
  await simulator.behave({ putMode: "efi", returnDelayMs: 9 });
  const patched = await simulator.control("PATCH", "/control/behaviour", { returnDelayMs: 8 });
  assert.deepEqual([patched.body.putMode, patched.body.returnDelayMs], ["efi", 8]);
  const put = await simulator.control("PUT", "/control/behaviour", { returnDelayMs: 7 });
  assert.deepEqual([put.body.putMode, put.body.returnDelayMs], ["bcb", 7]);
  const reset = await simulator.control("DELETE", "/control/behaviour");
  assert.deepEqual([reset.body.putMode, reset.body.returnDelayMs, reset.body.tokenExpiresIn], ["bcb", 500, 3600]);
});

test("the log has each fault beside what was done", async () => {
  await behave({ route: "putCob", kind: "error5xxAfter", probability: 1, times: 1 });
  const txid = newTxid();
  await put(txid);
  await put(txid);
  const { entries } = (await simulator.control("GET", "/control/log?limit=10000")).body;
  assert.deepEqual(
    entries
      .filter((entry: Json) => entry.txid === txid || entry.id === txid)
      .map((entry: Json) => [entry.type, entry.outcome ?? entry.kind, entry.result]),
    [
      ["charge.put", "created", 201],
      ["fault", "error5xxAfter", undefined],
      ["charge.put", "unchanged", 201],
    ],
  );
});
