import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, newTxid, type Reply, stage, until, within, withSimulator } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const PROBLEM = "https://pix.bcb.gov.br/api/v2/error/";
const CPF = "52998224725";
const CNPJ = "12ABC34501DE35";

const order = (valor = "12.34", favorecido: Json = { chave: CPF, cpf: CPF }) => ({
  valor,
  pagador: { chave: simulator.credentials.pixKey, infoPagador: "Saque" },
  favorecido,
});
const put = (id: string, body: unknown = order()) => simulator.api("PUT", `/v3/gn/pix/${id}`, body);
const get = (id: string) => simulator.api("GET", `/v2/gn/pix/enviados/id-envio/${id}`);
const settle = (id: string, body: unknown) => simulator.control("POST", `/control/payouts/${id}/settle`, body);
const reportedOf = (id: string): Json[] =>
  receiver.received.flatMap((one) => one.body.pix).filter((pix: Json) => pix.gnExtras?.idEnvio === id);
const manual = (valor?: string) => order(valor, { chave: "manual@pixgate.test", cpf: CPF });

/** What the account has, after a check whether the books hold together. */
async function funds(of = simulator): Promise<number> {
  const { books } = (await of.control("GET", "/control/state")).body;
  assert.equal(books.ok, true);
  return books.openingBalanceCentavos + books.balanceCentavos;
}

async function ended(id: string): Promise<Json> {
  return until(`${id} ends`, async () => {
    const { body } = await get(id);
    return body.status === "EM_PROCESSAMENTO" ? undefined : body;
  });
}

function assertRefused(answer: Reply, status: number, nome: string): void {
  assert.deepEqual([answer.status, answer.body.nome], [status, nome], answer.text);
  assert.equal(typeof answer.body.mensagem, "string");
}

test("a payout is under way at first, lowers the balance at once, settles by itself and is reported", async () => {
  await simulator.behave({ payoutDelayMs: 150 });
  const { before, id, sent, taken, early } = await within(150, async () => {
    const [before, id] = [await funds(), newTxid()];
    return { before, id, sent: await put(id), taken: before - (await funds()), early: (await get(id)).body };
  });
  assert.equal(sent.status, 201);
  assert.deepEqual(Object.keys(sent.body).sort(), ["e2eId", "endToEndId", "horario", "idEnvio", "status", "valor"]);
  assert.deepEqual(
    [sent.body.idEnvio, sent.body.valor, sent.body.status, sent.body.e2eId],
    [id, "12.34", "EM_PROCESSAMENTO", sent.body.endToEndId],
  );
  assert.match(sent.body.endToEndId, /^E\d{8}\d{12}[a-zA-Z0-9]{11}$/);
  assert.deepEqual([taken, early.status, early.horario.liquidacao], [1234, "EM_PROCESSAMENTO", undefined]);

  const done = await ended(id);
  assert.equal(done.status, "REALIZADO");
  assert.ok(done.horario.liquidacao >= done.horario.solicitacao);
  assert.deepEqual(done.favorecido, {
    chave: CPF,
    identificacao: { nome: "Favorecido Teste", cpf: "***.982.247-**" },
  });
  assert.deepEqual((await simulator.api("GET", `/v2/gn/pix/enviados/${done.endToEndId}`)).body, done);
  const reported: Json = await until("it is reported", () => reportedOf(id)[0]);
  assert.deepEqual(
    [
      reported.tipo,
      reported.status,
      reported.valor,
      reported.endToEndId,
      reported.horario,
      reported.chave,
      reported.txid,
    ],
    [
      "SOLICITACAO",
      "REALIZADO",
      "12.34",
      done.endToEndId,
      done.horario.liquidacao,
      simulator.credentials.pixKey,
      undefined,
    ],
  );
  assert.equal(await funds(), before - 1234);
});

test("an id sends once for ever, whatever a repeat says, on both paths and while the first is under way", async () => {
  const before = await funds();
  const id = newTxid();
  const first = await put(id, manual());
  assertRefused(await put(id, manual()), 409, "id_envio_duplicado");
  assertRefused(await put(id, order("99.00")), 409, "id_envio_duplicado");
  assertRefused(await simulator.api("PUT", `/v2/gn/pix/${id}`, manual()), 409, "id_envio_duplicado");
  await settle(id, { outcome: "fail" });
  assertRefused(await put(id, manual()), 409, "id_envio_duplicado");
  assert.equal((await get(id)).body.endToEndId, first.body.endToEndId);
  assert.equal(await funds(), before);
  const old = newTxid();
  assert.equal((await simulator.api("PUT", `/v2/gn/pix/${old}`, manual("1.00"))).status, 201);
  assert.equal(await funds(), before - 100);
});

