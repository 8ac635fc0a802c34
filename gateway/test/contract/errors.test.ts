import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertPublished } from "../harness/published.ts";
import { assertInvalid, assertRefused, bare, nothingMoves } from "./refusal.ts";
import { routesOf } from "./routes.ts";

const base = { amount: 10, description: "A charge" };
/** 256 KiB. */
const LARGEST = 262_144;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream;

/** A call to any path of the server, as the merchant. */
async function call(
  method: string,
  path: string,
  init: { body?: Body; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(gateway.running.url + path, {
    method,
    headers: { authorization: `Bearer ${gateway.merchant.token}`, ...init.headers },
    body: init.body ?? null,
    ...(init.body instanceof ReadableStream ? { duplex: "half" } : {}),
  } as RequestInit);
  const text = await response.text();
  assertPublished(method, gateway.running.url + path, {
    status: response.status,
    headers: response.headers,
    text,
  });
  return { status: response.status, headers: response.headers, text, body: text === "" ? {} : JSON.parse(text) };
}

/** Whether the path is one of those that a route's pattern stands for. */
const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replace(/[.*]/g, "\\$&").replace(/:\w+/g, "[^/]+")}$`).test(path);

const json = { "content-type": "application/json" };
const postPix = (body: Body, headers: Record<string, string> = json) => call("POST", "/v2/pix", { body, headers });
/** A good charge, followed by as much white space as makes it this long. */
const padded = (bytes: number) => JSON.stringify(base).padEnd(bytes, " ");

describe("Routes and methods", () => {
  test("an unknown route is a 404, with or without a token, whatever its body is", async () => {
    await nothingMoves(gateway, async () => {
      const paths = [
        "/", "/v1/pix", "/v2", "/v2/", "/v2/pixx", "/v2/pix/x/y", "/V2/pix", "/v2/PIX", "/v2//pix", "/v2/pix%20", "/v2/auth/x",
        "/pix", "/operator", "/operator/v1", "/operator/v1/nothing", "/v2/sandbox", "/favicon.ico", "/../etc/passwd", "/__proto__",
        "/v2/constructor", `/${"x".repeat(4_000)}`,
      ]; // biome-ignore format: a table
      for (const path of paths) {
        assertRefused(await call("GET", path), 404, "ROUTE_NOT_FOUND", path);
        assertRefused(await call("POST", path, { body: "{", headers: json }), 404, "ROUTE_NOT_FOUND", path);
        assertRefused(
          await call("POST", path, { body: "x", headers: { "content-type": "text/plain" } }),
          404,
          "ROUTE_NOT_FOUND",
          path,
        );
        assertRefused(await call("DELETE", path, { headers: { authorization: "" } }), 404, "ROUTE_NOT_FOUND", path);
      }
    });
  });

  test("every other method of every route is a 405 whose Allow names the right ones", async () => {
    const routes = Map.groupBy(
      routesOf(gateway).filter(({ path }) => !path.startsWith("/psp/")),
      ({ path }) => path,
    );
    for (const path of ["/v2/pix", "/v2/transactions/:id", "/operator/v1/accounts/:id", "/healthz", "/openapi.json"]) {
      assert.ok(routes.has(path), path);
    }
    await nothingMoves(gateway, async () => {
      for (const pattern of routes.keys()) {
        const path = pattern.replace(/:\w+/g, randomUUID());
        // A named path is also one that `:id` stands for: what that route takes is allowed here too.
        const alike = [...routes].filter(([other]) => matches(other, path)).flatMap(([, of]) => of);
        const allowed = [...new Set(alike.map(({ method }) => method))];
        if (allowed.includes("GET")) allowed.push("HEAD");
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
          if (allowed.includes(method)) continue;
          const reply = await call(method, path, method === "GET" ? {} : { body: "{", headers: json });
          const { details } = assertRefused(reply, 405, "METHOD_NOT_ALLOWED", `${method} ${path}`);
          const named = reply.headers.get("allow")!.split(", ");
          assert.deepEqual(named.sort(), allowed.sort(), `${method} ${path}`);
          assert.deepEqual([...(details.allowed as string[])].sort(), allowed.sort());
        }
      }
      const head = await call("HEAD", "/v2/pix");
      assert.deepEqual([head.status, head.headers.get("allow"), head.text], [405, "POST", ""]);
    });
    assert.equal((await call("HEAD", "/v2/account")).status, 200);
  });

  test("a path that is no percent-encoded UTF-8 is a 400 in the standard shape", async () => {
    for (const path of [
      "/v2/transactions/%ZZ",
      "/v2/transactions/%",
      "/v2/transactions/%ED%A0%80",
      "/v2/%FF",
      "/%C0%AF",
    ]) {
      assertInvalid(await call("GET", path), ["path"], path);
    }
  });

  test("unknown query parameters are ignored", async () => {
    for (const query of [
      "?x=1",
      "?limit=-1&cursor=%",
      "?__proto__=1&constructor=2&x[]=3",
      `?${"a=b&".repeat(2_000)}`,
      "?",
      "?amount=5",
    ]) {
      assert.equal((await call("GET", `/v2/account${query}`)).status, 200, query.slice(0, 40));
      const created = await call("POST", `/v2/pix${query}`, { body: JSON.stringify(base), headers: json });
      assert.deepEqual([created.status, created.body.amount], [201, 10], query.slice(0, 40));
    }
  });
});

describe("Bodies", () => {
  test("a body is JSON by its content type: any other is a 415", { rules: ["base.json"] }, async () => {
    const text = JSON.stringify(base);
    await nothingMoves(gateway, async () => {
      const types = [
        "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "application/jsonp",
        "application/problem+json", "application/json-patch+json", "application/octet-stream", "application/json garbage", "json", "*/*", "",
      ]; // biome-ignore format: a table
      for (const type of types) {
        for (const path of ["/v2/pix", "/v2/webhook-endpoints", `/v2/sandbox/pix/${randomUUID()}/pay`]) {
          assertRefused(
            await call("POST", path, { body: text, headers: { "content-type": type } }),
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            type,
          );
        }
      }
      const none = assertRefused(
        await bare(gateway.merchant, "POST", "/pix", text),
        415,
        "UNSUPPORTED_MEDIA_TYPE",
        "none",
      );
      assert.match(none.message, /no Content-Type/);
      for (const charset of ["latin1", "iso-8859-1", "utf-16", '"utf-16le"', "utf-8x", "us-ascii", ""]) {
        const type = `application/json; charset=${charset}`;
        const body = assertRefused(await postPix(text, { "content-type": type }), 415, "UNSUPPORTED_MEDIA_TYPE", type);
        assert.match(body.message, /charset must be UTF-8/);
      }
      for (const encoding of ["gzip", "br", "deflate", "gzip, identity", "x"]) {
        const reply = await postPix(gzipSync(text), { ...json, "content-encoding": encoding });
        assert.match(assertRefused(reply, 415, "UNSUPPORTED_MEDIA_TYPE", encoding).message, /Content-Encoding/);
      }
    });
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "application/json ; x=y",
      "application/json; charset=utf8",
    ]) {
      assert.equal((await postPix(text, { "content-type": type })).status, 201, type);
    }
  });

  test("broken JSON is a 400 that says so", async () => {
    await nothingMoves(gateway, async () => {
      const broken = [
        "{", "}", "{}}", "{]", "[", '{"amount":10,}', "{'amount':10}", "{amount:10}", '{"amount":10 "description":"d"}', '{"amount":01,"description":"d"}',
        '{"amount":10,"description":"d"} x', '{"amount":10,"description":"d\n"}', '{"amount":10,"description":"\\x41"}', '{"amount":10,"description":"\\ud8"}',
        "// comment\n{}", "undefined", "NaN", "\u00a0{}", "{}\u0000", "x", "\ufeff\ufeff{}",
      ]; // biome-ignore format: a table
      for (const text of broken) assertInvalid(await postPix(text), ["body"], text);
    });
    assert.equal((await postPix(`\ufeff${JSON.stringify(base)}`)).status, 201, "one byte order mark is let pass");
  });

  test("a body that is no object is a 400", async () => {
    await nothingMoves(gateway, async () => {
      for (const text of ["null", "true", "1", '"x"', "[]", "[{}]", `[${JSON.stringify(base)}]`, "", " "]) {
        assertInvalid(await postPix(text), ["body"], text);
      }
      assertInvalid(await call("POST", "/v2/pix"), ["body"], "none");
      assertInvalid(await call("POST", "/v2/pix", { headers: json }), ["body"], "none, with a content type");
      assertInvalid(await call("POST", "/v2/webhook-endpoints"), ["body"], "none");
    });
  });

  test("a body that is no UTF-8 is a 400", async () => {
    const around = (...bytes: number[]) =>
      new Uint8Array([...Buffer.from('{"amount":10,"description":"'), ...bytes, ...Buffer.from('"}')]);
    await nothingMoves(gateway, async () => {
      for (const bytes of [
        [0xff],
        [0xc3],
        [0x80],
        [0xc0, 0xaf],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xe9],
      ]) {
        assertInvalid(await postPix(around(...bytes)), ["body"], bytes.join());
      }
      assertInvalid(await postPix(new Uint8Array(Buffer.from(JSON.stringify(base), "utf16le"))), ["body"], "UTF-16");
    });
    assert.equal((await postPix(around(0xf0, 0x9f, 0x98, 0x80))).status, 201);
  });

  test("256 KiB are taken, one byte more is a 413, declared or streamed", async () => {
    const stream = (text: string) =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < text.length; at += 50_000)
            controller.enqueue(new TextEncoder().encode(text.slice(at, at + 50_000)));
          controller.close();
        },
      });
    for (const bytes of [LARGEST - 1, LARGEST]) {
      assert.equal((await postPix(padded(bytes))).status, 201, `${bytes}`);
      assert.equal((await postPix(stream(padded(bytes)))).status, 201, `${bytes} streamed`);
    }
    await nothingMoves(gateway, async () => {
      for (const bytes of [LARGEST + 1, LARGEST * 2]) {
        assertRefused(await postPix(padded(bytes)), 413, "PAYLOAD_TOO_LARGE", `${bytes}`);
        assertRefused(await postPix(stream(padded(bytes))), 413, "PAYLOAD_TOO_LARGE", `${bytes} streamed`);
        const operator = {
          headers: { ...json, authorization: `Bearer ${gateway.sandbox.operatorToken}` },
          body: padded(bytes),
        };
        assertRefused(await call("POST", "/operator/v1/accounts", operator), 413, "PAYLOAD_TOO_LARGE");
      }
      // Bytes count, not characters.
      const wide = JSON.stringify({ ...base, metadata: { a: "é".repeat(LARGEST / 2) } });
      assert.ok(wide.length < LARGEST);
      assertRefused(await postPix(wide), 413, "PAYLOAD_TOO_LARGE");
      assertRefused(
        await call("POST", "/v2/pix", { body: padded(LARGEST + 1), headers: { ...json, authorization: "" } }),
        401,
        "TOKEN_INVALID",
      );
    });
  });

  test("a body full of mistakes is refused quickly, with the first ones named", async () => {
    const numbers = Array.from({ length: 40_000 }, (_, i) => i).join(",");
    const bodies: [string, string, string?][] = [
      ["/v2/webhook-endpoints", `{"url":"https://a.example","events":[${numbers}]}`],
      ["/v2/pix", `{"amount":10,"description":"d","split":[${numbers}]}`, "SPLIT_TOO_MANY_ITEMS"],
      ["/v2/pix", `{${Array.from({ length: 25_000 }, (_, i) => `"${i.toString(36)}":1`).join(",")}}`],
      ["/v2/pix", JSON.stringify({ ...base, customer: { email: `${"a.".repeat(120_000)}@` } })],
    ];
    await nothingMoves(gateway, async () => {
      for (const [path, body, code = "VALIDATION_ERROR"] of bodies) {
        const started = process.cpuUsage();
        const { details } = assertRefused(await call("POST", path, { body, headers: json }), 400, code, path);
        // Comparing every item with every other took seconds, in which nobody else was answered.
        const { user } = process.cpuUsage(started);
        assert.ok(user < 1_000_000, `${path}: ${user} µs of CPU`);
        assert.ok(details.issues!.length <= 20);
      }
    });
  });
});

describe("The trace of a call", () => {
  test("every answer carries an X-Request-Id of its own, never the caller's", async () => {
    const headers = { ...json, "x-request-id": "mine", "request-id": "mine", "x-forwarded-for": "1.2.3.4" };
    const replies = [
      await call("GET", "/v2/account", { headers }),
      await call("POST", "/v2/pix", { headers, body: JSON.stringify(base) }),
      await call("POST", "/v2/pix", { headers, body: "{}" }),
      await call("GET", "/v2/nothing", { headers }),
      await call("GET", "/v2/transactions/%ZZ", { headers }),
      await call("GET", "/healthz", { headers }),
      await call("GET", "/readyz", { headers }),
      await call("GET", "/openapi.json", { headers }),
      await call("POST", "/v2/auth", { headers, body: "{}" }),
    ];
    const ids = replies.map((reply) => reply.headers.get("x-request-id"));
    for (const id of ids) assert.match(id!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(new Set(ids).size, replies.length);
  });

  test("a refusal's traceId finds its log line at the default level", { rules: ["error.body.traceId"] }, async () => {
    const { traceId } = assertRefused(await postPix("{}"), 400, "VALIDATION_ERROR");
    // It is written when the answer has gone.
    await eventually("its log line", () =>
      gateway.logLines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .some((line) => {
          const isIts = line.traceId === traceId && line.route === "/v2/pix" && line.status === 400;
          return isIts && (line.level as number) >= 30;
        }),
    );
  });

  test("an unexpected failure is a 500 that reveals nothing from inside, and its traceId finds the reason", {
    rules: ["error.500", "error.body.traceId"],
  }, async () => {
    await gateway.owner.query({ text: "alter table wallets rename to wallets_gone", values: [] });
    let reply: Reply;
    try {
      reply = await nothingMovesWithoutWallets(() =>
        postPix(JSON.stringify(base), { ...json, "x-sub-account": "loja-1", "idempotency-key": "fails-inside" }),
      );
    } finally {
      await gateway.owner.query({ text: "alter table wallets_gone rename to wallets", values: [] });
    }
    const { traceId, details } = assertRefused(reply, 500, "INTERNAL_ERROR");
    assert.deepEqual(Object.keys(details), ["code"]);
    assert.doesNotMatch(reply.text, /wallets|42P01/);
    const found = gateway.logLines.findIndex((line) => line.includes(traceId) && line.includes("wallets"));
    assert.notEqual(found, -1);
    // Wanted here, so not to be found by the gateway's end.
    gateway.logLines.splice(0, gateway.logLines.length);
  });

  /** As `nothingMoves`, for a time when its own picture cannot be taken. */
  async function nothingMovesWithoutWallets<T>(work: () => Promise<T>): Promise<T> {
    const charges = async () =>
      (await gateway.simulator.get<{ charges: { total: number } }>("/state")).body.charges.total;
    const before = await charges();
    const result = await work();
    assert.equal(await charges(), before);
    return result;
  }
});

describe("Health", () => {
  test("healthz and readyz answer without a token and outside the versioned path", async () => {
    for (const [path, body] of [
      ["/healthz", { status: "ok" }],
      ["/readyz", { status: "ready" }],
    ] as const) {
      const reply = await call("GET", path, { headers: { authorization: "" } });
      assert.deepEqual([reply.status, reply.body], [200, body]);
      assertRefused(await call("GET", `/v2${path}`), 404, "ROUTE_NOT_FOUND");
    }
  });
});
