/** Signing in at the company's OpenID Connect provider: who comes in by it, with which role, and what attackers answer. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { makeChallenge } from "../../src/people/challenge.ts";
import { assertRefused } from "../contract/refusal.ts";
import { appCode, enrol } from "../harness/authenticator.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { Passkey } from "../harness/passkey.ts";
import { startProvider, type TestProvider } from "../harness/provider.ts";

type Who = {
  person: { id: string; email: string; name: string };
  installationRole: string | null;
  accounts: { role: string }[];
  freshUntil: string | null;
  hasProvider: boolean;
};
/** A browser here, and its cookies at the provider. */
type Visitor = { readonly here: Browser; readonly there: Map<string, string> };

/** A gateway with a provider, and the calls of the tests. */
async function startBoth(settings: Record<string, string> = {}) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const provider = await startProvider(`${origin}/console/provider`);
  const env = {
    ...{ PIXGATE_PORT: String(port), PIXGATE_PUBLIC_URL: origin, PIXGATE_OIDC_ISSUER: provider.issuer },
    ...{ PIXGATE_OIDC_CLIENT_ID: "pixgate", PIXGATE_OIDC_CLIENT_SECRET: provider.clientSecret, ...settings },
  };
  const gateway = await startGateway(env);
  const admin = await new Browser(origin).use(firstLink(gateway));
  const visitor = (): Visitor => ({ here: new Browser(origin), there: new Map() });
  const answer = (here: Browser, query: string) =>
    here.send<Who>("POST", "/console/api/session/provider/answer", { query });
  /** Goes to the provider and comes back. */
  const cameBack = async ({ here, there }: Visitor, login: string, path = "/session/provider") => {
    const asked = await here.send<{ url: string }>("POST", `/console/api${path}`, {});
    assert.equal(asked.status, 200, asked.text);
    return { url: asked.body.url, query: await provider.visit(asked.body.url, login, there) };
  };
  return {
    ...{ gateway, provider, admin, origin, visitor, answer, cameBack },
    async invite(email: string, role = "finance") {
      const path = `/console/api/accounts/${gateway.sandbox.accountId}/people`;
      return (await admin.send<{ link: string }>("POST", path, { email, role })).body.link.split("#link=")[1]!;
    },
    async signIn(login: string, by = visitor()) {
      return { ...by, reply: await answer(by.here, (await cameBack(by, login)).query) };
    },
    async stop() {
      await gateway.stop();
      await provider.stop();
    },
  };
}
type Both = Awaited<ReturnType<typeof startBoth>>;

