import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pino from "pino";
import { eventually, pause } from "../../test/harness/eventually.ts";
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

test("the payers' door is told to a second gateway, and is at the same address again after the simulator has died", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-simulator-"));
  const host = "127.0.0.1";
  const first = await startSimulator({ host, port: 0, payers: { host, port: 0 }, dataDir, log });
  const ownerOf = (): number => {
    try {
      return (JSON.parse(readFileSync(join(dataDir, "simulator", "owner.json"), "utf8")) as { pid: number }).pid;
    } catch {
      // Between two of them there may be none.
      return 0;
    }
  };
  try {
    const found = await startSimulator({ host, port: Number(new URL(first.url).port), dataDir, log });
    assert.notEqual(first.payerUrl, null);
    assert.equal(found.payerUrl, first.payerUrl);
    const died = ownerOf();
    process.kill(died, "SIGKILL");
    await eventually("another simulator", () => ![0, died].includes(ownerOf()));
    await eventually("its door", async () => (await fetch(first.payerUrl!).catch(() => null))?.status === 404);
  } finally {
    await first.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
