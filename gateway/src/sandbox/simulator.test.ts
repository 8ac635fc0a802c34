import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
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

/** The process that serves a data directory; 0: between two of them there may be none. */
function ownerOf(dataDir: string): number {
  try {
    return (JSON.parse(readFileSync(join(dataDir, "simulator", "owner.json"), "utf8")) as { pid: number }).pid;
  } catch {
    return 0;
  }
}
/** Kills the simulator of a data directory. @returns whether another one is there. */
function kill(dataDir: string): () => boolean {
  const died = ownerOf(dataDir);
  process.kill(died, "SIGKILL");
  return () => ![0, died].includes(ownerOf(dataDir));
}
/** A log, and the lines that were written to it. */
function recordLog(): { readonly log: pino.Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level: "warn" }, { write: (line: string) => void lines.push(line) }), lines };
}

test("the payers' door is told to a second gateway, and is at the same address again after the simulator has died", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-simulator-"));
  const host = "127.0.0.1";
  const first = await startSimulator({ host, port: 0, payers: { host, port: 0 }, dataDir, log });
  try {
    const found = await startSimulator({ host, port: Number(new URL(first.url).port), dataDir, log });
    const door = first.payerUrl();
    assert.notEqual(door, null);
    assert.equal(found.payerUrl(), door);
    await eventually("another simulator", kill(dataDir));
    await eventually("its door", async () => (await fetch(door!).catch(() => null))?.status === 404);
    assert.equal(first.payerUrl(), door);
  } finally {
    await first.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a simulator that has died and cannot have its door again is started without it, and the log says so", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-simulator-"));
  const host = "127.0.0.1";
  const { log, lines } = recordLog();
  const first = await startSimulator({ host, port: 0, payers: { host, port: 0 }, dataDir, log });
  const other = createServer();
  try {
    const port = Number(new URL(first.payerUrl()!).port);
    const isBack = kill(dataDir);
    await eventually("its port for another program", async () => {
      other.listen({ host, port, exclusive: true });
      return once(other, "listening").then(
        () => true,
        () => false,
      );
    });
    await eventually("a simulator without a door", () => isBack() && first.payerUrl() === null, 60_000);
    assert.equal((await fetch(`${first.url}/bank`)).status, 200);
    assert.equal(lines.filter((line) => line.includes("without its door for phones")).length, 1);
  } finally {
    other.close();
    await first.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a gateway that finds a simulator running says that its own setting of the door has no effect, where the door is not as set", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "pixgate-simulator-"));
  const host = "127.0.0.1";
  const first = await startSimulator({ host, port: 0, payers: { host, port: 0 }, dataDir, log });
  const find = async (payers: { host: string; port: number } | null): Promise<string[]> => {
    const { log, lines } = recordLog();
    await startSimulator({ host, port: Number(new URL(first.url).port), payers, dataDir, log });
    return lines.map((line) => /PIXGATE_SANDBOX_ADDRESS has no effect/.exec(line)?.[0] ?? line);
  };
  try {
    const port = Number(new URL(first.payerUrl()!).port);
    assert.deepEqual([await find(null), await find({ host, port })], [[], []]);
    for (const payers of [
      { host, port: port + 1 },
      { host: "127.0.0.2", port },
    ])
      assert.deepEqual(await find(payers), ["PIXGATE_SANDBOX_ADDRESS has no effect"]);
  } finally {
    await first.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
