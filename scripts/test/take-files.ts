/**
 * Imported by each process that runs several test files: takes the next that no other process has taken, and runs it to its end.
 * Each becomes a suite with its path as title, so its hooks apply to it alone.
 */

import { AsyncResource } from "node:async_hooks";
import { closeSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe } from "node:test";
import { FILES } from "./batches.ts";
import { follow, leave } from "./follow.ts";

const folder = dirname(process.argv[1]!);
const files = JSON.parse(readFileSync(join(folder, FILES), "utf8")) as (readonly [title: string, url: string])[];
/**
 * Node's runner finds the suite around a suite by what triggered it, and a suite begins when the one before has ended, in its last
 * callback: so each is declared where this module began.
 */
const top = new AsyncResource("files");

// At the top of a module a suite's promise is fulfilled when its tests are over.
for (const [n, [title, url]] of files.entries()) if (isFree(n)) await run(title, url);

function isFree(n: number): boolean {
  try {
    closeSync(openSync(join(folder, `${n}.taken`), "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

function run(title: string, url: string): Promise<void> {
  follow();
  return top.runInAsyncScope(() => describe(title, () => import(url).finally(leave)));
}
