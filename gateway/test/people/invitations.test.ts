/** Open invitations: who sees them, who withdraws them, and what a further one to the same address does. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import type { Reply } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { ON_CLUSTER } from "../harness/on-cluster.ts";

type Open = {
  invitationId: string;
  email: string;
  name: string | null;
  role: string;
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
};

const INSTALLATION = "/console/api/people";
let gateway: TestGateway;
let admin: Browser;
/** Paths of the people of two accounts, and an owner of each. */
let [first, second] = ["", ""];
let [ana, bruno]: Browser[] = [];

async function invite(by: Browser, path: string, email: string, role: string, name?: string): Promise<string> {
  const made = await by.send<{ link: string }>("POST", path, { email, role, ...(name !== undefined && { name }) });
  assert.equal(made.status, 201, made.text);
  return made.body.link.split("#link=")[1]!;
}
const signIn = async (path: string, email: string, role: string, name?: string) =>
  new Browser(gateway).use(await invite(admin, path, email, role, name));
async function list(by: Browser, path: string): Promise<Open[]> {
  const listed = await by.send<{ items: Open[] }>("GET", below(path));
  assert.equal(listed.status, 200, listed.text);
  return listed.body.items;
}
const emails = async (path: string) => (await list(admin, path)).map(({ email }) => email);
/** Of the invitations to a place, by the path of its people. */
const below = (path: string) => path.replace(/people$/, "invitations");
const idOf = async (path: string, email: string) =>
  (await list(admin, path)).find((one) => one.email === email)!.invitationId;
const withdraw = (by: Browser, path: string, id: string) => by.send("DELETE", `${below(path)}/${id}`);
const use = (token: string) => new Browser(gateway).send("POST", "/console/api/session/link", { token });

/** A call again where its answer says so: a cluster locks tables of people whole, and may end one of two calls that wait for each other. */
async function repeated(call: () => Promise<Reply<unknown>>): Promise<Reply<unknown>> {
  const reply = await call();
  const { details } = (reply.body ?? {}) as { details?: { retryable?: boolean } };
  if (!ON_CLUSTER) return reply;
  return reply.status === 500 && details?.retryable === true ? call() : reply;
}

/** Every link, and the audit log. */
async function stored(): Promise<unknown> {
  const { rows: links } = await gateway.owner.query(sql`select * from sign_in_links order by link_id`);
  const { rows: entries } = await gateway.owner.query(sql`select audit_id from audit_log order by audit_id`);
  return { links, entries };
}
/** Asserts that a call is refused, and has changed neither a link nor the audit log. */
async function refused(status: number, code: string, call: () => Promise<Reply<unknown>>, what = ""): Promise<void> {
  const before = await stored();
  assertRefused(await call(), status, code, what);
  assert.deepEqual(await stored(), before, what);
}
async function noted(action: string, objectId: string): Promise<{ account: string; actor: string }[]> {
  const { rows } = await gateway.owner.query<{ account: string; actor: string; before: unknown; after: unknown }>(sql`
    select account_id as account, actor, before, after from audit_log where action = ${action} and object_id = ${objectId}`);
  return rows;
}

before(async () => {
  gateway = await startGateway();
  admin = await new Browser(gateway).use(firstLink(gateway));
  [first, second] = [await newAccount(gateway), await newAccount(gateway)].map(
    (id) => `/console/api/accounts/${id}/people`,
  ) as [string, string];
  ana = await signIn(first, "ana@example.com", "owner", "Ana Souza");
  bruno = await signIn(second, "bruno@example.com", "owner");
});
after(() => gateway.stop());

