/** Imported by each test process: notes at its end how much CPU it took. */

import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CPU_FOLDER, cpuOf } from "./cpu.ts";

const { [CPU_FOLDER]: folder, NODE_TEST_CONTEXT: context } = process.env;
// The runner itself runs no tests.
if (folder !== undefined && context !== undefined)
  process.on("exit", () => {
    const used = cpuOf();
    if (used === null) return;
    const path = join(folder, String(process.pid));
    writeFileSync(path, JSON.stringify({ file: process.argv[1], ...used }));
    renameSync(path, `${path}.json`);
  });