describe("a company's provider", () => {
  let both: Both;
  let gateway: TestGateway;
  let provider: TestProvider;
  const people = async () => (await gateway.owner.query(sql`select from people`)).rows.length;
  const sessions = async () =>
    (await gateway.owner.query(sql`select from sessions where ended_at is null`)).rows.length;
  /** Refuses, and neither a person, a session nor an identity comes of it. */
  async function refuses(what: string, status: number, code: string, send: () => ReturnType<Both["answer"]>) {
    const state = async () => [
      ...[await people(), await sessions()],
      (await gateway.owner.query(sql`select from provider_identities`)).rows.length,
    ];
    const before = await state();
    assertRefused(await send(), status, code, what);
    assert.deepEqual(await state(), before, what);
  }

  before(async () => {
    both = await startBoth();
    ({ gateway, provider } = both);
  });
  after(() => both?.stop());

  test("signs in whoever was invited, by the verified address, with state, nonce and PKCE", async () => {
    await both.invite("ana@example.com");
    provider.accounts.set("ana", { email: "Ana@example.com", email_verified: true, name: "Ana" });
    const by = both.visitor();
    const { url, query } = await both.cameBack(by, "ana");
    const asked = new URL(url).searchParams;
    assert.deepEqual(
      [asked.get("response_type"), asked.get("code_challenge_method"), asked.get("redirect_uri")],
      ["code", "S256", `${both.origin}/console/provider`],
    );
    for (const name of ["nonce", "code_challenge"]) assert.match(asked.get(name)!, /^[\w-]{43}$/);
    assert.match(asked.get("state")!, /^[\w-]{94}$/);
    const { status, body, text } = await both.answer(by.here, query);
    assert.equal(status, 200, text);
    assert.deepEqual(
      [body.person.email, body.accounts[0]!.role, body.hasProvider],
      ["ana@example.com", "finance", true],
    );
    assert.equal(by.here.jar.has("pixgate_provider"), false);
    const again = await both.signIn("ana");
    assert.equal(again.reply.body.person.id, body.person.id, "the same person");
  });

  test("signs in no stranger, no address that is not verified, and nobody who took over an address", async () => {
    provider.accounts.set("eve", { email: "eve@example.com", email_verified: true });
    const by = both.visitor();
    const eve = await both.cameBack(by, "eve");
    await refuses("a stranger", 403, "NOT_INVITED", () => both.answer(by.here, eve.query));
    await both.invite("bia@example.com");
    provider.accounts.set("bia", { email: "bia@example.com", email_verified: false });
    const bia = await both.cameBack(by, "bia", "/session/provider");
    await refuses("unverified", 403, "NOT_INVITED", () => both.answer(by.here, bia.query));
    provider.accounts.set("new-ana", { email: "ana@example.com", email_verified: true });
    const other = both.visitor();
    const taken = await both.cameBack(other, "new-ana");
    await refuses("another subject", 403, "NOT_INVITED", () => both.answer(other.here, taken.query));
  });

  test("answers once, in the browser that asked, and for its own question", async () => {
    const [by, attacker] = [both.visitor(), both.visitor()];
    const { query } = await both.cameBack(by, "ana");
    await refuses("no cookie", 401, "INVALID_CREDENTIALS", () => both.answer(attacker.here, query));
    await both.cameBack(attacker, "ana");
    await refuses("another browser's answer", 401, "INVALID_CREDENTIALS", () => both.answer(attacker.here, query));
    const once = await both.cameBack(by, "ana");
    assert.equal((await both.answer(by.here, once.query)).status, 200);
    await refuses("replayed", 401, "INVALID_CREDENTIALS", () => both.answer(by.here, once.query));
    const forged = await both.cameBack(by, "ana");
    const changed = (name: string, value: string) => {
      const parameters = new URLSearchParams(forged.query);
      parameters.set(name, value);
      return parameters.toString();
    };
    const stateless = changed("state", "A".repeat(43));
    await refuses("another state", 401, "INVALID_CREDENTIALS", () => both.answer(by.here, stateless));
    await refuses("another issuer", 401, "INVALID_CREDENTIALS", () =>
      both.answer(by.here, changed("iss", "https://evil.example")),
    );
    const { ctx } = gateway.running;
    const past = clockAhead(-LIMITS.signInChallenge - 1);
    for (const [what, state] of [
      ["expired", makeChallenge({ ...ctx, clock: past }, { purpose: "provider", sessionId: null })],
      ["another purpose", makeChallenge(ctx, { purpose: "sign-in", sessionId: null })],
      ["another session", makeChallenge(ctx, { purpose: "provider", sessionId: randomUUID() })],
    ] as const) {
      const asked = await by.here.send<{ url: string }>("POST", "/console/api/session/provider", {});
      const url = new URL(asked.body.url);
      url.searchParams.set("state", state.toString("base64url"));
      const query = await provider.visit(url.href, "ana", by.there);
      await refuses(what, 401, "INVALID_CREDENTIALS", () => both.answer(by.here, query));
    }
    const code = await both.cameBack(by, "ana");
    const guessed = new URLSearchParams(code.query);
    guessed.set("code", "guessed");
    await refuses("another code", 401, "INVALID_CREDENTIALS", () => both.answer(by.here, guessed.toString()));
  });

  test("confirms a sign-in by signing in there anew, and only its own person's", async () => {
    const { here, there, reply } = await both.signIn("ana");
    assert.equal(reply.status, 200, reply.text);
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    const fresh = async () => (await here.send<Who>("GET", "/console/api/session")).body.freshUntil!;
    const [stale, before] = [await fresh(), here.cookie];
    const asked = await here.send<{ url: string }>("POST", "/console/api/session/confirm/provider", {});
    const parameters = new URL(asked.body.url).searchParams;
    assert.deepEqual([parameters.get("prompt"), parameters.get("max_age")], ["login", "0"]);
    // The provider has a session of this browser, and asks again all the same.
    const query = await provider.visit(asked.body.url, "ana", there);
    const confirmed = await both.answer(here, query);
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.notEqual(here.cookie, before);
    assert.notEqual(await fresh(), stale);

    await both.invite("caio@example.com");
    provider.accounts.set("caio", { email: "caio@example.com", email_verified: true });
    const caio = await both.signIn("caio");
    assert.equal(caio.reply.status, 200, caio.reply.text);
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    const other = await both.cameBack({ here, there: new Map() }, "caio", "/session/confirm/provider");
    await refuses("another person", 401, "INVALID_CREDENTIALS", () => both.answer(here, other.query));
    // What was asked with prompt and max_age, answered from the provider's session.
    const lazy = await here.send<{ url: string }>("POST", "/console/api/session/confirm/provider", {});
    const without = new URL(lazy.body.url);
    without.searchParams.delete("prompt");
    without.searchParams.delete("max_age");
    const old = await provider.visit(without.href, "ana", there);
    await refuses("no time of the sign-in", 401, "INVALID_CREDENTIALS", () => both.answer(here, old));
  });

  test("that does not answer is said so, and a password still signs in", async () => {
    const password = "um cavalo correto grampeia";
    const dora = await new Browser(both.origin).use(await both.invite("dora@example.com"));
    assert.equal((await dora.send("POST", "/console/api/me/password", { password })).status, 204);
    const by = both.visitor();
    const { query } = await both.cameBack(by, "ana");
    provider.up = false;
    await refuses("away", 503, "PROVIDER_UNAVAILABLE", () => both.answer(by.here, query));
    const entered = await new Browser(both.origin).send("POST", "/console/api/session/password", {
      ...{ email: "dora@example.com", password },
    });
    assert.equal(entered.status, 200);
    provider.up = true;
    assert.equal((await both.signIn("ana")).reply.status, 200);
    const methods = await new Browser(both.origin).send("GET", "/console/api/session/methods");
    const host = new URL(provider.issuer).host;
    assert.deepEqual(methods.body, { password: true, passkey: true, provider: host });
  });
});

