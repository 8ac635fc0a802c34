import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { type Json, newTxid, type Simulator, startSimulator, until } from "./harness.ts";

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
});
after(() => simulator.dispose());
afterEach(() => simulator.behave({}));

const PROBLEM = "https://pix.bcb.gov.br/api/v2/error/";

function terms(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    calendario: { expiracao: 900 },
    valor: { original: "25.90" },
    chave: simulator.credentials.pixKey,
    ...more,
  };
}

const put = (txid: string, body: unknown) => simulator.api("PUT", `/v2/cob/${txid}`, body);
const get = (txid: string, query = "") => simulator.api("GET", `/v2/cob/${txid}${query}`);
const patch = (txid: string, body: unknown) => simulator.api("PATCH", `/v2/cob/${txid}`, body);

/** Splits a BR Code into its fields; written here anew, so that the program's own mistakes show. */
function fieldsOf(code: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let i = 0; i < code.length; ) {
    const length = Number(code.slice(i + 2, i + 4));
    fields.set(code.slice(i, i + 2), code.slice(i + 4, i + 4 + length));
    i += 4 + length;
  }
  return fields;
}

function crcBitByBit(text: string): string {
  let crc = 0xffff;
  for (const character of text) {
    crc ^= character.charCodeAt(0) << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}

test("a charge is created with PUT and read with GET as the standard shows it", async () => {
  const txid = newTxid();
  const body = terms({
    devedor: { cpf: "12345678909", nome: "Maria Teste" },
    solicitacaoPagador: "Pedido 1042",
    infoAdicionais: [{ nome: "Pedido", valor: "1042" }],
  });
  const created = await put(txid, body);
  assert.equal(created.status, 201);
  const { calendario, loc, location, pixCopiaECola, ...rest } = created.body;
  assert.deepEqual(rest, {
    txid,
    revisao: 0,
    status: "ATIVA",
    valor: { original: "25.90" },
    chave: simulator.credentials.pixKey,
    devedor: { cpf: "12345678909", nome: "Maria Teste" },
    solicitacaoPagador: "Pedido 1042",
    infoAdicionais: [{ nome: "Pedido", valor: "1042" }],
  });
  assert.equal(calendario.expiracao, 900);
  assert.ok(Math.abs(Date.parse(calendario.criacao) - Date.now()) < 60_000);
  assert.equal(loc.tipoCob, "cob");
  assert.equal(loc.location, location);
  assert.ok(location.length <= 77 && !location.includes("://"));
  assert.deepEqual((await get(txid)).body, created.body);
  assert.ok(pixCopiaECola.length <= 512);
});

test("the copia e cola carries location, amount and a right CRC", async () => {
  assert.equal(crcBitByBit("123456789"), "29B1");
  const txid = await simulator.charge("1234.05");
  const { pixCopiaECola, location } = (await get(txid)).body as Json;
  assert.equal(pixCopiaECola.slice(-4), crcBitByBit(pixCopiaECola.slice(0, -4)));
  const fields = fieldsOf(pixCopiaECola);
  const account = fieldsOf(fields.get("26")!);
  assert.equal(account.get("00")!.toLowerCase(), "br.gov.bcb.pix");
  assert.equal(account.get("25"), location);
  assert.equal(fields.get("53"), "986");
  assert.equal(fields.get("54"), "1234.05");
  assert.equal(fields.get("58"), "BR");
  assert.equal(fieldsOf(fields.get("62")!).get("05"), "***");
});

test("expiracao is a day when left out, and POST chooses the txid itself", async () => {
  const created = await simulator.api("POST", "/v2/cob", terms({ calendario: {} }));
  assert.equal(created.status, 201);
  assert.match(created.body.txid, /^[a-zA-Z0-9]{26,35}$/);
  assert.equal(created.body.calendario.expiracao, 86_400);
  assert.equal((await get(created.body.txid)).body.txid, created.body.txid);
});

test("in the standard's mode the same PUT is harmless and another one replaces", async () => {
  const txid = newTxid();
  const first = await put(txid, terms());
  const again = await put(txid, terms());
  assert.deepEqual([again.status, again.body], [201, first.body]);
  const changed = await put(txid, terms({ valor: { original: "30.00" } }));
  assert.deepEqual([changed.status, changed.body.revisao, changed.body.valor.original], [201, 1, "30.00"]);
  assert.equal(changed.body.location, first.body.location);
  assert.equal(changed.body.calendario.criacao, first.body.calendario.criacao);
  assert.equal((await get(txid, "?revisao=0")).body.valor.original, "25.90");
  assert.equal((await get(txid, "?revisao=1")).body.valor.original, "30.00");

  await simulator.pay(txid);
  assert.equal((await put(txid, terms({ valor: { original: "30.00" } }))).body.status, "CONCLUIDA");
  const refused = await put(txid, terms());
  assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}CobOperacaoInvalida`]);
});

test("in Efí's mode a repeated PUT is refused with 409 txid_duplicado and changes nothing", async () => {
  await simulator.behave({ putMode: "efi" });
  const txid = newTxid();
  const first = await put(txid, terms());
  for (const body of [terms(), terms({ valor: { original: "30.00" } })]) {
    const refused = await put(txid, body);
    assert.deepEqual([refused.status, refused.body.nome], [409, "txid_duplicado"]);
    assert.equal(typeof refused.body.mensagem, "string");
  }
  assert.deepEqual((await get(txid)).body, first.body);
});

test("PATCH revises what it names, and a removal ends the charge", async () => {
  const txid = await simulator.charge("25.90", { solicitacaoPagador: "antes" });
  const revised = await patch(txid, { valor: { original: "26.00" }, calendario: { expiracao: 60 } });
  assert.equal(revised.status, 200);
  assert.deepEqual(
    [revised.body.revisao, revised.body.valor.original, revised.body.calendario.expiracao],
    [1, "26.00", 60],
  );
  assert.equal(revised.body.solicitacaoPagador, "antes");
  assert.equal((await patch(txid, {})).body.revisao, 1);

  const removed = await patch(txid, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
  assert.deepEqual([removed.status, removed.body.status], [200, "REMOVIDA_PELO_USUARIO_RECEBEDOR"]);
  for (const body of [{ status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" }, { valor: { original: "1.00" } }]) {
    const refused = await patch(txid, body);
    assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}CobOperacaoInvalida`]);
  }
});

