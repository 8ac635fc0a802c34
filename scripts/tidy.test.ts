import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintOf } from "../gateway/src/db/migrate.ts";
import { countRooms } from "./tidy/imports.ts";
import { SHARED_TABLES } from "./tidy/sql.ts";
import { tidy } from "./tidy.ts";

const at = (path: string, text: string) => ({ path, text });

/** The messages about a single file, without the rule about unused exports: nothing imports a single file. */
function problemsOf(path: string, text: string): string[] {
  return tidy([at(path, text)])
    .filter(({ rule }) => rule !== "exports")
    .map((problem) => problem.message);
}

function isRefused(path: string, text: string, message: RegExp): void {
  const found = problemsOf(path, text);
  assert.ok(
    found.some((m) => message.test(m)),
    `${path}: ${text}\nexpected ${message}, found ${JSON.stringify(found)}`,
  );
}

function isFine(path: string, text: string): void {
  assert.deepEqual(problemsOf(path, text), [], `${path}: ${text}`);
}

test("imports go down", () => {
  isFine("gateway/src/charges/create.ts", `import { post } from "../ledger/post.ts";`);
  isFine("gateway/src/charges/create.ts", `import { charge } from "./charge.ts";\nimport { z } from "node:crypto";`);
  isFine("gateway/src/booking/apply.ts", `import { settle } from "../charges/settle.ts";`);
  isFine("gateway/src/program/app.ts", `import { routes } from "../charges/routes.ts";`);
  isFine("gateway/src/psp/efi/efi.ts", `import { apiPix } from "../api-pix/api-pix.ts";`);
  isFine("gateway/src/psp/api-pix/wire.ts", `import type { PspPix } from "../psp.ts";`);
});

test("no code outside the banks' folders names a bank or a profile; the simulator, comments and tests may be named", () => {
  const decides = (name: string) => `export const isIt = (provider: string) => provider === "${name}";`;
  for (const name of ["efi", "stark", "inter", "inter-sandbox", "banco-do-brasil"]) {
    isRefused("gateway/src/charges/route.ts", decides(name), /names the bank .*its capabilities/);
    isRefused("console/src/operator/x.tsx", decides(name), /names the bank/);
    isFine("gateway/src/psp/efi/x.ts", decides(name));
    isFine("gateway/src/charges/route.test.ts", decides(name));
  }
  isFine("gateway/src/charges/route.ts", decides("simulator"));
  isFine("gateway/src/charges/route.ts", `// Not at "efi".\nexport const any = "interest";`);
});

test("rooms and the arrows of imports between them are counted, tests apart", () => {
  const files = [
    at(
      "gateway/src/charges/create.ts",
      `import { post } from "../ledger/post.ts";\nimport { row } from "../ledger/row.ts";`,
    ),
    at("gateway/src/charges/create.test.ts", `import { sql } from "../db/sql.ts";`),
    at("gateway/src/psp/efi/efi.ts", `import { apiPix } from "../api-pix/api-pix.ts";`),
    at("gateway/src/ledger/post.ts", `import type { Context } from "../context.ts";`),
    at("gateway/src/context.ts", `import { row } from "./ledger/row.ts";`),
  ];
  assert.deepEqual(countRooms(files), { rooms: 3, arrows: 3 });
});

test("workspaces stay apart, and a package is imported by its name", () => {
  isRefused(
    "gateway/src/psp/psp.ts",
    `import { x } from "../../../psp-simulator/src/x.ts";`,
    /must not import psp-sim/,
  );
  isRefused("embedded-postgres/src/own.ts", `import { x } from "../../gateway/src/lib/x.ts";`, /not import gateway/);
  isRefused("gateway/src/db/x.ts", `import { x } from "../../../embedded-postgres/src/x.ts";`, /by its name/);
  isRefused("psp-simulator/src/x.ts", `import { x } from "../../embedded-postgres/src/x.ts";`, /must not import/);
  isFine("gateway/src/db/embedded.ts", `import { x } from "@pixgate/embedded-postgres";`);
});

