/** What people and tokens made ends with them: links at once, tokens and credentials as whoever removes them says. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Browser } from "../harness/browser.ts";
import { Client, type Reply } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { personOf } from "../harness/operator.ts";

type Token = { id: string; token: string };
type Secret = { id: string; clientId: string; clientSecret: string };
type Made = { kind: string; id: string; name: string; accountId: string | null };
type Ends = { ended: Made[]; adopted: Made[] };
type Sender = (method: string, path: string, body?: unknown) => Promise<Reply>;

let gateway: TestGateway;
let admin: Browser;
let accountId: string;
before(async () => {
  gateway = await startGateway();
  admin = await personOf(gateway, "Rafael");
  accountId = await newAccount(gateway);
});
after(() => gateway.stop());

let n = 0;
const idOf = async (browser: Browser) =>
  (await browser.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person.id;
const byToken =
  (token: string): Sender =>
  (method, path, body) =>
    new Client(gateway.sandbox.operatorUrl)
      .withToken(token)
      .send(method, path, body === undefined ? undefined : JSON.stringify(body));
const bySession =
  (browser: Browser): Sender =>
  (method, path, body) =>
    browser.send(method, `/operator/v1${path}`, body);

async function made<T>(send: Sender, path: string, body: unknown): Promise<T> {
  const reply = await send("POST", path, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body as T;
}
const secretOf = (link: { link: string }) => link.link.split("#link=")[1]!;

/** One of every kind of thing that can be made, and whether each still works. */
async function everyKind(send: Sender, role = "admin") {
  const email = `victim-${++n}@example.com`;
  const victim = await new Browser(gateway).use(
    secretOf(await made(bySession(admin), "/people", { email, name: "Vera", role: "admin" })),
  );
  const token = await made<Token>(send, "/tokens", { name: `Made ${++n}`, role });
  const credential = await made<Secret>(send, `/accounts/${accountId}/credentials`, {
    ...{ name: `shop ${n}`, permissions: ["ACCOUNT:READ"] },
  });
  const invitation = await made<{ link: string }>(send, "/people", { email: `in-${n}@example.com`, role: "admin" });
  const toAccount = { email: `of-${n}@example.com`, role: "owner", accountId };
  const ofAccount = await made<{ link: string }>(send, "/people", toAccount);
  const recovery = await made<{ link: string }>(send, "/people/recovery", { email });
  const lookAt = async (link: { link: string }) =>
    (await new Browser(gateway).send("POST", "/console/api/session/link/look", { token: secretOf(link) })).status;
  const shop = { client_id: credential.clientId, client_secret: credential.clientSecret };
  return {
    ...{ token, credential, links: [invitation, ofAccount, recovery], victim },
    async works() {
      return {
        token: (await byToken(token.token)("GET", "/accounts")).status === 200,
        credential: (await new Client(gateway.sandbox.baseUrl).post("/auth", shop)).status === 200,
        links: (await Promise.all([invitation, ofAccount, recovery].map(lookAt))).map((status) => status === 200),
      };
    },
  };
}
const NOTHING = { token: false, credential: false, links: [false, false, false] };
const ALL = { token: true, credential: true, links: [true, true, true] };
const ended = (kind: "token" | "credential", { id }: { id: string }) => [kind, id];
const kinds = (list: readonly Made[]) => list.map(({ kind, id }) => [kind, id]);
/** A token's end is noticed within a second. */
const eventuallyWorks = async (of: Awaited<ReturnType<typeof everyKind>>, wanted: typeof ALL) => {
  await eventually("each to end or to work", async () => JSON.stringify(await of.works()) === JSON.stringify(wanted));
};

