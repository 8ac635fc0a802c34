/**
 * Both published documents make clients that compile, by the generators that people use most, each at one version: what they do
 * not take (two operations in one file, constants that are no text, names that a language takes for another) is no fault that
 * our own linters find. Skipped by name where a language is missing, and whole by PIXGATE_GENERATORS=off: with empty caches it takes a
 * quarter of an hour.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { GENERATORS, programOf } from "./generated/typescript.ts";

const OPENAPI_GENERATOR = "7.23.0";
const OPENAPI_GENERATOR_COMMAND = "@openapitools/openapi-generator-cli@2.35.0";
const OGEN = "github.com/ogen-go/ogen/cmd/ogen@v1.24.0";
const OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const TYPESCRIPT = "typescript@5.9.3";
/** As an application compiles: strictly, with a browser's types. Without `--skipLibCheck`, what is generated is checked too. */
const COMPILED = ["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
const SPECTRAL = "@stoplight/spectral-cli@6.16.3";
const DOCUMENTS = ["merchant", "operator"] as const;

const pathOf = (name: string) => fileURLToPath(new URL(`../../../openapi/${name}.json`, import.meta.url));
const run = promisify(execFile);
const isThere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;
const HAS_GO = isThere("go", "version");
/** PHP with what the generated client needs, as Debian's php-curl and php-guzzlehttp-guzzle have it. */
const HAS_PHP =
  isThere("php", "-r", "exit((int) !extension_loaded('curl'));") &&
  existsSync("/usr/share/php/GuzzleHttp/autoload.php");
const HAS_JAVA = isThere("java", "-version");
/** Debian's package has it there, where another installation may have taken the name from PATH. */
const MAVEN = ["mvn", "/usr/share/maven/bin/mvn"].find((command) => isThere(command, "--version"));
/** Installing and compiling with empty caches takes minutes on a busy machine. */
const TIMEOUT = { timeout: 900_000 };
const QUIET = ["--silent", "--no-audit", "--no-fund", "--no-package-lock"];

const IS_OFF = process.env.PIXGATE_GENERATORS === "off" && "PIXGATE_GENERATORS is off";

describe("A generator makes clients that compile of both documents:", { concurrency: false, skip: IS_OFF }, () => {
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-generators-"));
  before(async () => {
    gateway = await startGateway();
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "clients", private: true }));
    writeFileSync(join(folder, "go.mod"), "module pixgate-clients\n\ngo 1.24\n");
    const settings = { "generator-cli": { version: OPENAPI_GENERATOR } };
    writeFileSync(join(folder, "openapitools.json"), JSON.stringify(settings));
  });
  after(async () => {
    await gateway.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const inFolder = (command: string, args: readonly string[], cwd = folder) =>
    run(command, args, {
      cwd,
      maxBuffer: 64 * 2 ** 20,
      // openapi-generator's command reads and writes openapitools.json where PWD says.
      env: { ...process.env, PWD: cwd, GOBIN: join(folder, "bin") },
    });
  const bin = (name: string) => join(folder, "node_modules/.bin", name);
  /** A generator writes one file, or a folder with an index. */
  const sourceOf = (entry: string) => (existsSync(join(folder, `${entry}.ts`)) ? `${entry}.ts` : `${entry}/index.ts`);
  const install = (...packages: string[]) => inFolder("npm", ["install", ...QUIET, ...packages]);

  /** Generates with openapi-generator, and gives the folder. */
  async function generate(language: string, document: string): Promise<string> {
    const to = join(folder, `${language}-${document}`);
    await install(OPENAPI_GENERATOR_COMMAND);
    const args = ["generate", "-g", language, "-i", pathOf(document), "-o", to];
    await inFolder(bin("openapi-generator-cli"), args);
    return to;
  }

  /** Runs a program that has charged, been paid and read, and compares what it printed with what the gateway has. */
  async function tellsTheStory(command: string, args: readonly string[], cwd: string): Promise<void> {
    const { baseUrl, clientId, clientSecret } = gateway.sandbox;
    const env = {
      PIXGATE_URL: new URL(baseUrl).origin,
      PIXGATE_CLIENT_ID: clientId,
      PIXGATE_CLIENT_SECRET: clientSecret,
    };
    const { stdout } = await run(command, args, { cwd, env: { ...process.env, ...env } });
    const [id, ...told] = stdout.trim().split(" ");
    assert.deepEqual(told, ["completed", "25.9"]);
    const { body } = await gateway.merchant.get<{ status: string; amount: number }>(`/transactions/${id}`);
    assert.deepEqual([body.status, body.amount], ["completed", 25.9]);
  }
  const story = (name: string) => fileURLToPath(new URL(`./generated/${name}`, import.meta.url));

  test(`openapi-generator ${OPENAPI_GENERATOR} in Java, which charges, is paid and reads`, TIMEOUT, async (t) => {
    if (!HAS_JAVA) return t.skip("java is not on this machine");
    if (MAVEN === undefined) return t.skip("mvn is not on this machine");
    const maven = (cwd: string, ...goals: string[]) => inFolder(MAVEN, ["--quiet", "--batch-mode", ...goals], cwd);
    await maven(await generate("java", "operator"), "compile");
    const merchant = await generate("java", "merchant");
    cpSync(story("Story.java"), join(merchant, "src/main/java/Story.java"));
    await maven(merchant, "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath");
    const classes = `target/classes:${readFileSync(join(merchant, "classpath"), "utf8").trim()}`;
    await tellsTheStory("java", ["-cp", classes, "Story"], merchant);
  });

  test(`openapi-generator ${OPENAPI_GENERATOR} in Go, which charges, is paid and reads`, TIMEOUT, async (t) => {
    if (!HAS_JAVA || !HAS_GO) return t.skip(`${HAS_GO ? "java" : "go"} is not on this machine`);
    await inFolder("go", ["vet", "."], await generate("go", "operator"));
    const merchant = await generate("go", "merchant");
    await inFolder("go", ["vet", "."], merchant);
    mkdirSync(join(merchant, "story"));
    cpSync(story("openapi_generator_story.go"), join(merchant, "story/main.go"));
    await tellsTheStory("go", ["run", "./story"], merchant);
  });

  test(`openapi-generator ${OPENAPI_GENERATOR} in PHP, which charges, is paid and reads`, TIMEOUT, async (t) => {
    if (!HAS_JAVA || !HAS_PHP) return t.skip(`${HAS_PHP ? "java" : "PHP with Guzzle"} is not on this machine`);
    for (const document of DOCUMENTS) {
      const made = await generate("php", document);
      for (const file of globSync("lib/**/*.php", { cwd: made })) await inFolder("php", ["-l", file], made);
    }
    const merchant = join(folder, "php-merchant");
    cpSync(story("openapi_generator_story.php"), join(merchant, "story.php"));
    await tellsTheStory("php", ["story.php"], merchant);
  });

  test(`openapi-generator ${OPENAPI_GENERATOR} in Python, which charges, is paid and reads`, TIMEOUT, async (t) => {
    if (!HAS_JAVA || !isThere("python3", "-c", "import ensurepip, venv"))
      return t.skip(`${HAS_JAVA ? "python3" : "java"} is not on this machine`);
    await inFolder("python3", ["-m", "venv", "packages"]);
    const python = join(folder, "packages/bin/python");
    for (const document of DOCUMENTS) {
      const made = await generate("python", document);
      await inFolder(python, ["-m", "compileall", "-q", join(made, "openapi_client")]);
    }
    const client = join(folder, "python-merchant");
    await inFolder(python, ["-m", "pip", "install", "--quiet", "-r", join(client, "requirements.txt")]);
    cpSync(story("openapi_generator_story.py"), join(client, "story.py"));
    await tellsTheStory(python, ["story.py"], client);
  });

  test("ogen 1.24.0, with nothing to say about the headers of answers", TIMEOUT, async (t) => {
    if (!HAS_GO) return t.skip("go is not on this machine");
    await inFolder("go", ["install", OGEN]);
    for (const document of DOCUMENTS) {
      const to = ["--target", `ogen/${document}`, "--package", document, "--clean"];
      const { stdout, stderr } = await inFolder("bin/ogen", [...to, pathOf(document)]);
      // Of deliveries alone: the interface and Standard Webhooks write those headers so.
      const names = [...(stdout + stderr).matchAll(/"original_name": "([^"]+)"/g)].map((match) => match[1]);
      assert.deepEqual(
        names.filter((name) => !/^(webhook-|X-Service-)/.test(name as string)),
        [],
      );
    }
    await inFolder("go", ["mod", "tidy"]);
    // Checks types as a compiler does. To make machine code of it takes minutes and 2 GB.
    await inFolder("go", ["vet", "./ogen/..."]);
  });

  test("oapi-codegen 2.8.2", TIMEOUT, async (t) => {
    if (!HAS_GO) return t.skip("go is not on this machine");
    await inFolder("go", ["install", OAPI_CODEGEN]);
    for (const document of DOCUMENTS) {
      const output = `oapi/${document}/client.go`;
      mkdirSync(join(folder, `oapi/${document}`), { recursive: true });
      const options = { "skip-prune": true };
      const settings = {
        package: document,
        generate: { models: true, client: true },
        output,
        "output-options": options,
      };
      writeFileSync(join(folder, "oapi.json"), JSON.stringify(settings));
      await inFolder("bin/oapi-codegen", ["-config", "oapi.json", pathOf(document)]);
    }
    await inFolder("go", ["mod", "tidy"]);
    await inFolder("go", ["vet", "./oapi/..."]);
  });

  for (const [name, generator] of Object.entries(GENERATORS)) {
    test(`${name}, strictly, which charges, is paid and reads`, TIMEOUT, async () => {
      await install(TYPESCRIPT, ...generator.packages);
      for (const document of DOCUMENTS) {
        const [command, ...args] = generator.generate(pathOf(document), document);
        await inFolder(bin(command), args);
      }
      const program = `${generator.entry("story")}.ts`;
      writeFileSync(join(folder, program), programOf(generator));
      await inFolder(bin("tsc"), [...COMPILED, "--noEmit", sourceOf(generator.entry("operator"))]);
      await inFolder(bin("tsc"), [...COMPILED, "--outDir", "compiled", program]);
      await tellsTheStory(process.execPath, [join("compiled", `${generator.entry("story")}.js`)], folder);
    });
  }

  test("and Spectral 6.16.3 finds nothing in either", TIMEOUT, async () => {
    await install(SPECTRAL);
    writeFileSync(join(folder, ".spectral.yaml"), 'extends: ["spectral:oas"]\n');
    for (const document of DOCUMENTS)
      await inFolder(bin("spectral"), [
        "lint",
        "--fail-severity",
        "hint",
        "--ruleset",
        ".spectral.yaml",
        pathOf(document),
      ]);
  });
});
