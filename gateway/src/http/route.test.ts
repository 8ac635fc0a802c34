import assert from "node:assert/strict";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import pino from "pino";
import { eventually } from "../../test/harness/eventually.ts";
import { type Context, systemClock } from "../context.ts";
import { UNCHECKED_CLOCK } from "../db/clock-check.ts";
import { createIds } from "../lib/ids.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { NO_TRACING } from "../telemetry/tracing.ts";
import { createAdmission } from "./admission.ts";
import { addRoutes } from "./route.ts";
import type { Scope } from "./scope.ts";
import { publicScope } from "./scopes/public.ts";
import { createServer } from "./server.ts";
import { createUnread } from "./unread.ts";

/** A server with one route, `GET /`, whose callers are all one tenant; they are let in by `open`. */
async function serve() {
  const metrics = createMetrics();
  const ids = createIds({ now: () => Date.now(), random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const admission = createAdmission({ most: 1_000, metrics, now: () => performance.now() });
  const ctx = {
    config: { proxySecret: null, trustedProxies: null },
    ...{ clock: systemClock, ids, metrics, admission, log: pino({ level: "silent" }), tracing: NO_TRACING },
    ...{ unread: createUnread({ metrics }), clockCheck: UNCHECKED_CLOCK },
  } as Partial<Context> as Context;
  const app = createServer(ctx);
  const gate = Promise.withResolvers<void>();
  let [knocked, refused] = [0, 0];
  const scope: Scope<object, object> = {
    ...{ name: "test", describe: publicScope.describe },
    async admit() {
      knocked += 1;
      await gate.promise;
      return {};
    },
    tenantOf: () => "a",
    answerError(_error, _request, reply) {
      refused += 1;
      reply.code(400).send("refused");
    },
  };
  addRoutes(
    app,
    ctx,
    scope,
  )({
    ...{ method: "GET", path: "/", operationId: "read", summary: "" },
    handle: async () => ({}),
  });
  let left = 0;
  app.server.on("connection", (socket) => socket.once("close", () => (left += 1)));
  await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    ...{ app, admission, open: gate.resolve },
    port: (app.server.address() as AddressInfo).port,
    counts: () => ({ knocked, refused, left }),
  };
}

test("a client that leaves while it is authenticated, with a call that is then refused, holds no slot", async () => {
  const { app, admission, port, open, counts } = await serve();
  try {
    const client = connect(port, "127.0.0.1", () => client.write("GET /?x=%00 HTTP/1.1\r\nhost: x\r\n\r\n"));
    await eventually("it is being authenticated", () => counts().knocked === 1);
    client.destroy();
    await eventually("the server knows that it left", () => counts().left === 1);
    open();
    await eventually("its call is refused", () => counts().refused === 1);
    assert.equal(admission.waiting(), 0);
  } finally {
    await app.close();
  }
});