test("an import that goes up or sideways is refused, with where it may go instead", () => {
  isRefused(
    "gateway/src/lib/money.ts",
    `import { sql } from "../db/sql.ts";`,
    /lib must not import db.*nothing of ours/,
  );
  isRefused(
    "gateway/src/ledger/post.ts",
    `import { x } from "../charges/x.ts";`,
    /ledger must not import charges.*db, telemetry, settings, lib/,
  );
  isRefused("gateway/src/ledger/post.ts", `export * from "../http/errors.ts";`, /ledger must not import http/);
  isRefused(
    "gateway/src/http/auth.ts",
    `import type { A } from "../accounts/account.ts";`,
    /http must not import accounts/,
  );
  isRefused(
    "gateway/src/charges/x.ts",
    `import { y } from "../withdrawals/y.ts";`,
    /charges must not import withdrawals/,
  );
  isRefused("gateway/src/charges/x.ts", `import { y } from "../booking/y.ts";`, /charges must not import booking/);
  isRefused(
    "gateway/src/psp/api-pix/x.ts",
    `import { y } from "../efi/y.ts";`,
    /psp\/api-pix must not import psp\/efi/,
  );
  isRefused("gateway/src/psp/efi/x.ts", `import { y } from "../../db/pool.ts";`, /psp\/efi must not import db/);
  isRefused("gateway/src/charges/x.ts", `import { y } from "../psp/efi/y.ts";`, /charges must not import psp\/efi/);
  isRefused("gateway/src/charges/x.ts", `const y = await import("../program/app.ts");`, /must not import program/);
  isRefused("gateway/src/charges/x.ts", `import "../main.ts";`, /must not import main.ts/);
  isRefused(
    "gateway/src/charges/x.ts",
    `import {\n  type A,\n  b,\n} from "../unmatched/y.ts";`,
    /must not import unmatched/,
  );
  // Lower folders that they must not import all the same.
  for (const [from, to] of [
    ...[
      ["cli", "db"],
      ["cli", "ledger"],
      ["psp", "db"],
      ["audit-log", "outgoing"],
      ["close", "webhooks"],
    ],
    ...[
      ["auditor", "transactions"],
      ["auditor", "charges"],
    ],
  ] as [string, string][])
    isRefused(
      `gateway/src/${from}/x.ts`,
      `import { y } from "../${to}/y.ts";`,
      RegExp(`${from} must not import ${to}`),
    );
  isRefused("gateway/src/novelties/x.ts", `import { y } from "../lib/y.ts";`, /not in FLOORS/);
});

test("a bank is reached through the catalogue only, and builds on those before it", () => {
  isFine("gateway/src/psp/catalogue.ts", `import { bank } from "./efi/bank.ts";`);
  isFine("gateway/src/program/serve.ts", `import { BANKS } from "../psp/catalogue.ts";`);
  isFine("gateway/src/institutions/config.ts", `import { HIDDEN } from "../psp/fields.ts";`);
  isFine("gateway/src/psp/efi/x.ts", `import { y } from "../api-pix/y.ts";`);
  isRefused(
    "gateway/src/program/serve.ts",
    `import { bank } from "../psp/efi/bank.ts";`,
    /serve.ts must not import psp\/efi/,
  );
  isRefused("gateway/src/psp/efi/x.ts", `import { y } from "../simulator/y.ts";`, /must not import psp\/simulator/);
  isRefused(
    "gateway/src/psp/new/x.ts",
    `import type { Psp } from "../psp.ts";`,
    /psp\/new is not in psp\/catalogue.ts/,
  );
  isRefused(
    "gateway/src/psp/efi/x.ts",
    `import { BANKS } from "../catalogue.ts";`,
    /must not import psp\/catalogue.ts/,
  );
  isRefused("gateway/src/charges/x.ts", `import { Bank } from "../psp/bank.ts";`, /import type/);
});

test("an import in a comment or in a package that is not ours does not count", () => {
  isFine("gateway/src/lib/money.ts", `// import { sql } from "../db/sql.ts";\n/* import "../main.ts"; */`);
  isFine("gateway/src/lib/qr.ts", `import { encodeQR } from "qr";\nconst files = "**/*.ts"; // import("../main.ts")`);
});

