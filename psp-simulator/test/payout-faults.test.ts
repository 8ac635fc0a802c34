import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, newTxid, stage, until } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const behave = (more: Json, ...rules: Json[]) =>
  simulator.behave({ ...more, faults: { seed: 7, rules: rules.map((rule) => ({ probability: 1, ...rule })) } });

const put = (id: string, chave = "a@example.com") =>
  simulator.api("PUT", `/v3/gn/pix/${id}`, {
    valor: "10.00",
    pagador: { chave: simulator.credentials.pixKey },
    favorecido: { chave },
  });
/** Whether the PSP has the payout, asked past every fault. */
const exists = async (id: string) =>
  (await simulator.control("GET", `/control/payouts?idEnvio=${id}`)).body.items.length === 1;
const statusOf = async (id: string) => (await simulator.api("GET", `/v2/gn/pix/enviados/id-envio/${id}`)).body?.status;
const reportedOf = (id: string): Json[] =>
  receiver.received.flatMap((one) => one.body.pix).filter((pix: Json) => pix.gnExtras?.idEnvio === id);
const pending = async (): Promise<number> => (await simulator.control("GET", "/control/state")).body.callbacks.pending;

test("each fault of a call meets a payout too, before or after it was taken on", async () => {
  for (const [kind, done, status] of [
    ["timeoutBefore", false, undefined],
    ["timeoutAfter", true, undefined],
    ["reset", false, undefined],
    ["resetAfter", true, undefined],
    ["error5xxBefore", false, 503],
    ["error5xxAfter", true, 503],
    ["tooMany", false, 429],
    ["brokenJson", true, 201],
    ["slow", true, 201],
  ] as const) {
    await behave({ payoutDelayMs: 0 }, { route: "putPayout", kind, ms: 100 });
    const id = newTxid();
    const answer = await put(id).catch(() => undefined);
    assert.equal(answer?.status, status, kind);
    assert.equal(await exists(id), done, kind);
    if (done) await until(`${kind}: its end is reported`, () => reportedOf(id).length === 1);
  }
});

test("every route of Efí's own can be named, and * is each of them", async () => {
  await behave({ payoutDelayMs: 0 });
  const id = newTxid();
  const { endToEndId } = (await put(id)).body;
  await until("its end is reported", () => reportedOf(id).length === 1);
  const window = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z";
  const calls: [string, string, string, unknown?][] = [
    ["putPayout", "PUT", "/v2/gn/pix/x", {}],
    ["putPayout", "PUT", "/v3/gn/pix/x", {}],
    ["getPayout", "GET", `/v2/gn/pix/enviados/${endToEndId}`],
    ["getPayout", "GET", `/v2/gn/pix/enviados/id-envio/${id}`],
    ["listPayouts", "GET", `/v2/gn/pix/enviados?${window}`],
    ["getBalance", "GET", "/v2/gn/saldo"],
    ["listInfractions", "GET", `/v2/gn/infracoes?${window}`],
    ["postDefence", "POST", "/v2/gn/infracoes/x/defesa", {}],
  ];
  for (const [route, method, path, body] of calls) {
    await behave({}, { route, kind: "tooMany" });
    assert.equal((await simulator.api(method, path, body)).status, 429, path);
    assert.equal((await simulator.api("GET", "/v2/webhook")).status, 200, `not ${route}`);
    await behave({}, { route: "*", kind: "tooMany" });
    assert.equal((await simulator.api(method, path, body)).status, 429, `* for ${path}`);
  }
});

test("callbacks of payouts are lost and doubled like others", async () => {
  await behave(
    { payoutDelayMs: 0 },
    { route: "callback", kind: "lost", times: 1 },
    { route: "callback", kind: "doubled" },
  );
  const lost = newTxid();
  await put(lost);
  await until("it ends", async () => (await statusOf(lost)) === "REALIZADO");
  const doubled = newTxid();
  await put(doubled);
  await until("it is reported twice", () => reportedOf(doubled).length === 2);
  await until("nothing is owed", async () => (await pending()) === 0);
  assert.equal(reportedOf(lost).length, 0);
});

test("reordered and batched callbacks of payouts mix with those of receipts", async () => {
  await behave({ payoutDelayMs: 0 }, { route: "callback", kind: "reordered", ms: 60_000, times: 1 });
  const held = newTxid();
  await put(held);
  await until("it is held", async () => (await pending()) === 1);
  const txid = await simulator.charge();
  await simulator.pay(txid);
  await until("both come", () => reportedOf(held).length === 1 && receiver.pixOf(txid).length === 1);
  const order = receiver.received.flatMap((one) => one.body.pix).map((pix: Json) => pix.txid ?? pix.gnExtras.idEnvio);
  assert.ok(order.indexOf(txid) < order.indexOf(held));

  await behave({ payoutDelayMs: 0 }, { route: "callback", kind: "batched", size: 2, ms: 60_000 });
  const mixed = newTxid();
  await put(mixed);
  await until("it waits for company", async () => (await pending()) === 1);
  const company = await simulator.charge();
  await simulator.pay(company);
  const whole = await until("the batch comes", () =>
    receiver.received.find((one) => one.body.pix.some((pix: Json) => pix.txid === company)),
  );
  assert.equal(whole.body.pix[0].gnExtras.idEnvio, mixed);
});

