import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_CENTAVOS, toDecimalString } from "../../lib/money.ts";
import { type Dialect, readNotified } from "../api-pix/read-answers.ts";
import type { PayoutFailure } from "../payout-failure.ts";
import { failureOf } from "./failures.ts";
import { readBalance, readInfraction, readNotifiedPayouts, readPayout } from "./read-answers.ts";

const drops: [string, number][] = [];
const dialect: Dialect = {
  qrFields: [],
  zonelessTime: "Z",
  buildQr: () => undefined,
  dropped: (what, items) => drops.push([what, items]),
};

const E2E = "E09089356202608021305API12345678";
const RTR = "D12345678202608031305abcdef01234";

/** The answer to the PUT, as the documentation has it; Efí's second SDK calls the id endToEndId. */
const accepted = {
  idEnvio: "wd0001",
  e2eId: E2E,
  valor: "12.34",
  horario: { solicitacao: "2026-08-02T13:05:11.000Z" },
  status: "EM_PROCESSAMENTO",
};

/** The answer to a question. */
const sent = {
  endToEndId: E2E,
  idEnvio: "wd0001",
  valor: "12.34",
  chave: "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11",
  status: "REALIZADO",
  infoPagador: "Saque",
  horario: { solicitacao: "2026-08-02T13:05:11.000Z", liquidacao: "2026-08-02T13:05:10.000Z" },
  favorecido: { chave: "maria@example.com", identificacao: { nome: "MARIA TESTE", cpf: "***.456.789-**" } },
};

/** Its callback. */
const reported = {
  endToEndId: E2E,
  chave: "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11",
  tipo: "SOLICITACAO",
  status: "REALIZADO",
  valor: "12.34",
  horario: "2026-08-02T13:05:12.000Z",
  gnExtras: { idEnvio: "wd0001", tarifa: "0.00", favorecido: sent.favorecido },
};

const received = {
  endToEndId: "E12345678202608021305abcdef01234",
  txid: "tx1",
  valor: "25.90",
  horario: reported.horario,
};
const returned = {
  ...received,
  devolucoes: [
    { id: "ref1", rtrId: RTR, valor: "10.00", horario: { solicitacao: reported.horario }, status: "DEVOLVIDO" },
  ],
};

const infraction = {
  idInfracao: "0f8fad5b-d9cb-469f-a165-70867728950e",
  protocolo: 10203040,
  dataTransacao: "2026-08-01T10:00:00.000Z",
  valor: 6.5,
  chave: "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11",
  status: "ABERTA",
  razao: "Fraude",
  tipoSituacao: "golpe",
  endToEndId: received.endToEndId,
  dadosAnalise: { abertura: "2026-08-02T10:00:00.000Z", prazoFinalizacao: "2026-08-09T10:00:00.000Z" },
  origem: { nomeParticipante: "BANCO", conta: 1234, nome: "João", documento: "12345678909" },
  criadoEm: "2026-08-02T10:00:01.000Z",
  atualizadoEm: "2026-08-02T10:00:01.000Z",
};

test("the answer to a PUT is read under either name of the end-to-end id", () => {
  const { e2eId, ...rest } = accepted;
  for (const body of [accepted, { ...rest, endToEndId: e2eId }, { ...accepted, endToEndId: e2eId }]) {
    assert.deepEqual(readPayout(body, dialect), {
      id: "wd0001",
      e2eId: E2E,
      amount: 1234,
      status: "processing",
      failure: undefined,
      settledAt: undefined,
      receiver: undefined,
      returns: [],
      said: body,
    });
  }
  assert.equal(readPayout(rest, dialect)?.e2eId, undefined);
});

test("a sent Pix is read with its time and receiver, and without a masked document", () => {
  assert.deepEqual(readPayout(sent, dialect), {
    id: "wd0001",
    e2eId: E2E,
    amount: 1234,
    status: "settled",
    failure: undefined,
    settledAt: new Date("2026-08-02T13:05:10.000Z"),
    receiver: { name: "MARIA TESTE", document: undefined },
    returns: [],
    said: sent,
  });
  const receiver = (favorecido: unknown) => readPayout({ ...sent, favorecido }, dialect)?.receiver;
  const account = { nome: "EMPRESA", cnpj: "12.ABC.345/01DE-35", agencia: "1", conta: "123", tipoConta: "corrente" };
  assert.deepEqual(receiver({ contaBanco: account }), { name: "EMPRESA", document: "12ABC34501DE35" });
  assert.deepEqual(receiver({ chave: "k", identificacao: { cpf: "52998224725" } }), {
    name: undefined,
    document: "52998224725",
  });
  for (const none of [undefined, null, {}, "x", { chave: "k" }, { identificacao: { cpf: "***.456.789-**" } }]) {
    assert.equal(receiver(none), undefined);
  }
});

