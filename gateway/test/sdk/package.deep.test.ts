/** The packed SDK in a fresh project: its README runs there, its types hold, it stays small. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Credential, DOCUMENTED, newCredential, readmeModule, runProgram } from "../harness/merchant-programs.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sdk = join(root, "sdk");
/** What the test reads of openapi/merchant.json. */
type Reference = {
  components: { schemas: Record<string, { properties: Record<string, { "x-extensible-enum": string[] }> }> };
};
/** A browser's whole client, compressed. */
const LARGEST_BYTES = 15_000;

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

  for (const [title, run] of Object.entries(DOCUMENTED))
    test(`${title} Node ${process.versions.node.split(".")[0]}`, () => run(gateway, project, [process.execPath]));

  test("its README has examples/shop.mjs, word for word", () => {
    const block = /^```javascript\n([\s\S]*?)^```$/m.exec(readFileSync(join(sdk, "README.md"), "utf8"));
    assert.equal(block?.[1], readFileSync(join(root, "examples/shop.mjs"), "utf8"));
  });

  describe("runs the program of each guide:", () => {
    const runGuide = async (name: string, credential: Credential) => {
      copyFileSync(join(root, `examples/${name}/main.mjs`), join(project, `${name}.mjs`));
      const { code, output } = await runProgram(gateway, project, [process.execPath], `${name}.mjs`, credential);
      return { code, output: output.replace(/^.*ExperimentalWarning.*\n.*\n/m, "") };
    };
    const guide = (name: string) => readFileSync(join(root, `docs/guides/${name}.md`), "utf8");

    test("who-bears prints the table of the guide, and reconciliation agrees with all that it did", async () => {
      const credential = await newCredential(gateway);
      const bears = await runGuide("who-bears", credential);
      assert.equal(bears.code, 0, bears.output);
      assert.ok(guide("marketplace").includes(bears.output), `the guide shows another table than\n${bears.output}`);
      for (let run = 1; run <= 2; run += 1) {
        const reconciled = await runGuide("reconciliation", credential);
        assert.equal(reconciled.code, 0, reconciled.output);
        assert.match(reconciled.output, /^2 wallets, [1-9]\d* lines of [1-9]\d* transactions, 0 differences\n$/);
      }
    });

    test("the query of the reconciliation guide finds nothing in what its program has stored, and one line that is changed", () => {
      const [, query = ""] = /^```sql\n([\s\S]*?)^```$/m.exec(guide("reconciliation"))!;
      const books = new DatabaseSync(join(project, "books.db"));
      assert.deepEqual(books.prepare(query).all(), []);
      books.exec("begin; update lines set amount = amount + 1 where rowid = (select min(rowid) from lines)");
      assert.equal(books.prepare(query).all().length, 1);
      books.exec("rollback");
      books.close();
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
      const { code, output } = await runGuide("polling", await newCredential(gateway));
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
