/**
 * The merchants' document is good enough for generators of other languages: a client in Python and one in Go are generated into
 * a temporary folder, compiled, and charge, pay and read against the real gateway.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PYTHON_GENERATOR = "openapi-python-client==0.29.1";
/**
 * All that this generator leaves out, in its own words: of files as a body it knows `application/octet-stream` alone, which the
 * gateway refuses. Its setting `content_type_overrides` is no help: the client then calls every file `image/jpeg`.
 */
const PYTHON_LEAVES_OUT = [
  "WARNING parsing POST /v2/balance-blocks/{id}/files within balance_blocks. Endpoint will not be generated.",
  "Unsupported content type application/pdf",
  "Unsupported content type image/png",
  "Unsupported content type image/jpeg",
];
const GO_GENERATOR = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const GO_RUNTIME = "github.com/oapi-codegen/runtime@v1.8.0";
/** Without `skip-prune` the generator drops the schemas that only webhooks use, and then refers to them. */
const GO_SETTINGS = {
  package: "pixgate",
  generate: { models: true, client: true },
  output: "pixgate/client.go",
  "output-options": { "skip-prune": true },
};
const DOCUMENT = fileURLToPath(new URL("../../../openapi/merchant.json", import.meta.url));
const story = (name: string) => fileURLToPath(new URL(`./generated/${name}`, import.meta.url));
const run = promisify(execFile);
/** The tests are skipped only where a language is missing: a generator that cannot be installed fails them. */
const isThere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;
/** Installing and compiling with empty caches takes minutes on a busy machine. */
const TIMEOUT = { timeout: 900_000 };

describe("A generated client", () => {
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-generated-"));
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An empty folder for one language. */
  function makePlace(name: string): string {
    const place = join(folder, name);
    mkdirSync(place);
    return place;
  }

  async function tellsTheStory(command: string, args: readonly string[], cwd: string): Promise<void> {
    const { baseUrl, clientId, clientSecret } = gateway.sandbox;
    const env = {
      ...process.env,
      PIXGATE_URL: new URL(baseUrl).origin,
      PIXGATE_CLIENT_ID: clientId,
      PIXGATE_CLIENT_SECRET: clientSecret,
    };
    const { stdout } = await run(command, args, { cwd, env });
    const [id, status, amount] = stdout.trim().split(" ");
    assert.deepEqual([status, amount], ["completed", "25.9"]);
    const { body } = await gateway.merchant.get<{ status: string; amount: number }>(`/transactions/${id}`);
    assert.deepEqual([body.status, body.amount], ["completed", 25.9]);
  }

  test("in Python charges, is paid and reads", TIMEOUT, async (t) => {
    if (!isThere("python3", "-c", "import ensurepip, venv")) return t.skip("python3 is not on this machine");
    const place = makePlace("python");
    await run("python3", ["-m", "venv", "packages"], { cwd: place });
    await run("packages/bin/python", ["-m", "pip", "install", "--quiet", PYTHON_GENERATOR, "ruff"], { cwd: place });
    const { PATH } = process.env;
    const env = { ...process.env, PATH: `${join(place, "packages/bin")}:${PATH}` };
    const to = ["--output-path", "pixgate_client", "--meta", "none"];
    const args = ["generate", "--path", DOCUMENT, ...to];
    const { stderr } = await run("packages/bin/openapi-python-client", args, { cwd: place, env });
    const [, ...warnings] = stderr.split("\n").filter((line) => line !== "");
    // Around the warnings are a heading, and where to report a fault.
    assert.deepEqual(warnings.slice(0, -1), PYTHON_LEAVES_OUT);
    await run("packages/bin/python", ["-m", "compileall", "-q", "pixgate_client"], { cwd: place });
    cpSync(story("story.py"), join(place, "story.py"));
    await tellsTheStory("packages/bin/python", ["story.py"], place);
  });

  test("in Go charges, is paid and reads", TIMEOUT, async (t) => {
    if (!isThere("go", "version")) return t.skip("go is not on this machine");
    const place = makePlace("go");
    writeFileSync(join(place, "go.mod"), "module pixgate-story\n\ngo 1.24\n");
    await run("go", ["install", GO_GENERATOR], { cwd: place, env: { ...process.env, GOBIN: join(place, "bin") } });
    await run("go", ["get", GO_RUNTIME], { cwd: place });
    mkdirSync(join(place, "pixgate"));
    writeFileSync(join(place, "generator.json"), JSON.stringify(GO_SETTINGS));
    await run("bin/oapi-codegen", ["-config", "generator.json", DOCUMENT], { cwd: place });
    cpSync(story("story.go"), join(place, "main.go"));
    await run("go", ["mod", "tidy"], { cwd: place });
    await run("go", ["vet", "./..."], { cwd: place });
    await run("go", ["build", "-o", "story", "."], { cwd: place });
    await tellsTheStory("./story", [], place);
  });
});
