/**
 * Builds the console where its sources have changed since the last build: `node console/build.ts`. Prints the folder with
 * the files. Each build is a folder named by the hash of its sources, so that processes that build at once do not disturb
 * each other, and one that serves an older build keeps its files until the next one.
 */

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const DIST = join(HERE, "dist");
/** What a build is made from; the lock file stands for every package. */
const SOURCES = ["src", "index.html", "vite.config.ts", "build.ts", "../sdk/src", "../package-lock.json"];
/** Builds that stay: the newest, and the one that a running gateway may still serve. */
const KEPT = 2;

const folder = join(DIST, hashOf(SOURCES));
if (existsSync(folder)) utimesSync(folder, new Date(), new Date());
else await build(folder);
point(folder.slice(DIST.length + 1));
process.stdout.write(`${folder}\n`);

function hashOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((one) => filesOf(join(HERE, one)))) {
    hash.update(path.slice(HERE.length)).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

/** The file itself, or every file below a folder, in an order that does not change. */
function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

async function build(target: string): Promise<void> {
  const { build: bundle } = await import("vite");
  const unfinished = join(DIST, `.${process.pid}`);
  mkdirSync(DIST, { recursive: true });
  await bundle({
    configFile: join(HERE, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: unfinished, emptyOutDir: true },
  });
  for (const path of filesOf(unfinished)) compress(path);
  try {
    renameSync(unfinished, target);
  } catch (error) {
    // Another process was first with the same sources.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  const builds = readdirSync(DIST)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => ({ path: join(DIST, name), at: statSync(join(DIST, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of builds.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}

/** Names the build to serve. In one step: a gateway that read a file half written served no console until its next start. */
function point(name: string): void {
  const current = join(DIST, "current");
  if (existsSync(current) && readFileSync(current, "utf8") === name) return;
  const unfinished = join(DIST, `.current-${process.pid}`);
  writeFileSync(unfinished, name);
  renameSync(unfinished, current);
}

/** Keeps what is worth it beside the file: `.br` and `.gz`. Fonts are compressed already. */
function compress(path: string): void {
  if (!/\.(js|css|svg)$/.test(path)) return;
  const content = readFileSync(path);
  // Level 9 of 11 takes a tenth of the time, and adds 3 % to the size.
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
