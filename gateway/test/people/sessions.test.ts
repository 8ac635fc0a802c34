/** Sessions of people: the first link, the cookie, what it opens, and what ends it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newcomersUrl } from "../../src/people/link.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type SignedIn = {
  person: { id: string; name: string; email: string | null };
  csrfToken: string;
  environment: string;
  installationRole: string | null;
  accounts: { accountId: string; name: string; role: string }[];
  permissions: Record<string, string[]>;
  expiresAt: string;
  freshUntil: string | null;
  twoPersons?: boolean;
  twoPersonsAbove?: number | null;
};

let gateway: TestGateway;
let newcomer: Browser;
/** Headers of a call to an account's API. */
const forAccount = (accountId: string) => ({ headers: { "x-pixgate-account": accountId } });
const freshLink = async () => (await newcomersUrl(gateway.running.ctx, ""))!.split("#link=")[1]!;
/** A browser with a session of its own. */
async function signIn(): Promise<Browser> {
  const browser = new Browser(gateway);
  return browser.use(await freshLink());
}
/** Somebody who has a role in an account, and none in the installation. */
async function personIn(accountId: string): Promise<Browser> {
  const person = { email: `${randomUUID()}@example.com`, role: "owner", accountId };
  const { link } = (await gateway.operator.post<{ link: string }>("/people", person)).body;
  return new Browser(gateway).use(link.split("#link=")[1]!);
}
const count = async (table: "sessions" | "withdrawals" | "operator_tokens" | "webhook_endpoints") =>
  (await gateway.owner.query<{ n: number }>({ text: `select count(*)::int as n from ${table}`, values: [] })).rows[0]!
    .n;

before(async () => {
  gateway = await startGateway();
  newcomer = await new Browser(gateway).use(firstLink(gateway));
});
after(() => gateway.stop());

