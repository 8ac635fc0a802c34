/** What a screen of the console reads in one round: the same as one by one, and nothing more. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Pixgate } from "../../../sdk/src/index.ts";
import { READS } from "../../src/http/console/round-route.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const SECRET = "of-the-proxy-in-front-of-this-gateway";
const CLIENT = "198.51.100.7";
const BEHIND = { "x-forwarded-for": CLIENT, "x-pixgate-proxy": SECRET };
const HOME = [
  "/v2/account",
  "/v2/account/summary?date=2026-01-15",
  "/v2/balance-blocks",
  "/v2/withdrawals?status=pending",
  "/v2/webhook-deliveries?status=failed&limit=1",
  "/v2/transactions?type=payment&limit=8",
];

let gateway: TestGateway;
let owner: Browser;
before(async () => {
  gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1", PIXGATE_PROXY_SECRET: SECRET });
  owner = await new Browser(gateway).use(firstLink(gateway));
});
after(() => gateway?.stop());

type Answers = {
  readonly answers: readonly { status: number; traceId: string; retryAfter: string | null; body: string }[];
};
const of = (accountId: string, more: Record<string, string> = {}) => ({
  headers: { "x-pixgate-account": accountId, ...BEHIND, ...more },
});
const own = () => of(gateway.sandbox.accountId);
const round = (by: Browser, calls: unknown, options = own()) =>
  by.send<Answers>("GET", `/console/api/round?calls=${encodeURIComponent(JSON.stringify(calls))}`, undefined, options);
/** What does not depend on when and under which trace a call was made. */
const lasting = (text: string) => ({ ...JSON.parse(text), timestamp: null, traceId: null }) as unknown;

