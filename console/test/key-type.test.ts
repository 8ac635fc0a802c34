/** The type of a Pix key, read from what is written: none where it may be another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withSdk } from "./with-sdk.ts";

const { keyTypeOf } = await withSdk(() => import("../src/withdrawals/key-type.ts"));

test("is read from the key", () => {
  assert.equal(keyTypeOf("rosana@example.com"), "email");
  assert.equal(keyTypeOf("+55 11 98765-4321"), "phone");
  assert.equal(keyTypeOf("123e4567-e89b-42d3-a456-426614174000"), "random");
  assert.equal(keyTypeOf("529.982.247-25"), "cpf");
  assert.equal(keyTypeOf("52998224725"), "cpf");
  assert.equal(keyTypeOf("11.222.333/0001-81"), "cnpj");
});

test("is not guessed while the key is being written, nor of a phone without its country", () => {
  assert.equal(keyTypeOf(""), null);
  assert.equal(keyTypeOf("529.982"), null);
  assert.equal(keyTypeOf("529.982.247-24"), null);
  assert.equal(keyTypeOf("11 98765-4321"), null);
});
