/**
 * Limits the length of functions. Biome lays out the code, so the indent of a line shows where a function begins and
 * ends.
 */

import { isTest, isTypeScript, type Problem, type SourceFile, withoutComments } from "./source.ts";

/** Most lines of a function, its signature and its last bracket included. */
const MAX_LINES = 70;
/** A function that registers routes is a table and has no limit; each handler in it is counted as a function. */
const TABLE_OF_ROUTES = /Routes?$/;

/** Matches a line at whose end a function body begins. */
const BODY = /=> (?:\{|\(\{|\[)$|\).*\{$/;
const CONTROL =
  /^(?:\} )?(?:if|else|for|while|switch|catch|do|try|return|class|interface|export class|type|export type)\b/;
const NAMED =
  /\bfunction\*? (\w+)|^(?:export )?(?:const|let) (\w+)|^(?:(?:static|override|async|get|set) )*([\w$#]+)[(<:]/;

/** A function of a file with its first line, from 1, and how many lines it has. */
type FunctionLines = { readonly name: string; readonly line: number; readonly lines: number };

export function functionLengths(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => isTypeScript(file) && !isTest(file.path))
    .flatMap((file) =>
      functionsOf(file.text)
        .filter(({ name, lines }) => lines > MAX_LINES && !TABLE_OF_ROUTES.test(name))
        .map(({ name, line, lines }) => ({
          rule: "function length",
          path: file.path,
          line,
          name,
          lines,
          message: `${name} has ${lines} lines, over ${MAX_LINES}: name its steps and make them functions`,
        })),
    );
}

function functionsOf(text: string): FunctionLines[] {
  const lines = withoutComments(text).split("\n");
  const indents = lines.map((line) => (line.trim() === "" ? Number.POSITIVE_INFINITY : line.search(/\S/)));
  const found = new Map<number, FunctionLines>();
  for (const [at, line] of lines.entries()) {
    if (!BODY.test(line)) continue;
    const indent = indents[at] as number;
    const sameIndent = (i: number) => indents[i] === indent;
    // A signature may have several lines: the first one has the same indent and does not begin with a closing bracket.
    let start = at;
    while (start > 0 && (!sameIndent(start) || /^\s*[)}\]>]/.test(lines[start] as string))) start -= 1;
    const head = (lines[start] as string).trim();
    if (CONTROL.test(head)) continue;
    let end = at + 1;
    while (end < lines.length && (indents[end] as number) > indent) end += 1;
    const name =
      NAMED.exec(head)
        ?.slice(1)
        .find((one) => one !== undefined) ?? head.slice(0, 40);
    const size = end - start + 1;
    if ((found.get(start)?.lines ?? 0) < size) found.set(start, { name, line: start + 1, lines: size });
  }
  return [...found.values()];
}