test("a key must belong to the document beside it, and nothing moves when it does not", async () => {
  const before = await funds();
  const other = "11144477735";
  const cases: [Json, number, string | undefined][] = [
    [{ chave: CPF, cpf: CPF }, 201, undefined],
    [{ chave: CPF, cpf: other }, 400, "chave_nao_pertence_ao_documento"],
    [{ chave: CPF, cnpj: CNPJ }, 400, "chave_nao_pertence_ao_documento"],
    [{ chave: CNPJ, cnpj: CNPJ }, 201, undefined],
    [{ chave: "a@example.com", cpf: CPF }, 201, undefined],
    [{ chave: "a@example.com", cnpj: CNPJ }, 201, undefined],
    [{ chave: "+5511999998888", cpf: CPF }, 201, undefined],
    [{ chave: "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11" }, 201, undefined],
    [{ chave: "other-owner@pixgate.test", cpf: CPF }, 400, "chave_nao_pertence_ao_documento"],
    [{ chave: "other-owner@pixgate.test" }, 201, undefined],
    [{ chave: "unknown@pixgate.test", cpf: CPF }, 404, "chave_favorecido_nao_encontrada"],
    [{ chave: "blocked@pixgate.test", cpf: CPF }, 400, "chave_bloqueada"],
    [{ chave: "12345678901", cpf: CPF }, 404, "chave_favorecido_nao_encontrada"],
  ];
  let sent = 0;
  for (const [favorecido, status, nome] of cases) {
    const answer = await put(newTxid(), order("1.00", favorecido));
    if (nome === undefined) {
      sent++;
      assert.equal(answer.status, status, answer.text);
    } else assertRefused(answer, status, nome);
  }
  assert.equal(await funds(), before - sent * 100);

  const nameOf = async (chave: string, nome?: unknown): Promise<string> => {
    const id = newTxid();
    assert.equal((await put(id, order("1.00", { chave, cpf: CPF, nome }))).status, 201);
    return (await get(id)).body.favorecido.identificacao.nome;
  };
  assert.equal(await nameOf(CPF, "Rosana Figueiredo"), "Rosana Figueiredo", "the name that it was asked for");
  assert.equal(await nameOf("a@example.com", "Rosana Figueiredo"), "Rosana Figueiredo");
  assert.equal(await nameOf("a@example.com"), "Favorecido Teste");
  assert.equal(await nameOf("other-name@pixgate.test", "Rosana Figueiredo"), "Favorecido Teste");

  await simulator.control("PUT", "/control/keys/a@example.com", { document: other, name: "Ana" });
  assertRefused(
    await put(newTxid(), order("1.00", { chave: "a@example.com", cpf: CPF })),
    400,
    "chave_nao_pertence_ao_documento",
  );
  const hers = newTxid();
  await put(hers, order("1.00", { chave: "a@example.com", cpf: other, nome: "Rosana Figueiredo" }));
  assert.equal((await get(hers)).body.favorecido.identificacao.nome, "Ana");
  await simulator.control("PUT", "/control/keys/a@example.com", { document: null });
  assertRefused(
    await put(newTxid(), order("1.00", { chave: "a@example.com", cpf: CPF })),
    404,
    "chave_favorecido_nao_encontrada",
  );
  await simulator.control("DELETE", "/control/keys/a@example.com");
  assert.equal((await put(newTxid(), order("1.00", { chave: "a@example.com", cpf: CPF }))).status, 201);
});

test("a wrong payout is refused with the field, and an unknown one is not found", async () => {
  const before = await funds();
  const good = order();
  const cases: [string, unknown, string, RegExp][] = [
    ["x", [], "valor_invalido", /corpo/],
    ["x", { ...good, valor: "0.00" }, "valor_invalido", /valor/],
    ["x", { ...good, valor: 12.34 }, "valor_invalido", /valor/],
    ["x", { ...good, valor: "-1.00" }, "valor_invalido", /valor/],
    ["x", { ...good, pagador: {} }, "valor_invalido", /pagador.chave/],
    ["x", { ...good, pagador: { chave: "someone@example.com" } }, "chave_invalida", /pagador.chave/],
    ["x", { ...good, pagador: { ...good.pagador, infoPagador: "x".repeat(141) } }, "valor_invalido", /infoPagador/],
    ["x", { ...good, favorecido: {} }, "valor_invalido", /favorecido.chave/],
    ["x", { ...good, favorecido: { chave: "joão@x.com" } }, "valor_invalido", /favorecido.chave/],
    ["x", { ...good, favorecido: { chave: CPF, cpf: CPF, cnpj: CNPJ } }, "valor_invalido", /favorecido.cpf/],
    ["x", { ...good, favorecido: { chave: CPF, cpf: 52998224725 } }, "valor_invalido", /favorecido.cpf/],
    ["x".repeat(36), good, "valor_invalido", /idEnvio/],
    ["a-b", good, "valor_invalido", /idEnvio/],
  ];
  for (const [id, body, nome, message] of cases) {
    const answer = await put(id, body);
    assertRefused(answer, 400, nome);
    assert.match(answer.body.mensagem, message);
  }
  for (const path of ["id-envio/never", "E00000000202601010000abcdefghijk"]) {
    const answer = await simulator.api("GET", `/v2/gn/pix/enviados/${path}`);
    assert.deepEqual([answer.status, answer.body.type], [404, `${PROBLEM}PixEnviadoNaoEncontrado`]);
  }
  assert.equal(await funds(), before);
});

