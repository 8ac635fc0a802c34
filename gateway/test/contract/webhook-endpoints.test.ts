import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { EVENT_KINDS } from "../../src/webhooks/events/catalogue.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type Endpoint = Record<string, unknown> & { id: string; url: string; secret?: string };
type Charge = { id: string };

const url = "https://shop.example/hooks";

let gateway: TestGateway;
let receiver: Receiver;
before(async () => {
  gateway = await startGateway();
  receiver = await startReceiver();
});
after(async () => {
  await gateway.end();
  await receiver.close();
});
/** Ends what other tests registered: a wallet has at most 20 endpoints, and only a test's own may receive. */
beforeEach(() =>
  gateway.running.ctx.db.query(sql`update webhook_endpoints set deleted_at = ${new Date()} where deleted_at is null`),
);

const create = (body: unknown, headers: Record<string, string> = {}) =>
  gateway.merchant.post<Endpoint>("/webhook-endpoints", body, { headers });
const withKey = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  create(body, { "idempotency-key": key, ...headers });
/** Makes a sub-account. @returns the header that names it. */
async function makeWallet(reference: string) {
  const { db, ids } = gateway.running.ctx;
  const now = new Date();
  await db.query(sql`
    insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
    values (${gateway.sandbox.accountId}, ${ids.uuid()}, ${reference}, ${reference}, 'approved', ${now}, ${now})`);
  return { "x-sub-account": reference };
}
const count = async () => {
  const { rows } = await gateway.running.ctx.db.query<{ count: number }>(sql`select count(*) from webhook_endpoints`);
  return rows[0]!.count;
};

describe("POST /webhook-endpoints", () => {
  test("the answer has the endpoint with its defaults, and a secret of 32 bytes", async () => {
    const reply = await create({ url });
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(Object.keys(reply.body).sort(), [
      "createdAt",
      "enabled",
      "id",
      "retry",
      "secret",
      "updatedAt",
      "url",
    ]);
    const { secret, id, createdAt, updatedAt, ...rest } = reply.body;
    assert.deepEqual(rest, { url, enabled: true, retry: "standard" });
    assert.match(secret!, /^whsec_[0-9A-Za-z+/]{43}=$/);
    assert.equal(Buffer.from(secret!.slice(6), "base64").length, 32);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.equal(createdAt, updatedAt);
    assert.notEqual((await create({ url })).body.secret, secret);
    const { rows } = await gateway.running.ctx.db.query<{ row: string }>(
      sql`select row_to_json(w)::text as row from webhook_endpoints w where endpoint_id = ${id}`,
    );
    assert.equal(rows[0]!.row.includes(secret!.slice(6)), false, "stored in the clear");
  });

  test("every field is stored as it was sent, and null equals omitting it", async () => {
    const full = {
      url,
      events: ["payment_completed", "payment_failed"],
      description: "😀".repeat(255),
      enabled: false,
      retry: "extended",
    };
    const { id, secret, createdAt, updatedAt, ...kept } = (await create(full)).body;
    assert.ok(id && secret && createdAt && updatedAt);
    assert.deepEqual(kept, full);
    const all = await create({ url, events: [...EVENT_KINDS] });
    assert.deepEqual(all.body.events, [...EVENT_KINDS]);
    const nulls = await create({ url, events: null, description: null, enabled: null, retry: null });
    assert.equal(nulls.status, 201, nulls.text);
    assert.deepEqual(
      [nulls.body.enabled, nulls.body.retry, "events" in nulls.body, "description" in nulls.body],
      [true, "standard", false, false],
    );
  });

  test("what breaks a limit is refused by name and makes nothing", async () => {
    await nothingMoves(gateway, async () => {
      const refused: [string, unknown][] = [
        ["url", undefined], ["url", null], ["url", 1], ["url", [url]], ["url", `https://${"a".repeat(2041)}`],
        ["events", []], ["events", "payment_completed"], ["events", {}], ["events", ["payment_completed", "payment_completed"]],
        ["description", "x".repeat(256)], ["description", "😀".repeat(256)], ["description", 1], ["enabled", "true"], ["enabled", 1], ["enabled", 0],
        ["retry", "none"], ["retry", ""], ["retry", "STANDARD"], ["retry", true], ["secret", "whsec_mine"], ["id", "x"], ["headers", {}],
      ]; // biome-ignore format: a table
      for (const [field, value] of refused)
        assertInvalid(await create({ url, [field]: value }), [field], `${field} ${String(value)}`);
      for (const event of ["payment", "PAYMENT_COMPLETED", "", 1, null, {}, "*"]) {
        assertInvalid(await create({ url, events: [event] }), ["events[0]"], String(event));
      }
      for (const text of [
        '{"url":"https://a.example/\\u0000"}',
        '{"url":"https://a.example/\\ud800"}',
        '{"url":"https://a.example","description":"\\ud800"}',
      ]) {
        assertRefused(await gateway.merchant.send("POST", "/webhook-endpoints", text), 400, "VALIDATION_ERROR", text);
      }
    });
  });

  test("an address is http or https, with a host, without user and password", async () => {
    const longest = `https://a.example/${"x".repeat(2048 - 18)}`;
    for (const address of [
      url,
      "http://127.0.0.1:9999/hook",
      "https://a.example",
      "https://[2606:4700:4700::1111]:8443/x?y=z",
      longest,
    ]) {
      const reply = await create({ url: address, enabled: false });
      assert.equal(reply.status, 201, reply.text);
      assert.equal(reply.body.url, new URL(address).href);
    }
    await nothingMoves(gateway, async () => {
      const addresses = [
        "", " ", "shop.example", "//shop.example", "/hooks", "ftp://shop.example", "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x",
        "gopher://a.example", "ws://a.example", "http://", "https://", "http:///x y", "https://user@shop.example", "https://user:pass@shop.example",
        "https://:pass@shop.example", "http://a b.example", "http://a.example:99999", "http://[::1", "http://%zz.example",
      ]; // biome-ignore format: a table
      for (const address of addresses) {
        const { details } = assertRefused(await create({ url: address }), 400, "WEBHOOK_URL_INVALID", address);
        assert.deepEqual(
          details.issues!.map((issue) => issue.path),
          ["url"],
        );
      }
    });
  });
});

