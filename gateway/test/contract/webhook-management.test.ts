/** Endpoints, their secrets, events, deliveries, tests, redelivery and replay (contract, sections 4 and 5). */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { sql } from "../../src/db/sql.ts";
import { giveUpDeleted } from "../../src/webhooks/deliveries/give-up.ts";
import { serviceSignature } from "../../src/webhooks/deliveries/sign.ts";
import { EVENT_KINDS } from "../../src/webhooks/events/catalogue.ts";
import type { Client } from "../harness/client.ts";
import { type PublishedDocument, readDocument, validatorOf } from "../harness/document.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { enqueue } from "../webhooks/enqueue.ts";
import { as, credentialOf } from "./merchant.ts";
import { everyPage, newMerchant, type Page } from "./money.ts";
import { refundManually, settleRefund } from "./payments.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type Endpoint = Record<string, unknown> & { id: string; secret?: string; rotation?: { endsAt: string } };
type Delivery = {
  id: string;
  eventId: string;
  event: string;
  status: string;
  attemptCount: number;
  nextAttemptAt?: string;
  attempts: { number: number; statusCode?: number }[];
};
type Said = { endpointId: string; externalReference?: string; lastStatusCode?: number; lastError?: string };
type Event = { event: string; eventId: string; timestamp: string; data: Record<string, unknown>; body: string };

let gateway: TestGateway;
let receiver: Receiver;
let document: PublishedDocument;
before(async () => {
  gateway = await startGateway();
  receiver = await startReceiver();
  document = await readDocument(`${gateway.running.url}/openapi.json`);
});
afterEach(() => {
  receiver.status = 200;
  receiver.headers = {};
});
after(async () => {
  await gateway.end();
  await receiver.close();
});

async function make(client: Client, body: object = {}, wallet: string | null = null): Promise<Endpoint> {
  const reply = await client.post<Endpoint>("/webhook-endpoints", { url: receiver.url, ...body }, as(wallet));
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}
async function ok<T>(promise: Promise<{ status: number; text: string; body: T }>, status = 200): Promise<T> {
  const reply = await promise;
  assert.equal(reply.status, status, reply.text);
  return reply.body;
}
async function paid(client: Client, wallet: string | null = null): Promise<string> {
  const { id } = await ok(client.post<{ id: string }>("/pix", { amount: 5, description: "d" }, as(wallet)), 201);
  await ok(client.post(`/sandbox/pix/${id}/pay`, undefined, as(wallet)));
  return id;
}
const received = (eventId: string) => receiver.received.filter(({ headers }) => headers["webhook-id"] === eventId);
const arrived = (eventId: string, times = 1) =>
  eventually(`${times} of ${eventId}`, () => received(eventId).length >= times && received(eventId));
const deliveries = async (client: Client, query = "", wallet: string | null = null) =>
  (await ok(client.get<Page<Delivery>>(`/webhook-deliveries${query}`, as(wallet)))).items;
const delivered = (client: Client, eventId: string) =>
  eventually(`${eventId} delivered`, async () => {
    const items = await deliveries(client, `?eventId=${eventId}`);
    return items.length > 0 && items.every(({ status }) => status === "delivered") && items;
  });
/** Waits until no attempt of an account is under way. */
const atRest = (accountId: string) =>
  eventually("no attempt is under way", async () => {
    const { rowCount } = await gateway.running.ctx.db.query(
      sql`select delivery_id from deliveries where account_id = ${accountId} and claimed_until is not null`,
    );
    return rowCount === 0;
  });
/** Makes what is pending due now. */
const hurry = (accountId: string) =>
  gateway.running.ctx.db.query(
    sql`update deliveries set next_at = ${new Date()} where account_id = ${accountId} and status = 'pending' and claimed_until is null`,
  );

/** Another account's event is delivered: the loop has polled since. */
async function othersDelivered(): Promise<void> {
  const other = await newMerchant(gateway);
  await make(other.client);
  await arrived(await paid(other.client));
}

