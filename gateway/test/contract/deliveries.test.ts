/** How a webhook is delivered, rule by rule: to a real receiver, and to the one of examples/. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "../../src/db/sql.ts";
import { MAX_ATTEMPTS, nextAttemptAt } from "../../src/webhooks/deliveries/schedule.ts";
import { deliveryHeaders, serviceSignature } from "../../src/webhooks/deliveries/sign.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/receive.mjs", import.meta.url));

let gateway: TestGateway;
let receiver: Receiver;
let secret: string;
before(async () => {
  gateway = await startGateway();
  receiver = await startReceiver();
  const endpoint = await gateway.merchant.post<{ secret: string }>("/webhook-endpoints", { url: receiver.url });
  assert.equal(endpoint.status, 201, endpoint.text);
  secret = endpoint.body.secret;
});
after(async () => {
  await gateway.end();
  await receiver.close();
});

type Delivery = {
  delivery_id: string;
  status: string;
  attempts: number;
  next_at: Date | null;
  marked_at: Date | null;
  codes: number[];
};

/** A delivery to this receiver, with the answers that its attempts got. */
async function deliveryOf(eventId: string): Promise<Delivery> {
  const { rows } = await gateway.running.ctx.db.query<Delivery>(sql`
    select d.delivery_id, d.status, d.attempts, d.next_at,
      max(a.started_at + a.latency_ms * interval '1 ms') as marked_at,
      coalesce(array_agg(a.status_code order by a.attempt) filter (where a.attempt is not null), '{}') as codes
    from deliveries d
    join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id and w.url = ${receiver.url}
    left join delivery_attempts a on a.account_id = d.account_id and a.delivery_id = d.delivery_id
    where d.event_id = ${eventId} group by d.account_id, d.endpoint_id, d.delivery_id`);
  return rows[0]!;
}
async function paidCharge(): Promise<string> {
  const { body } = await gateway.merchant.post<{ id: string }>("/pix", { amount: 5, description: "an event" });
  const paid = await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`);
  assert.equal(paid.status, 200, paid.text);
  return body.id;
}
const reportedOf = (eventId: string) =>
  receiver.received.filter(({ body }) => (JSON.parse(body) as { eventId: string }).eventId === eventId);
/** Waits until an attempt is marked. */
const marked = (eventId: string, attempts: number) =>
  eventually(`attempt ${attempts} of ${eventId}`, async () => {
    const delivery = await deliveryOf(eventId);
    return delivery.attempts === attempts && delivery.codes.length === attempts && delivery;
  });

describe("A delivery", () => {
  test("ends with the first answer of 2xx, whichever", { rules: ["delivery.1", "delivery.5"] }, async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      receiver.status = status;
      const id = await paidCharge();
      const { status: outcome, codes, next_at } = await marked(id, 1);
      assert.deepEqual([outcome, codes, next_at], ["delivered", [status], null]);
      assert.equal(reportedOf(id).length, 1);
    }
    receiver.status = 200;
  });

  test("that gets anything else is tried 5 times, after 2, 4, 8 and 16 seconds, and then it is failed", {
    rules: ["delivery.2", "delivery.3", "delivery.4", "limit.webhook.retries"],
  }, async () => {
    const answers = [500, 302, 404, 300, 503];
    // By their number: on a slow machine an attempt may come before the one before it was seen here.
    let answered = 0;
    receiver.statusFor = () => answers[answered++] ?? 200;
    const id = await paidCharge();
    const pauses = [2_000, 4_000, 8_000, 16_000];
    const after = (tried: number) =>
      eventually(`an attempt of ${id} after ${tried}`, async () => {
        const delivery = await deliveryOf(id);
        return delivery.attempts > tried && delivery.codes.length === delivery.attempts && delivery;
      });
    let last = await after(0);
    for (; last.attempts <= pauses.length; last = await after(last.attempts)) {
      const pause = pauses[last.attempts - 1]!;
      assert.equal(last.status, "pending");
      const [due, from] = [last.next_at!.getTime(), last.marked_at!.getTime()];
      // A tenth of jitter, counted from when it was marked, which was before now.
      assert.ok(due >= from + pause && due <= Date.now() + pause * 1.1, `${due - from} ms after ${last.attempts}`);
      await gateway.running.ctx.db.query(sql`
        update deliveries set next_at = ${new Date()}
        where delivery_id = ${last.delivery_id} and attempts = ${last.attempts} and claimed_until is null`);
    }
    assert.deepEqual([last.status, last.next_at, last.codes], ["failed", null, answers]);
    receiver.statusFor = () => receiver.status;
    const attempts = reportedOf(id);
    assert.equal(attempts.length, 5);
    for (const [name, distinct] of [
      ["x-service-signature", 1],
      ["webhook-id", 1],
      ["x-service-webhook-id", 5],
    ] as const) {
      assert.equal(new Set(attempts.map(({ headers }) => headers[name])).size, distinct, name);
    }
    assert.equal(new Set(attempts.map(({ body }) => body)).size, 1, "the same bytes");
    assert.equal(attempts[0]!.headers["x-service-signature"], serviceSignature(secret, attempts[0]!.body));
  });

  test("is due again within the schedule's bounds, and never a sixth time", {
    rules: ["delivery.3", "limit.webhook.retries"],
  }, () => {
    assert.equal(MAX_ATTEMPTS, 5);
    for (const random of [0, 0.5, 1]) {
      const pauses = [1, 2, 3, 4].map((tried) => nextAttemptAt(tried, 0, random)!.getTime());
      for (const [i, pause] of [2_000, 4_000, 8_000, 16_000].entries()) {
        assert.ok(pauses[i]! >= pause && pauses[i]! <= pause * 1.1);
      }
      assert.ok(Math.max(...pauses) <= 30_000);
      for (const tried of [5, 6, 100]) assert.equal(nextAttemptAt(tried, 0, random), null);
    }
  });
});

describe("examples/receive.mjs", () => {
  test("accepts what is signed correctly and answers 401 to everything else", {
    rules: ["signature.3", "signature.4", "signature.1"],
  }, async () => {
    const child = spawn(process.execPath, [EXAMPLE], {
      env: { ...process.env, PIXGATE_DATA_DIR: gateway.dataDir, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString();
        });
      }
      const url = await eventually("the receiver", () => /webhooks at (\S+)/.exec(output)?.[1]);
      const id = await paidCharge();
      await eventually("its word", () => output.includes(`verified payment_completed ${id}`));

      const known = JSON.parse(readFileSync(`${gateway.dataDir}/receiver.json`, "utf8")) as { secret: string };
      const body = JSON.stringify({ event: "payment_completed", eventId: "made-up", data: {} });
      const at = (nowMs: number, key: string) =>
        deliveryHeaders({ kind: "payment_completed", eventId: "made-up", webhookId: id, secret: key, body, nowMs });
      const good = at(Date.now(), known.secret);
      const send = async (headers: Record<string, string>, sent = body) =>
        (await fetch(url, { method: "POST", headers, body: sent })).status;
      assert.equal(await send(good), 204);
      for (const [what, headers, sent] of [
        ["another body", good, `${body} `],
        ["another secret", at(Date.now(), secret), body],
        ["an old one", at(Date.now() - 600_000, known.secret), body],
        ["no signature", { ...good, "x-service-signature": "" }, body],
        ["a shorter one", { ...good, "x-service-signature": good["x-service-signature"]!.slice(0, -1) }, body],
        ["one in capitals", { ...good, "x-service-signature": good["x-service-signature"]!.toUpperCase() }, body],
        ["nothing at all", {}, body],
      ] as const) {
        assert.equal(await send(headers as Record<string, string>, sent), 401, what);
      }
    } finally {
      child.kill();
    }
  });
});
