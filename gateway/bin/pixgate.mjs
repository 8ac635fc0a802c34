#!/usr/bin/env node
// The command `pixgate`. TypeScript runs as it is from Node 24 on; an older one hands over to the one that npm brought.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

if (Number(process.versions.node.split(".")[0]) >= 24) {
  // What is compiled, and stripped of types, is kept beside the packages that it comes from: half of the time that loading
  // takes. Where that place cannot be written (an image) nothing is kept, and nothing is lost. The environment's wish is
  // Node's own business, and goes to the simulator's process too.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../../node_modules/.cache/pixgate", import.meta.url));
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import("./resolve.mjs");
  await import("../src/main.ts");
} else {
  const node = findNode();
  if (node === null) {
    console.error(
      `pixgate: this is Node ${process.versions.node}, and it needs 24: install that, or Pixgate with its optional packages`,
    );
    process.exit(1);
  }
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: "inherit" });
  // Whoever stops this process means the one that works. Ctrl-C reaches both by itself, and the second signal is ignored.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, "exit");
  process.exit(code ?? 128 + constants.signals[signal]);
}

/** The Node 24 of this platform's optional package. */
function findNode() {
  try {
    const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
    const folder = dirname(module.createRequire(import.meta.url).resolve(`${name}/package.json`));
    const node = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
    return existsSync(node) ? node : null;
  } catch {
    return null;
  }
}
