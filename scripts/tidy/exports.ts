/** What a file exports, another one imports: else it is the file's own. */

import { posix } from "node:path";
import { isTypeScript, lineAt, type Problem, type SourceFile, withoutComments } from "./source.ts";

const EXPORTED = /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
/** `import { a, type B } from`, `import * as all from`, `export { a } from`, over several lines too. */
const IMPORTED = /^(?:import|export)\b([^;"'`]*?)\bfrom\s*["']([^"']+)["']/gm;
/** `import("./a.ts")` as a type or at run time; what of it is used follows, or is not known. */
const IMPORTED_IN_PLACE = /\bimport\(\s*["']([^"']+)["']\s*\)(?:\.(\w+))?/g;

export function unusedExports(files: readonly SourceFile[]): Problem[] {
  const sources = files.filter(isTypeScript).map(({ path, text }) => ({ path, text: withoutComments(text) }));
  const used = new Set(sources.flatMap(usesOf));
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(EXPORTED)]
      .filter(([, name]) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
      .map(({ 1: name = "", index }) => ({
        rule: "exports",
        path,
        line: lineAt(text, index),
        name,
        message: `exports ${name}, which no other file imports: remove \`export\``,
      })),
  );
}

/** `path name` of all that a file imports; `path *` where that cannot be said. */
function usesOf({ path, text }: SourceFile): string[] {
  // What a file for browsers exports is declared beside it.
  const from = (specifier: string) => posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".d.ts");
  const named = [...text.matchAll(IMPORTED)].flatMap(([, clause = "", specifier = ""]) => {
    const list = /\{([^}]*)\}/.exec(clause)?.[1];
    if (list === undefined) return [`${from(specifier)} *`];
    return list.split(",").map(
      (one) =>
        `${from(specifier)} ${
          one
            .trim()
            .replace(/^type /, "")
            .split(" ")[0]
        }`,
    );
  });
  const inPlace = [...text.matchAll(IMPORTED_IN_PLACE)].map(
    ([, specifier = "", name = "*"]) => `${from(specifier)} ${name === "then" ? "*" : name}`,
  );
  return [...named, ...inPlace];
}
