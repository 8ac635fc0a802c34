/** Clients that want to take the service from everybody else. Each test failed before its class was mended. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startHangingReceiver } from "../harness/hanging.ts";
import { sendRaw } from "../harness/raw.ts";

/** Sockets that send a request's beginning and then nothing. `open` counts those that the gateway has not closed. */
function startSlowClients(url: string, count: number, beginning: string) {
  const { hostname, port } = new URL(url);
  let [open, connected] = [0, 0];
  const sockets: Socket[] = Array.from({ length: count }, () => {
    let isOpen = false;
    const socket = connect(Number(port), hostname, () => {
      isOpen = true;
      open += 1;
      connected += 1;
      socket.write(beginning);
    });
    socket.on("error", () => {});
    socket.on("data", () => {});
    socket.once("close", () => {
      if (isOpen) open -= 1;
    });
    return socket;
  });
  return {
    open: () => open,
    connected: () => connected,
    allClosed: () => sockets.every((socket) => socket.closed),
    end() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Calls as a merchant until `done`, one after the other; each must be answered well. @returns how many. */
async function serveUntil(gateway: TestGateway, done: () => boolean, deadline: number): Promise<number> {
  for (let calls = 1; ; calls += 1) {
    const account = await gateway.merchant.get("/account");
    assert.equal(account.status, 200, account.text);
    if (calls % 50 === 1) {
      const { clientId: client_id, clientSecret: client_secret } = gateway.sandbox;
      const login = await gateway.merchant.post("/auth", { client_id, client_secret }, { token: null });
      assert.equal(login.status, 200, login.text);
    }
    if (done()) return calls;
    assert.ok(Date.now() < deadline, "not within its time");
  }
}

describe("Slow clients", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ PIXGATE_CONNECTIONS_PER_ADDRESS: "400" });
  });
  after(() => gateway.end());

  for (const [what, beginning] of Object.entries({
    "a login whose body never comes":
      "POST /v2/auth HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 60\r\n\r\n{",
    "a head that never ends": "POST /v2/auth HTTP/1.1\r\nhost: x\r\nx-a: ",
  })) {
    test(`270 connections with ${what}: all others are served, and theirs end within seconds`, async () => {
      const slow = startSlowClients(gateway.sandbox.baseUrl, 270, beginning);
      try {
        await eventually("they are connected", () => slow.open() === 270);
        const began = Date.now();
        const served = await serveUntil(gateway, slow.allClosed, began + 30_000);
        // One that waited for the slow ones would be served once or twice; a busy machine serves ten in a second, not more.
        assert.ok(served >= 10, String(served));
        assert.equal(gateway.running.ctx.admission.waiting(), 0);
      } finally {
        slow.end();
      }
    });
  }

  test("an authenticated call whose body never comes uses no slot", async () => {
    const head = `POST /v2/pix HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.merchant.token}\r\n`;
    const beginning = `${head}content-type: application/json\r\ncontent-length: 60\r\n\r\n{`;
    const slow = startSlowClients(gateway.sandbox.baseUrl, 300, beginning);
    try {
      await eventually("they are connected", () => slow.open() === 300);
      assert.equal((await gateway.merchant.get("/account")).status, 200);
      assert.equal(gateway.running.ctx.admission.waiting(), 0);
    } finally {
      slow.end();
    }
    await eventually("they are gone", () => slow.open() === 0);
  });
});

describe("Many connections of one address", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ PIXGATE_CONNECTIONS_PER_ADDRESS: "40" });
  });
  after(() => gateway.stop());

  const BEGINNING = "GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: ";
  test("those beyond the limit are closed at once, and a slot that is freed can be used", async () => {
    const slow = startSlowClients(gateway.sandbox.baseUrl, 80, BEGINNING);
    const more: (typeof slow)[] = [];
    try {
      await eventually("those beyond it are closed", () => slow.connected() === 80 && slow.open() <= 40);
      assert.ok(slow.open() > 0);
      await eventually("a further one is closed at once", async () => {
        const { statuses } = await sendRaw(gateway.sandbox.baseUrl, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
        if (statuses.length === 0) return true;
        // A connection of before, which was kept open for the next call, has ended meanwhile: its slot is used.
        more.push(startSlowClients(gateway.sandbox.baseUrl, 1, BEGINNING));
        return false;
      });
    } finally {
      for (const clients of [slow, ...more]) clients.end();
    }
    await eventually("they are gone", () => [slow, ...more].every((clients) => clients.open() === 0));
    assert.equal((await gateway.merchant.get("/account")).status, 200);
    const metrics = await (await fetch(new URL("/metrics", gateway.sandbox.baseUrl))).text();
    assert.match(metrics, /^pixgate_http_connections_refused_total [1-9]/m);
  });
});

describe("One tenant against the others", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ PIXGATE_CONNECTIONS_PER_ADDRESS: "400" });
  });
  after(() => gateway.end());

  test("280 tests of endpoints that hang: another tenant is served meanwhile, and so is the one that did it", async () => {
    const receiver = await startHangingReceiver();
    const other = await credentialOf(gateway, await newAccount(gateway));
    try {
      const ids: string[] = [];
      for (let i = 0; i < 20; i += 1) {
        const made = await gateway.merchant.post<{ id: string }>("/webhook-endpoints", { url: `${receiver.url}/${i}` });
        assert.equal(made.status, 201, made.text);
        ids.push(made.body.id);
      }
      let [ended, shortest] = [0, Number.POSITIVE_INFINITY];
      const sent = performance.now();
      const tests = Array.from({ length: 280 }, (_, i) =>
        gateway.merchant
          .post(`/webhook-endpoints/${ids[i % ids.length]}/test`, { event: "payment_completed" })
          .finally(() => {
            ended += 1;
            shortest = Math.min(shortest, performance.now() - sent);
          }),
      );
      await eventually("they wait for the receiver", () => receiver.received() > 20);
      // Making the tests is work, of which a busy machine has its fill: what is measured here is that they wait.
      await eventually(
        "all of them are made",
        async () => (await gateway.owner.query(sql`select from deliveries`)).rows.length >= 280,
        60_000,
      );
      const times: number[] = [];
      // Longer than the half second over which the mean wait is measured, and than the three that it may be.
      for (const end = Date.now() + 5_000; Date.now() < end; ) {
        const began = performance.now();
        const answer = await other.get("/account");
        assert.equal(answer.status, 200, answer.text);
        times.push(performance.now() - began);
      }
      assert.ok(ended < 280, "they still wait");
      assert.equal((await gateway.merchant.get("/account")).status, 200);
      const median = times.sort((a, b) => a - b)[times.length >> 1]!;
      for (const { status } of await Promise.all(tests)) assert.equal(status, 200);
      // The first of them ended when its receiver's ten seconds had passed. One that waited for theirs to end would wait as long.
      assert.ok(median < shortest / 4, `median of the other tenant: ${median} ms, the first test: ${shortest} ms`);
    } finally {
      await receiver.close();
    }
  });
});
