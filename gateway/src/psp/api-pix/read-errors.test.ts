import assert from "node:assert/strict";
import { test } from "node:test";
import { readError } from "./read-errors.ts";

test("every shape of error is recognised by its code", () => {
  const code = (body: unknown) => readError(body)?.code;
  const type = "https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida";
  assert.equal(code({ type, title: "Cobrança inválida.", status: 400 }), "CobOperacaoInvalida");
  assert.equal(code({ type, title: "Cobrança inválida.", status: "400", violacoes: null }), "CobOperacaoInvalida");
  assert.equal(code({ nome: "txid_duplicado", mensagem: "…" }), "txid_duplicado");
  assert.equal(code({ error: "insufficient_scope", error_description: "…" }), "insufficient_scope");
  assert.equal(code({ statusCode: 404, error: "Not Found", message: "…" }), "Not_Found");
  assert.equal(code({ erros: [{ codigo: "4769515", versao: "1", mensagem: "…", ocorrencia: "x" }] }), "4769515");
  assert.equal(code({ erros: [{ codigo: 4769515 }] }), "4769515");
  assert.equal(code({ nome: `x${"y".repeat(100)}` })?.length, 64);
  for (const body of [
    null,
    undefined,
    "x",
    [],
    {},
    { message: "no Route matched" },
    { erros: [] },
    { erros: ["x"] },
    { error: {} },
    { title: "x" },
  ]) {
    assert.equal(readError(body), null);
  }
});

test("the text of an error is bounded and holds no document, key or address", () => {
  const secrets = [
    "12345678909",
    "123.456.789-09",
    "12.345.678/0001-95",
    "12ABC34501DE35",
    "maria@example.com",
    "+5511999998888",
  ];
  const key = "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11";
  const message =
    readError({
      nome: "valor_invalido",
      mensagem: `Campo inválido: ${[...secrets, key].join(" ")}\n\u0007fim ${"x".repeat(500)}`,
    })?.message ?? "";
  for (const secret of [...secrets, key]) assert.ok(!message.includes(secret), secret);
  assert.match(message, /^Campo inválido: \*\*\*/);
  assert.match(message, /fim x/);
  assert.ok(message.length <= 200);
  const problem = readError({
    type: "x/CobOperacaoInvalida",
    title: "t",
    detail: "d",
    violacoes: [{ razao: "r", propriedade: "cob.devedor.cpf", valor: "secret value" }],
  });
  assert.equal(problem?.message, "t; d; cob.devedor.cpf r");
});
