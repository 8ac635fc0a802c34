import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { createCertificateWatch } from "../../src/institutions/certificates.ts";
import { createHealth } from "../../src/institutions/health.ts";
import { createHealthNotes } from "../../src/institutions/health-history.ts";
import { openConfig } from "../../src/institutions/registry.ts";
import { testConnection } from "../../src/institutions/test-connection.ts";
import { BANK } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertInvalid, assertRefused } from "./refusal.ts";

type History = {
  stepSeconds: number;
  steps: { at: string; state: string }[];
  outages: { from: string; until: string | null; state: string }[];
};
type Institution = Record<string, unknown> & { id: string; config: Record<string, unknown> };

const SECRET = "a-secret-that-nobody-should-see";
const body = {
  name: "Bank",
  provider: "api-pix",
  environment: "sandbox",
  priority: 7,
  capacityPerSecond: 50,
  config: { profile: "inter", clientId: "client", clientSecret: SECRET, pixKey: "bank@example.com" },
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());
const create = (value: unknown) => gateway.operator.post<Institution>("/institutions", value);
const count = async () =>
  (await gateway.running.ctx.db.query<{ n: number }>(sql`select count(*)::int as n from institutions`)).rows[0]!.n;

/** The configuration of the sandbox's own bank. */
async function ownConfig(): Promise<{ config: Record<string, unknown> }> {
  const { ctx } = gateway.running;
  const { rows } = await ctx.db.query<{ institutionId: string; sealedConfig: string }>(
    sql`select institution_id as "institutionId", sealed_config as "sealedConfig" from institutions where name = 'PSP simulator'`,
  );
  const { controlUrl: _url, controlToken: _token, ...config } = openConfig(ctx.keys, rows[0]!);
  return { config };
}

