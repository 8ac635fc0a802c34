/** Receivers that fail in every way, and addresses that webhooks must not reach: each as specified, others unharmed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { CERT, KEY } from "../harness/certificate.ts";
import type { Client, Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { type Strange, StrangeReceivers } from "../harness/strange-receivers.ts";
import { credentialOf, newAccount } from "./merchant.ts";
import { assertRefused, nothingMoves } from "./refusal.ts";

type Attempt = {
  number: number;
  status: string;
  statusCode?: number;
  error?: string;
  response?: string;
  latencyMs: number;
};
type Delivery = { id: string; status: string; attemptCount: number; nextAttemptAt?: string; attempts: Attempt[] };

/** Makes an endpoint and tests it: gives the delivery after its first attempt. */
async function tryOut(
  gateway: TestGateway,
  url: string,
  merchant = gateway.merchant,
): Promise<Delivery & { endpointId: string }> {
  const made = await merchant.post<{ id: string }>("/webhook-endpoints", { url });
  assert.equal(made.status, 201, made.text);
  return testAgain(gateway, made.body.id, merchant);
}
async function testAgain(
  gateway: TestGateway,
  endpointId: string,
  merchant = gateway.merchant,
): Promise<Delivery & { endpointId: string }> {
  const body = { event: "payment_completed" };
  const reply = await merchant.post<Delivery>(`/webhook-endpoints/${endpointId}/test`, body);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.attempts.length, reply.body.attemptCount);
  return { ...reply.body, endpointId };
}
function assertFailed(
  { status, nextAttemptAt, attempts }: Delivery,
  code: number | undefined,
  error: RegExp | undefined,
): Attempt {
  const [attempt] = attempts as [Attempt];
  assert.equal(attempt.status, "failed", JSON.stringify(attempt));
  assert.equal(attempt.statusCode, code);
  if (error === undefined) assert.equal(attempt.error, undefined);
  else assert.match(attempt.error!, error);
  // It is tried again.
  assert.equal(status, "pending");
  assert.ok(nextAttemptAt);
  return attempt;
}

