import assert from "node:assert/strict";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { type Heard, type Said, startWireServer } from "../../../test/psp/wire-server.ts";
import { createApiPix } from "./api-pix.ts";
import type { ApiPixSettings } from "./config.ts";
import { profiles } from "./profiles.ts";
import type { ApiPixEvent } from "./request.ts";
import { resolveConfig } from "./resolve-config.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const E2E = "E12345678202608021305abcdef01234";
const KEY = "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11";
const order = { txid: TXID, amount: 2590, expiresIn: 900, description: "Pedido 1042" };
const cob = {
  calendario: { criacao: "2026-08-02T13:05:11.204Z", expiracao: 900 },
  txid: TXID,
  revisao: 0,
  loc: { id: 1204, location: "psp.example/qr/v2/5b0f", tipoCob: "cob" },
  location: "psp.example/qr/v2/5b0f",
  status: "ATIVA",
  valor: { original: "25.90" },
  chave: KEY,
  pixCopiaECola: "00020101021226",
};
const pix = { endToEndId: E2E, txid: TXID, valor: "25.90", horario: "2026-08-02T13:06:00.000Z", chave: KEY };
const devolucao = {
  id: "ref1",
  rtrId: "D12345678202608021310abcdef01234",
  valor: "10.00",
  horario: { solicitacao: "2026-08-02T13:10:00.000Z" },
  status: "EM_PROCESSAMENTO",
};
const problem = (name: string, status: number, more: object = {}) => ({
  status,
  json: { type: `https://pix.bcb.gov.br/api/v2/error/${name}`, title: "Título.", status, ...more },
});

async function start(t: TestContext, settings: Partial<ApiPixSettings> = {}) {
  const wire = await startWireServer(t);
  const events: ApiPixEvent[] = [];
  const psp = createApiPix(
    { ...wire.settings, ...settings },
    { clock: { now: () => 0 }, log: (event) => events.push(event) },
  );
  t.after(() => psp.close());
  return { wire, psp, events };
}

test("createCharge sends what the standard wants, and reads the charge", async (t) => {
  const { wire, psp } = await start(t);
  wire.answer = () => ({ status: 201, json: cob });
  const outcome = await psp.createCharge({ ...order, payer: { name: "Maria Teste", document: "123.456.789-09" } });
  assert.ok(outcome.kind === "accepted");
  assert.equal(outcome.value.pixCopyPaste, "00020101021226");
  assert.equal(outcome.value.status, "active");
  assert.deepEqual(outcome.value.expiresAt, new Date("2026-08-02T13:20:11.204Z"));
  const [heard] = wire.heard;
  assert.equal(`${heard?.method} ${heard?.path}`, `PUT /v2/cob/${TXID}`);
  assert.equal(heard?.headers["content-type"], "application/json");
  assert.equal(heard?.headers.authorization, "Bearer token-0");
  assert.deepEqual(JSON.parse(heard?.body ?? ""), {
    calendario: { expiracao: 900 },
    devedor: { cpf: "12345678909", nome: "Maria Teste" },
    valor: { original: "25.90" },
    chave: KEY,
    solicitacaoPagador: "Pedido 1042",
  });
});

test("a payer is sent only with a name and a valid document; texts are cut by code points", async (t) => {
  const { wire, psp } = await start(t);
  wire.answer = () => ({ status: 201, json: cob });
  const sent = async (payer: { name: string; document: string } | undefined, description = "") => {
    await psp.createCharge({ ...order, description, payer });
    return JSON.parse(wire.heard.at(-1)?.body ?? "");
  };
  for (const payer of [
    undefined,
    { name: "", document: "12345678909" },
    { name: "  ", document: "12345678909" },
    { name: "M", document: "" },
    { name: "M", document: "12345678900" },
    { name: "M", document: "11111111111" },
  ]) {
    assert.deepEqual(Object.keys(await sent(payer)), ["calendario", "valor", "chave"]);
  }
  assert.deepEqual((await sent({ name: "L", document: "12.abc.345/01de-35" })).devedor, {
    cnpj: "12ABC34501DE35",
    nome: "L",
  });
  const long = await sent({ name: "😀".repeat(201), document: "12345678909" }, "😀".repeat(141));
  assert.equal(long.devedor.nome, "😀".repeat(200));
  assert.equal(long.solicitacaoPagador, "😀".repeat(140));
});

