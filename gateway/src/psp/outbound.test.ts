import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { CERT, KEY } from "../../test/harness/certificate.ts";
import { eventually, pause } from "../../test/harness/eventually.ts";
import { standStill } from "../../test/harness/stand-still.ts";
import { createOutbound, type OutboundOptions, type OutboundRequest } from "./outbound.ts";

/** The same two as PKCS#12 with an empty passphrase. */
const PFX = `MIID/AIBAzCCA7IGCSqGSIb3DQEHAaCCA6MEggOfMIIDmzCCAlIGCSqGSIb3DQEHBqCCAkMwggI/AgEAMIICOAYJKoZIhvcNAQcBMFcGCSqGSI
b3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgpKm1pgOBrlQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAXHXbw2P3KSRZzCv8tUVdOA
ggHQEe6+RmlwvW1VDQgr0tBguEqTpd3ICwCAFo8JpfuPzgdsDFW5gtoeRml/bcwKuXPa0XciAO3Y4xOGPYkB/yemhCHFYJrmCsKGw+y8AtaxaS
gGIo4L4cZKb5PEmtMDpR8IKGOm4JBk8H+07WjFX9RMC37HtBGO+TkEhqWJkffDmblXSHrbjFx6/QzHemIUN9dRu11bCp035FDHaMrz0tbAYnBy
6Ui7n+HXMfmqgDATHzsvxi7tDclDoQNAjxdXM42dWUfNqyjPMfTt9/GaII75Bmbik0gUVaLSmd8pN5Qdldbe8UYx88XtSQrsA+7XizQswz+XJ1
MY0wKzE26Coj4Odi9zLCeUR4dKFKKoX7ogDBEKxl+zQisFbsmrBfwn85SkOlCavRl7QbZmy/25TnWT4QnbVqCkQUOJnL3Pd7E2Ign3DtFDZb0m
xO0SEtZqmMsjWh+IWoTJ5tGhv4ECG+JmF84vfGXhqfG2ex/ou3AMfK8oVYoLd3ydA6w3jBekYz4K/uIEBd1IeXodnhVKRKh0dd/1vTTIucEy06
NmRIxDyHRDzARG4rG1A2P9IzjVPtOQBGbUGZVqwJE8hUdxBdnJG6+yFp0REdoz2VDZPzAz7ykwggFBBgkqhkiG9w0BBwGgggEyBIIBLjCCASow
ggEmBgsqhkiG9w0BDAoBAqCB7zCB7DBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIUzQ6LvASHCICAggAMAwGCCqGSIb3DQIJBQAwHQ
YJYIZIAWUDBAEqBBDdT3bMeE8Dd6a3e4w1g03NBIGQS/drK6+FEaKKeHSiR+bXNE94iE73etd7Pv//3e7BWWLiTrIdw9lQlhjg8ClayH3RhTej
2q7YT2PM7Cm+tkQfIplXa0wRD6WPTn5+YvYrwrE3rPmYmlwZcu7XtIE2qLJ9nBMHVj9OUoH+/In5/s6/iMt8UlCYYAUDfUc84TshLtOfjcB2OS
e5cTYPNRGkaDIVMSUwIwYJKoZIhvcNAQkVMRYEFF9x5tta27jbP3tKbJHLfSOOSPLuMEEwMTANBglghkgBZQMEAgEFAAQgnLgGnfBV+L19/Fmz
QknkE2KizRq2UYIpQ0WSBYr3qPoECPzKcCF+TgHTAgIIAA==`;

