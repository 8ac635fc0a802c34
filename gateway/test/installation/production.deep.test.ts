/** Production mode: what is only right for a sandbox is refused, and the first token comes from the machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { checkProductionData, productionProblems } from "../../src/program/installation/production.ts";
import { operatorToken } from "../../src/sandbox/bootstrap.ts";
import { readConfig } from "../../src/settings/config.ts";
import { appCode, enrol } from "../harness/authenticator.ts";
import { Browser } from "../harness/browser.ts";
import { Client } from "../harness/client.ts";
import { freshDatabase } from "../harness/database.ts";
import { Passkey } from "../harness/passkey.ts";
import { launchProcess, startProcess } from "../harness/process.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));

/** Settings that production takes. */
const GOOD: Readonly<Record<string, string>> = {
  PIXGATE_ENV: "production",
  PIXGATE_SECRET_KEY: randomBytes(32).toString("base64"),
  PIXGATE_PUBLIC_URL: "https://pix.example.com",
  DATABASE_URL: "postgresql://pixgate@db.example.com/pixgate?sslmode=verify-full",
};
const problems = (changes: Readonly<Record<string, string | undefined>>) =>
  productionProblems(readConfig({ ...GOOD, ...changes }));

describe("Production refuses", () => {
  const cases: readonly [string, Readonly<Record<string, string | undefined>>, RegExp][] = [
    ["to make its own master key", { PIXGATE_SECRET_KEY: undefined }, /^PIXGATE_SECRET_KEY is not set/],
    ["a key that is not random", { PIXGATE_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") }, /^PIXGATE_SECRET_KEY is not random/],
    ["the embedded PostgreSQL", { DATABASE_URL: undefined }, /^DATABASE_URL is not set/],
    ["a database on another host without TLS", { DATABASE_URL: "postgresql://u@10.0.0.5/p" }, /^DATABASE_URL goes to another machine/],
    ["TLS that does not verify", { DATABASE_URL: "postgresql://u@db.test/p?sslmode=no-verify" }, /^DATABASE_URL goes/],
    ["TLS only where the server likes", { DATABASE_URL: "postgresql://u@db.test/p?sslmode=prefer" }, /^DATABASE_URL goes/],
    ["the simulator", { PIXGATE_SIMULATOR_PORT: "8081" }, /^PIXGATE_SIMULATOR_PORT starts/],
    ["a public address without TLS", { PIXGATE_PUBLIC_URL: "http://pix.example.com" }, /^PIXGATE_PUBLIC_URL must/],
    ["no public address", { PIXGATE_PUBLIC_URL: undefined }, /^PIXGATE_PUBLIC_URL must/],
    ["a door for phones of the sandbox", { PIXGATE_SANDBOX_ADDRESS: "192.168.0.10" }, /^PIXGATE_SANDBOX_ADDRESS /],
    ["all IPv4 addresses without trusted proxies", { PIXGATE_HOST: "0.0.0.0" }, /^PIXGATE_HOST 0\.0\.0\.0/],
    ["all IPv6 addresses without trusted proxies", { PIXGATE_HOST: "::" }, /^PIXGATE_HOST ::/],
    ["to believe everybody's X-Forwarded-For", { PIXGATE_TRUSTED_PROXIES: "0.0.0.0/0" }, /^PIXGATE_TRUSTED_PROXIES trusts/],
    ["to believe half of everybody", { PIXGATE_TRUSTED_PROXIES: "10.0.0.1,128.0.0.0/1" }, /^PIXGATE_TRUSTED_PROXIES trusts/],
    ["to believe all of IPv6", { PIXGATE_TRUSTED_PROXIES: "::/0" }, /^PIXGATE_TRUSTED_PROXIES trusts/],
    ["to have no rate limit", { PIXGATE_RATE_LIMIT: "off" }, /^PIXGATE_RATE_LIMIT is off/],
    ["the sandbox's rules for webhooks", { PIXGATE_WEBHOOK_RULES: "sandbox" }, /^PIXGATE_WEBHOOK_RULES is sandbox/],
    ["to kill itself", { PIXGATE_FAILPOINTS: "*~0.1" }, /^PIXGATE_FAILPOINTS, /],
    ["a clock that is wrong", { PIXGATE_CLOCK_OFFSET: "-60" }, /^PIXGATE_FAILPOINTS, /],
    ["to believe a wrong clock", { PIXGATE_CLOCK_CHECK: "off" }, /^PIXGATE_FAILPOINTS, /],
    ["to log every call", { PIXGATE_LOG_LEVEL: "debug" }, /^PIXGATE_LOG_LEVEL is debug/],
  ]; // biome-ignore format: a row each
  for (const [what, changes, line] of cases) {
    test(`${what}, in one line`, () => {
      const found = problems(changes);
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0]!, line);
      assert.equal(found[0]!.includes("\n"), false);
      assert.deepEqual(problems({ ...changes, PIXGATE_ENV: "sandbox" }), [], "a sandbox takes it");
    });
  }

  test("nothing of what is right", () => {
    for (const changes of [
      {},
      { PIXGATE_HOST: "0.0.0.0", PIXGATE_TRUSTED_PROXIES: "10.0.0.0/8" },
      { DATABASE_URL: "postgresql://u@localhost/p" },
      { DATABASE_URL: "postgresql://u@127.0.0.1:5433/p" },
      { DATABASE_URL: "postgresql://u@[::1]/p" },
      { DATABASE_URL: "postgresql:///p?host=/var/run/postgresql&user=u" },
      { PIXGATE_SIMULATOR_PORT: "off" },
      { PIXGATE_ROLE: "worker", PIXGATE_PUBLIC_URL: undefined },
    ]) {
      assert.deepEqual(problems(changes), [], JSON.stringify(changes));
    }
    const config = readConfig(GOOD);
    assert.deepEqual([config.simulatorPort, config.webhookRules], [null, "production"]);
    assert.throws(() => readConfig({ PIXGATE_ENV: "prod" }), /PIXGATE_ENV must be sandbox or production/);
  });

  test("at the start, with a line for each problem and exit code 1", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "pixgate-production-"));
    const started = launchProcess({
      PIXGATE_ENV: "production",
      PIXGATE_DATA_DIR: dataDir,
      PIXGATE_SIMULATOR_PORT: "0",
    });
    assert.equal(await started.exited, 1);
    const lines = started.stderr().trim().split("\n");
    assert.match(lines[0]!, /^pixgate: PIXGATE_ENV=production refuses these settings:$/);
    // Key, database, simulator, public address, rate limit.
    assert.equal(lines.length, 6, started.stderr());
    rmSync(dataDir, { recursive: true });
  });

  test("a database that simulated money has been in", async () => {
    const database = await freshDatabase();
    const db = openDb({ url: database.url, max: 1, onError: () => {} });
    const check = (environment: string) => checkProductionData(readConfig({ ...GOOD, PIXGATE_ENV: environment }), db);
    await check("production");
    await db.query(sql`
      insert into institutions (institution_id, name, provider, environment, status, sealed_config, created_at, updated_at)
      values (${randomUUID()}, 'PSP simulator', 'simulator', 'sandbox', 'active', 'x', ${new Date()}, ${new Date()})`);
    await assert.rejects(check("production"), /^DatabaseRefused: .*its institution "PSP simulator" is of a sandbox/);
    await check("sandbox");
    await db.end();
    await database.drop();
  });
});

