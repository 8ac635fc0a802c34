/**
 * A bank more, in a copy of the sources: its folder, its bridge to the simulator, and its entry in the catalogue are all that a
 * person writes. The generators write the rest, and the checks of lists and the contract of every bank hold.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The first are all that load the gateway, in one process. */
const GENERATORS = ["check/generated", "sdk", "states"];

/** Every file of the sources, from their root: those of the last commit and those that were written since. */
const filesOf = (root: string): string[] =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)));

/** A bank with an API, settings, payouts and tests of its own, under other names. */
const renamed = (text: string): string =>
  text.replaceAll("woovi", "oitavo").replaceAll("Woovi", "Oitavo").replaceAll("appId", "oitavoId");

describe("a bank more", { timeout: 900_000 }, () => {
  let copy: string;
  let written: string[];
  const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");
  // Without the mark of a test's process, in which node would run no further tests.
  const { NODE_TEST_CONTEXT: _, ...given } = process.env;
  // The way from the cache to a file is the original's: the links lead there.
  const env = { ...given, NODE_COMPILE_CACHE: "node_modules/.cache/tests" };
  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8", env });
    assert.equal(status, 0, `${args.join(" ")}\n${stdout.slice(-6_000)}\n${stderr.slice(-2_000)}`);
    return stdout;
  };
  const runTests = (...args: string[]): void => {
    assert.match(run("--test", "--test-reporter=tap", ...args), /^# pass [1-9]/m, args.join(" "));
  };
  before(() => {
    copy = mkdtempSync(join(tmpdir(), "pixgate-bank-"));
    for (const path of filesOf(ROOT)) cpSync(join(ROOT, path), join(copy, path));
    for (const path of globSync(["node_modules", "*/node_modules"], { cwd: ROOT }))
      symlinkSync(join(ROOT, path), join(copy, path));
    const theirs = globSync(["gateway/src/psp/woovi/*", "gateway/test/psp/bridges/woovi.ts"], { cwd: ROOT });
    written = theirs.map((path) => {
      const own = renamed(path.replaceAll("\\", "/"));
      cpSync(join(ROOT, path), join(copy, own));
      writeFileSync(join(copy, own), renamed(read(ROOT, path)));
      return own;
    });
    const catalogue = "gateway/src/psp/catalogue.ts";
    const entered = read(ROOT, catalogue)
      .replace(/(?=import \{ bank as woovi \})/, 'import { bank as oitavo } from "./oitavo/bank.ts";\n')
      .replace(/(?<=^ {2}playable\(woovi\),\n)/m, "  playable(oitavo),\n");
    assert.equal(entered.split("\n").length, read(ROOT, catalogue).split("\n").length + 2);
    writeFileSync(join(copy, catalogue), entered);
    written.push(catalogue);
    for (const name of GENERATORS) run(`scripts/${name}.ts`);
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  test("is its folder, its bridge to the simulator and two lines of the catalogue; every other change is generated", () => {
    const known = new Set(filesOf(ROOT));
    const present = globSync("**/*", {
      cwd: copy,
      exclude: ({ name }) => name === "node_modules",
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(copy.length + 1)
          .replaceAll("\\", "/"),
      );
    const changed = present.filter((path) => !known.has(path) || read(copy, path) !== read(ROOT, path));
    assert.deepEqual(changed.filter((path) => !written.includes(path)).toSorted(), [
      "docs/api-changes.md",
      "docs/banks.md",
      "docs/banks/oitavo.md",
      "docs/pt-BR/bancos.md",
      "openapi/operator.json",
      "sdk/src/generated/operator.ts",
    ]);
    assert.deepEqual(changed.filter((path) => written.includes(path)).toSorted(), written.toSorted());
    assert.match(read(copy, "docs/banks.md"), /^\| Oitavo \(`oitavo`, with `oitavoPayouts`\) \|/m);
    assert.match(
      read(copy, "docs/pt-BR/bancos.md"),
      /^\| \[`oitavo`\]\(\.\.\/banks\/oitavo\.md\) \| .* \| sim, com `oitavoPayouts` \|/m,
    );
  });

  test("keeps our own rules, has its words, its page in the site's list, and its entry in every list of banks", () => {
    run("scripts/tidy.ts");
    for (const name of GENERATORS) run(`scripts/${name}.ts`, "--check");
    runTests("site/pages.test.ts");
    runTests(
      "--test-name-pattern=bank of the catalogue|pays out with the settings",
      "gateway/test/psp/fourth-bank.test.ts",
    );
  });

  test("keeps the contract of every bank, and its own tests, against the simulator", () => {
    runTests("gateway/src/psp/oitavo/oitavo.test.ts", "gateway/src/psp/oitavo/contract.test.ts");
  });
});
