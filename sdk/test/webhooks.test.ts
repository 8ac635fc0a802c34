import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import Fastify from "fastify";
import { Webhook } from "standardwebhooks";
import {
  expressWebhook,
  fastifyWebhook,
  fetchWebhook,
  verifyReturn,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from "../src/webhooks/index.ts";

const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
const [OLD, NEW, OTHER] = [newSecret(), newSecret(), newSecret()];
const BODY = JSON.stringify({
  event: "payment_completed",
  eventId: "0199f0c4-7b0a-7c3e-9d51-2f6a8b1c4d5e",
  timestamp: "2025-11-21T14:02:31.000Z",
  subAccount: null,
  data: { transactionId: "0199f0c4-7b0a-7c3e-9d51-2f6a8b1c4d5e", amount: 25.9, counterpartName: "João ✓" },
});

/** The headers of a delivery, signed by another library and by node:crypto. */
function headersOf(body: string, secrets: readonly string[], at = new Date()): Record<string, string> {
  const id = "0199f0c4-7b0a-7c3e-9d51-2f6a8b1c4d5e";
  const own = (secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
    "x-service-signature": own(secrets[0]!),
    ...(secrets[1] === undefined ? {} : { "x-service-signature-next": own(secrets[1]) }),
    "x-service-timestamp": String(at.getTime()),
    "content-type": "application/json",
  };
}

const refused = (promise: Promise<unknown>, what: string) => assert.rejects(promise, WebhookVerificationError, what);

describe("verifyWebhook", () => {
  test("takes a genuine delivery in both schemes, as text, bytes or buffer, with any kind of headers", async () => {
    const headers = headersOf(BODY, [OLD]);
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    const bytes = new TextEncoder().encode(BODY);
    for (const scheme of ["standard", "service"] as const)
      for (const given of [headers, new Headers(headers), capitals])
        for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)]) {
          const event = await verifyWebhook(body as string, given, OLD, { scheme });
          assert.equal(event.event, "payment_completed");
          if (event.event === "payment_completed") assert.equal(event.data.amount, 25.9);
        }
  });

  test("takes deliveries of the old and the new secret while one is being replaced", async () => {
    for (const scheme of ["standard", "service"] as const) {
      for (const known of [OLD, NEW, [OLD, NEW], [OTHER, NEW]]) {
        await verifyWebhook(BODY, headersOf(BODY, [OLD, NEW]), known, { scheme });
      }
      await verifyWebhook(BODY, headersOf(BODY, [NEW]), [OLD, NEW], { scheme });
      await refused(verifyWebhook(BODY, headersOf(BODY, [OLD, NEW]), OTHER, { scheme }), scheme);
    }
  });

  test("refuses whatever is changed, forged, old, early, unsigned or not JSON", async () => {
    for (const scheme of ["standard", "service"] as const) {
      const check = (body: string, headers: Record<string, string>, secret: string | string[] = OLD) =>
        verifyWebhook(body, headers, secret, { scheme });
      const good = headersOf(BODY, [OLD]);
      await refused(check(`${BODY} `, good), "another body");
      await refused(check(BODY, headersOf(BODY, [OTHER])), "another secret");
      await refused(check(BODY, headersOf(BODY, [OLD], new Date(Date.now() - 301_000))), "too old");
      await refused(check(BODY, headersOf(BODY, [OLD], new Date(Date.now() + 360_000))), "from the future");
      await refused(check(BODY, {}), "no headers");
      await refused(check(BODY, { ...good, "webhook-signature": "", "x-service-signature": "" }), "no signature");
      await refused(check(BODY, { ...good, "webhook-signature": "v1,", "x-service-signature": "sha256=" }), "empty");
      await refused(check(BODY, { ...good, "webhook-timestamp": "soon", "x-service-timestamp": "soon" }), "no time");
      await refused(check("not JSON", headersOf("not JSON", [OLD])), "not JSON");
      await refused(check(BODY, good, ["whsec_", ""]), "an empty secret");
      await assert.rejects(check(BODY, good, []), TypeError);
      await assert.rejects(verifyWebhook(JSON.parse(BODY), good, OLD, { scheme }), /raw body/);
    }
    const good = headersOf(BODY, [OLD]);
    await refused(verifyWebhook(BODY, { ...good, "webhook-id": "another" }, OLD), "another id");
    const { "webhook-signature": _, ...own } = good;
    await refused(verifyWebhook(BODY, own, OLD), "the scheme that signs no time, where the other is asked for");
  });
});

