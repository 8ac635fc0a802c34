import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { sql } from "../../src/db/sql.ts";
import { PERMISSIONS } from "../../src/http/permissions.ts";
import { Client, type Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startBeside } from "../harness/process.ts";
import { assertRefused, bare, nothingMoves } from "./refusal.ts";

type Charge = { id: string };
type Balance = { balance: { available: { amount: number } } };
type Options = { permissions?: readonly string[]; subAccountAccess?: boolean; accountId?: string };

const base = { amount: 10, description: "A charge" };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

/** A new credential, and a merchant who is logged in with it. */
async function loggedIn(options: Options = {}): Promise<{ client: Client; clientId: string; clientSecret: string }> {
  const { permissions = ["FULL_ACCESS"], subAccountAccess = false, accountId = gateway.sandbox.accountId } = options;
  const body = { name: "test", permissions, subAccountAccess };
  const created = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
    `/accounts/${accountId}/credentials`,
    body,
  );
  assert.equal(created.status, 201, created.text);
  const { clientId, clientSecret } = created.body;
  return { client: await new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret), clientId, clientSecret };
}

const withToken = (token: string) => new Client(gateway.sandbox.baseUrl).withToken(token);
const withHeader = (authorization: string) => bare(gateway.merchant, "GET", "/account", undefined, { authorization });

describe("POST /auth", () => {
  const authenticate = (body: string | Uint8Array | undefined, headers: Record<string, string> = {}) =>
    gateway.merchant.send("POST", "/auth", body, { token: null, headers });

  function assertAuthError(reply: Reply, status: 400 | 401 | 413, what: string): void {
    assert.equal(reply.status, status, `${what}: ${reply.text}`);
    assert.deepEqual(Object.keys(reply.body).sort(), ["error", "message"], what);
    assert.equal(reply.body.error, { 400: "Bad Request", 401: "Unauthorized", 413: "Payload Too Large" }[status]);
    assert.ok(typeof reply.body.message === "string" && reply.body.message !== "");
    assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
    assert.match(reply.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
  }

  test("a credential is exchanged for a bearer token of 300 seconds, whatever else is sent along", {
    rules: ["auth.1", "auth.answer", "service.7", "limit.token", "route.auth"],
  }, async () => {
    const { clientId, clientSecret } = gateway.sandbox;
    const credential = { client_id: clientId, client_secret: clientSecret };
    const headers = { "idempotency-key": "x", "x-sub-account": "NOT A REFERENCE", authorization: "Bearer nonsense" };
    for (const body of [credential, { ...credential, grant_type: "client_credentials", scope: null }]) {
      const reply = await authenticate(JSON.stringify(body), headers);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(Object.keys(reply.body).sort(), ["access_token", "expires_in", "token_type"]);
      assert.deepEqual([reply.body.token_type, reply.body.expires_in], ["Bearer", 300]);
      assert.equal(reply.headers.get("cache-control"), "no-store");
      assert.match(reply.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
      const { iat, exp } = decodeJwt(reply.body.access_token as string);
      assert.equal(exp! - iat!, 300);
      assert.equal((await withToken(reply.body.access_token as string).get("/account")).status, 200);
    }
  });

  test("what is no credential at all is a 400 of exactly error and message", {
    rules: ["auth.request", "auth.errors", "error.auth"],
  }, async () => {
    const { clientId: client_id, clientSecret: client_secret } = gateway.sandbox;
    await nothingMoves(gateway, async () => {
      const bodies = [
        {}, { client_id }, { client_secret }, { client_id: null, client_secret }, { client_id, client_secret: null }, { client_id: 1, client_secret },
        { client_id, client_secret: true }, { client_id: [client_id], client_secret }, { client_id: { $ne: "" }, client_secret }, { client_id: "", client_secret: "" },
        { clientId: client_id, clientSecret: client_secret }, null, [], [client_id, client_secret], "x", 1, true,
      ]; // biome-ignore format: a table
      for (const body of bodies) assertAuthError(await authenticate(JSON.stringify(body)), 400, JSON.stringify(body));
      const right = JSON.stringify({ client_id, client_secret });
      for (const broken of ["{", "", right.slice(0, -1), `${right}}`, "NaN", " ".repeat(8_000)]) {
        assertAuthError(await authenticate(broken), 400, broken.slice(0, 20));
      }
      assertAuthError(await authenticate(" ".repeat(300_000)), 413, "too large");
      assertAuthError(await authenticate(new Uint8Array([0x7b, 0xff, 0x7d])), 400, "no UTF-8");
      assertAuthError(await authenticate(undefined), 400, "no body");
      assertAuthError(await bare(gateway.merchant, "POST", "/auth", right), 400, "no content type");
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/xml",
        "multipart/form-data; boundary=x",
      ]) {
        assertAuthError(await authenticate(right, { "content-type": type }), 400, type);
      }
    });
  });

  test("an unknown id, a wrong secret and a revoked credential are the same 401", {
    rules: ["auth.errors", "error.auth"],
  }, async () => {
    const { clientId, clientSecret } = await loggedIn();
    const { db } = gateway.running.ctx;
    await db.query(sql`update credentials set revoked_at = ${new Date()} where client_id = ${clientId}`);
    await nothingMoves(gateway, async () => {
      const number = /^pg_([0-9a-z]+)_/.exec(gateway.sandbox.clientId)![1]!;
      const wrong = [
        [clientId, clientSecret], [gateway.sandbox.clientId, "x"], [gateway.sandbox.clientId, `${gateway.sandbox.clientSecret}x`],
        [gateway.sandbox.clientId, gateway.sandbox.clientSecret.toUpperCase()], [gateway.sandbox.clientId.toUpperCase(), gateway.sandbox.clientSecret],
        [`${gateway.sandbox.clientId} `, gateway.sandbox.clientSecret], [`pg_${number}_AAAAAAAAAAAAAAAA`, gateway.sandbox.clientSecret],
        ["pg_zzzzzzzzzz_AAAAAAAAAAAAAAAA", "x"], ["pg_zzzzzzzzzzz_AAAAAAAAAAAAAAAA", "x"], ["admin", "admin"], ["' or 1=1 --", "x"], ["\0", "\0"],
        [`${gateway.sandbox.clientId}\0`, gateway.sandbox.clientSecret], ["\ud800", "\ud800"], ["x".repeat(4_000), "y".repeat(4_000)],
      ] as const; // biome-ignore format: a table
      const bodies = new Set<string>();
      for (const [client_id, client_secret] of wrong) {
        const reply = await authenticate(JSON.stringify({ client_id, client_secret }));
        assertAuthError(reply, 401, client_id.slice(0, 40));
        bodies.add(reply.text);
      }
      assert.equal(bodies.size, 1);
    });
  });
});