async function listen(t: TestContext, server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function serve(t: TestContext, listener: RequestListener, options: Partial<OutboundOptions> = {}) {
  const port = await listen(t, createServer(listener));
  return open(t, `http://127.0.0.1:${port}`, options);
}

function open(t: TestContext, origin: string, options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({
    origin,
    maxConnections: 4,
    maxPending: 100,
    connectTimeoutMs: 10_000,
    timeoutMs: 30_000,
    ...options,
  });
  t.after(() => outbound.close());
  return outbound;
}

const put: OutboundRequest = {
  method: "PUT",
  path: "/x?y=1",
  headers: ["x-test", "1"],
  body: '{"a":"ç"}',
  maxAnswerBytes: 1000,
};
const get: OutboundRequest = { method: "GET", path: "/", headers: [], maxAnswerBytes: 1000 };

test("sends method, path, headers and body, and gives status and body, over kept connections", async (t) => {
  const sockets = new Set();
  const outbound = await serve(t, (request, response) => {
    sockets.add(request.socket);
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      response.writeHead(201);
      response.write(JSON.stringify([request.method, request.url, request.headers["x-test"]]));
      setImmediate(() => response.end(body));
    });
  });
  for (let i = 0; i < 10; i += 1) {
    const answer = await outbound.send(put);
    assert.ok(answer.kind === "answered");
    assert.equal(answer.status, 201);
    assert.equal(answer.body.toString(), '["PUT","/x?y=1","1"]{"a":"ç"}');
  }
  // Two, as a call that follows at once finds the first connection not yet free again.
  assert.ok(sockets.size <= 2);
});

test("drops informational answers, in any pieces, and nothing of an answer's body", async (t) => {
  const body = "HTTP/1.1 100 Continue\r\n\r\n";
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${2 * body.length}\r\n\r\n`;
  const informational = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
  const pieces = [
    ["HT", "TP/1.1 10", "0 Continue\r", "\n\r\n", informational, head, body, body],
    [informational + head, body, body],
    [informational + head + body + body],
  ];
  const port = await listen(
    t,
    createTcpServer(async (socket) => {
      socket.setNoDelay().on("error", () => {});
      for await (const _request of socket)
        for (const piece of pieces.shift()!) {
          socket.write(piece);
          await pause(20);
        }
    }),
  );
  const outbound = open(t, `http://127.0.0.1:${port}`, { maxConnections: 1 });
  while (pieces.length > 0) {
    const answer = await outbound.send(get);
    assert.deepEqual(answer, { kind: "answered", status: 200, body: Buffer.from(body + body) });
  }
});

test("drops informational answers over TLS, and fails what is none", async (t) => {
  const secure = createSecureServer({ key: KEY, cert: CERT }, (request, response) => {
    response.writeContinue();
    request.resume().on("end", () => response.end("ok"));
  });
  const outbound = open(t, `https://127.0.0.1:${await listen(t, secure)}`, { tls: { ca: CERT } });
  for (let sent = 0; sent < 3; sent += 1)
    assert.deepEqual(await outbound.send(put), { kind: "answered", status: 200, body: Buffer.from("ok") });

  for (const answer of [
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
    `HTTP/1.1 100 Continue\r\nx: ${"x".repeat(20_000)}`,
  ]) {
    const port = await listen(
      t,
      createTcpServer((socket) => void socket.on("error", () => {}).once("data", () => socket.write(answer))),
    );
    assert.equal((await open(t, `http://127.0.0.1:${port}`).send(get)).kind, "lost");
  }
});

test("an answer without body is an empty buffer", async (t) => {
  const outbound = await serve(t, (_request, response) => response.writeHead(204).end());
  assert.deepEqual(await outbound.send(get), { kind: "answered", status: 204, body: Buffer.alloc(0) });
});

test("an interim answer is not the answer", async (t) => {
  const outbound = await serve(t, (_request, response) => {
    response.writeProcessing();
    setTimeout(() => response.writeHead(200).end("ok"), 20);
  });
  const answer = await outbound.send(get);
  assert.ok(answer.kind === "answered");
  assert.deepEqual([answer.status, answer.body.toString()], [200, "ok"]);
});

