import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Dialect, readCharge, readNotified, readPage, readPix, readReturn } from "./read-answers.ts";

const drops: [string, number][] = [];
const dialect: Dialect = {
  qrFields: ["pixCopiaECola", "brcode", "textoImagemQRcode"],
  zonelessTime: "Z",
  buildQr: (location) => `built from ${location}`,
  dropped: (what, items) => drops.push([what, items]),
};

const E2E = "E12345678202608021305abcdef01234";
const pix = { endToEndId: E2E, txid: "tx1", valor: "25.90", horario: "2026-08-02T13:06:00.000Z", chave: "k" };
const cob = {
  calendario: { criacao: "2026-08-02T13:05:11.204Z", expiracao: 900 },
  txid: "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c",
  revisao: 0,
  loc: { id: 1204, location: "psp.example/qr/v2/5b0f", tipoCob: "cob" },
  location: "psp.example/qr/v2/5b0f",
  status: "ATIVA",
  valor: { original: "25.90" },
  chave: "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11",
  pixCopiaECola: "00020101021226",
};

test("a charge of the standard is read", () => {
  assert.deepEqual(readCharge(cob, dialect), {
    txid: cob.txid,
    amount: 2590,
    status: "active",
    pixCopyPaste: "00020101021226",
    pspPaymentId: "1204",
    createdAt: new Date("2026-08-02T13:05:11.204Z"),
    expiresAt: new Date("2026-08-02T13:20:11.204Z"),
    pixKey: cob.chave,
    pix: [],
  });
});

test("a charge with null, odd or missing optional fields is read", () => {
  const bare = readCharge(
    {
      txid: cob.txid,
      valor: { original: 25.9 },
      status: "NEGATIVADA",
      calendario: null,
      loc: null,
      location: null,
      pixCopiaECola: null,
      chave: null,
      pix: null,
      devedor: null,
    },
    dialect,
  );
  assert.deepEqual(bare, {
    txid: cob.txid,
    amount: 2590,
    status: "unrecognised",
    unknownStatus: "NEGATIVADA",
    pixCopyPaste: undefined,
    pspPaymentId: undefined,
    createdAt: undefined,
    expiresAt: undefined,
    pixKey: undefined,
    pix: [],
  });
  // As text at an older PSP.
  const text = readCharge({ ...cob, calendario: { criacao: "2026-08-02T10:05:11-03:00", expiracao: "60" } }, dialect);
  assert.deepEqual(text?.expiresAt, new Date("2026-08-02T13:06:11Z"));
  for (const expiracao of [0, -1, "x", {}, 1e300]) {
    assert.equal(readCharge({ ...cob, calendario: { ...cob.calendario, expiracao } }, dialect)?.expiresAt, undefined);
  }
  assert.equal(readCharge({ ...cob, loc: { id: "uuid" } }, dialect)?.pspPaymentId, "uuid");
});

test("what is no charge is null", () => {
  const bad = [
    null,
    undefined,
    1,
    "x",
    [],
    {},
    { ...cob, txid: null },
    { ...cob, txid: "../x" },
    { ...cob, valor: null },
  ];
  for (const value of [...bad, { ...cob, valor: { original: "x" } }]) assert.equal(readCharge(value, dialect), null);
});

test("the statuses of the standard", () => {
  const of = (status: unknown) => readCharge({ ...cob, status }, dialect)?.status;
  assert.equal(of("CONCLUIDA"), "paid");
  assert.equal(of("REMOVIDA_PELO_USUARIO_RECEBEDOR"), "removed");
  assert.equal(of("REMOVIDA_PELO_PSP"), "removed");
  for (const status of ["toString", "__proto__", null, 1, undefined]) assert.equal(of(status), "unrecognised");
});

test("the BR Code is found under each name, in the profile's order, else built from the location", () => {
  const { pixCopiaECola: _, ...without } = cob;
  const qr = (fields: object, fieldNames = dialect.qrFields) =>
    readCharge({ ...without, ...fields }, { ...dialect, qrFields: fieldNames })?.pixCopyPaste;
  assert.equal(qr({ brcode: "B", textoImagemQRcode: "T" }), "B");
  assert.equal(qr({ brcode: "B", textoImagemQRcode: "T" }, ["textoImagemQRcode", "brcode"]), "T");
  assert.equal(qr({ pixCopiaECola: "", brcode: " B\n" }), "B");
  assert.equal(qr({ pixCopiaECola: "x".repeat(5000) }), "built from psp.example/qr/v2/5b0f");
  assert.equal(qr({ location: undefined }), "built from psp.example/qr/v2/5b0f");
  assert.equal(qr({ location: undefined, loc: { id: 1 } }), undefined);
});

