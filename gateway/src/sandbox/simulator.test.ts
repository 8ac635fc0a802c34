import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pino from "pino";
import { pause } from "../../test/harness/eventually.ts";
import { startSimulator } from "./simulator.ts";

const log = pino({ level: "silent" });

test("a gateway waits for the simulator of its data directory that is slow, and starts none beside it", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-simulator-"));
  const host = "127.0.0.1";
  const first = await startSimulator({ host, port: 0, dataDir, log });
  const { pid } = JSON.parse(readFileSync(join(dataDir, "simulator", "owner.json"), "utf8")) as { pid: number };
  try {
    process.kill(pid, "SIGSTOP");
    const found = startSimulator({ host, port: Number(new URL(first.url).port), dataDir, log });
    await pause(3_000);
    process.kill(pid, "SIGCONT");
    const { url, stop } = await found;
    assert.equal(url, first.url);
    // Whoever has found it does not end it.
    await stop();
    process.kill(pid, 0);
  } finally {
    await first.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