describe("A wallet's number of endpoints", () => {
  test("is at most 20, those that are deleted left out, however many calls come at once", async () => {
    const replies = await Promise.all(Array.from({ length: 32 }, () => create({ url, enabled: false })));
    const made = replies.filter((reply) => reply.status === 201);
    assert.equal(made.length, 20);
    await nothingMoves(gateway, async () => {
      for (const reply of [...replies.filter((one) => one.status !== 201), await create({ url })]) {
        const { details } = assertRefused(reply, 400, "WEBHOOK_ENDPOINT_LIMIT");
        assert.equal((details as { limit?: number }).limit, 20, reply.text);
      }
    });
    assert.equal((await create({ url }, await makeWallet("another"))).status, 201);
    const gone = await gateway.merchant.send("DELETE", `/webhook-endpoints/${made[0]!.body.id}`, undefined);
    assert.equal(gone.status, 204, gone.text);
    assert.equal((await create({ url })).status, 201);
    assertRefused(await create({ url }), 400, "WEBHOOK_ENDPOINT_LIMIT");
  });
});

describe("Idempotency-Key of POST /webhook-endpoints", () => {
  test("a repeat gets the same endpoint without its secret, and every repeat the same bytes", async () => {
    const before = await count();
    const body = { url, description: "repeated", events: ["payment_completed"] };
    const first = await withKey("endpoint-repeat", body);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    const { secret, ...kept } = first.body;
    assert.ok(secret);
    const repeats = await Promise.all([
      withKey("endpoint-repeat", body),
      withKey("endpoint-repeat", { events: ["payment_completed"], description: "repeated", url }),
    ]);
    for (const repeat of repeats) {
      assert.equal(repeat.status, 201);
      assert.equal(repeat.headers.get("idempotent-replayed"), "true");
      assert.deepEqual(repeat.body, kept);
      assert.equal(repeat.text, repeats[0]!.text);
    }
    assert.equal(await count(), before + 1);
  });

  test("32 calls at once with one key make one endpoint, and one of them learns its secret", async () => {
    const before = await count();
    const replies = await Promise.all(
      Array.from({ length: 32 }, () => withKey("endpoint-storm", { url, description: "storm" })),
    );
    assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [201]);
    assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1);
    assert.equal(replies.filter((reply) => reply.body.secret !== undefined).length, 1);
    assert.equal(replies.filter((reply) => reply.headers.get("idempotent-replayed") === "true").length, 31);
    assert.equal(await count(), before + 1);
  });

  test("32 calls at once with 32 keys make 32 endpoints, each with its own secret", async () => {
    const before = await count();
    const wallets = [{}, await makeWallet("many")];
    const replies = await Promise.all(
      Array.from({ length: 32 }, (_, i) => withKey(`endpoint-many-${i}`, { url, enabled: false }, wallets[i % 2])),
    );
    assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 32);
    assert.equal(new Set(replies.map((reply) => reply.body.secret)).size, 32);
    assert.equal(await count(), before + 32);
  });

  test("another body under the same key is a 422, even one that is not valid, and changes nothing", async () => {
    const first = await withKey("endpoint-reused", { url });
    assert.equal(first.status, 201);
    await nothingMoves(gateway, async () => {
      for (const body of [{ url: `${url}/2` }, { url, enabled: false }, { url: "nonsense" }, { nonsense: true }, {}]) {
        assertRefused(await withKey("endpoint-reused", body), 422, "IDEMPOTENCY_KEY_REUSED", JSON.stringify(body));
      }
      const racing = await Promise.all(
        Array.from({ length: 8 }, (_, i) => withKey("endpoint-reused", { url: `${url}/${i}` })),
      );
      for (const reply of racing) assertRefused(reply, 422, "IDEMPOTENCY_KEY_REUSED");
    });
  });

  test("of two bodies at once under one key one wins and the other is a 422", async () => {
    const before = await count();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) => withKey("endpoint-race", { url: `${url}/${i % 2}` })),
    );
    assert.deepEqual([...new Set(replies.map((reply) => reply.status))].sort(), [201, 422]);
    assert.equal(replies.filter((reply) => reply.status === 201).length, 8);
    assert.equal(await count(), before + 1);
  });

  test("a refusal leaves its key free", async () => {
    await nothingMoves(gateway, async () => {
      for (const body of [{}, { url: "ftp://a.example" }, { url, retry: "never" }]) {
        assert.equal((await withKey("endpoint-free", body)).status, 400);
      }
    });
    assert.equal((await withKey("endpoint-free", { url })).status, 201);
  });

  test("a key has 8 to 255 visible ASCII characters", async () => {
    await nothingMoves(gateway, async () => {
      for (const key of [
        "",
        "1234567",
        "x".repeat(256),
        "with a space",
        "tab\tinside",
        "açúcar-12",
        "a".repeat(8_000),
      ]) {
        assertInvalid(await withKey(key, { url }), ["Idempotency-Key"], key.slice(0, 20));
      }
    });
    for (const key of ["12345678", "!".repeat(255)]) assert.equal((await withKey(key, { url })).status, 201);
  });

  test("the same key on another route or in another wallet is another key", async () => {
    const keyed = await makeWallet("keyed");
    const key = "one-key-everywhere";
    const charge = await gateway.merchant.post<Charge>(
      "/pix",
      { amount: 1, description: "d" },
      { headers: { "idempotency-key": key } },
    );
    const main = await withKey(key, { url });
    const sub = await withKey(key, { url }, keyed);
    assert.deepEqual([charge.status, main.status, sub.status], [201, 201, 201]);
    assert.equal(new Set([charge.body.id, main.body.id, sub.body.id]).size, 3);
  });
});