test("a received Pix is read, with its payer from either place", () => {
  assert.deepEqual(readPix(pix, dialect), {
    e2eId: E2E,
    txid: "tx1",
    pixKey: "k",
    amount: 2590,
    paidAt: new Date("2026-08-02T13:06:00Z"),
    payer: undefined,
    returns: [],
    said: pix,
  });
  const payer = { name: "Maria Teste", document: "12345678909" };
  assert.deepEqual(readPix({ ...pix, pagador: { nome: "Maria Teste", cpf: "123.456.789-09" } }, dialect)?.payer, payer);
  assert.deepEqual(
    readPix({ ...pix, gnExtras: { pagador: { nome: "Maria Teste", cpf: "12345678909" } } }, dialect)?.payer,
    payer,
  );
  assert.deepEqual(readPix({ ...pix, pagador: { cnpj: "12.abc.345/01de-35", nome: null } }, dialect)?.payer, {
    name: undefined,
    document: "12ABC34501DE35",
  });
});

test("a masked or malformed document of a payer is dropped", () => {
  for (const cpf of ["***.456.789-**", "***456789**", "xxx.456.789-xx", "123", 12345678909, null]) {
    assert.deepEqual(readPix({ ...pix, pagador: { nome: "M", cpf } }, dialect)?.payer, {
      name: "M",
      document: undefined,
    });
  }
  for (const pagador of [null, {}, "x", [], { nome: "", cpf: "" }, { contaBanco: { codigoBanco: "09089356" } }]) {
    assert.equal(readPix({ ...pix, pagador }, dialect)?.payer, undefined);
  }
});

test("lengths of ids are not insisted on, their characters are", () => {
  for (const endToEndId of ["E09089356202608021305API123", `${E2E}xy`]) {
    assert.equal(readPix({ ...pix, endToEndId }, dialect)?.e2eId, endToEndId);
  }
  for (const endToEndId of ["", null, 1, "E/../x", "E 1", "x".repeat(65)])
    assert.equal(readPix({ ...pix, endToEndId }, dialect), null);
  for (const txid of ["", null, "***", "a b"]) assert.equal(readPix({ ...pix, txid }, dialect)?.txid, undefined);
});

test("a Pix without amount or time is none", () => {
  for (const bad of [{ valor: null }, { valor: "x" }, { valor: "0.00" }, { horario: null }, { horario: "soon" }]) {
    assert.equal(readPix({ ...pix, ...bad }, dialect), null);
  }
});

test("returns are read: ours, the PSP's own, unknown states", () => {
  const mine = {
    id: "ref0001",
    rtrId: "D09089356202608021310abcdef01234",
    valor: "10.00",
    natureza: "ORIGINAL",
    horario: { solicitacao: "2026-08-02T13:10:00.000Z", liquidacao: "2026-08-02T13:10:02.000Z" },
    status: "DEVOLVIDO",
    motivo: "m",
  };
  assert.deepEqual(readReturn(mine, dialect), {
    id: "ref0001",
    rtrId: mine.rtrId,
    amount: 1000,
    status: "settled",
    med: false,
    requestedAt: new Date("2026-08-02T13:10:00Z"),
    settledAt: new Date("2026-08-02T13:10:02Z"),
    reason: "m",
    said: mine,
  });
  const status = (value: unknown) => readReturn({ ...mine, status: value }, dialect)?.status;
  assert.deepEqual(
    [status("EM_PROCESSAMENTO"), status("NAO_REALIZADO"), status("NOVO")],
    ["processing", "failed", "unrecognised"],
  );
  for (const natureza of ["MED_FRAUDE", "MED_OPERACIONAL", "MED_PIX_AUTOMATICO", "MED_2"]) {
    assert.equal(readReturn({ ...mine, natureza }, dialect)?.med, true);
  }
  assert.equal(readReturn({ ...mine, natureza: "RETIRADA" }, dialect)?.med, false);
  for (const natureza of [null, undefined, "", 1]) assert.equal(readReturn({ ...mine, natureza }, dialect)?.med, null);
  // The other shape of a bank: no id of ours, one time.
  const other = readReturn({ rtrId: mine.rtrId, valor: 2, horario: "2026-08-02T13:10:00Z" }, dialect);
  assert.deepEqual([other?.id, other?.amount, other?.requestedAt], [mine.rtrId, 200, new Date("2026-08-02T13:10:00Z")]);
  assert.equal(readReturn({ ...mine, id: null, rtrId: null }, dialect), null);
});

