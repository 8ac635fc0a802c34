/** Clients that ask for pages, files and commands, and read nothing of the answers. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, afterEach, before, test } from "node:test";
import { newMerchant } from "../contract/money.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const MB = 1024 * 1024;
/**
 * Small, so that a few connections with many requests each reach it: the kernel takes some megabytes of each, which do not
 * count.
 */
const BOUND = 32 * MB;
/** One account may have four fifths of it, one operator's token four fifths of half. */
const SHARE = (BOUND * 4) / 5;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({}, { unreadBytes: BOUND, pipelined: 1_000 });
});
after(() => gateway.end());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
/** Sends requests in one piece, over a connection that reads nothing. */
function ask({ base, token }: Client, request: string, times: number, headers = {}): void {
  const { hostname, port, pathname } = new URL(base);
  const [method, path] = request.split(" ");
  const given = Object.entries({ host: "x", authorization: `Bearer ${token}`, ...headers });
  const head = `${method} ${pathname}${path} HTTP/1.1\r\n${given.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const socket = connect(Number(port), hostname, () => socket.write(head.repeat(times)));
  sockets.push(socket.pause().on("error", () => {}));
}

async function nothingIsLeft(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually("nothing is left", () => gateway.running.ctx.unread.bytes() === 0);
}

/** A figure of `GET /metrics`. */
async function figure(name: string): Promise<number> {
  const text = await gateway.running.ctx.metrics.render();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))!
      .split(" ")[1],
  );
}
const refusedUnread = (readers: string) => figure(`pixgate_http_unread_refused_total{readers="${readers}"}`);

type Refusal = { message: string; details: { code: string; unread?: boolean } };
/** That an answer is the refusal for what is not read, and not for calls that wait. */
function assertNotRead({ status, body, headers }: Awaited<ReturnType<Client["get"]>>): void {
  const { message, details } = body as Refusal;
  assert.deepEqual([status, details.code, details.unread, headers.get("retry-after")], [503, "OVERLOADED", true, "1"]);
  assert.match(message, /not been read/);
}

test("an account's pages that nobody reads are bounded; its commands and another account are answered", async () => {
  const { client } = await newMerchant(gateway);
  const other = await newMerchant(gateway);
  const metadata = { note: "x".repeat(16_000) };
  for (let i = 0; i < 40; i += 1) await client.post("/pix", { amount: 10, description: "d", metadata });
  for (let i = 0; i < 4; i += 1) {
    ask(client, "GET /transactions?limit=100", 40);
    ask(client, "HEAD /transactions?limit=100", 5);
  }
  await eventually("a page is refused", async () => {
    assert.ok(gateway.running.ctx.unread.bytes() <= SHARE);
    return (await client.get("/account")).status === 503;
  });
  assertNotRead(await client.get("/transactions?limit=100"));
  assert.equal((await other.client.get("/transactions?limit=100")).status, 200);
  assert.equal((await client.post("/pix", { amount: 10, description: "d" })).status, 201);
  assert.equal((await gateway.operator.get("/accounts")).status, 200);
  // Nobody was refused because calls wait.
  assert.equal(await figure("pixgate_http_refused_total"), 0);
  await nothingIsLeft();
  assert.equal((await client.get("/transactions?limit=100")).status, 200);
});

test("an account whose commands' answers nobody reads is refused further ones before anything is done", async () => {
  const { client } = await newMerchant(gateway);
  const other = await newMerchant(gateway);
  const charge = { amount: 10, description: "d", metadata: { note: "x".repeat(16_000) } };
  const { id } = (await client.post<{ id: string }>("/pix", charge)).body;
  const key = { "idempotency-key": "cancelled-once" };
  assert.equal((await client.post(`/pix/${id}/cancel`, {}, { headers: key })).status, 200);
  const refused = await refusedUnread("merchants");
  await eventually("a command is refused", async () => {
    // The stored answer again, which has the charge's metadata: seven megabytes, of which the kernel takes a part.
    ask(client, `POST /pix/${id}/cancel`, 450, { ...key, "content-length": "0" });
    // What nobody reads uses no slot of the calls that wait.
    await eventually("they are answered or refused", () => gateway.running.ctx.admission.waiting() === 0);
    return (await refusedUnread("merchants")) > refused;
  });
  const further = await client.post("/pix", { amount: 10, description: "refused" });
  assertNotRead(further);
  // Reads count apart, and so does another account.
  const list = await client.get<{ items: { description: string }[] }>("/transactions");
  assert.equal(list.status, 200, list.text);
  assert.deepEqual(
    list.body.items.map(({ description }) => description),
    ["d"],
  );
  assert.equal((await other.client.post("/pix", { amount: 10, description: "d" })).status, 201);
  await nothingIsLeft();
  assert.equal((await client.post("/pix", { amount: 10, description: "d" })).status, 201);
});

test("an operator's pages that nobody reads are bounded; merchants and other operators are answered", async () => {
  const { client } = await newMerchant(gateway);
  const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "reader", role: "auditor" });
  const reader = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
  for (let i = 0; i < 100; i += 1) {
    assert.equal((await gateway.operator.post("/accounts", { name: `Account ${i}` })).status, 201);
  }
  assert.ok((await reader.get("/audit-log")).text.length > 16_000);
  const waited = await figure("pixgate_http_refused_total");
  await eventually("a page is refused", async () => {
    ask(reader, "GET /audit-log", 600);
    assert.ok(gateway.running.ctx.unread.bytes() <= SHARE / 2);
    return (await reader.get("/accounts")).status === 503;
  });
  assertNotRead(await reader.get("/accounts"));
  assert.equal((await gateway.operator.get("/accounts")).status, 200);
  assert.equal((await client.get("/transactions")).status, 200);
  assert.equal(await figure("pixgate_http_refused_total"), waited);
  await nothingIsLeft();
  assert.equal((await reader.get("/accounts")).status, 200);
});