test("imports make no circle, types included", () => {
  const a = at("gateway/src/charges/a.ts", `import type { B } from "./b.ts";`);
  const b = at("gateway/src/charges/b.ts", `import { c } from "./c.ts";`);
  const c = at("gateway/src/charges/c.ts", `import { a } from "./a.ts";`);
  const found = tidy([a, b, c]).filter(({ rule }) => rule === "circles");
  assert.equal(found.length, 1);
  assert.match(
    found[0]?.message ?? "",
    /a\.ts → gateway\/src\/charges\/b\.ts → gateway\/src\/charges\/c\.ts → .*a\.ts/,
  );
  const attacks = at("stress/hostile/attacks.ts", `import { READING } from "./read.ts";`);
  const read = at("stress/hostile/read.ts", `import type { Attack } from "./attacks.ts";`);
  assert.equal(tidy([attacks, read]).filter(({ rule }) => rule === "circles").length, 1);
  for (const files of [
    [a, b],
    [b, c],
    [a, b, at("gateway/src/charges/c.ts", "")],
  ]) {
    assert.ok(tidy(files).every(({ rule }) => rule !== "circles"));
  }
});

test("context and configuration are types", () => {
  isFine("gateway/src/charges/x.ts", `import type { Context } from "../context.ts";`);
  isFine("gateway/src/charges/x.ts", `import { type Config } from "../settings/config.ts";`);
  isFine("gateway/src/context.ts", `import type { Psps } from "./institutions/registry.ts";`);
  isRefused("gateway/src/charges/x.ts", `import { systemClock } from "../context.ts";`, /as a type only/);
  isRefused("gateway/src/charges/x.ts", `import { readConfig } from "../settings/config.ts";`, /as a type only/);
  isRefused("gateway/src/charges/x.ts", `import * as config from "../settings/config.ts";`, /as a type only/);
  isRefused("gateway/src/lib/x.ts", `import type { Context } from "../context.ts";`, /lib must not import context.ts/);
  isRefused(
    "gateway/src/psp/efi/x.ts",
    `import type { Config } from "../../settings/config.ts";`,
    /psp\/efi must not import settings\/config.ts/,
  );
  isRefused("gateway/src/context.ts", `import { openDb } from "./db/pool.ts";`, /types only/);
  isRefused("gateway/src/charges/x.ts", `import { Psp } from "../psp/psp.ts";`, /import type/);
});

test("the gateway's tests import the browser of the console's, and nothing else of the console", () => {
  isFine("gateway/test/x.test.ts", `import { launchBrowser } from "../../console/test/launch-browser.ts";`);
  isRefused(
    "gateway/test/x.test.ts",
    `import { y } from "../../console/test/eventually.ts";`,
    /must not import console/,
  );
  isRefused(
    "gateway/src/x/y.ts",
    `import { launchBrowser } from "../../../console/test/launch-browser.ts";`,
    /console/,
  );
});

test("nothing imports stress but stress", () => {
  isFine("stress/drill/load.ts", `import { Client } from "../../gateway/test/harness/client.ts";`);
  isFine("stress/drill/drill.ts", `import { judge } from "../torture/judge.ts";`);
  isRefused("gateway/test/x.test.ts", `import { y } from "../../stress/y.ts";`, /stress stands above everything/);
  isRefused("bench/main.ts", `import { y } from "../stress/y.ts";`, /stress stands above everything/);
});

test("gateway and simulator meet on the wire only, in tests too", () => {
  isRefused(
    "gateway/src/lib/x.ts",
    `import { y } from "../../../psp-simulator/src/y.ts";`,
    /must not import psp-simulator/,
  );
  isRefused(
    "gateway/test/x.test.ts",
    `import { y } from "../../psp-simulator/src/y.ts";`,
    /must not import psp-simulator/,
  );
  isRefused("gateway/src/main.ts", `import "pixgate-psp-simulator";`, /must not import psp-simulator/);
  isRefused(
    "psp-simulator/src/x.ts",
    `import { crc } from "../../gateway/src/lib/brcode.ts";`,
    /must not import gateway/,
  );
  isRefused("psp-simulator/test/x.ts", `import "pixgate/src/lib/money.ts";`, /must not import gateway/);
});

test("the SDK knows the documents alone, and neither bank nor database knows the SDK", () => {
  isRefused("sdk/src/x.ts", `import { y } from "../../gateway/src/y.ts";`, /must not import gateway/);
  isRefused("sdk/test/x.test.ts", `import { y } from "../../gateway/test/y.ts";`, /must not import gateway/);
  isRefused("psp-simulator/src/x.ts", `import { Pixgate } from "@pixgate/sdk";`, /must not import sdk/);
  isFine("gateway/test/sdk/x.test.ts", `import { Pixgate } from "../../../sdk/src/index.ts";`);
});

