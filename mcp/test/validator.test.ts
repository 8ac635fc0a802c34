import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { catalogueOf } from "../src/catalogue.ts";
import { createValidator } from "../src/validator.ts";

const validator = createValidator();
const tool = (name: string) => catalogueOf("merchant").find((one) => one.name === name)!;
const wrongOf = (name: string, input: unknown) => validator.getValidator(tool(name).inputSchema)(input).errorMessage;

describe("an input of the wrong shape", () => {
  test("is refused by the name of its field: unknown, missing, of another type, out of bounds, inside a list", () => {
    assert.equal(wrongOf("transactions_list", { statsu: "completed" }), "statsu: is unknown");
    assert.equal(wrongOf("charges_create", {}), "body: is required");
    assert.equal(wrongOf("charges_create", { body: { amount: 1 } }), "body.description: is required");
    assert.match(
      wrongOf("charges_create", { body: { amount: "1", description: "x" } })!,
      /^body\.amount: must be number/,
    );
    const split = [{ subAccount: "a", amount: 1, percnt: 1 }];
    assert.match(
      wrongOf("charges_create", { body: { amount: 2, description: "x", split } })!,
      /body\.split\.0\.percnt: is unknown/,
    );
  });

  test("is named once, however many rules it breaks, and a long list is cut", () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, i]));
    const said = wrongOf("transactions_list", unknown)!.split("; ");
    assert.deepEqual([said.length, new Set(said).size], [20, 20]);
  });
});

test("every answer that is an object has a schema, and one that asks a person fits it too", () => {
  for (const side of ["merchant", "operator"] as const) {
    const tools = catalogueOf(side);
    const described = tools.filter(({ outputSchema }) => outputSchema !== null);
    assert.ok(described.length > tools.length / 2, `${described.length} of ${tools.length}`);
    const asked = { confirmationRequired: true, effect: "R$ 1.00 leaves", confirmationToken: "t" };
    for (const { name, confirms, outputSchema } of described) {
      assert.equal(validator.getValidator(outputSchema!)(asked).valid || !confirms, true, name);
    }
  }
});