describe("the first link of a sandbox", () => {
  test("signs a newcomer in as admin of the installation and owner of the sandbox's account", async () => {
    const { status, body } = await newcomer.send<SignedIn>("GET", "/console/api/session");
    assert.equal(status, 200);
    assert.equal(body.installationRole, "admin");
    assert.equal(body.environment, "sandbox");
    assert.deepEqual(body.accounts, [{ accountId: gateway.sandbox.accountId, name: "Loja Girassol", role: "owner" }]);
    assert.ok(body.permissions[gateway.sandbox.accountId]!.includes("WITHDRAWAL:WRITE"));
    assert.equal(body.freshUntil, body.expiresAt);
    assert.deepEqual([body.twoPersons, body.twoPersonsAbove], [false, null]);
  });

  test("says to people of accounts alone nothing of how the installation's own people decide", async () => {
    const member = await personIn(await newAccount(gateway));
    const { body } = await member.send<SignedIn>("GET", "/console/api/session");
    assert.equal(body.installationRole, null);
    assert.equal("twoPersons" in body || "twoPersonsAbove" in body, false);
  });

  test("works once, and gives a stranger nothing", async () => {
    const before = await count("sessions");
    const stranger = new Browser(gateway);
    for (const token of [firstLink(gateway), "no-such-link"]) {
      assertRefused(await stranger.send("POST", "/console/api/session/link", { token }), 401, "LINK_INVALID");
    }
    assert.equal(stranger.cookie, null);
    assert.equal(await count("sessions"), before);
  });

  test("gives a cookie that no script reads and no other site sends", async () => {
    const browser = new Browser(gateway);
    const token = await freshLink();
    const reply = await browser.send("POST", "/console/api/session/link", { token });
    const [session, device, ...others] = reply.headers.getSetCookie();
    assert.match(session!, /^pixgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.match(
      device!,
      /^pixgate_device=[\w-]{22}\.[\w-]{22}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(others.length, 0);
    const { rows } = await gateway.owner.query<{ row: string }>(sql`select s::text as row from sessions s`);
    assert.ok(!rows.some(({ row }) => row.includes(browser.cookie!)), "the cookie itself is stored");
  });
});

describe("a session", () => {
  test("is accepted by both APIs in place of a token", async () => {
    const { accountId } = gateway.sandbox;
    const charge = await newcomer.send<{ id: string }>(
      "POST",
      "/v2/pix",
      { amount: 12.5, description: "Coffee" },
      forAccount(accountId),
    );
    assert.equal(charge.status, 201, charge.text);
    const shown = await newcomer.send("GET", `/v2/transactions/${charge.body.id}`, undefined, forAccount(accountId));
    assert.equal(shown.status, 200, shown.text);
    assert.equal((await newcomer.send("GET", "/operator/v1/accounts")).status, 200);
  });

  test("approves a withdrawal that somebody else asked for, and neither as owner nor as operator one of its own person", async () => {
    const { accountId } = gateway.sandbox;
    const to = { pixKey: "maria@example.com", pixKeyType: "email", holderName: "Maria", amount: 10 };
    const order = { ...to, holderDocument: "12345678909", holderDocumentType: "cpf" };
    const given = { amount: 100, balance: "available", reason: "A test" };
    assert.equal((await gateway.operator.post(`/accounts/${accountId}/adjustments`, given)).status, 201);
    const policy = (approvalAbove: number | null) =>
      gateway.operator.patch(`/accounts/${accountId}`, { payouts: { approvalAbove } });
    assert.equal((await policy(1)).status, 200);
    const own = await newcomer.send<{ id: string }>("POST", "/v2/withdrawals", order, forAccount(accountId));
    assert.equal(own.status, 201, own.text);
    const path = `/withdrawals/${own.body.id}`;
    for (const what of ["approve", "reject"]) {
      const asOwner = await newcomer.send("POST", `/v2${path}/${what}`, undefined, forAccount(accountId));
      assertRefused(asOwner, 403, "APPROVAL_BY_CREATOR");
      assertRefused(await newcomer.send("POST", `/operator/v1${path}/${what}`), 403, "APPROVAL_BY_CREATOR");
    }
    type Shown = { status: string; pendingReason?: string };
    assert.equal((await gateway.merchant.get<Shown>(path)).body.pendingReason, "awaiting_approval");
    assert.equal((await gateway.merchant.post(`${path}/approve`)).status, 200, "a credential is somebody else");
    const theirs = await gateway.merchant.post<{ id: string }>("/withdrawals", order);
    const approve = `/v2/withdrawals/${theirs.body.id}/approve`;
    const approved = await newcomer.send<Shown>("POST", approve, undefined, forAccount(accountId));
    assert.deepEqual([approved.status, approved.body.pendingReason], [200, undefined], approved.text);
    const forThem = await gateway.merchant.post<{ id: string }>("/withdrawals", order);
    assert.equal((await newcomer.send("POST", `/operator/v1/withdrawals/${forThem.body.id}/approve`)).status, 200);
    assert.equal((await policy(null)).status, 200);
  });

  test("is needed where no token comes: 401", async () => {
    const stranger = new Browser(gateway);
    for (const path of ["/console/api/session", "/operator/v1/accounts", "/v2/account"]) {
      assertRefused(await stranger.send("GET", path), 401, "TOKEN_MISSING");
    }
    stranger.cookie = "A".repeat(43);
    for (const path of ["/console/api/session", "/operator/v1/accounts", "/v2/account"]) {
      assertRefused(
        await stranger.send("GET", path, undefined, forAccount(gateway.sandbox.accountId)),
        401,
        "TOKEN_INVALID",
      );
    }
  });

  test("opens the accounts of its person: another one as a viewer, which its audit log says", async () => {
    const accountId = await newAccount(gateway);
    const seen = await newcomer.send("GET", "/v2/account", undefined, forAccount(accountId));
    assert.equal(seen.status, 200, seen.text);
    assertRefused(
      await newcomer.send("POST", "/v2/pix", { amount: 1 }, forAccount(accountId)),
      403,
      "PERMISSION_DENIED",
    );
    const { rows } = await gateway.owner.query<{ actor: string; action: string }>(sql`
      select actor, action from audit_log where account_id = ${accountId} and action like 'account.see%'`);
    assert.equal(rows.length, 1);
    assert.match(rows[0]!.actor, /^Admin <[0-9a-f-]{36}>$/);
    const nobodys = "00000000-0000-7000-8000-000000000000";
    assertRefused(await newcomer.send("GET", "/v2/account", undefined, forAccount(nobodys)), 403, "PERMISSION_DENIED");
    assertRefused(await newcomer.send("GET", "/v2/account"), 400, "VALIDATION_ERROR");
  });

  test("sees an account with one entry in its audit log, however many calls come at once, and again after one that failed", async () => {
    const accountId = await newAccount(gateway);
    const browser = await signIn();
    const visit = async () => {
      const calls = Array.from({ length: 9 }, () =>
        browser.send("GET", "/v2/account", undefined, forAccount(accountId)),
      );
      return new Set((await Promise.all(calls)).map(({ status }) => status));
    };
    const entries = async () =>
      (
        await gateway.owner.query(sql`
          select from audit_log where account_id = ${accountId} and action = 'account.see'`)
      ).rows.length;
    await gateway.owner.query(sql`
      alter table audit_log add constraint nobody_sees check (action <> 'account.see') not valid`);
    try {
      assert.deepEqual(await visit(), new Set([500]));
    } finally {
      await gateway.owner.query(sql`alter table audit_log drop constraint nobody_sees`);
    }
    assert.deepEqual(new Set(gateway.takeErrors()), new Set(["a request failed"]));
    assert.equal(await entries(), 0);
    assert.deepEqual(await visit(), new Set([200]));
    assert.equal(await entries(), 1);
    assert.deepEqual(await visit(), new Set([200]));
    assert.equal(await entries(), 1);
  });

  test("names its person in the audit log of what it changes", async () => {
    const made = await newcomer.send<{ id: string }>("POST", "/operator/v1/tokens", { name: "seen", role: "auditor" });
    assert.equal(made.status, 201, made.text);
    const { rows } = await gateway.owner.query<{ actor: string; action: string }>(sql`
      select actor, action from audit_log where object_id = ${made.body.id}
      union all select actor, action from audit_log where action = 'call.charges.create'`);
    assert.equal(rows.length, 2);
    for (const { actor } of rows) assert.match(actor, /^Admin </);
  });

  test("has in the audit log how much its person asked for in an account's name, and nothing that was invalid", async () => {
    const accountId = await newAccount(gateway);
    const member = await personIn(accountId);
    const send = (body: object) => member.send("POST", "/v2/transfers", body, forAccount(accountId));
    assertRefused(await send({ subAccount: "nobody", amount: "7" }), 400, "VALIDATION_ERROR");
    assertRefused(await send({ subAccount: "nobody", amount: 7.25 }), 404, "SUB_ACCOUNT_NOT_FOUND");
    const { rows } = await gateway.owner.query<{ action: string; after: object }>(sql`
      select action, after from audit_log where account_id = ${accountId} and action like 'call.%'`);
    assert.deepEqual(rows, [{ action: "call.transfers.create", after: { amount: 7.25 } }]);
  });

  test("ends when its person signs out: its cookie opens nothing", async () => {
    const browser = await signIn();
    const stolen = browser.cookie;
    const out = await browser.send("DELETE", "/console/api/session");
    assert.equal(out.status, 204);
    assert.match(out.headers.get("set-cookie")!, /^pixgate_session=; Max-Age=0;/);
    browser.cookie = stolen;
    assertRefused(await browser.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
    assertRefused(await browser.send("GET", "/operator/v1/accounts"), 401, "TOKEN_INVALID");
  });

  test("ends when it is idle, and after its whole time", async () => {
    for (const times of [
      sql`update sessions set seen_at = ${earlier("seen_at", "61 minutes")}`,
      sql`update sessions set expires_at = created_at`,
    ]) {
      const browser = await signIn();
      await gateway.owner.query({ ...times, text: `${times.text} where token_hash = sha256('${browser.cookie}')` });
      assertRefused(await browser.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
    }
  });
});

describe("a person whose sign-in is minutes old", () => {
  test("reads, but moves no money and sees no secret before it is confirmed", async () => {
    await gateway.owner.query(sql`update people set always_fresh = false`);
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    const account = forAccount(gateway.sandbox.accountId);
    const before = await Promise.all([count("withdrawals"), count("operator_tokens"), count("webhook_endpoints")]);
    const calls: [string, unknown][] = [
      ["/v2/withdrawals", { amount: 1, pixKey: "52998224725", pixKeyType: "cpf" }],
      ["/v2/webhook-endpoints", { url: "http://127.0.0.1:9/" }],
      ["/operator/v1/tokens", { name: "stale", role: "admin" }],
    ];
    for (const [path, body] of calls) {
      assertRefused(await newcomer.send("POST", path, body, account), 403, "FRESH_SIGN_IN_REQUIRED", path);
    }
    assert.equal((await newcomer.send("GET", "/v2/transactions", undefined, account)).status, 200);
    assert.deepEqual(
      await Promise.all([count("withdrawals"), count("operator_tokens"), count("webhook_endpoints")]),
      before,
    );
    await gateway.owner.query(sql`update people set always_fresh = true`);
  });
});

describe("a page of another site", () => {
  test("changes nothing: no header of ours, another origin", async () => {
    const browser = await signIn();
    const call = { amount: 1 };
    const account = forAccount(gateway.sandbox.accountId).headers;
    const charges = async () =>
      (await browser.send<{ items: unknown[] }>("GET", "/v2/transactions", undefined, { headers: account })).text;
    await eventually("the withdrawals of the tests before to be over", async () => {
      const { rows } = await gateway.owner.query(
        sql`select from withdrawals where status in ('pending', 'processing')`,
      );
      return rows.length === 0;
    });
    const before = await charges();
    const forged: Record<string, string>[] = [
      { "x-pixgate-csrf": "" },
      { "x-pixgate-csrf": "guessed" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: browser.origin.replace(/:\d+$/, ":1") },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of forged) {
      const sent = { headers: { ...account, ...headers } };
      assertRefused(await browser.send("POST", "/v2/pix", call, sent), 403, "CSRF_TOKEN_INVALID");
      assertRefused(
        await browser.send("POST", "/operator/v1/tokens", { name: "evil", role: "admin" }, sent),
        403,
        "CSRF_TOKEN_INVALID",
      );
      assertRefused(await browser.send("DELETE", "/console/api/session", undefined, sent), 403, "CSRF_TOKEN_INVALID");
    }
    assert.equal(await charges(), before);
    assert.equal((await browser.send("GET", "/console/api/session")).status, 200);
  });

  test("signs nobody in", async () => {
    const token = await freshLink();
    const evil = { headers: { origin: "https://evil.example" } };
    const victim = new Browser(gateway);
    assertRefused(await victim.send("POST", "/console/api/session/link", { token }, evil), 403, "CSRF_TOKEN_INVALID");
    await victim.use(token);
  });
});

describe("a session that somebody planted", () => {
  test("does not become the session of who signs in, and ends then", async () => {
    const attacker = await signIn();
    const planted = attacker.cookie!;
    const victim = new Browser(gateway);
    victim.cookie = planted;
    await victim.use(await freshLink());
    assert.notEqual(victim.cookie, planted);
    assertRefused(await attacker.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
  });

  test("beside another cookie of the name is none", async () => {
    const browser = await signIn();
    const cookie = `pixgate_session=${"A".repeat(43)}; pixgate_session=${browser.cookie}`;
    assertRefused(
      await browser.send("GET", "/console/api/session", undefined, { headers: { cookie } }),
      401,
      "TOKEN_MISSING",
    );
  });
});

describe("a cookie over https", () => {
  test("is bound to its host: what a sibling domain plants neither signs in nor out", async () => {
    const https = await startGateway({ PIXGATE_PUBLIC_URL: "https://pay.example.com" });
    try {
      const browser = await new Browser(https).use(firstLink(https));
      assert.deepEqual([...browser.jar.keys()], ["__Host-pixgate_session", "__Host-pixgate_device"]);
      const read = (cookie: string) => browser.send("GET", "/console/api/session", undefined, { headers: { cookie } });
      const own = `__Host-pixgate_session=${browser.cookie}`;
      const planted = `pixgate_session=${"A".repeat(43)}`;
      for (const cookie of [own, `${planted}; ${own}`, `${planted}; ${planted}; ${own}`]) {
        assert.equal((await read(cookie)).status, 200, cookie);
      }
      assertRefused(await read(`pixgate_session=${browser.cookie}`), 401, "TOKEN_MISSING");
      const out = await browser.send("DELETE", "/console/api/session");
      assert.match(
        out.headers.get("set-cookie")!,
        /^__Host-pixgate_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
    } finally {
      await https.stop();
    }
  });
});
