import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SIMULATOR = fileURLToPath(new URL("../../../psp-simulator/src/main.ts", import.meta.url));

export async function startSimulatorProcess(folder: string, port: number): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  const child = spawn(
    process.execPath,
    [SIMULATOR, "--port", String(port), "--data-dir", folder, "--exit-with-stdin"],
    {
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"ready":true')) break;
  return child;
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