describe("Who receives an event", () => {
  const receiversOf = async (eventId: string) => {
    const { rows } = await gateway.running.ctx.db.query<{ endpoint_id: string }>(
      sql`select endpoint_id from deliveries where event_id = ${eventId}`,
    );
    return rows.map((row) => row.endpoint_id).sort();
  };
  const paid = async (headers: Record<string, string> = {}) => {
    const { body } = await gateway.merchant.post<Charge>("/pix", { amount: 5, description: "d" }, { headers });
    const reply = await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`, undefined, { headers });
    assert.equal(reply.status, 200, reply.text);
    return body.id;
  };

  test("endpoints that are enabled and whose list names its kind", async () => {
    const all = await create({ url: receiver.url });
    const some = await create({ url: receiver.url, events: ["payment_completed"] });
    await create({ url: receiver.url, events: ["payment_expired", "payment_failed"] });
    await create({ url: receiver.url, enabled: false });
    const id = await paid();
    assert.deepEqual(await receiversOf(id), [all.body.id, some.body.id].sort());
    const arrived = () =>
      receiver.received.filter((hook) => (JSON.parse(hook.body) as { eventId: string }).eventId === id);
    await eventually("both webhooks", () => arrived().length === 2);
  });

  test("a sub-account's own endpoints, or the main account's where it has none at all", async () => {
    const sub = await makeWallet("loja");
    const main = await create({ url: receiver.url });
    assert.deepEqual(await receiversOf(await paid(sub)), [main.body.id]);
    const own = await create({ url: receiver.url, events: ["payment_failed"] }, sub);
    assert.deepEqual(
      await receiversOf(await paid(sub)),
      [],
      "its own endpoint does not want it, and there is no falling back",
    );
    const second = await create({ url: receiver.url }, sub);
    const id = await paid(sub);
    assert.deepEqual(await receiversOf(id), [second.body.id]);
    assert.notEqual(own.body.id, second.body.id);
    const hook = await eventually("the webhook", () => receiver.received.find((one) => one.body.includes(id)));
    assert.equal((JSON.parse(hook.body) as { subAccount: string }).subAccount, "loja");
    assert.deepEqual(await receiversOf(await paid()), [main.body.id]);
  });
});