/** In production nobody works who could not sign in again, or by a password alone. */
async function needsEnrolment(browser: Browser): Promise<void> {
  for (const [method, path, body] of [
    ["GET", "/operator/v1/accounts", undefined],
    ["POST", "/console/api/people", { email: "x@example.com", role: "admin" }],
    ["GET", "/console/api/people", undefined],
  ] as const) {
    const reply = await browser.send<{ details: { code: string } }>(method, path, body);
    assert.deepEqual([reply.status, reply.body.details.code], [403, "ENROLMENT_REQUIRED"], `${method} ${path}`);
  }
}

/** Whoever has a passkey needs no password; a password beside it needs its authenticator, and is no way around that. */
async function passkeyIsEnough(bob: Browser, again: Browser): Promise<void> {
  type Who = { missing: string[]; session: { missing: string[]; csrfToken: string } };
  type Options = Parameters<Passkey["make"]>[0];
  const passkey = new Passkey("https://pix.example.com");
  const asked = await bob.send<Options>("POST", "/console/api/me/passkey-options", {});
  assert.equal(asked.body.rp!.id, "pix.example.com");
  const before = bob.cookie;
  const response = passkey.make(asked.body);
  const made = await bob.send<Who>("POST", "/console/api/me/passkeys", { name: "Notebook", response });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(made.body.session.missing, []);
  assert.notEqual(bob.cookie, before, "more rights come with another cookie");
  bob.csrfToken = made.body.session.csrfToken;
  const wanted = await again.send<Options>("POST", "/console/api/session/passkey/options", {});
  const signedIn = { response: passkey.sign(wanted.body) };
  assert.deepEqual((await again.send<Who>("POST", "/console/api/session/passkey", signedIn)).body.missing, []);
  assert.equal((await again.send("GET", "/operator/v1/accounts")).status, 200);
  const password = "um cavalo correto grampeia";
  assert.equal((await bob.send("POST", "/console/api/me/password", { password })).status, 204);
  assert.deepEqual((await bob.send<Who>("GET", "/console/api/session")).body.missing, ["authenticator"]);
  await needsEnrolment(bob);
}