describe("Access tokens", () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  let claims: { acc: string; sub: string; own: string[] };

  before(async () => {
    const { rows } = await gateway.running.ctx.db.query<{
      account_id: string;
      credential_id: string;
      owners: string[];
    }>(sql`select account_id, credential_id, owners from credentials where client_id = ${gateway.sandbox.clientId}`);
    claims = { acc: rows[0]!.account_id, sub: rows[0]!.credential_id, own: rows[0]!.owners };
  });

  /** A token as the gateway makes it, with something changed. */
  function forge(changes: Record<string, unknown> = {}, how: { key?: Uint8Array; alg?: string } = {}): Promise<string> {
    const payload = { iss: "pixgate", iat: seconds(), exp: seconds() + 300, ...claims, ...changes };
    for (const [name, value] of Object.entries(payload))
      if (value === undefined) delete (payload as Record<string, unknown>)[name];
    return new SignJWT(payload)
      .setProtectedHeader({ alg: how.alg ?? "HS256" })
      .sign(how.key ?? gateway.running.ctx.keys.tokens);
  }
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const write = (token: string) => withToken(token).post("/pix", base);

  test("a missing token is a 401 of its own, and a token elsewhere than in the header is none", {
    rules: ["auth.2", "auth.7", "call.token"],
  }, async () => {
    await nothingMoves(gateway, async () => {
      for (const [method, path] of [
        ["GET", "/account"],
        ["GET", "/transactions/x"],
        ["POST", "/pix"],
        ["POST", "/webhook-endpoints"],
      ] as const) {
        const reply = await gateway.merchant.send(method, path, method === "POST" ? JSON.stringify(base) : undefined, {
          token: null,
        });
        assertRefused(reply, 401, "TOKEN_MISSING", path);
      }
      const { token } = gateway.merchant;
      assertRefused(
        await gateway.merchant.get(`/account?access_token=${token}`, { token: null }),
        401,
        "TOKEN_MISSING",
      );
      const cookie = { cookie: `access_token=${token}` };
      assertRefused(await gateway.merchant.get("/account", { token: null, headers: cookie }), 401, "TOKEN_MISSING");
    });
  });

  test("only a token of ours is taken: every tampering is a 401 and moves nothing", {
    rules: ["call.token", "error.401"],
  }, async () => {
    const good = await forge();
    assert.equal((await withToken(good).get("/account")).status, 200);
    const [header, payload, signature] = good.split(".") as [string, string, string];
    const flipped = Buffer.from(signature, "base64url");
    flipped[0]! ^= 1;
    const other = new Uint8Array(32).fill(7);
    const forged: Record<string, string> = {
      "alg none": `${encoded({ alg: "none" })}.${payload}.`,
      "alg none with the old signature": `${encoded({ alg: "none" })}.${payload}.${signature}`,
      "another key": await forge({}, { key: other }),
      "another algorithm with our key": await forge({}, { alg: "HS512" }),
      "a flipped bit": `${header}.${payload}.${flipped.toString("base64url")}`,
      "a payload of one's own": `${header}.${encoded({ ...decodeJwt(good), acc: randomUUID() })}.${signature}`,
      "a longer life": `${header}.${encoded({ ...decodeJwt(good), exp: seconds() + 999_999 })}.${signature}`,
      "another header": `${encoded({ ...decodeProtectedHeader(good), kid: "../../dev/null" })}.${payload}.${signature}`,
      "a cut signature": good.slice(0, -4),
      "no signature": `${header}.${payload}.`,
      "two parts": `${header}.${payload}`,
      "four parts": `${good}.x`,
      "another issuer": await forge({ iss: "pixgate2" }),
      "no issuer": await forge({ iss: undefined }),
      "no expiry": await forge({ exp: undefined }),
      "no subject": await forge({ sub: undefined }),
      "no account": await forge({ acc: undefined }),
      "no owners": await forge({ own: undefined }),
      "a credential that does not exist": await forge({ sub: randomUUID() }),
      "a credential of another account": await forge({ acc: randomUUID(), sub: randomUUID() }),
      "from the future": await forge({ nbf: seconds() + 60 }),
      "the operator's token": gateway.sandbox.operatorToken,
      "the client secret": gateway.sandbox.clientSecret,
    };
    await nothingMoves(gateway, async () => {
      for (const [what, token] of Object.entries(forged)) assertRefused(await write(token), 401, "TOKEN_INVALID", what);
      for (const value of [
        `Basic ${good}`,
        good,
        "Bearer",
        "Bearer ",
        `Bearer ${good} x`,
        `Bearer "${good}"`,
        `Token ${good}`,
        `Bearer,${good}`,
      ]) {
        assertRefused(await withHeader(value), 401, "TOKEN_INVALID", value.slice(0, 20));
      }
    });
    assert.equal((await withHeader(`bearer  ${good}`)).status, 200);
  });

  test("an expired token is distinguished from a wrong one, 5 seconds after its end", {
    rules: ["auth.3", "limit.token", "error.401"],
  }, async () => {
    await nothingMoves(gateway, async () => {
      for (const ago of [5, 6, 60, 86_400]) {
        assertRefused(
          await write(await forge({ iat: seconds() - ago - 300, exp: seconds() - ago })),
          401,
          "TOKEN_EXPIRED",
          `${ago} s`,
        );
      }
      assertRefused(
        await write(await forge({ exp: seconds() - 60 }, { key: new Uint8Array(32) })),
        401,
        "TOKEN_INVALID",
      );
      // The leeway is over in three seconds: on a machine that takes longer another token is tried.
      const dying = await eventually("a token to be taken within the leeway", async () => {
        const client = withToken(await forge({ iat: seconds() - 302, exp: seconds() - 2 }));
        return (await client.get("/account")).status === 200 && client;
      });
      // The same token again and again: what a process remembers of it ends too.
      const ended = await eventually("the token to end", async () => {
        const reply = await dying.get("/account");
        return reply.status === 401 && reply;
      });
      assertRefused(ended, 401, "TOKEN_EXPIRED");
      assertRefused(await dying.post("/pix", base), 401, "TOKEN_EXPIRED");
    });
  });

  test("a revoked credential is refused within 2 seconds, in this process and in another", async () => {
    const { db } = gateway.running.ctx;
    const second = await startBeside(gateway);
    try {
      const { client, clientId, clientSecret } = await loggedIn();
      const elsewhere = new Client(`${second.url}/v2`).withToken(client.token);
      assert.deepEqual([(await client.get("/account")).status, (await elsewhere.get("/account")).status], [200, 200]);
      await db.query(sql`update credentials set revoked_at = ${new Date()} where client_id = ${clientId}`);
      const revoked = Date.now();
      /** The refusal, and when the last call was sent that was still answered: a busy machine may answer it long after. */
      const refused = async (one: Client) => {
        let lastTaken = revoked;
        const reply = await eventually("the revocation to be felt", async () => {
          const sent = Date.now();
          const answer = await one.get("/account");
          if (answer.status === 200) lastTaken = sent;
          return answer.status === 401 && answer;
        });
        return { reply, felt: lastTaken - revoked };
      };
      for (const { reply, felt } of await Promise.all([refused(client), refused(elsewhere)])) {
        assertRefused(reply, 401, "TOKEN_INVALID");
        assert.ok(felt < 2_000, `a call sent ${felt} ms after the revocation was answered`);
      }
      await nothingMoves(gateway, async () => {
        for (const one of [client, elsewhere]) assertRefused(await one.post("/pix", base), 401, "TOKEN_INVALID");
      });
      const again = await elsewhere.post(
        "/auth",
        { client_id: clientId, client_secret: clientSecret },
        { token: null },
      );
      assert.equal(again.status, 401);
      assert.equal((await gateway.merchant.get("/account")).status, 200, "another credential is not touched");
    } finally {
      await second.stop();
    }
  });
});

