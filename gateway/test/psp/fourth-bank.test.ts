/** A bank is its folder and an entry in the catalogue: what a fourth one needs, and that nothing else has to change. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Type } from "typebox";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { configSchema, visibleConfig } from "../../src/institutions/config.ts";
import { createPsps, sealConfig } from "../../src/institutions/registry.ts";
import type { Bank } from "../../src/psp/bank.ts";
import { BANKS, findBank } from "../../src/psp/catalogue.ts";
import { HIDDEN, text } from "../../src/psp/fields.ts";
import { freshDatabase } from "../harness/database.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

const PSP = new URL("../../src/psp/", import.meta.url);

/** Speaks API Pix, with an address and a key of its own making. */
const fourth: Bank<"fourth"> = {
  id: "fourth",
  name: "Fourth",
  summary: "a bank that only this test knows",
  summaryPt: "um banco que só este teste conhece",
  settings: Type.Object({
    host: text(255, "Its address."),
    apiKey: text(255, "Its key: never shown.", HIDDEN),
    pixKey: BANKS[0].settings.properties.pixKey!,
  }),
  form: [{ setting: "host", kind: "text", required: true, label: { en: "Address", pt: "Endereço" } }],
  destinations: ["host"],
  simulated: false,
  trialAmount: 100,
  capabilities: BANKS[0].capabilities,
  create({ host, apiKey, pixKey }, deps) {
    if (!apiKey) throw new TypeError("apiKey: missing");
    const [clientId, clientSecret] = String(apiKey).split(":");
    const own = { baseUrl: `${host}/v2`, tokenUrl: `${host}/oauth/token`, clientId, clientSecret, pixKey };
    return findBank("api-pix")!.create(own, deps);
  },
};

/** Says that it can do what its adapter lacks. */
const boastful: Bank = { ...fourth, id: "boastful", capabilities: findBank("efi")!.capabilities };

test("every bank of the catalogue has a folder with its notes and its contract test, and every folder is in it", () => {
  const folders = readdirSync(PSP, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).sort(), BANKS.map(({ id }) => id as string).sort());
  for (const { id } of BANKS) {
    for (const file of ["bank.ts", "notes.md", "contract.test.ts"]) {
      assert.ok(existsSync(new URL(`${id}/${file}`, PSP)), `psp/${id}/${file} is missing`);
    }
  }
});

test("every bank of the catalogue has a form of its own settings with a label in both languages, and asks for secrets as secrets", () => {
  for (const { id, form, settings, paysWith = {}, summary, summaryPt, notified } of BANKS) {
    assert.ok(form.length > 0 && summary !== summaryPt, id);
    for (const { setting, kind, label, entry } of form) {
      const schema = settings.properties[setting] as { type?: string; writeOnly?: true } | undefined;
      assert.ok(schema, `${id}: ${setting} is none of its settings`);
      assert.ok(label.en !== "" && label.pt !== "", `${id}: ${setting}`);
      if (schema.writeOnly) assert.ok(["secret", "file", "file_base64"].includes(kind), `${id}: ${setting} is shown`);
      const entered = kind === "number" ? "integer" : kind === "yes_no" ? "boolean" : "string";
      const type = entry === undefined ? entered : "object";
      assert.equal(schema.type, type, `${id}: ${setting}`);
    }
    const names = form.map(({ setting }) => setting);
    assert.deepEqual(
      Object.keys(paysWith).filter((name) => !names.includes(name)),
      [],
      `${id} pays with these`,
    );
    assert.ok(notified === undefined || notified.en !== notified.pt, id);
  }
});

test("a bank that receives alone until its payouts are set up pays out with the settings that it names", () => {
  const able = BANKS.filter(({ paysWith }) => paysWith !== undefined);
  assert.ok(able.length >= 3);
  for (const bank of able) {
    assert.equal(bank.capabilities({}).payouts, null, bank.id);
    assert.notEqual(bank.capabilities(bank.paysWith!).payouts, null, bank.id);
  }
});

test("two banks cannot mean different things by one setting", () => {
  const other: Bank = { ...fourth, settings: Type.Object({ pixKey: text(1, "Something else.") }) };
  assert.throws(() => configSchema([...BANKS, other]), /fourth: the setting pixKey exists already/);
});

test("the settings of a fourth bank are in the schema of a configuration, and its secret is never shown", () => {
  const schema = configSchema([...BANKS, fourth]);
  assert.deepEqual(
    Object.keys(schema.properties).filter((name) => !Object.hasOwn(configSchema(BANKS).properties, name)),
    ["host", "apiKey"],
  );
  assert.deepEqual(visibleConfig({ host: "h", apiKey: "k", pixKey: "p", unheardOf: "u" }, schema), {
    ...{ host: "h", pixKey: "p" },
    secretsSet: ["apiKey", "unheardOf"],
  });
});

describe("an institution of a fourth bank", () => {
  const sealing = Buffer.alloc(32, 1);
  const keys = {
    tokens: sealing,
    sealing,
    notifications: sealing,
    auditLog: sealing,
    checkout: sealing,
    signIn: sealing,
    other: null,
  };
  const institutionId = "01900000-0000-7000-8000-000000000004";
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof openDb>;
  before(async () => {
    database = await freshDatabase();
    db = openDb({ url: database.url, max: 1, onError: () => {} });
  });
  after(async () => {
    await db.end();
    await database.drop();
  });

  test("is opened with its adapter, which issues charges; a setting of another bank is refused by name", async (t) => {
    const { url, credentials } = await startSimulatorPsp(t);
    const { clientId, clientSecret, pixKey } = credentials;
    const config = { host: url, apiKey: `${clientId}:${clientSecret}`, pixKey };
    const clock = { now: Date.now, date: () => new Date() };
    const calls: string[] = [];
    const psps = createPsps({
      ...{ db, clock, keys, ids: { uuid: () => institutionId }, banks: [...BANKS, fourth, boastful] },
      onCall: (provider, { event }) => calls.push(`${provider} ${event}`),
    });
    t.after(() => psps.close());
    assert.throws(
      () => psps.check("fourth", { ...config, baseUrl: url }),
      /^TypeError: baseUrl: is not a setting of fourth/,
    );
    assert.throws(() => psps.check("fourth", { ...config, apiKey: "" }), /^TypeError: apiKey: missing/);
    psps.check("fourth", config);
    assert.throws(() => psps.check("boastful", config), /its adapter and its capabilities differ in payouts/);
    await db.query(sql`
      insert into institutions (institution_id, name, provider, environment, status, priority, sealed_config, created_at, updated_at)
      values (${institutionId}, 'Fourth', 'fourth', 'sandbox', 'active', 1, ${sealConfig(keys, institutionId, config)},
        ${clock.date()}, ${clock.date()})`);
    const institution = await psps.find(institutionId);
    assert.equal(institution?.bank.name, "Fourth");
    const order = { txid: "fourth00000000000000000001", amount: 100, expiresIn: 60, description: "" };
    const created = await institution.psp.createCharge(order);
    assert.equal(created.kind, "accepted", JSON.stringify(created));
    assert.deepEqual(calls, ["fourth psp_token", "fourth psp_call"]);
  });
});
