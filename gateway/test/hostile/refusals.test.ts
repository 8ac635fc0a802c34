/** What it costs to refuse a body: about as much as to read it, whatever it is made of and wherever it is sent. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Pool } from "undici";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type BodyRoute, hostileBodies, MULTIPLYING, plainBody, withBodyRoutes } from "./bodies.ts";

/**
 * How often the cost of a plain body a refusal may cost: its structure is scanned, and a bounded part of it is parsed and
 * validated. Unguarded, 192 KiB of unknown fields cost 20 to 40 times as much.
 */
const MOST_OF_FLOOR = 5;
const BYTES = 192 * 1024;

let gateway: TestGateway;
let routes: BodyRoute[];
let person: Browser;
let pool: Pool;
before(async () => {
  [gateway, routes] = await withBodyRoutes(() => startGateway());
  person = await new Browser(gateway).use(firstLink(gateway));
  pool = new Pool(new URL(gateway.sandbox.baseUrl).origin, { connections: 1 });
});
after(async () => {
  await pool.close();
  await gateway.end();
});

/** The routes that take large bodies and refuse some. Banks are answered 200; a route without a body and an id acts whatever is sent. */
const open = () =>
  routes.filter(
    ({ path, limit, shape }) => !path.startsWith("/psp/") && limit > BYTES && (shape !== null || path.includes(":")),
  );

/** Sends a body to a route as somebody whom it lets in. @returns milliseconds: of one thread, which client and gateway share here. */
async function costOf({ method, path }: BodyRoute, body: Buffer): Promise<number> {
  const from = performance.now();
  const { statusCode, body: answer } = await pool.request({
    method: method as "POST",
    path: path.replace(/:\w+/g, "019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11"),
    headers: { "content-type": "application/json", ...callerOf(path) },
    body,
  });
  await answer.dump();
  const spent = performance.now() - from;
  assert.ok(statusCode >= 400 && statusCode < 500 && statusCode !== 401, `${method} ${path} answers ${statusCode}`);
  return spent;
}

function callerOf(path: string): Record<string, string> {
  if (path.startsWith("/v2/")) return { authorization: `Bearer ${gateway.merchant.token}` };
  if (path.startsWith("/operator/")) return { authorization: `Bearer ${gateway.operator.token}` };
  return { cookie: `pixgate_session=${person.cookie}`, "x-pixgate-csrf": person.csrfToken! };
}

const charge = (more: object) => ({ amount: 10, description: "d", ...more });
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]));

