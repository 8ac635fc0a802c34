/** Passkeys: made, listed, used to sign in and to confirm, removed; and what attackers answer in their place. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { makeChallenge } from "../../src/people/challenge.ts";
import { purgeOld } from "../../src/retention/purge.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import type { Reply } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { Passkey } from "../harness/passkey.ts";

const SETTINGS = { PIXGATE_SECRET_KEY: randomBytes(32).toString("base64") };
let gateway: TestGateway;
let admin: Browser;
let people = "";
let origin = "";

/** Browsers have passkeys for `localhost`, not for 127.0.0.1. */
const byName = (at: TestGateway): Browser => new Browser(at.running.url.replace("127.0.0.1", "localhost"));
const sessions = async () =>
  (await gateway.owner.query<{ n: number }>(sql`select count(*)::int as n from sessions where ended_at is null`))
    .rows[0]!.n;
const stale = () => gateway.owner.query(sql`update sessions set fresh_until = created_at`);
type Options = Parameters<Passkey["make"]>[0];

async function invited(email: string): Promise<Browser> {
  const made = await admin.send<{ link: string }>("POST", people, { email, role: "finance" });
  return byName(gateway).use(made.body.link.split("#link=")[1]!);
}
async function optionsOf(browser: Browser, path: string): Promise<Options> {
  const reply = await browser.send<Options>("POST", `/console/api${path}`, {});
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const add = async (browser: Browser, passkey: Passkey, name = "Notebook", wrong = {}) =>
  browser.send<{ id: string; session: { csrfToken: string } }>("POST", "/console/api/me/passkeys", {
    name,
    response: passkey.make(await optionsOf(browser, "/me/passkey-options"), wrong),
  });
/** Somebody with a passkey and nothing else. */
async function owner(email: string): Promise<{ browser: Browser; passkey: Passkey; id: string }> {
  const [browser, passkey] = [await invited(email), new Passkey(origin)];
  const made = await add(browser, passkey);
  assert.equal(made.status, 201, made.text);
  return { browser, passkey, id: made.body.id };
}
const answer = (browser: Browser, response: unknown) =>
  browser.send<{ person: { email: string } }>("POST", "/console/api/session/passkey", { response });
async function signIn(
  passkey: Passkey,
  wrong = {},
  browser = byName(gateway),
): Promise<Reply<{ person: { email: string } }>> {
  return answer(browser, passkey.sign(await optionsOf(browser, "/session/passkey/options"), wrong));
}
const actions = async (email: string) => {
  const { rows } = await gateway.owner.query<{ action: string }>(sql`
    select action from audit_log where object_id = (select person_id from people where email = ${email})
      and action like 'person.passkey%' order by created_at, audit_id`);
  return rows.map(({ action }) => action);
};
type Listed = { id: string; name: string; synced: boolean; createdAt: string; lastUsedAt: string | null };
const list = async (browser: Browser) =>
  (await browser.send<{ items: Listed[] }>("GET", "/console/api/me/passkeys")).body.items;

before(async () => {
  gateway = await startGateway(SETTINGS);
  admin = await new Browser(gateway).use(firstLink(gateway));
  people = `/console/api/accounts/${await newAccount(gateway)}/people`;
  origin = byName(gateway).origin;
});
after(() => gateway.stop());
beforeEach(() => gateway.owner.query(sql`update sign_in_guesses set tries = 0`));

describe("a passkey", () => {
  test("is made for a name, asks for its user, and signs in without an e-mail address", async () => {
    const ana = await invited("ana@example.com");
    const passkey = new Passkey(origin);
    const asked = (await optionsOf(ana, "/me/passkey-options")) as Options & Record<string, unknown>;
    assert.deepEqual(asked.rp, { name: "Pixgate", id: "localhost" });
    assert.deepEqual(asked.authenticatorSelection, {
      residentKey: "required",
      userVerification: "required",
      requireResidentKey: true,
    });
    const made = await ana.send("POST", "/console/api/me/passkeys", {
      name: "Notebook",
      response: passkey.make(asked),
    });
    assert.equal(made.status, 201, made.text);
    const [listed] = await list(ana);
    assert.deepEqual([listed!.name, listed!.lastUsedAt], ["Notebook", null]);

    const elsewhere = byName(gateway);
    const wanted = (await optionsOf(elsewhere, "/session/passkey/options")) as Options & Record<string, unknown>;
    assert.deepEqual([wanted.rpId, wanted.userVerification], ["localhost", "required"]);
    assert.deepEqual(wanted.allowCredentials ?? [], []);
    const reply = await answer(elsewhere, passkey.sign(wanted));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.person.email, "ana@example.com");
    assert.notEqual((await list(ana))[0]!.lastUsedAt, null);
    assert.deepEqual(await actions("ana@example.com"), ["person.passkey"]);
  });

  test("is what the installation's list of people says of who has one", async () => {
    const path = "/console/api/people";
    const made = await admin.send<{ link: string }>("POST", path, { email: "noa@example.com", role: "finance" });
    const noa = await byName(gateway).use(made.body.link.split("#link=")[1]!);
    assert.equal((await add(noa, new Passkey(origin))).status, 201);
    type Listed = { items: { email: string | null; secondFactor: string | null }[] };
    const { items } = (await admin.send<Listed>("GET", path)).body;
    assert.equal(items.find(({ email }) => email === "noa@example.com")?.secondFactor, "passkey");
    assert.ok(items.some(({ secondFactor }) => secondFactor === null));
  });

  test("signs in at another process than the one that asked", async () => {
    const { passkey } = await owner("bia@example.com");
    const second = await startGateway({ ...SETTINGS, DATABASE_URL: gateway.databaseUrl });
    try {
      const asked = await optionsOf(byName(gateway), "/session/passkey/options");
      const there = byName(second);
      const reply = await answer(there, passkey.sign(asked, { origin: there.origin }));
      assert.equal(reply.status, 200, reply.text);
    } finally {
      await second.stop();
    }
  });

  test("gives a sign-in a new cookie, and ends the session that the browser had", async () => {
    const { browser, passkey } = await owner("caio@example.com");
    const before = browser.cookie!;
    assert.equal((await signIn(passkey, {}, browser)).status, 200);
    assert.notEqual(browser.cookie, before);
    const old = byName(gateway);
    old.cookie = before;
    assertRefused(await old.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
  });

  test("confirms a sign-in, which gets a new cookie", async () => {
    const { browser, passkey } = await owner("davi@example.com");
    await stale();
    const fresh = () => browser.send("POST", "/console/api/me/passkey-options", {});
    assertRefused(await fresh(), 403, "FRESH_SIGN_IN_REQUIRED");
    const before = browser.cookie;
    const asked = await optionsOf(browser, "/session/confirm/options");
    const reply = await browser.send("POST", "/console/api/session/confirm", { passkey: passkey.sign(asked) });
    assert.equal(reply.status, 200, reply.text);
    assert.notEqual(browser.cookie, before);
    assert.equal((await fresh()).status, 200);
  });

  test("is one of several, each named; the last way to sign in stays", async () => {
    const { browser, id } = await owner("eva@example.com");
    const second = new Passkey(origin);
    const phone = await add(browser, second, "Celular da Eva");
    assert.equal(phone.status, 201, phone.text);
    assert.deepEqual(
      (await list(browser)).map(({ name }) => name),
      ["Notebook", "Celular da Eva"],
    );
    assert.equal((await browser.send("DELETE", `/console/api/me/passkeys/${phone.body.id}`)).status, 204);
    assertInvalid(await browser.send("DELETE", `/console/api/me/passkeys/${id}`), ["passkey"]);
    assertRefused(await browser.send("DELETE", `/console/api/me/passkeys/${phone.body.id}`), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await signIn(second), 401, "INVALID_CREDENTIALS", "a removed one");
    const password = "um cavalo correto grampeia";
    assert.equal((await browser.send("POST", "/console/api/me/password", { password })).status, 204);
    assert.equal((await browser.send("DELETE", `/console/api/me/passkeys/${id}`)).status, 204);
    assert.deepEqual(await list(browser), []);
    const [one, removed] = ["person.passkey", "person.passkey-removed"];
    assert.deepEqual(await actions("eva@example.com"), [one, one, removed, removed]);
  });

  test("gets another name, from its owner alone", async () => {
    const { browser, id } = await owner("rebeca@example.com");
    const rename = (by: Browser, name: unknown) => by.send("PATCH", `/console/api/me/passkeys/${id}`, { name });
    assert.equal((await rename(browser, "Celular novo")).status, 204);
    assert.equal((await list(browser))[0]!.name, "Celular novo");
    assertInvalid(await rename(browser, " "), ["name"]);
    const { browser: other } = await owner("bruna@example.com");
    assertRefused(await rename(other, "Meu agora"), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await list(browser))[0]!.name, "Celular novo");
    assert.deepEqual(await actions("rebeca@example.com"), ["person.passkey", "person.passkey-renamed"]);
  });

  test("needs a fresh sign-in to be added or removed, and so does a password then", async () => {
    const { browser, id } = await owner("fabio@example.com");
    await stale();
    const response = new Passkey(origin).make({ challenge: "x", rp: { id: "localhost" }, user: { id: "x" } });
    for (const [method, path, body] of [
      ["POST", "/me/passkey-options", {}],
      ["POST", "/me/passkeys", { name: "Mine", response }],
      ["DELETE", `/me/passkeys/${id}`, undefined],
      ["POST", "/me/password", { password: "um cavalo correto grampeia" }],
    ] as const) {
      assertRefused(await browser.send(method, `/console/api${path}`, body), 403, "FRESH_SIGN_IN_REQUIRED", path);
    }
    assert.equal((await list(browser)).length, 1);
  });

  test("goes with a recovery, like everything else that one signs in by", async () => {
    const { passkey } = await owner("gil@example.com");
    const made = await gateway.operator.post<{ link: string }>("/people/recovery", { email: "gil@example.com" });
    assert.equal((await signIn(passkey)).status, 200, "nothing changes before the link is used");
    const again = await byName(gateway).use(made.body.link.split("#link=")[1]!);
    assertRefused(await signIn(passkey), 401, "INVALID_CREDENTIALS");
    assert.deepEqual(await list(again), []);
  });

  test("is not for an IP address: the refusal says where the console has a name", async () => {
    const byAddress = new Browser(gateway);
    const { message, details } = assertRefused(
      await byAddress.send("POST", "/console/api/session/passkey/options", {}),
      400,
      "PASSKEYS_UNAVAILABLE",
    );
    assert.match(message, /not to an IP address/);
    assert.equal(details.openAt, `${origin}/console/`);
  });
});

