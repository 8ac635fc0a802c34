/** Requests that are sent in one piece, before the answers to others, by somebody without a token who reads nothing. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { LIMITS } from "../../src/lib/limits.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

const REQUEST = "GET /v2/account HTTP/1.1\r\nhost: x\r\n\r\n";
/** @returns how many answers came before the connection was closed, or `most` of them. */
async function send(times: number, most: number): Promise<{ answers: number; closed: boolean }> {
  const { hostname, port } = new URL(gateway.sandbox.baseUrl);
  let text = "";
  let closed = false;
  const socket = connect(Number(port), hostname, () => socket.write(REQUEST.repeat(times)));
  socket.on("data", (piece) => {
    text += piece;
  });
  socket
    .on("error", () => {})
    .on("close", () => {
      closed = true;
    });
  const answers = () => text.split("HTTP/1.1 401").length - 1;
  await eventually("answers, or the end", () => closed || answers() >= most);
  socket.destroy();
  return { answers: answers(), closed };
}

test("as many requests as may wait for their answers are answered", async () => {
  assert.deepEqual(await send(LIMITS.pipelined, LIMITS.pipelined), { answers: LIMITS.pipelined, closed: false });
});

test("one with more loses its connection, and only its own", async () => {
  const { closed, answers } = await send(2_000, 2_000);
  assert.ok(closed && answers <= LIMITS.pipelined, `${answers} answers`);
  assert.equal((await gateway.merchant.get("/account")).status, 200);
  assert.match(await gateway.running.ctx.metrics.render(), /^pixgate_http_pipelines_closed_total 1$/m);
});

test("metrics and readiness are read once for all who ask at the same time", async () => {
  const queries = new Map<string, number>();
  const { db, readiness } = gateway.running.ctx;
  const used = [db, readiness].map((one) => ({ one, query: one.query }));
  for (const { one, query } of used) {
    one.query = ((...given: Parameters<typeof query>) => {
      const [{ text }] = given;
      queries.set(text, (queries.get(text) ?? 0) + 1);
      return query.apply(one, given);
    }) as typeof query;
  }
  try {
    const read = async (path: string, times: number) => {
      queries.clear();
      const replies = await Promise.all(
        Array.from({ length: times }, () => fetch(new URL(path, gateway.sandbox.baseUrl))),
      );
      assert.ok(replies.every(({ status }) => status === 200));
      return new Map(queries);
    };
    for (const path of ["/metrics", "/readyz"]) {
      const once = await read(path, 1);
      assert.ok(once.size > 0, path);
      // Each statement by itself: the loops send others meanwhile.
      for (const [text, often] of await read(path, 50)) {
        const most = 25 * (once.get(text) ?? 1);
        assert.ok(often < most, `${path}: ${often} times for fifty: ${text}`);
      }
    }
  } finally {
    for (const { one, query } of used) one.query = query;
  }
});