describe("Permissions", () => {
  const routes = [
    ["POST", "/pix", "PIX:WRITE"],
    ["GET", "/transactions/nothing", "TRANSACTION:READ"],
    ["GET", "/account", "ACCOUNT:READ"],
    ["POST", "/webhook-endpoints", "WEBHOOK:WRITE"],
    ["POST", `/sandbox/pix/${randomUUID()}/pay`, "PIX:WRITE"],
    ["POST", `/sandbox/pix/${randomUUID()}/expire`, "PIX:WRITE"],
  ] as const;

  test("each route needs its permission, which no other one replaces but FULL_ACCESS", {
    rules: [
      "auth.4",
      "auth.7",
      "call.permission",
      "error.403",
      "route.pix",
      "route.transaction",
      "route.account",
      "route.projects.*",
      "route.sub-accounts.*",
    ],
  }, async () => {
    for (const [method, path, required] of routes) {
      const others = PERMISSIONS.filter((permission) => permission !== required && permission !== "FULL_ACCESS");
      const { client: without } = await loggedIn({ permissions: others, subAccountAccess: true });
      // A body that would be refused too: the permission is asked for first.
      const body = method === "POST" ? '{"nonsense":' : undefined;
      await nothingMoves(gateway, async () => {
        const { details, message } = assertRefused(
          await without.send(method, path, body),
          403,
          "PERMISSION_DENIED",
          path,
        );
        assert.equal(details.required, required);
        assert.match(message, new RegExp(required));
      });
      for (const permissions of [[required], ["FULL_ACCESS"]]) {
        const { client } = await loggedIn({ permissions });
        const reply = await client.send(method, path, method === "POST" ? "{}" : undefined);
        assert.ok(![401, 403].includes(reply.status), `${path} with ${permissions}: ${reply.text}`);
      }
    }
  });
});

