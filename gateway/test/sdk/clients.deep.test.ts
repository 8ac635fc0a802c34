/**
 * The clients in Python and PHP as their users get them: packed, installed from the package into an empty folder, and run
 * against the real gateway by the tests of `clients/`.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const CLIENTS = fileURLToPath(new URL("../../../clients/", import.meta.url));
const { version: VERSION } = JSON.parse(readFileSync(join(CLIENTS, "../package.json"), "utf8")) as { version: string };
const run = promisify(execFile);
/** Skipped only where the language is missing: what cannot be packed or installed fails. */
const isThere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;
/** Installing with empty caches takes minutes on a busy machine. */
const TIMEOUT = { timeout: 600_000 };
/** Each language has ten of them at least. */
const AT_LEAST = 10;

describe("The client", () => {
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-clients-"));
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function makePlace(name: string): string {
    const place = join(folder, name);
    mkdirSync(place);
    return place;
  }

  /** What a program prints that knows the sandbox. */
  async function printed(command: string, args: readonly string[], cwd: string, env: object = {}): Promise<string> {
    const { baseUrl, clientId, clientSecret } = gateway.sandbox;
    const credential = {
      PIXGATE_URL: new URL(baseUrl).origin,
      PIXGATE_CLIENT_ID: clientId,
      PIXGATE_CLIENT_SECRET: clientSecret,
    };
    const { stdout } = await run(command, args, { cwd, env: { ...process.env, ...credential, ...env } }).catch(
      (error: { stdout: string; stderr: string }) => assert.fail(error.stdout + error.stderr),
    );
    return stdout;
  }

  /** The README's blocks of a language, in their order, are one program. */
  const programOf = (language: string): string =>
    [
      ...readFileSync(join(CLIENTS, language, "README.md"), "utf8").matchAll(
        new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"),
      ),
    ]
      .map((block) => block[1])
      .join("\n");

  /** Runs tests that end with `12 passed, 0 failed`. */
  async function passes(command: string, args: readonly string[], cwd: string, env: object = {}): Promise<void> {
    const stdout = await printed(command, args, cwd, env);
    const [, passed, failed] = /(\d+) passed, (\d+) failed\n$/.exec(stdout) ?? assert.fail(stdout);
    assert.equal(failed, "0");
    assert.ok(Number(passed) >= AT_LEAST, stdout);
    await gateway.verify();
  }

  test("in Python is packed without its tests, installs and does a shop's day", TIMEOUT, async (t) => {
    if (!isThere("python3", "-c", "import ensurepip, venv")) return t.skip("python3 is not on this machine");
    const place = makePlace("python");
    const python = join(place, "packages/bin/python");
    await run("python3", ["-m", "venv", "packages"], { cwd: place });
    // Packed from a copy, so that nothing is written beside the sources.
    cpSync(join(CLIENTS, "python"), join(place, "source"), { recursive: true });
    await run(python, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "made", "./source"], {
      cwd: place,
    });
    const [wheel] = globSync("made/*.whl", { cwd: place });
    assert.equal(wheel, `made/pixgate-${VERSION}-py3-none-any.whl`);
    const { stdout } = await run(python, ["-m", "zipfile", "-l", wheel], { cwd: place });
    assert.match(stdout, /pixgate\/py\.typed/);
    assert.match(stdout, /LICENSE/);
    assert.doesNotMatch(stdout, /test/);
    await run(python, ["-m", "pip", "install", "--quiet", wheel], { cwd: place });
    await passes(python, [join(CLIENTS, "python/tests/run.py")], place);
    writeFileSync(join(place, "readme.py"), programOf("python"));
    assert.match(await printed(python, ["readme.py"], place), /completed 25\.9\n[\s\S]* of 1000000\n$/);
  });

  test("in PHP is packed without its tests, installs and does a shop's day", TIMEOUT, async (t) => {
    if (!isThere("php", "-r", "exit(extension_loaded('curl') && PHP_VERSION_ID >= 80100 ? 0 : 1);"))
      return t.skip("PHP 8.1 with curl is not on this machine");
    if (!isThere("composer", "--version")) return t.skip("composer is not on this machine");
    const place = makePlace("php");
    const env = { ...process.env, COMPOSER_ALLOW_SUPERUSER: "1", COMPOSER_HOME: join(place, "home") };
    cpSync(join(CLIENTS, "php"), join(place, "source"), { recursive: true });
    await run("composer", ["archive", "--quiet", "--format=tar", "--dir=../made", "--file=pixgate"], {
      cwd: join(place, "source"),
      env,
    });
    // What the archive holds; Composer reads archives themselves only with an extension for zip.
    mkdirSync(join(place, "unpacked"));
    await run("tar", ["xf", "made/pixgate.tar", "-C", "unpacked"], { cwd: place });
    const shop = {
      repositories: [{ type: "path", url: "unpacked", options: { symlink: false } }, { "packagist.org": false }],
      require: { "pixgate/pixgate": VERSION },
    };
    writeFileSync(join(place, "composer.json"), JSON.stringify(shop));
    await run("composer", ["install", "--quiet", "--no-interaction"], { cwd: place, env });
    const installed = globSync("vendor/pixgate/pixgate/**/*.*", { cwd: place });
    assert.ok(installed.some((path) => path.endsWith("src/Client.php")));
    assert.deepEqual(
      installed.filter((path) => path.includes("tests")),
      [],
    );
    await passes("php", [join(CLIENTS, "php/tests/run.php")], place, {
      PIXGATE_AUTOLOAD: join(place, "vendor/autoload.php"),
    });
    const program = `<?php\nrequire 'vendor/autoload.php';\n${programOf("php")}`;
    writeFileSync(join(place, "readme.php"), program);
    assert.match(await printed("php", ["readme.php"], place), /completed 25\.9\n[\s\S]* of 1000000\n$/);
    // Without Composer too: the shops that copy a folder.
    await passes("php", [join(CLIENTS, "php/tests/run.php")], place, {
      PIXGATE_AUTOLOAD: join(place, "vendor/pixgate/pixgate/src/autoload.php"),
    });
  });
});