test("an amount comes back as it was written, as string and as number, and never through a float", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_CENTAVOS }), (centavos) => {
      const written = toDecimalString(centavos);
      const valor = fc.sample(fc.constantFrom(written, JSON.parse(written)), 1)[0];
      const devolucoes = [{ rtrId: RTR, valor, horario: reported.horario }];
      assert.equal(readPayout({ ...sent, valor, devolucoes }, dialect)?.amount, centavos);
      assert.equal(readPayout({ ...sent, valor, devolucoes }, dialect)?.returns[0]?.amount, centavos);
      assert.equal(readInfraction({ ...infraction, valor: JSON.parse(written) }, dialect)?.amount, centavos);
      assert.deepEqual(readBalance({ saldo: written, bloqueios: { total: written } }), {
        total: centavos,
        blocked: centavos,
      });
    }),
    { numRuns: 1000 },
  );
});

test("without its id or its amount it is no payout; a status that is new is not guessed", () => {
  for (const body of [
    null,
    "x",
    [],
    {},
    { ...sent, idEnvio: undefined },
    { ...sent, idEnvio: "a b" },
    { ...sent, valor: undefined },
    { ...sent, valor: "0.00" },
    { ...sent, valor: "-1.00" },
    { ...sent, valor: "12,34" },
  ]) {
    assert.equal(readPayout(body, dialect), null);
  }
  for (const status of [undefined, null, "EM_OUTRO", "realizado", "__proto__"]) {
    const payout = readPayout({ ...sent, status }, dialect);
    assert.deepEqual([payout?.status, payout?.failure], ["unrecognised", undefined]);
  }
});

test("what came back is read in the shape of reads and in that of callbacks, unless it is still on its way", () => {
  const returns = (devolucoes: unknown) =>
    readPayout({ ...sent, devolucoes }, dialect)?.returns.map(({ said, ...one }) => {
      assert.ok((devolucoes as unknown[]).includes(said), "as the institution wrote it");
      return one;
    });
  const at = new Date("2026-08-03T13:05:12.000Z");
  const horario = at.toISOString();
  const two = [{ id: undefined, rtrId: RTR, amount: 200, returnedAt: at }];
  assert.deepEqual(returns([{ rtrId: RTR, valor: "2.00", horario }]), two);
  assert.deepEqual(returns([{ rtrId: RTR, valor: "2.00", horario, status: "DEVOLVIDO" }]), two);
  assert.deepEqual(
    returns([{ id: "x", rtrId: RTR, valor: "2.00", horario: { solicitacao: reported.horario, liquidacao: horario } }]),
    [{ ...two[0], id: "x" }],
  );
  // Its own id names it until there is one of the network's.
  assert.deepEqual(returns([{ id: "x", valor: "2.00", horario }]), [{ ...two[0], id: "x", rtrId: undefined }]);
  for (const status of ["EM_PROCESSAMENTO", "NAO_REALIZADO", "OUTRO"]) {
    assert.deepEqual(returns([{ rtrId: RTR, valor: "2.00", horario, status }]), []);
  }
  // Money without a time is still money: it came no earlier than the payout was settled.
  assert.deepEqual(returns([{ rtrId: RTR, valor: "2.00" }]), [
    { ...two[0], returnedAt: new Date(sent.horario.liquidacao) },
  ]);
  drops.length = 0;
  assert.deepEqual(
    returns([{ valor: "2.00", horario }, { rtrId: RTR }, null, { rtrId: RTR, valor: "2.00", horario }]),
    two,
  );
  assert.deepEqual(drops, [["payout_return", 3]]);
});

