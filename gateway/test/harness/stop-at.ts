/**
 * Loaded into a program before it starts (`--import`): stops its process (SIGSTOP) at the first pass of the failpoint that
 * `STOP_AT` names, as a machine that is paused does, and says so on standard error. SIGCONT lets it go on from there.
 */
import { writeSync } from "node:fs";
import { armFailpoints } from "../../src/lib/failpoint.ts";

const at = process.env.STOP_AT;
let stopped = false;

armFailpoints((name) => {
  if (stopped || name !== at) return;
  stopped = true;
  writeSync(2, `stopped at ${name}\n`);
  process.kill(process.pid, "SIGSTOP");
});