test("tests may import anything of the gateway", () => {
  isFine("gateway/src/lib/money.test.ts", `import { charge } from "../charges/charge.ts";`);
  isFine("gateway/test/crash.test.ts", `import { readConfig } from "../src/settings/config.ts";`);
});

test("time, chance and the network come from the context", () => {
  const sleeps = [
    "await new Promise((resolve) => setTimeout(resolve, 5));",
    "await new Promise<void>((done) => {\n  setTimeout(() => done(), 5);\n});",
    `import { setTimeout } from "node:timers/promises";`,
  ];
  const seams = ["const t = Date.now();", "const t = new Date();", "Math.random() * 2;", "await fetch(url);"];
  for (const code of [...seams, "globalThis.fetch(url);", ...sleeps]) {
    isRefused("gateway/src/charges/x.ts", code, /clock|ctx\.random|outbound|worker\.ts/);
    isFine("scripts/x.ts", code);
  }
  for (const code of seams) {
    isFine("gateway/src/program/commands.ts", code);
    isFine("gateway/src/context.ts", code);
    isFine("gateway/src/charges/x.test.ts", code);
    isFine("gateway/test/harness/x.ts", code);
  }
  isFine(
    "gateway/src/charges/x.ts",
    "const t = new Date(ctx.clock.now()); // not Date.now()\nawait outbound.fetch(url);",
  );
  isFine("gateway/src/charges/x.ts", "const timer = setTimeout(() => controller.abort(), 5);");
});

test("tests do not sleep, but for the harness", () => {
  const sleep = "await new Promise((resolve) => setTimeout(resolve, 5));";
  for (const path of [
    "gateway/src/x.test.ts",
    "gateway/test/x.ts",
    "psp-simulator/src/x.test.ts",
    "scripts/x.test.ts",
  ]) {
    isRefused(path, sleep, /eventually/);
    isFine(path, "setTimeout(() => response.end(), 5);");
  }
  isFine("gateway/test/harness/eventually.ts", sleep);
  isFine("psp-simulator/test/eventually.ts", sleep);
});

test("only what a person runs prints", () => {
  isRefused("gateway/src/charges/x.ts", `console.log("paid");`, /ctx\.log/);
  isRefused("psp-simulator/src/pix/x.ts", "console.error(e);", /ctx\.log/);
  for (const path of [
    "gateway/src/main.ts",
    "psp-simulator/src/main.ts",
    "scripts/x.ts",
    "bench/x.ts",
    "gateway/src/cli/x.ts",
  ]) {
    isFine(path, `console.log("ready");`);
  }
});

test("routes are added by the one pipeline", () => {
  for (const code of [`app.get("/healthz", handler);`, "v2.post(\n  `/pix`, handler);", "app.route({ url });"]) {
    isRefused("gateway/src/charges/routes.ts", code, /past every scope/);
    isFine("gateway/src/http/route.ts", code);
    isFine("gateway/test/harness/receiver.ts", code);
  }
  isFine("gateway/src/charges/routes.ts", `route({ method: "GET" });\nmap.get("name");`);
  isFine("gateway/src/cli/show.ts", `await api.get("/transactions");`);
});

test("Idempotency-Keys have one owner", () => {
  const code = "await tx.query(sql`delete from idempotency_keys`);";
  isRefused("gateway/src/charges/x.ts", code, /http\/idempotency\.ts owns it/);
  isFine("gateway/src/http/idempotency.ts", code);
  isFine("gateway/test/x.test.ts", code);
});

test("names say what a thing is", () => {
  for (const name of ["charge-service", "utils", "helpers/x", "common", "lane.manager", "services/x", "util.test"]) {
    isRefused(`gateway/src/charges/${name}.ts`, "", /says nothing/);
  }
  isFine("gateway/src/charges/create.ts", "");
  isFine("docs/services.md", "");
  for (const name of ["ChargeService", "ChargeRepository", "LockManager"]) {
    isRefused("gateway/src/charges/x.ts", `export class ${name} {}`, /named for a pattern/);
  }
  isFine("gateway/src/charges/x.ts", "class ServiceDown extends Error {}");
});