describe("Endpoints of a wallet", () => {
  test("are listed newest first, read, and never show a secret again", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    const made: Endpoint[] = [];
    for (let i = 0; i < 5; i += 1) made.push(await make(client, { description: `${i}` }));
    await make(client, {}, "loja");
    const shown = made.map(({ secret: _shownOnce, ...rest }) => rest).reverse();
    assert.deepEqual(await everyPage(client, "/webhook-endpoints?limit=2"), shown);
    for (const one of shown) assert.deepEqual(await ok(client.get(`/webhook-endpoints/${one.id}`)), one);
    assert.equal((await everyPage(client, "/webhook-endpoints", { subAccount: "loja" })).length, 1);
    assertRefused(await client.get(`/webhook-endpoints/${shown[0]!.id}`, as("loja")), 404, "RESOURCE_NOT_FOUND");
    assertInvalid(await client.get("/webhook-endpoints?limit=0"), ["limit"]);
    assertInvalid(await client.get("/webhook-endpoints?cursor=x"), ["cursor"]);
  });

  test("change in what is sent, and in nothing else", async () => {
    const { client } = await newMerchant(gateway);
    const { secret, updatedAt, ...before } = await make(client, { events: ["payment_failed"], description: "one" });
    const path = `/webhook-endpoints/${before.id}`;
    for (const patch of [
      { url: `${receiver.url}/2` },
      { events: ["payment_completed", "payment_expired"] },
      { description: "two" },
      { enabled: false },
      { retry: "extended" },
      {},
      { url: null, events: null, description: null, enabled: null, retry: null },
    ]) {
      const changed = await ok(client.patch<Endpoint>(path, patch));
      for (const [key, value] of Object.entries(patch)) if (value !== null) before[key] = value;
      const { updatedAt: at, ...rest } = changed;
      assert.deepEqual(rest, before);
      assert.ok(String(at) >= String(updatedAt));
      assert.deepEqual(await ok(client.get(path)), changed);
    }
    assert.ok(secret);
    await nothingMoves(gateway, async () => {
      for (const [field, value] of [["url", 1], ["events", []], ["events", ["x"]], ["retry", "x"], ["description", ""], ["enabled", "true"], ["secret", "x"]] as const) {
        const paths = Array.isArray(value) && value.length > 0 ? [`${field}[0]`] : [field];
        assertInvalid(await client.patch(path, { [field]: value }), paths);
      }
      assertRefused(await client.patch(path, { url: "ftp://a.example" }), 400, "WEBHOOK_URL_INVALID");
      assertRefused(await client.patch(`/webhook-endpoints/${randomUUID()}`, {}), 404, "RESOURCE_NOT_FOUND");
    });
  }); // biome-ignore format: a list reads better in rows

  test("are gone when deleted: not listed, sent nothing, and their waiting deliveries have failed", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const { id } = await make(client, { url: "http://127.0.0.1:9/" });
    const eventId = await paid(client);
    await eventually("an attempt", async () => (await deliveries(client))[0]?.attemptCount);
    const reply = await client.send("DELETE", `/webhook-endpoints/${id}`, undefined);
    assert.deepEqual([reply.status, reply.text], [204, ""]);
    assertRefused(await client.send("DELETE", `/webhook-endpoints/${id}`, undefined), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await client.get(`/webhook-endpoints/${id}`), 404, "RESOURCE_NOT_FOUND");
    assert.deepEqual(await everyPage(client, "/webhook-endpoints"), []);
    await paid(client);
    await atRest(accountId);
    await giveUpDeleted(gateway.running.ctx);
    const [delivery, ...more] = await deliveries(client);
    assert.deepEqual([more, delivery!.eventId, delivery!.status], [[], eventId, "failed"]);
    assertRefused(await client.post(`/webhook-deliveries/${delivery!.id}/redeliver`), 400, "WEBHOOK_ENDPOINT_DISABLED");
    await hurry(accountId);
    await othersDelivered();
    assert.equal((await deliveries(client))[0]!.attemptCount, delivery!.attemptCount);
  });

  test("leave nothing waiting when deleted, not even what a process that died had claimed", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const { id } = await make(client, { url: "http://127.0.0.1:9/" });
    await paid(client);
    await eventually("an attempt", async () => (await deliveries(client))[0]?.attemptCount);
    await ok(client.patch(`/webhook-endpoints/${id}`, { enabled: false }));
    await atRest(accountId);
    const claimed = (until: number) =>
      gateway.owner.query(sql`
        update deliveries set status = 'pending', next_at = ${new Date()}, finished_at = null, claimed_until = ${new Date(until)}
        where account_id = ${accountId}`);
    await claimed(Date.now() + 60_000);
    assert.equal((await client.send("DELETE", `/webhook-endpoints/${id}`, undefined)).status, 204);
    await giveUpDeleted(gateway.running.ctx);
    assert.equal((await deliveries(client))[0]!.status, "pending");
    await claimed(Date.now() - 1_000);
    await giveUpDeleted(gateway.running.ctx);
    assert.equal((await deliveries(client))[0]!.status, "failed");
  });

  test("that are disabled keep what waits, and send it when they are enabled", async () => {
    const { accountId, client } = await newMerchant(gateway);
    receiver.status = 500;
    const { id } = await make(client);
    const eventId = await paid(client);
    await arrived(eventId);
    await ok(client.patch(`/webhook-endpoints/${id}`, { enabled: false }));
    await atRest(accountId);
    // On a slow machine the second one is due before it is disabled.
    const attempts = received(eventId).length;
    receiver.status = 200;
    await hurry(accountId);
    await othersDelivered();
    assert.equal(received(eventId).length, attempts);
    for (const action of ["test", "replay"]) {
      const body = action === "test" ? { event: "payment_completed" } : { since: "2026-01-01T00:00:00Z" };
      assertRefused(await client.post(`/webhook-endpoints/${id}/${action}`, body), 400, "WEBHOOK_ENDPOINT_DISABLED");
    }
    await ok(client.patch(`/webhook-endpoints/${id}`, { enabled: true }));
    await arrived(eventId, attempts + 1);
    await delivered(client, eventId);
  });

  test("need WEBHOOK:READ to be read and WEBHOOK:WRITE to be changed", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const { id } = await make(client);
    const reader = await credentialOf(gateway, accountId, { permissions: ["WEBHOOK:READ"] });
    const writer = await credentialOf(gateway, accountId, { permissions: ["WEBHOOK:WRITE"] });
    for (const path of ["/webhook-endpoints", `/webhook-endpoints/${id}`, "/events", "/webhook-deliveries"]) {
      await ok(reader.get(path));
      assertRefused(await writer.get(path), 403, "PERMISSION_DENIED");
    }
    for (const [method, path] of [
      ["POST", "/webhook-endpoints"], ["PATCH", `/webhook-endpoints/${id}`], ["DELETE", `/webhook-endpoints/${id}`],
      ...["rotate-secret", "finish-rotation", "test", "replay"].map((action) => ["POST", `/webhook-endpoints/${id}/${action}`]),
      ["POST", `/webhook-deliveries/${randomUUID()}/redeliver`],
    ] as [string, string][]) assertRefused(await reader.send(method, path, undefined), 403, "PERMISSION_DENIED", path);
    await ok(writer.post(`/webhook-endpoints/${id}/rotate-secret`));
  }); // biome-ignore format: a list reads better in rows
});

