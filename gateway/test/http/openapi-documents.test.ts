import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { ERRORS, type ErrorCode } from "../../src/http/errors.ts";
import { inlined, type PublishedDocument, type Route, routesOf, type Schema } from "../harness/document.ts";

/** The committed documents; `scripts/openapi.ts --check` holds them to the routes. */
const read = (name: string): PublishedDocument =>
  JSON.parse(readFileSync(new URL(`../../../openapi/${name}.json`, import.meta.url), "utf8")) as PublishedDocument;

const MERCHANT = read("merchant");
const OPERATOR = read("operator");
/** The login answers with an error body of its own and publishes no machine codes. */
const LOGIN = "/v2/auth";
const PREFIX = "#/components/schemas/";

const schemasOf = ({ operation }: Route): Schema[] => [
  ...(operation.parameters ?? []).map(({ schema }) => schema),
  ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
  ...Object.values(operation.responses).flatMap(({ content }) => Object.values(content ?? {}).map((one) => one.schema)),
];

/** Calls `see` for every object below one, references not followed. */
function walk(value: unknown, path: string, see: (schema: Schema, path: string) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) see(value as Schema, path);
  for (const [key, item] of Object.entries(value)) walk(item, `${path}/${key}`, see);
}

for (const [name, committed] of [
  ["merchant.json", MERCHANT],
  ["operator.json", OPERATOR],
] as const) {
  describe(name, () => {
    const document = inlined(committed);
    const routes = routesOf(document);
    const resolve = (schema: Schema): Schema =>
      schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.slice(PREFIX.length)] as Schema);

    test("is what OpenAPI's own schema of version 3.1 asks for", async () => {
      assert.match(document.openapi, /^3\.1\.\d+$/);
      const result = await new Validator().validate(structuredClone(committed));
      assert.deepEqual(result, { valid: true });
    });

    test("names every parameter of a path, and answers every operation with a status and a description", () => {
      assert.ok(routes.length > 20);
      for (const { method, path, operation } of routes) {
        assert.match(path, /^\/[^?#]*$/);
        assert.ok(["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method), `${method} ${path}`);
        assert.ok(Object.keys(operation.responses).length > 0);
        for (const [status, answer] of Object.entries(operation.responses)) {
          assert.match(status, /^[1-5]\d\d$/);
          assert.equal(typeof answer.description, "string");
        }
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
        const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
        assert.deepEqual(declared.map((parameter) => parameter.name).sort(), inPath.sort(), path);
        assert.ok(declared.every((parameter) => parameter.required === true));
      }
    });

    test("every reference leads somewhere, and every schema is one of draft 2020-12", () => {
      let references = 0;
      walk(document, "", (schema, path) => {
        if (typeof schema.$ref !== "string") return;
        references += 1;
        assert.ok(schema.$ref.startsWith(PREFIX), `${path}: ${schema.$ref}`);
        assert.ok(resolve(schema), `${path}: ${schema.$ref} leads nowhere`);
      });
      assert.ok(references > 20);
      // Draft 2020-12 and nothing that it does not know.
      const ajv = new Ajv2020({
        allErrors: true,
        strictSchema: true,
        strictTypes: false,
        strictRequired: false,
      });
      addFormats.default(ajv);
      ajv.addVocabulary(["x-error-codes", "x-extensible-enum", "x-shown-once"]);
      // One document, so that each component is compiled once and not again for every operation that names it.
      const at = (schema: unknown) => JSON.stringify(schema).replaceAll(PREFIX, "components#/$defs/");
      ajv.addSchema(JSON.parse(at({ $id: "components", $defs: document.components.schemas })) as Schema);
      const components = Object.keys(document.components.schemas).map((name) => ({ $ref: `${PREFIX}${name}` }));
      const texts = new Set([...components, ...routes.flatMap(schemasOf)].map(at));
      for (const text of texts) ajv.compile(JSON.parse(text) as Schema);
    });

    test("every operation has a name of its own, a summary, a tag and its way of authentication", () => {
      const ids = routes.map(({ operation }) => operation.operationId);
      assert.ok(ids.every((id) => typeof id === "string" && /^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/.test(id)));
      assert.equal(new Set(ids).size, ids.length);
      for (const { path, operation } of routes) {
        assert.ok(operation.summary && operation.tags.length > 0, path);
        const security = operation.security ?? document.security;
        assert.deepEqual(security, path === LOGIN ? [] : [{ bearer: [] }], path);
      }
      assert.ok(document.components.securitySchemes?.bearer);
    });

    // Each was seen to make a client that does not compile (sdk/generators.deep.test.ts has the generators).
    test("says nothing that generators turn into code that does not compile", () => {
      walk(document, "", ({ const: only, enum: values, pattern }, path) => {
        if (path.includes("/examples/")) return;
        assert.ok(only === undefined || typeof only === "string", `${path}: a constant that is no text`);
        assert.ok(
          !Array.isArray(values) || values.every((one) => typeof one !== "boolean"),
          `${path}: an enum of booleans`,
        );
        assert.ok(!String(pattern).includes("\\p{"), `${path}: a class that few languages have`);
      });
      const names = Object.keys(document.components.schemas);
      const schemes = Object.keys(document.components.securitySchemes ?? {});
      for (const component of names) {
        assert.ok(!names.includes(component.replace(/^New/, "")) || !component.startsWith("New"), component);
        assert.ok(!schemes.some((scheme) => scheme.toLowerCase() === component.toLowerCase()), component);
      }
    });

    test("every parameter and every field of a request or an answer is described", () => {
      const missing: string[] = [];
      const reached = new Set<string>();
      const visit = (schema: Schema, path: string): void => {
        walk(schema, path, (one, at) => {
          if (one.$ref !== undefined) {
            const component = one.$ref.slice(PREFIX.length);
            if (!reached.has(component)) {
              reached.add(component);
              visit(resolve(one), component);
            }
          }
          // Below `properties` the keys are names of fields.
          if (typeof one.properties !== "object" || one.properties === null) return;
          for (const [field, property] of Object.entries(one.properties)) {
            if (!property.description && !resolve(property).description) missing.push(`${at}.${field}`);
          }
        });
      };
      for (const { method, path, operation } of routes) {
        const at = `${method} ${path}`;
        for (const parameter of operation.parameters ?? [])
          if (!parameter.description) missing.push(`${at}: ${parameter.name}`);
        for (const { schema } of Object.values(operation.requestBody?.content ?? {})) visit(schema, at);
        for (const [status, answer] of Object.entries(operation.responses)) {
          if (answer.description === "" || answer.description === "Default Response") missing.push(`${at}: ${status}`);
          for (const { schema } of Object.values(answer.content ?? {})) visit(schema, `${at} ${status}`);
        }
      }
      assert.deepEqual(missing, []);
      const some = name === "merchant.json" ? ["Charge", "Error", "AuthError"] : ["OperatorAccount", "Error"];
      assert.ok(some.every((component) => reached.has(component)));
    });

    test("every operation lists its error answers, each with machine codes of that status", () => {
      for (const { method, path, operation } of routes) {
        if (path === LOGIN) continue;
        const at = `${method} ${path}`;
        const expected = [
          "401",
          "403",
          "500",
          "503",
          ...(method === "GET" ? [] : ["400"]),
          ...(method === "POST" ? ["409", "413", "415", "422"] : []),
        ];
        for (const status of expected) assert.ok(status in operation.responses, `${at} ${status}`);
        for (const [status, answer] of Object.entries(operation.responses)) {
          if (Number(status) < 400) continue;
          assert.equal(answer.content!["application/json"]!.schema.$ref, `${PREFIX}Error`);
          const codes = codesOf(answer.description);
          assert.ok(codes.length > 0, `${at} ${status}`);
          for (const code of codes) assert.equal(ERRORS[code]?.[0], Number(status), code);
        }
      }
    });
  });
}

const codesOf = (description: string): ErrorCode[] =>
  [...description.matchAll(/^`([A-Z_]+)`: /gm)].map((match) => match[1] as ErrorCode);

test("the merchants' document has every machine code that a merchant can meet", () => {
  const document = inlined(MERCHANT);
  const documented = new Set(
    routesOf(document)
      .filter(({ path }) => path !== LOGIN)
      .flatMap(({ operation }) => Object.values(operation.responses))
      .flatMap(({ description }) => codesOf(description)),
  );
  // Of no operation, of withdrawals alone, of the operator's API alone.
  const withoutOperation = [
    "BALANCE_BLOCK_EXCEEDS_PAYMENT",
    "CREDENTIAL_REVOKED",
    "UNMATCHED_RESOLVED",
    "CASE_CLOSED",
    "CASE_PROPOSAL_OPEN",
    "CASE_NOTHING_PROPOSED",
    "APPROVAL_BY_CREATOR",
    "PROPOSAL_CHANGED",
    "ENDS_WITH_MAKER",
    "TWO_PERSONS_REQUIRED",
    "WITHDRAWAL_NOT_FORCEABLE",
    "WITHDRAWAL_NOT_CONFIRMABLE",
    "RESTORE_INCOMPLETE",
    "RESTORE_UNDECIDED",
    "NOT_RESTORED",
    "INSTITUTION_KNOWN",
    "DEBT_CHANGED",
    "ENVIRONMENT_MISMATCH",
    "NOT_SUPPORTED_BY_INSTITUTION",
    "ROUTE_NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "IP_NOT_ALLOWED",
    "REQUEST_TIMEOUT",
    "HEADERS_TOO_LARGE",
    // Of the console's own routes, and of calls by session.
    "PASSKEYS_UNAVAILABLE",
    "NOT_INVITED",
    "SIGN_IN_METHOD_OFF",
    "PROVIDER_UNAVAILABLE",
    "INVALID_CREDENTIALS",
    "SECOND_FACTOR_REQUIRED",
    "LINK_INVALID",
    "SIGN_IN_REQUIRED",
    "SIGNED_IN_AS_ANOTHER",
    "CSRF_TOKEN_INVALID",
    "FRESH_SIGN_IN_REQUIRED",
    "ENROLMENT_REQUIRED",
    // In the result of a proposal that was refused.
    "CASE_CHANGED",
  ];
  assert.deepEqual(
    Object.keys(ERRORS).filter((code) => !documented.has(code as ErrorCode) && !withoutOperation.includes(code)),
    [],
  );
  const { responses } = document.paths[LOGIN]!.post!;
  for (const status of ["400", "401"])
    assert.equal(responses[status]!.content!["application/json"]!.schema.$ref, `${PREFIX}AuthError`);
});
