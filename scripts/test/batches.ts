/** Groups test files into processes, and orders the processes. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { OWN_PROCESS } from "./files.ts";
import { filesNamed, LONGEST, SHARED_LONGEST } from "./longest.ts";
import { AT_ONCE } from "./run.ts";

/**
 * Processes that share the files which need none of their own: as many as run at once. Each imports and compiles the gateway once,
 * which costs 2 s of CPU, and takes the next file when it is done with one, so that all end together: with files divided
 * beforehand the longest process was alone for the last half minute.
 */
const BATCHES = AT_ONCE.ordinary;

/** A file with snapshots needs a process of its own: node derives the snapshots' path from the process's first file. */
const SNAPSHOTS = /\bassert\.snapshot\(/;

/** What the processes that share files take them from. */
export const FILES = "files.json";

/**
 * Writes a file for each process that runs some of the test files (`take-files.ts`); returns their paths and those of the
 * files that run alone.
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
    writeFileSync(
      path,
      `import ${JSON.stringify(urlOf(root, file))};\nimport { leave } from ${moduleOf("./follow.ts")};\nleave();\n`,
    );
    return path;
  });
  writeFileSync(join(folder, FILES), JSON.stringify(shared.map((file) => [file, urlOf(root, file)])));
  const batches = Array.from({ length: Math.min(BATCHES, shared.length) }, (_, n) => {
    const path = join(folder, `batch-${n + 1}.test.mjs`);
    writeFileSync(path, `import ${moduleOf("./take-files.ts")};\n`);
    return path;
  });
  return [...first, ...batches, ...alone.filter((file) => !longest.includes(file))];
}

const urlOf = (root: string, file: string): string => pathToFileURL(join(root, file)).href;
const moduleOf = (name: string): string => JSON.stringify(import.meta.resolve(name));