describe("The secret of an endpoint", () => {
  /** Sends a test and gives its headers. */
  async function sent(client: Client, id: string) {
    const { eventId } = await ok(
      client.post<Delivery>(`/webhook-endpoints/${id}/test`, { event: "payment_completed" }),
    );
    const [hook] = await arrived(eventId);
    return hook!;
  }
  const verifies = (secret: string, hook: Awaited<ReturnType<typeof sent>>): boolean => {
    try {
      new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  test("is replaced while both sign, and the new one is alone when the rotation is finished", async () => {
    const { client } = await newMerchant(gateway);
    const { id, secret: old } = await make(client);
    const path = `/webhook-endpoints/${id}`;
    const before = await sent(client, id);
    assert.equal(before.headers["x-service-signature-next"], undefined);

    const asked = Date.now();
    const rotated = await ok(client.post<Endpoint>(`${path}/rotate-secret`));
    assert.match(rotated.secret!, /^whsec_[0-9A-Za-z+/]{43}=$/);
    assert.notEqual(rotated.secret, old);
    const ends = Date.parse(rotated.rotation!.endsAt) - asked;
    assert.ok(ends >= 86_400_000 && ends < 86_460_000);
    const { secret: _shownOnce, ...shown } = rotated;
    assert.deepEqual(await ok(client.get(path)), shown);

    const both = await sent(client, id);
    assert.equal(both.headers["x-service-signature"], serviceSignature(old!, both.body));
    assert.equal(both.headers["x-service-signature-next"], serviceSignature(rotated.secret!, both.body));
    assert.equal((both.headers["webhook-signature"] as string).split(" ").length, 2);
    assert.deepEqual([verifies(old!, both), verifies(rotated.secret!, both)], [true, true]);

    const finished = await ok(client.post<Endpoint>(`${path}/finish-rotation`));
    assert.deepEqual([finished.rotation, finished.secret], [undefined, undefined]);
    const after = await sent(client, id);
    assert.equal(after.headers["x-service-signature"], serviceSignature(rotated.secret!, after.body));
    assert.equal(after.headers["x-service-signature-next"], undefined);
    assert.deepEqual([verifies(old!, after), verifies(rotated.secret!, after)], [false, true]);
    // Once more changes nothing.
    assert.deepEqual(await ok(client.post(`${path}/finish-rotation`)), finished);
  });

  test("that is old stops signing after 24 hours by itself, and the next rotation begins from the new one", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await make(client);
    const path = `/webhook-endpoints/${id}`;
    const { secret: second } = await ok(client.post<Endpoint>(`${path}/rotate-secret`));
    await gateway.running.ctx.db.query(
      sql`update webhook_endpoints set rotation_ends_at = ${new Date()} where endpoint_id = ${id}`,
    );
    assert.equal((await ok(client.get<Endpoint>(path))).rotation, undefined);
    const alone = await sent(client, id);
    assert.equal(alone.headers["x-service-signature"], serviceSignature(second!, alone.body));
    assert.equal(alone.headers["x-service-signature-next"], undefined);
    const { secret: third } = await ok(client.post<Endpoint>(`${path}/rotate-secret`));
    const both = await sent(client, id);
    assert.equal(both.headers["x-service-signature"], serviceSignature(second!, both.body));
    assert.equal(both.headers["x-service-signature-next"], serviceSignature(third!, both.body));
    // A new secret that was lost is replaced, and the one that receivers have stays.
    const { secret: fourth } = await ok(client.post<Endpoint>(`${path}/rotate-secret`));
    const replaced = await sent(client, id);
    assert.deepEqual(
      [second!, third!, fourth!].map((secret) => verifies(secret, replaced)),
      [true, false, true],
    );
  });

  test("is left out when a rotation is repeated under its Idempotency-Key, and nothing rotates again", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await make(client);
    const rotate = () =>
      client.post<Endpoint>(
        `/webhook-endpoints/${id}/rotate-secret`,
        undefined,
        as(null, { "idempotency-key": "rotate-once" }),
      );
    const { secret, ...kept } = await ok(rotate());
    for (let i = 0; i < 3; i += 1) {
      const again = await rotate();
      assert.equal(again.headers.get("idempotent-replayed"), "true");
      assert.deepEqual(again.body, kept);
    }
    assert.equal(verifies(secret!, await sent(client, id)), true);
  });
});

