import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isAccessKey, numberOfKey } from "./access-key.ts";

/** Of an invoice that somebody published (nfephp-org/sped-nfe, issue 718). */
const PUBLISHED = "41191111812498000103650050000010451515607994";
/** The same with letters of a new CNPJ, computed by hand: A counts as 17, B as 18 and C as 19. The sum is 936, 1 more than 11 × 85. */
const WITH_LETTERS = "4119111181ABC8000103650050000010451515607990";

describe("an access key", () => {
  test("is right with its check digit, and names the invoice's number", () => {
    assert.equal(isAccessKey(PUBLISHED), true);
    assert.equal(numberOfKey(PUBLISHED), "1045");
  });

  test("is wrong with any other digit in any place", () => {
    for (let at = 0; at < PUBLISHED.length; at += 1) {
      // A digit more adds its weight, and no weight is a multiple of 11.
      const other = String((Number(PUBLISHED[at]) + 1) % 10);
      assert.equal(isAccessKey(PUBLISHED.slice(0, at) + other + PUBLISHED.slice(at + 1)), false, `place ${at}`);
    }
  });

  test("may have letters in its CNPJ, which count as their code minus 48", () => {
    assert.equal(isAccessKey(WITH_LETTERS), true);
    assert.equal(isAccessKey(WITH_LETTERS.replace("ABC", "ABD")), false);
  });

  test("is wrong with small letters, letters elsewhere, a month that is none, spaces, or another length", () => {
    for (const key of [
      WITH_LETTERS.toLowerCase(),
      `A${PUBLISHED.slice(1)}`,
      `${PUBLISHED.slice(0, 43)}A`,
      PUBLISHED.slice(0, 43),
      `${PUBLISHED}0`,
      `${PUBLISHED.slice(0, 22)} ${PUBLISHED.slice(22, 43)}`,
      "0".repeat(44),
      "",
    ]) {
      assert.equal(isAccessKey(key), false, key);
    }
  });
});
