/** The second factor: authenticator apps, recovery codes, and the way back for who lost both. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { newAccount } from "../contract/merchant.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { appCode, enrol } from "../harness/authenticator.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PASSWORD = "um cavalo correto grampeia";
const SETTINGS = { PIXGATE_SECRET_KEY: randomBytes(32).toString("base64") };
let gateway: TestGateway;
let admin: Browser;
let people = "";

/** Somebody who was invited, with a password. */
async function newPerson(email: string): Promise<Browser> {
  const made = await admin.send<{ link: string }>("POST", people, { email, role: "finance" });
  const browser = await new Browser(gateway).use(made.body.link.split("#link=")[1]!);
  assert.equal((await browser.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
  return browser;
}
type Factor = { readonly code?: string; readonly recoveryCode?: string; readonly password?: string };
const signIn = (email: string, factor: Factor = {}, browser = new Browser(gateway)) =>
  browser.send("POST", "/console/api/session/password", { email, password: PASSWORD, ...factor });
const sessionsOf = async (email: string) => {
  const { rows } = await gateway.owner.query<{ n: number }>(sql`
    select count(*)::int as n from sessions s join people p using (person_id) where p.email = ${email} and s.ended_at is null`);
  return rows[0]!.n;
};
/** So that a test needs not wait for the app's next code. */
const forgetUsedCodes = () => gateway.owner.query(sql`update authenticators set last_step = 0`);

before(async () => {
  gateway = await startGateway(SETTINGS);
  admin = await new Browser(gateway).use(firstLink(gateway));
  people = `/console/api/accounts/${await newAccount(gateway)}/people`;
});
after(() => gateway.stop());

describe("an authenticator", () => {
  test("counts from its first code on, ends the other sessions, and gives the one a new cookie", async () => {
    const ana = await newPerson("ana@example.com");
    await signIn("ana@example.com");
    const { secret, uri, qrCode } = (
      await ana.send<{ secret: string; uri: string; qrCode: string }>("POST", "/console/api/me/totp", {})
    ).body;
    assert.match(secret, /^[A-Z2-7]{32}$/);
    assert.equal(uri, `otpauth://totp/Pixgate:ana%40example.com?secret=${secret}&issuer=Pixgate`);
    assert.match(qrCode, /^data:image\/png;base64,/);
    const wrong = await ana.send("POST", "/console/api/me/totp/confirm", { code: appCode(secret, 5) });
    assertRefused(wrong, 401, "INVALID_CREDENTIALS");
    assert.equal((await signIn("ana@example.com")).status, 200, "nothing counts yet");
    assert.equal(await sessionsOf("ana@example.com"), 3);
    const before = ana.cookie;
    const { recoveryCodes } = await enrol(ana);
    assert.notEqual(ana.cookie, before);
    assert.equal(await sessionsOf("ana@example.com"), 1);
    assert.equal(new Set(recoveryCodes).size, 10);
    for (const code of recoveryCodes) assert.match(code, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
    const shown = await ana.send<{ since: string; recoveryCodesLeft: number }>("GET", "/console/api/me/totp");
    assert.ok(shown.body.since !== null && shown.body.recoveryCodesLeft === 10, shown.text);
    const { rows } = await gateway.owner.query<{ sealed: string }>(
      sql`select sealed_secret as sealed from authenticators where sealed_secret is not null`,
    );
    assert.match(rows[0]!.sealed, /^v1\./);
    assert.equal((await gateway.owner.query(sql`select from recovery_codes where used_at is null`)).rows.length, 10);
  });

  test("is what the installation's list of people says of who has one, and an account's list says nothing of it", async () => {
    type Listed = { items: { email: string | null; secondFactor?: string | null }[] };
    const path = "/console/api/people";
    const made = await admin.send<{ link: string }>("POST", path, { email: "marcia@example.com", role: "finance" });
    const marcia = await new Browser(gateway).use(made.body.link.split("#link=")[1]!);
    const factorOf = async () =>
      (await admin.send<Listed>("GET", path)).body.items.find(({ email }) => email === "marcia@example.com")
        ?.secondFactor;
    assert.equal((await marcia.send("POST", "/console/api/me/password", { password: PASSWORD })).status, 204);
    assert.equal((await marcia.send("POST", "/console/api/me/totp", {})).status, 200);
    assert.equal(await factorOf(), null, "it counts from its first code on");
    await enrol(marcia);
    assert.equal(await factorOf(), "authenticator");
    assert.equal((await marcia.send("DELETE", "/console/api/me/totp")).status, 204);
    assert.equal(await factorOf(), null);
    const { items } = (await admin.send<Listed>("GET", people)).body;
    assert.ok(items.length > 0 && items.every((one) => !("secondFactor" in one)));
  });

  test("needs a password to add to, and who sets it up again a fresh sign-in", async () => {
    const made = await admin.send<{ link: string }>("POST", people, { email: "novo@example.com", role: "viewer" });
    const novo = await new Browser(gateway).use(made.body.link.split("#link=")[1]!);
    assertInvalid(await novo.send("POST", "/console/api/me/totp", {}), ["password"]);
    assertInvalid(await admin.send("POST", "/console/api/me/totp", {}), ["password"]);
    const bia = await newPerson("bia@example.com");
    await enrol(bia);
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    for (const [method, path] of [
      ["POST", "/console/api/me/totp"],
      ["POST", "/console/api/me/recovery-codes"],
      ["DELETE", "/console/api/me/totp"],
    ] as const) {
      assertRefused(await bia.send(method, path, method === "POST" ? {} : undefined), 403, "FRESH_SIGN_IN_REQUIRED");
    }
  });

  test("is asked for after the password, and each code signs in once", async () => {
    const caio = await newPerson("caio@example.com");
    const { secret, code: used } = await enrol(caio);
    const before = await sessionsOf("caio@example.com");
    assertRefused(await signIn("caio@example.com"), 401, "SECOND_FACTOR_REQUIRED");
    const refused = await signIn("caio@example.com", { password: "wrong", code: appCode(secret, 1) });
    assertRefused(refused, 401, "INVALID_CREDENTIALS");
    assertRefused(await signIn("caio@example.com", { code: used }), 401, "INVALID_CREDENTIALS");
    assertRefused(await signIn("caio@example.com", { code: "000000" }), 401, "INVALID_CREDENTIALS");
    assert.equal(await sessionsOf("caio@example.com"), before);
    const code = appCode(secret, 1);
    const at = await Promise.all([1, 2, 3, 4].map(() => signIn("caio@example.com", { code })));
    assert.deepEqual(at.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    assert.equal(await sessionsOf("caio@example.com"), before + 1);
  });

  test("confirms a sign-in together with the password", async () => {
    const davi = await newPerson("davi@example.com");
    const { secret } = await enrol(davi);
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    const confirm = (factor: Factor) =>
      davi.send("POST", "/console/api/session/confirm", { password: PASSWORD, ...factor });
    assertRefused(await confirm({}), 401, "SECOND_FACTOR_REQUIRED");
    assertRefused(await confirm({ code: "000000" }), 401, "INVALID_CREDENTIALS");
    assertRefused(await davi.send("POST", "/console/api/me/recovery-codes", {}), 403, "FRESH_SIGN_IN_REQUIRED");
    assert.equal((await confirm({ code: appCode(secret, 1) })).status, 200);
    assert.equal((await davi.send("POST", "/console/api/me/recovery-codes", {})).status, 200);
  });

  test("can be taken away in a sandbox; its codes and the recovery codes count no more", async () => {
    const eva = await newPerson("eva@example.com");
    const { recoveryCodes } = await enrol(eva);
    assert.equal((await eva.send("DELETE", "/console/api/me/totp")).status, 204);
    assert.equal((await signIn("eva@example.com")).status, 200);
    await enrol(eva);
    assertRefused(await signIn("eva@example.com", { recoveryCode: recoveryCodes[0]! }), 401, "INVALID_CREDENTIALS");
  });
});

describe("a recovery code", () => {
  test("stands in for the authenticator once, however it is written, and for its person only", async () => {
    const gil = await newPerson("gil@example.com");
    const { recoveryCodes } = await enrol(gil);
    const other = await newPerson("hugo@example.com");
    const { recoveryCodes: his } = await enrol(other);
    assertRefused(await signIn("gil@example.com", { recoveryCode: his[0]! }), 401, "INVALID_CREDENTIALS");
    const written = recoveryCodes[0]!.toLowerCase().replaceAll("-", " ");
    const at = await Promise.all([1, 2, 3].map(() => signIn("gil@example.com", { recoveryCode: written })));
    assert.deepEqual(at.map(({ status }) => status).sort(), [200, 401, 401]);
    const shown = await gil.send<{ recoveryCodesLeft: number }>("GET", "/console/api/me/totp");
    assert.equal(shown.body.recoveryCodesLeft, 9);
    const fresh = await gil.send<{ recoveryCodes: string[] }>("POST", "/console/api/me/recovery-codes", {});
    assertRefused(await signIn("gil@example.com", { recoveryCode: recoveryCodes[1]! }), 401, "INVALID_CREDENTIALS");
    assert.equal((await signIn("gil@example.com", { recoveryCode: fresh.body.recoveryCodes[1]! })).status, 200);
    assert.equal((await signIn("hugo@example.com", { recoveryCode: his[0]! })).status, 200);
  });
});

describe("a new authenticator", () => {
  test("is taken by no sign-in that is minutes old, and its secret waits ten minutes for its first code", async () => {
    const mara = await newPerson("mara@example.com");
    const pending = async () => (await mara.send<{ secret: string }>("POST", "/console/api/me/totp", {})).body.secret;
    const secret = await pending();
    const confirm = (code: string) => mara.send("POST", "/console/api/me/totp/confirm", { code });
    const since = async () => (await mara.send<{ since: string | null }>("GET", "/console/api/me/totp")).body.since;
    const before = await sessionsOf("mara@example.com");
    await gateway.owner.query(sql`update sessions set fresh_until = created_at`);
    assertRefused(await confirm(appCode(secret)), 403, "FRESH_SIGN_IN_REQUIRED");
    assert.deepEqual([await since(), await sessionsOf("mara@example.com")], [null, before]);
    assert.equal((await mara.send("POST", "/console/api/session/confirm", { password: PASSWORD })).status, 200);
    await gateway.owner.query(sql`
      update authenticators set pending_since = ${new Date(Date.now() - LIMITS.pendingAuthenticator)}`);
    assertInvalid(await confirm(appCode(secret)), ["code"]);
    assert.equal(await since(), null);
    const anew = await pending();
    assert.equal((await confirm(appCode(anew))).status, 200);
  });
});

describe("codes cannot be guessed", () => {
  test("after ten wrong ones at two processes together even the right one waits", async () => {
    const second = await startGateway({ ...SETTINGS, DATABASE_URL: gateway.databaseUrl });
    const iris = await newPerson("iris@example.com");
    const { secret, recoveryCodes } = await enrol(iris);
    for (let i = 0; i < 10; i += 1) {
      const at = new Browser(i % 2 === 0 ? gateway : second);
      assertRefused(await signIn("iris@example.com", { code: "000000" }, at), 401, "INVALID_CREDENTIALS");
    }
    const before = await sessionsOf("iris@example.com");
    for (const at of [gateway, second]) {
      assert.equal((await signIn("iris@example.com", { code: appCode(secret, 1) }, new Browser(at))).status, 429);
    }
    assert.equal((await signIn("iris@example.com", { recoveryCode: recoveryCodes[0]! })).status, 429);
    assert.equal(await sessionsOf("iris@example.com"), before);
    const { rows } = await gateway.owner.query<{ n: number }>(sql`
      select count(*)::int as n from audit_log a join people p on p.person_id = a.object_id
      where p.email = 'iris@example.com' and a.action = 'person.second-factor-failed'`);
    assert.equal(rows[0]!.n, 10);
    await second.stop();
  });
});

describe("who lost password and authenticator", () => {
  test("comes in by a link of an admin, and chooses both anew; nothing changes before it is used", async () => {
    const lia = await newPerson("lia@example.com");
    const { recoveryCodes } = await enrol(lia);
    assertRefused(
      await gateway.operator.post("/people/recovery", { email: "nobody@example.com" }),
      404,
      "RESOURCE_NOT_FOUND",
    );
    assert.equal((await lia.send("POST", "/operator/v1/people/recovery", { email: "lia@example.com" })).status, 403);
    const made = await gateway.operator.post<{ link: string }>("/people/recovery", { email: "Lia@Example.com" });
    assert.equal(made.status, 201, made.text);
    assert.equal((await lia.send("GET", "/console/api/session")).status, 200);
    await forgetUsedCodes();
    const secret = made.body.link.split("#link=")[1]!;
    const again = await new Browser(gateway).use(secret);
    const who = await again.send<{ person: { email: string }; accounts: object[] }>("GET", "/console/api/session");
    assert.deepEqual([who.body.person.email, who.body.accounts.length], ["lia@example.com", 1]);
    assertRefused(await lia.send("GET", "/console/api/session"), 401, "TOKEN_INVALID");
    assertRefused(await signIn("lia@example.com", { recoveryCode: recoveryCodes[0]! }), 401, "INVALID_CREDENTIALS");
    const once = new Browser(gateway).send("POST", "/console/api/session/link", { token: secret });
    assertRefused(await once, 401, "LINK_INVALID");
    await enrol(again, `${PASSWORD} de novo`);
    const { rows } = await gateway.owner.query<{ action: string }>(sql`
      select action from audit_log where object_id = (select person_id from people where email = 'lia@example.com')
      order by created_at, audit_id`);
    assert.deepEqual(
      rows.map(({ action }) => action),
      [
        ...["person.sign-in", "person.password", "person.authenticator", "person.recover"],
        ...["person.reset", "person.sign-in", "person.password", "person.authenticator"],
      ],
    );
  });
});
