/**
 * Runs the tests that every bank must pass for your own bank, against the simulator:
 *
 *     npm run test:bank -- ./examples/bank [option of node --test …]
 *
 * The module is a package's name or a path, as in `PIXGATE_BANKS` (docs/writing-a-bank.md).
 */

import "./help.ts";
import { spawnSync } from "node:child_process";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TIMEOUT } from "./test/run.ts";

const [module, ...options] = process.argv.slice(2);
if (module === undefined || module.includes(",")) {
  console.error("usage: npm run test:bank -- <package or path>");
  process.exit(1);
}
/** The caller's folder: npm changes the working directory. */
const here = process.env.INIT_CWD ?? process.cwd();
const path = !isAbsolute(module) && module.startsWith(".") ? join(here, module) : module;
const suite = fileURLToPath(new URL("../gateway/test/psp/own-bank.ts", import.meta.url));
const { status } = spawnSync(process.execPath, ["--test", `--test-timeout=${TIMEOUT.ordinary}`, ...options, suite], {
  cwd: here,
  env: { ...process.env, PIXGATE_BANKS: path },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
