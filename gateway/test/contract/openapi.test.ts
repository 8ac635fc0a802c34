import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Client, type Reply } from "../harness/client.ts";
import { inlined } from "../harness/document.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { give, newMerchant } from "./money.ts";
import { ask, MANUAL } from "./payouts.ts";
import { routesOf } from "./routes.ts";

type Schema = { $ref?: string; description?: string; properties?: Record<string, Schema>; items?: Schema } & Record<
  string,
  unknown
>;
type Answer = { description: string; content?: Record<string, { schema: Schema }> };
type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  servers: unknown[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
};

let gateway: TestGateway;
let document: Document;
/** Operations of the merchants' API: [path, method, operation]. */
let operations: [string, string, Operation][];
before(async () => {
  gateway = await startGateway();
  const response = await fetch(`${gateway.running.url}/openapi.json`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  document = inlined((await response.json()) as Document);
  operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/v2/"))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [path, method, operation] as [string, string, Operation]),
    );
});
after(() => gateway.end());

const PREFIX = "#/components/schemas/";
const compiled = new Map<string, ValidateFunction>();
/**
 * A validator of the document's own schemas: draft 2020-12 and nothing that it does not know. Compiled once for each
 * schema, which takes some 100 ms.
 */
function validatorOf(schema: Schema, { closed = false } = {}): ValidateFunction {
  const text = JSON.stringify({ $defs: document.components.schemas, ...schema }).replaceAll(PREFIX, "#/$defs/");
  const key = `${closed} ${text}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const ajv = new Ajv2020({
    allErrors: true,
    strictSchema: true,
    strictTypes: false,
    strictRequired: false,
  });
  addFormats.default(ajv);
  ajv.addVocabulary(["x-error-codes", "x-extensible-enum", "x-shown-once"]);
  const validate = ajv.compile(JSON.parse(text, (_key, value) => (closed ? close(value) : value)) as Schema);
  compiled.set(key, validate);
  return validate;
}

/** Refuses fields that the schema does not name, so that an answer shows nothing that is not published. */
function close(value: unknown): unknown {
  const schema = value as Schema | null;
  if (typeof schema !== "object" || schema === null || schema.type !== "object" || !schema.properties) return value;
  return "additionalProperties" in schema ? schema : { ...schema, additionalProperties: false };
}

describe("The document", () => {
  test("is the one that is committed, byte for byte; the operator's too", async () => {
    const committed = (name: string) => readFileSync(new URL(`../../../openapi/${name}.json`, import.meta.url), "utf8");
    const { baseUrl, operatorUrl } = gateway.sandbox;
    for (const [url, name] of [
      [baseUrl.replace(/\/v2$/, "/openapi.json"), "merchant"],
      [`${operatorUrl}/openapi.json`, "operator"],
    ] as const) {
      assert.ok((await (await fetch(url)).text()) === committed(name), `${url} is not openapi/${name}.json`);
    }
  });

  test("has every route of the merchants' API, and no other", { rules: ["base.version"] }, () => {
    const registered = routesOf(gateway)
      .filter(({ path }) => path.startsWith("/v2/"))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const published = operations.map(([path, method]) => `${method.toUpperCase()} ${path}`);
    // The console's pages alone may open it, by a session: no token does (people/live.test.ts).
    const ofPages = "GET /v2/events/stream";
    assert.ok(registered.includes(ofPages));
    assert.deepEqual(published.sort(), registered.filter((route) => route !== ofPages).sort());
    for (const route of [
      "POST /v2/auth",
      "POST /v2/pix",
      "GET /v2/transactions/{id}",
      "GET /v2/account",
      "POST /v2/webhook-endpoints",
      "POST /v2/sandbox/pix/{id}/pay",
    ]) {
      assert.ok(published.includes(route), route);
    }
  });

  test("has the limits of the interface", {
    rules: ["limit.charge.*", "limit.split.items", "limit.customer.*"],
  }, () => {
    const { ChargeRequest, Customer } = document.components.schemas;
    const pick = (schema: Schema, field: string, names: string[]) =>
      names.map((name) => schema.properties![field]![name]);
    assert.deepEqual(ChargeRequest!.required, ["amount", "description"]);
    assert.deepEqual(pick(ChargeRequest!, "amount", ["type", "format", "minimum", "maximum"]), [
      "number",
      "double",
      1,
      9_999_999_999.99,
    ]);
    assert.match(ChargeRequest!.properties!.amount!.description!, /At most two decimals/);
    assert.deepEqual(pick(ChargeRequest!, "description", ["type", "maxLength"]), ["string", 255]);
    assert.deepEqual(pick(ChargeRequest!, "expiresIn", ["type", "minimum", "maximum", "default"]), [
      "integer",
      300,
      604_800,
      86_400,
    ]);
    assert.deepEqual(pick(ChargeRequest!, "externalReference", ["type", "maxLength"]), ["string", 255]);
    assert.equal(ChargeRequest!.properties!.split!.maxItems, 10);
    for (const [field, longest] of [
      ["name", 255],
      ["document", 20],
      ["email", 255],
      ["phone", 20],
    ] as const) {
      assert.equal(Customer!.properties![field]!.maxLength, longest);
    }
  });
});

describe("What is answered is what is published", () => {
  /** Asserts that a reply has a published status, and exactly the published fields. */
  function assertPublished(method: string, path: string, reply: Reply<unknown>): void {
    const operation = document.paths[path]![method]!;
    const answer = operation.responses[reply.status];
    assert.ok(answer, `${method} ${path}: ${reply.status} is not published: ${reply.text}`);
    const validate = validatorOf(answer.content!["application/json"]!.schema, { closed: true });
    assert.ok(
      validate(reply.body),
      `${method} ${path} ${reply.status}: ${JSON.stringify(validate.errors)} in ${reply.text.slice(0, 600)}`,
    );
  }
  const made = async (body: Record<string, unknown>) => {
    const reply = await gateway.merchant.post<{ id: string }>("/pix", body);
    assert.equal(reply.status, 201, reply.text);
    return reply;
  };

  test("charges, their payments and their transactions in every state", {
    rules: ["transaction.status", "transaction.amount", "base.ids", "base.times"],
  }, async () => {
    const full = {
      amount: 25.9,
      description: "Everything",
      customer: { name: "Maria", document: "52998224725", email: "maria@example.com", phone: "+55 11 99999-0000" },
      expiresIn: 3_600,
      externalReference: "published-1",
      metadata: { any: [1, null, { a: "b" }] },
    };
    const pending = await made(full);
    const bare = await made({ amount: 1, description: "" });
    const blocked = await made({ amount: 9.99, description: "paid with too much" });
    const expired = await made({ amount: 5, description: "nobody pays" });
    for (const reply of [pending, bare, blocked, expired]) assertPublished("post", "/v2/pix", reply);
    const read = async (id: string) => {
      const reply = await gateway.merchant.get(`/transactions/${id}`);
      assertPublished("get", "/v2/transactions/{id}", reply);
      return reply.body.status;
    };
    assert.equal(await read(pending.body.id), "pending");
    const payer = { name: "João", document: "11222333000181" };
    const act = async (id: string, what: string, body?: unknown) => {
      const reply = await gateway.merchant.post(`/sandbox/pix/${id}/${what}`, body);
      assertPublished("post", `/v2/sandbox/pix/{id}/${what}`, reply);
    };
    await act(pending.body.id, "pay", { payer });
    await act(blocked.body.id, "pay", { amount: 10 });
    await act(expired.body.id, "expire");
    await act(pending.body.id, "pay");
    await act(expired.body.id, "expire");
    await act(randomUUID(), "pay");
    assert.equal(await read(pending.body.id), "completed");
    assert.equal(await read(blocked.body.id), "failed");
    assert.equal(await read(expired.body.id), "cancelled");
    assertPublished("get", "/v2/account", await gateway.merchant.get("/account"));
    assertPublished("get", "/v2/transactions/{id}", await gateway.merchant.get("/transactions/nothing"));
    assertPublished("get", "/v2/transactions/{id}", await gateway.merchant.get("/transactions/%00"));
  });

  test("withdrawals and their transactions in every state, and every refusal of one", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const read = async (id: string) => {
      assertPublished("get", "/v2/withdrawals/{id}", await client.get(`/withdrawals/${id}`));
      assertPublished("get", "/v2/transactions/{id}", await client.get(`/transactions/${id}`));
    };
    const end = async (id: string, outcome: string, more: object = {}) => {
      const reply = await client.post(`/sandbox/withdrawals/${id}/settle`, { outcome, ...more });
      assertPublished("post", "/v2/sandbox/withdrawals/{id}/settle", reply);
      await read(id);
    };
    const made = await ask(client, { ...MANUAL, amount: 10, externalReference: "published" });
    assertPublished("post", "/v2/withdrawals", made);
    await read(made.body.id);
    await end(made.body.id, "complete");
    await end(made.body.id, "fail");
    await end(made.body.id, "reverse", { amount: 4 });
    await end(made.body.id, "reverse");
    const failing = await ask(client, { ...MANUAL, amount: 10 });
    await end(failing.body.id, "fail", { reason: "Conta encerrada" });
    for (const body of [
      { amount: 1_000 },
      { amount: 1, netAmount: 1 },
      { pixKey: "x" },
      { pixKeyType: "cpf", pixKey: "52998224725" },
      { projectId: randomUUID() },
    ]) {
      assertPublished("post", "/v2/withdrawals", await ask(client, body));
    }
    for (const query of ["", "?status=reversed", "?limit=1", "?limit=0"]) {
      assertPublished("get", "/v2/withdrawals", await client.get(`/withdrawals${query}`));
    }
    assertPublished("get", "/v2/transactions", await client.get("/transactions?type=withdrawal"));
  });

  test("webhook endpoints, with and without their secret", async () => {
    const full = {
      url: "https://a.example",
      events: ["payment_completed"],
      description: "d",
      enabled: false,
      retry: "extended",
    };
    const headers = { "idempotency-key": "published-endpoint" };
    for (const body of [{ url: "https://a.example" }, full, full, { url: "ftp://a.example" }]) {
      assertPublished(
        "post",
        "/v2/webhook-endpoints",
        await gateway.merchant.post("/webhook-endpoints", body, body === full ? { headers } : {}),
      );
    }
  });

  test("tokens and the refusals of them", { rules: ["error.auth", "auth.errors"] }, async () => {
    const { clientId, clientSecret } = gateway.sandbox;
    const send = (body: string) => gateway.merchant.send("POST", "/auth", body, { token: null });
    const replies = [
      await send(JSON.stringify({ client_id: clientId, client_secret: clientSecret })),
      await send(JSON.stringify({ client_id: clientId, client_secret: "wrong" })),
      await send("{}"),
      await send("{"),
    ];
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [200, 401, 400, 400],
    );
    for (const reply of replies) assertPublished("post", "/v2/auth", reply);
  });

  test("every refusal that any merchant route can be brought to", {
    rules: [
      "error.body.*",
      "error.400",
      "error.401",
      "error.403",
      "account.errors",
      "charge.errors",
      "project.errors",
      "sub-account.create.errors",
    ],
  }, async () => {
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${gateway.sandbox.accountId}/credentials`,
      {
        name: "weak",
        permissions: ["SUBACCOUNT:READ"],
      },
    );
    const weak = await new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
    for (const [path, method, operation] of operations) {
      if (path === "/v2/auth") continue;
      const verb = method.toUpperCase();
      const at = path.slice("/v2".length).replace(/\{[^}]+\}/g, randomUUID());
      const call = (
        client: Client,
        body: string | undefined,
        options: { headers?: Record<string, string>; token?: null } = {},
      ) => client.send(verb, at, verb === "GET" ? undefined : body, options);
      const hasHeader = operation.parameters?.some((parameter) => parameter.name.toLowerCase() === "x-sub-account");
      const replies = [
        await call(gateway.merchant, "{}", { token: null }),
        await call(gateway.merchant, "{}", { headers: { authorization: "Bearer x.y.z" }, token: null }),
        await call(weak, "{}"),
        ...(hasHeader
          ? [
              await call(gateway.merchant, "{}", { headers: { "x-sub-account": "NO" } }),
              await call(gateway.merchant, "{}", { headers: { "x-sub-account": "nowhere" } }),
            ]
          : []),
        ...(operation.requestBody
          ? [
              await call(gateway.merchant, "{"),
              await call(gateway.merchant, '{"nonsense":1}'),
              await call(gateway.merchant, "x", { headers: { "content-type": "text/plain" } }),
              await call(gateway.merchant, " ".repeat(262_145)),
            ]
          : []),
      ];
      for (const reply of replies) assertPublished(method, path, reply);
    }
  });

  test("a request that the document's schema takes is taken, and one that it refuses is refused", async () => {
    const validate = validatorOf({ $ref: `${PREFIX}ChargeRequest` });
    const base = { amount: 10, description: "d" };
    const bodies: unknown[] = [
      base, { ...base, amount: 1 }, { ...base, amount: 0.99 }, { ...base, amount: 1.15 }, { ...base, amount: 19.99 }, { ...base, amount: 4.35 },
      { ...base, amount: 9_999_999_999.99 }, { ...base, amount: 10_000_000_000 }, { ...base, amount: "10" }, { amount: 10 }, { description: "d" },
      { ...base, description: "😀".repeat(255) }, { ...base, description: "😀".repeat(256) }, { ...base, expiresIn: 300 }, { ...base, expiresIn: 299 },
      { ...base, expiresIn: 300.5 }, { ...base, customer: {} }, { ...base, customer: { email: "a@b.co" } }, { ...base, customer: { email: "a" } },
      { ...base, customer: { document: "1".repeat(21) } }, { ...base, customer: { x: 1 } }, { ...base, metadata: { a: { b: null } } }, { ...base, metadata: [] },
      { ...base, metadata: 1 }, { ...base, externalReference: "x".repeat(256) }, { ...base, pspCredentialId: "x" }, { ...base, unknown: 1 }, null, [], "x",
    ]; // biome-ignore format: a table
    for (const body of bodies) {
      const reply = await gateway.merchant.post("/pix", body);
      assert.equal(
        reply.status,
        validate(body) ? 201 : 400,
        `${JSON.stringify(body)?.slice(0, 100)}: ${reply.text.slice(0, 300)}`,
      );
    }
    // Two decimals are said in words: `multipleOf: 0.01` would refuse 19.99 in ordinary validators.
    assert.ok(validate({ ...base, amount: 1.001 }));
    const reply = await gateway.merchant.post("/pix", { ...base, amount: 1.001 });
    assert.equal(reply.status, 400);
    assert.match(reply.text, /at most two decimals/);
  });
});
