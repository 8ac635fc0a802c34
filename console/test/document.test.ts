/** CPF and CNPJ: shown as people write them, taken however they are written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { maskKey, readDocument, showDocument, showKey } from "../src/parts/document.ts";

test("a CPF and a CNPJ are shown with their punctuation, letters of a CNPJ too", () => {
  assert.equal(showDocument("12345678909"), "123.456.789-09");
  assert.equal(showDocument("11222333000181"), "11.222.333/0001-81");
  assert.equal(showDocument("12ABC34501DE35"), "12.ABC.345/01DE-35");
});

test("what is masked, written already or no document stays as it is", () => {
  for (const text of ["***456789**", "***.456.789-**", "123.456.789-09", "1234", "ABCDEFGHIJKLMN", ""]) {
    assert.equal(showDocument(text), text);
  }
  assert.equal(showDocument(undefined), undefined);
});

test("a Pix key is punctuated where its type is a document's: a phone has eleven digits too", () => {
  assert.equal(showKey("cpf", "12345678909"), "123.456.789-09");
  assert.equal(showKey("phone", "11987654321"), "11987654321");
});

test("of a CPF as a key a list shows the six digits in the middle, and every other key whole", () => {
  assert.equal(maskKey("cpf", "12345678909"), "•••.456.789-••");
  assert.equal(maskKey("cnpj", "11222333000181"), "11.222.333/0001-81");
  assert.equal(maskKey("phone", "11987654321"), "11987654321");
});

test("both forms are taken, in small letters too", () => {
  for (const text of ["12345678909", "123.456.789-09", " 123 456 789 09 "]) {
    assert.deepEqual(readDocument(text), { document: "12345678909", type: "cpf" });
  }
  for (const text of ["12ABC34501DE35", "12.abc.345/01de-35"]) {
    assert.deepEqual(readDocument(text), { document: "12ABC34501DE35", type: "cnpj" });
  }
});