test("the compiler is not silenced", () => {
  isRefused("gateway/src/x/y.ts", "const a = b as any;", /unknown/);
  isRefused("gateway/src/x/y.ts", "// @ts-ignore", /ts-expect-error/);
  isRefused("scripts/y.ts", "// @ts-nocheck", /ts-expect-error/);
  isFine("gateway/src/x/y.ts", "// as any reader knows\n// @ts-expect-error the type has no such member\nfoo();");
});

test("what is to be done is written out", () => {
  for (const [path, text] of [
    ["gateway/src/x.ts", "// TODO"],
    ["gateway/src/x.ts", "foo(); // FIXME:"],
    ["gateway/src/x.ts", "/** TODO */\nfoo();"],
    ["docs/x.md", "## TODO\n\ntext"],
    ["gateway/src/db/migrations/0001_x.sql", "-- XXX ..."],
  ] as const) {
    isRefused(path, text, /what: write it out/);
  }
  isFine("gateway/src/x.ts", "// TODO: cut at the code point");
  isFine("docs/x.md", "A TODO needs a text.");
});

test("a file that grows past its limit is refused", () => {
  isFine("gateway/src/charges/x.ts", "a;\n".repeat(400));
  isRefused("gateway/src/charges/x.ts", "a;\n".repeat(401), /401 lines, over 400/);
  isFine("gateway/src/charges/x.test.ts", "a;\n".repeat(800));
  isRefused("gateway/src/charges/x.test.ts", "a;\n".repeat(801), /over 800/);
  isFine("docs/x.md", "a\n".repeat(5_000));
});

test("a function that grows past its limit is refused, however it is written", () => {
  const heads: readonly (readonly [head: string, foot: string, name: string])[] = [
    ["function pay(): void {", "}", "pay"],
    ["export async function pay<T extends { a: number }>(t: T): Promise<T> {", "}", "pay"],
    ["export function pay(\n  a: number,\n  b: number,\n): { a: number } {", "}", "pay"],
    ["export function pay({\n  a,\n}: {\n  a: number;\n}): void {", "}", "pay"],
    ["export function pay<\n  A,\n  B,\n>(a: A, b: B): void {", "}", "pay"],
    ["export const pay = async (a: number) => {", "};", "pay"],
    ["const pay = (\n  a: number,\n): number => {", "};", "pay"],
    ["const pay = (row: Row): Shown => ({", "});", "pay"],
    ["class Till {\n  async pay(a: number): Promise<void> {", "  }\n}", "pay"],
    ["const till = {\n  pay(a: number) {", "  },\n};", "pay"],
  ];
  for (const [head, foot, name] of heads) {
    const inner = head.startsWith("class") || head.startsWith("const till");
    const size = head.split("\n").length - (inner ? 1 : 0) + 1;
    const lines = (count: number) => `${head}\n${"    a();\n".repeat(count - size)}${foot}\n`;
    isFine("gateway/src/charges/x.ts", lines(70));
    isRefused("gateway/src/charges/x.ts", lines(71), new RegExp(`^${name} has 71 lines, over 70`));
    isFine("gateway/src/charges/x.test.ts", lines(71));
  }
});

test("what is no function may be longer: tables of routes, types, objects, loops", () => {
  for (const [head, foot] of [
    ["export function chargeRoutes(app: App): void {", "}"],
    ["export type Charge = {", "};"],
    ["class Till {", "}"],
    ["const FEES = {", "};"],
    ["for (const a of list(b)) {", "}"],
    ["if (isPaid(a)) {", "}"],
  ] as const) {
    isFine("gateway/src/charges/x.ts", `${head}\n${"  a;\n".repeat(100)}${foot}\n`);
  }
  const handler = `export function chargeRoutes(app: App): void {\n  app.get("/", async () => {\n${"    a;\n".repeat(100)}  });\n}\n`;
  isRefused("gateway/src/charges/x.ts", handler, /102 lines, over 70/);
});

