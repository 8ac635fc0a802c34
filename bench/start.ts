import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryOf } from "./harness/cost.ts";
import { figure } from "./harness/result.ts";
import type { Benchmark, Stage } from "./harness/stage.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** After this long without work the process has given back what starting took, milliseconds. */
const REST = 10_000;

type Started = { readonly ms: number; readonly pid: number; stop(): Promise<void> };

/** `npm start` until it says that it is ready: on an empty folder, and on the same again; and what it holds then. */
export const start: Benchmark = {
  name: "start",
  async run(stage) {
    const { rounds, name } = stage.pace;
    const found = { node: [] as number[], first: [] as number[], later: [] as number[], fresh: [] as number[], idle: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      found.node.push(await bareNode());
      const folder = mkdtempSync(join(stage.folder, "start-"));
      const first = await startWith(stage, folder);
      await first.stop();
      const later = await startWith(stage, folder);
      found.first.push(first.ms);
      found.later.push(later.ms);
      found.fresh.push(memoryOf(later.pid));
      if (name === "full") await new Promise((resolve) => setTimeout(resolve, REST));
      found.idle.push(memoryOf(later.pid));
      await later.stop();
    }
    return {
      figures: [
        figure("floor: `node` that does nothing", "ms", found.node),
        figure("`npm start` to ready, first", "ms", found.first, { bar: { of: "value", most: 4_000 } }),
        figure("`npm start` to ready, later", "ms", found.later, { bar: { of: "value", most: 2_000 } }),
        figure("memory of the gateway when ready", "MB", found.fresh),
        figure(`memory of the gateway, idle${name === "full" ? ` for ${REST / 1_000} s` : ""}`, "MB", found.idle, {
          bar: { of: "value", most: 120 },
        }),
      ],
      curves: [],
      problems: [],
    };
  }, // biome-ignore format: figures, one a line
};

function bareNode(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    spawn(process.execPath, ["-e", "0"]).once("exit", () => resolve(performance.now() - began));
  });
}

async function startWith(stage: Stage, dataDir: string): Promise<Started> {
  const began = performance.now();
  const child = spawn("npm", ["start"], {
    cwd: ROOT,
    env: { ...process.env, PIXGATE_DATA_DIR: dataDir, PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // All of it together, whatever happens here.
  stage.after(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGTERM");
    await ended;
  });
  const ms = await new Promise<number>((resolve, reject) => {
    let written = "";
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      written += chunk.toString();
      if (written.includes("Pixgate is ready")) resolve(performance.now() - began);
    });
  });
  const pid = gatewayBelow(child.pid!);
  return {
    ms,
    pid,
    stop: async () => {
      process.kill(pid, "SIGTERM");
      await ended;
    },
  };
}

/** npm, and a shell perhaps, stand between us and the gateway. */
function gatewayBelow(parent: number): number {
  const processes = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  for (let pid = parent; ; ) {
    if (/^\S*node\s.*gateway\/bin\/pixgate\.mjs/.test(commandOf(pid))) return pid;
    const child = processes.find((entry) => parentOf(Number(entry)) === pid);
    if (child === undefined) throw new Error("the gateway's process was not found below npm");
    pid = Number(child);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]);
