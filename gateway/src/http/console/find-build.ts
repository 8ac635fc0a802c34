import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { neededEnvironment } from "../../lib/child-environment.ts";

const CONSOLE = fileURLToPath(new URL("../../../../console/", import.meta.url));
/** A build takes some five seconds, more on a busy machine. Milliseconds. */
const BUILD_MS = 120_000;

/** A build of the console. */
export type Build = {
  /** The files that may be served from it. */
  readonly files: ReadonlySet<string>;
  /** A file's bytes, shared by all callers, so that unread answers hold no copies. All files are some 3 MB. */
  read(file: string): Promise<Buffer>;
};

let building: Promise<void> | null = null;
let found: Build | null = null;

/**
 * Builds the console if its sources have changed since the last build. Only for the start of a sandbox: in production the
 * build is a step of the installation (docs/operating.md), and no request ever starts a process. Processes share a build by
 * its folder.
 */
export function buildConsole(warn: (error: unknown) => void): Promise<void> {
  building ??= runBuild()
    .catch(warn)
    .finally(() => {
      building = null;
      found = null;
    });
  return building;
}

async function runBuild(): Promise<void> {
  const script = `${CONSOLE}build.ts`;
  if (!existsSync(script)) return;
  await promisify(execFile)(process.execPath, [script], { timeout: BUILD_MS, env: neededEnvironment() });
}

/** The console's files of the last build, after a build that is under way in this process; null where there is none. */
export async function findBuild(): Promise<Build | null> {
  await building;
  if (found !== null) return found;
  const folder = locate();
  // Searched again at the next call, because it may be built meanwhile.
  if (folder !== null) found = buildIn(folder);
  return found;
}

function buildIn(folder: string): Build {
  const contents = new Map<string, Promise<Buffer>>();
  return {
    files: filesIn(folder),
    read(file) {
      const known = contents.get(file);
      if (known !== undefined) return known;
      const reading = readFile(join(folder, file));
      contents.set(file, reading);
      // A file that could not be read is tried again.
      reading.catch(() => contents.delete(file));
      return reading;
    },
  };
}

function locate(): string | null {
  const current = `${CONSOLE}dist/current`;
  if (!existsSync(current)) return null;
  const name = readFileSync(current, "utf8").trim();
  // Without a name it would be the folder of all builds.
  return name !== "" && existsSync(`${CONSOLE}dist/${name}`) ? `${CONSOLE}dist/${name}` : null;
}

/** Paths of all files below a folder, with forward slashes. */
function filesIn(folder: string): ReadonlySet<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/")),
  );
}