test("amounts are written exactly", async (t) => {
  const { wire, psp } = await start(t);
  for (const [amount, written] of [
    [1, "0.01"],
    [29, "0.29"],
    [110, "1.10"],
    [999_999_999_999, "9999999999.99"],
  ] as const) {
    wire.answer = () => ({ status: 201, json: { ...cob, valor: { original: written } } });
    assert.equal((await psp.createCharge({ ...order, amount })).kind, "accepted");
    assert.equal(JSON.parse(wire.heard.at(-1)?.body ?? "").valor.original, written);
  }
});

test("an order that no PSP can take is unsent, and does not throw", async (t) => {
  const { wire, psp } = await start(t);
  for (const bad of [
    { txid: "short" },
    { txid: "x".repeat(36) },
    { txid: `../${TXID}` },
    { amount: 0 },
    { amount: -1 },
    { amount: 1.5 },
    { amount: Number.NaN },
    { amount: 1e12 },
    { expiresIn: 0 },
    { expiresIn: 1.5 },
  ]) {
    assert.equal((await psp.createCharge({ ...order, ...bad })).kind, "unsent", JSON.stringify(bad));
  }
  assert.equal((await psp.findCharge("../x", "immediate")).kind, "unknown");
  assert.equal((await psp.cancelCharge("", "immediate")).kind, "unsent");
  assert.equal((await psp.findPix("a/b")).kind, "unknown");
  assert.equal((await psp.findReturn({ e2eId: E2E, id: "?" })).kind, "unknown");
  assert.equal((await psp.returnPix({ e2eId: E2E, id: "a b", amount: 1 })).kind, "unsent");
  assert.equal((await psp.returnPix({ e2eId: E2E, id: "a", amount: 0 })).kind, "unsent");
  const bad = new Date(Number.NaN);
  assert.equal((await psp.listPix({ from: bad, to: bad, page: 0 })).kind, "unknown");
  assert.equal(wire.heard.length + wire.tokenCalls.length, 0);
});

const html = "<html><body>Bad gateway</body></html>";
test("createCharge: a refused connection, and one that does not come up in time → unsent", async (t) => {
  const { wire, psp } = await start(t, { baseUrl: "http://127.0.0.1:1/v2" });
  assert.deepEqual(await psp.createCharge(order), { kind: "unsent", reason: "ECONNREFUSED" });

  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => silent.close());
  const { port } = silent.address() as { port: number };
  const slow = createApiPix(
    { ...wire.settings, baseUrl: `https://127.0.0.1:${port}/v2`, connectTimeoutMs: 100 },
    { clock: { now: () => 0 } },
  );
  t.after(() => slow.close());
  assert.deepEqual(await slow.createCharge(order), { kind: "unsent", reason: "UND_ERR_CONNECT_TIMEOUT" });
});

test("a refusal's message is for the log: bounded, without the payer's name", async (t) => {
  const { wire, psp, events } = await start(t);
  const payer = { name: "Maria Teste", document: "12345678909" };
  wire.answer = () => ({
    status: 400,
    json: { nome: "valor_invalido", mensagem: `nome Maria Teste, cpf 12345678909 ${"x".repeat(900)}` },
  });
  const outcome = await psp.createCharge({ ...order, payer });
  assert.ok(outcome.kind === "rejected");
  assert.match(outcome.message, /^nome \*\*\*, cpf \*\*\* x+$/);
  assert.ok(outcome.message.length <= 200);
  assert.doesNotMatch(JSON.stringify(events), /Maria|12345678909/);
});

test("the BR Code is built from the location where the PSP sends none", async (t) => {
  const { wire, psp } = await start(t, { merchantName: "Loja Exemplo", merchantCity: "São Paulo" });
  wire.answer = () => ({ status: 201, json: { ...cob, pixCopiaECola: null } });
  const outcome = await psp.createCharge(order);
  assert.ok(outcome.kind === "accepted");
  assert.match(outcome.value.pixCopyPaste ?? "", /^000201.*2522psp\.example\/qr\/v2\/5b0f.*6304[0-9A-F]{4}$/);
  wire.answer = () => ({ status: 201, json: { ...cob, pixCopiaECola: null, location: "x".repeat(500) } });
  const hopeless = await psp.createCharge(order);
  assert.ok(hopeless.kind === "accepted" && hopeless.value.pixCopyPaste === undefined);
});

