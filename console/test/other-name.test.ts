/** Whether a bank's name for a holder is another one than was asked for: it spells and shortens names in its own way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOtherName } from "../src/parts/bare-text.ts";

test("a name is another one only where each of the two has a word that the other has not", () => {
  for (const [asked, paid, isOther] of [
    ["Rosana Figueiredo", "ROSANA FIGUEIREDO", false],
    ["João Gonçalves", "Joao  Goncalves", false],
    ["Ana Lima", "ANA SOUZA LIMA", false],
    ["Padaria Boa Vista Ltda.", "PADARIA BOA VISTA LTDA", false],
    ["Boa-Vista", "Boa Vista S/A", false],
    ["Rosana Figueiredo", "Favorecido Teste", true],
    ["Ana Lima", "Ana Souza", true],
    ["Ana", "Joana Souza", true],
  ] as const) {
    assert.equal(isOtherName(asked, paid), isOther, `${asked} and ${paid}`);
    assert.equal(isOtherName(paid, asked), isOther, `${paid} and ${asked}`);
  }
});
