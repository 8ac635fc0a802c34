/** People: invitations, passwords, roles, and what ends a session. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { Client } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PASSWORD = "um cavalo correto grampeia";
let gateway: TestGateway;
let admin: Browser;
let accountId: string;

/** Invites somebody below a path and uses the link. */
async function invited(path: string, email: string, role: string): Promise<Browser> {
  return new Browser(gateway).use(await invitation(path, email, role));
}
async function invitation(path: string, email: string, role: string): Promise<string> {
  const made = await admin.send<{ link: string }>("POST", path, { email, role });
  assert.equal(made.status, 201, made.text);
  return made.body.link.split("#link=")[1]!;
}
const of = (browser: Browser, method: string, path: string, body?: unknown) =>
  browser.send(method, path, body, { headers: { "x-pixgate-account": accountId } });
const idOf = async (browser: Browser) =>
  (await browser.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person.id;

before(async () => {
  gateway = await startGateway({ PIXGATE_SESSION_IDLE_MINUTES: "5", PIXGATE_SESSION_HOURS: "3" });
  admin = await new Browser(gateway).use(firstLink(gateway));
  accountId = await newAccount(gateway);
});
after(() => gateway.stop());

describe("an invitation", () => {
  test("gives its role in the one account, and nothing elsewhere", async () => {
    const viewer = await invited(`/console/api/accounts/${accountId}/people`, "Vera@Example.com", "viewer");
    assert.equal((await of(viewer, "GET", "/v2/account")).status, 200);
    assertRefused(await of(viewer, "POST", "/v2/pix", { amount: 1 }), 403, "PERMISSION_DENIED");
    assertRefused(await viewer.send("GET", "/operator/v1/accounts"), 403, "PERMISSION_DENIED");
    const elsewhere = { headers: { "x-pixgate-account": gateway.sandbox.accountId } };
    assertRefused(await viewer.send("GET", "/v2/account", undefined, elsewhere), 403, "PERMISSION_DENIED");
    const people = `/console/api/accounts/${accountId}/people`;
    assertRefused(await viewer.send("GET", people), 403, "PERMISSION_DENIED");
    assertRefused(
      await viewer.send("POST", people, { email: "x@example.com", role: "owner" }),
      403,
      "PERMISSION_DENIED",
    );
    assertRefused(await viewer.send("GET", "/console/api/people"), 403, "PERMISSION_DENIED");
    const listed = await admin.send<{ items: { email: string; role: string }[] }>("GET", people);
    assert.deepEqual(
      listed.body.items.map(({ email, role }) => [email, role]),
      [["vera@example.com", "viewer"]],
    );
  });

  test("shows its account when somebody was last seen, until they belong elsewhere too, and their own always to who asks", async () => {
    const seen = async (path: string, email: string) => {
      const listed = await admin.send<{ items: { email: string; lastSeenAt: string | null }[] }>("GET", path);
      return listed.body.items.find((member) => member.email === email)!.lastSeenAt;
    };
    const here = `/console/api/accounts/${accountId}/people`;
    await invited(here, "duda@example.com", "viewer");
    assert.ok(Date.parse((await seen(here, "duda@example.com"))!) <= Date.now());
    const browser = new Browser(gateway);
    await browser.use(await invitation(here, "rui@example.com", "viewer"));
    const elsewhere = `/console/api/accounts/${await newAccount(gateway)}/people`;
    await browser.use(await invitation(elsewhere, "rui@example.com", "viewer"));
    assert.deepEqual([await seen(here, "rui@example.com"), await seen(elsewhere, "rui@example.com")], [null, null]);
    assert.notEqual(await seen(here, "duda@example.com"), null);
    const owner = new Browser(gateway);
    await owner.use(await invitation(here, "otavia@example.com", "owner"));
    await owner.use(await invitation(elsewhere, "otavia@example.com", "viewer"));
    const { body } = await owner.send<{ items: { email: string; lastSeenAt: string | null }[] }>("GET", here);
    assert.notEqual(body.items.find(({ email }) => email === "otavia@example.com")!.lastSeenAt, null);
  });

  test("works once", async () => {
    const token = await invitation(`/console/api/accounts/${accountId}/people`, "once@example.com", "viewer");
    await new Browser(gateway).use(token);
    assertRefused(await new Browser(gateway).send("POST", "/console/api/session/link", { token }), 401, "LINK_INVALID");
  });

  test("of somebody who exists signs in nobody else", async () => {
    const path = `/console/api/accounts/${accountId}/people`;
    const ana = await invited(path, "ana@example.com", "viewer");
    const token = await invitation("/console/api/people", "ana@example.com", "admin");
    for (const other of [new Browser(gateway), admin]) {
      const before = other.cookie;
      assertRefused(await other.send("POST", "/console/api/session/link", { token }), 401, "SIGN_IN_REQUIRED");
      assert.equal(other.cookie, before);
    }
    const before = ana.cookie;
    await ana.use(token);
    assert.notEqual(ana.cookie, before);
    assert.equal((await ana.send("GET", "/operator/v1/tokens")).status, 200);
  });
});

describe("a role that changes", () => {
  test("ends the sessions of its person at once, as does a removal", async () => {
    const path = `/console/api/accounts/${accountId}/people`;
    const bia = await invited(path, "bia@example.com", "owner");
    const id = await idOf(bia);
    assertInvalid(await bia.send("PATCH", `${path}/${id}`, { role: "viewer" }), ["personId"]);
    assert.equal((await admin.send("PATCH", `${path}/${id}`, { role: "viewer" })).status, 200);
    assertRefused(await of(bia, "GET", "/v2/account"), 401, "TOKEN_INVALID");
    const caio = await invited(path, "caio@example.com", "owner");
    assert.equal((await admin.send("DELETE", `${path}/${await idOf(caio)}`)).status, 200);
    assertRefused(await of(caio, "GET", "/v2/account"), 401, "TOKEN_INVALID");
    const { rows } = await gateway.owner.query<{ action: string; actor: string }>(sql`
      select action, actor from audit_log where account_id = ${accountId} and action in ('person.role', 'person.remove') order by 1`);
    assert.deepEqual(
      rows.map(({ action }) => action),
      ["person.remove", "person.role"],
    );
    assert.match(rows[0]!.actor, /^Admin </);
  });
});

describe("a role that is changed", () => {
  const path = "/console/api/people";
  /** How many statements wait for a lock. */
  const waiting = () => waitingForLocks(gateway.databaseUrl);

  test("is not brought back by an invitation of before that nobody used", async () => {
    const gabi = await new Browser(gateway).use(await invitation(path, "gabi@example.com", "admin"));
    const second = await invitation(path, "gabi@example.com", "admin");
    const id = await idOf(gabi);
    assert.equal((await gabi.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    assert.equal((await admin.send("PATCH", `${path}/${id}`, { role: "support" })).status, 200);
    const again = { email: "gabi@example.com", password: PASSWORD };
    assert.equal((await gabi.send("POST", "/console/api/session/password", again)).status, 200);
    assertRefused(await gabi.send("POST", "/console/api/session/link", { token: second }), 401, "LINK_INVALID");
    assertRefused(await gabi.send("GET", "/operator/v1/tokens"), 403, "PERMISSION_DENIED");
  });

  test("of two who remove each other at once stays with one of them", async () => {
    const [heitor, iara] = [
      await invited(path, "heitor@example.com", "admin"),
      await invited(path, "iara@example.com", "admin"),
    ];
    const [a, b] = [await idOf(heitor), await idOf(iara)];
    // Both calls are admitted before either changes anything.
    const { answers } = await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from people where person_id in (${a}, ${b}) for update`);
      const answers = [heitor.send("DELETE", `${path}/${b}`), iara.send("DELETE", `${path}/${a}`)];
      await eventually("both calls to wait", async () => (await waiting()) === 2);
      return { answers };
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 401]);
    const listed = await admin.send<{ items: { personId: string }[] }>("GET", path);
    assert.equal(listed.body.items.filter(({ personId }) => personId === a || personId === b).length, 1);
  });

  test("ends a call of the person's that was admitted before: no password is chosen by it", async () => {
    const joana = await invited(path, "joana@example.com", "admin");
    const id = await idOf(joana);
    const { answer } = await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from people where person_id = ${id} for update`);
      const answer = joana.send("POST", "/console/api/me/password", { password: PASSWORD });
      await eventually("the call to wait", async () => (await waiting()) === 1);
      // What a recovery or a change of the role does meanwhile.
      await tx.query(sql`update sessions set ended_at = ${new Date()} where person_id = ${id}`);
      return { answer };
    });
    assertRefused(await answer, 401, "TOKEN_INVALID");
    const { rows } = await gateway.owner.query<{ password_hash: string | null }>(sql`
      select password_hash from people where person_id = ${id}`);
    assert.equal(rows[0]!.password_hash, null);
  });
});

