import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, newTxid, stage, until } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const PROBLEM = "https://pix.bcb.gov.br/api/v2/error/";
const E2E = /^E[0-9A-Z]{8}\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d[a-zA-Z0-9]{11}$/;

const getCob = async (txid: string) => (await simulator.api("GET", `/v2/cob/${txid}`)).body;
const getPix = (e2eId: string) => simulator.api("GET", `/v2/pix/${e2eId}`);
const books = async () => (await simulator.control("GET", "/control/state")).body.books;
const WIDE = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z";

test("a payment concludes the charge, reaches the receiver, and reads show the same Pix", async () => {
  const txid = await simulator.charge("12.34");
  const balance = (await books()).balanceCentavos;
  const paid = await simulator.control("POST", `/control/charges/${txid}/pay`, {
    payer: { name: "José da Silva", document: "52998224725" },
  });
  assert.equal(paid.status, 200);
  assert.match(paid.body.e2eId, E2E);
  assert.equal(paid.body.e2eId.length, 32);
  assert.equal(paid.body.valor, "12.34");

  const [reported] = await until("the callback comes", () => {
    const pix = receiver.pixOf(txid);
    return pix.length > 0 ? pix : undefined;
  });
  assert.deepEqual(reported, {
    endToEndId: paid.body.e2eId,
    txid,
    valor: "12.34",
    componentesValor: { original: { valor: "12.34" } },
    chave: simulator.credentials.pixKey,
    horario: paid.body.horario,
    pagador: { cpf: "52998224725", nome: "José da Silva" },
  });
  assert.ok(receiver.received.every((one) => one.path === "/hook/pix"));
  const cob = await getCob(txid);
  assert.deepEqual([cob.status, cob.pix], ["CONCLUIDA", [reported]]);
  assert.deepEqual((await getPix(paid.body.e2eId)).body, reported);
  assert.equal((await books()).balanceCentavos, balance + 1234);
});

test("one payment of any amount concludes the charge", async () => {
  const txid = await simulator.charge("12.34");
  const e2eId = await simulator.pay(txid, { amountCentavos: 1 });
  const cob = await getCob(txid);
  assert.deepEqual([cob.status, cob.valor.original, cob.pix[0].valor], ["CONCLUIDA", "12.34", "0.01"]);
  assert.equal((await getPix(e2eId)).body.valor, "0.01");
});

test("the payer is the debtor or a default one, and a CNPJ may pay", async () => {
  const plain = await getPix(await simulator.pay(await simulator.charge()));
  assert.match(plain.body.pagador.cpf, /^\d{11}$/);
  const devedor = { cpf: "52998224725", nome: "Devedor" };
  const debtor = await getPix(await simulator.pay(await simulator.charge("1.00", { devedor })));
  assert.deepEqual(debtor.body.pagador, devedor);
  const payer = { name: "Loja", document: "12ABC34501DE35" };
  const company = await getPix(await simulator.pay(await simulator.charge(), { payer }));
  assert.deepEqual(company.body.pagador, { cnpj: "12ABC34501DE35", nome: "Loja" });
});

test("the payer is left out when the behaviour says so, or for a part of all Pix", async () => {
  await simulator.behave({ includePayer: false });
  const e2eId = await simulator.pay(await simulator.charge());
  assert.equal((await getPix(e2eId)).body.pagador, undefined);
  await simulator.behave({ includePayer: 0.5 });
  assert.equal((await getPix(e2eId)).body.pagador, undefined);
  let named = 0;
  for (let i = 0; i < 40; i++) {
    const pix = (await getPix(await simulator.pay(await simulator.charge()))).body;
    if (pix.pagador) named++;
  }
  assert.ok(named > 5 && named < 35, `${named} of 40 name their payer`);
});

test("a wrong payment is refused with what is wrong, and nothing is booked", async () => {
  const txid = await simulator.charge();
  const before = await books();
  const cases: [unknown, string][] = [
    [{ amountCentavos: "100" }, "amountCentavos"],
    [{ amountCentavos: 0 }, "amountCentavos"],
    [{ amountCentavos: 1.5 }, "amountCentavos"],
    [{ amount: "1.00" }, "amount"],
    [{ payer: { name: "X", document: "11111111111" } }, "payer.document"],
    [{ payer: { name: "X" } }, "payer.document"],
    [{ paidAt: "yesterday" }, "paidAt"],
    [{ paidAt: "2100-01-01T00:00:00Z" }, "paidAt"],
    [{ paidAt: "2020-01-01T00:00:00Z" }, "paidAt"],
  ];
  for (const [body, path] of cases) {
    const refused = await simulator.control("POST", `/control/charges/${txid}/pay`, body);
    assert.deepEqual([refused.status, refused.body.code], [400, "VALIDATION_ERROR"], JSON.stringify(body));
    assert.equal(refused.body.issues[0].path, path);
  }
  const unknown = await simulator.control("POST", `/control/charges/${newTxid()}/pay`);
  assert.deepEqual([unknown.status, unknown.body.code], [404, "CHARGE_NOT_FOUND"]);
  assert.deepEqual(await books(), before);
});

