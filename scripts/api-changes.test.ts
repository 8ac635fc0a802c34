import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareDocuments, type Document } from "./api-changes/compare.ts";

type Schema = Record<string, unknown>;

/** A document with one operation: what it takes, and what it answers. */
const api = (taken: Schema, answered: Schema, more: object = {}): Document =>
  ({
    paths: {
      "/v2/pix": {
        post: {
          operationId: "charges.create",
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Request" } } },
          },
          responses: { 201: { content: { "application/json": { schema: { $ref: "#/components/schemas/Charge" } } } } },
          ...more,
        },
      },
    },
    components: { schemas: { Request: taken, Charge: answered } },
  }) as unknown as Document;

const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});
const text = { type: "string" };
const BASE = [
  object({ amount: { type: "number", maximum: 10 } }, ["amount"]),
  object({ id: text, status: { enum: ["a"] } }, ["id"]),
] as const;

function changed(taken: Schema, answered: Schema, more?: object): [boolean, string][] {
  return compareDocuments(api(...BASE), api(taken, answered, more)).map(({ breaking, where, what }) => [
    breaking,
    `${where} ${what}`,
  ]);
}

describe("A change of the API", () => {
  test("is none between a document and itself", () => {
    assert.deepEqual(changed(...BASE), []);
  });

  test("that adds does not break: an optional field, a field of an answer, a wider bound", () => {
    const taken = object({ amount: { type: "number", maximum: 20 }, note: text }, ["amount"]);
    const answered = object({ id: text, status: { enum: ["a"] }, more: object({}) }, ["id", "more"]);
    assert.deepEqual(changed(taken, answered), [
      [false, "Request (sent).amount has maximum 20, had 10"],
      [false, "Request (sent).note was added"],
      [false, "Charge (received).more was added"],
    ]);
  });

  test("breaks where clients must send more, or may send less", () => {
    const taken = object({ amount: { type: "number", maximum: 5 }, note: text }, ["amount", "note"]);
    assert.deepEqual(changed(taken, BASE[1]), [
      [true, "Request (sent).amount has maximum 5, had 10"],
      [true, "Request (sent).note was added"],
    ]);
    assert.deepEqual(changed(object({}), BASE[1]), [[true, "Request (sent).amount was removed"]]);
  });

  test("breaks where clients receive less, something else, or a value that a closed list did not have", () => {
    const answered = object({ id: { type: "number" }, status: { enum: ["a", "b"] } });
    assert.deepEqual(changed(BASE[0], answered), [
      [true, "Charge (received).id may be absent"],
      [true, 'Charge (received).id has type "number", had "string"'],
      [true, 'Charge (received).status may be "b"'],
    ]);
    assert.deepEqual(changed(BASE[0], object({ status: { enum: ["a"] } })), [
      [true, "Charge (received).id was removed"],
    ]);
  });

  test("breaks where an operation is gone, has another name, or needs another parameter", () => {
    const parameters = [{ name: "X-Sub-Account", in: "header", required: true, schema: text }];
    assert.deepEqual(changed(...BASE, { operationId: "pix.create", parameters }), [
      [true, "POST /v2/pix is called `pix.create`, was `charges.create`"],
      [true, "POST /v2/pix takes header `X-Sub-Account`"],
    ]);
    assert.deepEqual(
      compareDocuments(api(...BASE), {}).map(({ where, what }) => `${where} ${what}`),
      ["POST /v2/pix was removed"],
    );
  });
});