describe("a round", () => {
  test("answers each of its calls as if it were sent alone, a refusal too", async () => {
    await gateway.merchant.post("/pix", { amount: 12.34, description: "Pão" });
    const calls = [...HOME, "/v2/transactions?limit=many"];
    const { status, body, text } = await round(owner, calls);
    assert.equal(status, 200, text);
    assert.equal(body.answers.length, calls.length);
    for (const [n, call] of calls.entries()) {
      const alone = await owner.send("GET", call, undefined, own());
      const answer = body.answers[n]!;
      assert.equal(answer.status, alone.status, call);
      assert.deepEqual(lasting(answer.body), lasting(alone.text), call);
    }
    assert.deepEqual(
      body.answers.map((answer) => answer.status),
      [...HOME.map(() => 200), 400],
    );
    assert.match(body.answers[5]!.body, /12\.34/);
    assert.equal(new Set(body.answers.map(({ traceId }) => traceId)).size, calls.length);
  });

  test("shows its caller nothing of an account or a wallet that the caller may not read", async () => {
    const other = await newAccount(gateway);
    const invited = await owner.send<{ link: string }>("POST", `/console/api/accounts/${other}/people`, {
      ...{ email: "vera@example.com", role: "viewer" },
    });
    const viewer = await new Browser(gateway).use(invited.body.link.split("#link=")[1]!);
    const statuses = async (by: Browser, options: ReturnType<typeof of>) =>
      (await round(by, HOME, options)).body.answers.map(({ status }) => status);
    assert.deepEqual(
      await statuses(viewer, of(other)),
      HOME.map(() => 200),
    );
    const refused = await round(viewer, HOME);
    for (const { status, body, traceId } of refused.body.answers) {
      const { details, traceId: own } = JSON.parse(body) as { details: { code: string }; traceId: string };
      assert.deepEqual([status, details.code, own], [403, "PERMISSION_DENIED", traceId]);
    }
    assert.deepEqual(
      await statuses(owner, of(gateway.sandbox.accountId, { "x-sub-account": "unknown" })),
      HOME.map(() => 404),
    );
    assertRefused(await round(new Browser(gateway), HOME), 401, "TOKEN_MISSING");
  });

  test("logs each of its calls, a refused one with the address that the proxy has proven", async () => {
    gateway.logLines.splice(0);
    const { body } = await round(owner, ["/v2/account", "/v2/balance-blocks"], of(crypto.randomUUID()));
    const lines = gateway.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const { traceId } of body.answers) {
      const line = lines.find((one) => one.traceId === traceId && one.msg === "answered");
      assert.deepEqual([line?.status, line?.address], [403, CLIENT]);
    }
  });

  test("reads no stream, no file, no other account's and nothing of operators, and never more than a screen needs", async () => {
    for (const call of [
      "/v2/events/stream",
      "/v2/statement",
      "/operator/v1/accounts",
      "/console/api/session",
      "/console/api/round?calls=[]",
      "/v2/account/",
      "/v2/account/../events/stream",
      "//v2/account",
      "http://example.com/v2/account",
      7,
    ]) {
      assertInvalid(await round(owner, ["/v2/account", call]), ["calls[1]"]);
    }
    assertInvalid(await round(owner, []), ["calls"]);
    assertInvalid(await round(owner, "/v2/account"), ["calls"]);
    assertInvalid(await round(owner, Array(LIMITS.roundCalls + 1).fill("/v2/account")), ["calls"]);
    assertInvalid(await owner.send("GET", "/console/api/round?calls=[x", undefined, own()), ["calls"]);
    assert.equal((await round(owner, Array(LIMITS.roundCalls).fill("/v2/account"))).status, 200);
  });

  test("reads no page that is longer than a screen's", async () => {
    const longer = ["limit=21", "limit=100#x", "limit=1&limit=100", "%6cimit=1e2", "type=payment&limit=%31%30%30"];
    for (const query of longer) {
      assertInvalid(await round(owner, ["/v2/account", `/v2/transactions?${query}`]), ["calls[1]"], query);
    }
    const { body } = await round(owner, ["/v2/account", "/v2/transactions?limit=20"]);
    assert.deepEqual(
      body.answers.map(({ status }) => status),
      [200, 200],
    );
  });

  test("has a bound for its answers in all, and leaves the ones beyond it to be read alone", async () => {
    const metadata = { note: "x".repeat(LIMITS.metadataBytes - 100) };
    for (let n = 0; n < 20; n += 1) {
      const made = await gateway.merchant.post("/pix", { amount: 1, description: "Pão", metadata });
      assert.equal(made.status, 201, made.text);
    }
    const whole = "/v2/transactions?limit=20";
    const { body } = await round(owner, [whole, "/v2/account", ...Array(8).fill("/v2/transactions?limit=4")]);
    const [beyond, account, ...parts] = body.answers;
    assert.deepEqual([beyond!.status, beyond!.retryAfter, beyond!.body], [503, "1", ""]);
    assert.equal(account!.status, 200);
    assert.deepEqual(new Set(parts.map(({ status }) => status)), new Set([200, 503]));
    for (const { status, retryAfter, body } of parts) {
      assert.deepEqual([retryAfter, body === ""], status === 200 ? [null, false] : ["1", true]);
    }
    const bytes = body.answers.reduce((sum, answer) => sum + Buffer.byteLength(answer.body), 0);
    assert.ok(bytes <= LIMITS.roundAnswerBytes, `${bytes} bytes`);
    const alone = await owner.send<{ items: unknown[] }>("GET", whole, undefined, own());
    assert.deepEqual([alone.status, alone.body.items.length], [200, 20]);
  });

  test("gives back every slot that its calls took", async () => {
    const days = Array(LIMITS.roundCalls).fill("/v2/account/summary?date=2026-01-15");
    for (let n = 0; n <= LIMITS.readsOfAccount; n += 1) {
      const { body } = await round(owner, days);
      assert.deepEqual(
        body.answers.map(({ status }) => status),
        days.map(() => 200),
      );
    }
    const { admission, unread } = gateway.running.ctx;
    await eventually("all slots are free", async () => admission.waiting() === 0 && unread.bytes() === 0);
  });
});

test("the console reads nothing together that a round refuses: each refresh would send one for nothing", async () => {
  const sources = globSync("console/src/**/*.{ts,tsx}", { cwd: ROOT }).map((path) =>
    readFileSync(`${ROOT}${path}`, "utf8"),
  );
  const calls = new Set(
    sources.flatMap((source) =>
      [...source.matchAll(/together\s*\.(\w+)\s*\.(\w+)\(/g)].map(([, of, call]) => `${of}.${call}`),
    ),
  );
  const paths = new Set<string>();
  const pixgate = new Pixgate({
    baseUrl: "http://gateway",
    accessToken: "none",
    fetch: async (input) => {
      paths.add(new URL(String(input)).pathname);
      return Response.json({ items: [], nextCursor: null });
    },
  });
  for (const call of calls) {
    const [noun, verb] = call.split(".") as [keyof Pixgate, string];
    const read = (pixgate[noun] as unknown as Record<string, () => { page?(): Promise<unknown> }>)[verb]!.bind(
      pixgate[noun],
    )();
    await (read.page?.() ?? read);
  }
  assert.ok(calls.size > 4, "the calls are found in the sources");
  assert.deepEqual(
    [...paths].filter((path) => !READS.has(path)),
    [],
  );
});
