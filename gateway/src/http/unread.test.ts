import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { after, before, beforeEach, describe, test } from "node:test";
import { eventually } from "../../test/harness/eventually.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { ApiError } from "./errors.ts";
import { createUnread, type Reader, type Unread } from "./unread.ts";

const PAGE = 1024 * 1024;
/** One tenant may have four times what is free: sixteen of twenty. */
const MOST = 20 * PAGE;
const ALONE = 16;
/** Operators have half of it, and one of them eight. */
const ALONE_OPERATOR = 8;
const A: Reader = { pool: "merchants", name: "a" };
const B: Reader = { pool: "merchants", name: "b" };

describe("Answers that are not read", () => {
  let unread: Unread;
  let metrics: ReturnType<typeof createMetrics>;
  let [answered, refused] = [0, 0];
  let streams: Readable[] = [];
  const opened: Socket[] = [];
  const server = createServer((request, response) => serve(request, response));
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const [, name, what] = request.url!.split("/") as [string, string, string];
    const pool = name === "operator" ? "operators" : "merchants";
    const payload = what === "stream" ? Readable.from(["x"]) : "x".repeat(what === "short" ? 1024 : PAGE);
    if (payload instanceof Readable) streams.push(payload);
    const reply = { raw: response, removeHeader: () => {} };
    try {
      unread.count({ pool, name }, { method: request.method, raw: request } as never, reply as never, payload);
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === "OVERLOADED");
      assert.ok(!(payload instanceof Readable) || payload.destroyed);
      refused += 1;
      response.writeHead(503).end();
      return;
    }
    answered += 1;
    // A stream that goes on for as long as its client reads.
    if (payload instanceof Readable && request.method === "GET") response.write("x");
    else if (payload instanceof Readable) response.end();
    else response.end(payload);
  };
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  beforeEach(() => {
    metrics = createMetrics();
    unread = createUnread({ metrics, most: MOST, page: PAGE, stream: PAGE });
    [answered, refused] = [0, 0];
    streams = [];
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Sends requests in one piece, over a connection that reads nothing. */
  function ask(path: string, times: number, method = "GET", last?: string): Socket {
    const { port } = server.address() as AddressInfo;
    const body = method === "POST" ? "content-length: 0\r\n" : "";
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(
        `${method} ${path} HTTP/1.1\r\nhost: x\r\n${body}\r\n`.repeat(times) +
          (last === undefined ? "" : `GET ${last} HTTP/1.1\r\nhost: x\r\n\r\n`),
      ),
    );
    opened.push(socket.pause().on("error", () => {}));
    return socket;
  }
  const outcome = (count: number) => eventually(`${count} outcomes`, () => answered + refused === count);
  const nothingLeft = () => eventually("all bytes are given back", () => unread.bytes() === 0);

  test("one tenant gets four times what it leaves free, and another one gets some of the rest", async () => {
    const socket = ask("/a/page", 30);
    await outcome(30);
    // The kernel has taken a few pages, which count no more.
    assert.ok(answered >= ALONE && refused > 0, `${answered} answered, ${refused} refused`);
    assert.ok(unread.bytes() <= ALONE * PAGE, `${unread.bytes()} bytes`);
    assert.equal(unread.refuses(B, "GET"), false);
    const before = answered;
    const other = ask("/b/page", 1);
    await eventually("the other's answer", () => answered === before + 1);
    socket.destroy();
    other.destroy();
    // Also those that waited behind others of their connection.
    await nothingLeft();
  });

  test("streams count as much as they hold at most, and end with their connections", async () => {
    const sockets = Array.from({ length: 30 }, () => ask("/a/stream", 1));
    await outcome(30);
    assert.deepEqual([answered, refused], [ALONE, 14]);
    assert.deepEqual([unread.refuses(A, "GET"), unread.refuses(B, "GET")], [true, false]);
    assert.match(await metrics.render(), /^pixgate_http_unread_refused_total\{readers="merchants"\} 15$/m);
    for (const socket of sockets) socket.destroy();
    await nothingLeft();
    assert.ok(streams.every(({ destroyed }) => destroyed));
    assert.match(await metrics.render(), /^pixgate_http_unread_bytes\{readers="merchants"\} 0$/m);
  });

  test("streams that wait behind an answer end with their connection too", async () => {
    const socket = ask("/a/stream", 3);
    await outcome(3);
    assert.equal(unread.bytes(), 3 * PAGE);
    socket.destroy();
    await nothingLeft();
    assert.ok(streams.every(({ destroyed }) => destroyed));
  });

  test("what a command did is always answered, and a further one is refused before it begins", async () => {
    const sockets = [ask("/a/page", 30, "POST")];
    await outcome(30);
    assert.deepEqual([answered, refused], [30, 0]);
    assert.ok(unread.bytes() > ALONE * PAGE, `${unread.bytes()} bytes`);
    for (const method of ["POST", "DELETE", "PATCH", "PUT"]) assert.equal(unread.refuses(A, method), true, method);
    for (const socket of sockets) socket.destroy();
    await nothingLeft();
    assert.equal(unread.refuses(A, "POST"), false);
  });

  test("pages that are not read stop no command", async () => {
    const files = Array.from({ length: 30 }, () => ask("/a/stream", 1));
    await outcome(30);
    assert.deepEqual([unread.refuses(A, "GET"), unread.refuses(A, "POST")], [true, false]);
    for (const socket of files) socket.destroy();
    await nothingLeft();
  });

  test("HEAD does not count, and reads nothing", async () => {
    const sockets = [ask("/a/page", 30, "HEAD"), ask("/a/stream", 5, "HEAD")];
    await outcome(35);
    assert.deepEqual([answered, refused, unread.bytes()], [35, 0, 0]);
    assert.ok(streams.every(({ destroyed }) => destroyed));
    const files = Array.from({ length: 30 }, () => ask("/a/stream", 1));
    await outcome(65);
    assert.deepEqual([unread.refuses(A, "GET"), unread.refuses(A, "HEAD")], [true, false]);
    for (const socket of [...sockets, ...files]) socket.destroy();
    await nothingLeft();
  });

  test("operators have a bound of their own", async () => {
    const merchants = [...Array(30)].flatMap(() => [ask("/a/stream", 1), ask("/b/stream", 1)]);
    await outcome(60);
    assert.ok(refused > 0);
    [answered, refused] = [0, 0];
    const operators = Array.from({ length: 30 }, () => ask("/operator/stream", 1));
    await outcome(30);
    assert.deepEqual([answered, refused], [ALONE_OPERATOR, 30 - ALONE_OPERATOR]);
    for (const socket of [...merchants, ...operators]) socket.destroy();
    await nothingLeft();
  });

  test("what a read collects before it answers counts from the beginning, and is given back once", async () => {
    const releases = Array.from({ length: ALONE }, () => unread.hold(A, PAGE));
    assert.equal(unread.bytes(), ALONE * PAGE);
    assert.throws(() => unread.hold(A, PAGE), /have not been read/);
    assert.deepEqual([unread.refuses(A, "GET"), unread.refuses(B, "GET")], [true, false]);
    unread.hold(B, PAGE)();
    for (const release of [...releases, ...releases]) release();
    assert.equal(unread.bytes(), 0);
  });

  test("a short answer counts where others wait before it", async () => {
    const idle = ask("/a/short", 1);
    await outcome(1);
    assert.equal(unread.bytes(), 0);
    const both = ask("/a/page", 10, "GET", "/a/short");
    await outcome(12);
    assert.deepEqual([refused, unread.bytes() % PAGE], [0, 1024]);
    for (const one of [idle, both]) one.destroy();
    await nothingLeft();
  });
});
