import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runToEnd, spawnSimulator, until, withSimulator } from "./harness.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

const exitOf = (child: ChildProcess) => new Promise<number | null>((done) => child.once("exit", done));

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "psp-simulator-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Each test has its own program and mostly waits, so they run side by side.
describe("start and stop", { concurrency: true }, () => {
  test("the first start makes credentials for its owner only, later starts find them", () =>
    withSimulator(async (simulator) => {
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
    }));

  test("a call that is under way at SIGTERM is answered before the exit with 0", () =>
    withSimulator(async (simulator) => {
      const rules = [{ route: "getCob", kind: "slow", probability: 1, ms: 300 }];
      await simulator.behave({ faults: { seed: 1, rules } });
      const txid = await simulator.charge();
      const answer = simulator.api("GET", `/v2/cob/${txid}`);
      await until("the call is under way", async () => {
        const { entries } = (await simulator.control("GET", "/control/log")).body;
        return entries.some((entry: { type: string }) => entry.type === "fault");
      });
      const stopped = simulator.stop();
      assert.equal((await answer).body.txid, txid);
      assert.equal(await stopped, 0);
    }));

  test("a call that is never answered does not keep the program from ending", () =>
    withSimulator(async (simulator) => {
      const rules = [{ route: "getCob", kind: "timeoutBefore", probability: 1, ms: 600_000 }];
      await simulator.behave({ faults: { seed: 1, rules } });
      const held = simulator.api("GET", "/v2/cob/none").catch((error) => error);
      await until("the call is held", async () => {
        const { entries } = (await simulator.control("GET", "/control/log")).body;
        return entries.some((entry: { type: string }) => entry.type === "fault");
      });
      assert.equal(await simulator.stop(), 0);
      assert.ok((await held) instanceof Error);
    }));

  test("the end of stdin ends the program", () =>
    withSimulator(async (simulator) => {
      const exit = exitOf(simulator.process);
      simulator.process.stdin!.end();
      assert.equal(await exit, 0);
    }));

  test("a port that stays taken is one clear line and exit 1; one that becomes free is taken", () =>
    withFolder(async (folder) => {
      const other = createServer();
      await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
      const port = String((other.address() as AddressInfo).port);
      const refused = await runToEnd(["--port", port, "--data-dir", folder]);
      assert.deepEqual([refused.code, refused.out], [1, ""]);
      assert.equal(refused.errors, `psp-simulator: port ${port} on 127.0.0.1 is in use\n`);

      // Long enough that the first attempt meets the taken port on any machine that starts Node within it.
      setTimeout(() => other.close(), 900);
      const started = await spawnSimulator(folder, ["--port", port]);
      const exit = exitOf(started.process);
      started.process.stdin!.end();
      await exit;
      assert.equal(started.url, `http://127.0.0.1:${port}`);
    }));

  test("a second simulator on the same folder is refused", () =>
    withSimulator(async (simulator) => {
      const refused = await runToEnd(["--port", "0", "--data-dir", simulator.folder]);
      assert.equal(refused.code, 1);
      assert.match(refused.errors, /^psp-simulator: .* is in use by process \d+\n$/);
      assert.equal((await simulator.control("GET", "/control/health")).status, 200);
    }));

  test("settings come from arguments, then from the environment, and a wrong one is one clear line", () =>
    withFolder(async (folder) => {
      for (const [args, env, wrong] of [
        [["--port", "http"], {}, /port must be a number/],
        [[], { PIXGATE_SIMULATOR_PORT: "70000" }, /port must be a number/],
        [["--unheard"], {}, /--unheard/],
        [["--payer-address", "127.0.0.1"], {}, /--payer-address must be HOST:PORT/],
        [["--port", "0", "--payer-address", "203.0.113.7:0"], {}, /the address for payers, 203\.0\.113\.7:0: /],
        [["--tls-cert", MAIN], {}, /--tls-cert and --tls-key come together/],
        [["--tls-client-ca", MAIN], {}, /--tls-cert and --tls-key are missing/],
        [["--tls-cert", "/nowhere", "--tls-key", MAIN], {}, /--tls-cert: cannot read/],
        [["--tls-cert", MAIN, "--tls-key", MAIN], {}, /are not a certificate in PEM and its key/],
      ] as const) {
        const refused = await runToEnd([...args], { PIXGATE_DATA_DIR: folder, ...env });
        assert.equal(refused.code, 1);
        assert.match(refused.errors, wrong);
        assert.equal(refused.errors.trimEnd().split("\n").length, 1, refused.errors);
      }
      const child = spawn(process.execPath, [MAIN, "--exit-with-stdin"], {
        env: { ...process.env, PIXGATE_DATA_DIR: folder, PIXGATE_SIMULATOR_PORT: "0" },
      });
      const exit = exitOf(child);
      const line = await new Promise<string>((done) => child.stdout.once("data", (chunk) => done(String(chunk))));
      child.stdin.end();
      await exit;
      assert.deepEqual(Object.keys(JSON.parse(line)).sort(), ["pid", "ready", "url"]);
      assert.ok(statSync(join(folder, "simulator", "credentials.json")).isFile());
    }));
});