test("PATCH refuses a removal with other changes, another status, and an unknown txid", async () => {
  const txid = await simulator.charge();
  for (const body of [
    { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR", valor: { original: "1.00" } },
    { status: "CONCLUIDA" },
    { valor: { original: "0.00" } },
    [],
  ]) {
    const refused = await patch(txid, body);
    assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}CobOperacaoInvalida`], JSON.stringify(body));
  }
  assert.equal((await get(txid)).body.revisao, 0);
  const unknown = await patch(newTxid(), { valor: { original: "1.00" } });
  assert.deepEqual([unknown.status, unknown.body.type], [404, `${PROBLEM}CobNaoEncontrado`]);
});

test("every violation of a PUT is a problem that names the field, and nothing is created", async () => {
  const cases: [unknown, string][] = [
    [terms({ calendario: undefined }), "cob.calendario"],
    [terms({ calendario: { expiracao: 0 } }), "cob.calendario.expiracao"],
    [terms({ calendario: { expiracao: -5 } }), "cob.calendario.expiracao"],
    [terms({ calendario: { expiracao: "900" } }), "cob.calendario.expiracao"],
    [terms({ calendario: { expiracao: 1.5 } }), "cob.calendario.expiracao"],
    [terms({ valor: undefined }), "cob.valor"],
    [terms({ valor: { original: "0.00" } }), "cob.valor.original"],
    [terms({ valor: { original: "10" } }), "cob.valor.original"],
    [terms({ valor: { original: "10.5" } }), "cob.valor.original"],
    [terms({ valor: { original: "-1.00" } }), "cob.valor.original"],
    [terms({ valor: { original: "1,000.00" } }), "cob.valor.original"],
    [terms({ valor: { original: "12345678901.00" } }), "cob.valor.original"],
    [terms({ valor: { original: 10.5 } }), "cob.valor.original"],
    [terms({ valor: { original: "1.00", modalidadeAlteracao: 2 } }), "cob.valor.modalidadeAlteracao"],
    [terms({ chave: undefined }), "cob.chave"],
    [terms({ chave: "x".repeat(78) }), "cob.chave"],
    [terms({ chave: "outra@example.com" }), "cob.chave"],
    [terms({ devedor: { cpf: "12345678909" } }), "cob.devedor"],
    [terms({ devedor: { nome: "Maria" } }), "cob.devedor"],
    [terms({ devedor: { cpf: "123", nome: "Maria" } }), "cob.devedor"],
    [terms({ devedor: { cpf: "12345678909", cnpj: "11222333000181", nome: "Maria" } }), "cob.devedor"],
    [terms({ devedor: { cpf: "12345678909", nome: "x".repeat(201) } }), "cob.devedor"],
    [terms({ solicitacaoPagador: "x".repeat(141) }), "cob.solicitacaoPagador"],
    [terms({ infoAdicionais: [{ nome: "a" }] }), "cob.infoAdicionais"],
    [terms({ infoAdicionais: Array.from({ length: 51 }, () => ({ nome: "a", valor: "b" })) }), "cob.infoAdicionais"],
    [terms({ loc: { id: 7 } }), "cob.loc.id"],
    [[], "cob"],
  ];
  for (const [body, propriedade] of cases) {
    const txid = newTxid();
    const refused = await put(txid, body);
    assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}CobOperacaoInvalida`], propriedade);
    assert.match(refused.headers.get("content-type")!, /^application\/problem\+json/);
    assert.equal(refused.body.violacoes[0].propriedade, propriedade);
    assert.equal((await get(txid)).status, 404);
  }
});