describe("X-Sub-Account", () => {
  const as = (reference: string, key?: string) => ({
    headers: { "x-sub-account": reference, ...(key ? { "idempotency-key": key } : {}) },
  });

  before(async () => {
    const { db, ids } = gateway.running.ctx;
    for (const [reference, status] of [
      ["loja-1", "approved"],
      ["loja-2", "approved"],
      ["frozen", "suspended"],
    ] as const) {
      const now = new Date();
      await db.query(sql`
        insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
        values (${gateway.sandbox.accountId}, ${ids.uuid()}, ${reference}, ${reference}, ${status}, ${now}, ${now})`);
    }
  });

  // The audit log knows nothing of it.
  after(() => gateway.running.ctx.db.query(sql`update wallets set status = 'approved' where reference = 'frozen'`));

  test("its checks come in order: token, permission, syntax, option, existence, suspension", async () => {
    const { client: noPermission } = await loggedIn({ permissions: ["PROJECT:READ"] });
    const { client: noOption } = await loggedIn({ permissions: ["FULL_ACCESS"] });
    const { client: allowed } = await loggedIn({ permissions: ["PIX:WRITE"], subAccountAccess: true });
    const broken = "{";
    const post = (client: Client, reference: string, token?: null) =>
      client.send("POST", "/pix", broken, { ...as(reference), ...(token === null ? { token } : {}) });
    await nothingMoves(gateway, async () => {
      assertRefused(await post(noPermission, "NOT VALID", null), 401, "TOKEN_MISSING");
      assertRefused(await post(noPermission, "NOT VALID"), 403, "PERMISSION_DENIED");
      assertRefused(await post(noOption, "NOT VALID"), 400, "SUB_ACCOUNT_INVALID_REFERENCE");
      assertRefused(await post(noOption, "nowhere"), 403, "SUB_ACCOUNT_FORBIDDEN");
      assertRefused(await post(noOption, "loja-1"), 403, "SUB_ACCOUNT_FORBIDDEN");
      assertRefused(await post(noOption, "frozen"), 403, "SUB_ACCOUNT_FORBIDDEN");
      const { details } = assertRefused(await post(allowed, "nowhere"), 404, "SUB_ACCOUNT_NOT_FOUND");
      assert.deepEqual([details.resource, details.reference], ["sub-account", "nowhere"]);
      assertRefused(await post(allowed, "frozen"), 403, "SUB_ACCOUNT_SUSPENDED");
      assertRefused(await post(allowed, "loja-1"), 400, "VALIDATION_ERROR");
    });
  });

  test("a reference has 2 to 32 of the characters of the pattern", {
    rules: ["call.sub-account", "limit.sub-account.reference"],
  }, async () => {
    const get = (reference: string) => gateway.merchant.get("/account", as(reference));
    await nothingMoves(gateway, async () => {
      for (const reference of [
        "",
        "a",
        "a".repeat(33),
        "-a",
        "_a",
        "A1",
        "Principal",
        "PRINCIPAL",
        "a b",
        "a.b",
        "a/b",
        "ação",
        "loja-1,loja-2",
        "%61a",
      ]) {
        assertRefused(await get(reference), 400, "SUB_ACCOUNT_INVALID_REFERENCE", reference);
      }
      for (const reference of ["aa", "0-", "9_", "a".repeat(32), "loja-3"]) {
        assertRefused(await get(reference), 404, "SUB_ACCOUNT_NOT_FOUND", reference);
      }
    });
    assert.equal((await get("loja-1")).status, 200);
  });

  test("principal is the main account and needs no option", { rules: ["call.sub-account.principal"] }, async () => {
    const { client } = await loggedIn();
    const created = await client.post<Charge>("/pix", base, as("principal"));
    assert.equal(created.status, 201, created.text);
    assert.equal((await client.get(`/transactions/${created.body.id}`)).status, 200);
    assert.equal((await client.get(`/transactions/${created.body.id}`, as("principal"))).status, 200);
  });

  test("a wallet sees, pays and is credited with its own charges only", async () => {
    const { merchant } = gateway;
    const balance = async (options = {}) =>
      (await merchant.get<Balance>("/account", options)).body.balance.available.amount;
    const key = "one-key-two-wallets";
    const here = await merchant.post<Charge>("/pix", { ...base, externalReference: "mine" }, as("loja-1", key));
    assert.equal(here.status, 201, here.text);
    const main = await merchant.post<Charge>(
      "/pix",
      { ...base, externalReference: "mine" },
      { headers: { "idempotency-key": key } },
    );
    assert.notEqual(main.body.id, here.body.id);
    await nothingMoves(gateway, async () => {
      for (const options of [{}, as("loja-2"), as("principal")]) {
        assertRefused(await merchant.get(`/transactions/${here.body.id}`, options), 404, "RESOURCE_NOT_FOUND");
        assertRefused(await merchant.post(`/sandbox/pix/${here.body.id}/pay`, {}, options), 404, "RESOURCE_NOT_FOUND");
      }
    });
    for (const reference of ["mine", key, here.body.id]) {
      assert.equal((await merchant.get<Charge>(`/transactions/${reference}`, as("loja-1"))).body.id, here.body.id);
    }
    assert.equal((await merchant.get<Charge>("/transactions/mine")).body.id, main.body.id);
    const before = [await balance(), await balance(as("loja-2"))];
    assert.equal((await merchant.post(`/sandbox/pix/${here.body.id}/pay`, {}, as("loja-1"))).status, 200);
    assert.equal(await balance(as("loja-1")), 950);
    assert.deepEqual([await balance(), await balance(as("loja-2"))], before);
  });

  test("a suspended sub-account can do nothing but pay in the sandbox, and its earlier charges are credited", async () => {
    const { db } = gateway.running.ctx;
    const { merchant } = gateway;
    const charge = await merchant.post<Charge>("/pix", base, as("loja-2"));
    await db.query(sql`update wallets set status = 'suspended' where reference = 'loja-2'`);
    await nothingMoves(gateway, async () => {
      assertRefused(await merchant.post("/pix", base, as("loja-2")), 403, "SUB_ACCOUNT_SUSPENDED");
      assertRefused(await merchant.get("/account", as("loja-2")), 403, "SUB_ACCOUNT_SUSPENDED");
      assertRefused(await merchant.get(`/transactions/${charge.body.id}`, as("loja-2")), 403, "SUB_ACCOUNT_SUSPENDED");
      assertRefused(
        await merchant.post("/webhook-endpoints", { url: "https://a.example" }, as("loja-2")),
        403,
        "SUB_ACCOUNT_SUSPENDED",
      );
    });
    const paid = await merchant.post(`/sandbox/pix/${charge.body.id}/pay`, undefined, as("loja-2"));
    assert.deepEqual([paid.status, paid.body.status], [200, "completed"]);
    await db.query(sql`update wallets set status = 'approved' where reference = 'loja-2'`);
    assert.equal((await merchant.get<Balance>("/account", as("loja-2"))).body.balance.available.amount, 950);
  });
});