describe("a provider that alone decides", () => {
  let both: Both;
  before(async () => {
    both = await startBoth({
      ...{ PIXGATE_OIDC_ONLY: "on", PIXGATE_OIDC_SIGN_UP: "on", PIXGATE_OIDC_ROLE_CLAIM: "groups" },
      PIXGATE_OIDC_ROLES: "pix-admins=admin,pix-money=finance",
    });
  });
  after(() => both?.stop());

  test("gives the role that its claim says, and takes it away at the next sign-in", async () => {
    const { provider, gateway } = both;
    const claims = { email: "gil@example.com", email_verified: true, name: "Gil <x>" };
    provider.accounts.set("gil", { ...claims, groups: ["others", "pix-money"] });
    const first = await both.signIn("gil");
    assert.equal(first.reply.status, 200, first.reply.text);
    const { person, installationRole } = first.reply.body;
    assert.deepEqual([person.name, installationRole], ["Gil x", "finance"]);
    provider.accounts.set("gil", { ...claims, groups: ["others"] });
    const second = await both.signIn("gil");
    assert.equal(second.reply.body.installationRole, null);
    assertRefused(await first.here.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
    const { rows } = await gateway.owner.query<{ actor: string; action: string }>(sql`
      select actor, action from audit_log where object_id = ${person.id} and action = 'person.role'
      order by created_at, audit_id`);
    const entry = { actor: `OpenID Connect <${provider.issuer}>`, action: "person.role" };
    assert.deepEqual(
      rows.map(({ actor, action }) => ({ actor, action })),
      [entry, entry],
    );
  });

  test("names people by what is harmless of the name it gives, by their address where nothing is", async () => {
    const { provider, admin } = both;
    const names: readonly (readonly [given: unknown, shown: string | null])[] = [
      ['<img src=x onerror="alert(1)">Ana', "img srcx onerroralert1Ana"],
      ["Ana <root@example.com>", "Ana rootexample.com"],
      ["Ana\u202emoc.live\u2066", "Anamoc.live"],
      ["\u0000Ana\u0007\r\n\tMaria\u200b\u001b[31m", "Ana Maria31m"],
      ["Ana ".repeat(2_500), "Ana ".repeat(25).trim()],
      [`a${"𝒜".repeat(5_000)}`, `a${"𝒜".repeat(99)}`],
      ["Jose\u0301 D’Ávila", "José D’Ávila"],
      ["... 'Ana", "Ana"],
      ["\u3164\uffa0", null],
      ["- . -", null],
      [{ given: "Ana" }, null],
      [undefined, null],
    ];
    for (const [i, [name, shown]] of names.entries()) {
      const email = `nome-${i}@example.com`;
      provider.accounts.set(email, { email, email_verified: true, name, groups: ["pix-money"] });
      const { reply } = await both.signIn(email);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.person.name, shown ?? email);
    }
    type Listed = { items: { name: string; email: string | null; secondFactor: string | null }[] };
    const { body } = await admin.send<Listed>("GET", "/console/api/people");
    assert.equal(body.items.find(({ email }) => email === "nome-0@example.com")?.secondFactor, "provider");
    // As after a change of PIXGATE_OIDC_ISSUER: who was signed in by the one before has no factor there.
    const issuer = (to: string, from: string) =>
      both.gateway.owner.query(sql`update provider_identities set issuer = ${to} where issuer = ${from}`);
    const [current, former] = [provider.issuer, "https://former.example.com"];
    await issuer(former, current);
    const { items } = (await admin.send<Listed>("GET", "/console/api/people")).body;
    await issuer(current, former);
    assert.equal(items.find(({ email }) => email === "nome-0@example.com")!.secondFactor, null);
    const listed = new Map(body.items.map((one) => [one.email, one.name]));
    for (const [i, [, shown]] of names.entries()) {
      assert.equal(listed.get(`nome-${i}@example.com`), shown ?? `nome-${i}@example.com`);
    }
  });

  test("makes nobody of an address that is not verified, or is none", async () => {
    const { provider, gateway } = both;
    const people = async () => (await gateway.owner.query(sql`select from people`)).rows.length;
    const before = await people();
    for (const [i, [email, verified]] of (
      [
        ["iva@example.com", false],
        ["iva@example.com", "true"],
        ["iva@example.com> <root@example.com", true],
        ['"iva> <root"@example.com', true],
        ["iva@exam\u202eple.com", true],
        ["iva\u0000@example.com", true],
        ["iva maria@example.com", true],
        [`${"i".repeat(10_000)}@example.com`, true],
        ["@", true],
        [["iva@example.com"], true],
      ] as const
    ).entries()) {
      provider.accounts.set(`iva-${i}`, { email, email_verified: verified, name: "Iva", groups: ["pix-admins"] });
      const { reply } = await both.signIn(`iva-${i}`);
      assertRefused(reply, 403, "NOT_INVITED", String(email).slice(0, 50));
    }
    assert.equal(await people(), before);
  });

  test("leaves no other way in: no password, no passkey, no stranger's invitation", async () => {
    const { origin } = both;
    const stranger = new Browser(origin);
    const password = { email: "gil@example.com", password: "um cavalo correto grampeia" };
    const tried = await stranger.send("POST", "/console/api/session/password", password);
    assertRefused(tried, 403, "SIGN_IN_METHOD_OFF");
    const token = await both.invite("hugo@example.com");
    assertRefused(await stranger.send("POST", "/console/api/session/link", { token }), 401, "SIGN_IN_REQUIRED");
    both.provider.accounts.set("hugo", { email: "hugo@example.com", email_verified: true });
    const { reply } = await both.signIn("hugo");
    assert.deepEqual([reply.body.accounts[0]!.role, reply.status], ["finance", 200]);
    const methods = await stranger.send<{ password: boolean; passkey: boolean }>("GET", "/console/api/session/methods");
    assert.deepEqual([methods.body.password, methods.body.passkey], [false, false]);
  });
});