test("a payment made in time and reported late concludes an expired charge, with its own time", async () => {
  const txid = await simulator.charge("10.00", { calendario: { expiracao: 1 } });
  const { calendario } = await getCob(txid);
  await until("the charge expires", async () => {
    return (await simulator.control("GET", `/control/charges/${txid}`)).body.expired;
  });
  const e2eId = await simulator.pay(txid, { paidAt: calendario.criacao });
  const { body } = await getPix(e2eId);
  assert.equal(body.horario, calendario.criacao);
  assert.equal(e2eId.slice(9, 21), calendario.criacao.slice(0, 16).replace(/\D/g, ""));
  assert.equal((await getCob(txid)).status, "CONCLUIDA");
});

test("a charge that is made to expire takes no payment from then on, stays ATIVA, and may have been paid in time", async () => {
  const txid = await simulator.charge();
  const expire = (id: string) => simulator.control("POST", `/control/charges/${id}/expire`);
  const inTime = new Date(Date.now() - 5).toISOString();
  const expired = await expire(txid);
  assert.equal(expired.status, 200);
  assert.ok(Date.parse(expired.body.expiresAt) <= Date.now());
  assert.equal((await expire(txid)).body.expiresAt, expired.body.expiresAt);
  const refused = await simulator.control("POST", `/control/charges/${txid}/pay`);
  assert.deepEqual([refused.status, refused.body.reason], [409, "expired"]);
  assert.deepEqual([(await getCob(txid)).status, (await getCob(txid)).pix], ["ATIVA", undefined]);
  assert.equal((await simulator.control("GET", `/control/charges/${txid}`)).body.expired, true);
  const { createdAt } = (await simulator.control("GET", `/control/charges/${txid}`)).body;
  const paidAt = inTime < createdAt ? createdAt : inTime;
  assert.equal((await simulator.control("POST", `/control/charges/${txid}/pay`, { paidAt })).status, 200);
  const paid = await expire(txid);
  assert.deepEqual([paid.status, paid.body.code, paid.body.reason], [409, "CHARGE_NOT_ACTIVE", "paid"]);
  assert.equal((await expire(newTxid())).status, 404);
});

test("a second payment of a txid is booked and reported, and the charge shows both", async () => {
  const txid = await simulator.charge("10.00");
  const first = await simulator.pay(txid);
  const second = await simulator.control("POST", "/control/pix", { amountCentavos: 1000, txid });
  assert.equal(second.status, 200);
  await until("both callbacks come", () => receiver.pixOf(txid).length === 2);
  assert.deepEqual(
    (await getCob(txid)).pix.map((pix: Json) => pix.endToEndId),
    [first, second.body.e2eId],
  );
  assert.equal((await books()).ok, true);
});

