/** Whether a bank's name for a holder is another one than was asked for: it spells and shortens names in its own way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ERASED } from "./erased.ts";
import { isOtherName, isPaidToOther } from "./other-name.ts";

test("a name is the same one only where both begin alike and one has the words of the other in their order", () => {
  for (const [asked, paid, isOther] of [
    ["Rosana Figueiredo", "ROSANA FIGUEIREDO", false],
    ["João Gonçalves", "Joao  Goncalves", false],
    ["JOÃO", "joa\u0303o", false],
    ["Ana Lima", "ANA SOUZA LIMA", false],
    ["Ana Souza", "ANA SOUZA LIMA", false],
    ["Ana S. Lima", "ANA SOUZA LIMA", false],
    ["João Silva", "JOAO DA SILVA", false],
    ["Maria dos Santos Lima", "MARIA SANTOS SOUZA LIMA", false],
    ["Maria d'Ávila", "MARIA DAVILA", false],
    ["Padaria Boa Vista Ltda.", "PADARIA BOA VISTA LTDA", false],
    ["Padaria Boa Vista ME", "Padaria Boa Vista Comércio de Pães Ltda", false],
    ["Rosana Figueiredo", "12.345.678 ROSANA FIGUEIREDO", false],
    ["Rosana Figueiredo", "ROSANA FIGUEIREDO 12345678909", false],
    ["Boa-Vista", "Boa Vista S/A", false],
    ["Ana", "ANA", false],
    ["Ltda", "LTDA", false],
    ["***", "***", false],
    ["山田 太郎", "山田 太郎", false],
    ["山田", "田中", true],
    ["Rosana Figueiredo", "Favorecido Teste", true],
    ["Ana Lima", "Ana Souza", true],
    ["Ana Lima", "Ana", true],
    ["Ana Lima", "Lima", true],
    ["Ana Lima", "Mariana Souza Lima", true],
    ["Ana Lima", "Beatriz Ana Lima", true],
    ["Ana Souza Lima", "Ana Pereira Lima", true],
    ["Ana Lima Souza", "Ana Souza Lima", true],
    ["Carlos Souza", "Souza Carlos", true],
    ["Ana", "Joana Souza", true],
    ["Ana Ana Ana", "Ana Lima", true],
    ["J. Silva", "João Silva", true],
    ["Ana L", "Ana Lima", true],
    ["Ana Maria Sá", "Ana Maria Lima", true],
    ["Padaria Ltda", "Padaria Boa Vista Ltda", true],
    ["Posto 7", "Posto 9", true],
    ["Rosana Figueiredo", "E ME LTDA", true],
    ["Rosana Figueiredo", "***", true],
    ["Rosana Figueiredo", "12345678901", true],
    ["Ltda", "ME", true],
  ] as const) {
    assert.equal(isOtherName(asked, paid), isOther, `${asked} and ${paid}`);
    assert.equal(isOtherName(paid, asked), isOther, `${paid} and ${asked}`);
  }
});

test("where the bank names nobody, or who was asked for is erased, it is not known", () => {
  for (const paid of [null, "", " "]) assert.equal(isPaidToOther("Ana Lima", paid), null);
  assert.equal(isPaidToOther(ERASED, "Ana Lima"), null);
  assert.equal(isPaidToOther("Ana Lima", "Lima"), true);
  assert.equal(isPaidToOther("Ana Lima", "ANA SOUZA LIMA"), false);
});