test("fail@ ends as not made with a reason, and its money is back", async () => {
  const before = await funds();
  const id = newTxid();
  await simulator.behave({ payoutDelayMs: 50 });
  await put(id, order("7.00", { chave: "fail@pixgate.test", cpf: CPF }));
  const failed = await ended(id);
  assert.deepEqual([failed.status, failed.gnExtras.erro.codigo], ["NAO_REALIZADO", "AC07"]);
  assert.equal(failed.horario.liquidacao, undefined);
  const reported: Json = await until("it is reported", () => reportedOf(id)[0]);
  assert.deepEqual(
    [reported.status, reported.horario, reported.gnExtras.erro],
    ["NAO_REALIZADO", null, failed.gnExtras.erro],
  );
  assert.equal(await funds(), before);
  assert.equal((await settle(id, { outcome: "reverse" })).body.code, "PAYOUT_NOT_SETTLED");
});

test("manual@ waits for the control API, which ends it once, as made or not", async () => {
  await simulator.behave({ payoutDelayMs: 0 });
  const before = await funds();
  const [made, not, other] = [newTxid(), newTxid(), newTxid()];
  await put(made, manual("3.00"));
  await put(not, manual("5.00"));
  await put(other, order("1.00"));
  await ended(other);
  assert.equal((await get(made)).body.status, "EM_PROCESSAMENTO");
  assert.equal((await settle(made, { outcome: "reverse" })).body.code, "PAYOUT_NOT_SETTLED");
  assert.equal((await settle(made, { outcome: "complete" })).body.status, "REALIZADO");
  const failed = await settle(not, { outcome: "fail", reason: "Conta bloqueada", code: "AC06" });
  assert.deepEqual([failed.body.error.codigo, failed.body.error.motivo], ["AC06", "Conta bloqueada"]);
  for (const outcome of ["complete", "fail"]) {
    const again = await settle(made, { outcome });
    assert.deepEqual([again.status, again.body.code, again.body.status], [409, "PAYOUT_ALREADY_FINAL", "REALIZADO"]);
  }
  assert.equal((await settle("never", { outcome: "fail" })).body.code, "PAYOUT_NOT_FOUND");
  assert.equal((await settle(made, { outcome: "perhaps" })).status, 400);
  assert.equal((await settle(not, { outcome: "fail", amountCentavos: 1 })).status, 400);
  assert.equal(await funds(), before - 300 - 100);
});

test("a settled payout comes back in parts or whole, never more than was sent, and each part is reported", async () => {
  await simulator.behave({ payoutDelayMs: 0 });
  const before = await funds();
  const id = newTxid();
  await put(id, order("10.00"));
  await ended(id);
  const part = await settle(id, { outcome: "reverse", amountCentavos: 250, reason: "Engano" });
  assert.deepEqual([part.status, part.body.givenBackCentavos, part.body.status], [200, 250, "REALIZADO"]);
  assert.equal((await settle(id, { outcome: "reverse", amountCentavos: 751 })).body.code, "REVERSAL_EXCEEDS_PAYOUT");
  assert.equal(await funds(), before - 750);
  await settle(id, { outcome: "reverse" });
  assert.equal((await settle(id, { outcome: "reverse" })).body.code, "REVERSAL_EXCEEDS_PAYOUT");
  assert.equal(await funds(), before);

  const shown = (await get(id)).body;
  assert.equal(shown.status, "REALIZADO");
  assert.deepEqual(
    shown.devolucoes.map((item: Json) => [
      item.valor,
      typeof item.horario,
      /^D\d{20}[a-zA-Z0-9]{11}$/.test(item.rtrId),
    ]),
    [
      ["2.50", "string", true],
      ["7.50", "string", true],
    ],
  );
  await until("both parts are reported", () => reportedOf(id).filter((pix) => pix.devolucoes).length === 2);
  const [, first, second] = reportedOf(id);
  assert.deepEqual([first.devolucoes.length, second.devolucoes.length, second.tipo], [1, 2, "SOLICITACAO"]);
  assert.equal(second.devolucoes[1].rtrId, shown.devolucoes[1].rtrId);
});

