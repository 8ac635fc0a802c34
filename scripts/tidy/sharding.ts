/** Finds SQL that a database sharded by account cannot run (docs/data.md), as far as a script can see it. */

import { blank, isBehindSeams, lineAt, type Problem, type SourceFile, withoutComments } from "./source.ts";
import { SHARED_TABLES, statementsOf } from "./sql.ts";

const DATA = "docs/data.md";
const PLANS = "gateway/src/db/plans.ts";
const sqlWithoutComments = (text: string): string => text.replace(/--.*$/gm, (comment) => blank(comment)).toLowerCase();

/** A foreign key joins two tables of an account by account_id. Shared tables have none, and none refers to them. */
export function foreignKeys(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => file.path.endsWith(".sql"))
    .flatMap((file) => {
      const text = sqlWithoutComments(file.text);
      return [...text.matchAll(/\bcreate table (?:if not exists )?(\w+)\s*\((.*?)\n\)/gs)].flatMap((table) => {
        const [whole, name, body] = table as unknown as [string, string, string];
        return [...body.matchAll(/^\s*(.*?)\breferences\s+(\w+)/gm)].flatMap((key) => {
          const [, before, target] = key as unknown as [string, string, string];
          const columns = /foreign key\s*\(([^)]*)\)/.exec(before)?.[1] ?? /^\w+/.exec(before)?.[0] ?? "";
          const line = lineAt(
            text,
            table.index + whole.indexOf(body) + key.index + (key[0].length - key[0].trimStart().length),
          );
          const add = (message: string): Problem[] => [{ rule: "sharding", path: file.path, line, message }];
          const shared = [name, target].find((one) => SHARED_TABLES.includes(one));
          if (shared !== undefined)
            return add(
              `a foreign key from ${name} to ${target}: ${shared} is shared by all accounts, check it in the command`,
            );
          if (columns.split(",")[0]?.trim() === "account_id") return [];
          return add(
            `a foreign key (${columns}) of ${name} must begin with account_id, so that both rows lie in one shard`,
          );
        });
      });
    });
}

/** The statements of a file with where each begins; parameters and everything else are blanked. */
function statements(file: SourceFile): { text: string; index: number; raw: string }[] {
  const code = withoutComments(file.text);
  return [...code.matchAll(/\bsql`([^`]*)`/g)].map((match) => ({
    text: statementsOf(match[0]).toLowerCase(),
    raw: match[1] as string,
    index: match.index,
  }));
}

/**
 * Finds a sub-query in an insert that refers to rows of its `unnest`: its shard is unknown when the statement is
 * planned.
 */
export function correlatedArrays(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => isBehindSeams(file.path))
    .flatMap((file) =>
      statements(file).flatMap(({ text, raw, index }) => {
        if (!/^[\s\S]*?\binsert into\b/.test(text)) return [];
        const alias = (/\bunnest\s*\([\s\S]*?\)\s*as (\w+)/.exec(text) ?? /\brelation\("(\w+)"/.exec(raw))?.[1];
        if (alias === undefined) return [];
        const inner = subqueries(text).find((query) => new RegExp(`\\b${alias}\\.`).test(query.text));
        if (inner === undefined) return [];
        const message = `an insert whose sub-query names ${alias}, the rows of its unnest: join instead, a sharded database cannot plan it`;
        return [{ rule: "sharding", path: file.path, line: lineAt(file.text, index + inner.index), message }];
      }),
    );
}

/** Every sub-query, `(select …)`, of a statement. */
function subqueries(text: string): { text: string; index: number }[] {
  return [...text.matchAll(/\(\s*select\b/g)].map(({ index }) => {
    let depth = 0;
    let end = index;
    do {
      if (text[end] === "(") depth += 1;
      if (text[end] === ")") depth -= 1;
      end += 1;
    } while (depth > 0 && end < text.length);
    return { text: text.slice(index, end), index };
  });
}

/** Rows of accounts are locked by statements that name the accounts, so that each reaches one shard (db/shards.ts). */
export function locks(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => isBehindSeams(file.path))
    .flatMap((file) =>
      statements(file).flatMap(({ text, raw, index }) => {
        const lock = /\bfor (?:no key )?update\b/.exec(text);
        if (lock === null || /onTenants\(|\baccount_id = (?:\$\{|any\()/.test(raw)) return [];
        const tables = [
          ...text.replaceAll(/\bfor (?:no key )?update\b/g, "").matchAll(/\b(?:from|join|update) (\w+)/g),
        ].map((match) => match[1] as string);
        if (tables.every((table) => SHARED_TABLES.includes(table))) return [];
        const message = "locks rows without naming their accounts: say onTenants(…) or account_id = …";
        return [{ rule: "sharding", path: file.path, line: lineAt(file.text, index + lock.index), message }];
      }),
    );
}

/** Only the pool decides how plans are made. */
export function planModes(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => isBehindSeams(file.path) && file.path !== PLANS)
    .flatMap((file) =>
      [...withoutComments(file.text).matchAll(/\bplan_cache_mode\b/g)].map(({ index }) => {
        const message = `how statements are planned is decided in ${PLANS}`;
        return { rule: "sharding", path: file.path, line: lineAt(file.text, index), message };
      }),
    );
}

/** The document must list exactly the tables without account_id. */
export function sharedTables(files: readonly SourceFile[]): Problem[] {
  const text = files.find((file) => file.path === DATA)?.text;
  if (text === undefined) return [];
  const section = /^## Tables that all accounts share\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text)?.[1] ?? "";
  const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] as string);
  return [
    ...SHARED_TABLES.filter((table) => !listed.includes(table)).map(
      (table) => `does not list the shared table ${table}`,
    ),
    ...listed.filter((table) => !SHARED_TABLES.includes(table)).map((table) => `lists ${table}, which is not shared`),
  ].map((message) => ({ rule: "sharding", path: DATA, line: null, message }));
}