describe("a person of the installation who is removed", () => {
  test("takes links along; tokens and credentials only where the one who removes says so, and says what ended", async () => {
    const ana = await personOf(gateway, "Ana");
    const of = await everyKind(bySession(ana));
    const below = await everyKind(byToken(of.token.token));
    const path = `/console/api/people/${await idOf(ana)}`;
    const asked = await admin.send<{ details: { made: Made[] } }>("DELETE", path);
    assertRefused(asked, 409, "ENDS_WITH_MAKER");
    const expected = [of, below].flatMap(({ token, credential }) => [
      ...[ended("token", token), ended("credential", credential)],
    ]);
    assert.deepEqual(kinds(asked.body.details.made).sort(), expected.sort());
    assert.equal((await ana.send("GET", "/operator/v1/tokens")).status, 200, "nothing has changed");
    assert.deepEqual([await of.works(), await below.works()], [ALL, ALL]);

    const removed = await admin.send<Ends>("DELETE", `${path}?made=end`);
    assert.equal(removed.status, 200, removed.text);
    assert.deepEqual(
      kinds(removed.body.ended.filter(({ kind }) => kind === "token" || kind === "credential")).sort(),
      expected,
    );
    assert.equal(removed.body.ended.length, 10);
    await eventuallyWorks(of, NOTHING);
    await eventuallyWorks(below, NOTHING);
    for (const link of [...of.links, ...below.links]) {
      const used = await new Browser(gateway).send("POST", "/console/api/session/link", { token: secretOf(link) });
      assertRefused(used, 401, "LINK_INVALID");
    }
    assert.equal((await of.victim.send("GET", "/operator/v1/tokens")).status, 200, "nobody became the victim");
    const { rows } = await gateway.owner.query<{ action: string; n: number }>(sql`
      select action, count(*)::int as n from audit_log
      where object_id = any(${removed.body.ended.map(({ id }) => id)}) and after ->> 'endedWithMaker' = 'true'
      group by action order by action`);
    assert.deepEqual(
      rows.map(({ action, n }) => [action, n]),
      [
        ["credential.revoke", 2],
        ["person.uninvite", 4],
        ["person.unrecover", 2],
        ["token.revoke", 2],
      ],
    );
  });

  test("leaves tokens and credentials to who takes them over, and they end with that person then", async () => {
    const [ana, bia] = [await personOf(gateway, "Ana"), await personOf(gateway, "Bia")];
    const of = await everyKind(bySession(ana), "support");
    const taken = await bia.send<Ends>("DELETE", `/console/api/people/${await idOf(ana)}?made=adopt`);
    assert.equal(taken.status, 200, taken.text);
    assert.deepEqual(
      kinds(taken.body.adopted).sort(),
      [ended("token", of.token), ended("credential", of.credential)].sort(),
    );
    assert.equal(taken.body.ended.length, 3);
    await eventuallyWorks(of, { ...ALL, links: NOTHING.links });
    const tokens = await admin.send<{ items: { id: string; madeBy: string | null }[] }>("GET", "/operator/v1/tokens");
    assert.equal(tokens.body.items.find(({ id }) => id === of.token.id)?.madeBy, "Bia");
    const gone = await admin.send("DELETE", `/console/api/people/${await idOf(bia)}?made=end`);
    assert.equal(gone.status, 200, gone.text);
    await eventuallyWorks(of, NOTHING);
  });

  test("keeps what another one has taken over before", async () => {
    const ana = await personOf(gateway, "Ana");
    const of = await everyKind(bySession(ana), "support");
    for (const path of [
      `/tokens/${of.token.id}/adopt`,
      `/accounts/${accountId}/credentials/${of.credential.id}/adopt`,
    ]) {
      const adopted = await admin.send<{ madeBy: string }>("POST", `/operator/v1${path}`);
      assert.deepEqual([adopted.status, adopted.body.madeBy], [200, "Rafael"], adopted.text);
    }
    const removed = await admin.send<Ends>("DELETE", `/console/api/people/${await idOf(ana)}`);
    assert.deepEqual([removed.status, removed.body.ended.length], [200, 3], removed.text);
    await eventuallyWorks(of, { ...ALL, links: NOTHING.links });
  });

  test("ends likewise with a role that may not make them, and keeps what the role in the account allows", async () => {
    const ana = await personOf(gateway, "Ana");
    const { email } = (await ana.send<{ person: { email: string } }>("GET", "/console/api/session")).body.person;
    const toOwner = await made<{ link: string }>(bySession(admin), "/people", { email, role: "owner", accountId });
    await ana.use(secretOf(toOwner));
    const of = await everyKind(bySession(ana));
    const path = `/console/api/people/${await idOf(ana)}`;
    assertRefused(await admin.send("PATCH", path, { role: "finance" }), 409, "ENDS_WITH_MAKER");
    const changed = await admin.send<Ends>("PATCH", `${path}?made=end`, { role: "finance" });
    assert.equal(changed.status, 200, changed.text);
    // An owner makes credentials of the account and invites to it; the rest only an admin may.
    await eventuallyWorks(of, { token: false, credential: true, links: [false, true, false] });
  });

  test("cannot make anything while being removed", async () => {
    const ana = await personOf(gateway, "Ana");
    const token = await made<Token>(bySession(ana), "/tokens", { name: `Late ${++n}`, role: "admin" });
    const id = await idOf(ana);
    const before = await gateway.owner.query(sql`select token_id from operator_tokens where made_by = ${token.id}`);
    assert.equal(before.rowCount, 0);
    const { late } = await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from operator_tokens where token_id = ${token.id} for update`);
      const late = byToken(token.token)("POST", "/tokens", { name: `Late ${++n}`, role: "admin" });
      await eventually("the call to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 1);
      await tx.query(sql`update operator_tokens set revoked_at = ${new Date()} where token_id = ${token.id}`);
      return { late };
    });
    assertRefused(await late, 403, "PERMISSION_DENIED");
    const after = await gateway.owner.query(sql`select from operator_tokens where made_by = ${token.id}`);
    assert.equal(after.rowCount, 0);
    assert.equal((await admin.send("DELETE", `/console/api/people/${id}?made=end`)).status, 200);
  });
});

describe("an operator token that is revoked", () => {
  test("takes along what it made, at any depth; without an answer nothing changes", async () => {
    const root = await made<Token>(bySession(admin), "/tokens", { name: `Root ${++n}`, role: "admin" });
    const of = await everyKind(byToken(root.token));
    const below = await everyKind(byToken(of.token.token));
    assertRefused(await admin.send("DELETE", `/operator/v1/tokens/${root.id}`), 409, "ENDS_WITH_MAKER");
    assert.deepEqual([await of.works(), await below.works()], [ALL, ALL]);
    assert.equal((await admin.send("DELETE", `/operator/v1/tokens/${root.id}?made=end`)).status, 204);
    await eventuallyWorks(of, NOTHING);
    await eventuallyWorks(below, NOTHING);
    assert.equal((await admin.send("DELETE", `/operator/v1/tokens/${root.id}`)).status, 204, "again");
  });

  test("leaves its successor, which revokes it and takes over what else it made", async () => {
    const root = await made<Token>(bySession(admin), "/tokens", { name: `Root ${++n}`, role: "admin" });
    const below = await made<Token>(byToken(root.token), "/tokens", { name: `Below ${++n}`, role: "admin" });
    const beside = await made<Token>(byToken(root.token), "/tokens", { name: `Beside ${++n}`, role: "admin" });
    assertInvalid(await byToken(below.token)("POST", `/tokens/${root.id}/adopt`), ["id"]);
    assertRefused(await byToken(below.token)("DELETE", `/tokens/${root.id}`), 409, "ENDS_WITH_MAKER");
    const revoked = await byToken(below.token)("DELETE", `/tokens/${root.id}?made=adopt`);
    assert.equal(revoked.status, 204, revoked.text);
    // A process remembers for a second who a token is of.
    const ended = await eventually("the token's end", async () => {
      const answer = await byToken(root.token)("GET", "/tokens");
      return answer.status !== 200 && answer;
    });
    assertRefused(ended, 401, "TOKEN_INVALID");
    assert.equal((await byToken(beside.token)("GET", "/tokens")).status, 200);
    const { rows } = await gateway.owner.query<{ made_by: string }>(sql`
      select made_by from operator_tokens where token_id in (${below.id}, ${beside.id}) order by token_id`);
    assert.deepEqual(
      rows.map(({ made_by }) => made_by),
      [await idOf(admin), below.id],
    );
  });
});

describe("a person of an account who is removed", () => {
  test("takes credentials and invitations of the account along, and nothing of another account", async () => {
    const email = `owner-${++n}@example.com`;
    const elsewhere = await newAccount(gateway);
    const ana = new Browser(gateway);
    for (const place of [accountId, elsewhere]) {
      const invited = await made<{ link: string }>(bySession(admin), "/people", {
        email,
        role: "owner",
        accountId: place,
      });
      await ana.use(secretOf(invited));
    }
    const of = async (place: string) => {
      const at = `/console/api/accounts/${place}`;
      const body = { name: "till", permissions: ["ACCOUNT:READ"] };
      const credential = await ana.send<Secret>("POST", `${at}/credentials`, body);
      const link = await ana.send<{ link: string }>("POST", `${at}/people`, {
        email: "new@example.com",
        role: "viewer",
      });
      assert.deepEqual([credential.status, link.status], [201, 201], credential.text + link.text);
      const { clientId: client_id, clientSecret: client_secret } = credential.body;
      const works = async () => [
        (await new Client(gateway.sandbox.baseUrl).post("/auth", { client_id, client_secret })).status === 200,
        (await admin.send("POST", "/console/api/session/link/look", { token: secretOf(link.body) })).status === 200,
      ];
      return { id: credential.body.id, works };
    };
    const [here, there] = [await of(accountId), await of(elsewhere)];
    const path = `/console/api/accounts/${accountId}/people/${await idOf(ana)}`;
    const asked = await admin.send<{ details: { made: Made[] } }>("DELETE", path);
    assertRefused(asked, 409, "ENDS_WITH_MAKER");
    assert.deepEqual(kinds(asked.body.details.made), [["credential", here.id]]);
    // A developer may have made the credential, and not the invitation.
    const changed = await admin.send<Ends>("PATCH", path, { role: "developer" });
    assert.deepEqual([changed.status, changed.body.ended.map(({ kind }) => kind)], [200, ["invitation"]], changed.text);
    assert.deepEqual(
      [await here.works(), await there.works()],
      [
        [true, false],
        [true, true],
      ],
    );
    assert.equal((await admin.send("DELETE", `${path}?made=end`)).status, 200);
    assert.deepEqual(
      [await here.works(), await there.works()],
      [
        [false, false],
        [true, true],
      ],
    );
  });
});

describe("a recovery link", () => {
  test("is listed with its maker to admins and auditors, and works no more once it is withdrawn", async () => {
    const email = `lost-${++n}@example.com`;
    const invited = await made<{ link: string }>(bySession(admin), "/people", { email, name: "Lia", role: "support" });
    const lia = await new Browser(gateway).use(secretOf(invited));
    const link = await made<{ link: string }>(bySession(admin), "/people/recovery", { email });
    type Listed = { items: { linkId: string; email: string; name: string; madeBy: string; decides: boolean }[] };
    const list = () => admin.send<Listed>("GET", "/console/api/recovery-links");
    const own = (await list()).body.items.find((one) => one.email === email)!;
    assert.deepEqual([own.name, own.madeBy], ["Lia", "Rafael"]);
    assert.ok(!(await list()).text.includes(secretOf(link)));
    assert.equal(own.decides, false, "of support");
    const owner = `owner-${n}@example.com`;
    const asOwner = { email: owner, name: "Ivo", role: "owner", accountId };
    await new Browser(gateway).use(secretOf(await made<{ link: string }>(bySession(admin), "/people", asOwner)));
    await made(bySession(admin), "/people/recovery", { email: owner });
    const ofOwner = (await list()).body.items.find((one) => one.email === owner)!;
    assert.equal(ofOwner.decides, true, "about the account's money");
    assertRefused(await lia.send("GET", "/console/api/recovery-links"), 403, "PERMISSION_DENIED");
    const path = `/console/api/recovery-links/${own.linkId}`;
    assertRefused(await lia.send("DELETE", path), 403, "PERMISSION_DENIED");
    assert.equal((await admin.send("DELETE", path)).status, 204);
    assertRefused(await admin.send("DELETE", path), 404, "RESOURCE_NOT_FOUND");
    const used = await new Browser(gateway).send("POST", "/console/api/session/link", { token: secretOf(link) });
    assertRefused(used, 401, "LINK_INVALID");
    assert.equal((await lia.send("GET", "/console/api/session")).status, 200, "the session goes on");
    const { rows } = await gateway.owner.query<{ actor: string }>(sql`
      select actor from audit_log where action = 'person.unrecover' and object_id = ${own.linkId}`);
    assert.match(rows[0]!.actor, /^Rafael </);
  });
});
