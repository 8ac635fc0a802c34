import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isEntry, sync, withUmask } from "./files.ts";
import { type Link, makeLinks } from "./links.ts";

/** The folders of its package that PostgreSQL needs: 60 MB. */
const FOLDERS = ["bin", "lib", "share"];

/** Errors of a place that cannot be used: the next one is tried. */
const REFUSALS = ["EACCES", "EDQUOT", "ENOENT", "ENOSPC", "ENOTDIR", "EPERM", "EROFS"];

/**
 * Copies PostgreSQL to the first place that accepts it, and returns the copy's folder; null when no place does. Later calls
 * find the copy: its name contains the version and a hash of its origin, and an unfinished copy never bears that name.
 */
export function copyPrograms(options: {
  readonly native: string;
  readonly version: string;
  readonly links: readonly Link[];
  readonly places: readonly string[];
  readonly isUsable: (root: string) => boolean;
}): string | null {
  const { native, version, links, places, isUsable } = options;
  const name = `postgres-${version}-${createHash("sha256").update(native).digest("hex").slice(0, 12)}`;
  const files = filesOf(native);
  for (const place of places) {
    const target = join(place, name);
    try {
      withUmask(0o022, () => mkdirSync(place, { recursive: true }));
      if (!isSafe(place)) continue;
      if (!isWhole(target, files)) withUmask(0o022, () => copy(native, target, files, links));
      if (isSafe(target) && isUsable(target)) return target;
    } catch (error) {
      if (!REFUSALS.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  return null;
}

/** A file of the package, by its path in it. */
type File = { readonly path: string; readonly size: number };

function filesOf(native: string): File[] {
  return FOLDERS.flatMap((folder) => readdirSync(join(native, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: path.slice(native.length + 1), size: lstatSync(path).size };
    });
}

/** False also when only some files are missing: programs that clean temporary folders remove file by file. */
function isWhole(target: string, files: readonly File[]): boolean {
  return files.every(({ path, size }) => lstatSync(join(target, path), { throwIfNoEntry: false })?.size === size);
}

function copy(native: string, target: string, files: readonly File[], links: readonly Link[]): void {
  const suffix = randomBytes(4).toString("hex");
  const fresh = `${target}.${suffix}.new`;
  try {
    for (const { path } of files) {
      const to = join(fresh, path);
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(native, path), to, constants.COPYFILE_FICLONE);
      // The package may have been installed under a umask that closes it to other users, hence the copy.
      chmodSync(to, path.startsWith("bin/") ? 0o755 : 0o644);
      // Otherwise a power cut could leave the final name with empty files in it.
      sync(to);
    }
    makeLinks(fresh, links);
    if (isEntry(target)) {
      const old = `${target}.${suffix}.old`;
      renameSync(target, old);
      rmSync(old, { recursive: true, force: true });
    }
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another start was faster: its copy is as good.
    if (!isWhole(target, files)) throw error;
  }
}

const STICKY = 0o1000;

/**
 * Root runs only programs that nobody else can change or replace: neither the folder nor one above it belongs to another
 * user or can be written by others. Sticky folders such as /tmp are allowed above: others can add names, not move ours.
 */
function isSafe(path: string): boolean {
  if (process.getuid?.() !== 0) return true;
  if (lstatSync(path).isSymbolicLink()) return false;
  for (let at = realpathSync(path), isTop = true; ; at = dirname(at), isTop = false) {
    const { uid, mode } = lstatSync(at);
    if (uid !== 0) return false;
    if ((mode & 0o022) !== 0 && (isTop || (mode & STICKY) === 0)) return false;
    if (at === dirname(at)) return true;
  }
}