test("a refused connection and an unknown name are unsent", async (t) => {
  const server = createTcpServer();
  const port = await listen(t, server);
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual(await open(t, `http://127.0.0.1:${port}`).send(put), { kind: "unsent", reason: "ECONNREFUSED" });

  const unknown = await open(t, "http://nowhere.invalid").send(put);
  assert.equal(unknown.kind, "unsent");
  assert.match((unknown as { reason: string }).reason, /^(ENOTFOUND|EAI_AGAIN)$/);
});

test("a name with an address that is not permitted is unsent, and nothing connects; a permitted one is reached", async (t) => {
  let connections = 0;
  const server = createServer((_, response) => response.end("reached"));
  server.on("connection", () => {
    connections += 1;
  });
  const origin = `http://localhost:${await listen(t, server)}`;
  const looked: string[] = [];
  const permits = (address: string) => looked.push(address) > 0;
  const refused = await open(t, origin, { permits: (address) => permits(address) && false }).send(get);
  assert.deepEqual(refused, { kind: "unsent", reason: "ADDRESS_NOT_PERMITTED" });
  assert.ok(
    looked.length > 0 && looked.every((address) => address === "127.0.0.1" || address === "::1"),
    looked.join(),
  );
  assert.equal(connections, 0);
  const answer = await open(t, origin, { permits }).send(get);
  assert.equal(answer.kind === "answered" && answer.body.toString(), "reached");
});

test("a connection that is not ready in time is unsent", async (t) => {
  // Accepts, and never answers the TLS greeting.
  const port = await listen(t, createTcpServer());
  const answer = await open(t, `https://127.0.0.1:${port}`, { connectTimeoutMs: 100 }).send(put);
  assert.deepEqual(answer, { kind: "unsent", reason: "UND_ERR_CONNECT_TIMEOUT" });
});

test("a failed TLS handshake is unsent: no TLS, reset in the greeting, untrusted certificate, wrong name", async (t) => {
  const plain = await listen(t, createServer());
  assert.equal((await open(t, `https://127.0.0.1:${plain}`).send(put)).kind, "unsent");

  const resets = await listen(
    t,
    createTcpServer((socket) => socket.once("data", () => socket.resetAndDestroy())),
  );
  assert.deepEqual(await open(t, `https://127.0.0.1:${resets}`).send(put), { kind: "unsent", reason: "ECONNRESET" });

  let requests = 0;
  const secure = createSecureServer({ key: KEY, cert: CERT }, (_request, response) => {
    requests += 1;
    response.end();
  });
  const port = await listen(t, secure);
  assert.deepEqual(await open(t, `https://127.0.0.1:${port}`).send(put), {
    kind: "unsent",
    reason: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  assert.equal((await open(t, `https://127.0.0.2:${port}`, { tls: { ca: CERT } }).send(put)).kind, "unsent");
  // A client certificate that cannot be read never gets as far as a connection.
  assert.equal(
    (await open(t, `https://127.0.0.1:${port}`, { tls: { ca: CERT, pfx: "AAAA" } }).send(put)).kind,
    "unsent",
  );
  assert.equal(requests, 0);
});

test("a client certificate is shown; one that the server refuses after the handshake leaves the outcome open", async (t) => {
  const secure = createSecureServer({ key: KEY, cert: CERT, ca: CERT, requestCert: true }, (_request, response) =>
    response.end("in"),
  );
  const port = await listen(t, secure);
  for (const shown of [
    { key: KEY, cert: CERT, pfx: undefined },
    { pfx: PFX, passphrase: "" },
  ]) {
    const answer = await open(t, `https://127.0.0.1:${port}`, { tls: { ca: CERT, ...shown } }).send(put);
    assert.ok(answer.kind === "answered");
    assert.equal(answer.body.toString(), "in");
  }
  // TLS 1.3: the client is done, and writes, before the server has checked its certificate.
  assert.equal((await open(t, `https://127.0.0.1:${port}`, { tls: { ca: CERT } }).send(put)).kind, "lost");
});

test("a connection that is closed or reset after the request was written is lost", async (t) => {
  const closes = await serve(t, (request) => request.socket.destroy());
  assert.equal((await closes.send(put)).kind, "lost");
  const resets = await serve(t, (request) => request.socket.resetAndDestroy());
  assert.equal((await resets.send(put)).kind, "lost");
});

test("a reset of a reused connection is lost, also when the server never read the request", async (t) => {
  let requests = 0;
  const port = await listen(
    t,
    createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        requests += 1;
        if (requests > 1) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      });
    }),
  );
  const outbound = open(t, `http://127.0.0.1:${port}`);
  assert.equal((await outbound.send(put)).kind, "answered");
  assert.equal((await outbound.send(put)).kind, "lost");
  assert.equal(requests, 2);
});