describe("A test", () => {
  test("of every kind is delivered as every other event, marked, and as the reference says", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    const check = validatorOf(document, true);
    for (const [wallet, kinds] of [[null, EVENT_KINDS], ["loja", ["payment_completed"]]] as const) {
      const { id, secret } = await make(client, { events: ["balance_block_created"] }, wallet);
      for (const event of kinds) {
        const delivery = await ok(client.post<Delivery>(`/webhook-endpoints/${id}/test`, { event }, as(wallet)));
        assert.deepEqual([delivery.event, delivery.status, delivery.attempts.length], [event, "delivered", 1]);
        assert.match(delivery.eventId, /^test_[0-9a-f-]{36}$/);
        const [hook, ...more] = await arrived(delivery.eventId);
        assert.equal(more.length, 0);
        const body = JSON.parse(hook!.body) as Event & { subAccount: string | null };
        assert.deepEqual([body.event, body.eventId, body.subAccount], [event, delivery.eventId, wallet]);
        assert.deepEqual([body.data.test, body.data.environment], [true, "sandbox"]);
        assert.equal(check(document.webhooks![event]!.post.requestBody!.content["application/json"]!.schema, body), null);
        assert.equal(hook!.headers["x-service-event"], event);
        assert.equal(hook!.headers["x-service-signature"], serviceSignature(secret!, hook!.body));
        new Webhook(secret!).verify(hook!.body, hook!.headers as Record<string, string>);
      }
    }
  }); // biome-ignore format: a list reads better in rows

  test("with one Idempotency-Key is one, and says nothing where nothing is asked", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await make(client);
    const path = `/webhook-endpoints/${id}/test`;
    const once = () =>
      client.post<Delivery>(path, { event: "payment_failed" }, as(null, { "idempotency-key": "test-once" }));
    const replies = await Promise.all([once(), once(), once()]);
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal((await deliveries(client)).length, 1);
    await nothingMoves(gateway, async () => {
      for (const event of [undefined, "x", 1]) assertInvalid(await client.post(path, { event }), ["event"]);
      assertInvalid(await client.post(path, { event: "payment_failed", extra: 1 }), ["extra"]);
    });
  });
});

