import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { documentKind, isCnpj, isCpf, normaliseDocument } from "./documents.ts";

const CPFS = ["12345678909", "52998224725"];
const CNPJS = ["12ABC34501DE35", "09089356000118", "11222333000181", "00000000000191", "A1B2C3D4000193"];
const DIGITS = "0123456789";
const CHARACTERS = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Every document of `kind` that begins with `body`: right check digits are found by trying all hundred. */
function completions(body: string, is: (document: string) => boolean): string[] {
  return Array.from({ length: 100 }, (_, n) => body + String(n).padStart(2, "0")).filter(is);
}

test("known documents are accepted", () => {
  for (const cpf of CPFS) assert.equal(documentKind(cpf), "cpf", cpf);
  for (const cnpj of CNPJS) assert.equal(documentKind(cnpj), "cnpj", cnpj);
});

test("every body has exactly one pair of check digits", () => {
  const cpfBody = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 9, maxLength: 9 });
  const cnpjBody = fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(cpfBody, cnpjBody, (cpf, cnpj) => {
      assert.equal(completions(cpf, isCpf).length, /^(.)\1*$/.test(cpf) ? 0 : 1);
      assert.equal(completions(cnpj, isCnpj).length, /^0*$/.test(cnpj) ? 0 : 1);
    }),
  );
});

test("one wrong digit is found in a CPF", () => {
  // Not in every CPF: remainders 0 and 10 share the check digit 0, so a CPF with a 0 there misses some.
  const cpf = "52998224725";
  for (let i = 0; i < 11; i += 1) {
    for (const digit of DIGITS) {
      if (digit !== cpf[i]) assert.equal(isCpf(cpf.slice(0, i) + digit + cpf.slice(i + 1)), false);
    }
  }
});

test("equal digits are nobody's document", () => {
  for (const digit of DIGITS) assert.equal(documentKind(digit.repeat(11)) ?? documentKind(digit.repeat(14)), null);
});

test("what is not in its stored form is refused", () => {
  for (const bad of [
    "",
    "1234567890",
    "123456789091",
    "123.456.789-09",
    "12abc34501de35",
    "12ABC34501DEA5",
    "52998224725\n",
    "５２９９８２２４７２５",
    "52998224724",
    "11222333000182",
  ]) {
    assert.equal(documentKind(bad), null, bad);
  }
});

test("punctuation and case do not matter once normalised", () => {
  assert.equal(normaliseDocument("123.456.789-09"), "12345678909");
  assert.equal(normaliseDocument(" 12.abc.345/01de-35 "), "12ABC34501DE35");
  assert.equal(documentKind(normaliseDocument("00.000.000/0001-91")), "cnpj");
});
