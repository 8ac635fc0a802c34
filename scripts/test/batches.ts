/** Groups test files into processes, and orders the processes. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { OWN_PROCESS } from "./files.ts";
import { filesNamed, LONGEST, SHARED_LONGEST } from "./longest.ts";

/**
 * Processes of a whole run. Each imports and compiles the gateway once, which costs 2 s of CPU, as much as the tests of a
 * short file; few enough to save most of that, and many enough that the last ones end together.
 */
const BATCHES = 12;

/** A file with snapshots needs a process of its own: node derives the snapshots' path from the process's first file. */
const SNAPSHOTS = /\bassert\.snapshot\(/;

/**
 * Writes files that each import several test files; returns their paths and those of the files that run alone. Each
 * test file becomes a suite with its path as title, so its hooks apply to it alone and it begins after the previous
 * file.
 *
 * Node's runner starts files in the order of their paths. The longest files start first: each is imported by a file
 * whose path sorts before all others.
 */
export function batchesOf(root: string, files: readonly string[], folder: string): string[] {
  const alone = files.filter(
    (file) => OWN_PROCESS.test(file) || SNAPSHOTS.test(readFileSync(join(root, file), "utf8")),
  );
  const together = files.filter((file) => !alone.includes(file));
  const shared = [...new Set([...filesNamed(SHARED_LONGEST, together), ...together])];
  mkdirSync(folder, { recursive: true });
  const longest = filesNamed(LONGEST, alone);
  const first = longest.map((file, n) => {
    const path = join(
      folder,
      `${String(n + 1).padStart(2, "0")}-${file.replaceAll("/", "-").replace(/\.ts$/, ".mjs")}`,
    );
    writeFileSync(path, `import ${urlOf(root, file)};\n`);
    return path;
  });
  const batches = Array.from({ length: Math.min(BATCHES, shared.length) }, (_, n) => {
    const path = join(folder, `batch-${String(n + 1).padStart(2, "0")}.test.mjs`);
    const own = shared.filter((_, i) => i % BATCHES === n);
    writeFileSync(path, `${BEGIN}${own.map((file, turn) => suite(root, file, turn)).join("")}`);
    return path;
  });
  return [...first, ...batches, ...alone.filter((file) => !longest.includes(file))];
}

const urlOf = (root: string, file: string): string => JSON.stringify(pathToFileURL(join(root, file)).href);

/**
 * Each file is imported once those before it are. Two files that wait for the same module would both be evaluated when it is
 * ready, in the suite of the first: the tests and hooks of the second would be its own. It waits by a timer, because node's
 * runner finds the suite of a test by what triggered it: the import before, where that one's promise is awaited.
 */
const BEGIN = `import { describe } from "node:test";
let turn = 0;
const inTurn = (mine, load) => async () => {
  while (turn < mine) await new Promise((go) => setTimeout(go, 2));
  await load().finally(() => { turn += 1; });
};
`;
const suite = (root: string, file: string, turn: number): string =>
  `describe(${JSON.stringify(file)}, inTurn(${turn}, () => import(${urlOf(root, file)})));\n`;
