import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EVENT_KINDS } from "../../src/webhooks/events/catalogue.ts";
import type { Client } from "../harness/client.ts";
import {
  type PublishedDocument,
  type Route,
  readDocument,
  routesOf,
  type Schema,
  validatorOf,
  wrongWith,
} from "../harness/document.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { credentialOf, newAccount } from "./merchant.ts";
import { holdBack, makeObject, pathWith } from "./objects.ts";
import { MANUAL, settle, withdraw } from "./payouts.ts";
import { offline } from "./requests.ts";

describe("the reference", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let document: PublishedDocument;
  let operator: PublishedDocument;
  let routes: Route[];

  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
    document = await readDocument(`${gateway.running.url}/openapi.json`);
    operator = await readDocument(`${gateway.sandbox.operatorUrl}/openapi.json`);
    routes = routesOf(document);
    const endpoint = await gateway.merchant.post("/webhook-endpoints", { url: receiver.url });
    assert.equal(endpoint.status, 201, endpoint.text);
  });
  after(async () => {
    await gateway.end();
    await receiver.close();
  });

  test("keeps merchants' and operator's routes apart, and shows only what a document reaches", () => {
    assert.ok(routes.every(({ path }) => path.startsWith("/v2/")));
    assert.ok(routesOf(operator).length > 3);
    assert.ok(routesOf(operator).every(({ path }) => path.startsWith("/operator/v1/")));
    assert.ok("Charge" in document.components.schemas && !("AccountPatch" in document.components.schemas));
    assert.ok("AccountPatch" in operator.components.schemas && !("Charge" in operator.components.schemas));
  });

  test("has no annotation but those of its format and x-…", () => {
    const known =
      /^(\$ref|type|enum|const|anyOf|properties|required|items|description|format|pattern|default|examples|additionalProperties|uniqueItems|(min|max)(Length|Items|imum|Properties)|multipleOf|exclusive(Min|Max)imum|x-.+)$/;
    const odd: string[] = [];
    const walk = (schema: unknown, at: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      for (const [key, value] of Object.entries(schema)) {
        if (!known.test(key)) odd.push(`${at}.${key}`);
        if (key === "properties") for (const [name, inner] of Object.entries(value)) walk(inner, `${at}.${name}`);
        if (key === "items" || key === "additionalProperties") walk(value, `${at}[]`);
        if (key === "anyOf") for (const inner of value) walk(inner, at);
      }
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name);
    for (const { path, operation } of routes)
      for (const { name, schema } of operation.parameters ?? []) walk(schema, `${path} ${name}`);
    assert.deepEqual(odd, []);
  });

  test("every answer reports its headers, every POST that a key makes repeatable says so", () => {
    for (const { method, path, operation } of routes) {
      const login = path === "/v2/auth";
      const names = (operation.parameters ?? []).map((parameter) => parameter.name);
      assert.equal(names.includes("Idempotency-Key"), method === "POST" && !login, path);
      for (const [status, answer] of Object.entries(operation.responses)) {
        const headers = Object.keys(answer.headers ?? {});
        const expected = ["X-Request-Id", "Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset"];
        if (method === "POST" && !login && Number(status) < 300) expected.push("Idempotent-Replayed");
        if (status === "401") expected.push("Www-Authenticate");
        if (["409", "429", "500", "503"].includes(status)) expected.push("Retry-After");
        assert.deepEqual(headers.sort(), expected.sort(), `${method} ${path} ${status}`);
        for (const header of Object.values(answer.headers ?? {})) assert.ok(header.description && header.schema);
      }
    }
  });

  test("every operation and every delivery has one tag, which is explained, and extensions are marked", () => {
    const explained = document.tags.map((tag) => tag.name);
    for (const { path, operation } of routes) {
      assert.equal(operation.tags.length, 1, path);
      assert.ok(explained.includes(operation.tags[0]!), `${path}: ${operation.tags[0]}`);
      if (path.includes("/sandbox/") || path.includes("/webhook-")) assert.equal(operation["x-extension"], true, path);
    }
    // Generators write a file for each tag: one that receivers share with routes loses the routes.
    const ofRoutes = new Set(routes.flatMap(({ operation }) => operation.tags));
    for (const { post } of Object.values(document.webhooks!)) {
      assert.deepEqual(post.tags, ["Deliveries"]);
      assert.ok(!ofRoutes.has("Deliveries"));
    }
  });

  test("every example is taken by its route", async () => {
    const other = await operatorOf(gateway, "Rafael", "admin");
    const check = validatorOf(document, false);
    const answered = validatorOf(document, true);
    let shown = 0;
    for (const route of routes) {
      const media = route.operation.requestBody?.content["application/json"];
      const value = Object.values(media?.examples ?? {})[0]?.value;
      if (media === undefined) continue;
      const needsNone = route.operation.requestBody?.required === false && value === undefined;
      assert.ok(value !== undefined || needsNone, `${route.method} ${route.path} has no example`);
      if (value !== undefined) assert.equal(check(media.schema, value), null, route.path);
      if (route.path === "/v2/auth") continue;
      shown += 1;
      // An account of its own, with money for examples that spend it.
      const accountId = await newAccount(gateway);
      const merchant = await credentialOf(gateway, accountId);
      await makeObject("/v2/transactions/{id}/refund", merchant);
      const decides = /^\/v2\/withdrawals\/\{id\}\/(cancel|approve|reject)$/.test(route.path);
      if (decides) await holdBack(gateway, accountId);
      const id = route.path.includes("{") ? await makeObject(route.path, merchant) : "";
      // Who asked for a withdrawal does not approve it, nor does another credential of the same human.
      const caller = decides ? await credentialOf(gateway, accountId, { by: other }) : merchant;
      const body = value === undefined ? undefined : JSON.stringify(await real(merchant, value as object));
      const reply = await caller.send(route.method, pathWith(route.path, id), body);
      assert.ok(reply.status < 300, `${route.method} ${route.path}: ${reply.text}`);
      assert.equal(wrongWith(route, answered, reply), null);
      // What is really answered is in the example of the answer.
      const [, answer] = Object.entries(route.operation.responses).find(([status]) => Number(status) < 300)!;
      const reported = answer.content?.["application/json"] as
        | { examples?: Record<string, { value: object }> }
        | undefined;
      const [example] = Object.values(reported?.examples ?? {});
      const { split: _, ...fields } = reply.body;
      if (example)
        assert.deepEqual(
          Object.keys(fields).filter((name) => !(name in example.value)),
          [],
          route.path,
        );
    }
    assert.ok(shown >= 3);
  });

  test("every answer of the interface and every event has an example that is what its schema says, and nothing beside it", () => {
    const check = validatorOf(document, true);
    const consistent = (value: Record<string, unknown>, at: string) => {
      const { amount, feeAmount, netAmount } = value as Record<string, number | undefined>;
      if (amount === undefined || !feeAmount || at.startsWith("refund_")) return;
      if (netAmount !== undefined)
        assert.equal(Math.round((amount - feeAmount) * 100), Math.round(netAmount * 100), at);
    };
    for (const { method, path, operation } of routes) {
      if (operation["x-extension"]) continue;
      const [, answer] = Object.entries(operation.responses).find(([status]) => Number(status) < 300)!;
      const media = answer.content!["application/json"]! as {
        schema: Schema;
        examples?: Record<string, { value: object }>;
      };
      const [example] = Object.values(media.examples ?? {});
      assert.ok(example, `${method} ${path} has no example of its answer`);
      assert.equal(check(media.schema, example.value), null, `${method} ${path}`);
      consistent(example.value as Record<string, unknown>, operation.operationId);
    }
    for (const [kind, { post }] of Object.entries(document.webhooks!)) {
      const media = post.requestBody!.content["application/json"]!;
      const event = Object.values(media.examples!)[0]!.value as { event: string; data: Record<string, unknown> };
      assert.equal(check(media.schema, event), null, kind);
      assert.equal(event.event, kind);
      consistent(event.data, kind);
    }
  });

  /** What an example names must exist: ids are put in, sub-accounts are made. */
  async function real(merchant: Client, example: object): Promise<Record<string, unknown>> {
    const body = { ...(offline(example) as Record<string, unknown>) };
    const open = (reference: string) => merchant.post("/sub-accounts", { reference });
    if (typeof body.subAccount === "string") await open(body.subAccount);
    for (const leg of (body.split ?? []) as { subAccount: string }[]) await open(leg.subAccount);
    if ("transactionId" in body) body.transactionId = await makeObject("/v2/transactions/{id}/refund", merchant);
    if ("projectId" in body) {
      const project = await merchant.post<{ id: string }>("/projects", { name: "An example's", color: "#123456" });
      body.projectId = project.body.id;
    }
    return body;
  }

  test("the command prints what is served", () => {
    const bin = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
    const print = (...args: string[]) =>
      spawnSync(process.execPath, [bin, "openapi", ...args], { encoding: "utf8", env: {}, maxBuffer: 1 << 26 });
    const printed = print();
    assert.equal(printed.status, 0, printed.stderr);
    assert.deepEqual(Object.keys(JSON.parse(printed.stdout).paths), Object.keys(document.paths));
    assert.deepEqual(Object.keys(JSON.parse(print("--operator").stdout).paths), Object.keys(operator.paths));
  });

  test("every event is a webhook, each with a schema and the headers of a delivery", () => {
    assert.deepEqual(Object.keys(document.webhooks!).sort(), [...EVENT_KINDS].sort());
    for (const [kind, { post }] of Object.entries(document.webhooks!)) {
      const schema =
        document.components.schemas[post.requestBody!.content["application/json"]!.schema.$ref!.split("/").at(-1)!]!;
      assert.equal(schema.properties!.event!.const, kind);
      const names = (post.parameters ?? []).map((parameter) => parameter.name.toLowerCase());
      for (const name of ["x-service-signature", "x-service-event", "webhook-id", "webhook-signature"])
        assert.ok(names.includes(name));
    }
  });

  test("what is delivered is what the reference says of its event, and nothing beside it", {
    rules: [
      "event.envelope.*",
      "event.kind.payment_completed",
      "event.kind.payment_expired",
      "event.kind.payment_failed",
      "event.kind.withdrawal_completed",
      "event.kind.withdrawal_failed",
      "event.kind.withdrawal_reversed",
      "header.*",
    ],
  }, async () => {
    const { merchant } = gateway;
    const create = async (body: Record<string, unknown> = {}) => {
      const reply = await merchant.post<{ id: string }>("/pix", { amount: 20, description: "an event", ...body });
      assert.equal(reply.status, 201, reply.text);
      return reply.body.id;
    };
    const pay = (id: string, body?: unknown) => merchant.post(`/sandbox/pix/${id}/pay`, body);
    const full = { externalReference: "event-1", metadata: { a: { b: null } } };
    const payer = { name: "Maria Silva", document: "12345678909" };

    const paid = [await create(), await create(full)];
    await pay(paid[0]!);
    await pay(paid[1]!, { payer });
    const failed = [await create(), await create(full)];
    await pay(failed[0]!, { amount: 19.99 });
    await pay(failed[1]!, { amount: 20.01, payer });
    const expired = [await create(), await create(full)];
    for (const id of expired) await merchant.post(`/sandbox/pix/${id}/expire`);

    const sent: string[] = [];
    for (const more of [{}, { externalReference: "event-1" }]) {
      const complete = await withdraw(merchant, { amount: 3, ...more });
      await settle(merchant, complete.id, { outcome: "complete" });
      const failing = await withdraw(merchant, { amount: 3, ...MANUAL, ...more });
      await settle(merchant, failing.id, { outcome: "fail" });
      const back = await withdraw(merchant, { amount: 3, ...more });
      await settle(merchant, back.id, { outcome: "reverse", amount: 0.5 });
      await settle(merchant, back.id, { outcome: "reverse" });
      sent.push(complete.id, `withdrawal_failed_${failing.id}`, back.id, `withdrawal_reversed_${back.id}`);
    }

    const eventIds = [
      ...paid,
      ...sent,
      ...failed.map((id) => `payment_failed_${id}`),
      ...expired.map((id) => `payment_expired_${id}`),
    ];
    const check = validatorOf(document, true);
    const seen = new Set<string>();
    for (const eventId of eventIds) {
      const hook = await eventually(`the event ${eventId}`, () =>
        receiver.received.find(({ body }) => (JSON.parse(body) as { eventId: string }).eventId === eventId),
      );
      seen.add((JSON.parse(hook.body) as { event: string }).event);
    }
    for (const { headers, body } of receiver.received) {
      const event = JSON.parse(body) as { event: string };
      const { post } = document.webhooks![event.event]!;
      assert.equal(check(post.requestBody!.content["application/json"]!.schema, event), null, body);
      for (const { name, required, schema } of post.parameters ?? []) {
        const value = headers[name.toLowerCase()];
        if (value !== undefined || required) assert.equal(check(schema, value), null, `${name}: ${value}`);
      }
    }
    const withdrawals = ["withdrawal_completed", "withdrawal_failed", "withdrawal_reversed"];
    assert.deepEqual([...seen].sort(), ["payment_completed", "payment_expired", "payment_failed", ...withdrawals]);
  });
});
