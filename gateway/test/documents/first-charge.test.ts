/** The guide "first charge" in five languages: each program runs as the page shows it, and a repeat makes no second charge. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FOLDER = join(ROOT, "examples/first-charge");
const PAGES = ["docs/guides/first-charge.md", "docs/pt-BR/guias/primeira-cobranca.md"];
/** In which a program ends: Go compiles its library on a new machine, which takes minutes. */
const WITHIN_MS = 240_000;
const isThere = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/** How each program runs; null where its language is missing. */
const PROGRAMS: Readonly<Record<string, (folder: string) => readonly [string, ...string[]] | null>> = {
  "charge.sh": () => (isThere("curl", "--version") ? ["bash"] : null),
  "charge.mjs": () => [process.execPath],
  "charge.py": () => (isThere("python3", "--version") ? ["python3"] : null),
  "charge.php": () => (isThere("php", "-r", "exit(extension_loaded('curl') ? 0 : 1);") ? ["php"] : null),
  "charge.go": () => (isThere("go", "version") ? ["go", "run"] : null),
};

describe("The guide to the first charge", () => {
  let gateway: TestGateway;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-first-charge-"));
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    await gateway.end();
    rmSync(folder, { recursive: true, force: true });
  });

  test("shows every program word for word, in both languages", () => {
    for (const page of PAGES) {
      const blocks = [...readFileSync(join(ROOT, page), "utf8").matchAll(/^```\w+\n([\s\S]*?)^```$/gm)];
      const shown = blocks.map(([, block]) => block);
      for (const name of Object.keys(PROGRAMS))
        assert.ok(shown.includes(readFileSync(join(FOLDER, name), "utf8")), `${page} shows another ${name}`);
    }
  });

  /** What a program that knows the sandbox writes on its standard output; others' warnings are on the other one. */
  async function run([command, ...args]: readonly [string, ...string[]], name: string, order: string): Promise<string> {
    const { baseUrl, clientId, clientSecret } = gateway.sandbox;
    const child = spawn(command, [...args, join(FOLDER, name)], {
      cwd: folder,
      env: {
        ...process.env,
        // The gateway is on this machine, whatever proxy leads to others.
        no_proxy: "127.0.0.1,localhost",
        NO_PROXY: "127.0.0.1,localhost",
        // The shell's program reads JSON with Node: this test's.
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        PIXGATE_URL: new URL(baseUrl).origin,
        PIXGATE_CLIENT_ID: clientId,
        PIXGATE_CLIENT_SECRET: clientSecret,
        ORDER: order,
      },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own: what the program has started is ended with it.
      detached: true,
    });
    const written = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("data", (chunk: Buffer) => {
        written[name] += chunk.toString();
      });
    }
    const timer = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), WITHIN_MS);
    const code = await new Promise((resolve) => child.on("close", resolve));
    clearTimeout(timer);
    assert.equal(code, 0, `${written.stdout}${written.stderr}`);
    return written.stdout;
  }

  for (const [name, commandOf] of Object.entries(PROGRAMS)) {
    test(`${name} issues a charge and sees it paid`, { timeout: WITHIN_MS + 40_000 }, async (t) => {
      const command = commandOf(folder);
      if (command === null) return t.skip(`what runs ${name} is not on this machine`);
      const order = `first-${name.replace(".", "-")}`;
      const output = await run(command, name, order);
      assert.match(output, /^0002\d+br\.gov\.bcb\.pix.{60,}\ncompleted 25\.9\n$/);
      const { body } = await gateway.merchant.get<{ items: { amount: number; status: string }[] }>(
        `/transactions?externalReference=${order}`,
      );
      assert.deepEqual(
        body.items.map(({ amount, status }) => [amount, status]),
        [[25.9, "completed"]],
      );
    });
  }

  test("a program that repeats its order with the same key gets the same charge", async () => {
    const order = "first-repeated";
    const headers = { "idempotency-key": `charge-${order}` };
    const body = { amount: 25.9, description: "Two coffees", externalReference: order };
    const made = await gateway.merchant.post<{ id: string; pixCopyPaste: string }>("/pix", body, { headers });
    assert.equal(made.status, 201, made.text);
    const output = await run([process.execPath], "charge.mjs", order);
    assert.equal(output, `${made.body.pixCopyPaste}\ncompleted 25.9\n`);
  });
});