describe("a response that an attacker sends", () => {
  /** Refuses, and neither a session nor a use comes of it. */
  async function refuses(what: string, passkey: Passkey, send: () => Promise<Reply<unknown>>): Promise<void> {
    const used = async () =>
      (
        await gateway.owner.query(
          sql`select last_used_at, signatures from passkeys where credential_id = ${passkey.id}`,
        )
      ).rows;
    const before = [await sessions(), await used()];
    assertRefused(await send(), 401, "INVALID_CREDENTIALS", what);
    assert.deepEqual([await sessions(), await used()], before, what);
  }

  test("is refused when its challenge was answered before, by anybody", async () => {
    const { passkey } = await owner("ruth@example.com");
    const browser = byName(gateway);
    const asked = await optionsOf(browser, "/session/passkey/options");
    const response = passkey.sign(asked);
    const at = await Promise.all([1, 2, 3, 4].map(() => answer(byName(gateway), response)));
    assert.deepEqual(at.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    await refuses("replayed", passkey, () => answer(byName(gateway), response));
    await refuses("signed again", passkey, () => answer(byName(gateway), passkey.sign(asked)));
  });

  test("is refused for another origin, relying party, challenge, type, user, or without its user's consent", async () => {
    const { passkey } = await owner("iris@example.com");
    const wrongs: Record<string, Parameters<Passkey["sign"]>[1]> = {
      "another origin": { origin: "https://evil.example" },
      "another port": { origin: "http://localhost:1" },
      "another relying party": { rpId: "evil.example" },
      "a challenge of its own": { challenge: randomBytes(32).toString("base64url") },
      "a registration": { type: "webauthn.create" },
      "a user who was not verified": { userVerified: false },
      "another user": { userHandle: randomBytes(16).toString("base64url") },
      "no user": { userHandle: null },
    };
    for (const [what, wrong] of Object.entries(wrongs)) await refuses(what, passkey, () => signIn(passkey, wrong));
    const tampered = passkey.sign(await optionsOf(byName(gateway), "/session/passkey/options"));
    tampered.response.signature = new Passkey(origin).sign({ challenge: "x", rpId: "localhost" }).response.signature;
    await refuses("another key's signature", passkey, () => answer(byName(gateway), tampered));
    assert.equal((await signIn(passkey)).status, 200);
  });

  test("is refused when its challenge has expired; the purge deletes what was used", async () => {
    const { passkey } = await owner("joao@example.com");
    const { ctx } = gateway.running;
    const past = clockAhead(-LIMITS.signInChallenge - 1);
    const late = makeChallenge({ ...ctx, clock: past }, { purpose: "sign-in", sessionId: null });
    const asked = {
      ...(await optionsOf(byName(gateway), "/session/passkey/options")),
      challenge: late.toString("base64url"),
    };
    await refuses("expired", passkey, () => answer(byName(gateway), passkey.sign(asked)));
    const { rows } = await gateway.owner.query<{ value: string }>(
      sql`select value from settings where name = 'house_account_id'`,
    );
    const used = async () => (await gateway.owner.query(sql`select from used_challenges`)).rows.length;
    assert.ok((await used()) > 0);
    await gateway.owner.query(sql`update used_challenges set expires_at = '2026-01-01'`);
    await purgeOld(ctx, rows[0]!.value);
    assert.equal(await used(), 0);
  });

  test("is refused for another purpose or session, and confirms nobody else's sign-in", async () => {
    const kim = await owner("kim@example.com");
    const leo = await owner("leo@example.com");
    await stale();
    const confirm = (browser: Browser, passkey: unknown) =>
      browser.send("POST", "/console/api/session/confirm", { passkey });
    const forLeo = await optionsOf(leo.browser, "/session/confirm/options");
    await refuses("another person's passkey", kim.passkey, () => confirm(leo.browser, kim.passkey.sign(forLeo)));
    const ofKim = await optionsOf(kim.browser, "/session/confirm/options");
    await refuses("another session's challenge", leo.passkey, () => confirm(leo.browser, leo.passkey.sign(ofKim)));
    const toSignIn = await optionsOf(byName(gateway), "/session/passkey/options");
    await refuses("a sign-in's challenge", leo.passkey, () => confirm(leo.browser, leo.passkey.sign(toSignIn)));
    const toConfirm = await optionsOf(leo.browser, "/session/confirm/options");
    await refuses("a confirmation's challenge", leo.passkey, () =>
      answer(byName(gateway), leo.passkey.sign(toConfirm)),
    );
    const still = await leo.browser.send("POST", "/console/api/me/passkey-options", {});
    assertRefused(still, 403, "FRESH_SIGN_IN_REQUIRED");
  });

  test("adds no passkey: for another origin, another session, unverified, or one that somebody has", async () => {
    const mia = await owner("mia@example.com");
    const nina = await invited("nina@example.com");
    const wrongs = { origin: "https://evil.example", rpId: "evil.example", type: "webauthn.get", userVerified: false };
    for (const [what, value] of Object.entries(wrongs)) {
      const passkey = new Passkey(origin);
      assertRefused(await add(nina, passkey, "Evil", { [what]: value }), 401, "INVALID_CREDENTIALS", what);
    }
    const ofMia = new Passkey(origin).make(await optionsOf(mia.browser, "/me/passkey-options"));
    const planted = await nina.send("POST", "/console/api/me/passkeys", { name: "Evil", response: ofMia });
    assertRefused(planted, 401, "INVALID_CREDENTIALS");
    const handle = mia.passkey.userHandle;
    assertInvalid(await add(nina, mia.passkey, "Hers"), ["passkey"]);
    mia.passkey.userHandle = handle;
    assert.deepEqual(await list(nina), []);
    assert.equal((await signIn(mia.passkey)).body.person.email, "mia@example.com");
  });

  test("is refused when its counter went back, which the audit log has", async () => {
    const otto = await owner("otto@example.com");
    otto.passkey.signatures = 5;
    assert.equal((await signIn(otto.passkey)).status, 200);
    for (const signatures of [6, 5, 0]) {
      await refuses(`counter ${signatures}`, otto.passkey, () => signIn(otto.passkey, { signatures }));
    }
    const copied = (await actions("otto@example.com")).filter((action) => action === "person.passkey-copied");
    assert.equal(copied.length, 3);
    const forged = otto.passkey.sign(await optionsOf(byName(gateway), "/session/passkey/options"), { signatures: 1 });
    forged.response.signature = new Passkey(origin).sign({ challenge: "x", rpId: "localhost" }).response.signature;
    await refuses("a counter that nobody signed", otto.passkey, () => answer(byName(gateway), forged));
    assert.equal((await actions("otto@example.com")).length, 1 + 3, "strangers write nothing into the audit log");
    assert.equal((await signIn(otto.passkey, { signatures: 7 })).status, 200);
    assert.equal((await signIn(otto.passkey, { signatures: 8 })).status, 200);
  });

  test("waits after too many wrong ones from a network, at two processes together", async () => {
    const { passkey } = await owner("pia@example.com");
    const second = await startGateway({ ...SETTINGS, DATABASE_URL: gateway.databaseUrl });
    try {
      for (let i = 0; i < LIMITS.guessesOfPasskey; i += 1) {
        const at = byName(i % 2 === 0 ? gateway : second);
        const wrong = { origin: "https://evil.example" };
        assertRefused(await signIn(passkey, wrong, at), 401, "INVALID_CREDENTIALS");
      }
      const before = await sessions();
      assert.equal((await signIn(passkey)).status, 429);
      assert.equal(await sessions(), before);
    } finally {
      await second.stop();
    }
  });
});