test("why a payout was not made is reported in our words", () => {
  for (const [codigo, motivo, code] of [
    ["AC03", "Conta inválida", "destination_refused"],
    ["AC06", "Conta bloqueada", "destination_refused"],
    ["AC07", "Conta encerrada", "destination_refused"],
    ["ac07", "Conta encerrada", "destination_refused"],
    ["AC14", "Tipo de conta", "destination_refused"],
    ["CH11", "", "destination_refused"],
    ["BE01", "Documento não confere", "holder_mismatch"],
    ["FRAD", "Suspeita de fraude", "denied"],
    ["RR04", "Regulatório", "denied"],
    ["DS04", "Rejeitado", "denied"],
    ["AM04", "Saldo insuficiente do participante", "psp_error"],
    ["AB03", "Timeout no SPI", "psp_error"],
    ["ED05", "Falha na liquidação", "psp_error"],
    ["AM02", "Limite excedido", "psp_error"],
    ["XX99", "Saldo insuficiente", "insufficient_psp_balance"],
    ["XX99", "O saldo da conta é insuficiente", "insufficient_psp_balance"],
    ["saldo_insuficiente", "", "insufficient_psp_balance"],
    ["XX99", "Insuficiência de saldo na conta", "insufficient_psp_balance"],
    ["chave_favorecido_nao_encontrada", "", "key_not_found"],
    ["chave_nao_pertence_ao_documento", "", "holder_mismatch"],
    ["documento_bloqueado", "", "denied"],
    ["chave_bloqueada", "A chave do favorecido está bloqueada", "key_blocked"],
    ["pagamento_negado", "Pagamento negado", "denied"],
    ["pagamento_negado", "Pagamento negado: saldo insuficiente", "insufficient_psp_balance"],
    ["chave_invalida", "A chave não pertence a esta conta", "psp_error"],
    ["valor_invalido", "Campo valor inválido", "psp_error"],
    ["__proto__", "", "psp_error"],
    [undefined, undefined, "psp_error"],
  ] as [string | undefined, string | undefined, PayoutFailure][]) {
    assert.equal(failureOf(codigo, motivo), code, `${codigo} ${motivo}`);
  }
});

test("a failed payout has its reason wherever the PSP put it, bounded and without documents or keys", () => {
  const failure = (more: object) => readPayout({ ...sent, status: "NAO_REALIZADO", ...more }, dialect)?.failure;
  const erro = { codigo: "AC07", origem: "SPI", motivo: "Conta encerrada" };
  const closed = { code: "destination_refused", message: "AC07: Conta encerrada" };
  assert.deepEqual(failure({ gnExtras: { erro } }), closed);
  assert.deepEqual(failure({ erro }), closed);
  assert.deepEqual(failure({ motivo: "Saldo insuficiente" }), {
    code: "insufficient_psp_balance",
    message: "Saldo insuficiente",
  });
  for (const nothing of [{}, { gnExtras: null }, { gnExtras: { erro: {} } }, { erro: 7 }]) {
    assert.deepEqual(failure(nothing), { code: "psp_error", message: "" });
  }
  const long = failure({
    erro: { codigo: "AC07", motivo: `CPF 529.982.247-25 de maria@example.com ${"x".repeat(500)}` },
  });
  assert.match(long?.message ?? "", /^AC07: CPF \*\*\* de \*\*\* x+$/);
  assert.ok((long?.message.length ?? 0) <= 200);
  assert.equal(readPayout({ ...sent, gnExtras: { erro } }, dialect)?.failure, undefined);
});

const idsOf = (body: unknown) => readNotifiedPayouts(body).map(({ payoutId }) => payoutId);

test("a notification's sent Pix give ids, its receipts and their returns give Pix, and neither is taken for the other", () => {
  const rejected = { ...reported, status: "NAO_REALIZADO", horario: null, gnExtras: { idEnvio: "wd0002", erro: {} } };
  const back = { ...reported, gnExtras: { idEnvio: "wd0003" }, devolucoes: returned.devolucoes };
  const unmarked = { ...reported, tipo: undefined, gnExtras: { idEnvio: "wd0004" } };
  const plain = { ...reported, gnExtras: undefined, idEnvio: "wd0005", tipo: null };
  const nameless = { ...reported, gnExtras: {} };
  const body = { pix: [reported, received, rejected, reported, back, unmarked, plain, nameless, returned] };
  assert.deepEqual(idsOf(body), ["wd0001", "wd0002", "wd0003", "wd0004", "wd0005"]);
  assert.deepEqual(
    readNotified(body, dialect).map((pix) => [pix.e2eId, pix.returns.length]),
    [
      [received.endToEndId, 0],
      [received.endToEndId, 1],
    ],
  );
  assert.deepEqual(idsOf(body.pix), idsOf(body));
  for (const odd of [null, undefined, "x", 7, {}, [], { pix: null }, { pix: {} }, { pix: [null, 1, "x", []] }]) {
    assert.deepEqual([idsOf(odd), readNotified(odd, dialect)], [[], []]);
  }
});

test("a tariff is read of a sent Pix and of a received one, and zero or nonsense is none", () => {
  const tariffs = (tarifa: unknown) => {
    const gnExtras = { idEnvio: "wd0001", tarifa };
    return [
      readPayout({ ...sent, gnExtras }, dialect)?.tariff,
      readNotifiedPayouts([{ ...reported, gnExtras }])[0]?.tariff,
      readNotified([{ ...received, gnExtras: { tarifa } }], dialect)[0]?.tariff,
    ];
  };
  assert.deepEqual(tariffs("0.45"), [45, 45, 45]);
  for (const none of ["0.00", "-0.45", "x", null, undefined]) {
    assert.deepEqual(tariffs(none), [undefined, undefined, undefined]);
  }
});