describe("Events", () => {
  test("are listed whether or not an endpoint received them, newest first, with the bytes that are sent", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    const quiet = [await paid(client), await paid(client)];
    await make(client);
    const loud = await paid(client);
    const other = await paid(client, "loja");
    const items = await everyPage<Event>(client, "/events?limit=1");
    assert.deepEqual(
      items.map(({ eventId }) => eventId),
      [loud, quiet[1], quiet[0]],
    );
    const [hook] = await arrived(loud);
    const { body, ...event } = await ok(client.get<Event>(`/events/${loud}`));
    assert.equal(body, hook!.body);
    assert.deepEqual(event, JSON.parse(body));
    assert.deepEqual(event, items[0]);
    assertRefused(await client.get(`/events/${other}`), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await ok(client.get<Event>(`/events/${other}`, as("loja")))).eventId, other);
    for (const id of ["nothing", "%00x", "x".repeat(256), "é"]) {
      const reply = await client.get(`/events/${id}`);
      assert.ok(reply.status === 404 || reply.status === 400, reply.text);
    }
  });

  test("say how their deliveries stand where that is asked", async () => {
    const { client } = await newMerchant(gateway);
    type Listed = Page<Event & { deliveries?: object }>;
    const newest = async (query: string) => (await ok(client.get<Listed>(`/events?limit=1${query}`))).items[0]!;
    await paid(client);
    assert.equal("deliveries" in (await newest("")), false);
    assert.deepEqual((await newest("&deliveries=true")).deliveries, { pending: 0, delivered: 0, failed: 0 });
    await make(client);
    await make(client);
    await delivered(client, await paid(client));
    assert.deepEqual((await newest("&deliveries=true")).deliveries, { pending: 0, delivered: 2, failed: 0 });
    receiver.status = 500;
    await paid(client);
    assert.deepEqual((await newest("&deliveries=true")).deliveries, { pending: 2, delivered: 0, failed: 0 });
    assertInvalid(await client.get("/events?deliveries=perhaps"), ["deliveries"]);
  });

  test("are narrowed by kind and by time, and merged in order over all kinds", async () => {
    const { client } = await newMerchant(gateway);
    const made: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      made.push(await paid(client));
      const { id } = await ok(client.post<{ id: string }>("/pix", { amount: 5, description: "d" }), 201);
      await ok(client.post(`/sandbox/pix/${id}/expire`));
      made.push(`payment_expired_${id}`);
    }
    made.reverse();
    const ids = async (query: string) =>
      (await everyPage<Event>(client, `/events?limit=3${query}`)).map(({ eventId }) => eventId);
    assert.deepEqual(await ids(""), made);
    assert.deepEqual(
      await ids("&event=payment_expired"),
      made.filter((id) => id.startsWith("payment_expired")),
    );
    assert.deepEqual(await ids("&event=refund_completed"), []);
    const { timestamp } = await ok(client.get<Event>(`/events/${made[3]}`));
    assert.deepEqual(await ids(`&from=${timestamp}`), made.slice(0, 4));
    assert.deepEqual(await ids(`&to=${timestamp}`), made.slice(4));
    for (const [field, value] of [
      ["event", "x"],
      ["from", "x"],
      ["cursor", "x"],
      ["limit", "101"],
    ]) {
      assertInvalid(await client.get(`/events?${field}=${value}`), [field!]);
    }
    const cursor = Buffer.from('["events","yesterday","x"]').toString("base64url");
    assertInvalid(await client.get(`/events?cursor=${cursor}`), ["cursor"]);
  });

  test("are found by the reference of a charge or withdrawal, with what followed from it", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    const order = { amount: 50, description: "d", externalReference: "order 7" };
    const charge = async (wallet: string | null = null) => {
      const { id } = await ok(client.post<{ id: string }>("/pix", order, as(wallet)), 201);
      await ok(client.post(`/sandbox/pix/${id}/pay`, {}, as(wallet)));
      return id;
    };
    const id = await charge();
    const ofLoja = await charge("loja");
    await paid(client);
    await paid(client);
    const ids = async (query: string, headers = {}) =>
      (await ok(client.get<{ items: Event[] }>(`/events?${query}`, headers))).items.map(({ eventId }) => eventId);
    assert.deepEqual(await ids("externalReference=order%207"), [id]);
    const { refundTransactionId } = await ok(
      client.post<{ refundTransactionId: string }>(`/transactions/${id}/refund`, {}),
      201,
    );
    await eventually("the refund", async () => (await client.get(`/events/${refundTransactionId}`)).status === 200);
    const payout = { amount: 5, pixKey: "12345678909", pixKeyType: "cpf", externalReference: "order 8" };
    const holder = { holderName: "Rosana", holderDocument: "12345678909", holderDocumentType: "cpf" };
    const { id: withdrawal } = await ok(client.post<{ id: string }>("/withdrawals", { ...payout, ...holder }), 201);
    await eventually("the payout", async () => (await client.get(`/events/${withdrawal}`)).status === 200);

    assert.deepEqual(await ids("externalReference=order%207"), [refundTransactionId, id]);
    assert.deepEqual(await ids("externalReference=order%207&event=payment_completed"), [id]);
    assert.deepEqual(await ids("externalReference=order%207&limit=1"), [refundTransactionId]);
    assert.deepEqual(await ids("externalReference=order%208"), [withdrawal]);
    assert.deepEqual(await ids("externalReference=order%207", as("loja")), [ofLoja]);
    const ofAll = await ids("externalReference=order%207&subAccount=*");
    assert.deepEqual(new Set(ofAll), new Set([refundTransactionId, id, ofLoja]));
    for (const other of ["order", "order%2077", "%25"]) assert.deepEqual(await ids(`externalReference=${other}`), []);
    const { client: stranger } = await newMerchant(gateway);
    assert.deepEqual((await ok(stranger.get<{ items: Event[] }>("/events?externalReference=order%207"))).items, []);
  });
});

