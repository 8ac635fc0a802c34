import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { assertInvalid, assertRefused } from "./refusal.ts";

type Institution = Record<string, unknown> & { id: string; config: Record<string, unknown> };

const SECRET = "a-secret-that-nobody-should-see";
const body = {
  name: "Bank",
  provider: "api-pix",
  environment: "production",
  priority: 7,
  capacityPerSecond: 50,
  config: { profile: "inter", clientId: "client", clientSecret: SECRET, pixKey: "bank@example.com" },
};

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});
const create = (value: unknown) => gateway.operator.post<Institution>("/institutions", value);
const count = async () =>
  (await gateway.running.ctx.db.query<{ n: number }>(sql`select count(*)::int as n from institutions`)).rows[0]!.n;

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

  test("tells when the client certificate ends, from PEM and from PKCS#12", async (t) => {
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
      sql`select institution_id from institutions where provider = 'simulator'`,
    );
    const works = await gateway.operator.post<{
      ok: boolean;
      checks: { name: string; result: string; says: string }[];
    }>(`/institutions/${rows[0]!.institution_id}/test`);
    assert.equal(works.status, 200, works.text);
    assert.equal(works.body.ok, true, works.text);
    assert.deepEqual(
      works.body.checks.slice(0, 2).map(({ name, result }) => [name, result]),
      [
        ["charges", "works"],
        ["received", "works"],
      ],
    );
    assert.deepEqual(
      works.body.checks.slice(3).map(({ name, result }) => [name, result]),
      [
        ["payouts", "works"],
        ["infractions", "works"],
      ],
    );
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
    const failed = await gateway.operator.post<{ ok: boolean; checks: { result: string }[] }>(
      `/institutions/${dead.body.id}/test`,
    );
    assert.deepEqual([failed.status, failed.body.ok], [200, false]);
    const results = failed.body.checks.map(({ result }) => result);
    assert.deepEqual(results, ["failed", "failed", "not_offered", "failed", "failed"]);
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