describe("A body that is refused", () => {
  test("costs about what its bytes cost, on every route, wherever there is much of it", async () => {
    const dear: string[] = [];
    for (const route of open()) {
      if (dear.length > 5) break;
      const plain = plainBody(BYTES);
      // The least of some tries each: the others waited for a core or the collection of garbage, or compiled a schema.
      let [floor, cost, tries] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
      const measure = async (body: Buffer) => {
        floor = Math.min(floor, await costOf(route, plain));
        cost = Math.min(cost, await costOf(route, body));
      };
      for (const [what, body] of hostileBodies(route.shape, BYTES, MULTIPLYING)) {
        [cost, tries] = [Number.POSITIVE_INFINITY, 0];
        do await measure(body);
        while (cost > floor * MOST_OF_FLOOR && ++tries < 20);
        if (tries === 20) dear.push(`${route.method} ${route.path}, ${what}: ${cost} ms, a plain body ${floor}`);
      }
    }
    assert.ok(open().length > 80, `${open().length} routes`);
    assert.deepEqual(dear, []);
  });

  test("of a caller without a token has at most 8 KiB", async () => {
    const small = routes.filter(({ limit }) => limit === 8 * 1024).map(({ path }) => path);
    assert.ok(small.includes("/v2/auth") && small.includes("/console/api/session/password"), String(small));
    const { merchant, sandbox } = gateway;
    const credentials = { client_id: sandbox.clientId, client_secret: sandbox.clientSecret };
    const login = (more: string) => merchant.post("/auth", { ...credentials, more }, { token: null });
    assert.equal((await login("x".repeat(7_900))).status, 200);
    await nothingMoves(gateway, async () => assert.equal((await login("x".repeat(8 * 1024))).status, 413));
    const stranger = new Browser(gateway);
    for (const path of ["/console/api/session/password", "/console/api/session/link"]) {
      assertRefused(await stranger.send("POST", path, { x: "x".repeat(8 * 1024) }), 413, "PAYLOAD_TOO_LARGE");
    }
  });

  test("gets at most 20 issues, and is told where there may be more", async () => {
    for (const [fields, truncated] of [
      [20, undefined],
      [21, true],
      [90, true],
      [5_000, true],
    ] as const) {
      const reply = await nothingMoves(gateway, () => gateway.merchant.post("/pix", charge(numbered(fields))));
      const { details } = assertRefused(reply, 400, "VALIDATION_ERROR", String(fields));
      assert.deepEqual(details.issues!.slice(0, 2), [
        { path: "k0", message: "is not a field of this request" },
        { path: "k1", message: "is not a field of this request" },
      ]);
      assert.equal(details.issues!.length, 20);
      assert.equal(details.truncated, truncated, String(fields));
    }
  });

  test("is told the same as a smaller one about its lists, its objects and its texts", async () => {
    for (const [more, code, path] of [
      [{ split: Array.from({ length: 20_000 }, () => ({})) }, "SPLIT_TOO_MANY_ITEMS", "split"],
      [{ metadata: numbered(51) }, "VALIDATION_ERROR", "metadata"],
      [{ metadata: { a: Array.from({ length: 9_000 }, () => 0) } }, "VALIDATION_ERROR", "metadata.a[8191]"],
      [{ customer: { name: "x".repeat(50_000) } }, "VALIDATION_ERROR", "customer.name"],
      [{ customer: { email: `${"x".repeat(50_000)}@example.com` } }, "VALIDATION_ERROR", "customer.email"],
      [{ projectId: "x".repeat(50_000) }, "VALIDATION_ERROR", "projectId"],
      [{ description: Array.from({ length: 500 }, () => 0) }, "VALIDATION_ERROR", "description"],
    ] as const) {
      const reply = await nothingMoves(gateway, () => gateway.merchant.post("/pix", charge(more)));
      const { details } = assertRefused(reply, 400, code, path);
      assert.equal(details.issues![0]!.path, path);
    }
  });

  test("is cut in its answer where it names a field of its own at length", async () => {
    const reply = await gateway.merchant.post("/pix", charge({ ["x".repeat(200_000)]: 1 }));
    assertInvalid(reply, ["x".repeat(64)]);
    assert.ok(reply.text.length < 1_000, `${reply.text.length} bytes`);
  });

  test("may have its query too: a hundred parameters are read", async () => {
    const query = Array.from({ length: 101 }, (_, i) => `k${i}=`).join("&");
    assertInvalid(await gateway.merchant.get(`/account?${query}`), ["query"]);
  });
});

test("a body counts as one call more for each 32 KiB, for whoever sends it", async () => {
  const limited = await startGateway({ PIXGATE_RATE_LIMIT: "20" });
  try {
    const left = async (bytes: number) => {
      const reply = await limited.merchant.post("/pix", charge({ x: "x".repeat(bytes) }));
      assertInvalid(reply, ["x"]);
      return Number(reply.headers.get("ratelimit-remaining"));
    };
    const before = await left(1);
    assert.ok((await left(200_000)) >= before - 1);
    // Six more for the one before, and what has come back meanwhile.
    const reply = await left(1);
    assert.ok(reply <= before - 4, `${reply} of ${before} are left`);
    for (let i = 0; i < 8; i += 1) {
      const { status } = await limited.merchant.post("/pix", charge({ x: "x".repeat(200_000) }));
      if (status === 429) return;
    }
    assert.fail("eight bodies of 200 kB are 56 calls, and nothing refused the last one");
  } finally {
    await limited.stop();
  }
});