describe("Deliveries", () => {
  test("are listed by endpoint, event, kind and status, each with all its attempts", async () => {
    const { accountId, client } = await newMerchant(gateway);
    receiver.status = 503;
    const [failing, fine] = [await make(client), await make(client, { events: ["payment_completed"], url: `${receiver.url}?ok` })];
    const first = await paid(client);
    await arrived(first, 2);
    receiver.status = 200;
    const second = await paid(client);
    await arrived(second, 2);
    await hurry(accountId);
    await delivered(client, first);
    await delivered(client, second);
    const all = await everyPage<Delivery>(client, "/webhook-deliveries?limit=1");
    assert.equal(all.length, 4);
    assert.deepEqual(all.map(({ eventId }) => eventId), [second, second, first, first]);
    for (const [query, expected] of [
      [`?endpointId=${failing.id}`, 2], [`?endpointId=${fine.id}`, 2], [`?eventId=${first}`, 2], [`?eventId=${first}&endpointId=${fine.id}`, 1],
      ["?event=payment_completed", 4], ["?event=payment_failed", 0], ["?status=delivered", 4], ["?status=failed", 0], ["?status=pending", 0],
      [`?endpointId=${randomUUID()}`, 0], ["?eventId=x", 0],
    ] as const) assert.equal((await deliveries(client, query)).length, expected, query);
    const item = all.find(({ eventId }) => eventId === first)!;
    const { attempts, ...rest } = await ok(client.get<Delivery>(`/webhook-deliveries/${item.id}`));
    assert.deepEqual(rest, item);
    assert.deepEqual(attempts.map(({ number }) => number), attempts.map((_, i) => i + 1));
    assert.equal(attempts.length, item.attemptCount);
    assert.deepEqual([attempts[0]!.statusCode, attempts.at(-1)!.statusCode], [503, 200]);
    for (const [field, value] of [["status", "x"], ["event", "x"], ["endpointId", "x"], ["cursor", "x"]]) {
      assertInvalid(await client.get(`/webhook-deliveries?${field}=${value}`), [field!]);
    }
    const other = await newMerchant(gateway);
    assertRefused(await other.client.get(`/webhook-deliveries/${item.id}`), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await other.client.post(`/webhook-deliveries/${item.id}/redeliver`), 404, "RESOURCE_NOT_FOUND");
  }); // biome-ignore format: a list reads better in rows

  test("say in the list which request they are about, and how their newest attempt ended", async () => {
    const { accountId, client } = await newMerchant(gateway);
    receiver.status = 503;
    const answering = await make(client);
    const closed = await make(client, { url: "http://127.0.0.1:9/hook" });
    const order = { amount: 5, description: "d", externalReference: "pedido-7" };
    const { id } = await ok(client.post<{ id: string }>("/pix", order), 201);
    await ok(client.post(`/sandbox/pix/${id}/pay`));
    const said = async () =>
      Object.fromEntries(
        (await ok(client.get<Page<Said>>("/webhook-deliveries"))).items.map(
          ({ endpointId, externalReference, lastStatusCode, lastError }) => [
            endpointId,
            [externalReference, lastStatusCode, lastError],
          ],
        ),
      );
    await eventually("an attempt at each", async () => (await deliveries(client)).every((one) => one.attemptCount > 0));
    assert.deepEqual(await said(), {
      [answering.id]: ["pedido-7", 503, undefined],
      [closed.id]: ["pedido-7", undefined, "ECONNREFUSED"],
    });
    receiver.status = 200;
    await hurry(accountId);
    await eventually("the newest attempt", async () => (await said())[answering.id]![1] === 200);
  });

  test("are made once more by hand, delivered or failed, with the same body and signature", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await make(client);
    const eventId = await paid(client);
    const [{ id }] = (await delivered(client, eventId)) as [Delivery];
    await ok(client.post(`/webhook-deliveries/${id}/redeliver`));
    const [one, two] = await arrived(eventId, 2);
    assert.equal(one!.body, two!.body);
    assert.equal(one!.headers["x-service-signature"], two!.headers["x-service-signature"]);
    assert.notEqual(one!.headers["x-service-webhook-id"], two!.headers["x-service-webhook-id"]);
    await eventually(
      "its mark",
      async () => (await ok(client.get<Delivery>(`/webhook-deliveries/${id}`))).status === "delivered",
    );

    // It has the whole schedule before it again: failed five times, it is failed; once more, five more.
    receiver.status = 500;
    for (const round of [1, 2]) {
      await ok(client.post(`/webhook-deliveries/${id}/redeliver`));
      await eventually(`round ${round}`, async () => {
        await hurry(accountId);
        return (await ok(client.get<Delivery>(`/webhook-deliveries/${id}`))).status === "failed";
      });
      assert.equal((await ok(client.get<Delivery>(`/webhook-deliveries/${id}`))).attempts.length, 2 + 5 * round);
    }
    receiver.status = 200;
  });

  test("of an endpoint with the extended schedule continue after five attempts, and are postponed by Retry-After", async () => {
    const { accountId, client } = await newMerchant(gateway);
    receiver.status = 503;
    await make(client, { retry: "extended" });
    const eventId = await paid(client);
    const after = (attempts: number) =>
      eventually(`attempt ${attempts}`, async () => {
        const [delivery] = await deliveries(client, `?eventId=${eventId}`);
        await gateway.running.ctx.db.query(sql`
          update deliveries set next_at = ${new Date()}
          where account_id = ${accountId} and event_id = ${eventId} and attempts < ${attempts} and claimed_until is null`);
        return delivery!.attemptCount === attempts && delivery;
      });
    const fifth = await after(5);
    assert.equal(fifth.status, "pending");
    const wait = Date.parse(fifth.nextAttemptAt!) - Date.now();
    assert.ok(wait > 280_000 && wait < 330_000, `${wait} ms`);
    receiver.headers = { "retry-after": "7200" };
    const sixth = await after(6);
    const later = Date.parse(sixth.nextAttemptAt!) - Date.now();
    assert.ok(later > 7_100_000 && later <= 7_200_000, `${later} ms`);
    receiver.headers = {};
    assert.equal((await after(11)).status, "failed");
    receiver.status = 200;
  });
});