test("without the money a payout is refused at once, or taken on and failed, as the behaviour says", async () => {
  await withSimulator(async (poor) => {
    const body = { valor: "5.01", pagador: { chave: poor.credentials.pixKey }, favorecido: { chave: CPF, cpf: CPF } };
    await poor.behave({ openingBalanceCentavos: 0, payoutDelayMs: 50 });
    await poor.control("POST", "/control/pix", { amountCentavos: 500 });
    assertRefused(await poor.api("PUT", "/v3/gn/pix/a", body), 422, "pagamento_negado");
    assert.equal((await poor.api("GET", "/v2/gn/pix/enviados/id-envio/a")).status, 404);
    await poor.control("PATCH", "/control/behaviour", { insufficientBalance: "fail" });
    assert.equal((await poor.api("PUT", "/v3/gn/pix/a", body)).status, 201);
    assert.equal(await funds(poor), 500);
    const failed: Json = await until("it fails", async () => {
      const { body: shown } = await poor.api("GET", "/v2/gn/pix/enviados/id-envio/a");
      return shown.status === "EM_PROCESSAMENTO" ? undefined : shown;
    });
    assert.deepEqual([failed.status, failed.gnExtras.erro.motivo], ["NAO_REALIZADO", "Saldo insuficiente"]);
    assert.equal((await poor.api("PUT", "/v3/gn/pix/b", { ...body, valor: "5.00" })).status, 201);
    assert.equal(await funds(poor), 0);
    assert.deepEqual((await poor.api("GET", "/v2/gn/saldo")).body, { saldo: "0.00" });
  });
});

test("a return of a receipt that payouts have spent fails for lack of balance", async () => {
  await withSimulator(async (poor) => {
    await poor.behave({ openingBalanceCentavos: 0, returnDelayMs: 0 });
    const { e2eId } = (await poor.control("POST", "/control/pix", { amountCentavos: 500 })).body;
    const body = { valor: "2.00", pagador: { chave: poor.credentials.pixKey }, favorecido: { chave: CPF, cpf: CPF } };
    assert.equal((await poor.api("PUT", "/v3/gn/pix/spent", body)).status, 201);
    await poor.api("PUT", `/v2/pix/${e2eId}/devolucao/r`, { valor: "5.00" });
    const failed: Json = await until("it fails", async () => {
      const { body: shown } = await poor.api("GET", `/v2/pix/${e2eId}/devolucao/r`);
      return shown.status === "EM_PROCESSAMENTO" ? undefined : shown;
    });
    assert.deepEqual(
      [failed.status, failed.motivo],
      ["NAO_REALIZADO", "Saldo insuficiente para realizar a devolução."],
    );
    assert.equal(await funds(poor), 300);
    const spent = await poor.control("PATCH", "/control/behaviour", { openingBalanceCentavos: 0 });
    assert.equal(spent.status, 200);
  });
});

test("the opening balance cannot be taken below what was spent of it", async () => {
  await withSimulator(async (rich) => {
    await rich.behave({ openingBalanceCentavos: 1000 });
    const body = { valor: "6.00", pagador: { chave: rich.credentials.pixKey }, favorecido: { chave: CPF, cpf: CPF } };
    await rich.api("PUT", "/v3/gn/pix/spent", body);
    const refused = await rich.control("PATCH", "/control/behaviour", { openingBalanceCentavos: 599 });
    assert.deepEqual([refused.status, refused.body.issues[0].path], [400, "openingBalanceCentavos"]);
    assert.equal(await funds(rich), 400);
  });
});

