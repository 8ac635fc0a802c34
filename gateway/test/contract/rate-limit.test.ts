import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { ConfigError } from "../../src/lib/config-error.ts";
import { readConfig } from "../../src/settings/config.ts";
import { Client, type Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, startProcess } from "../harness/process.ts";

const header = (reply: Reply<unknown>, name: string) => reply.headers.get(name);
const left = (reply: Reply<unknown>) => Number(header(reply, "ratelimit-remaining"));
/** Calls a second that a bucket of these tests takes; it holds twice as many. */
const RATE = 3;

describe("rate limits", () => {
  let gateway: TestGateway;
  before(async () => {
    // Three calls a second, six at once; behind a proxy, so that a test can choose its address.
    gateway = await startGateway({ PIXGATE_RATE_LIMIT: String(RATE), PIXGATE_TRUSTED_PROXIES: "127.0.0.0/8" });
  });
  after(() => gateway.stop());

  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
  /** A merchant with a bucket of its own. */
  async function newMerchant(address: string) {
    const { body: account } = await gateway.operator.post<{ id: string }>("/accounts", { name: "Rate" });
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${account.id}/credentials`,
      { name: "r", permissions: ["FULL_ACCESS"] },
    );
    const client = new Client(gateway.sandbox.baseUrl);
    const login = await client.post<{ access_token: string }>(
      "/auth",
      { client_id: made.body.clientId, client_secret: made.body.clientSecret },
      { token: null, ...from(address) },
    );
    assert.equal(login.status, 200, login.text);
    return client.withToken(login.body.access_token);
  }
  /** More calls than flow in within half a minute, so that some are refused on the slowest machine. */
  const FLOOD = 100;
  /** Sends them, and gives what a bucket let through at most meanwhile. */
  async function flood(call: (i: number) => Promise<Reply<Record<string, unknown>>>) {
    const began = performance.now();
    const replies = await Promise.all(Array.from({ length: FLOOD }, (_, i) => call(i)));
    return { replies, most: 2 * RATE + ((performance.now() - began) / 1_000) * RATE };
  }

  test("every answer of a merchant route reports the limit, also a refusal", async () => {
    const merchant = await newMerchant("198.51.100.1");
    const started = performance.now();
    const replies = [
      await merchant.get("/account"),
      await merchant.post("/pix", { amount: "1" }),
      await merchant.get("/transactions/none"),
    ];
    const regained = Math.ceil(((performance.now() - started) / 1000) * RATE);
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [200, 400, 404],
    );
    for (const reply of replies) {
      assert.equal(header(reply, "ratelimit-limit"), "6");
      assert.match(header(reply, "ratelimit-remaining")!, /^[0-5]$/);
      assert.match(header(reply, "ratelimit-reset")!, /^[12]$/);
      assert.equal(header(reply, "retry-after"), null);
    }
    assert.ok(left(replies[2]!) <= 3 + regained, `${left(replies[2]!)} left after three calls, ${regained} regained`);
  });

  test("a credential over its limit is refused with Retry-After, and nothing has happened", async () => {
    const merchant = await newMerchant("198.51.100.2");
    const charge = { amount: 1, description: "flood", externalReference: "flood" };
    const { replies, most } = await flood(() => merchant.post("/pix", charge));
    const refused = replies.filter((reply) => reply.status === 429);
    const created = replies.filter((reply) => reply.status === 201);
    assert.equal(created.length + refused.length, FLOOD);
    assert.ok(refused.length > 0 && created.length <= most, `${created.length} of at most ${most}`);
    for (const reply of refused) {
      assert.equal(reply.body.error, "TooManyRequests");
      assert.equal((reply.body.details as { code: string }).code, "RATE_LIMITED");
      assert.equal(reply.body.traceId, header(reply, "x-request-id"));
      assert.equal(header(reply, "ratelimit-remaining"), "0");
      assert.match(header(reply, "retry-after")!, /^[1-9]\d*$/);
    }
    const { rows } = await gateway.running.ctx.db.query<{ n: string }>({
      text: "select count(*) as n from charges where external_reference = 'flood'",
      values: [],
    });
    assert.equal(Number(rows[0]!.n), created.length);
  });

  test("one credential's flood is not another's", async () => {
    const [loud, quiet] = [await newMerchant("198.51.100.3"), await newMerchant("198.51.100.3")];
    await flood(() => loud.get("/account"));
    assert.equal((await quiet.get("/account")).status, 200);
  });

  test("POST /auth is limited by address, with its own small error body", async () => {
    const login = (address: string) => () =>
      new Client(gateway.sandbox.baseUrl).post(
        "/auth",
        { client_id: "pg_1_nobodynobody", client_secret: "wrong" },
        { token: null, ...from(address) },
      );
    const { replies, most } = await flood(login("203.0.113.5"));
    const refused = replies.filter((reply) => reply.status === 429);
    assert.ok(refused.length > 0 && FLOOD - refused.length <= most, `${refused.length} refused`);
    assert.equal(replies.filter((reply) => reply.status === 401).length, FLOOD - refused.length);
    for (const reply of replies) assert.equal(header(reply, "ratelimit-limit"), "6");
    for (const reply of refused) {
      assert.deepEqual(Object.keys(reply.body).sort(), ["error", "message"]);
      assert.equal(reply.body.error, "Too Many Requests");
      assert.match(header(reply, "retry-after")!, /^[1-9]\d*$/);
    }
    assert.equal((await login("203.0.113.6")()).status, 401);
    // The addresses of one /64 are one customer's.
    const near = await flood((i) => login(`2001:db8::${i + 1}`)());
    const taken = near.replies.filter((reply) => reply.status !== 429).length;
    assert.ok(taken <= near.most, `${taken} of at most ${near.most}`);
    assert.equal((await login("2001:db8:0:1::1")()).status, 401);
  });

  test("calls without a good token count for their address, and keep nobody from a token", async () => {
    const address = "203.0.113.7";
    const stranger = new Client(gateway.sandbox.baseUrl).withToken("a.b.c");
    const { replies } = await flood(() => stranger.get("/account", from(address)));
    assert.ok(replies.some((reply) => reply.status === 401 && header(reply, "ratelimit-limit") === "6"));
    assert.ok(replies.some((reply) => reply.status === 429));
    const merchant = await newMerchant(address);
    assert.equal((await merchant.get("/account", from(address))).status, 200);
  });
});

describe("without rate limits", () => {
  test("no answer speaks of one", async () => {
    const gateway = await startGateway();
    try {
      const replies = await Promise.all(Array.from({ length: 250 }, () => gateway.merchant.get("/account")));
      // A busy machine may refuse some of them as overload, which is no limit of a caller.
      const statuses = new Set(replies.map((reply) => reply.status));
      assert.ok(statuses.has(200));
      assert.deepEqual(
        [...statuses].filter((status) => status !== 200 && status !== 503),
        [],
      );
      assert.deepEqual([...new Set(replies.map((reply) => header(reply, "ratelimit-limit")))], [null]);
    } finally {
      await gateway.stop();
    }
  });
});

describe("settings of the edges", () => {
  test("a limit is a number of requests per second or off; 100 by default", () => {
    assert.equal(readConfig({}).rateLimit, 100);
    assert.equal(readConfig({ PIXGATE_RATE_LIMIT: "off" }).rateLimit, null);
    assert.equal(readConfig({ PIXGATE_RATE_LIMIT: "7" }).rateLimit, 7);
    for (const value of ["0", "-1", "1.5", "1e3", "on", " 5", "1000000"]) {
      assert.throws(() => readConfig({ PIXGATE_RATE_LIMIT: value }), ConfigError, value);
    }
  });

  test("trusted proxies are addresses and networks", () => {
    assert.equal(readConfig({}).trustedProxies, null);
    const list = readConfig({ PIXGATE_TRUSTED_PROXIES: "10.0.0.0/8, ::1" }).trustedProxies!;
    assert.ok(list.has("10.1.2.3") && list.has("::1") && !list.has("11.0.0.1"));
    for (const value of ["10.0.0.1/8", "localhost", "10.0.0.0/8,", "*", "true"]) {
      assert.throws(() => readConfig({ PIXGATE_TRUSTED_PROXIES: value }), ConfigError, value);
    }
  });
});

describe("a credential's list of addresses", () => {
  test("is taken as addresses and CIDR networks, and refused with the entry's place otherwise", async () => {
    const gateway = await startGateway();
    try {
      const create = (allowedIps: unknown) =>
        gateway.operator.post(`/accounts/${gateway.sandbox.accountId}/credentials`, {
          name: "list",
          permissions: ["WITHDRAWAL:WRITE"],
          allowedIps,
        });
      assert.equal((await create(["192.0.2.1", "198.51.100.0/24", "2001:db8::/32", "::ffff:192.0.2.7"])).status, 201);
      for (const bad of ["192.0.2.300", "10.0.0.1/8", "example.com", "", "fe80::1%eth0", "1.2.3.4/33"]) {
        const reply = await create(["192.0.2.1", bad]);
        assert.equal(reply.status, 400, bad);
        assert.equal((reply.body.details as { issues: { path: string }[] }).issues[0]!.path, "allowedIps[1]");
      }
    } finally {
      await gateway.stop();
    }
  });
});

describe("limits that two processes share", () => {
  let gateway: TestGateway;
  let second: GatewayProcess;
  before(async () => {
    const limits = { PIXGATE_RATE_LIMIT: "1000" };
    gateway = await startGateway(limits);
    second = await startProcess({
      ...limits,
      DATABASE_URL: gateway.databaseUrl,
      PIXGATE_DATA_DIR: gateway.dataDir,
      PIXGATE_SIMULATOR_PORT: "off",
    });
    // The first one learns of the second when it needs to, and at most two seconds late.
    const { peers } = gateway.running.ctx;
    await eventually("both to know of each other", () => peers.share() === 1 / 2);
  });
  after(async () => {
    await second.stop();
    await gateway.end();
  });

  test("wrong secrets are as few at two processes as at one, also when they come at once", async () => {
    const { clientId } = gateway.sandbox;
    const processes = [gateway.sandbox.baseUrl, `${second.url}/v2`].map((url) => new Client(url));
    const began = performance.now();
    const replies = await Promise.all(
      processes.flatMap((one) =>
        Array.from({ length: 20 }, () =>
          one.post("/auth", { client_id: clientId, client_secret: "x" }, { token: null }),
        ),
      ),
    );
    const checked = replies.filter(({ status }) => status === 401).length;
    const most = 10 + (performance.now() - began) / 10_000;
    assert.ok(checked >= 8 && checked <= most, `${checked} were checked`);
    assert.equal(replies.filter(({ status }) => status === 429).length, 40 - checked);
  });

  test("an institution gets as many charges a second from two processes as its capacity is", async () => {
    const { rows } = await gateway.running.ctx.db.query<{ id: string }>(
      sql`select institution_id as id from institutions where name = 'PSP simulator'`,
    );
    const institution = `/institutions/${rows[0]!.id}`;
    assert.equal((await gateway.operator.patch(institution, { capacityPerSecond: 6 })).status, 200);
    const elsewhere = new Client(`${second.url}/v2`).withToken(gateway.merchant.token!);
    const issue = (client: Client) => client.post("/pix", { amount: 1, description: "d" });
    // Each process reads the institutions again within a second.
    await eventually("the capacity to hold in both", async () => {
      const replies = [
        ...Array.from({ length: 12 }, () => gateway.merchant),
        ...Array.from({ length: 12 }, () => elsewhere),
      ];
      const statuses = await Promise.all(replies.map(async (client) => (await issue(client)).status));
      return statuses.slice(0, 12).includes(500) && statuses.slice(12).includes(500);
    });
    await eventually("a second of capacity", async () => (await issue(elsewhere)).status === 201);
    const began = performance.now();
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) => issue(i % 2 === 0 ? gateway.merchant : elsewhere)),
    );
    const issued = replies.filter(({ status }) => status === 201).length;
    const most = 6 + (6 * (performance.now() - began)) / 1_000;
    assert.ok(issued <= most, `${issued} of at most ${most}`);
    for (const reply of replies) if (reply.status !== 201) assert.match(reply.text, /PSP_UNAVAILABLE/);
    assert.equal((await gateway.operator.patch(institution, { capacityPerSecond: null })).status, 200);
  });
});