describe("A receiver", () => {
  let gateway: TestGateway;
  const receivers = new StrangeReceivers();
  before(async () => {
    gateway = await startGateway();
    other = await credentialOf(gateway, await newAccount(gateway));
  });
  after(async () => {
    await gateway.end();
    receivers.close();
  });
  /** A wallet has at most 20 endpoints, so every other one is a second account's. */
  let [turn, other]: [number, Client | undefined] = [0, undefined];
  const deliver = async (receiver: Strange) => {
    turn += 1;
    return tryOut(gateway, receiver.url, turn % 2 === 0 ? other : gateway.merchant);
  };

  test("that answers 2xx has it, with the first kilobyte of its answer kept", async () => {
    for (const status of [200, 204]) {
      const { status: outcome, attempts } = await deliver(await receivers.answering(status));
      assert.deepEqual([outcome, attempts[0]!.statusCode, attempts[0]!.error], ["delivered", status, undefined]);
    }
    const text = `${"é".repeat(600)}\0tail`;
    const { attempts } = await deliver(await receivers.http((_request, response) => void response.end(text)));
    assert.equal(attempts[0]!.response, "é".repeat(512));
  });

  test("that answers 500 or 302 has failed, and a redirect is not followed", async () => {
    assertFailed(await deliver(await receivers.answering(500)), 500, undefined);
    const target = await receivers.answering(200);
    for (const status of [301, 302, 303, 307, 308]) {
      assertFailed(await deliver(await receivers.answering(status, { location: target.url })), status, undefined);
    }
    assert.equal(target.connections, 0);
  });

  test("that answers ten megabytes has it, and is cut off long before", async () => {
    let closed = false;
    const large = await receivers.http((_request, response) => {
      response.writeHead(200, { "content-length": 10_000_000 });
      response.once("close", () => {
        closed = true;
      });
      const piece = "x".repeat(100_000);
      const more = () => {
        for (let i = 0; i < 100; i += 1) if (!response.write(piece)) return void response.once("drain", more);
      };
      more();
    });
    const { status, attempts } = await deliver(large);
    assert.equal(status, "delivered");
    assert.equal(attempts[0]!.response, "x".repeat(1024));
    await eventually("the connection is cut", () => closed);
    await eventually("it is counted", () => large.written > 0);
    assert.ok(large.written < 9_000_000, `${large.written} bytes`);
  });

  test("that resets, closes, or speaks something else has failed", async () => {
    const reset = await receivers.tcp((socket) => void socket.once("data", () => socket.resetAndDestroy()));
    assertFailed(await deliver(reset), undefined, /^ECONNRESET$/);
    const close = await receivers.tcp((socket) => void socket.once("data", () => socket.end()));
    assertFailed(await deliver(close), undefined, /^UND_ERR_SOCKET$/);
    const other = await receivers.tcp((socket) => void socket.once("data", () => socket.end("SSH-2.0-hello\r\n")));
    assertFailed(await deliver(other), undefined, /^HTTPParserError$/);
    const broken = await receivers.http((_request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("x", () => response.destroy());
    });
    assertFailed(await deliver(broken), 200, /^(ECONNRESET|UND_ERR_SOCKET)$/);
    const headers = await receivers.http((_request, response) => {
      response.writeHead(200, { "x-long": "x".repeat(100_000) }).end();
    });
    assertFailed(await deliver(headers), undefined, /^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/);
    const nobody = await tryOut(gateway, "http://127.0.0.1:9/");
    assertFailed(nobody, undefined, /^ECONNREFUSED$/);
  });

  test("whose certificate is not to be trusted gets nothing", async () => {
    const secure = await receivers.https({ key: KEY, cert: CERT });
    assertFailed(await deliver(secure), undefined, /^DEPTH_ZERO_SELF_SIGNED_CERT$/);
    // Two seconds later it is tried again.
    assert.equal(secure.requests, 0);
    assert.ok(secure.connections >= 1);
    const plain = await receivers.answering(200);
    assertFailed(await tryOut(gateway, plain.url.replace("http:", "https:")), undefined, /SSL|EPROTO/);
    assert.equal(plain.requests, 0);
  });

  test("that hangs, before or after its headers, or drips, has ten seconds for the whole answer", async () => {
    const slow = [
      await receivers.hanging(),
      await receivers.http((_request, response) => {
        response.writeHead(200);
        response.flushHeaders();
      }),
      await receivers.http((_request, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write("x"), 1_000);
        response.once("close", () => clearInterval(timer));
      }),
      await receivers.dripping(1_000, (socket) => {
        socket.write(socket.bytesWritten === 0 ? "HTTP/1.1 200 OK\r\nx-slow: " : "x");
      }),
    ];
    const attempts = await Promise.all(slow.map(async (receiver) => (await deliver(receiver)).attempts[0]!));
    for (const [i, attempt] of attempts.entries()) {
      assert.equal(attempt.error, "timeout", `${i}: ${JSON.stringify(attempt)}`);
      assert.equal(attempt.status, "failed");
      // One that drips would otherwise never end; a busy machine notices the end of its time late.
      assert.ok(attempt.latencyMs >= 9_900 && attempt.latencyMs < 30_000, `${attempt.latencyMs} ms`);
    }
    assert.deepEqual(
      attempts.map(({ statusCode }) => statusCode),
      [undefined, 200, 200, undefined],
    );
  });

  test("receives everything while all the others fail", async () => {
    const good = await startReceiver();
    try {
      const { endpointId } = await tryOut(gateway, good.url);
      await eventually("the others", async () => {
        const { rows } = await gateway.running.ctx.db.query<{ failing: number }>(
          sql`select count(distinct endpoint_id)::int as failing from deliveries where attempts > 0 and status <> 'delivered'`,
        );
        return rows[0]!.failing >= 10;
      });
      const ids = new Set<string>();
      for (let i = 0; i < 20; i += 1) {
        const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 5, description: "an event" });
        assert.equal((await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
        ids.add(charge.body.id);
      }
      await eventually(
        "all of them",
        () => good.received.filter((hook) => ids.has(hook.headers["webhook-id"] as string)).length === 20,
      );
      const list = await gateway.merchant.get<{ items: { status: string; attemptCount: number }[] }>(
        `/webhook-deliveries?endpointId=${endpointId}&limit=100`,
      );
      await eventually("their marks", async () => {
        const { body } = await gateway.merchant.get<{ items: unknown[] }>(
          `/webhook-deliveries?endpointId=${endpointId}&status=delivered&limit=100`,
        );
        return body.items.length === 21;
      });
      assert.equal(list.body.items.length, 21);
    } finally {
      await good.close();
    }
  });
});