describe("/operator/v1/institutions", () => {
  test("creates, shows, lists and changes an institution, and never shows its secrets", async () => {
    const made = await create(body);
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    assert.deepEqual(made.body.config, {
      profile: "inter",
      clientId: "client",
      pixKey: "bank@example.com",
      secretsSet: ["clientSecret"],
    });
    assert.deepEqual(
      [made.body.priority, made.body.capacityPerSecond, made.body.status, made.body.certificateExpiresAt],
      [7, 50, "active", null],
    );
    const patched = await gateway.operator.patch<Institution>(`/institutions/${id}`, {
      name: "Bank 2",
      status: "inactive",
      capacityPerSecond: null,
      config: { clientSecret: `${SECRET}-2`, scope: "cob.read" },
    });
    assert.equal(patched.status, 200, patched.text);
    assert.deepEqual(
      [patched.body.name, patched.body.status, patched.body.capacityPerSecond],
      ["Bank 2", "inactive", null],
    );
    assert.equal(patched.body.config.scope, "cob.read");
    const shown = await gateway.operator.get(`/institutions/${id}`);
    const list = await gateway.operator.get<{ items: Institution[] }>("/institutions");
    assert.deepEqual(
      list.body.items.find((item) => item.id === id),
      shown.body,
    );
    const { rows } = await gateway.running.ctx.db.query<{ action: string; row: string }>(
      sql`select action, to_jsonb(audit_log)::text as row from audit_log where object_id = ${id} order by audit_id`,
    );
    assert.deepEqual(
      rows.map((row) => row.action),
      ["institution.create", "institution.update"],
    );
    const stored = await gateway.running.ctx.db.query<{ row: string }>(
      sql`select to_jsonb(institutions)::text as row from institutions where institution_id = ${id}`,
    );
    for (const text of [
      made.text,
      patched.text,
      shown.text,
      list.text,
      ...rows.map((row) => row.row),
      stored.rows[0]!.row,
      ...gateway.logLines,
    ]) {
      assert.equal(text.includes(SECRET), false);
    }
  });

  test("a setting that cannot work is named, and nothing is made", async () => {
    const before = await count();
    const config = body.config;
    assertInvalid(await create({ ...body, config: { ...config, profile: "no-such-bank" } }), ["config.profile"]);
    assertInvalid(await create({ ...body, config: { clientId: "x", clientSecret: "y", pixKey: "z" } }), [
      "config.baseUrl",
    ]);
    assertInvalid(await create({ ...body, config: { profile: "inter", clientId: "x", pixKey: "z" } }), [
      "config.clientSecret",
    ]);
    assertInvalid(await create({ ...body, config: { ...config, certificate: "no certificate" } }), [
      "config.certificate",
    ]);
    assertInvalid(await create({ ...body, config: { ...config, p12: "bm8=" } }), ["config.p12"]);
    assertInvalid(await create({ ...body, provider: "a-bank" }), ["provider"]);
    assertInvalid(await create({ ...body, config: { ...config, extra: 1 } }), ["config.extra"]);
    assertInvalid(await create({ ...body, priority: -1 }), ["priority"]);
    assertInvalid(await create({ ...body, capacityPerSecond: 0 }), ["capacityPerSecond"]);
    assert.equal(await count(), before);
  });

  test("takes every setting of the schema, and works with them", async () => {
    const { config } = await ownConfig();
    const settings = {
      timeoutMs: 20_000,
      tokenTimeoutMs: 20_000,
      connectTimeoutMs: 5_000,
      maxConnections: 2,
      maxPending: 100,
      pageSize: 50,
      tokenAuth: "basic",
      tokenBody: "json",
      clientIdHeader: "client_id",
      correlationHeader: "x-correlationID",
      pathOverrides: { getCob: "/v2/cob/{1}" },
      qrFields: ["pixCopiaECola"],
      timestampMillis: true,
      zonelessTime: "-03:00",
      returnDescription: false,
      merchantName: "LOJA",
      merchantCity: "RECIFE",
    };
    const secrets = { extraHeaders: { "x-a": "b" }, extraQuery: { c: "d" }, clientSecret: config.clientSecret };
    const whole = {
      ...config,
      ...settings,
      ...secrets,
      scope: "cob.read cob.write pix.read pix.write webhook.read webhook.write",
    };
    const made = await create({ ...body, provider: "api-pix", environment: "sandbox", config: whole });
    assert.equal(made.status, 201, made.text);
    const { secretsSet, ...shown } = made.body.config;
    for (const [name, value] of Object.entries(settings)) assert.deepEqual(shown[name], value, name);
    const hidden = Object.keys(whole).filter((name) => !Object.hasOwn(shown, name));
    assert.deepEqual(secretsSet, hidden.sort());
    assert.deepEqual(
      Object.keys(secrets).filter((name) => !hidden.includes(name)),
      [],
    );
    const tested = await gateway.operator.post<{ ok: boolean }>(`/institutions/${made.body.id}/test`);
    assert.equal(tested.body.ok, true, tested.text);
    const before = await count();
    for (const [name, wrong] of [
      ["timeoutMs", 0],
      ["maxConnections", "2"],
      ["tokenAuth", "digest"],
      ["pageSize", 1_001],
      ["correlationHeader", "x y"],
      ["pathOverrides", { getCob: "/v2/cob" }],
    ] as const) {
      const refused = await create({ ...body, config: { ...body.config, [name]: wrong } });
      assertInvalid(refused, [`config.${name}`]);
    }
    assert.equal(await count(), before);
  });

  test("reports when the client certificate ends, from PEM and from PKCS#12", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "pixgate-certificate-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
    try {
      openssl("version");
    } catch {
      return t.skip("there is no openssl here to make a certificate with");
    }
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      "key.pem",
      "-out",
      "cert.pem",
      "-days",
      "30",
      "-subj",
      "/CN=client",
    );
    openssl("pkcs12", "-export", "-in", "cert.pem", "-inkey", "key.pem", "-out", "client.p12", "-passout", "pass:");
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    const pem = await create({
      ...body,
      config: { ...body.config, certificate: read("cert.pem"), privateKey: read("key.pem") },
    });
    const p12 = await create({
      ...body,
      config: { ...body.config, p12: readFileSync(join(folder, "client.p12")).toString("base64"), passphrase: "" },
    });
    for (const reply of [pem, p12]) {
      assert.equal(reply.status, 201, reply.text);
      const days = (Date.parse(String(reply.body.certificateExpiresAt)) - Date.now()) / 86_400_000;
      assert.ok(days > 29 && days <= 30, `${days} days`);
    }
  });

  test("the test of a connection says in words what works and what does not", async () => {
    const { rows } = await gateway.running.ctx.db.query<{ institution_id: string }>(
      sql`select institution_id from institutions where provider = ${BANK}`,
    );
    const works = await gateway.operator.post<{
      ok: boolean;
      checks: { name: string; result: string; says: string }[];
    }>(`/institutions/${rows[0]!.institution_id}/test`);
    assert.equal(works.status, 200, works.text);
    assert.equal(works.body.ok, true, works.text);
    const offered = BANK === "api-pix" ? "not_offered" : "works";
    assert.deepEqual(
      works.body.checks.map(({ name, result }) => [name, result]),
      [
        ...["token", "scopes", "key", "charges", "received"].map((name) => [name, "works"]),
        // The gateway of this test does not know its address: it is registered where the simulator sends them already.
        ["notifications", "works"],
        ...["settings", "balance", "payouts", "infractions"].map((name) => [name, offered]),
      ],
    );
    const { body: state } = await gateway.simulator.get<{ items: { txid: string; status: string }[] }>("/charges");
    const trial = state.items.find(({ txid }) => txid.startsWith("probe"));
    assert.equal(trial?.status, "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    const dead = await create({
      ...body,
      provider: "efi",
      config: {
        ...body.config,
        profile: undefined,
        baseUrl: "http://127.0.0.1:1/v2",
        tokenUrl: "http://127.0.0.1:1/token",
      },
    });
    const failed = await gateway.operator.post<{
      ok: boolean;
      checks: { name: string; result: string; says: string }[];
    }>(`/institutions/${dead.body.id}/test`);
    assert.deepEqual([failed.status, failed.body.ok], [200, false]);
    const results = failed.body.checks.filter(({ result }) => result !== "failed").map(({ name }) => name);
    assert.deepEqual(results, ["notifications"]);
    const says = (name: string) => failed.body.checks.find((one) => one.name === name)?.says;
    assert.equal(says("token"), "No access token was given (token_ECONNREFUSED): nobody listens at its address.");
    const nobody = "it gave no access token: nobody listens at its address (token_ECONNREFUSED)";
    assert.equal(says("received"), `It did not work: listing received Pix; ${nobody}.`);
    const { ctx } = gateway.running;
    const known = (await ctx.psps.find(dead.body.id))!;
    const ended = await testConnection(ctx, { ...known, certificateExpiresAt: new Date("2026-11-01T12:00:00Z") });
    assert.equal(
      ended.checks[0]?.says,
      "No access token was given (token_ECONNREFUSED): our client certificate ended at 2026-11-01T12:00:00.000Z.",
    );
  });

  test("a token without the scopes, and a key of somebody else's, are named", async () => {
    const { config } = await ownConfig();
    const withConfig = async (more: Record<string, unknown>) => {
      const made = await create({
        ...body,
        provider: "api-pix",
        environment: "sandbox",
        config: { ...config, ...more },
      });
      assert.equal(made.status, 201, made.text);
      type Test = { ok: boolean; checks: { name: string; result: string; says: string }[] };
      const { body: test } = await gateway.operator.post<Test>(`/institutions/${made.body.id}/test`);
      assert.equal(test.ok, false);
      return (name: string) => test.checks.find((one) => one.name === name)!;
    };
    const scopes = (await withConfig({ scope: "cob.read pix.read" }))("scopes");
    assert.deepEqual(
      [scopes.result, scopes.says],
      ["failed", "The institution has not granted: cob.write, pix.write, webhook.read, webhook.write."],
    );
    const key = (await withConfig({ pixKey: "somebody@example.com" }))("key");
    assert.equal(key.result, "failed");
    assert.match(key.says, /^No charge of R\$ 11\.00 could be issued on the key: 400 /);
  });

  test("a control address is refused in production: nobody plays the payer there", async () => {
    const before = await count();
    const refused = await create({
      ...body,
      environment: "production",
      provider: "efi",
      config: { ...body.config, controlUrl: "http://x", controlToken: "t" },
    });
    assertInvalid(refused, ["config.controlUrl"]);
    assert.equal(await count(), before);
  });

  test("when a client certificate ends is a metric, and in its last month a warning a day", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pixgate-certificate-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name: string) => join(folder, name);
    // biome-ignore format: one command
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file("key"), "-out", file("pem"), "-days", "20", "-subj", "/CN=soon"], { stdio: "pipe" });
    const read = (name: string) => readFileSync(file(name), "utf8");
    const made = await create({
      ...body,
      name: "Soon",
      config: { ...body.config, certificate: read("pem"), privateKey: read("key") },
    });
    assert.equal(made.status, 201, made.text);
    const metrics = await (await fetch(`${gateway.running.url}/metrics`)).text();
    const line = new RegExp(
      `^pixgate_institution_certificate_end_seconds\\{institution="${made.body.id}",name="Soon"\\} (\\d+)$`,
      "m",
    );
    const ends = Number(line.exec(metrics)?.[1]);
    assert.ok(ends > Date.now() / 1000 + 19 * 86_400 && ends < Date.now() / 1000 + 21 * 86_400, metrics);
    const { rows: houses } = await gateway.running.ctx.db.query<{ account_id: string }>(
      sql`select account_id from accounts where is_house`,
    );
    const houseId = houses[0]!.account_id;
    type Case = { objectId: string; status: string; severity: string; deadline?: string };
    const caseOf = async () =>
      (await gateway.operator.get<{ items: Case[] }>("/cases?kind=certificate_expiring")).body.items.filter(
        ({ objectId }) => objectId === made.body.id,
      );
    const warned: string[] = [];
    const { ctx } = gateway.running;
    let now = Date.now();
    const log = {
      warn: (fields: { institutionId: string }, message: string) =>
        fields.institutionId === made.body.id && warned.push(message),
    };
    const watch = createCertificateWatch(
      { ...ctx, clock: { ...ctx.clock, now: () => now }, log: log as never },
      houseId,
    );
    for (const pause of [0, 3_600_000, 86_400_000, 21 * 86_400_000]) {
      now += pause;
      await watch();
    }
    const soon = "an institution's client certificate ends soon";
    assert.deepEqual(warned, [soon, soon, "an institution's client certificate has ended"]);

    const [open, ...more] = await caseOf();
    assert.deepEqual([open?.status, open?.severity, more], ["open", "notice", []]);
    assert.equal(Date.parse(open!.deadline!) / 1000, ends);
    // biome-ignore format: one command
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file("key"), "-out", file("pem"), "-days", "400", "-subj", "/CN=new"], { stdio: "pipe" });
    const renewed = await gateway.operator.patch(`/institutions/${made.body.id}`, {
      config: { ...body.config, certificate: read("pem"), privateKey: read("key") },
    });
    assert.equal(renewed.status, 200, renewed.text);
    await watch();
    assert.deepEqual(
      (await caseOf()).map(({ status }) => status),
      ["closed"],
    );
  });

  test("what is not there is a 404, and the house account uses no institution", async () => {
    const nothing = "01900000-0000-7000-8000-000000000000";
    assertRefused(await gateway.operator.get(`/institutions/${nothing}`), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await gateway.operator.patch(`/institutions/${nothing}`, {}), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await gateway.operator.post(`/institutions/${nothing}/test`), 404, "RESOURCE_NOT_FOUND");
    const { rows } = await gateway.running.ctx.db.query<{ account_id: string; institution_id: string }>(
      sql`select a.account_id, i.institution_id from accounts a, institutions i where a.is_house limit 1`,
    );
    const link = (account: string, institution: string) =>
      gateway.operator.send("PUT", `/accounts/${account}/institutions/${institution}`, '{"enabled":true}');
    assertRefused(await link(rows[0]!.account_id, rows[0]!.institution_id), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await link(gateway.sandbox.accountId, nothing), 404, "RESOURCE_NOT_FOUND");
  });
});