test("a txid that breaks the pattern, broken JSON and unknown places each have their problem", async () => {
  for (const txid of ["a".repeat(25), "a".repeat(36), `${"a".repeat(25)}-`]) {
    const refused = await put(txid, terms());
    assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}CobOperacaoInvalida`]);
    assert.equal(refused.body.violacoes[0].propriedade, "txid");
  }
  const broken = await put(newTxid(), "{");
  assert.deepEqual([broken.status, broken.body.type], [400, `${PROBLEM}RequisicaoInvalida`]);
  const unknown = await get(newTxid());
  assert.deepEqual([unknown.status, unknown.body.type], [404, `${PROBLEM}CobNaoEncontrado`]);
  const nowhere = await simulator.api("GET", "/v2/nowhere");
  assert.deepEqual([nowhere.status, nowhere.body.type], [404, `${PROBLEM}NaoEncontrado`]);
  const txid = await simulator.charge();
  const revision = await get(txid, "?revisao=3");
  assert.deepEqual([revision.status, revision.body.type], [400, `${PROBLEM}CobConsultaInvalida`]);
});

test("an alphanumeric CNPJ and the largest amount are taken", async () => {
  const devedor = { cnpj: "12ABC34501DE35", nome: "Loja de Letras" };
  const txid = await simulator.charge("9999999999.99", { devedor, valor: { original: "9999999999.99" } });
  const { body } = await get(txid);
  assert.deepEqual(body.devedor, devedor);
  assert.equal(body.valor.original, "9999999999.99");
});

test("the list finds charges by creation, both ends included, page by page and by filter", async () => {
  const cpf = "52998224725";
  const txids: string[] = [];
  for (let i = 0; i < 5; i++) txids.push(await simulator.charge("10.00", { devedor: { cpf, nome: "Lista" } }));
  await simulator.pay(txids[0]!);
  const first = (await get(txids[0]!)).body.calendario.criacao;
  const last = (await get(txids[4]!)).body.calendario.criacao;
  const list = (query: string) => simulator.api("GET", `/v2/cob?inicio=${first}&fim=${last}&cpf=${cpf}${query}`);

  const all = await list("");
  assert.equal(all.status, 200);
  assert.deepEqual(
    all.body.cobs.map((cob: Json) => cob.txid),
    txids,
  );
  assert.equal(all.body.cobs[0].pix.length, 1);
  assert.deepEqual(all.body.parametros.paginacao, {
    paginaAtual: 0,
    itensPorPagina: 100,
    quantidadeDePaginas: 1,
    quantidadeTotalDeItens: 5,
  });
  assert.deepEqual([all.body.parametros.inicio, all.body.parametros.cpf], [first, cpf]);

  const page = await list("&paginacao.paginaAtual=1&paginacao.itensPorPagina=2");
  assert.deepEqual(
    page.body.cobs.map((cob: Json) => cob.txid),
    txids.slice(2, 4),
  );
  assert.equal(page.body.parametros.paginacao.quantidadeDePaginas, 3);
  assert.equal((await list("&status=CONCLUIDA")).body.cobs.length, 1);
  assert.equal((await list("&status=ATIVA")).body.cobs.length, 4);
  assert.equal((await list("&locationPresente=false")).body.cobs.length, 0);
  const unfiltered = await simulator.api("GET", `/v2/cob?inicio=${first}&fim=${last}&paginacao.itensPorPagina=1`);
  assert.deepEqual([unfiltered.body.cobs.length, unfiltered.body.parametros.paginacao.quantidadeTotalDeItens], [1, 5]);
});

test("a list with wrong parameters is CobConsultaInvalida", async () => {
  const from = "2026-01-01T00:00:00Z";
  const to = "2026-01-02T00:00:00Z";
  for (const query of [
    `fim=${to}`,
    `inicio=${from}`,
    `inicio=${to}&fim=${from}`,
    `inicio=2026-01-01&fim=${to}`,
    `inicio=2026-02-30T00:00:00Z&fim=2026-03-05T00:00:00Z`,
    `inicio=2026-01-01T00:00:00&fim=${to}`,
    `inicio=${from}&fim=${to}&cpf=12345678909&cnpj=11222333000181`,
    `inicio=${from}&fim=${to}&cpf=1`,
    `inicio=${from}&fim=${to}&status=PAGA`,
    `inicio=${from}&fim=${to}&locationPresente=sim`,
    `inicio=${from}&fim=${to}&paginacao.paginaAtual=-1`,
    `inicio=${from}&fim=${to}&paginacao.itensPorPagina=-1`,
    `inicio=${from}&fim=${to}&paginacao.itensPorPagina=1001`,
  ]) {
    const refused = await simulator.api("GET", `/v2/cob?${query}`);
    assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}CobConsultaInvalida`], query);
  }
});

test("a payment is refused once the charge is paid, removed or expired, and the books stay as they were", async () => {
  const paid = await simulator.charge();
  await simulator.pay(paid);
  const removed = await simulator.charge();
  await patch(removed, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
  const expired = await simulator.charge("10.00", { calendario: { expiracao: 1 } });
  await until("the charge expires", async () => {
    return (await simulator.control("GET", `/control/charges/${expired}`)).body.expired;
  });
  const before = (await simulator.control("GET", "/control/state")).body.books;
  for (const [txid, reason, status] of [
    [paid, "paid", "CONCLUIDA"],
    [removed, "removed", "REMOVIDA_PELO_USUARIO_RECEBEDOR"],
    [expired, "expired", "ATIVA"],
  ] as const) {
    const refused = await simulator.control("POST", `/control/charges/${txid}/pay`, {});
    assert.equal(refused.status, 409);
    assert.deepEqual(
      [refused.body.code, refused.body.reason, refused.body.status],
      ["CHARGE_NOT_PAYABLE", reason, status],
    );
  }
  assert.deepEqual((await simulator.control("GET", "/control/state")).body.books, before);
  assert.equal((await get(expired)).body.status, "ATIVA");
});
