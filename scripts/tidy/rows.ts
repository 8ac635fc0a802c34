/**
 * Checks that a table is described once (gateway/src/db/columns.ts), and that row types and lists of columns come from
 * there.
 */

import { isTest, isTypeScript, lineAt, type Problem, type SourceFile, withoutComments } from "./source.ts";

const SCHEMA = "gateway/src/db/schema.sql";
/** The file that makes the lists of columns. */
const DESCRIPTIONS = "gateway/src/db/columns.ts";
const STAR = "reads every column: describe the table beside its noun, and list what is read with its `select()`";
const ALIAS = "names a column by hand: list it with the `select()` of its table's description";

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Finds tables of the schema without a description. */
export function undescribedTables(files: readonly SourceFile[]): Problem[] {
  const described = new Set(
    files
      .filter((file) => file.path.startsWith("gateway/src/") && isTypeScript(file) && !isTest(file.path))
      .flatMap(({ text }) => [...text.matchAll(/\btable\(\{\s*name: "(\w+)"/g)].map(([, name]) => name!)),
  );
  return files
    .filter(({ path }) => path === SCHEMA)
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^create table (\w+)/gm)].flatMap(({ index, 1: name }) =>
        described.has(name!)
          ? []
          : [
              {
                rule: "tables",
                path,
                line: lineAt(text, index),
                name: name!,
                message: `describe ${name} (db/columns.ts)`,
              },
            ],
      ),
    );
}

/** Finds `select *` of a table or view, `returning *`, and aliases that a description would give. */
export function rows(files: readonly SourceFile[]): Problem[] {
  const schema = files.find(({ path }) => path === SCHEMA)?.text ?? "";
  const tables = new Set([...schema.matchAll(/^create (?:table|view) (\w+)/gm)].map(([, name]) => name));
  const isTable = (name: string | undefined) => tables.has(name);
  return files.flatMap((file) => {
    const { path } = file;
    if (!path.startsWith("gateway/src/") || !isTypeScript(file) || isTest(path) || path === DESCRIPTIONS) return [];
    const code = withoutComments(file.text);
    const aliases = new Map(
      [...code.matchAll(/\b(?:from|join|update|into)\s+(\w+)\s+(?:as\s+)?(\w+)/g)].map(([, table, alias]) => [
        alias,
        table,
      ]),
    );
    const found = (
      rule: string,
      message: string,
      pattern: RegExp,
      is: (match: RegExpExecArray) => boolean,
    ): Problem[] =>
      [...code.matchAll(pattern)].filter(is).map(({ index }) => ({ rule, path, line: lineAt(code, index), message }));
    return [
      ...found("columns", STAR, /\breturning\s+(?:\w+\.)?\*/g, () => true),
      ...found("columns", STAR, /\bselect\s+\*\s+from\s+(\w+)/g, ([, name]) => isTable(name)),
      ...found("columns", STAR, /\bselect\s(?:[^`]*?,\s*)?(\w+)\.\*/g, ([, alias]) => isTable(aliases.get(alias!))),
      ...found(
        "aliases",
        ALIAS,
        /\b([a-z0-9]+(?:_[a-z0-9]+)+) as "(\w+)"/g,
        ([, name, alias]) => camel(name!) === alias,
      ),
    ];
  });
}
