import { readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isEntry } from "./files.ts";

/** A symbolic link: its path below the package's `native`, and its target. */
export type Link = { readonly path: string; readonly to: string };

/** Reads the list of links that the package lists in a file, since npm cannot pack symbolic links. */
export function readLinks(native: string): Link[] {
  let text: string;
  try {
    text = readFileSync(join(native, "pg-symlinks.json"), "utf8");
  } catch {
    return [];
  }
  const links = JSON.parse(text) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({
    path: relative("native", target),
    to: relative(dirname(target), source),
  }));
}

/** Makes the links that are missing. False when the folder is not writable. */
export function makeLinks(root: string, links: readonly Link[]): boolean {
  for (const { path, to } of links) {
    if (isEntry(join(root, path))) continue;
    try {
      symlinkSync(to, join(root, path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") continue;
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      throw error;
    }
  }
  return true;
}
