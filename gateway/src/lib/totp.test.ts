import assert from "node:assert/strict";
import { test } from "node:test";
import { base32, codeOf, matchCode, otpauthUri, stepAt } from "./totp.ts";

/** Of both RFCs. */
const SECRET = Buffer.from("12345678901234567890");

test("codes are those of RFC 4226, appendix D", () => {
  const codes = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");
  assert.deepEqual(
    codes.map((_, counter) => codeOf(SECRET, counter)),
    codes,
  );
});

test("codes of times are those of RFC 6238, appendix B", () => {
  for (const [seconds, code] of [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ] as const) {
    assert.equal(codeOf(SECRET, stepAt(seconds * 1000), 8), code, String(seconds));
  }
});

test("a code counts in its step, the one before and the one after, and once", () => {
  const now = 1_700_000_000_000;
  const step = stepAt(now);
  for (const near of [step - 1, step, step + 1]) {
    assert.equal(matchCode(SECRET, codeOf(SECRET, near), now, 0), near);
    assert.equal(matchCode(SECRET, codeOf(SECRET, near), now, near), null, "it was used");
  }
  assert.equal(matchCode(SECRET, codeOf(SECRET, step - 2), now, 0), null);
  assert.equal(matchCode(SECRET, codeOf(SECRET, step + 2), now, 0), null);
  const code = codeOf(SECRET, step);
  assert.equal(matchCode(SECRET, `${code.slice(0, 3)} ${code.slice(3)}`, now, 0), step);
  for (const wrong of ["", "0", code.slice(1), `${code}0`, "abcdef"]) {
    assert.equal(matchCode(SECRET, wrong, now, 0), null, wrong);
  }
});

test("base32 is that of RFC 4648, without padding", () => {
  for (const [text, encoded] of [
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ] as const) {
    assert.equal(base32(Buffer.from(text)), encoded);
  }
});

test("the address for apps names issuer and person", () => {
  assert.equal(
    otpauthUri("Pixgate Loja", "ana@example.com", Buffer.from("foobar")),
    "otpauth://totp/Pixgate%20Loja:ana%40example.com?secret=MZXW6YTBOI&issuer=Pixgate%20Loja",
  );
});
