import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { checkOf, wrongExamples } from "./examples/wrong-examples.ts";

const text = readFileSync(new URL("../openapi/merchant.json", import.meta.url), "utf8");
const check = checkOf(JSON.parse(text) as object);
const wrongWith = (from: string | RegExp, to: string) => {
  assert.notEqual(text.search(from), -1, String(from));
  return wrongExamples(JSON.parse(text.replace(from, to)) as object, check);
};

describe("An example of the published document", () => {
  test("keeps the rules of its own field", () => {
    assert.deepEqual(wrongExamples(JSON.parse(text) as object, check), []);
  });

  for (const [what, from, to, finds] of [
    ["a code with another checksum", /6304[0-9A-F]{4}"/, '63047C28"', /pixCopyPaste wrong checksum/],
    ["a picture that is none", /data:image\/png;base64,[^"]+/, "data:image/png;base64,iVBORw0KGgoA", /another code/],
    ["somebody's document with a slip", /"12345678909"/, '"12345678908"', /document has wrong check digits/],
    ["a key of another type", '"snapshotPixKeyType": "email"', '"snapshotPixKeyType": "cpf"', /no key of its type/],
    ["an end-to-end id of the 31st of November", /"E12345678202511211402/, '"E12345678202511311402', /end-to-end/],
    ["the 30th of February", /"2025-11-22T14:02:10.512Z"/, '"2025-02-30T14:02:10.512Z"', /not in the calendar/],
    ["an end before the beginning", /"2025-11-22T14:02:10.512Z"/, '"2025-11-20T14:02:10.512Z"', /before createdAt/],
    ["a parameter's id that is none", /"example": "019b7d0c-2f41/, '"example": "019b7d0c_2f41', /match format "uuid"/],
    ["an address without https", /"https:\/\/example.com\/webhooks\/pix"/, '"http://example.com/"', /no https URL/],
  ] as const)
    test(`is found where it is ${what}`, () => {
      const wrong = wrongWith(from, to);
      assert.ok(
        wrong.some((line) => finds.test(line)),
        wrong.join("\n"),
      );
    });
});