test("an export is for another file", () => {
  const unused = (...files: ReturnType<typeof at>[]) =>
    tidy(files)
      .filter(({ rule }) => rule === "exports")
      .map(({ path, line, message }) => `${path}:${line} ${message.split(",")[0]}`);
  const source = "const a = 1;\nexport const pay = a;\nexport type Paid = typeof pay;\n";
  const x = at("gateway/src/charges/x.ts", source);
  assert.deepEqual(unused(x), ["gateway/src/charges/x.ts:2 exports pay", "gateway/src/charges/x.ts:3 exports Paid"]);
  for (const [user, left] of [
    [`import { pay } from "./x.ts";`, 1],
    [`import {\n  pay as buy,\n  type Paid,\n} from "./x.ts";`, 0],
    [`export { pay } from "./x.ts";`, 1],
    [`import * as all from "./x.ts";`, 0],
    [`type P = import("./x.ts").Paid;`, 1],
    [`const { pay } = await import("./x.ts");`, 0],
    [`// import { pay } from "./x.ts";`, 2],
    [`import { pay } from "../x.ts";`, 2],
  ] as const) {
    assert.equal(unused(x, at("gateway/src/charges/y.ts", user)).length, left, user);
  }
  assert.equal(
    unused(x, at("gateway/test/x.test.ts", `import { pay, type Paid } from "../src/charges/x.ts";`)).length,
    0,
  );
});

test("migrations are numbered without gaps", () => {
  const names = (...list: string[]) =>
    tidy(list.map((name) => at(`gateway/src/db/migrations/${name}`, ""))).map((problem) => problem.message);
  assert.deepEqual(names("0001_schema.sql", "0002_withdrawals.sql"), []);
  assert.match(names("0001_schema.sql", "0003_refunds.sql").join(), /must be called 0002_/);
  assert.match(names("0001_a.sql", "0001_b.sql").join(), /must be called 0002_/);
  assert.match(names("1_a.sql").join(), /must be called 0001_/);
  assert.match(names("0001-a.sql").join(), /must be called 0001_/);
});

test("a migration that is released stays as it is, but for its comments", () => {
  const statement = "create table institutions (\n  institution_id uuid primary key\n);";
  const released = { "0001_x.sql": { release: "0.1.0", fingerprint: fingerprintOf(statement) } };
  const found = (...migrations: string[]) =>
    tidy([
      at("gateway/src/db/migrations/released.json", JSON.stringify(released)),
      ...migrations.map((text, i) => at(`gateway/src/db/migrations/000${i + 1}_x.sql`, text)),
    ]).map(({ message }) => message);
  assert.deepEqual(found(statement), []);
  assert.deepEqual(found(`-- Why it is.\n${statement}`, "drop table institutions;"), []);
  assert.match(found(statement.replace("uuid", "text")).join(), /was released with 0\.1\.0 and is not what it was/);
  assert.match(found().join(), /was released with 0\.1\.0/);
});

test("a row is read by its description: no star of a table, and no alias by hand", () => {
  const schema = at("gateway/src/db/schema.sql", "create table charges (\n);\ncreate view unmatched as\n select 1;");
  const problems = (code: string, path = "gateway/src/charges/x.ts") =>
    tidy([schema, at(path, `sql\`${code}\`;`)]).flatMap(({ rule, message }) =>
      ["columns", "aliases"].includes(rule) ? [`${rule} ${message}`] : [],
    );
  for (const code of [
    "select * from charges where a = 1",
    "select * from unmatched",
    "update charges set a = 1 returning *",
    "insert into charges as c (a) values (1) returning c.*",
    "select w.a, c.* from wallets w join charges c on c.a = w.a",
  ]) {
    assert.match(problems(code).join(), /^columns reads every column/, code);
    assert.deepEqual(problems(code, "gateway/src/charges/x.test.ts"), [], code);
  }
  assert.match(problems('select c.charge_id as "chargeId" from charges c').join(), /^aliases names a column by hand/);
  for (const code of [
    "select found.* from wallets w cross join lateral (select a from charges c) found",
    "select * from unnest($1) as u (a)",
    'select charge_id as id, count(*) as "chargeCount" from charges',
  ]) {
    assert.deepEqual(problems(code), [], code);
  }
});

test("each table of the schema is described, unless an exception gives the reason", () => {
  const schema = at("gateway/src/db/schema.sql", "create table a (\n);\ncreate table b (\n);\ncreate table c (\n);");
  const files = [
    schema,
    at("gateway/src/a/row.ts", 'export const a = table({\n  name: "a",\n});'),
    at("gateway/src/b/row.test.ts", 'const b = table({ name: "b" });'),
  ];
  const found = tidy(files, [{ rule: "tables", path: schema.path, name: "c", reason: "a counter" }]);
  const tables = found.flatMap(({ rule, line, message }) => (rule === "tables" ? [`${line} ${message}`] : []));
  assert.deepEqual(tables, ["3 describe b (db/columns.ts)"]);
});