/** The first admin comes in by the link of the machine, and lets others in; so does an operator token. */
async function letsPeopleIn(url: string, first: string, operator: Client, accountId: string): Promise<void> {
  type Who = {
    person: { name: string; email: string };
    installationRole: string;
    accounts: object[];
    missing: string[];
  };
  type Invited = { link: string };
  const secretOf = (link: string) => link.split("#link=")[1]!;
  const ana = await new Browser(url).use(secretOf(first));
  const { body } = await ana.send<Who>("GET", "/console/api/session");
  assert.deepEqual([body.person.name, body.person.email, body.installationRole], ["Ana", "ana@example.com", "admin"]);
  assert.equal(
    (await new Browser(url).send("POST", "/console/api/session/link", { token: secretOf(first) })).status,
    401,
  );
  assert.deepEqual(body.missing, ["password", "authenticator"]);
  await needsEnrolment(ana);
  const password = "um cavalo correto grampeia";
  assert.equal((await ana.send("POST", "/console/api/me/password", { password })).status, 204);
  await needsEnrolment(ana);
  const byPassword = new Browser(url);
  await byPassword.send("POST", "/console/api/session/password", { email: "ana@example.com", password });
  await needsEnrolment(byPassword);
  const { secret } = await enrol(ana);
  assert.deepEqual((await ana.send<Who>("GET", "/console/api/session")).body.missing, []);
  assert.equal((await ana.send("GET", "/operator/v1/accounts")).status, 200);
  assert.equal((await ana.send("DELETE", "/console/api/me/totp")).status, 400, "production needs it");
  const again = new Browser(url);
  const code = appCode(secret, 1);
  const in2 = await again.send("POST", "/console/api/session/password", { email: "ana@example.com", password, code });
  assert.equal(in2.status, 200, in2.text);
  const second = await ana.send<Invited>("POST", "/console/api/people", { email: "bob@example.com", role: "finance" });
  assert.match(second.body.link, /^https:\/\/pix\.example\.com\/console\/#link=/);
  await passkeyIsEnough(await new Browser(url).use(secretOf(second.body.link)), new Browser(url));
  const owner = { email: "dono@example.com", role: "owner", accountId };
  const headers = { "idempotency-key": "invite-1" };
  const third = await operator.post<Invited>("/people", owner, { headers });
  assert.equal(third.status, 201, third.text);
  const replayed = await operator.post<Partial<Invited>>("/people", owner, { headers });
  assert.equal(replayed.body.link, undefined, "a replay shows no secret");
  const dono = await new Browser(url).use(secretOf(third.body.link));
  const his = (await dono.send<Who>("GET", "/console/api/session")).body;
  assert.deepEqual(his.accounts, [{ accountId, name: "Loja", role: "owner" }]);
  assert.equal((await operator.post("/people", { email: "x@example.com", role: "owner" })).status, 400);
  assert.equal((await operator.post("/people", { ...owner, role: "admin" })).status, 400);
  assert.equal((await operator.post("/people", { ...owner, accountId: randomUUID() })).status, 404);
}

describe("The first start in production", () => {
  test("has no token but the one made on the machine, which opens the operator API and makes others", async () => {
    const database = await freshDatabase({ empty: true });
    const dataDir = mkdtempSync(join(tmpdir(), "pixgate-production-"));
    const env = { ...GOOD, DATABASE_URL: database.url, PIXGATE_DATA_DIR: dataDir };
    const pixgate = (changes: Record<string, string>, ...args: string[]) =>
      spawnSync(process.execPath, [BIN, ...args], {
        env: { PATH: process.env.PATH, ...env, ...changes },
        encoding: "utf8",
      });
    const early = pixgate({}, "token", "create", "--on-this-machine", "--name", "first");
    assert.deepEqual([early.status, early.stdout], [1, ""]);
    assert.match(
      early.stderr,
      /^pixgate: the database is empty: run pixgate migrate with the owner's DATABASE_URL first\n$/,
    );
    const db = openDb({ url: database.url, max: 1, onError: () => {} });
    const tables = await db.query(sql`select 1 from pg_tables where schemaname = current_schema()`);
    assert.equal(tables.rows.length, 0, "a token is no reason to make a schema");
    await db.end();
    assert.equal(pixgate({}, "migrate").status, 0);
    const made = pixgate({}, "token", "create", "--on-this-machine", "--name", "first", "--json");
    assert.equal(made.status, 0, made.stderr);
    const { token, role } = JSON.parse(made.stdout) as { token: string; role: string };
    assert.equal(role, "admin");
    const again = pixgate({}, "token", "create", "--on-this-machine", "--name", "first");
    assert.deepEqual([again.status, again.stdout], [1, ""]);
    assert.match(again.stderr, /that of another token/);
    const other = { PIXGATE_SECRET_KEY: randomBytes(32).toString("base64") };
    const stranger = pixgate(other, "token", "create", "--on-this-machine", "--name", "x");
    assert.deepEqual([stranger.status, /another secret key/.test(stranger.stderr)], [1, true], stranger.stderr);

    const keyless = pixgate({ PIXGATE_SECRET_KEY: "" }, "token", "create", "--on-this-machine", "--name", "x");
    assert.deepEqual([keyless.status, /needs the master key/.test(keyless.stderr)], [1, true], keyless.stderr);

    const ask = (changes: Record<string, string>, ...flags: string[]) =>
      pixgate(changes, "people", "invite", "--on-this-machine", ...flags);
    const mail = ["--email", "Ana@Example.com", "--name", "Ana"];
    assert.match(ask({ PIXGATE_PUBLIC_URL: "" }, ...mail).stderr, /needs PIXGATE_PUBLIC_URL/);
    assert.match(ask(other, ...mail).stderr, /another secret key/);
    assert.equal(ask({}, ...mail, "--role", "finance").status, 2);
    assert.equal(ask({}, "--email", "ana").status, 2);
    const undotted = ask({}, "--email", "ana@intranet", "--name", "Ana");
    assert.deepEqual([undotted.status, undotted.stdout, /email must/.test(undotted.stderr)], [1, "", true]);
    for (const name of ["\u3164", "Ana\u3164", "Ana <root@example.com>"]) {
      const refused = ask({}, "--email", "ana@example.com", "--name", name);
      assert.deepEqual(
        [refused.status, refused.stdout, /name must/.test(refused.stderr)],
        [1, "", true],
        refused.stderr,
      );
      const unnamed = pixgate({}, "token", "create", "--on-this-machine", "--name", name);
      assert.deepEqual(
        [unnamed.status, unnamed.stdout, /name must/.test(unnamed.stderr)],
        [1, "", true],
        unnamed.stderr,
      );
    }
    const invited = ask({}, ...mail, "--json");
    assert.equal(invited.status, 0, invited.stderr);
    const { link } = JSON.parse(invited.stdout) as { link: string };
    assert.match(link, /^https:\/\/pix\.example\.com\/console\/#link=[\w-]{43}$/);

    // The owner made the schema; the gateway works as the role that cannot change what is written.
    const running = { ...env, PIXGATE_SIMULATOR_PORT: "off", PIXGATE_RATE_LIMIT: "100" };
    const owner = launchProcess(running);
    assert.equal(await owner.exited, 1);
    assert.match(owner.stderr(), /refuses this DATABASE_URL: its role may change the schema or lines of the ledger/);
    const gateway = await startProcess({ ...running, DATABASE_URL: database.gatewayUrl });
    try {
      const operator = new Client(`${gateway.url}/operator/v1`).withToken(token);
      const limits = { perWithdrawal: 1000, perDay: null, perNight: 0 };
      const account = await operator.post<{ id: string; limits: object; warnings?: string[] }>("/accounts", {
        ...{ name: "Loja", document: "11222333000181", limits },
      });
      assert.equal(account.status, 201, account.text);
      await letsPeopleIn(gateway.url, link, operator, account.body.id);
      assert.deepEqual([account.body.limits, account.body.warnings], [limits, undefined]);
      const log = await operator.get<{ items: { actor: string; action: string }[] }>("/audit-log");
      assert.deepEqual(
        log.body.items.map(({ actor, action }) => [actor, action]),
        [
          ["dono@example.com <dono@example.com>", "person.sign-in"],
          ["dono@example.com <dono@example.com>", "person.join"],
          ["first", "person.invite"],
          ["bob@example.com <bob@example.com>", "person.password"],
          ["bob@example.com <bob@example.com>", "person.sign-in"],
          ["bob@example.com <bob@example.com>", "person.passkey"],
          ["bob@example.com <bob@example.com>", "person.sign-in"],
          ["bob@example.com <bob@example.com>", "person.join"],
          ["Ana <ana@example.com>", "person.invite"],
          ["Ana <ana@example.com>", "person.sign-in"],
          ["Ana <ana@example.com>", "person.authenticator"],
          ["Ana <ana@example.com>", "person.sign-in"],
          ["Ana <ana@example.com>", "person.password"],
          ["Ana <ana@example.com>", "person.sign-in"],
          ["Ana <ana@example.com>", "person.join"],
          ["first", "account.create"],
          ["command line", "person.invite"],
          ["command line", "token.create"],
        ],
      );
      for (const incomplete of [undefined, { perWithdrawal: 1, perNight: null }]) {
        const refused = await operator.post("/accounts", { name: "Loja 2", limits: incomplete });
        assert.equal(refused.status, 400, refused.text);
        assert.match(refused.text, /limits\.per(Withdrawal|Day).*is needed in production: an amount in BRL, or null/);
      }
      assert.equal((await operator.get<{ items: unknown[] }>("/accounts")).body.items.length, 1, "nothing was opened");
      type Warned = { warnings?: string[]; id: string };
      const twin = await operator.post<Warned>("/accounts", { name: "Twin", document: "11222333000181", limits });
      assert.deepEqual(twin.body.warnings, [`the account ${account.body.id} (Loja) has the same document`]);
      const at = `/accounts/${account.body.id}`;
      const credential = (changes: object) =>
        operator.post<Warned>(`${at}/credentials`, { name: "x", permissions: ["FULL_ACCESS"], ...changes });
      assert.match((await credential({})).body.warnings![0]!, /FULL_ACCESS and no allowedIps/);
      assert.equal((await credential({ allowedIps: ["192.0.2.1"] })).body.warnings, undefined);
      const adjust = (headers: Record<string, string>) =>
        operator.post<Warned>(`${at}/adjustments`, { amount: 1, balance: "available", reason: "x" }, { headers });
      assert.match((await adjust({})).body.warnings![0]!, /without an Idempotency-Key/);
      assert.equal((await adjust({ "idempotency-key": "a1" })).body.warnings, undefined);
      // The token that a sandbox derives from the master key is none here.
      const derived = operatorToken(Buffer.from(GOOD.PIXGATE_SECRET_KEY!, "base64"));
      assert.equal((await operator.get("/accounts", { token: derived })).status, 401);
      const institution = { name: "S", provider: "api-pix", environment: "sandbox", config: {} };
      assert.equal((await operator.post("/institutions", institution)).status, 400);
      const config = { baseUrl: "https://pix.example.com", tokenUrl: "https://pix.example.com/token", clientId: "c", clientSecret: "s", pixKey: "a@example.com", notificationIps: ["192.0.2.7"] }; // biome-ignore format: a row
      const real = { name: "Bank", provider: "api-pix", environment: "production", config };
      for (const address of ["http://pix.example.com", "https://10.0.0.5", "https://[fd00::1]", "https://localhost"]) {
        for (const name of ["baseUrl", "tokenUrl"]) {
          const refused = await operator.post("/institutions", { ...real, config: { ...config, [name]: address } });
          assert.equal(refused.status, 400, `${name} ${address}: ${refused.text}`);
          assert.match(refused.text, new RegExp(`config\\.${name}`));
        }
      }
      // A path that leaks must not be enough.
      const unguarded = await operator.post("/institutions", {
        ...real,
        config: { ...config, notificationIps: undefined },
      });
      assert.equal(unguarded.status, 400, unguarded.text);
      assert.match(unguarded.text, /config\.notificationIps/);
      assert.equal((await operator.get<{ items: unknown[] }>("/institutions")).body.items.length, 0);
      type Made = { id: string; details: { code: string; institutionId: string; status: string } };
      const made = await operator.post<Made>("/institutions", real);
      assert.equal(made.status, 201, made.text);
      // A second id of the same account would not know its Pix.
      for (const status of ["active", "retired"]) {
        const { id: institutionId } = made.body;
        if (status === "retired") await operator.patch(`/institutions/${institutionId}`, { status });
        const again = { ...real, config: { ...config, clientId: "d", pixKey: " A@example.com" } };
        const twin = await operator.post<Made>("/institutions", again);
        assert.deepEqual([twin.status, twin.body.details], [409, { code: "INSTITUTION_KNOWN", institutionId, status }]);
      }
      const other = { ...real, config: { ...config, pixKey: "b@example.com" } };
      const second = await operator.post<Made>("/institutions", other);
      assert.equal(second.status, 201, second.text);
      const moved = await operator.patch(`/institutions/${second.body.id}`, { config: { pixKey: config.pixKey } });
      assert.equal(moved.status, 409, moved.text);
      // A bank that knows no keys is one account by its secret.
      const keyless = (more: object) => {
        const settings = { notificationIps: ["203.0.113.7"], appId: "QXBwSUQx", ...more };
        return operator.post<Made>("/institutions", { ...real, provider: "woovi", config: settings });
      };
      for (const wooviUrl of ["http://api.woovi.com", "https://10.0.0.5"]) {
        const refused = await keyless({ wooviUrl });
        assert.equal(refused.status, 400, `${wooviUrl}: ${refused.text}`);
        assert.match(refused.text, /config\.wooviUrl/);
      }
      const woovi = await keyless({});
      assert.equal(woovi.status, 201, woovi.text);
      const same = await keyless({ wooviPayouts: true });
      const known = { code: "INSTITUTION_KNOWN", institutionId: woovi.body.id, status: "active" };
      assert.deepEqual([same.status, same.body.details], [409, known]);
      assert.equal((await keyless({ appId: "QXBwSUQy" })).status, 201);
      // One whose adapter names its account is the same one with whatever secret.
      const workspace = (starkId: string, starkWorkspace?: string) => {
        const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
        const starkKey = privateKey.export({ type: "sec1", format: "pem" }).toString();
        const settings = { notificationIps: ["203.0.113.7"], starkId, starkKey, starkWorkspace };
        return operator.post<Made>("/institutions", { ...real, provider: "stark", config: settings });
      };
      /** Two persons decide about settings that the rules allow (403); the rules refuse others before (409). */
      const edit = async (id: string, config: object) =>
        (await operator.patch(`/institutions/${id}`, { config })).status;
      const tenth = await workspace("6", "10");
      assert.equal(tenth.status, 201, tenth.text);
      for (const [id, named] of [["project/6", "12"], ["7", "10"], ["organization/1/workspace/10"]] as const)
        assert.equal((await workspace(id, named)).status, 409, `${id} ${named}`);
      const eleventh = await workspace("8", "11");
      assert.equal(eleventh.status, 201, eleventh.text);
      assert.equal((await workspace("5")).status, 409, "of which workspace a project is it does not show");
      assert.equal(await edit(eleventh.body.id, { starkWorkspace: "10" }), 409);
      assert.equal(await edit(eleventh.body.id, { starkWorkspace: "12" }), 403);
      // Numbers of a contract are used once, so it is one institution's, whatever key receives.
      const { baseUrl: _, tokenUrl: __, ...receives } = config;
      const ofContract = (contract: number, pixKey: string, debitAccount: number) => {
        const debit = { debitBranch: 1607, debitAccount, debitDigit: "X", batchesAppKey: "k" };
        const settings = { ...receives, extraQuery: { "gw-dev-app-key": "k" }, pixKey, contract, ...debit };
        return operator.post<Made>("/institutions", { ...real, provider: "banco-do-brasil", config: settings });
      };
      const paying = await ofContract(731030, "c@example.com", 1);
      assert.equal(paying.status, 201, paying.text);
      const contractKnown = { code: "INSTITUTION_KNOWN", institutionId: paying.body.id, status: "active" };
      for (const [contract, account] of [
        [731030, 2],
        [731031, 1],
      ] as const) {
        const refused = await ofContract(contract, "d@example.com", account);
        assert.deepEqual([refused.status, refused.body.details], [409, contractKnown]);
      }
      const apart = await ofContract(731031, "d@example.com", 2);
      assert.equal(apart.status, 201, apart.text);
      assert.equal(await edit(apart.body.id, { contract: 731030 }), 409);
      assert.equal(await edit(apart.body.id, { timeoutMs: 5_000 }), 403);
      // What an earlier version let two institutions share stays, and neither is kept from other changes.
      const db = openDb({ url: database.url, max: 1, onError: () => {} });
      const stored = (environment: string) =>
        db.query(sql`update institutions set environment = ${environment} where institution_id = ${paying.body.id}`);
      await stored("sandbox");
      const sharing = await ofContract(731030, "e@example.com", 3);
      assert.equal(sharing.status, 201, sharing.text);
      await stored("production");
      for (const { id } of [sharing.body, paying.body]) assert.equal(await edit(id, { timeoutMs: 6_000 }), 403);
      assert.equal(await edit(sharing.body.id, { contract: 731031 }), 409);
      assert.equal(await edit(sharing.body.id, { pixKey: "c@example.com" }), 409, "a shared name excuses no other");
      const asked = pixgate({ PIXGATE_OPERATOR_URL: gateway.url, PIXGATE_OPERATOR_TOKEN: token }, "account", "list");
      assert.match(asked.stdout, new RegExp(`${account.body.id}\\s+Loja\\s+approved`), asked.stderr);
      const { rows } = await db.query(sql`select value from settings where name like 'sandbox%'`);
      assert.deepEqual(rows, []);
      await db.end();
    } finally {
      await gateway.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true });
    }
  });
});
