/** The packed SDK in a fresh project: its README runs there, its types hold, it stays small. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { rolldown } from "rolldown";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sdk = join(root, "sdk");
/** What the test reads of openapi/merchant.json. */
type Reference = {
  components: { schemas: Record<string, { properties: Record<string, { "x-extensible-enum": string[] }> }> };
};
/** In which a program of the documentation ends: they take seconds. */
const RUN_WITHIN_MS = 100_000;
/** A browser's whole client, compressed. */
const LARGEST_BYTES = 15_000;

/** The fees of the account that `npm start` makes: what runs without fees may fail for whoever tries it there. */
const SANDBOX_FEES = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };

type Runtime = { readonly name: string; readonly command: readonly [string, ...string[]] };

/** Node of this process; another Node from 20 on, Deno and Bun where the machine has them. */
function runtimes(): Runtime[] {
  const others = [
    { name: "Deno", command: ["deno", "run", "--allow-all"] },
    { name: "Bun", command: ["bun"] },
  ] as const;
  return [
    ...nodes()
      .filter(({ version }) => Number(version) >= 20)
      .map(({ version, path }): Runtime => ({ name: `Node ${version}`, command: [path] })),
    ...others.filter(({ command: [program] }) => spawnSync(program, ["--version"]).status === 0),
  ];
}

function nodes(): { version: string; path: string }[] {
  const found = [process.execPath, ...(process.env.PATH ?? "").split(":").map((folder) => join(folder, "node"))];
  const byMajor = new Map<string, string>();
  for (const path of found) {
    const { stdout, status } = spawnSync(path, ["--version"], { encoding: "utf8" });
    const major = /^v(\d+)/.exec(stdout ?? "")?.[1];
    if (status === 0 && major !== undefined && !byMajor.has(major)) byMajor.set(major, path);
  }
  return [...byMajor].map(([version, path]) => ({ version, path }));
}