describe("a person whom somebody else named first", () => {
  const password = "um cavalo correto grampeia";
  let both: Both;
  before(async () => {
    both = await startBoth({
      ...{ PIXGATE_OIDC_ROLE_CLAIM: "groups", PIXGATE_OIDC_ROLES: "pix-admins=admin" },
    });
  });
  after(() => both?.stop());

  /** An owner's invitation, opened by the owner; what was set up by then may open nothing any more. */
  async function named(email: string, invite: () => Promise<string>) {
    const attacker = await new Browser(both.origin).use(await invite());
    const { secret, recoveryCodes } = await enrol(attacker, password);
    const passkey = new Passkey(both.origin);
    const asked = await attacker.send<Parameters<Passkey["make"]>[0]>("POST", "/console/api/me/passkey-options", {});
    const added = await attacker.send("POST", "/console/api/me/passkeys", {
      ...{ name: "Phone", response: passkey.make(asked.body) },
    });
    assert.equal(added.status, 201, added.text);
    return {
      attacker,
      async hasNoWayIn() {
        assertRefused(await attacker.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
        for (const factor of [{ code: appCode(secret, 1) }, { recoveryCode: recoveryCodes[0] }]) {
          const tried = { email, password, ...factor };
          const reply = await new Browser(both.origin).send("POST", "/console/api/session/password", tried);
          assertRefused(reply, 401, "INVALID_CREDENTIALS");
        }
        const stranger = new Browser(both.origin);
        const options = await stranger.send<Parameters<Passkey["sign"]>[0]>(
          ...(["POST", "/console/api/session/passkey/options", {}] as const),
        );
        const response = passkey.sign(options.body);
        assertRefused(
          await stranger.send("POST", "/console/api/session/passkey", { response }),
          401,
          "INVALID_CREDENTIALS",
        );
      },
    };
  }
  /** Invites as an owner who runs nothing of the installation. */
  async function asOwner(): Promise<Browser> {
    const email = `dono-${Math.random().toString(36).slice(2)}@example.com`;
    return new Browser(both.origin).use(await both.invite(email, "owner"));
  }
  const inviteBy = async (owner: Browser, email: string) => {
    const path = `/console/api/accounts/${both.gateway.sandbox.accountId}/people`;
    const made = await owner.send<{ link: string }>("POST", path, { email, role: "viewer" });
    assert.equal(made.status, 201, made.text);
    return made.body.link.split("#link=")[1]!;
  };

  test("is theirs alone from the first sign-in at the provider on, and so is the role that its claim gives", async () => {
    const email = "cfo@company.example";
    const owner = await asOwner();
    const { attacker, hasNoWayIn } = await named(email, () => inviteBy(owner, email));
    both.provider.accounts.set("cfo", { email: "CFO@company.example", email_verified: true, groups: ["pix-admins"] });
    const { here, reply } = await both.signIn("cfo");
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      [
        reply.body.installationRole,
        reply.body.person.email,
        (reply.body as unknown as { hasPassword: boolean }).hasPassword,
      ],
      ["admin", email, false],
    );
    await hasNoWayIn();
    assertRefused(await attacker.send("GET", "/operator/v1/tokens"), 401, "TOKEN_INVALID");
    assert.equal((await here.send("GET", "/operator/v1/tokens")).status, 200);
    assert.equal((await both.signIn("cfo")).reply.body.installationRole, "admin", "and the next sign-in takes nothing");
    assert.equal((await here.send("GET", "/console/api/session")).status, 200);
  });

  test("is theirs also where an admin had invited them, and where a recovery link was used before", async () => {
    const email = "cto@company.example";
    const { hasNoWayIn } = await named(email, () => both.invite(email, "viewer"));
    both.provider.accounts.set("cto", { email, email_verified: true });
    assert.equal((await both.signIn("cto")).reply.status, 200);
    await hasNoWayIn();
    const recovery = await both.gateway.operator.post<{ link: string }>("/people/recovery", { email });
    const again = await named(email, async () => recovery.body.link.split("#link=")[1]!);
    assert.equal((await both.signIn("cto")).reply.status, 200);
    await again.hasNoWayIn();
  });

  test("is nobody's by confirming: a subject that is not known confirms no sign-in, and joins nobody", async () => {
    const email = "ceo@company.example";
    const owner = await asOwner();
    const { attacker } = await named(email, () => inviteBy(owner, email));
    both.provider.accounts.set("ceo", { email, email_verified: true, groups: ["pix-admins"] });
    const by = { here: new Browser(both.origin), there: new Map<string, string>() };
    [by.here.cookie, by.here.csrfToken] = [attacker.cookie, attacker.csrfToken];
    const { query } = await both.cameBack(by, "ceo", "/session/confirm/provider");
    assertRefused(await both.answer(by.here, query), 401, "INVALID_CREDENTIALS");
    const { rows } = await both.gateway.owner.query(sql`select from provider_identities where subject = 'ceo'`);
    assert.equal(rows.length, 0);
    const seen = await attacker.send<Who>("GET", "/console/api/session");
    assert.deepEqual([seen.status, seen.body.installationRole], [200, null]);
  });

  test("who signed in at the provider first is not taken over by an invitation, whoever makes it", async () => {
    const email = "cso@company.example";
    const owner = await asOwner();
    const link = await inviteBy(owner, email);
    both.provider.accounts.set("cso", { email, email_verified: true });
    const { here, reply } = await both.signIn("cso");
    assert.deepEqual([reply.status, reply.body.accounts.length], [200, 1], reply.text);
    assertRefused(await owner.send("POST", "/console/api/session/link", { token: link }), 401, "LINK_INVALID");
    const further = [await inviteBy(owner, email), await both.invite(email, "owner")];
    assertRefused(
      await owner.send("POST", "/console/api/session/link", { token: further[1] }),
      401,
      "SIGN_IN_REQUIRED",
    );
    const admin = await both.gateway.operator.post<{ link: string }>("/people", { email, role: "admin" });
    const token = admin.body.link.split("#link=")[1]!;
    assertRefused(await owner.send("POST", "/console/api/session/link", { token }), 401, "SIGN_IN_REQUIRED");
    assert.equal((await here.send("GET", "/console/api/session")).status, 200);
  });
});
