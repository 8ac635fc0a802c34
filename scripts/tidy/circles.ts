/** Finds circles of imports. What two files need of each other belongs into a third file, which both import. */

import { importsOf } from "./imports.ts";
import { isTypeScript, type Problem, type SourceFile } from "./source.ts";

export function circles(files: readonly SourceFile[]): Problem[] {
  const imported = new Map(
    files.filter(isTypeScript).map((file) => [file.path, importsOf(file).map(({ target }) => target)]),
  );
  const found: Problem[] = [];
  const open: string[] = [];
  const done = new Set<string>();
  const visit = (path: string): void => {
    if (done.has(path) || !imported.has(path)) return;
    const begin = open.indexOf(path);
    if (begin >= 0) {
      const message = `is in a circle of imports: ${[...open.slice(begin), path].join(" → ")}; move what both need below them`;
      found.push({ rule: "circles", path, line: null, message });
      return;
    }
    open.push(path);
    for (const next of imported.get(path) ?? []) visit(next);
    open.pop();
    done.add(path);
  };
  for (const path of [...imported.keys()].sort()) visit(path);
  return found;
}
