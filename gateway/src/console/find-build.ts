import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CONSOLE = fileURLToPath(new URL("../../../console/", import.meta.url));
/** A build takes some five seconds, and waits when the machine is busy. */
const BUILD_MS = 120_000;

/** A build of the console. */
export type Build = {
  /** The files that may be served from it. */
  readonly files: ReadonlySet<string>;
  /** A file's bytes, the same for all callers: who reads nothing of many answers holds no copies. All are some 3 MB. */
  read(file: string): Promise<Buffer>;
};

let found: Promise<Build | null> | null = null;

/**
 * The console's files as its sources are now, built first where they have changed since. Without sources or without the
 * packages that build them (an image) the last build; null where there is none. Processes share a build by its folder, and
 * callers of this one share the search.
 */
export function findBuild(warn: (error: unknown) => void): Promise<Build | null> {
  found ??= locate(warn).then((folder) => {
    // Searched again at the next call: a build that failed may have been repaired.
    if (folder === null) found = null;
    return folder === null ? null : buildIn(folder);
  });
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
      // One that could not be read is tried again.
      reading.catch(() => contents.delete(file));
      return reading;
    },
  };
}

async function locate(warn: (error: unknown) => void): Promise<string | null> {
  const script = `${CONSOLE}build.ts`;
  if (existsSync(script)) {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: BUILD_MS });
      return stdout.trim().split("\n").at(-1) ?? null;
    } catch (error) {
      warn(error);
    }
  }
  const current = `${CONSOLE}dist/current`;
  if (!existsSync(current)) return null;
  const folder = `${CONSOLE}dist/${readFileSync(current, "utf8").trim()}`;
  return existsSync(folder) ? folder : null;
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