test("SQL gets time and ids as parameters, and has no triggers or sequences", () => {
  const migration = "gateway/src/db/migrations/0001_x.sql";
  for (const [code, message] of [
    ["insert into a values (now());", /clock/],
    ["insert into a values (current_timestamp);", /clock/],
    ["insert into a values (gen_random_uuid());", /ctx\.ids/],
    ["create or replace trigger t before insert on a;", /command/],
    ["create table a (\n  account_id uuid,\n  n bigserial,\n  primary key (account_id, n)\n);", /UUIDv7/],
  ] as const) {
    isRefused(migration, code, message);
    isFine(migration, `-- ${code.replaceAll("\n", " ")}`);
  }
  isRefused("gateway/src/charges/x.ts", "await tx.query(sql`\n  select now()`);", /clock/);
  isRefused("gateway/src/charges/x.ts", `sql\`insert into a values (\${id}, gen_random_uuid())\`;`, /ctx\.ids/);
  isFine("gateway/src/charges/x.ts", `const at = now();\nawait tx.query(sql\`select \${now()}\`);`);
});

test("every key of a tenant's table begins with account_id", () => {
  const table = (body: string, name = "charges") =>
    problemsOf("gateway/src/db/migrations/0001_x.sql", `create table ${name} (\n  ${body}\n);`).join();
  assert.equal(table("account_id uuid not null,\n  charge_id uuid,\n  primary key (account_id, charge_id)"), "");
  assert.equal(table("account_id uuid primary key,\n  name text not null"), "");
  assert.equal(table("account_id uuid primary key,\n  unique nulls not distinct (account_id, kind)"), "");
  assert.equal(table("name text primary key", "settings"), "");
  assert.match(
    table("account_id uuid primary key,\n  number bigint not null unique", "accounts"),
    /unique \(number\) of accounts must begin with account_id/,
  );

  assert.match(table("charge_id uuid primary key"), /primary key \(charge_id\) of charges must begin with account_id/);
  assert.match(table("account_id uuid,\n  charge_id uuid,\n  primary key (charge_id, account_id)"), /must begin with/);
  assert.match(table("account_id uuid not null"), /has no primary key/);
  assert.match(table("account_id uuid primary key,\n  unique (txid)"), /unique \(txid\)/);
  assert.match(table("account_id uuid primary key,\n  txid text not null unique"), /unique \(txid\)/);
  assert.match(
    table("account_id uuid primary key,\n  n bigint generated always as identity"),
    /counts over all accounts/,
  );
  const index = (on: string) =>
    problemsOf("gateway/src/db/migrations/0001_x.sql", `create unique index i on ${on};`).join();
  assert.match(index("charges (txid)"), /must begin with account_id/);
  assert.equal(index("charges using btree (account_id, txid)"), "");
});

test("a foreign key joins tables of one account", () => {
  const table = (body: string, name = "charges") =>
    problemsOf("gateway/src/db/migrations/0001_x.sql", `create table ${name} (\n  ${body}\n);`).join();
  const key = "account_id uuid not null,\n  primary key (account_id)";
  assert.equal(table("account_id uuid primary key references accounts"), "");
  assert.equal(table(`${key},\n  foreign key (account_id, wallet_id) references wallets`), "");
  assert.match(
    table(`${key},\n  wallet_id uuid references wallets`),
    /foreign key \(wallet_id\) of charges must begin/,
  );
  assert.match(
    table(`${key},\n  institution_id uuid references institutions`),
    /to institutions: institutions is shared/,
  );
  assert.match(table("institution_id uuid primary key references accounts", "audits"), /audits is shared/);
  assert.match(
    table(`${key},\n  constraint x_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(wallet_id)`),
    /must begin with account_id/,
  );
});