describe("an open invitation", () => {
  test("is listed with who made it and until when it works, the newest first, without its secret", async () => {
    const before = Date.now();
    const token = await invite(ana!, first, "Vera@Example.com", "viewer", "Vera Lima");
    await invite(admin, first, "davi@example.com", "developer");
    const listed = await ana!.send<{ items: Open[] }>("GET", below(first));
    assert.deepEqual(
      listed.body.items.map(({ email, name, role, invitedBy }) => [email, name, role, invitedBy]),
      [
        ["davi@example.com", null, "developer", "Admin"],
        ["vera@example.com", "Vera Lima", "viewer", "Ana Souza"],
      ],
    );
    for (const { createdAt, expiresAt, ...rest } of listed.body.items) {
      assert.ok(Date.parse(createdAt) >= before - 1_000 && Date.parse(createdAt) <= Date.now());
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), LIMITS.invitation);
      assert.deepEqual(Object.keys(rest).sort(), ["email", "invitationId", "invitedBy", "name", "role"]);
    }
    const { rows } = await gateway.owner.query<{ hash: Buffer }>(sql`select token_hash as hash from sign_in_links`);
    const secrets = [token, ...rows.flatMap(({ hash }) => [hash.toString("hex"), hash.toString("base64url")])];
    assert.deepEqual(
      secrets.filter((secret) => listed.text.includes(secret)),
      [],
    );
  });

  test("of an operator's token names the token", async () => {
    const body = { email: "nina@example.com", role: "support" };
    assert.equal((await gateway.operator.post("/people", body)).status, 201);
    const { rows } = await gateway.owner.query<{ name: string }>(sql`
      select invited_by as name from sign_in_links where email = 'nina@example.com'`);
    const nina = (await list(admin, INSTALLATION)).find(({ email }) => email === body.email)!;
    assert.equal(nina.invitedBy, rows[0]!.name);
  });

  test("is one no more when it was used, has expired, or its maker lost the role", async () => {
    const token = await invite(ana!, first, "used@example.com", "viewer");
    await invite(ana!, first, "late@example.com", "viewer");
    const rita = await signIn(first, "rita@example.com", "owner");
    await invite(rita, first, "orphan@example.com", "owner");
    const wanted = ["orphan@example.com", "late@example.com", "used@example.com"];
    assert.deepEqual((await emails(first)).slice(0, 3), wanted);
    assert.equal((await use(token)).status, 200);
    await gateway.owner.query(sql`
      update sign_in_links set expires_at = ${new Date(Date.now() - 1)} where email = 'late@example.com'`);
    const me = await rita.send<{ person: { id: string } }>("GET", "/console/api/session");
    assert.equal((await admin.send("DELETE", `${first}/${me.body.person.id}`)).status, 200);
    const left = await emails(first);
    assert.deepEqual(
      wanted.filter((email) => left.includes(email)),
      [],
    );
  });

  test("is shown and withdrawn where the role allows it, and nowhere else", async () => {
    await invite(admin, first, "first@example.com", "viewer");
    await invite(admin, second, "second@example.com", "viewer");
    await invite(admin, INSTALLATION, "third@example.com", "support");
    /** Who reads and who withdraws what: of the first account, of the second, of the installation. */
    const people: [name: string, browser: Browser, reads: string[], withdraws: string[]][] = [
      ["owner", ana!, [first], [first]],
      ["other owner", bruno!, [second], [second]],
    ];
    for (const [role, reads] of [
      ["finance", [first]],
      ["developer", [first]],
      ["support", []],
      ["viewer", []],
    ] as [string, string[]][]) {
      people.push([role, await signIn(first, `${role}@account.example`, role), reads, []]);
    }
    const all = [first, second, INSTALLATION];
    for (const [role, reads, withdraws] of [
      ["admin", all, all],
      ["auditor", all, []],
      ["finance", [], []],
      ["support", [], []],
    ] as [string, string[], string[]][]) {
      const browser = await signIn(INSTALLATION, `${role}@installation.example`, role);
      people.push([`installation's ${role}`, browser, reads, withdraws]);
    }
    const ids = new Map<string, string>();
    for (const [path, email] of [
      [first, "first@example.com"],
      [second, "second@example.com"],
      [INSTALLATION, "third@example.com"],
    ] as const) {
      ids.set(path, await idOf(path, email));
    }
    for (const [name, browser, reads, withdraws] of people) {
      for (const path of all) {
        const what = `${name} at ${path}`;
        if (reads.includes(path)) {
          assert.deepEqual(await list(browser, path), await list(admin, path), what);
        } else await refused(403, "PERMISSION_DENIED", () => browser.send("GET", below(path)), what);
        // Whoever may withdraw gets 404 for an id of another place, and everybody else the same 403 for any id.
        for (const id of [randomUUID(), ...all.filter((other) => other !== path).map((other) => ids.get(other)!)]) {
          const [status, code] = withdraws.includes(path)
            ? ([404, "RESOURCE_NOT_FOUND"] as const)
            : ([403, "PERMISSION_DENIED"] as const);
          await refused(status, code, () => withdraw(browser, path, id), what);
        }
        if (!withdraws.includes(path)) {
          await refused(403, "PERMISSION_DENIED", () => withdraw(browser, path, ids.get(path)!), what);
        }
      }
    }
    for (const path of all) {
      const stranger = new Browser(gateway);
      await refused(401, "TOKEN_MISSING", () => stranger.send("GET", below(path)));
      await refused(401, "TOKEN_MISSING", () => withdraw(stranger, path, ids.get(path)!));
    }
    // What was refused to all the others works for these.
    assert.equal((await withdraw(ana!, first, ids.get(first)!)).status, 204);
    assert.equal((await withdraw(bruno!, second, ids.get(second)!)).status, 204);
    const another = people.find(([name]) => name === "installation's admin")![1];
    assert.equal((await withdraw(another, INSTALLATION, ids.get(INSTALLATION)!)).status, 204);
  });
});