test("a bank that wants it gets a location before each charge, and without one no charge is sent", async (t) => {
  const { wire, psp } = await start(t, { locationFirst: true });
  const loc = { id: 77, location: "psp.example/qr/v2/5b0f" };
  wire.answer = ({ path }) => ({ status: 201, json: path === "/v2/loc" ? loc : { ...cob, pixCopiaECola: null } });
  const calls = () => wire.heard.splice(0).map(({ method, path, body }) => [method, path, JSON.parse(body).tipoCob]);
  const outcome = await psp.createCharge(order);
  assert.match((outcome.kind === "accepted" && outcome.value.pixCopyPaste) || "", /psp\.example/);
  assert.equal(JSON.parse(wire.heard[1]!.body).loc.id, 77);
  assert.deepEqual(calls(), [
    ["POST", "/v2/loc", "cob"],
    ["PUT", `/v2/cob/${TXID}`, undefined],
  ]);
  const due = { date: "2026-08-09", daysAfter: 0 };
  await psp.createCharge({ ...order, due, payer: { name: "Maria Teste", document: "12345678909" } });
  assert.deepEqual(calls()[0], ["POST", "/v2/loc", "cobv"]);
  for (const json of [{}, { id: "a" }, { id: 1.5 }]) {
    wire.answer = () => ({ status: 201, json });
    assert.deepEqual(await psp.createCharge(order), { kind: "unsent", reason: "location_unmade" });
    assert.deepEqual(calls(), [["POST", "/v2/loc", "cob"]]);
  }
});

test("findCharge: found, absent in both dialects, and unknown when it is not the PSP that answers", async (t) => {
  const { wire, psp } = await start(t);
  const find = (said: Said) => {
    wire.answer = () => said;
    return psp.findCharge(TXID, "immediate");
  };
  const found = await find({ json: { ...cob, status: "CONCLUIDA", pix: [pix, { bad: true }] } });
  assert.ok(found.kind === "found");
  assert.equal(found.value.pix[0]?.e2eId, E2E);
  assert.equal(`${wire.heard[0]?.method} ${wire.heard[0]?.path}`, `GET /v2/cob/${TXID}`);
  assert.equal(wire.heard[0]?.headers["content-type"], undefined);

  for (const said of [
    problem("CobNaoEncontrado", 404),
    problem("NaoEncontrado", 404),
    { status: 404, json: { nome: "cobranca_nao_encontrada", mensagem: "m" } },
    { status: 400, json: { nome: "cobranca_nao_encontrada", mensagem: "m" } },
  ]) {
    assert.deepEqual(await find(said), { kind: "absent" });
  }
  for (const said of [
    { status: 404, text: html },
    { status: 404, json: { message: "no Route matched" } },
    { status: 400, json: { nome: "valor_invalido", mensagem: "m" } },
    problem("AcessoNegado", 403),
    problem("ServicoIndisponivel", 503),
    { status: 200, json: { ...cob, txid: "other0other0other0other0other0" } },
    { status: 200, text: html },
  ] as Said[]) {
    assert.equal((await find(said)).kind, "unknown");
  }
  wire.answer = () => () => {};
  const hasty = createApiPix({ ...wire.settings, timeoutMs: 150 }, { clock: { now: () => 0 } });
  t.after(() => hasty.close());
  assert.equal((await hasty.findCharge(TXID, "immediate")).kind, "unknown");
});