describe("A suspended account", () => {
  test("can be read and not written, is credited with earlier charges, and works again when it is approved", async () => {
    const account = await gateway.operator.post<{ id: string }>("/accounts", { name: "To be suspended" });
    const { client, clientId, clientSecret } = await loggedIn({ accountId: account.body.id, subAccountAccess: true });
    const charge = await client.post<Charge>("/pix", base);
    assert.equal(charge.status, 201, charge.text);
    const move = async (status: string, works: boolean) => {
      assert.equal((await gateway.operator.patch(`/accounts/${account.body.id}`, { status })).status, 200);
      await eventually(`${status} to be felt`, async () => ((await client.post("/pix", {})).status === 400) === works);
    };
    await move("suspended", false);
    await nothingMoves(gateway, async () => {
      const writes = [
        "/pix",
        "/webhook-endpoints",
        `/sandbox/pix/${charge.body.id}/pay`,
        `/sandbox/pix/${charge.body.id}/expire`,
      ];
      for (const path of writes) {
        for (const body of [base, {}, { url: "https://a.example" }]) {
          assertRefused(await client.post(path, body), 403, "ACCOUNT_SUSPENDED", path);
        }
      }
    });
    assert.equal((await client.get<{ account: { status: string } }>("/account")).body.account.status, "suspended");
    assert.equal((await client.get(`/transactions/${charge.body.id}`)).status, 200);
    assert.equal((await client.post("/auth", { client_id: clientId, client_secret: clientSecret })).status, 200);

    const { rows } = await gateway.running.ctx.db.query<{ txid: string }>(
      sql`select txid from charges where charge_id = ${charge.body.id}`,
    );
    assert.equal((await gateway.simulator.post(`/charges/${rows[0]!.txid}/pay`, {})).status, 200);
    await eventually("the payment to be credited", async () => {
      return (await client.get<Balance>("/account")).body.balance.available.amount === 1_000;
    });
    await move("approved", true);
    assert.equal((await client.post("/pix", base)).status, 201);
  });
});