describe("an invitation that is withdrawn", () => {
  test("lets nobody in, and is in the audit log of its place once", async () => {
    for (const [path, by, actor] of [
      [first, ana!, "Ana Souza <ana@example.com>"],
      [INSTALLATION, admin, null],
    ] as const) {
      const token = await invite(admin, path, "gone@example.com", path === first ? "owner" : "admin");
      const id = await idOf(path, "gone@example.com");
      assert.equal((await withdraw(by, path, id.toUpperCase())).status, 204);
      assert.equal((await emails(path)).includes("gone@example.com"), false);
      await refused(401, "LINK_INVALID", () => use(token));
      await refused(404, "RESOURCE_NOT_FOUND", () => withdraw(by, path, id));
      const [entry, ...more] = await noted("person.uninvite", id);
      assert.deepEqual(more, []);
      const [made] = await noted("person.invite", id);
      assert.equal(entry!.account, made!.account);
      if (actor !== null) assert.equal(entry!.actor, actor);
      const role = path === first ? "owner" : "admin";
      assert.deepEqual(
        { ...entry, account: 0, actor: 0 },
        {
          ...{ account: 0, actor: 0 },
          ...{ before: { email: "gone@example.com", role }, after: null },
        },
      );
    }
    const { rows } = await gateway.owner.query(sql`select from people where email = 'gone@example.com'`);
    assert.equal(rows.length, 0);
  });

  test("was open: one that was used or has expired is not found, nor is a link of another kind", async () => {
    const token = await invite(ana!, first, "quick@example.com", "viewer");
    const used = await idOf(first, "quick@example.com");
    assert.equal((await use(token)).status, 200);
    await invite(ana!, first, "slow@example.com", "viewer");
    const expired = await idOf(first, "slow@example.com");
    await gateway.owner.query(sql`
      update sign_in_links set expires_at = ${new Date(Date.now() - 1)} where link_id = ${expired}`);
    const recovery = await gateway.operator.post("/people/recovery", { email: "quick@example.com" });
    assert.equal(recovery.status, 201, recovery.text);
    const { rows } = await gateway.owner.query<{ id: string }>(sql`
      select link_id as id from sign_in_links where purpose = 'recovery' and used_at is null`);
    for (const id of [used, expired]) {
      await refused(404, "RESOURCE_NOT_FOUND", () => withdraw(ana!, first, id));
    }
    await refused(404, "RESOURCE_NOT_FOUND", () => withdraw(admin, INSTALLATION, rows[0]!.id));
    await refused(404, "RESOURCE_NOT_FOUND", () => withdraw(admin, INSTALLATION, "no-id"));
  });

  test("and used at once is one of the two", async () => {
    for (let i = 0; i < 5; i += 1) {
      const token = await invite(ana!, first, `race${i}@example.com`, "viewer");
      const id = await idOf(first, `race${i}@example.com`);
      const [used, withdrawn] = await Promise.all([
        repeated(() => use(token)),
        repeated(() => withdraw(ana!, first, id)),
      ]);
      const outcome = `${used.status} ${withdrawn.status}`;
      assert.ok(["200 404", "401 204"].includes(outcome), outcome);
      assert.equal((await noted("person.uninvite", id)).length, withdrawn.status === 204 ? 1 : 0);
    }
  });

  test("stays open where who withdraws it lost the role meanwhile", async () => {
    const tania = await signIn(second, "tania@example.com", "owner");
    const me = (await tania.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person.id;
    await invite(admin, second, "kept@example.com", "viewer");
    const id = await idOf(second, "kept@example.com");
    const { answer } = await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from people where person_id = ${me} for update`);
      const answer = withdraw(tania, second, id);
      await eventually("the call to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 1);
      // What a change of the role does.
      await tx.query(sql`update sessions set ended_at = ${new Date()} where person_id = ${me}`);
      return { answer };
    });
    const before = await stored();
    assertRefused(await answer, 401, "TOKEN_INVALID");
    assert.deepEqual(await stored(), before);
    assert.ok((await emails(second)).includes("kept@example.com"));
  });

  test("needs a page of ours and a fresh sign-in", async () => {
    await invite(admin, second, "fresh@example.com", "viewer");
    const id = await idOf(second, "fresh@example.com");
    const path = `${below(second)}/${id}`;
    const headers = { "x-pixgate-csrf": "wrong" };
    await refused(403, "CSRF_TOKEN_INVALID", () => bruno!.send("DELETE", path, undefined, { headers }));
    const elsewhere = { origin: "https://evil.example" };
    await refused(403, "CSRF_TOKEN_INVALID", () => bruno!.send("DELETE", path, undefined, { headers: elsewhere }));
    await gateway.owner.query(sql`
      update sessions set fresh_until = created_at where token_hash = sha256(${Buffer.from(bruno!.cookie!)})`);
    await refused(403, "FRESH_SIGN_IN_REQUIRED", () => withdraw(bruno!, second, id));
    // Reading needs none.
    assert.ok((await list(bruno!, second)).some(({ invitationId }) => invitationId === id));
  });
});

describe("a further invitation of an address", () => {
  test("replaces the open one to the same place, and only that", async () => {
    const former = await invite(ana!, first, "again@example.com", "owner");
    const elsewhere = await invite(admin, second, "again@example.com", "viewer");
    const replaced = await idOf(first, "again@example.com");
    const token = await invite(admin, first, "AGAIN@example.com", "viewer", "Davi");
    const open = (await list(ana!, first)).filter(({ email }) => email === "again@example.com");
    assert.deepEqual(
      open.map(({ name, role, invitedBy }) => [name, role, invitedBy]),
      [["Davi", "viewer", "Admin"]],
    );
    const [entry] = await noted("person.invite", open[0]!.invitationId);
    assert.deepEqual((entry as unknown as { before: unknown }).before, { invitationId: replaced, role: "owner" });
    await refused(401, "LINK_INVALID", () => use(former));
    await refused(404, "RESOURCE_NOT_FOUND", () => withdraw(ana!, first, replaced));
    const browser = await new Browser(gateway).use(token);
    await browser.use(elsewhere);
    const { accounts } = (await browser.send<{ accounts: { role: string }[] }>("GET", "/console/api/session")).body;
    assert.deepEqual(
      accounts.map(({ role }) => role),
      ["viewer", "viewer"],
    );
  });

  test("leaves one open, whoever makes another at the same time", async () => {
    const [a, b, c] = await Promise.all([
      invite(ana!, first, "both@example.com", "viewer"),
      invite(admin, first, "both@example.com", "support"),
      invite(admin, first, "both@example.com", "finance"),
    ]);
    assert.equal((await emails(first)).filter((email) => email === "both@example.com").length, 1);
    const statuses = [(await use(a)).status, (await use(b)).status, (await use(c)).status];
    assert.deepEqual(statuses.sort(), [200, 401, 401]);
  });
});

test("an account has so many open invitations at most, and each of them is listed", async () => {
  const accountId = await newAccount(gateway);
  const path = `/console/api/accounts/${accountId}/people`;
  const [now, later] = [new Date(), new Date(Date.now() + 60_000)];
  await gateway.owner.query(sql`
    insert into sign_in_links (link_id, token_hash, purpose, email, of_account, role, invited_by, created_at, expires_at)
    select md5(n::text)::uuid, sha256(n::text::bytea), 'invitation', 'p' || n || '@example.com', ${accountId}, 'viewer',
      'first', ${now}, ${later}
    from generate_series(1, ${LIMITS.invitationsOfPlace}) n`);
  assert.equal((await list(admin, path)).length, LIMITS.invitationsOfPlace);
  const before = await stored();
  const more = { email: "more@example.com", role: "viewer" };
  assertInvalid(await admin.send("POST", path, more), ["email"]);
  const byToken = await gateway.operator.post("/people", { ...more, accountId });
  assertInvalid(byToken, ["email"]);
  assert.deepEqual(await stored(), before);
  // One that replaces another is none more, and other places have their own.
  await invite(admin, path, "p7@example.com", "owner");
  await invite(admin, first, "more@example.com", "viewer");
  assert.equal((await withdraw(admin, path, await idOf(path, "p8@example.com"))).status, 204);
  await invite(admin, path, "more@example.com", "viewer");
  assert.equal((await list(admin, path)).length, LIMITS.invitationsOfPlace);
});
