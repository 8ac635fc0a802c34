/** docs/webhooks.md is true: its requests succeed, its examples fit the reference, its signatures verify. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { EVENTS } from "../../src/program/events.ts";
import { serviceSignature, standardSignature } from "../../src/webhooks/deliveries/sign.ts";
import { CATALOGUE, EVENT_KINDS, eventIdOf } from "../../src/webhooks/events/catalogue.ts";
import { type PublishedDocument, readDocument, validatorOf } from "../harness/document.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

const page = readFileSync(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");

describe("docs/webhooks.md", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let document: PublishedDocument;
  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
    document = await readDocument(`${gateway.running.url}/openapi.json`);
  });
  after(async () => {
    await gateway.stop();
    await receiver.close();
  });

  test("has requests that succeed as written", async () => {
    const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: receiver.url });
    const { id } = made.body;
    const tested = await gateway.merchant.post<{ id: string }>(`/webhook-endpoints/${id}/test`, {
      event: "payment_failed",
    });
    const requests = [...page.matchAll(/```\n(POST|GET|PATCH) \/v2(\/\S+)\n([^`]*)```/g)];
    assert.ok(requests.length >= 6);
    for (const [, method, path, body] of requests) {
      const real = path!.replace("{id}", id).replace("{delivery}", tested.body.id);
      const reply = await gateway.merchant.send(method!, real, body!.trim() === "" ? undefined : body!);
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    }
  });

  test("has an example of every kind of event, as the reference describes it", () => {
    const check = validatorOf(document, true);
    const examples = [...page.matchAll(/<!-- example: (\w+) -->\n```json\n([^`]*)```/g)];
    assert.deepEqual(examples.map(([, kind]) => kind).sort(), [...EVENT_KINDS].sort());
    for (const [, kind, text] of examples) {
      const event = JSON.parse(text!) as { event: string };
      assert.equal(event.event, kind);
      const { schema } = document.webhooks![kind!]!.post.requestBody!.content["application/json"]!;
      assert.equal(check(schema, event), null, kind);
    }
  });

  test("lists every kind of the catalogue", () => {
    const rows = EVENT_KINDS.map((kind) => {
      const { byDefault } = CATALOGUE[kind];
      const { summary, since, idField } = EVENTS[kind];
      const eventId = eventIdOf(kind, `<${idField}>`);
      return `| [${kind}](#${kind}) | ${summary} | \`${eventId}\` | ${byDefault ? "yes" : "no"} | ${since} |\n`;
    });
    const head = "| kind | what happened | `eventId` | standard | since |\n|---|---|---|---|---|\n";
    assert.ok(page.includes(head + rows.join("")), `put this table into docs/webhooks.md:\n${head}${rows.join("")}`);
  });

  test("has the signatures of its secret and body", () => {
    const value = (name: string) => new RegExp(`^${name} +(.+)$`, "m").exec(page)![1]!;
    const secret = /secret `(whsec_[^`]+)`/.exec(page)![1]!;
    const seconds = Number(/`webhook-timestamp: (\d+)`/.exec(page)![1]);
    const body = value("body");
    assert.equal(serviceSignature(secret, body), value("X-Service-Signature"));
    assert.equal(standardSignature(secret, value("webhook-id"), seconds, body), value("webhook-signature"));
  });

  test("names every call about webhooks, and the errors of attempts that are ours", () => {
    for (const path of Object.keys(document.paths)) {
      if (!/^\/v2\/(webhook-|events)/.test(path)) continue;
      const last = path.replace(/^\/v2\/(webhook-endpoints|webhook-deliveries|events)\/?(\{\w+\}\/?)?/, "");
      assert.ok(page.includes(last === "" ? path.split("/{")[0]! : last), path);
    }
    for (const code of ["timeout", "name_not_found", "address_not_allowed", "https_required"]) {
      assert.ok(page.includes(`\`${code}\``), code);
    }
  });
});
