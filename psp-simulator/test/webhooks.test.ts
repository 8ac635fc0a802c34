import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import {
  type Json,
  type Receiver,
  readLog,
  register,
  type Simulator,
  startReceiver,
  startSimulator,
  until,
  within,
} from "./harness.ts";

let simulator: Simulator;
let receiver: Receiver;
before(async () => {
  simulator = await startSimulator();
  receiver = await startReceiver();
});
after(async () => {
  await simulator.dispose();
  await receiver.close();
});
afterEach(async () => {
  await simulator.behave({});
  receiver.answer = (_request, response) => {
    response.end();
  };
});

const PROBLEM = "https://pix.bcb.gov.br/api/v2/error/";

const path = () => `/v2/webhook/${simulator.credentials.pixKey}`;
const pending = async (): Promise<number> => (await simulator.control("GET", "/control/state")).body.callbacks.pending;

test("a webhook is registered, shown, replaced and deleted", async () => {
  assert.equal((await simulator.api("GET", path())).body.type, `${PROBLEM}WebhookNaoEncontrado`);
  assert.equal((await simulator.api("DELETE", path())).status, 404);
  await register(simulator, receiver, "/first");
  await register(simulator, receiver, "/second");
  const shown = await simulator.api("GET", path());
  assert.equal(shown.status, 200);
  assert.deepEqual(Object.keys(shown.body).sort(), ["chave", "criacao", "webhookUrl"]);
  assert.equal(shown.body.webhookUrl, `${receiver.url}/second`);
  const list = await simulator.api("GET", "/v2/webhook");
  assert.deepEqual([list.status, list.body.webhooks], [200, [shown.body]]);
  const old = await simulator.api("GET", "/v2/webhook?inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z");
  assert.deepEqual(old.body.webhooks, []);
  assert.equal((await simulator.api("GET", "/v2/webhook?inicio=now")).body.type, `${PROBLEM}WebhookConsultaInvalida`);
  const deleted = await simulator.api("DELETE", path());
  assert.deepEqual([deleted.status, deleted.text], [204, ""]);
  assert.equal((await simulator.api("GET", path())).status, 404);
});

