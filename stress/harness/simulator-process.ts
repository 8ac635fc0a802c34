import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SIMULATOR = fileURLToPath(new URL("../../psp-simulator/src/main.ts", import.meta.url));

/** The simulator is killed when it has not stopped after this long, milliseconds. */
const END_TIMEOUT = 10_000;

/** @param args further arguments: a dialect, certificates. */
export async function startSimulatorProcess(
  folder: string,
  port: number,
  args: readonly string[] = [],
): Promise<{ stop(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const child = spawn(
    process.execPath,
    [SIMULATOR, "--port", String(port), "--data-dir", folder, "--exit-with-stdin", ...args],
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