test("the list shows a window by request, page by page, with filters; later returns show in it", async () => {
  await withSimulator(async (fresh) => {
    await fresh.behave({ payoutDelayMs: 0 });
    const began = new Date().toISOString();
    const ids = ["p1", "p2", "p3", "p4", "p5"];
    for (const id of ids) {
      const favorecido = id === "p2" ? { chave: "fail@pixgate.test", cpf: CPF } : { chave: CNPJ, cnpj: CNPJ };
      await fresh.api("PUT", `/v3/gn/pix/${id}`, {
        ...order("1.00", favorecido),
        pagador: { chave: fresh.credentials.pixKey },
      });
    }
    const list = async (more = "") => {
      const answer = await fresh.api("GET", `/v2/gn/pix/enviados?inicio=${began}&fim=2100-01-01T00:00:00Z${more}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const idsOf = (body: Json) => body.pix.map((item: Json) => item.idEnvio);
    await until("all end", async () => (await list("&status=EM_PROCESSAMENTO")).pix.length === 0);
    assert.deepEqual(idsOf(await list()), ids);
    assert.deepEqual(idsOf(await list("&status=NAO_REALIZADO")), ["p2"]);
    assert.deepEqual(idsOf(await list(`&cpf=${CPF}`)), ["p2"]);
    assert.deepEqual(idsOf(await list(`&cnpj=${CNPJ}`)), ["p1", "p3", "p4", "p5"]);
    const page = await list("&paginacao.itensPorPagina=2&paginacao.paginaAtual=1");
    assert.deepEqual([idsOf(page), page.parametros.paginacao.quantidadeDePaginas], [["p3", "p4"], 3]);
    await fresh.control("POST", "/control/payouts/p4/settle", { outcome: "reverse" });
    const [back] = (await list("&devolucaoPresente=true")).pix;
    assert.deepEqual([back.idEnvio, back.devolucoes[0].valor], ["p4", "1.00"]);
    const wrong = await fresh.api("GET", "/v2/gn/pix/enviados?inicio=now");
    assert.deepEqual([wrong.status, wrong.body.type], [400, `${PROBLEM}PixConsultaInvalida`]);
  });
});

test("reads may lag behind the answer, and the callback waits for them", async () => {
  await simulator.behave({ readLagMs: 400, payoutDelayMs: 0 });
  const { id, early, reported } = await within(400, async () => {
    const id = newTxid();
    await put(id);
    return { id, early: (await get(id)).status, reported: reportedOf(id).length };
  });
  assert.deepEqual([early, reported], [404, 0]);
  await until("it shows", async () => (await get(id)).status === 200);
  await until("it is reported", () => reportedOf(id).length === 1);
});

test("each scope is asked for", async () => {
  const { clientId, clientSecret } = simulator.credentials;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  const scope = "cob.read cob.write pix.read pix.write webhook.read webhook.write";
  const token = await simulator.api(
    "POST",
    "/oauth/token",
    { grant_type: "client_credentials", scope },
    { authorization: `Basic ${basic}` },
  );
  const headers = { authorization: `Bearer ${token.body.access_token}` };
  for (const [method, path, missing] of [
    ["PUT", "/v3/gn/pix/scope", "pix.send"],
    ["GET", "/v2/gn/pix/enviados/id-envio/scope", "gn.pix.send.read"],
    ["GET", "/v2/gn/pix/enviados/E0", "gn.pix.send.read"],
    ["GET", "/v2/gn/pix/enviados", "gn.pix.send.read"],
    ["GET", "/v2/gn/saldo", "gn.balance.read"],
    ["GET", "/v2/gn/infracoes", "gn.infractions.read"],
    ["POST", "/v2/gn/infracoes/x/defesa", "gn.infractions.write"],
  ] as const) {
    const answer = await simulator.api(method, path, method === "GET" ? undefined : {}, headers);
    assert.deepEqual([answer.status, answer.body.error], [403, "insufficient_scope"], path);
    assert.match(answer.body.error_description, new RegExp(missing.replaceAll(".", "\\.")));
  }
});

test("the log has each step for a judge, with id, endToEndId and centavos", async () => {
  await simulator.behave({ payoutDelayMs: 0 });
  const id = newTxid();
  const { endToEndId } = (await put(id, order("10.00"))).body;
  await ended(id);
  await settle(id, { outcome: "reverse", amountCentavos: 400 });
  await put(id);
  const { entries } = (await simulator.control("GET", "/control/log?limit=10000")).body;
  const mine = entries.filter((entry: Json) => entry.id === id && entry.type.startsWith("payout"));
  assert.deepEqual(
    mine.map((entry: Json) => [entry.type, entry.e2eId, entry.amountCentavos, entry.returnedCentavos ?? entry.outcome]),
    [
      ["payout", endToEndId, 1000, "accepted"],
      ["payout.settled", endToEndId, 1000, undefined],
      ["payout.returned", endToEndId, 1000, 400],
      ["payout", undefined, undefined, "refused"],
    ],
  );
  const [shown] = (await simulator.control("GET", `/control/payouts?idEnvio=${id}`)).body.items;
  assert.deepEqual(
    [shown.idEnvio, shown.e2eId, shown.amountCentavos, shown.givenBackCentavos],
    [id, endToEndId, 1000, 400],
  );
});