test("an insert from arrays joins instead of asking for each of their rows", () => {
  const path = "gateway/src/charges/x.ts";
  const insert = (select: string) =>
    `await tx.query(sql\`insert into charges (a) select ${select} from unnest(\${x}::uuid[]) as u (a)\`);`;
  isRefused(path, insert("(select p.id from projects p where p.a = u.a limit 1)"), /sub-query names u/);
  const described = insert("(select 1 where u.a = 1)").replace(/unnest.* as u \(a\)/, '${relation("u", A, rows)}');
  isRefused(path, described, /sub-query names u/);
  isFine(path, insert("u.a"));
  isFine(path, insert("(select max(p.id) from projects p)"));
  isFine(path, "await tx.query(sql`select (select 1 where u.a = 1) from unnest(array[1]) as u (a)`);");
});

test("a statement that locks rows names their accounts", () => {
  const path = "gateway/src/charges/x.ts";
  isRefused(path, "sql`select from charges where status = 'pending' for update skip locked`;", /naming their accounts/);
  isRefused(path, "sql`select from charges for no key update`;", /naming their accounts/);
  isFine(path, "sql`select from charges where account_id = ${id} for update`;");
  isFine(path, 'sql`select from charges c where ${onTenants("c.account_id", rows)} for no key update of c`;');
  isFine(path, "sql`select from institutions where institution_id = ${id} for update`;");
});

test("how statements are planned is decided in one file", () => {
  const code = 'const MODE = "set local plan_cache_mode = force_generic_plan";';
  isRefused("gateway/src/db/pool.ts", code, /decided in gateway\/src\/db\/plans\.ts/);
  isFine("gateway/src/db/plans.ts", code);
});

test("the document lists the tables that all accounts share", () => {
  const list = (...names: string[]) =>
    problemsOf(
      "docs/data.md",
      `## Tables that all accounts share\n\n${names.map((n) => `| \`${n}\` | x |\n`).join("")}`,
    ).join();
  assert.equal(list(...SHARED_TABLES), "");
  assert.match(list(...SHARED_TABLES.slice(1)), /does not list the shared table settings/);
  assert.match(list(...SHARED_TABLES, "charges"), /lists charges, which is not shared/);
});

test("a problem says where it is", () => {
  const [problem] = tidy([at("gateway/src/charges/x.ts", "/* one\n * two */\n\nconst t = Date.now();\n")]);
  assert.deepEqual([problem?.path, problem?.line, problem?.rule], ["gateway/src/charges/x.ts", 4, "seams"]);
});

test("an exception hides its problem, and has to go when the problem has gone", () => {
  const path = "gateway/src/charges/x.ts";
  const exception = { rule: "seams", path, reason: "a sample" };
  assert.deepEqual(tidy([at(path, "Date.now();")], [exception]), []);
  assert.match(tidy([at(path, "ctx.clock.now();")], [exception])[0]?.message ?? "", /no longer needed/);
  assert.match(tidy([at("gateway/src/charges/y.ts", "Date.now();")], [exception])[0]?.message ?? "", /clock/);
});

test("a long file may have its exception's lines and not one more", () => {
  const path = "gateway/src/charges/x.ts";
  const exception = { rule: "length", path, reason: "a sample", maxLines: 450 };
  assert.deepEqual(tidy([at(path, "a;\n".repeat(450))], [exception]), []);
  assert.equal(tidy([at(path, "a;\n".repeat(451))], [exception]).length, 1);
  assert.match(tidy([at(path, "a;\n".repeat(400))], [exception])[0]?.message ?? "", /no longer needed/);
});

test("an exception can name one function, and count the problems of a folder", () => {
  const path = "gateway/src/charges/x.ts";
  const text = ["pay", "refund"].map((name) => `function ${name}() {\n${"  a;\n".repeat(78)}}\n`).join("");
  const one = { rule: "function length", path, name: "pay", reason: "a sample", maxLines: 80 };
  assert.deepEqual(
    tidy([at(path, text)], [one]).map(({ name }) => name),
    ["refund"],
  );
  const some = (maxProblems: number) => ({
    rule: "exports",
    path: "gateway/src/charges/",
    reason: "a sample",
    maxProblems,
  });
  const unused = [at(path, "export const a = 1;\nexport const b = 2;\n")];
  assert.deepEqual(tidy(unused, [some(2)]), []);
  assert.deepEqual(
    tidy(unused, [some(1)]).map(({ name }) => name),
    ["b"],
  );
  assert.match(tidy([at(path, "const a = 1;\n")], [some(2)])[0]?.message ?? "", /no longer needed/);
});