test("whatever a notification holds, reading it never throws, and no sent Pix is read as received", () => {
  const marks = fc.record(
    {
      endToEndId: fc.constant(E2E),
      valor: fc.constantFrom("1.00", 1, null),
      horario: fc.constantFrom(reported.horario, null, {}),
      tipo: fc.option(fc.constantFrom("SOLICITACAO", 1)),
      favorecido: fc.option(fc.object()),
      gnExtras: fc.option(fc.record({ idEnvio: fc.option(fc.string()), favorecido: fc.option(fc.object()) })),
      devolucoes: fc.option(fc.array(fc.object())),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ pix: fc.array(fc.oneof(marks, fc.anything())) })), (body) => {
      const ids = idsOf(body);
      assert.equal(new Set(ids).size, ids.length);
      for (const id of ids) assert.match(id, /^[a-zA-Z0-9]{1,64}$/);
      readNotified(body, dialect);
    }),
  );
  fc.assert(
    fc.property(marks, (item) => {
      const sentBy = [item.tipo, item.favorecido, item.gnExtras?.idEnvio, item.gnExtras?.favorecido];
      if (sentBy.some((mark) => mark != null)) assert.deepEqual(readNotified([item], dialect), []);
    }),
  );
});

test("a case is read with its deadline, in the numbers of one SDK and in the strings of the other", () => {
  const read = {
    id: infraction.idInfracao,
    e2eId: infraction.endToEndId,
    amount: 650,
    status: "open",
    protocol: "10203040",
    reason: "Fraude",
    respondBy: new Date("2026-08-09T10:00:00.000Z"),
    openedAt: new Date("2026-08-02T10:00:00.000Z"),
    closedAt: undefined,
    resolution: undefined,
  };
  assert.deepEqual(readInfraction(infraction, dialect), read);
  assert.deepEqual(readInfraction({ ...infraction, valor: "6.50", protocolo: "10203040" }, dialect), read);
  const bare = { idInfracao: "x-1", endToEndId: "E1", valor: "1", criadoEm: "2026-08-02T10:00:01Z" };
  assert.deepEqual(readInfraction(bare, dialect)?.openedAt, new Date("2026-08-02T10:00:01Z"));
  const closed = readInfraction(
    {
      ...infraction,
      status: "REJEITADA",
      justificativaAnalista: "Sem indícios",
      dadosAnalise: { ...infraction.dadosAnalise, prazoFinalizacao: "2026-08-09", finalizacao: "2026-08-05 11:00:00" },
    },
    dialect,
  );
  assert.deepEqual(
    [closed?.status, closed?.resolution, closed?.respondBy, closed?.closedAt],
    ["rejected", "Sem indícios", new Date("2026-08-09T00:00:00Z"), new Date("2026-08-05T11:00:00Z")],
  );
});

test("every status of a case is known, a new one is not guessed, and without id, Pix or amount it is no case", () => {
  for (const [status, ours] of [
    ["ABERTA", "open"],
    ["EM_DEFESA", "in_defence"],
    ["ACEITA", "accepted"],
    ["REJEITADA", "rejected"],
    ["CANCELADA_EFI", "cancelled"],
    ["CANCELADA", "cancelled"],
    ["OUTRA", "unrecognised"],
    [undefined, "unrecognised"],
  ]) {
    assert.equal(readInfraction({ ...infraction, status }, dialect)?.status, ours);
  }
  for (const more of [
    { idInfracao: "../x" },
    { idInfracao: null },
    { endToEndId: 1 },
    { valor: 0 },
    { valor: "6,50" },
  ]) {
    assert.equal(readInfraction({ ...infraction, ...more }, dialect), null);
  }
});

test("the balance is read with its blocks, with zeros and a sign", () => {
  const blocks = (total: unknown) => ({ judicial: "0.00", med: total, total });
  assert.deepEqual(readBalance({ saldo: "100.00", bloqueios: blocks("6.50") }), { total: 10_000, blocked: 650 });
  assert.deepEqual(readBalance({ saldo: "0.00" }), { total: 0, blocked: 0 });
  assert.deepEqual(readBalance({ saldo: 0 }), { total: 0, blocked: 0 });
  assert.deepEqual(readBalance({ saldo: "-0.01", bloqueios: blocks("0.00") }), { total: -1, blocked: 0 });
  for (const body of [null, {}, { saldo: "x" }, { saldo: "1.00", bloqueios: {} }, { saldo: "1.001" }, { saldo: "" }]) {
    assert.equal(readBalance(body), null);
  }
});