test("a request is written once, whatever happens to its connection", async (t) => {
  let requests = 0;
  const outbound = await serve(t, (request) => {
    requests += 1;
    request.socket.destroy();
  });
  for (const request of [get, put]) {
    requests = 0;
    assert.equal((await outbound.send(request)).kind, "lost");
    assert.equal(requests, 1);
  }
});

test("no answer in time is lost, in the headers as in the body", async (t) => {
  // A busy machine may need all of the time for the connection: then nothing has left.
  const lost = (outbound: ReturnType<typeof open>) =>
    eventually("a call that has left", async () => {
      const answer = await outbound.send(put);
      return answer.kind !== "unsent" && answer;
    });
  const silent = await serve(t, () => {}, { timeoutMs: 100 });
  assert.deepEqual(await lost(silent), { kind: "lost", reason: "timeout" });
  const slow = await serve(
    t,
    (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    },
    { timeoutMs: 150 },
  );
  assert.deepEqual(await lost(slow), { kind: "lost", reason: "timeout" });
});

test("a call that waited too long for a connection is unsent, and never sent later", async (t) => {
  const paths: (string | undefined)[] = [];
  const sockets = new Set();
  const outbound = await serve(
    t,
    (request, response) => {
      paths.push(request.url);
      sockets.add(request.socket);
      // The others are never answered: each that is sent is cut off with its connection.
      if (request.url === "/last") response.end();
    },
    { maxConnections: 1, timeoutMs: 1_000 },
  );
  const first = outbound.send({ ...put, path: "/first" });
  const waiting = Array.from({ length: 10 }, (_, i) => outbound.send({ ...put, path: `/waiting/${i}` }));
  const answers = await Promise.all(waiting);
  // Each call's time began when it was made: on a busy machine the first ends some milliseconds before the last of them,
  // and its successor is sent with what it has left. What was given up is never sent.
  const sent = waiting.flatMap((_, i) => (answers[i]!.kind === "unsent" ? [] : [`/waiting/${i}`]));
  for (const answer of answers) if (answer.kind === "unsent") assert.equal(answer.reason, "timeout");
  assert.ok(sent.length < waiting.length / 2, `sent all the same: ${sent.join()}`);
  assert.deepEqual(await first, { kind: "lost", reason: "timeout" });
  assert.equal((await outbound.send({ ...put, path: "/last" })).kind, "answered");
  assert.deepEqual(paths, ["/first", ...sent, "/last"]);
  // The one that was cut off, and its successor: the calls given up cost no connection.
  assert.ok(sockets.size <= 2 + sent.length);
});