describe("A replay", () => {
  test("sends the events of a time to one endpoint, also those it never received; a dry run counts them", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    const since = new Date().toISOString();
    const missed = [await paid(client), await paid(client, "loja")];
    const { id } = await make(client);
    const known = await paid(client);
    await delivered(client, known);
    const path = `/webhook-endpoints/${id}/replay`;
    const counted = await ok(client.post(path, { since, dryRun: true }));
    assert.deepEqual(counted, { count: 3, dryRun: true });
    assert.deepEqual([received(missed[0]!).length, received(known).length], [0, 1]);
    const headers = as(null, { "idempotency-key": "replay-once" });
    for (let i = 0; i < 2; i += 1)
      assert.deepEqual(await ok(client.post(path, { since }, headers)), { count: 3, dryRun: false });
    for (const eventId of missed) assert.equal((await arrived(eventId)).length, 1);
    await arrived(known, 2);
    await delivered(client, known);
    assert.deepEqual([received(missed[0]!).length, received(missed[1]!).length, received(known).length], [1, 1, 2]);
  });

  test("keeps to the time, the filter and the wallet of the endpoint, and leaves tests out", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    await make(client, {}, "loja");
    const { id } = await make(client, { events: ["payment_completed"] });
    await ok(client.post(`/webhook-endpoints/${id}/test`, { event: "payment_completed" }));
    const early = await paid(client);
    const { id: expired } = await ok(client.post<{ id: string }>("/pix", { amount: 5, description: "d" }), 201);
    await ok(client.post(`/sandbox/pix/${expired}/expire`));
    await paid(client, "loja");
    const { timestamp } = await ok(client.get<Event>(`/events/${early}`));
    const count = async (body: object) =>
      (await ok(client.post<{ count: number }>(`/webhook-endpoints/${id}/replay`, { dryRun: true, ...body }))).count;
    assert.equal(await count({ since: "2020-01-01T00:00:00Z" }), 1);
    assert.equal(await count({ since: timestamp }), 1);
    assert.equal(await count({ since: "2020-01-01T00:00:00Z", until: timestamp }), 0);
    assert.equal(await count({ since: "2020-01-01T00:00:00Z", onlyFailed: true }), 0);
    assert.equal(await count({ since: "2999-01-01T00:00:00Z" }), 0);
    await nothingMoves(gateway, async () => {
      for (const [field, value] of [["since", undefined], ["since", "x"], ["until", "x"], ["onlyFailed", 1], ["dryRun", "true"], ["other", 1]] as const) {
        assertInvalid(await client.post(`/webhook-endpoints/${id}/replay`, { since: timestamp, [field]: value }), [field]);
      }
    });
  }); // biome-ignore format: a list reads better in rows

  test("sends a kind that is not the interface's only to an endpoint that names it", async () => {
    const { client } = await newMerchant(gateway);
    const since = new Date().toISOString();
    // The refund's fee comes on top of what goes back.
    await paid(client);
    const payment = await paid(client);
    const { refundTransactionId } = await refundManually(client, payment);
    await settleRefund(client, payment, "fail");
    const eventId = `refund_failed_${refundTransactionId}`;
    await eventually("the event", async () => (await client.get(`/events/${eventId}`)).status === 200);
    const { id: standard } = await make(client);
    const { id: naming } = await make(client, { events: ["refund_failed"] });
    const replayTo = async (id: string) =>
      (await ok(client.post<{ count: number }>(`/webhook-endpoints/${id}/replay`, { since }))).count;
    assert.deepEqual([await replayTo(standard), await replayTo(naming)], [2, 1]);
    await arrived(eventId);
    const sent = await deliveries(client, "?event=refund_failed");
    assert.deepEqual(
      sent.map(({ eventId: of }) => of),
      [eventId],
    );
    const listed = await everyPage<Event>(client, "/events?event=refund_failed");
    assert.deepEqual(
      listed.map(({ eventId: of }) => of),
      [eventId],
    );
  });

  test("of failed deliveries sends exactly those, and one of all makes waiting deliveries due", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const { id } = await make(client);
    const fine = await paid(client);
    await delivered(client, fine);
    receiver.status = 500;
    const failed = await paid(client);
    await eventually("it has failed", async () => {
      await hurry(accountId);
      return (await deliveries(client, `?eventId=${failed}`))[0]?.status === "failed";
    });
    const waiting = await paid(client);
    await eventually("it waits", async () => (await deliveries(client, `?eventId=${waiting}`))[0]?.nextAttemptAt);
    receiver.status = 200;
    const attempts = received(failed).length;
    const path = `/webhook-endpoints/${id}/replay`;
    const since = "2020-01-01T00:00:00Z";
    assert.equal((await ok(client.post<{ count: number }>(path, { since, onlyFailed: true }))).count, 1);
    await arrived(failed, attempts + 1);
    await delivered(client, failed);
    assert.equal(received(fine).length, 1);
    assert.equal((await ok(client.post<{ count: number }>(path, { since }))).count, 3);
    for (const eventId of [fine, failed, waiting]) await delivered(client, eventId);
    await arrived(fine, 2);
  });

  test("of many events is sent a hundred a second, the oldest first, and another's event does not wait for it", async () => {
    const { accountId, client } = await newMerchant(gateway);
    // The events are made up, so the receiver that compares them with the document is not theirs.
    const sink = createServer((request, response) => void request.resume().on("end", () => response.end()));
    await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
    const { id } = await make(client, { enabled: false, url });
    const { db } = gateway.running.ctx;
    const many = await enqueue(db, accountId, [id], 3_000);
    await gateway.owner.query(sql`delete from deliveries where account_id = ${accountId}`);
    await ok(client.patch(`/webhook-endpoints/${id}`, { enabled: true }));
    const other = await newMerchant(gateway);
    await make(other.client);
    const body = { since: "2020-01-01T00:00:00Z" };
    const { count } = await ok(client.post<{ count: number }>(`/webhook-endpoints/${id}/replay`, body));
    // What it was set to before any of it was sent: in 30 seconds, and every event in its turn.
    const { rows } = await db.query<{ seconds: number; waiting: number; last: Date }>(sql`
      select extract(epoch from max(next_at) - max(created_at))::float as seconds, count(*)::int as waiting, max(next_at) as last
      from deliveries where account_id = ${accountId} and status = 'pending' and next_at > ${new Date()}`);
    assert.equal(count, many.length);
    assert.equal(rows[0]!.seconds, 29);
    assert.ok(rows[0]!.waiting > 1_000, `${rows[0]!.waiting} wait`);
    const [hook] = await arrived(await paid(other.client));
    assert.ok(hook!.at < rows[0]!.last.getTime(), "another's event came before the last of them was due");
    await ok(client.send("DELETE", `/webhook-endpoints/${id}`, undefined), 204);
    sink.close();
    sink.closeAllConnections();
  });

  test("at once with ten others is delivered once by each event at a time, and every event arrives", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await make(client);
    const events = await Promise.all(Array.from({ length: 10 }, () => paid(client)));
    for (const eventId of events) await delivered(client, eventId);
    const since = "2020-01-01T00:00:00Z";
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        ok(client.post<{ count: number }>(`/webhook-endpoints/${id}/replay`, { since })),
      ),
    );
    assert.deepEqual([...new Set(replies.map(({ count }) => count))], [10]);
    for (const eventId of events) {
      await arrived(eventId, 2);
      await delivered(client, eventId);
      assert.equal((await deliveries(client, `?eventId=${eventId}`)).length, 1);
    }
  });
});
