/** What a proxy in front may read otherwise than we do, and clients that are slow on purpose. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { systemClock } from "../../src/context.ts";
import { UNCHECKED_CLOCK } from "../../src/db/clock-check.ts";
import { createServer } from "../../src/http/server.ts";
import { createIds } from "../../src/lib/ids.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { readConfig } from "../../src/settings/config.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { NO_TRACING } from "../../src/telemetry/tracing.ts";
import { eventually } from "../harness/eventually.ts";
import { sendRaw } from "../harness/raw.ts";

/** Milliseconds that the answers of a connection which is closed after the last one may take together. */
const PATIENCE = 30_000;

/** Pieces of a megabyte. */
function* pieces(count: number) {
  for (let i = 0; i < count; i += 1) yield Buffer.alloc(2 ** 20, "x");
}

/** The gateway's own server with three routes, and times that a test can wait for. */
async function serverWith(changed: Partial<Parameters<typeof createServer>[1]>) {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const app = createServer(
    {
      clock: systemClock,
      clockCheck: UNCHECKED_CLOCK,
      config: readConfig({}),
      ids: createIds({ now: systemClock.now, random: randomBytes }),
      log,
      metrics: createMetrics(),
      tracing: NO_TRACING,
    },
    { ...LIMITS, ...changed },
  );
  const bodies: unknown[] = [];
  app.get("/inner", async () => ({ smuggled: true }));
  app.get("/long", (_request, reply) => reply.send(Readable.from(pieces(30))));
  app.post("/outer", async (request) => {
    bodies.push(request.body);
    return { taken: true };
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, url, bodies, lines };
}

describe("a request that two readers could read in two ways", () => {
  let server: Awaited<ReturnType<typeof serverWith>>;
  before(async () => {
    server = await serverWith({ requestHead: 2_000, requestWhole: 4_000, requestCheck: 200 });
  });
  after(() => server.app.close());

  const INNER = "GET /inner HTTP/1.1\r\nhost: x\r\n\r\n";
  const post = (headers: string, body: string) =>
    `POST /outer HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`;
  const chunked = (body: string) => post("transfer-encoding: chunked", body);

  const refused: Readonly<Record<string, string>> = {
    "both lengths": post("content-length: 6\r\ntransfer-encoding: chunked", `0\r\n\r\n${INNER}`),
    "both lengths the other way round": post("transfer-encoding: chunked\r\ncontent-length: 6", `0\r\n\r\n${INNER}`),
    "two lengths": post("content-length: 2\r\ncontent-length: 40", `{}${INNER}`),
    "two equal lengths": post("content-length: 2\r\ncontent-length: 2", `{}${INNER}`),
    "a list of lengths": post("content-length: 2, 2", `{}${INNER}`),
    "a length with a sign": post("content-length: +2", `{}${INNER}`),
    "a negative length": post("content-length: -2", `{}${INNER}`),
    "a length in hexadecimal": post("content-length: 0x2", `{}${INNER}`),
    "a length with a blank": post("content-length: 2 0", `{}${INNER}`),
    "a length beyond all numbers": post("content-length: 99999999999999999999999", `{}${INNER}`),
    "a space before the colon": post("content-length : 2", `{}${INNER}`),
    "a coding that ends otherwise": post("transfer-encoding: chunked, identity", `2\r\n{}\r\n0\r\n\r\n${INNER}`),
    "a coding that is none": post("transfer-encoding: xchunked", `2\r\n{}\r\n0\r\n\r\n${INNER}`),
    "two codings": post("transfer-encoding: chunked\r\ntransfer-encoding: identity", `2\r\n{}\r\n0\r\n\r\n${INNER}`),
    "a coding folded onto the next line": post("transfer-encoding:\r\n chunked", `2\r\n{}\r\n0\r\n\r\n${INNER}`),
    "a length folded onto the next line": post("content-length:\r\n 2", `{}${INNER}`),
    "a header that goes on in the next line": post("x-a: b\r\n c\r\ncontent-length: 2", `{}${INNER}`),
    "a chunk size that is no number": chunked(`zz\r\n{}\r\n0\r\n\r\n${INNER}`),
    "a chunk size with a prefix": chunked(`0x2\r\n{}\r\n0\r\n\r\n${INNER}`),
    "a chunk size with a sign": chunked(`+2\r\n{}\r\n0\r\n\r\n${INNER}`),
    "a chunk size beyond all numbers": chunked(`FFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n${INNER}`),
    "a chunk that is longer than it says": chunked(`2\r\n{}{}\r\n0\r\n\r\n${INNER}`),
    "a chunk that ends in a bare line feed": chunked(`2\r\n{}\n0\r\n\r\n${INNER}`),
    "a chunk extension with a bare line feed": chunked(`2;\n{}\r\n0\r\n\r\n${INNER}`),
    "a NUL in a header": post("x-a: b\0c\r\ncontent-length: 2", `{}${INNER}`),
    "a bare carriage return in a header": post("x-a: b\rcontent-length: 40\r\ncontent-length: 2", `{}${INNER}`),
    "a header without a name": post(": b\r\ncontent-length: 2", `{}${INNER}`),
    "a header without a colon": post("x-a\r\ncontent-length: 2", `{}${INNER}`),
    "a name with a blank in it": post("x a: b\r\ncontent-length: 2", `{}${INNER}`),
    "no host": `POST /outer HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    "another version": `GET /inner HTTP/9.9\r\nhost: x\r\n\r\n`,
    "a method that is none": `G\0T /inner HTTP/1.1\r\nhost: x\r\n\r\n`,
  };

  for (const [what, bytes] of Object.entries(refused)) {
    test(`${what}: refused once, and nothing behind it is answered`, async () => {
      const taken = server.bodies.length;
      const { statuses, text } = await sendRaw(server.url, bytes, 300);
      assert.deepEqual(statuses, [400], text);
      assert.doesNotMatch(text, /smuggled|taken/);
      assert.match(text, /connection: close/i);
      assert.equal(server.bodies.length, taken);
    });
  }

  test("what is right is still read: pipelined, chunked, and with an upgrade that nobody makes", async () => {
    // The last request has the connection closed: however late it is answered, the answer is read.
    const last = INNER.replace("host: x", "host: x\r\nconnection: close");
    const two = await sendRaw(server.url, `${post("content-length: 2", "{}")}${last}`, PATIENCE);
    assert.deepEqual(two.statuses, [200, 200]);
    const inPieces = chunked('1\r\n{\r\n5;a=b\r\n"a":1\r\n1\r\n}\r\n0\r\n\r\n');
    const pieces = await sendRaw(server.url, inPieces.replace("host: x", "host: x\r\nconnection: close"), PATIENCE);
    assert.deepEqual(pieces.statuses, [200]);
    assert.deepEqual(server.bodies.at(-1), { a: 1 });
    const upgrade = "GET /inner HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n";
    assert.deepEqual((await sendRaw(server.url, upgrade, 300)).statuses, [200]);
  });

  test("no line of the log is more than one line", () => {
    assert.ok(server.lines.length > 30);
    for (const line of server.lines) {
      assert.equal(line.indexOf("\n"), line.length - 1, line);
      JSON.parse(line);
    }
  });
});

describe("a client that is slow on purpose", () => {
  let app: FastifyInstance;
  let url: string;
  const sockets: Socket[] = [];
  before(async () => {
    ({ app, url } = await serverWith({ requestHead: 2_000, requestWhole: 5_000, requestCheck: 100 }));
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  /** Sends the beginning, then a piece every 50 ms, for ever. Resolves with what was answered when it is closed. */
  function drip(beginning: string, piece: (i: number) => string): Promise<{ text: string }> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve) => {
      let text = "";
      let i = 0;
      const socket = connect(Number(port), hostname, () => socket.write(beginning));
      sockets.push(socket);
      const timer = setInterval(() => socket.write(piece(i++)), 50);
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        clearInterval(timer);
        resolve({ text });
      });
    });
  }

  test("is closed in time, whether it drips its head or its body, and harms nobody meanwhile", async () => {
    const head = "POST /outer HTTP/1.1\r\nhost: x\r\n";
    const dripped = [
      ...Array.from({ length: 100 }, () => drip(head, (i) => `x-${i}: a\r\n`)),
      ...Array.from({ length: 50 }, () => drip("", (i) => head.charAt(i) || "x-a: b\r\n")),
      ...Array.from({ length: 50 }, () =>
        drip(`${head}content-type: application/json\r\ncontent-length: 100000\r\n\r\n{`, () => " "),
      ),
      ...Array.from({ length: 50 }, () =>
        drip(`${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`, () => "1\r\n \r\n"),
      ),
    ];
    let ended = false;
    const all = Promise.all(dripped).finally(() => {
      ended = true;
    });
    let served = 0;
    await eventually(
      "all of them to be closed",
      async () => {
        const response = await fetch(`${url}/inner`);
        assert.equal(response.status, 200);
        await response.arrayBuffer();
        served += 1;
        return ended;
      },
      30_000,
    );
    // One that waited for them would be served when they are gone: once, or twice.
    assert.ok(served >= 3, String(served));
    // Where a piece of theirs crosses the answer, the connection is reset and the answer is lost on its way.
    const texts = (await all).map(({ text }) => text);
    for (const text of texts) assert.match(text, /^(HTTP\/1\.1 40[08] |$)/);
    assert.ok(texts.some((text) => text !== ""));
  });
});

describe("a client that reads its answer slowly", () => {
  let app: FastifyInstance;
  let url: string;
  before(async () => {
    ({ app, url } = await serverWith({ answerProgress: 1_000 }));
  });
  after(() => app.close());

  const open = () => connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));

  test("loses its connection when it reads nothing", async () => {
    let accepted = 0;
    app.server.on("connection", () => {
      accepted += 1;
    });
    const sockets = Array.from({ length: 20 }, open);
    for (const socket of sockets) socket.pause().write("GET /long HTTP/1.1\r\nhost: x\r\n\r\n");
    await eventually("all of them to be accepted", () => accepted === sockets.length);
    await eventually("none to be connected", async () => (await connections()) === 0);
    for (const socket of sockets) socket.destroy();
  });

  test("gets the whole answer, however long it takes, while it goes on reading", async () => {
    const began = performance.now();
    const socket = open();
    socket.write("GET /long HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let read = 0;
    // Five megabytes a second.
    socket.on("data", (chunk: Buffer) => {
      read += chunk.length;
      const early = read / 5_000 - (performance.now() - began);
      if (early < 10) return;
      socket.pause();
      setTimeout(() => socket.resume(), early);
    });
    await once(socket, "close");
    const elapsed = performance.now() - began;
    assert.ok(read >= 30 * 2 ** 20, `${read} bytes`);
    assert.ok(elapsed > 4_000, `${elapsed} ms`);
  });
});