const FORBIDDEN = [
  "http://10.0.0.1", "http://172.16.0.1/x", "http://192.168.1.1:8080", "http://169.254.169.254/latest/meta-data", "http://100.64.0.1",
  "http://0.0.0.0", "http://224.0.0.1", "http://240.0.0.1", "http://255.255.255.255", "http://192.0.2.1", "http://198.18.0.1",
  // The same in other writings, which the URL standard reads as IPv4.
  "http://167772161/", "http://0xa000001/", "http://0xa.0.0.1", "http://012.0.0.1", "http://10.1",
  "http://[::]", "http://[fd00::1]", "http://[fe80::1]", "http://[fec0::1]", "http://[ff02::1]", "http://[2001:db8::1]", "http://[::ffff:10.0.0.1]",
  "http://[::10.0.0.1]", "http://[::127.0.0.1]", "http://[64:ff9b::10.0.0.1]", "http://[64:ff9b::7f00:1]", "http://[64:ff9b:1::7f00:1]", "http://[2002:7f00:1::]",
  "http://[2001:0:7f00:1::]", "http://[2606:4700::5efe:7f00:1]",
]; // biome-ignore format: a list reads better in rows

describe("The address of an endpoint", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  /** What names stand for: asked again and again, they may answer something else each time. */
  const names = new Map<string, () => readonly string[]>();
  const asked: string[] = [];
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway(
      {},
      {
        resolve: async (hostname) => {
          asked.push(hostname);
          const answer = names.get(hostname);
          if (answer === undefined) throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
          return answer();
        },
      },
    );
  });
  after(async () => {
    await gateway.stop();
    await receiver.close();
  });
  const port = () => new URL(receiver.url).port;
  const save = (url: string): Promise<Reply<{ id: string }>> => gateway.merchant.post("/webhook-endpoints", { url });

  test("in a forbidden network is refused when it is saved and when it is changed, in every writing", async () => {
    const known = await save(receiver.url);
    await nothingMoves(gateway, async () => {
      for (const url of FORBIDDEN) {
        assertRefused(await save(url), 400, "WEBHOOK_URL_INVALID", url);
        const path = `/webhook-endpoints/${known.body.id}`;
        assertRefused(await gateway.merchant.patch(path, { url }), 400, "WEBHOOK_URL_INVALID", url);
      }
    });
    assert.equal(
      (await gateway.merchant.get<{ url: string }>(`/webhook-endpoints/${known.body.id}`)).body.url,
      receiver.url,
    );
  });

  test("whose name leads to one is refused, also when other addresses of it are public", async () => {
    names.set("inside.example", () => ["10.0.0.1"]);
    names.set("both.example", () => ["1.1.1.1", "192.168.0.1"]);
    names.set("mapped.example", () => ["::ffff:10.0.0.1"]);
    names.set("zone.example", () => ["fe80::1%eth0"]);
    names.set("metadata.example", () => ["fd00:ec2::254"]);
    await nothingMoves(gateway, async () => {
      for (const name of ["inside", "both", "mapped", "zone", "metadata"]) {
        assertRefused(await save(`https://${name}.example/hook`), 400, "WEBHOOK_URL_INVALID", name);
      }
    });
  });

  test("is resolved again before every attempt: a name that now leads inside gets nothing, even over an open connection", async () => {
    let address = "127.0.0.1";
    names.set("moves.example", () => [address]);
    const first = await tryOut(gateway, `http://moves.example:${port()}/hook`);
    assert.equal(first.status, "delivered");
    const before = receiver.received.length;
    address = "10.0.0.1";
    const second = await eventually("the move to be seen", async () => {
      const delivery = await testAgain(gateway, first.endpointId);
      return delivery.status === "pending" && delivery;
    });
    assertFailed(second, undefined, /^address_not_allowed$/);
    const received = receiver.received.length;
    assertFailed(await testAgain(gateway, first.endpointId), undefined, /^address_not_allowed$/);
    assert.equal(receiver.received.length, received);
    assert.ok(received >= before);
    address = "127.0.0.1";
    await eventually("it is back", async () => (await testAgain(gateway, first.endpointId)).status === "delivered");
  });

  test("is the checked one for the connection too, wherever its name leads a moment later", async () => {
    let asks = 0;
    // Asked when it is saved, once for the attempt, and never again for the connection.
    names.set("flips.example", () => [asks++ < 2 ? "127.0.0.1" : "127.0.0.2"]);
    const { status } = await tryOut(gateway, `http://flips.example:${port()}/hook`);
    assert.deepEqual([status, asks], ["delivered", 2]);
    assert.equal(receiver.received.at(-1)!.headers.host, `flips.example:${port()}`);
  });

  test("whose name cannot be resolved is accepted in the sandbox, and its deliveries fail until it can be", async () => {
    const delivery = await tryOut(gateway, `http://later.example:${port()}/hook`);
    assertFailed(delivery, undefined, /^name_not_found$/);
    names.set("later.example", () => ["127.0.0.1"]);
    await eventually("the delivery", async () => {
      const { body } = await gateway.merchant.get<Delivery>(`/webhook-deliveries/${delivery.id}`);
      return body.status === "delivered";
    });
  });

  test("is not resolved when it is a number", async () => {
    assert.equal((await tryOut(gateway, receiver.url)).status, "delivered");
    // Names are: those of other tests, whose deliveries are tried again meanwhile.
    assert.ok(!asked.includes(new URL(receiver.url).hostname), asked.join());
  });
});

