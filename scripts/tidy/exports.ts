/** Finds exports that no other file imports. */

import { posix } from "node:path";
import { isTypeScript, lineAt, type Problem, type SourceFile, withoutComments } from "./source.ts";

const EXPORTED = /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
/** `import { a, type B } from`, `import * as all from`, `export { a } from`, over several lines too. */
const IMPORTED = /^(?:import|export)\b([^;"'`]*?)\bfrom\s*["']([^"']+)["']/gm;
/** `import("./a.ts")`, as a type or at run time, with the member that follows; without one, any export may be used. */
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

/** `path name` of everything that a file imports; `path *` where the names are unknown. */
function usesOf({ path, text }: SourceFile): string[] {
  // The exports of a JavaScript file for browsers are declared in a `.d.ts` file beside it.
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
