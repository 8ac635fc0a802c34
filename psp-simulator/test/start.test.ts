import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { spawnSimulator, startSimulator, until } from "./harness.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

type Ended = { code: number | null; out: string; errors: string };

function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } });
  let out = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  return new Promise((done) => child.once("exit", (code) => done({ code, out, errors })));
}

// Each test has its own program and mostly waits, so they run side by side.
describe("start and stop", { concurrency: true }, () => {
  test("the first start makes credentials for its owner only, later starts find them", async () => {
    const simulator = await startSimulator();
    const path = join(simulator.folder, "credentials.json");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const before = readFileSync(path, "utf8");
    const { clientId, clientSecret, controlToken, pixKey, ispb, ownerName, city } = JSON.parse(before);
    assert.match(pixKey, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.match(ispb, /^\d{8}$/);
    for (const text of [clientId, clientSecret, controlToken, ownerName, city]) assert.ok(text.length > 3);
    assert.equal(await simulator.stop(), 0);
    await simulator.restart();
    assert.equal(readFileSync(path, "utf8"), before);
    await simulator.dispose();
  });

  test("a call that is under way at SIGTERM is answered before the exit with 0", async () => {
    const simulator = await startSimulator();
    await simulator.behave({
      faults: { seed: 1, rules: [{ route: "getCob", kind: "slow", probability: 1, ms: 300 }] },
    });
    const txid = await simulator.charge();
    const answer = simulator.api("GET", `/v2/cob/${txid}`);
    await until("the call is under way", async () => {
      const { entries } = (await simulator.control("GET", "/control/log")).body;
      return entries.some((entry: { type: string }) => entry.type === "fault");
    });
    const stopped = simulator.stop();
    assert.equal((await answer).body.txid, txid);
    assert.equal(await stopped, 0);
    await simulator.dispose();
  });

  test("the end of stdin ends the program", async () => {
    const simulator = await startSimulator();
    const exit = new Promise((done) => simulator.process.once("exit", done));
    simulator.process.stdin!.end();
    assert.equal(await exit, 0);
    await simulator.dispose();
  });

  test("a port that stays taken is one clear line and exit 1; one that becomes free is taken", async () => {
    const folder = mkdtempSync(join(tmpdir(), "psp-simulator-"));
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const port = String((other.address() as AddressInfo).port);
    const refused = await run(["--port", port, "--data-dir", folder]);
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.equal(refused.errors, `psp-simulator: port ${port} on 127.0.0.1 is in use\n`);

    const waiting = spawnSimulator(folder, ["--port", port]);
    // Long enough that the first attempt meets the taken port on any machine that starts Node within it.
    setTimeout(() => other.close(), 900);
    const started = await waiting;
    assert.equal(started.url, `http://127.0.0.1:${port}`);
    started.process.stdin!.end();
    await new Promise((done) => started.process.once("exit", done));
    rmSync(folder, { recursive: true });
  });

  test("a second simulator on the same folder is refused", async () => {
    const simulator = await startSimulator();
    const refused = await run(["--port", "0", "--data-dir", simulator.folder]);
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /^psp-simulator: .* is in use by process \d+\n$/);
    assert.equal((await simulator.control("GET", "/control/health")).status, 200);
    await simulator.dispose();
  });

  test("settings come from arguments, then from the environment, and a wrong one is one clear line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "psp-simulator-"));
    for (const [args, env, wrong] of [
      [["--port", "http"], {}, /port must be a number/],
      [[], { PIXGATE_SIMULATOR_PORT: "70000" }, /port must be a number/],
      [["--unheard"], {}, /--unheard/],
    ] as const) {
      const refused = await run([...args], { PIXGATE_DATA_DIR: folder, ...env });
      assert.equal(refused.code, 1);
      assert.match(refused.errors, wrong);
    }
    const child = spawn(process.execPath, [MAIN, "--exit-with-stdin"], {
      env: { ...process.env, PIXGATE_DATA_DIR: folder, PIXGATE_SIMULATOR_PORT: "0" },
    });
    const line = await new Promise<string>((done) => child.stdout.once("data", (chunk) => done(String(chunk))));
    assert.deepEqual(Object.keys(JSON.parse(line)).sort(), ["pid", "ready", "url"]);
    assert.ok(statSync(join(folder, "simulator", "credentials.json")).isFile());
    child.stdin.end();
    await new Promise((done) => child.once("exit", done));
    rmSync(folder, { recursive: true });
  });
});