describe("In production", () => {
  let gateway: TestGateway;
  const receivers = new StrangeReceivers();
  const names = new Map<string, readonly string[]>([
    ["allowed.example", ["127.0.0.1"]],
    ["other.example", ["127.0.0.2"]],
    ["public.example", ["1.1.1.1", "2606:4700::1"]],
  ]);
  before(async () => {
    gateway = await startGateway(
      { PIXGATE_WEBHOOK_RULES: "production", PIXGATE_WEBHOOK_ALLOW: "127.0.0.1/32" },
      {
        resolve: (hostname) => {
          const found = names.get(hostname);
          return found ? Promise.resolve(found) : Promise.reject(new Error("not found"));
        },
      },
    );
  });
  after(async () => {
    await gateway.stop();
    receivers.close();
  });
  const save = (url: string) => gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url });

  test("an address is https, public, and has a name that is known", async () => {
    await nothingMoves(gateway, async () => {
      for (const url of [
        "http://public.example/hook", "http://1.1.1.1/", "http://allowed.example", "https://127.0.0.2", "https://[::1]/", "https://other.example",
        "https://unknown.example", ...FORBIDDEN.map((one) => one.replace("http:", "https:")),
      ]) assertRefused(await save(url), 400, "WEBHOOK_URL_INVALID", url);
    }); // biome-ignore format: a list reads better in rows
    for (const url of [
      "https://public.example/hook",
      "https://allowed.example/",
      "https://127.0.0.1:8443/",
      "https://1.1.1.1/",
    ]) {
      const reply = await save(url);
      assert.equal(reply.status, 201, reply.text);
    }
  });

  test("what was saved before is held to it at every attempt, and only the operator's list lets one inside", async () => {
    const [inside, beside] = [
      await receivers.https({ key: KEY, cert: CERT }),
      await receivers.https({ key: KEY, cert: CERT }, "127.0.0.2"),
    ];
    const plain = await receivers.answering(200);
    const { body } = await save(`https://allowed.example:${inside.port}/`);
    // Its certificate is for localhost: it was reached.
    assertFailed(await testAgain(gateway, body.id), undefined, /CERT/);
    assert.ok(inside.connections >= 1);
    const become = (url: string) =>
      gateway.running.ctx.db.query(sql`update webhook_endpoints set url = ${url} where endpoint_id = ${body.id}`);
    await become(`https://other.example:${beside.port}/`);
    assertFailed(await testAgain(gateway, body.id), undefined, /^address_not_allowed$/);
    await become(`http://allowed.example:${plain.port}/`);
    assertFailed(await testAgain(gateway, body.id), undefined, /^https_required$/);
    assert.deepEqual([beside.connections, plain.connections], [0, 0]);
  });
});