/** All blocks of the README as one module: imports come first, each once. */
function readmeModule(): string {
  const readme = readFileSync(join(sdk, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string);
  assert.ok(blocks.length >= 12);
  const lines = blocks.join("\n").split("\n");
  const imports = lines.filter((line) => line.startsWith("import "));
  return [...imports, ...lines.filter((line) => !line.startsWith("import ")), "server.close();", ""].join("\n");
}

describe("The packed SDK", () => {
  const project = mkdtempSync(join(tmpdir(), "pixgate-sdk-"));
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
    const packed = run("npm", ["pack", "--pack-destination", project], sdk);
    assert.equal(packed.status, 0, packed.stderr);
    const [tarball] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
    const installed = run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], project);
    assert.equal(installed.status, 0, installed.stderr);
  });
  after(async () => {
    await gateway.stop();
    rmSync(project, { recursive: true, force: true });
  });
  const run = (command: string, args: string[], cwd: string) => spawnSync(command, args, { cwd, encoding: "utf8" });
  const installedFolder = join(project, "node_modules/@pixgate/sdk");

  test("brings the code, its types, its README and nothing of ours, and depends on nothing", () => {
    const manifest = JSON.parse(readFileSync(join(installedFolder, "package.json"), "utf8")) as object;
    assert.ok(!("dependencies" in manifest));
    const files = readdirSync(installedFolder).sort();
    assert.deepEqual(
      files.filter((name) => name !== "docs"),
      ["README.md", "dist", "package.json"],
    );
    assert.deepEqual(
      readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith(".")),
      ["@pixgate"],
    );
  });

  type Credential = { readonly clientId: string; readonly clientSecret: string };

  /** A credential of an account of its own, so that references are free. */
  async function newCredential(): Promise<Credential> {
    const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "shop" });
    const changed = await gateway.operator.patch(`/accounts/${made.body.id}`, { fees: SANDBOX_FEES });
    assert.equal(changed.status, 200, changed.text);
    const credential = await gateway.operator.post<Credential>(`/accounts/${made.body.id}/credentials`, {
      name: "shop",
      permissions: ["FULL_ACCESS"],
      subAccountAccess: true,
    });
    return credential.body;
  }

  /** Runs a module of the project. */
  async function runModule(
    [program, ...args]: Runtime["command"],
    file: string,
    given?: Credential,
  ): Promise<{ code: unknown; output: string }> {
    const credential = given ?? (await newCredential());
    const port = await freePort();
    const { baseUrl, operatorToken } = gateway.sandbox;
    const child = spawn(program, [...args, file], {
      cwd: project,
      env: {
        PATH: process.env.PATH,
        PIXGATE_URL: baseUrl.replace(/\/v2$/, ""),
        PIXGATE_CLIENT_ID: credential.clientId,
        PIXGATE_CLIENT_SECRET: credential.clientSecret,
        PIXGATE_OPERATOR_TOKEN: operatorToken,
        WEBHOOK_URL: `http://127.0.0.1:${port}/`,
        PORT: String(port),
      },
      // A program that waits for what never comes is ended, and what it wrote is shown.
      timeout: RUN_WITHIN_MS,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const code = await new Promise((resolve) => child.on("close", resolve));
    return { code, output };
  }

  for (const { name, command } of runtimes().filter(({ name }) => name.startsWith("Node")))
    test(`is required by a program without modules in ${name}`, async () => {
      const code = `const { Pixgate } = require("@pixgate/sdk"), { verifyWebhook } = require("@pixgate/sdk/webhooks");
      new Pixgate({ baseUrl: process.env.PIXGATE_URL, accessToken: "none" }).account.get().catch((error) => {
        process.stdout.write([error.code, typeof verifyWebhook].join(" "));
      });`;
      writeFileSync(join(project, "required.cjs"), code);
      assert.deepEqual(await runModule(command, "required.cjs"), { code: 0, output: "TOKEN_INVALID function" });
    });

  for (const { name, command } of runtimes()) {
    test(`runs every line of its README with ${name}`, async () => {
      writeFileSync(join(project, "readme.mjs"), readmeModule());
      const { code, output } = await runModule(command, "readme.mjs");
      assert.equal(code, 0, output);
      assert.match(output, /CONFIRMED/);
      assert.match(output, /^completed 1$/m);
      assert.match(output, /^paid .+\nthe test was delivered$/m);
      assert.match(output, /of 1000000/);
    });

    test(`runs examples/shop.mjs with ${name}`, async () => {
      copyFileSync(join(root, "examples/shop.mjs"), join(project, "shop.mjs"));
      const { code, output } = await runModule(command, "shop.mjs");
      assert.equal(code, 0, output);
      assert.match(output, /^3 events, R\$\u00a058,75 moved, reconciled$/m);
    });
  }

  test("its README has examples/shop.mjs, word for word", () => {
    const block = /^```javascript\n([\s\S]*?)^```$/m.exec(readFileSync(join(sdk, "README.md"), "utf8"));
    assert.equal(block?.[1], readFileSync(join(root, "examples/shop.mjs"), "utf8"));
  });

  describe("runs the program of each guide:", () => {
    const runGuide = async (name: string, credential: Credential) => {
      copyFileSync(join(root, `examples/${name}/main.mjs`), join(project, `${name}.mjs`));
      const { code, output } = await runModule([process.execPath], `${name}.mjs`, credential);
      return { code, output: output.replace(/^.*ExperimentalWarning.*\n.*\n/m, "") };
    };
    const guide = (name: string) => readFileSync(join(root, `docs/guides/${name}.md`), "utf8");

    test("who-bears prints the table of the guide, and reconciliation agrees with all that it did", async () => {
      const credential = await newCredential();
      const bears = await runGuide("who-bears", credential);
      assert.equal(bears.code, 0, bears.output);
      assert.ok(guide("marketplace").includes(bears.output), `the guide shows another table than\n${bears.output}`);
      for (let run = 1; run <= 2; run += 1) {
        const reconciled = await runGuide("reconciliation", credential);
        assert.equal(reconciled.code, 0, reconciled.output);
        assert.match(reconciled.output, /^2 wallets, [1-9]\d* lines of [1-9]\d* transactions, 0 differences\n$/);
      }
    });

    test("the table of the reconciliation guide has every kind of line at its type of transaction", () => {
      const [, rule = ""] = guide("reconciliation").split("## The rule that joins them");
      const rows = [...rule.matchAll(/^\| `(\w+)` \| [^|]+ \| (.+) \|$/gm)];
      const documented = new Map(rows.map((row) => [row[1] as string, row[2] as string]));
      const books = new DatabaseSync(join(project, "books.db"));
      const sql = "select distinct t.type, l.kind from lines l join transactions t on t.id = l.transaction_id";
      const found = books.prepare(sql).all() as { type: string; kind: string }[];
      books.close();
      assert.ok(found.length >= 12, JSON.stringify(found));
      for (const { type, kind } of found) assert.ok(documented.get(type)?.includes(`\`${kind}\``), `${type}: ${kind}`);
      // Every kind and type of the reference has its place, also those that these programs do not cause.
      const schemas = (JSON.parse(readFileSync(join(root, "openapi/merchant.json"), "utf8")) as Reference).components
        .schemas;
      const listed = (schema: string, field: string) => schemas[schema]!.properties[field]!["x-extensible-enum"];
      assert.deepEqual([...documented.keys()].sort(), [...listed("Transaction", "type")].sort());
      const kinds = [...documented.values()].join();
      for (const kind of listed("StatementItem", "kind")) assert.ok(kinds.includes(`\`${kind}\``), kind);
    });

    test("polling misses no payment, refund or payout, by webhooks alone and by polls alone, as its page shows", async () => {
      const { code, output } = await runGuide("polling", await newCredential());
      assert.equal(code, 0, output);
      const page = readFileSync(join(root, "examples/polling/README.md"), "utf8");
      assert.equal(output, /^\$ PORT=3000 node main.mjs\n([^`]*)^```$/m.exec(page)![1]);
    });
  });

  test("its types hold in strict TypeScript for every line of the README, however modules are resolved", () => {
    writeFileSync(join(project, "readme.mts"), readmeModule());
    mkdirSync(join(project, "node_modules/@types"), { recursive: true });
    for (const name of ["@types/node", "undici-types"])
      symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    for (const [module, resolution] of [
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ]) {
      // As a merchant's TypeScript is at its strictest.
      const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
      const options = ["--noEmit", "--target", "es2024", "--types", "node", ...strict];
      const args = [compiler, ...options, "--module", module!, "--moduleResolution", resolution!, "readme.mts"];
      const { status, stdout } = run(process.execPath, args, project);
      assert.equal(status, 0, stdout);
    }
  });

  test("is what package managers and bundlers expect", async () => {
    const { messages } = await publint({ pkgDir: installedFolder, strict: true, pack: false });
    const manifest = JSON.parse(readFileSync(join(installedFolder, "package.json"), "utf8")) as Record<string, unknown>;
    assert.deepEqual(
      messages.map((message) => formatMessage(message, manifest)),
      [],
    );
  });

  test("gives its types to every way of resolving a package", async () => {
    const [tarball] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(join(project, tarball!))), {
      excludeEntrypoints: ["./package.json"],
    });
    assert.ok(analysis.types);
    assert.deepEqual(Object.keys(analysis.entrypoints).sort(), [".", "./webhooks"]);
    assert.deepEqual(analysis.problems, []);
  });

  test(`is at most ${LARGEST_BYTES} bytes in a browser, and what is not used stays out`, async (t) => {
    const sizeOf = async (code: string): Promise<{ bytes: number; code: string }> => {
      const entry = join(project, "entry.mjs");
      writeFileSync(entry, code);
      const bundle = await rolldown({ input: entry, cwd: project, platform: "browser" });
      const { output } = await bundle.generate({ format: "esm", minify: true });
      await bundle.close();
      return { bytes: gzipSync(output[0].code, { level: 9 }).length, code: output[0].code };
    };
    const all = await sizeOf('export * from "@pixgate/sdk";');
    const client = await sizeOf('export { Pixgate } from "@pixgate/sdk";');
    const webhooks = await sizeOf('export { verifyWebhook } from "@pixgate/sdk";');
    const money = await sizeOf('export { toCentavos } from "@pixgate/sdk";');
    t.diagnostic(
      `gzipped: all ${all.bytes}, client ${client.bytes}, verifyWebhook ${webhooks.bytes}, toCentavos ${money.bytes}`,
    );
    assert.ok(all.bytes <= LARGEST_BYTES, `${all.bytes}`);
    assert.ok(webhooks.bytes <= 2_000, `${webhooks.bytes}`);
    assert.ok(money.bytes <= 500, `${money.bytes}`);
    assert.ok(!client.code.includes("webhook-signature") && !webhooks.code.includes("idempotency-key"));
  });
});