test("a notification is read from an object and from a bare array, and one bad Pix does not lose the others", () => {
  drops.length = 0;
  const bad = [null, 1, "x", [], {}, { ...pix, valor: "-1" }];
  for (const body of [{ pix: [...bad, pix] }, [...bad, pix]]) {
    assert.deepEqual(
      readNotified(body, dialect).map((item) => item.e2eId),
      [E2E],
    );
  }
  assert.deepEqual(drops, [
    ["pix", 6],
    ["pix", 6],
  ]);
  for (const body of [null, undefined, "", "x", 1, {}, { pix: null }, { pix: {} }, { evento: "teste_webhook" }, []]) {
    assert.deepEqual(readNotified(body, dialect), []);
  }
});

test("a notification of a payout is not one of a receipt", () => {
  const sent = [
    { ...pix, tipo: "SOLICITACAO", status: "REALIZADO" },
    { ...pix, gnExtras: { idEnvio: "wd0001" } },
    { ...pix, tipo: "SOLICITACAO", devolucoes: [{ rtrId: "D1", valor: "1.00" }] },
  ];
  assert.deepEqual(readNotified({ pix: sent }, dialect), []);
});

test("a notification of a return shows the Pix and its returns", () => {
  const devolucoes = [
    { id: "r1", rtrId: "D1", valor: "10.00", horario: { solicitacao: "2026-08-02T13:10:00Z" }, status: "DEVOLVIDO" },
  ];
  const [read] = readNotified({ pix: [{ ...pix, devolucoes }] }, dialect);
  assert.equal(read?.returns[0]?.id, "r1");
});

test("no notification makes the reader throw, and what it gives is sound", () => {
  const anyPix = fc.record(
    {
      endToEndId: fc.oneof(fc.constant(E2E), fc.anything()),
      valor: fc.oneof(fc.constant("1.00"), fc.anything()),
      horario: fc.oneof(fc.constant(pix.horario), fc.anything()),
      devolucoes: fc.anything(),
      pagador: fc.anything(),
      gnExtras: fc.anything(),
      txid: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.array(anyPix), fc.record({ pix: fc.array(anyPix) })), (body) => {
      // What arrives is JSON.
      const json = JSON.stringify(body, (_key, value) => (typeof value === "bigint" ? String(value) : value));
      for (const item of readNotified(json === undefined ? undefined : JSON.parse(json), dialect)) {
        assert.match(item.e2eId, /^[a-zA-Z0-9]+$/);
        assert.ok(Number.isSafeInteger(item.amount) && item.amount > 0 && !Number.isNaN(item.paidAt.getTime()));
      }
    }),
    { numRuns: 2000 },
  );
});

test("texts that the database cannot store are mended, long ones cut", () => {
  const nome = `a\0b\ud800c${"x".repeat(1000)}`;
  const name = readPix({ ...pix, pagador: { nome } }, dialect)?.payer?.name ?? "";
  assert.ok(name.startsWith("a\ufffdb\ufffdc") && name.isWellFormed() && name.length === 256);
});

test("a page of Pix is read with its count of pages", () => {
  const parametros = { paginacao: { paginaAtual: 0, itensPorPagina: 100, quantidadeDePaginas: "3" } };
  const read = (body: unknown) => readPage(body, "pix", readPix, "pix", dialect);
  assert.equal(read({ parametros, pix: [pix] })?.pages, 3);
  assert.equal(read({ pix: [pix] })?.pages, undefined);
  assert.deepEqual(read({ parametros, pix: null }), {
    values: [],
    unreadable: [],
    items: 0,
    pages: 3,
    total: undefined,
  });
  const [one, other] = [
    { ...pix, valor: "1,00" },
    { ...pix, valor: "2,00" },
  ].map((bad) => read({ pix: [pix, bad] })!);
  assert.deepEqual([one?.values.length, one?.items, one?.unreadable.length], [1, 2, 1]);
  assert.notDeepEqual(one?.unreadable, other?.unreadable);
  for (const body of [null, {}, { pix: {} }, [], { mensagem: "x" }]) assert.equal(read(body), null);
});

test("what a bank kept back of a Pix as tax is read to the centavo; one that cannot be is no Pix", () => {
  const pix = { endToEndId: "E1", valor: "10.00", horario: "2026-08-02T13:05:11Z" };
  const of = (valorLiquido: unknown) => {
    const read = readPix({ ...pix, valorLiquido }, dialect);
    return read && [read.amount, read.withheld];
  };
  for (const whole of [undefined, null, "10.00", 10, "10"]) assert.deepEqual(of(whole), [1000, undefined]);
  for (const [net, withheld] of [
    ["9.00", 100],
    ["9.99", 1],
    [9.99, 1],
    ["0.01", 999],
  ] as const)
    assert.deepEqual(of(net), [1000, withheld]);
  for (const odd of ["0.00", 0, "", "x", "10.01", {}, -1, "-1.00"]) assert.equal(of(odd), null);
});
