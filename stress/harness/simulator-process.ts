import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SIMULATOR = fileURLToPath(new URL("../../psp-simulator/src/main.ts", import.meta.url));

/** Milliseconds that it has to end by itself. */
const END_TIMEOUT = 10_000;

export async function startSimulatorProcess(folder: string, port: number): Promise<{ stop(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const child = spawn(
    process.execPath,
    [SIMULATOR, "--port", String(port), "--data-dir", folder, "--exit-with-stdin"],
    {
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"ready":true')) break;
  return {
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), END_TIMEOUT);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * A port that nobody listens on, below those that a system gives to whoever asks for any: while a program is dead, no
 * neighbour gets its port and answers in its place.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(16_000, 32_000);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer().once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