test("a Pix that lands after a removal is booked and reported, and one that lands after the expiry concludes the charge", async () => {
  const removed = await simulator.charge();
  await simulator.api("PATCH", `/v2/cob/${removed}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
  const expired = await simulator.charge("10.00", { calendario: { expiracao: 1 } });
  await until("the charge expires", async () => {
    return (await simulator.control("GET", `/control/charges/${expired}`)).body.expired;
  });
  for (const [txid, status] of [
    [removed, "REMOVIDA_PELO_USUARIO_RECEBEDOR"],
    [expired, "CONCLUIDA"],
  ] as const) {
    assert.equal((await simulator.control("POST", "/control/pix", { amountCentavos: 1000, txid })).status, 200);
    await until("the callback comes", () => receiver.pixOf(txid).length === 1);
    const cob = await getCob(txid);
    assert.deepEqual([cob.status, cob.pix.length], [status, 1]);
  }
});

test("a Pix without txid is found by reads and reported to nobody", async () => {
  const sent = await simulator.control("POST", "/control/pix", { amountCentavos: 777 });
  const { body } = await getPix(sent.body.e2eId);
  assert.deepEqual([body.valor, body.txid], ["7.77", undefined]);
  // A later payment has its callback, so one for this Pix would have come as well.
  const txid = await simulator.charge();
  await simulator.pay(txid);
  await until("the later callback comes", () => receiver.pixOf(txid).length === 1);
  assert.ok(!receiver.received.some((one) => one.body.pix.some((pix: Json) => pix.endToEndId === sent.body.e2eId)));
});

test("the list finds Pix by time, txid, payer, presence of txid and of returns", async () => {
  const txid = await simulator.charge("55.55");
  const e2eId = await simulator.pay(txid, { payer: { name: "Ana", document: "11144477735" } });
  const { horario } = (await getPix(e2eId)).body;
  const list = async (query: string) => {
    const answer = await simulator.api("GET", `/v2/pix?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const ids = (body: Json): string[] => body.pix.map((pix: Json) => pix.endToEndId);

  assert.ok(ids(await list(`inicio=${horario}&fim=${horario}`)).includes(e2eId));
  assert.deepEqual(ids(await list(`${WIDE}&txid=${txid}`)), [e2eId]);
  assert.deepEqual(ids(await list(`${WIDE}&cpf=11144477735`)), [e2eId]);
  assert.deepEqual(ids(await list(`inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z&txid=${txid}`)), []);
  assert.ok(ids(await list(`${WIDE}&txIdPresente=true`)).includes(e2eId));
  assert.ok(!ids(await list(`${WIDE}&txIdPresente=false`)).includes(e2eId));
  assert.ok(!ids(await list(`${WIDE}&devolucaoPresente=true`)).includes(e2eId));
  await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/list1`, { valor: "1.00", descricao: "manual" });
  assert.ok(ids(await list(`${WIDE}&devolucaoPresente=true`)).includes(e2eId));

  const all = await list(`${WIDE}&paginacao.itensPorPagina=2&paginacao.paginaAtual=1`);
  const { quantidadeTotalDeItens: total, quantidadeDePaginas: pages } = all.parametros.paginacao;
  assert.deepEqual([all.pix.length, pages], [2, Math.ceil(total / 2)]);
  const empty = await list("inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z");
  assert.deepEqual([empty.pix, empty.parametros.paginacao.quantidadeDePaginas], [[], 1]);
});

test("wrong list parameters and an unknown endToEndId have their problems", async () => {
  for (const query of ["", "inicio=2026-01-01T00:00:00Z", `${WIDE}&txid=-`, `${WIDE}&txIdPresente=1`]) {
    const refused = await simulator.api("GET", `/v2/pix?${query}`);
    assert.deepEqual([refused.status, refused.body.type], [400, `${PROBLEM}PixConsultaInvalida`], query);
  }
  const unknown = await getPix(`E${"0".repeat(31)}`);
  assert.deepEqual([unknown.status, unknown.body.type], [404, `${PROBLEM}PixNaoEncontrado`]);
});

test("with a read lag nothing shows the Pix at first, then everything does, and the callback does not come before", async () => {
  await simulator.behave({ readLagMs: { min: 800, max: 900 } });
  const txid = await simulator.charge("10.00");
  const e2eId = await simulator.pay(txid);
  assert.equal((await getPix(e2eId)).status, 404);
  const hidden = await getCob(txid);
  assert.deepEqual([hidden.status, hidden.pix], ["ATIVA", undefined]);
  assert.deepEqual((await simulator.api("GET", `/v2/pix?${WIDE}&txid=${txid}`)).body.pix, []);
  assert.equal(receiver.pixOf(txid).length, 0);
  assert.equal((await simulator.control("POST", `/control/charges/${txid}/pay`)).status, 409);

  await until("the callback comes", () => receiver.pixOf(txid).length === 1);
  assert.equal((await getPix(e2eId)).status, 200);
  assert.equal((await getCob(txid)).status, "CONCLUIDA");
  assert.equal((await simulator.api("GET", `/v2/pix?${WIDE}&txid=${txid}`)).body.pix.length, 1);
});

test("charges pay themselves when the behaviour says so", async () => {
  await simulator.behave({ autoPay: { probability: 1, delayMs: { min: 0, max: 50 } } });
  const txid = await simulator.charge("3.21");
  await until("the charge is paid", async () => (await getCob(txid)).status === "CONCLUIDA");
  await until("the callback comes", () => receiver.pixOf(txid).length === 1);
});