describe("how an institution answered", () => {
  type Activity = {
    readonly institutions: readonly {
      readonly institutionId: string;
      readonly chargesAnswered: number;
      readonly answers: number;
      readonly share: number | null;
      readonly p50Ms: number | null;
      readonly p95Ms: number | null;
    }[];
    readonly outages: readonly {
      readonly institutionId: string;
      readonly from: string;
      readonly until: string | null;
    }[];
  };
  const readHistory = async (id: string, period = "day") => {
    const reply = await gateway.operator.get<History>(`/institutions/${id}/health?period=${period}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };

  test("is kept from the first look of a process on, and nothing is claimed of the time before", async () => {
    const { id } = (await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).body.items.at(-1)!;
    const last = await eventually("the process to note it", async () => {
      const { steps } = await readHistory(id);
      return steps.at(-1)?.state === "unknown" ? null : steps;
    });
    assert.equal(last.length, 96);
    assert.deepEqual([last.at(-1)!.state, last[0]!.state], ["up", "unknown"]);
    assert.equal((await readHistory(id, "week")).steps.length, 168);
    assert.equal((await gateway.operator.get(`/institutions/${id}/health?period=year`)).status, 400);
    assertRefused(
      await gateway.operator.get<never>("/institutions/01a1fdf9-0fb8-7000-8000-0123456789ab/health"),
      404,
      "RESOURCE_NOT_FOUND",
    );
  });

  test("has an outage from its beginning to the last sight of it, of two processes the worst, in few rows", async () => {
    const { ctx } = gateway.running;
    // Active, and known to no process of this gateway until it is read: its rows are this test's alone.
    const { id } = (await create({ ...body, name: "Banco Aurora" })).body;
    await gateway.operator.patch(`/institutions/${id}`, { status: "inactive" });
    await gateway.owner.query(sql`delete from institution_health where institution_id = ${id}`);
    const began = Math.floor(Date.now() / 300_000) * 300_000 - 3_600_000;
    let now = began;
    const clock = { now: () => now, date: () => new Date(now) };
    const open = () => {
      let answers = false;
      const health = createHealth({ clock, capacityPerSecond: null, probe: async () => answers });
      const note = createHealthNotes({ db: ctx.db, clock });
      const answersAgain = () => {
        answers = true;
      };
      return { health, answers: answersAgain, look: () => note([{ institutionId: id, status: "active", health }]) };
    };
    const [one, two] = [open(), open()];
    for (let seconds = 0; seconds < 1_200; seconds += 2) {
      now = began + seconds * 1_000;
      // The first process finds it down at second 399, between two looks, until 700; the second one never does.
      if (seconds === 400) {
        now -= 1_000;
        for (let i = 0; i < 3; i += 1) one.health.observe(false);
        now += 1_000;
      }
      // A charge that is answered brings it back.
      if (seconds === 700) {
        one.answers();
        one.health.watch();
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(one.health.admit(), "yes");
        one.health.record(true);
      }
      await one.look();
      await two.look();
    }
    const { outages, steps } = await readHistory(id);
    assert.deepEqual(
      outages.map(({ from, until, state }) => [Date.parse(from) - began, Date.parse(until!) - began, state]),
      [[399_000, 700_000, "down"]],
    );
    assert.ok(steps.filter(({ state }) => state === "down").length >= 1);
    const { rows } = await ctx.db.query<{ state: string }>(sql`
      select state from institution_health
      where institution_id = ${id} and slot_at < ${new Date(now)} order by slot_at`);
    assert.deepEqual(
      rows.map(({ state }) => state),
      ["up", "down", "down", "up"],
    );
  });

  test("adds up how fast all processes were answered, and shows the last hour beside each institution's part", async () => {
    const { ctx } = gateway.running;
    const ids = await Promise.all(
      ["Banco Celeste", "Banco Dourado"].map(async (name) => {
        const { id } = (await create({ ...body, name })).body;
        await gateway.operator.patch(`/institutions/${id}`, { status: "inactive" });
        return id;
      }),
    );
    const [fast, slow] = ids as [string, string];
    await gateway.owner.query(sql`delete from institution_health`);
    let now = Date.now() - 2 * 3_600_000;
    const clock = { now: () => now, date: () => new Date(now) };
    const open = (institutionId: string) => {
      const health = createHealth({ clock, capacityPerSecond: null, probe: async () => true });
      const note = createHealthNotes({ db: ctx.db, clock });
      return { health, look: () => note([{ institutionId, status: "active", health }]) };
    };
    const processes = [open(fast), open(fast), open(slow)] as const;
    const answer = async (times: readonly (readonly number[])[]) => {
      for (const [i, { health, look }] of processes.entries()) {
        for (const ms of times[i]!) {
          health.time(ms);
          assert.equal(health.admit(), "yes");
          health.record(true);
        }
        await look();
      }
    };
    // Two hours ago everything was slow: nothing of that is shown any more.
    await answer([[4_000, 4_000], [4_000], [4_000]]);
    now = Date.now() - 600_000;
    await answer([
      [10, 20, 30],
      [90, 200, 240],
      [700, 60_000],
    ]);
    // A probe alone adds nothing to the present five minutes.
    processes[0].health.time(4_000);
    await processes[0].look();
    const shown = async () => {
      const { institutions } = (await gateway.operator.get<Activity>("/institutions/activity")).body;
      const [one, other] = ids.map((id) => institutions.find(({ institutionId }) => institutionId === id)!);
      return [one!, other!] as const;
    };
    const [one, other] = await shown();
    assert.deepEqual([one.answers, one.chargesAnswered, one.p50Ms, one.p95Ms], [6, 6, 50, 227]);
    assert.deepEqual([other.answers, other.chargesAnswered, other.p50Ms, other.p95Ms], [2, 2, 1_000, 5_000]);
    // Of the charges of both; the simulator's own, of this test's gateway, are in the sum too.
    assert.ok(one.share! > other.share! && one.share! <= 75, `${one.share} ${other.share}`);
  });

  test("shows the outages of all institutions at once, newest first", async () => {
    // Inactive: what is noted of them is this test's alone. Others of this file are down, and noted at any time.
    const [first, second] = (await Promise.all(
      ["Banco Esmeralda", "Banco Fulvo"].map(async (name) => {
        const { id } = (await create({ ...body, name })).body;
        await gateway.operator.patch(`/institutions/${id}`, { status: "inactive" });
        return id;
      }),
    )) as [string, string];
    await gateway.owner.query(sql`delete from institution_health where institution_id in (${first}, ${second})`);
    const slot = Math.floor(Date.now() / 300_000) * 300_000;
    const at = (minutes: number) => new Date(slot - minutes * 60_000);
    for (const [id, from, until] of [
      [first, 120, 118],
      [second, 60, 56],
      [first, 1_500, 1_499],
    ] as const) {
      await gateway.owner.query(sql`
        insert into institution_health (institution_id, slot_at, state, ill_from, ill_until)
        values (${id}, ${at(from)}, 'down', ${at(from)}, ${at(until)})`);
    }
    const { outages: all } = (await gateway.operator.get<Activity>("/institutions/activity")).body;
    const outages = all.filter(({ institutionId }) => institutionId === first || institutionId === second);
    assert.deepEqual(
      outages.map(({ institutionId, from, until }) => [institutionId, Date.parse(from), Date.parse(until!)]),
      [
        [second, at(60).getTime(), at(56).getTime()],
        [first, at(120).getTime(), at(118).getTime()],
      ],
    );
  });

  test("names the address for its notifications to admins alone", async () => {
    const { id } = (await create({ ...body, name: "Banco Boreal" })).body;
    const { body: address } = await gateway.operator.get<{ url: string | null; path: string }>(
      `/institutions/${id}/notification-address`,
    );
    assert.match(address.path, new RegExp(`^/psp/${id}/[^/]+$`));
    const rotated = await gateway.operator.post(`/institutions/${id}/rotate-notification-path`, {});
    assert.equal(rotated.status, 200, rotated.text);
    const { body: next } = await gateway.operator.get<{ path: string }>(`/institutions/${id}/notification-address`);
    assert.notEqual(next.path, address.path);
  });
});
