import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { normalisePixKey, PIX_KEY_TYPES, type PixKeyType } from "./pix-keys.ts";

const UUID = "123e4567-e89b-42d3-a456-426614174000";

describe("a Pix key", () => {
  for (const [type, text, canonical] of [
    ["cpf", "12345678909", "12345678909"],
    ["cpf", "529.982.247-25", "52998224725"],
    ["cnpj", "09089356000118", "09089356000118"],
    ["cnpj", "11.222.333/0001-81", "11222333000181"],
    ["cnpj", "00000000000191", "00000000000191"],
    ["cnpj", "12ABC34501DE35", "12ABC34501DE35"],
    ["cnpj", "12.abc.345/01de-35", "12ABC34501DE35"],
    ["cnpj", "A1B2C3D4000193", "A1B2C3D4000193"],
    ["email", " Maria.Silva+pix@Example.COM ", "maria.silva+pix@example.com"],
    ["email", "fail@pixgate.test", "fail@pixgate.test"],
    ["email", `${"a".repeat(65)}@example.com`, `${"a".repeat(65)}@example.com`],
    ["phone", "+5511999990000", "+5511999990000"],
    ["phone", "+55 (11) 99999-0000", "+5511999990000"],
    ["phone", "+551133334444", "+551133334444"],
    ["phone", "+14155550123", "+14155550123"],
    ["random", UUID, UUID],
    ["random", UUID.toUpperCase(), UUID],
  ] as [PixKeyType, string, string][]) {
    test(`of type ${type}: ${text.slice(0, 40)} is kept as ${canonical.slice(0, 40)}`, () => {
      assert.equal(normalisePixKey(type, text), canonical);
      assert.equal(normalisePixKey(type, canonical), canonical);
    });
  }

  for (const [type, text] of [
    ["cpf", "12345678900"],
    ["cpf", "11111111111"],
    ["cpf", "1234567890"],
    ["cpf", "11222333000181"],
    ["cpf", "+5511999990000"],
    ["cnpj", "11222333000182"],
    ["cnpj", "12ABC34501DE36"],
    ["cnpj", "12345678909"],
    ["cnpj", "12ABC34501DEAB"],
    ["email", "maria"],
    ["email", "maria@"],
    ["email", "@example.com"],
    ["email", "maria@exämple.com"],
    ["email", "maria @example.com"],
    ["email", "maria@example..com"],
    ["email", "maria@-example.com"],
    ["email", `${"a".repeat(66)}@example.com`],
    ["phone", "11999990000"],
    ["phone", "5511999990000"],
    ["phone", "+55119999900000"],
    ["phone", "+5501999990000"],
    ["phone", "+0511999990000"],
    ["phone", "+12"],
    ["phone", "+1234567890123456"],
    ["random", "123e4567e89b42d3a456426614174000"],
    ["random", "12345678909"],
    ["random", `{${UUID}}`],
  ] as [PixKeyType, string][]) {
    test(`of type ${type} is not ${text.slice(0, 40)}`, () => {
      assert.equal(normalisePixKey(type, text), null);
    });
  }

  test("is canonical once it is normalised, and short enough for the directory", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PIX_KEY_TYPES),
        fc.oneof(fc.string(), fc.emailAddress(), fc.uuid()),
        (type, text) => {
          const key = normalisePixKey(type, text);
          if (key === null) return;
          assert.equal(normalisePixKey(type, key), key);
          assert.ok(key.length <= 77);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