test("an early callback comes before reads show the end, or the money that came back", async () => {
  await behave({ payoutDelayMs: 0 }, { route: "callback", kind: "early", ms: 60_000 });
  const id = newTxid();
  await put(id);
  await until("it is reported", () => reportedOf(id).length === 1);
  assert.deepEqual([reportedOf(id)[0].status, await statusOf(id)], ["REALIZADO", "EM_PROCESSAMENTO"]);
  await simulator.ahead(60_000);
  assert.equal(await statusOf(id), "REALIZADO");
  await simulator.control("POST", `/control/payouts/${id}/settle`, { outcome: "reverse" });
  const read = async () => (await simulator.api("GET", `/v2/gn/pix/enviados/id-envio/${id}`)).body.devolucoes;
  await until("the return is reported", () => reportedOf(id).some((pix) => pix.devolucoes));
  assert.equal(await read(), undefined);
  await simulator.ahead(120_000);
  assert.equal((await read())?.length, 1);
  await simulator.ahead(0);
});

test("a callback waits until the held answer to its payout has gone, unless it is early", async () => {
  const slow = { route: "putPayout", kind: "slow", ms: 700 };
  for (const early of [false, true]) {
    await behave({ payoutDelayMs: 0 }, slow, ...(early ? [{ route: "callback", kind: "early", ms: 900 }] : []));
    const id = newTxid();
    assert.equal((await put(id)).status, 201);
    const answeredAt = Date.now();
    await until("the callback comes", () => reportedOf(id).length === 1);
    const { at } = receiver.received.find((one) => one.body.pix.some((pix: Json) => pix.gnExtras?.idEnvio === id))!;
    // Both arrive here, and the one that is not early right behind the answer.
    assert.equal(at < answeredAt - 100, early, `${answeredAt - at} ms before the answer`);
  }
});

test("in Efí's dialect the standard's refusals have Efí's shape, not found is 400, and the work is the same", async () => {
  await simulator.behave({ dialect: "efi" });
  const txid = await simulator.charge();
  const e2eId = await simulator.pay(txid);
  const removed = await simulator.charge();
  await simulator.api("PATCH", `/v2/cob/${removed}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
  const charge = { calendario: {}, valor: { original: "1.00" }, chave: simulator.credentials.pixKey };
  const nowhere = `E${"0".repeat(31)}`;
  const calls: [string, string, unknown, number, string][] = [
    ["GET", `/v2/cob/${newTxid()}`, undefined, 400, "cobranca_nao_encontrada"],
    ["PATCH", `/v2/cob/${newTxid()}`, {}, 400, "cobranca_nao_encontrada"],
    ["PATCH", `/v2/cob/${removed}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" }, 400, "status_cobranca_invalido"],
    ["PUT", `/v2/cob/${newTxid()}`, { ...charge, chave: "x@example.com" }, 400, "chave_invalida"],
    ["PUT", `/v2/cob/${newTxid()}`, { ...charge, valor: { original: "0.00" } }, 400, "valor_invalido"],
    ["GET", "/v2/cob", undefined, 400, "valor_invalido"],
    ["GET", `/v2/pix/${nowhere}`, undefined, 400, "pix_nao_encontrado"],
    ["PUT", `/v2/pix/${nowhere}/devolucao/r`, { valor: "1.00" }, 400, "pix_nao_encontrado"],
    ["PUT", `/v2/pix/${e2eId}/devolucao/r`, { valor: "99.00" }, 400, "valor_invalido"],
    ["GET", `/v2/pix/${e2eId}/devolucao/r`, undefined, 400, "devolucao_nao_encontrada"],
    ["GET", "/v2/webhook/x", undefined, 400, "webhook_nao_encontrado"],
    ["PUT", "/v2/webhook/x", { webhookUrl: "https://example.com" }, 400, "chave_invalida"],
  ];
  for (const [method, path, body, status, nome] of calls) {
    const answer = await simulator.api(method, path, body);
    assert.deepEqual([answer.status, answer.body], [status, { nome, mensagem: answer.body.mensagem }], answer.text);
    assert.match(answer.headers.get("content-type")!, /^application\/json/);
  }
  assert.equal((await simulator.api("GET", `/v2/cob/${txid}`)).body.status, "CONCLUIDA");
  const own = await simulator.api("GET", "/v2/gn/pix/enviados/id-envio/never");
  assert.match(own.body.type, /PixEnviadoNaoEncontrado$/);
});