test("a key of someone else and a URL that is none are refused", async () => {
  for (const [key, body] of [
    ["someone@example.com", { webhookUrl: receiver.url }],
    [simulator.credentials.pixKey, {}],
    [simulator.credentials.pixKey, { webhookUrl: "not a url" }],
    [simulator.credentials.pixKey, { webhookUrl: "ftp://example.com/" }],
    [simulator.credentials.pixKey, []],
  ] as const) {
    const refused = await simulator.api("PUT", `/v2/webhook/${encodeURIComponent(key)}`, body);
    assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}WebhookOperacaoInvalida`]);
  }
});

test("the suffix /pix is appended literally, and not after a URL that ends in ignorar=", async () => {
  for (const [registered, called] of [
    ["/hook/", "/hook//pix"],
    ["/hook?hmac=1", "/hook?hmac=1/pix"],
    ["/hook?hmac=1&ignorar=", "/hook?hmac=1&ignorar="],
  ] as const) {
    await register(simulator, receiver, registered);
    const txid = await simulator.charge();
    await simulator.pay(txid);
    await until("the callback comes", () => receiver.pixOf(txid).length === 1);
    assert.equal(receiver.received.at(-1)!.path, called);
  }
});

test("without a webhook, or with autoNotify off, nobody is notified", async () => {
  await simulator.api("DELETE", path());
  const silent = await simulator.charge();
  await simulator.pay(silent);
  await register(simulator, receiver);
  await simulator.behave({ autoNotify: false });
  const quiet = await simulator.charge();
  await simulator.pay(quiet);
  await simulator.behave({});
  const loud = await simulator.charge();
  await simulator.pay(loud);
  await until("the loud one is notified", () => receiver.pixOf(loud).length === 1);
  await until("nothing is owed", async () => (await pending()) === 0);
  assert.equal(receiver.pixOf(silent).length + receiver.pixOf(quiet).length, 0);
});

test("anything but 2xx is tried again with growing pauses until it is acknowledged", async () => {
  await register(simulator, receiver);
  await simulator.behave({ callbackRetry: { firstMs: 40, capMs: 100, tries: 10 } });
  const answers = [500, 302, 404, 429];
  receiver.answer = (_request, response) => {
    response.statusCode = answers.shift() ?? 204;
    response.setHeader("location", "/elsewhere");
    response.end("<html>");
  };
  const txid = await simulator.charge();
  await simulator.pay(txid);
  await until("it is acknowledged", async () => (await pending()) === 0);
  const times = receiver.received.filter((one) => one.body.pix[0].txid === txid).map((one) => one.at);
  assert.equal(times.length, 5);
  assert.ok(times[1]! - times[0]! >= 35 && times[2]! - times[1]! >= 75 && times[4]! - times[3]! >= 95);
  const entries = readLog(simulator.folder).filter((entry) => entry.about?.[0].txid === txid);
  assert.deepEqual(
    entries.map((entry) => [entry.attempt, entry.status, entry.outcome]),
    [
      [1, 500, "retry"],
      [2, 302, "retry"],
      [3, 404, "retry"],
      [4, 429, "retry"],
      [5, 204, "acknowledged"],
    ],
  );
});

test("a callback that nobody takes is given up after its tries", async () => {
  await simulator.api("PUT", path(), { webhookUrl: "http://127.0.0.1:1/nobody" });
  await simulator.behave({ callbackRetry: { firstMs: 1, capMs: 2, tries: 3 } });
  const txid = await simulator.charge();
  await simulator.pay(txid);
  await until("it is given up", async () => (await pending()) === 0);
  const last = readLog(simulator.folder)
    .filter((entry) => entry.about?.[0].txid === txid)
    .at(-1);
  assert.deepEqual([last.attempt, last.outcome, last.error], [3, "given up", "ECONNREFUSED"]);
});

test("a callback owed to a deleted webhook is dropped, one owed to a moved receiver finds it", async () => {
  await simulator.behave({ callbackDelayMs: 600 });
  const moved = await within(600, async () => {
    await register(simulator, receiver);
    const txid = await simulator.charge();
    await simulator.pay(txid);
    await register(simulator, receiver, "/new-home");
    return txid;
  });
  await until("it comes to the new home", () => receiver.pixOf(moved).length === 1);
  const came = receiver.received.find(({ body }) => body.pix?.some((pix: Json) => pix.txid === moved));
  assert.equal(came!.path, "/new-home/pix");

  const dropped = await within(600, async () => {
    await register(simulator, receiver);
    const txid = await simulator.charge();
    await simulator.pay(txid);
    await simulator.api("DELETE", path());
    return txid;
  });
  await until("it is dropped", async () => (await pending()) === 0);
  assert.equal(receiver.pixOf(dropped).length, 0);
});

test("a receiver that hangs holds 64 sockets at most, and the rest waits in the books", async () => {
  await register(simulator, receiver);
  let open = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  receiver.answer = (_request, response) => {
    most = Math.max(most, ++open);
    waiting.push(() => {
      open--;
      response.end();
    });
  };
  for (let i = 0; i < 100; i++)
    await simulator.control("POST", "/control/pix", { amountCentavos: 1, txid: `hang${i}` });
  await until("64 are under way", () => open === 64);
  assert.equal(await pending(), 100);
  await until("all are reported", async () => {
    for (const release of waiting.splice(0)) release();
    return (await pending()) === 0;
  });
  assert.equal(most, 64);
});

test("in Efí's dialect an address is tried before it is taken, and payers are named there alone, once that is set", async () => {
  await simulator.behave({ dialect: "efi" });
  const put = (webhookUrl: string) => simulator.api("PUT", path(), { webhookUrl });
  receiver.answer = (_request, response) => {
    response.statusCode = 422;
    response.end();
  };
  for (const url of [`${receiver.url}/no`, "http://127.0.0.1:1/nobody"]) {
    const refused = await put(url);
    assert.deepEqual([refused.status, refused.body.nome], [400, "webhook_invalido"]);
  }
  receiver.answer = (_request, response) => {
    response.end();
  };
  receiver.received.length = 0;
  assert.equal((await put(`${receiver.url}/yes`)).status, 201);
  assert.deepEqual([receiver.received[0]?.path, receiver.received[0]?.body.evento], ["/yes", "teste_webhook"]);

  const report = async () => {
    const e2eId = await simulator.pay(await simulator.charge());
    const reported = await until("the callback", () =>
      receiver.received.find(({ body }) => body.pix?.[0].endToEndId === e2eId),
    );
    assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).body.pagador, undefined);
    return reported.body.pix[0];
  };
  assert.equal((await report()).gnExtras.pagador, undefined);
  const { body: settings } = await simulator.api("GET", "/v2/gn/config");
  const own = (more: object) => ({
    pix: {
      ...settings.pix,
      chaves: { [simulator.credentials.pixKey]: { recebimento: { txidObrigatorio: false, ...more } } },
    },
  });
  const refused = await simulator.api("PUT", "/v2/gn/config", own({}));
  assert.deepEqual([refused.status, refused.body.nome], [400, "valor_invalido"]);
  const webhook = { notificacao: { tarifa: false, pagador: true }, notificar: { pixSemTxid: true } };
  const wanted = own({ qrCodeEstatico: { recusarTodos: false }, webhook });
  assert.equal((await simulator.api("PUT", "/v2/gn/config", wanted)).status, 204);
  assert.deepEqual((await simulator.api("GET", "/v2/gn/config")).body, wanted);
  assert.equal((await report()).gnExtras.pagador.nome, "Maria Teste");
  const loose = await simulator.control("POST", "/control/pix", { amountCentavos: 5 });
  await until("a Pix without a txid is reported too", () =>
    receiver.received.some(({ body }) => body.pix?.[0].endToEndId === loose.body.e2eId),
  );
});