describe("An adapter", () => {
  const closing: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const close of closing) await close();
  });
  const events: WebhookEvent[] = [];
  const options = {
    secret: OLD,
    onEvent(event: WebhookEvent) {
      if (event.eventId === "fails") throw new Error("the database is away");
      events.push(event);
    },
  };
  async function listen(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const failing = JSON.stringify({ ...JSON.parse(BODY), eventId: "fails" });

  /** What every adapter must do, whatever it stands in. */
  async function holds(post: (body: string, headers: Record<string, string>) => Promise<number>): Promise<void> {
    events.length = 0;
    assert.equal(await post(BODY, headersOf(BODY, [OLD])), 204);
    assert.deepEqual(events, [JSON.parse(BODY)]);
    assert.equal(await post(`${BODY} `, headersOf(BODY, [OLD])), 401);
    assert.equal(await post(BODY, headersOf(BODY, [OTHER])), 401);
    assert.equal(await post(failing, headersOf(failing, [OLD])), 500);
    assert.equal(events.length, 1);
  }
  const over = (url: string) => async (body: string, headers: Record<string, string>) =>
    (await fetch(url, { method: "POST", body, headers })).status;

  test("for fetch answers 204, 401, and throws what onEvent threw; a body that was read is said to be", async () => {
    const handler = fetchWebhook(options);
    const request = (body: string, headers: Record<string, string>) =>
      new Request("https://shop.example/webhooks", { method: "POST", body, headers });
    await holds(async (body, headers) =>
      handler(request(body, headers)).then(
        ({ status }) => status,
        (error: unknown) => (error instanceof Error && error.message === "the database is away" ? 500 : 0),
      ),
    );
    const read = request(BODY, headersOf(BODY, [OLD]));
    await read.json();
    await assert.rejects(handler(read), /before any JSON parser/);
  });

  test("for Express reads the stream or a raw body, and reports a parsed one", async () => {
    const handler = expressWebhook(options);
    const next = (response: { writeHead(status: number): { end(text: string): unknown } }) => (error: unknown) =>
      response.writeHead(500).end(String(error));
    await holds(over(await listen((request, response) => void handler(request, response, next(response)))));
    // As express.raw() leaves it.
    await holds(
      over(
        await listen(async (request, response) => {
          await handler(Object.assign(request, { body: await buffer(request) }), response, next(response));
        }),
      ),
    );
    // As express.json() leaves it.
    const parsed = await listen(async (request, response) => {
      await handler(
        Object.assign(request, { body: JSON.parse(String(await buffer(request))) }),
        response,
        next(response),
      );
    });
    events.length = 0;
    const reply = await fetch(parsed, { method: "POST", body: BODY, headers: headersOf(BODY, [OLD]) });
    assert.equal(reply.status, 500);
    assert.match(await reply.text(), /before any JSON parser/);
    assert.deepEqual(events, []);
  });

  test("for Fastify keeps the bytes of its own route, and leaves JSON to the others", async () => {
    const app = Fastify();
    app.register(fastifyWebhook({ path: "/webhooks", ...options }));
    app.post("/json", async ({ body }) => body);
    closing.push(() => app.close());
    const address = await app.listen({ port: 0, host: "127.0.0.1" });
    await holds(over(`${address}/webhooks`));
    const json = await fetch(`${address}/json`, {
      method: "POST",
      body: '{"a":1}',
      headers: { "content-type": "application/json" },
    });
    assert.deepEqual(await json.json(), { a: 1 });
  });
});

describe("the way back of a payer", () => {
  /** Read by the tests of all clients: they accept and refuse the same. */
  const vectors = JSON.parse(readFileSync(new URL("../../clients/return-vectors.json", import.meta.url), "utf8")) as {
    name: string;
    url: string;
    secrets: string[];
    now: number;
    returned: object | null;
  }[];

  for (const { name, url, secrets, now, returned } of vectors) {
    test(`is ${returned ? "accepted" : "refused"}: ${name}`, async () => {
      const verified = verifyReturn(url, secrets, { now: () => now * 1_000 });
      if (returned) assert.deepEqual(await verified, returned);
      else await assert.rejects(verified, WebhookVerificationError);
    });
  }
});