/** A bank in a thread of its own. It holds its answers until it is let go, and says how many calls it has. */
async function bankBeside(t: TestContext) {
  const bank = new Worker(
    `const { parentPort } = require("node:worker_threads");
    let held = [];
    const server = require("node:http").createServer((_request, response) => {
      if (held === null) return response.end();
      held.push(response);
      parentPort.postMessage(held.length);
    });
    parentPort.once("message", () => {
      for (const response of held) response.end();
      held = null;
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  t.after(() => bank.terminate());
  const [port] = (await once(bank, "message")) as [number];
  let calls = 0;
  bank.on("message", (count: number) => {
    calls = count;
  });
  return { origin: `http://127.0.0.1:${port}`, calls: () => calls, letGo: () => bank.postMessage(null) };
}

test("a stall of this process loses no answer that has come; what waited for a connection does not leave so late", async (t) => {
  const bank = await bankBeside(t);
  const outbound = open(t, bank.origin, { maxConnections: 2, timeoutMs: 1_000 });
  const answers = Promise.all(Array.from({ length: 6 }, () => outbound.send(put)));
  await eventually("two calls to be under way", () => bank.calls() === 2);
  bank.letGo();
  standStill(3_000);
  const kinds = (await answers).map((answer) => (answer.kind === "answered" ? "answered" : answer.reason));
  assert.deepEqual(kinds, ["answered", "answered", "stalled", "stalled", "stalled", "stalled"]);
  assert.equal((await outbound.send(put)).kind, "answered");
});

test("more calls than may wait are unsent at once, and the slots come free again", async (t) => {
  const outbound = await serve(t, (_request, response) => void setTimeout(() => response.end(), 50), { maxPending: 2 });
  const answers = await Promise.all([outbound.send(get), outbound.send(get), outbound.send(get)]);
  assert.deepEqual(
    answers.map((answer) => answer.kind),
    ["answered", "answered", "unsent"],
  );
  assert.equal((await outbound.send(get)).kind, "answered");
});

test("connections are bounded", async (t) => {
  const sockets = new Set();
  const outbound = await serve(t, (request, response) => {
    sockets.add(request.socket);
    setTimeout(() => response.end(), 5);
  });
  await Promise.all(Array.from({ length: 40 }, () => outbound.send(get)));
  assert.equal(sockets.size, 4);
});

test("an answer larger than allowed is lost, with and without announced length", async (t) => {
  const announced = await serve(t, (_request, response) => response.end("x".repeat(1001)));
  assert.deepEqual(await announced.send(get), { kind: "lost", reason: "answer_too_large" });
  let cutOff = () => {};
  const stopped = new Promise<void>((resolve) => {
    cutOff = resolve;
  });
  const endless = await serve(t, (_request, response) => {
    const timer = setInterval(() => response.write("x".repeat(400)), 1);
    response.on("close", () => {
      clearInterval(timer);
      cutOff();
    });
  });
  assert.deepEqual(await endless.send(get), { kind: "lost", reason: "answer_too_large" });
  await stopped;
  const fits = await serve(t, (_request, response) => response.end("x".repeat(1000)));
  assert.equal((await fits.send(get)).kind, "answered");
});

test("a truncated body and a broken protocol are lost", async (t) => {
  const truncated = await serve(t, (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  });
  assert.equal((await truncated.send(get)).kind, "lost");
  const chunked = await serve(t, (_request, response) => {
    response.write("{", () => response.destroy());
  });
  assert.equal((await chunked.send(get)).kind, "lost");
  const port = await listen(
    t,
    createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("HTTP/9 what\r\n\r\n"));
    }),
  );
  assert.equal((await open(t, `http://127.0.0.1:${port}`).send(get)).kind, "lost");
});

test("a header that cannot be sent, and a closed outbound, are unsent", async (t) => {
  const outbound = await serve(t, (_request, response) => response.end());
  assert.deepEqual(await outbound.send({ ...put, headers: ["x", "a\r\nb: c"] }), {
    kind: "unsent",
    reason: "UND_ERR_INVALID_ARG",
  });
  await outbound.close();
  assert.equal((await outbound.send(put)).kind, "unsent");
});

test("reasons reveal no address", async (t) => {
  const outbound = open(t, "http://127.0.0.1:1");
  assert.doesNotMatch(JSON.stringify(await outbound.send(put)), /127|:1/);
});
