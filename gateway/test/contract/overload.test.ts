/** More calls than a process can carry: some are refused at once and whole, the others are answered. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Queries } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { nothingMoves } from "./refusal.ts";

const MOST = 4;
/** Milliseconds that a statement waits for a lock (db/pool.ts). */
const LOCK = 10_000;

describe("Overload", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ PIXGATE_CALLS_WAITING: String(MOST) });
  });
  after(() => gateway.end());

  const waiting = () => gateway.running.ctx.admission.waiting();
  const endpoint = (i: number) => gateway.merchant.post("/webhook-endpoints", { url: `http://127.0.0.1:9/${i}` });

  test("what comes while too many calls wait is refused at once, and those that wait are answered", async () => {
    const locked = async (tx: Queries) => {
      await tx.query(sql`lock table webhook_endpoints in exclusive mode`);
      const calls = Array.from({ length: MOST }, (_, i) => endpoint(i));
      await eventually("they wait", () => waiting() === MOST);

      await nothingMoves(gateway, async () => {
        const refused = await gateway.merchant.post("/pix", { amount: 10, description: "one too many" });
        assert.equal(refused.status, 503);
        assert.equal(refused.headers.get("retry-after"), "1");
        const { error, details, traceId } = refused.body as Record<string, unknown>;
        assert.deepEqual([error, details], ["ServiceUnavailable", { code: "OVERLOADED", retryable: true }]);
        assert.equal(traceId, refused.headers.get("x-request-id"));
        const { clientId, clientSecret } = gateway.sandbox;
        const login = { client_id: clientId, client_secret: clientSecret };
        assert.equal((await gateway.merchant.post("/auth", login, { token: null })).status, 503);
      });
      const { baseUrl } = gateway.sandbox;
      for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"]) {
        assert.equal((await fetch(new URL(path, baseUrl))).status, 200, path);
      }
      assert.equal((await gateway.operator.get("/accounts")).status, 200);
      return calls;
    };
    // A statement waits so long for a lock: on a machine that takes longer for all this, once more.
    const replies = await eventually(`it is done within ${LOCK} ms`, async () => {
      const began = performance.now();
      const calls = await gateway.owner.transaction(locked);
      const isInTime = performance.now() - began < LOCK;
      const replies = await Promise.all(calls);
      return isInTime && replies;
    });
    for (const { status } of replies) assert.equal(status, 201);
    await eventually("nothing waits", () => waiting() === 0);
    assert.equal((await gateway.merchant.get("/account")).status, 200);
    const metrics = await (await fetch(new URL("/metrics", gateway.sandbox.baseUrl))).text();
    assert.match(metrics, /^pixgate_http_refused_total [1-9]/m);
  });

  test("calls of a client that has gone wait no more, also those that were sent one behind the other", async () => {
    const { hostname, port } = new URL(gateway.sandbox.baseUrl);
    const head = `GET /v2/webhook-endpoints HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.merchant.token}\r\n\r\n`;
    await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`lock table webhook_endpoints in access exclusive mode`);
      const socket = connect(Number(port), hostname, () => socket.write(head.repeat(3)));
      await eventually("they wait", () => waiting() === 3);
      socket.destroy();
      await eventually("nothing waits", () => waiting() === 0);
    });
  });

  test("calls that wait for a slow PSP keep further charges out, and nothing else", async () => {
    const slow = { faults: { seed: 1, rules: [{ route: "putCob", kind: "slow", ms: 3_000, probability: 1 }] } };
    assert.equal((await gateway.simulator.patch("/behaviour", slow)).status, 200);
    const atPsp = async () => {
      const { body } = await gateway.simulator.get<{ charges: { total: number } }>("/state");
      return body.charges.total;
    };
    const calls: Promise<{ status: number }>[] = [];
    // On a machine that takes three seconds for it the first one is answered before the last one waits: then once more.
    const { refused, description } = await eventually("all wait together, and one more is sent", async () => {
      const before = await atPsp();
      let answered = 0;
      for (let i = 1; i <= MOST; i += 1) {
        const call = gateway.merchant.post("/pix", { amount: 10, description: "slow" });
        calls.push(call.finally(() => (answered += 1)));
        await eventually("it is at the PSP", async () => (await atPsp()) === before + i);
      }
      await eventually("they wait for nothing else", () => waiting() === 0);
      const description = `behind ${calls.length}`;
      const refused = await gateway.merchant.post("/pix", { amount: 10, description });
      if (answered === 0) return { refused, description };
      await Promise.all(calls);
      return null;
    });
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    const { rows } = await gateway.owner.query(sql`select from charges where description = ${description}`);
    assert.equal(rows.length, 0);
    assert.equal((await gateway.merchant.get("/account")).status, 200);
    assert.equal((await endpoint(99)).status, 201);
    assert.deepEqual([...new Set((await Promise.all(calls)).map(({ status }) => status))], [201]);
    await eventually("nothing waits", () => waiting() === 0);
    await gateway.simulator.send("DELETE", "/behaviour", undefined);
  });
});