describe("a password", () => {
  let dora: Browser;
  const signIn = (email: string, password: string, browser = new Browser(gateway)) =>
    browser.send("POST", "/console/api/session/password", { email, password });
  before(async () => {
    dora = await invited(`/console/api/accounts/${accountId}/people`, "dora@example.com", "finance");
    assert.equal((await dora.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
  });

  test("signs in again, and is stored as a hash", async () => {
    assert.equal((await signIn("Dora@Example.com", PASSWORD)).status, 200);
    const { rows } = await gateway.owner.query<{ hash: string }>(
      sql`select password_hash as hash from people where email = 'dora@example.com'`,
    );
    assert.match(rows[0]!.hash, /^argon2id\$19456,2,1\$[\w-]{22}\$[\w-]{43}$/);
  });

  test("has fifteen characters, and a wrong one or an unknown address are refused alike", async () => {
    assertInvalid(await dora.send("POST", "/console/api/me/password", { password: "short" }), ["password"]);
    assertRefused(await signIn("dora@example.com", "wrong"), 401, "INVALID_CREDENTIALS");
    assertRefused(await signIn("nobody@example.com", PASSWORD), 401, "INVALID_CREDENTIALS");
    assertRefused(await signIn("vera@example.com", PASSWORD), 401, "INVALID_CREDENTIALS");
  });

  test("confirms a sign-in, which gets another cookie", async () => {
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    const wanted = { amount: 1, pixKey: "52998224725", pixKeyType: "cpf" };
    assertRefused(await of(dora, "POST", "/v2/withdrawals", wanted), 403, "FRESH_SIGN_IN_REQUIRED");
    const before = dora.cookie;
    assertRefused(
      await dora.send("POST", "/console/api/session/confirm", { password: "wrong" }),
      401,
      "INVALID_CREDENTIALS",
    );
    const confirmed = await dora.send("POST", "/console/api/session/confirm", { password: PASSWORD });
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.notEqual(dora.cookie, before);
    assert.notEqual((await of(dora, "POST", "/v2/withdrawals", wanted)).status, 403);
    const old = await dora.send("GET", "/console/api/session", undefined, {
      headers: { cookie: `pixgate_session=${before}` },
    });
    assertRefused(old, 401, "TOKEN_INVALID");
  });

  test("cannot be guessed: after ten tries even the right one waits", async () => {
    await invited(`/console/api/accounts/${accountId}/people`, "eva@example.com", "viewer");
    for (let i = 0; i < 10; i += 1)
      assertRefused(await signIn("eva@example.com", `wrong ${i}`), 401, "INVALID_CREDENTIALS");
    assert.equal((await signIn("eva@example.com", "wrong")).status, 429);
    assert.equal((await signIn("dora@example.com", PASSWORD)).status, 200);
  });
});

describe("one's own sessions", () => {
  test("last as long as the settings say", async () => {
    const ivo = await invited(`/console/api/accounts/${accountId}/people`, "ivo@example.com", "viewer");
    const { expiresAt } = (await ivo.send<{ expiresAt: string }>("GET", "/console/api/session")).body;
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
    assert.ok(hours > 2.9 && hours <= 3, expiresAt);
    const idleFor = (minutes: number) =>
      gateway.owner.query(sql`
        update sessions set seen_at = ${new Date(Date.now() - minutes * 60_000)}
        where token_hash = sha256(${Buffer.from(ivo.cookie!)})`);
    await idleFor(4);
    assert.equal((await ivo.send("GET", "/console/api/session")).status, 200);
    await idleFor(6);
    assertRefused(await ivo.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
  });

  test("are listed, and ended by their owner only", async () => {
    const first = await invited(`/console/api/accounts/${accountId}/people`, "gil@example.com", "viewer");
    assert.equal((await first.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    const second = new Browser(gateway);
    await second.send("POST", "/console/api/session/password", { email: "gil@example.com", password: PASSWORD });
    const { body } = await second.send<{ items: { id: string; current: boolean }[] }>("GET", "/console/api/sessions");
    assert.deepEqual(
      body.items.map(({ current }) => current),
      [true, false],
    );
    const other = body.items[1]!.id;
    assertRefused(await admin.send("DELETE", `/console/api/sessions/${other}`), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await first.send("GET", "/console/api/session")).status, 200);
    assert.equal((await second.send("DELETE", `/console/api/sessions/${other}`)).status, 204);
    assertRefused(await first.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
  });
});

describe("the audit log", () => {
  test("has every sign-in and its end, and what was changed of how one signs in; all other sessions end by one call", async () => {
    const nora = await invited(`/console/api/accounts/${accountId}/people`, "nora@example.com", "viewer");
    assert.equal((await nora.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    const at = [new Browser(gateway), new Browser(gateway)];
    for (const browser of at) {
      const given = { email: "nora@example.com", password: PASSWORD };
      assert.equal((await browser.send("POST", "/console/api/session/password", given)).status, 200);
    }
    assertRefused(
      await new Browser(gateway).send("POST", "/console/api/session/password", {
        email: "nora@example.com",
        password: "x",
      }),
      401,
      "INVALID_CREDENTIALS",
    );
    const ended = await nora.send<{ ended: number }>("DELETE", "/console/api/sessions");
    assert.deepEqual([ended.status, ended.body.ended], [200, 2], ended.text);
    for (const browser of at) assertRefused(await browser.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
    assert.equal((await nora.send("GET", "/console/api/session")).status, 200);
    assert.equal((await nora.send("DELETE", "/console/api/session")).status, 204);
    type Entry = { actor: string; action: string; after: { by?: string; address?: string } };
    const { rows } = await gateway.owner.query<Entry>(sql`
      select a.actor, a.action, a.after from audit_log a join people p on p.person_id = a.object_id
      where p.email = 'nora@example.com' order by a.seq`);
    assert.deepEqual(
      rows.map(({ action, after }) => [action, after.by]),
      [
        ["person.sign-in", "link"],
        ["person.password", undefined],
        ["person.sign-in", "password"],
        ["person.sign-in", "password"],
        ["person.session-ended", undefined],
        ["person.sign-out", undefined],
      ],
    );
    for (const { actor } of rows) assert.match(actor, /<nora@example.com>$/);
    assert.equal(rows[0]!.after.address, "127.0.0.1");
  });
});

describe("an account's credentials", () => {
  type Made = { id: string; clientId: string; clientSecret: string };
  type Listed = { id: string; name: string; revokedAt: string | null };
  const login = ({ clientId, clientSecret }: Made) => new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret);
  let path: string;
  let owner: Browser;
  let developer: Browser;
  let viewer: Browser;
  const make = (browser: Browser, permissions: string[], more: object = {}) =>
    browser.send<Made>("POST", path, { name: "Shop", permissions, ...more });
  const list = async () => (await owner.send<{ items: Listed[] }>("GET", path)).body.items;
  /** Asserts that a refusal changed nothing of the credentials. */
  async function refused(code: string, status: number, call: () => ReturnType<Browser["send"]>): Promise<void> {
    const stored = () => gateway.owner.query(sql`select * from credentials order by credential_id`);
    const before = (await stored()).rows;
    assertRefused(await call(), status, code);
    assert.deepEqual((await stored()).rows, before);
  }

  before(async () => {
    path = `/console/api/accounts/${accountId}/credentials`;
    const people = `/console/api/accounts/${accountId}/people`;
    owner = await invited(people, "keys-owner@example.com", "owner");
    developer = await invited(people, "keys-developer@example.com", "developer");
    viewer = await invited(people, "keys-viewer@example.com", "viewer");
  });

  test("are made, named, given a new secret and ended by its people", async () => {
    const made = await make(owner, ["FULL_ACCESS"], { allowedIps: ["192.0.2.0/24"] });
    assert.equal(made.status, 201, made.text);
    const client = await login(made.body);
    const one = `${path}/${made.body.id}`;
    assert.equal((await owner.send<Listed>("PATCH", one, { name: " Loja " })).body.name, "Loja");
    const rotated = await owner.send<Made>("POST", `${one}/rotate`);
    assert.equal(rotated.status, 200, rotated.text);
    await assert.rejects(login(made.body), /no token/);
    await login({ ...rotated.body });
    assert.equal(JSON.stringify(await list()).includes("pgs_"), false, "a secret is shown once");
    assert.equal((await owner.send("DELETE", one)).status, 204);
    assert.equal((await owner.send("DELETE", one)).status, 204);
    await eventually("its token to be refused", async () => (await client.get("/account")).status === 401);
    await refused("CREDENTIAL_REVOKED", 400, () => owner.send("POST", `${one}/rotate`));
    const shown = (await list()).find(({ id }) => id === made.body.id)!;
    assert.deepEqual([shown.name, shown.revokedAt === null], ["Loja", false]);
    const log = await admin.send<{ items: { action: string; actor: string; objectId: string }[] }>(
      "GET",
      `/operator/v1/audit-log?accountId=${accountId}`,
    );
    assert.deepEqual(
      log.body.items.filter(({ objectId }) => objectId === made.body.id).map(({ action }) => action),
      ["credential.revoke", "credential.rotate", "credential.rename", "credential.create"],
    );
  });

  test("never let a person do more than their role does", async () => {
    const own = await make(developer, ["PIX:WRITE", "TRANSACTION:READ"]);
    assert.equal(own.status, 201, own.text);
    const strong = await make(owner, ["WITHDRAWAL:WRITE"]);
    await refused("PERMISSION_DENIED", 403, () => make(developer, ["PIX:WRITE", "WITHDRAWAL:WRITE"]));
    await refused("PERMISSION_DENIED", 403, () => make(developer, ["FULL_ACCESS"]));
    await refused("PERMISSION_DENIED", 403, () => developer.send("POST", `${path}/${strong.body.id}/rotate`));
    assert.equal((await developer.send("POST", `${path}/${own.body.id}/rotate`)).status, 200);
    await refused("PERMISSION_DENIED", 403, () => viewer.send("GET", path));
    await refused("PERMISSION_DENIED", 403, () => make(viewer, ["TRANSACTION:READ"]));
    await refused("PERMISSION_DENIED", 403, () => viewer.send("DELETE", `${path}/${own.body.id}`));
    await refused("PERMISSION_DENIED", 403, () => viewer.send("PATCH", `${path}/${own.body.id}`, { name: "x" }));
  });

  test("are of their own account only, and need a fresh sign-in", async () => {
    const made = await make(owner, ["PIX:WRITE"]);
    const other = `/console/api/accounts/${gateway.sandbox.accountId}/credentials`;
    await refused("PERMISSION_DENIED", 403, () => owner.send("GET", other));
    await refused("PERMISSION_DENIED", 403, () => owner.send("POST", other, { name: "x", permissions: ["PIX:WRITE"] }));
    // The sandbox's owner names this account's credential below their own.
    await refused("RESOURCE_NOT_FOUND", 404, () => admin.send("DELETE", `${other}/${made.body.id}`));
    await refused("RESOURCE_NOT_FOUND", 404, () => admin.send("POST", `${other}/${made.body.id}/rotate`));
    const wrong = await make(owner, ["PIX:WRITE"], { allowedIps: ["nowhere"] });
    assertInvalid(wrong, ["allowedIps[0]"]);
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    await refused("FRESH_SIGN_IN_REQUIRED", 403, () => make(owner, ["PIX:WRITE"]));
    await refused("FRESH_SIGN_IN_REQUIRED", 403, () => owner.send("POST", `${path}/${made.body.id}/rotate`));
    await refused("FRESH_SIGN_IN_REQUIRED", 403, () => owner.send("DELETE", `${path}/${made.body.id}`));
  });
});

describe("the table of roles", () => {
  type Document = { paths: Record<string, Record<string, { "x-role"?: string; "x-permission"?: string }>> };
  type Table = { installation: Record<string, string[]>; account: Record<string, string[]> };
  const ID = "00000000-0000-7000-8000-000000000000";
  /** Every call of a document, with what it needs; ids are nobody's. */
  async function callsOf(path: string) {
    const { paths } = (await admin.send<Document>("GET", path)).body;
    return Object.entries(paths).flatMap(([route, methods]) =>
      Object.entries(methods).map(([method, { "x-role": role, "x-permission": permission }]) => ({
        method: method.toUpperCase(),
        path: route.replaceAll(/\{[^}]*\}/g, ID),
        needs: permission ?? (role && `${role.toUpperCase()}:${method === "get" ? "READ" : "WRITE"}`),
      })),
    );
  }
  /** Sends each call with a body that nothing accepts, so that who may call changes nothing either. */
  async function walk(browser: Browser, calls: Awaited<ReturnType<typeof callsOf>>, granted: readonly string[]) {
    const wrong: string[] = [];
    for (const { method, path, needs } of calls) {
      if (needs === undefined) continue;
      const reply = await of(browser, method, path, method === "GET" ? undefined : { "no such field": 1 });
      const { code } = (reply.body as { details?: { code?: string } }).details ?? {};
      const may = code !== "PERMISSION_DENIED";
      if (may !== granted.includes(needs)) wrong.push(`${method} ${path} ${needs}: ${reply.status} ${code}`);
    }
    assert.deepEqual(wrong, []);
  }

  test("of finance makes no project and no sub-account, and changes none", async () => {
    const made = { name: "Loja Centro", reference: "loja-centro" };
    const finance = await invited(`/console/api/accounts/${accountId}/people`, "flora@example.com", "finance");
    const owner = await invited(`/console/api/accounts/${accountId}/people`, "olga@example.com", "owner");
    assert.equal((await of(owner, "POST", "/v2/sub-accounts", made)).status, 201);
    const places = ["/v2/projects", "/v2/sub-accounts"];
    const shown = () => Promise.all(places.map(async (path) => (await of(finance, "GET", path)).text));
    const before = await shown();
    for (const [method, path, body] of [
      ["POST", "/v2/projects", { name: "Campanha" }],
      ["POST", "/v2/sub-accounts", { name: "Loja Sul", reference: "loja-sul" }],
      ["PATCH", "/v2/sub-accounts/loja-centro", { name: "Outra" }],
    ] as const) {
      assertRefused(await of(finance, method, path, body), 403, "PERMISSION_DENIED", path);
    }
    assert.deepEqual(await shown(), before);
  });

  test("decides about every route of both APIs for every role, and no more", async () => {
    const table = (await admin.send<Table>("GET", "/console/api/roles")).body;
    assert.deepEqual(Object.keys(table.installation), ["support", "finance", "admin", "auditor"]);
    assert.deepEqual(Object.keys(table.account), ["owner", "finance", "developer", "support", "viewer"]);
    assert.ok(table.installation.auditor!.every((permission) => permission.endsWith(":READ")));
    assert.ok(table.account.viewer!.every((permission) => permission.endsWith(":READ")));
    const [operators, merchants] = [await callsOf("/operator/v1/openapi.json"), await callsOf("/openapi.json")];
    assert.ok(operators.length > 50 && merchants.length > 40, `${operators.length} ${merchants.length}`);
    for (const [role, granted] of Object.entries(table.installation)) {
      await walk(await invited("/console/api/people", `${role}@walk.example`, role), operators, granted);
    }
    for (const [role, granted] of Object.entries(table.account)) {
      const path = `/console/api/accounts/${accountId}/people`;
      await walk(await invited(path, `${role}@account.example`, role), merchants, granted);
    }
  });
});