test("cancelCharge: removed, refused when not active, unknown when the answer does not say removed", async (t) => {
  const { wire, psp } = await start(t);
  const cancel = (said: Said) => {
    wire.answer = () => said;
    return psp.cancelCharge(TXID, "immediate");
  };
  for (const status of [200, 201]) {
    assert.equal(
      (await cancel({ status, json: { ...cob, status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" } })).kind,
      "accepted",
    );
  }
  const [heard] = wire.heard;
  assert.equal(`${heard?.method} ${heard?.path}`, `PATCH /v2/cob/${TXID}`);
  assert.equal(heard?.body, '{"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR"}');
  assert.equal((await cancel({ json: cob })).kind, "unknown");
  assert.equal((await cancel(problem("CobOperacaoInvalida", 400))).kind, "rejected");
  for (const status of [400, 409]) {
    const refused = await cancel({ status, json: { nome: "status_cobranca_invalido", mensagem: "m" } });
    assert.ok(
      refused.kind === "rejected" && refused.code === "status_cobranca_invalido" && refused.httpStatus === status,
    );
  }
  assert.equal((await cancel({ status: 409, json: { nome: "outro", mensagem: "m" } })).kind, "unknown");
});

test("findPix: found, absent, another's id", async (t) => {
  const { wire, psp } = await start(t);
  const find = (said: Said) => {
    wire.answer = () => said;
    return psp.findPix(E2E);
  };
  const found = await find({
    json: { ...pix, devolucoes: [devolucao, { ...devolucao, id: "med", natureza: "MED_FRAUDE" }] },
  });
  assert.ok(found.kind === "found");
  assert.deepEqual(
    found.value.returns.map((item) => [item.id, item.amount, item.status, item.med]),
    [
      ["ref1", 1000, "processing", null],
      ["med", 1000, "processing", true],
    ],
  );
  assert.equal(wire.heard[0]?.path, `/v2/pix/${E2E}`);
  assert.deepEqual(await find(problem("PixNaoEncontrado", 404)), { kind: "absent" });
  assert.deepEqual(await find({ status: 400, json: { nome: "pix_nao_encontrado", mensagem: "m" } }), {
    kind: "absent",
  });
  assert.equal((await find({ json: { ...pix, endToEndId: `${E2E}x` } })).kind, "unknown");
});

test("listPix: window, pages from 0, the end by count or by a short page", async (t) => {
  const { wire, psp, events } = await start(t);
  const window = { from: new Date("2026-08-01T00:00:00.250Z"), to: new Date("2026-08-02T00:00:00.250Z") };
  const pages = (quantidadeDePaginas: unknown) => ({
    parametros: { paginacao: { quantidadeDePaginas } },
    pix: [pix, { bad: 1 }],
  });
  wire.answer = () => ({ json: pages(2) });
  const first = await psp.listPix({ ...window, page: 0 });
  assert.ok(first.kind === "found");
  assert.deepEqual([first.value.pix.length, first.value.nextPage], [1, 1]);
  assert.equal(
    wire.heard[0]?.path,
    "/v2/pix?inicio=2026-08-01T00:00:00.250Z&fim=2026-08-02T00:00:00.250Z&paginacao.paginaAtual=0&paginacao.itensPorPagina=1000",
  );
  const second = await psp.listPix({ ...window, page: 1 });
  assert.ok(second.kind === "found" && second.value.nextPage === null);
  assert.deepEqual(
    events.filter((event) => event.event === "psp_dropped"),
    [
      { event: "psp_dropped", what: "pix", items: 1 },
      { event: "psp_dropped", what: "pix", items: 1 },
    ],
  );
  wire.answer = () => ({ json: { pix: [] } });
  assert.deepEqual(await psp.listPix({ ...window, page: 0 }), { kind: "found", value: { pix: [], nextPage: null } });
  wire.answer = () => ({ json: { mensagem: "manutenção" } });
  assert.equal((await psp.listPix({ ...window, page: 0 })).kind, "unknown");
});

test("listPix: a profile's page size, whole seconds that only widen the window, and more than 1 MiB", async (t) => {
  const { wire, psp } = await start(t, { pageSize: 2, timestampMillis: false });
  const many = Array.from({ length: 2 }, () => ({ ...pix, infoPagador: "x".repeat(800_000) }));
  wire.answer = () => ({ json: { pix: many } });
  const page = await psp.listPix({
    from: new Date("2026-08-01T00:00:00.750Z"),
    to: new Date("2026-08-02T00:00:00.250Z"),
    page: 0,
  });
  assert.ok(page.kind === "found" && page.value.cutAt === 2 && page.value.pix.length === 2);
  assert.equal(
    wire.heard[0]?.path,
    "/v2/pix?inicio=2026-08-01T00:00:00Z&fim=2026-08-02T00:00:01Z&paginacao.paginaAtual=0&paginacao.itensPorPagina=2",
  );
});

test("listPix: a list that may have been cut says so, one that is counted or odd does not", async (t) => {
  const { wire, psp } = await start(t, { pageSize: 1_000 });
  const cutAt = async (items: number, paginacao?: object, page = 0) => {
    wire.answer = () => ({ json: { pix: Array(items).fill(pix), ...(paginacao && { parametros: { paginacao } }) } });
    const found = await psp.listPix({ from: new Date(0), to: new Date(1_000), page });
    return found.kind === "found" && found.value.cutAt;
  };
  for (const items of [10, 20, 25, 50, 100, 500, 1_000, 1_003]) assert.equal(await cutAt(items), items);
  for (const items of [0, 1, 9, 11, 99, 101]) assert.equal(await cutAt(items), undefined);
  assert.equal(await cutAt(100, { quantidadeDePaginas: 1, quantidadeTotalDeItens: 100 }), undefined);
  assert.equal(await cutAt(100, { quantidadeDePaginas: 3, quantidadeTotalDeItens: 250 }), undefined);
  assert.equal(await cutAt(100, { quantidadeDePaginas: 3 }), undefined);
  // It counts more than its pages of this size have.
  assert.equal(await cutAt(100, { quantidadeDePaginas: 1, quantidadeTotalDeItens: 101 }), 100);
  assert.equal(await cutAt(100, { quantidadeTotalDeItens: 350 }), 100);
  assert.equal(await cutAt(100, { quantidadeDePaginas: 2, quantidadeTotalDeItens: 500 }), 100);
  assert.equal(await cutAt(0, { quantidadeDePaginas: 1, quantidadeTotalDeItens: 3 }), 0);
  assert.equal(await cutAt(50, { quantidadeDePaginas: 3, quantidadeTotalDeItens: 250 }, 2), undefined);
});

const giveBack = { e2eId: E2E, id: "ref1", amount: 1000, description: "Pedido cancelado" };

test("returnPix: accepted with 200 and 201, its description only where the contract has one", async (t) => {
  const { wire, psp } = await start(t);
  for (const status of [200, 201]) {
    wire.answer = () => ({ status, json: devolucao });
    const outcome = await psp.returnPix(giveBack);
    assert.ok(outcome.kind === "accepted");
    assert.deepEqual([outcome.value.status, outcome.value.rtrId], ["processing", devolucao.rtrId]);
  }
  assert.equal(`${wire.heard[0]?.method} ${wire.heard[0]?.path}`, `PUT /v2/pix/${E2E}/devolucao/ref1`);
  assert.equal(wire.heard[0]?.body, '{"valor":"10.00","descricao":"Pedido cancelado"}');
  const strict = createApiPix({ ...wire.settings, returnDescription: false }, { clock: { now: () => 0 } });
  t.after(() => strict.close());
  await strict.returnPix(giveBack);
  assert.equal(wire.heard.at(-1)?.body, '{"valor":"10.00"}');
});

test("returnPix: a refusal or conflict is believed only after asking, as an earlier try may have made the return", async (t) => {
  const { wire, psp } = await start(t);
  const give = (put: Said, get: Said) => {
    wire.answer = ({ method }: Heard) => (method === "PUT" ? put : get);
    return psp.returnPix(giveBack);
  };
  const invalid = problem("PixDevolucaoInvalida", 400);
  const invalidId = problem("PixDevolucaoInvalida", 400, {
    violacoes: [{ razao: "O id já foi utilizado", propriedade: "devolucao.id" }],
  });
  const duplicate = { status: 409, json: { nome: "devolucao_id_duplicado", mensagem: "m" } };
  const none = problem("PixDevolucaoNaoEncontrada", 404);
  const noneEfi = { status: 400, json: { nome: "devolucao_nao_encontrada", mensagem: "m" } };
  const down = { status: 503, text: html };

  for (const put of [invalid, invalidId, duplicate]) {
    assert.equal((await give(put, { json: { ...devolucao, status: "DEVOLVIDO" } })).kind, "accepted");
    assert.equal((await give(put, { json: { ...devolucao, valor: "9.99" } })).kind, "unknown");
    assert.equal((await give(put, down)).kind, "unknown");
  }
  assert.equal((await give(invalid, none)).kind, "rejected");
  assert.equal((await give(invalid, noneEfi)).kind, "rejected");
  // In use and not to be found: the PSP's reads lag behind, money may be out.
  assert.equal((await give(invalidId, none)).kind, "unknown");
  assert.equal((await give(duplicate, none)).kind, "unknown");

  assert.equal((await give(problem("AcessoNegado", 403), none)).kind, "rejected");
  assert.equal((await give(problem("AcessoNegado", 403), { json: devolucao })).kind, "accepted");
  assert.equal((await give(problem("AcessoNegado", 403), problem("AcessoNegado", 403))).kind, "unknown");
  const before = wire.heard.length;
  assert.equal((await give(down, none)).kind, "unknown");
  assert.equal((await give({ status: 201, json: { ...devolucao, valor: "9.99" } }, none)).kind, "unknown");
  assert.equal((await give({ status: 201, json: { ...devolucao, id: "other" } }, none)).kind, "unknown");
  assert.equal(wire.heard.length - before, 3);
});

test("findReturn: found, absent in both dialects", async (t) => {
  const { wire, psp } = await start(t);
  const find = (said: Said) => {
    wire.answer = () => said;
    return psp.findReturn({ e2eId: E2E, id: "ref1" });
  };
  const found = await find({ json: { ...devolucao, status: "NAO_REALIZADO", motivo: "saldo insuficiente" } });
  assert.ok(found.kind === "found");
  assert.deepEqual([found.value.status, found.value.reason], ["failed", "saldo insuficiente"]);
  assert.equal(wire.heard[0]?.path, `/v2/pix/${E2E}/devolucao/ref1`);
  assert.deepEqual(await find(problem("PixDevolucaoNaoEncontrada", 404)), { kind: "absent" });
  assert.deepEqual(await find({ status: 400, json: { nome: "devolucao_nao_encontrada", mensagem: "m" } }), {
    kind: "absent",
  });
  assert.equal((await find({ json: { ...devolucao, id: "ref2" } })).kind, "unknown");
});

test("registerNotifications: the key is percent-encoded, each success code counts", async (t) => {
  for (const [pixKey, encoded] of [
    ["+5511999998888", "%2B5511999998888"],
    ["loja@exemplo.com.br", "loja%40exemplo.com.br"],
    ["a/b?c#d", "a%2Fb%3Fc%23d"],
  ] as const) {
    const { wire, psp } = await start(t, { pixKey });
    for (const said of [
      { status: 200, json: { webhookUrl: "https://h/x" } },
      { status: 201, text: "" },
      ((response) => void response.writeHead(204).end()) as Said,
    ] as Said[]) {
      wire.answer = () => said;
      assert.deepEqual(await psp.registerNotifications!("https://h/x?hmac=1&ignorar="), {
        kind: "accepted",
        value: null,
      });
    }
    assert.equal(`${wire.heard[0]?.method} ${wire.heard[0]?.path}`, `PUT /v2/webhook/${encoded}`);
    assert.equal(wire.heard[0]?.body, '{"webhookUrl":"https://h/x?hmac=1&ignorar="}');
  }
});

test("registerNotifications: refused as a duplicate is well if that address is registered", async (t) => {
  const { wire, psp } = await start(t);
  const register = (put: Said, get: Said) => {
    wire.answer = ({ method }: Heard) => (method === "PUT" ? put : get);
    return psp.registerNotifications!("https://h/x");
  };
  const mine = { json: { webhookUrl: "https://h/x", chave: KEY, criacao: "2026-08-02T13:10:00Z" } };
  const other = { json: { webhookUrl: "https://h/y", chave: KEY } };
  assert.equal((await register(problem("WebhookOperacaoInvalida", 422), mine)).kind, "accepted");
  assert.equal((await register({ status: 409, json: { nome: "x", mensagem: "m" } }, mine)).kind, "accepted");
  assert.equal((await register(problem("WebhookOperacaoInvalida", 422), other)).kind, "rejected");
  assert.equal((await register(problem("WebhookOperacaoInvalida", 400), mine)).kind, "rejected");
  assert.equal(
    (await register({ status: 400, json: { nome: "webhook_invalido", mensagem: "m" } }, mine)).kind,
    "rejected",
  );
});

test("readNotification gives what can be read", async (t) => {
  const { psp } = await start(t);
  const [one, ...others] = psp.readNotification({ pix: [pix, null, { ...pix, valor: "x" }] });
  assert.deepEqual([one?.kind === "charge_paid" && one.pix.e2eId, others], [E2E, []]);
  assert.deepEqual(psp.readNotification("nonsense"), []);
});

test("headers, query and paths of a bank are data", async (t) => {
  const { wire, psp } = await start(t, {
    extraHeaders: { "x-conta-corrente": "123" },
    extraQuery: { "gw-dev-app-key": "k&y" },
    clientIdHeader: "client_id",
    correlationHeader: "x-correlationID",
    pathOverrides: { putCob: "/api/v3/cob/{1}", putReturn: "/r/{1}/x/{2}/y" },
  });
  wire.answer = () => ({ json: cob });
  await psp.createCharge(order);
  await psp.listPix({ from: new Date(0), to: new Date(0), page: 0 });
  await psp.returnPix(giveBack);
  assert.equal(wire.heard[0]?.path, `/api/v3/cob/${TXID}?gw-dev-app-key=k%26y`);
  assert.match(wire.heard[1]?.path ?? "", /^\/v2\/pix\?inicio=.*itensPorPagina=1000&gw-dev-app-key=k%26y$/);
  assert.equal(wire.heard[2]?.path, `/r/${E2E}/x/ref1/y?gw-dev-app-key=k%26y`);
  const { headers } = wire.heard[0] ?? {};
  assert.equal(headers?.["x-conta-corrente"], "123");
  assert.equal(headers?.client_id, "client");
  const ids = new Set(wire.heard.map((heard) => heard.headers["x-correlationid"]));
  assert.ok(ids.size === 3 && [...ids].every((id) => /^[0-9a-f-]{36}$/.test(String(id))));
  assert.equal(wire.tokenCalls[0]?.path, "/oauth/token");
  assert.equal(wire.tokenCalls[0]?.headers["x-conta-corrente"], undefined);
});

test("every profile makes a configuration; own settings win, maps are merged", () => {
  const own = { clientId: "c", clientSecret: "s", pixKey: "k" };
  for (const profile of Object.keys(profiles) as (keyof typeof profiles)[]) {
    const config = resolveConfig({ profile, ...own });
    assert.match(config.baseUrl, /^https:\/\/.*[^/]$/);
    assert.match(config.tokenUrl, /^https:\/\//);
    assert.equal(config.timeoutMs, 8000);
  }
  const config = resolveConfig({
    profile: "sicredi",
    ...own,
    timeoutMs: 5,
    scope: undefined,
    tokenBody: undefined,
    pathOverrides: { getPix: "/p/{1}" },
  });
  assert.deepEqual(
    [config.timeoutMs, config.tokenBody, config.pathOverrides.getPix, config.pathOverrides.putCob],
    [5, "form", "/p/{1}", "/api/v3/cob/{1}"],
  );
});

test("settings that cannot work are refused at the start, by name and without their value", () => {
  const good = {
    baseUrl: "https://h/v2",
    tokenUrl: "https://h/t",
    clientId: "c",
    clientSecret: "sssh",
    pixKey: "k",
  };
  resolveConfig(good);
  resolveConfig({ ...good, tokenAuth: "none", clientSecret: "" });
  for (const [bad, field] of [
    [{ baseUrl: "h/v2" }, "baseUrl"],
    [{ baseUrl: "https://h/v2?x" }, "baseUrl"],
    [{ tokenUrl: "ftp://h" }, "tokenUrl"],
    [{ clientId: "" }, "clientId"],
    [{ clientSecret: "" }, "clientSecret"],
    [{ pixKey: "" }, "pixKey"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ maxConnections: 1.5 }, "maxConnections"],
    [{ pageSize: 1001 }, "pageSize"],
    [{ pathOverrides: { getCob: "/cob" } }, "pathOverrides"],
    [{ pathOverrides: { getCob: "cob/{1}" } }, "pathOverrides"],
    [{ pathOverrides: { putReturn: "/x/{1}" } }, "pathOverrides"],
    [{ profile: "toString" as "efi" }, "profile"],
  ] as const) {
    assert.throws(
      () => resolveConfig({ ...good, ...bad }),
      (error: Error) =>
        error instanceof TypeError && error.message.startsWith(field) && !error.message.includes("sssh"),
    );
  }
  assert.throws(() => resolveConfig({}), TypeError);
});
