import { placed, type Sql } from "./sql.ts";

/**
 * Most texts of joined statements that are kept. Each connection parses and plans each of them once, so they must be few: a
 * kind of money command has two or three, and the commonest come first. What comes later is sent statement by statement.
 */
const MOST_TEXTS = 128;

/** The table that a plain insert, update or delete changes. Anything else (a read, `with …`) stays by itself. */
const TARGET = /^\s*(?:insert into|update|delete from) (\w+)/;

type Text = { readonly no: number; readonly target: string | undefined; readonly words: ReadonlySet<string> };

const known = new Map<string, Text>();
const texts = new Map<string, string>();

function knownOf(text: string): Text {
  const found = known.get(text) ?? {
    no: known.size,
    target: TARGET.exec(text)?.[1],
    words: new Set(text.match(/\w+/g)),
  };
  known.set(text, found);
  return found;
}

/**
 * The same changes in as few statements as possible: one for each run of changes of different tables. A part of a statement
 * does not see what another part writes, and one that changed a row twice would lose a change, so a statement that names a
 * table which the run has changed begins a new one. Where a statement says how many rows it changes, the server holds it to that: its commit
 * can be sent along.
 */
export function joined(statements: readonly Sql[]): Sql[] {
  const sent: Sql[] = [];
  let run: Sql[] = [];
  let targets = new Set<string>();
  const end = () => {
    if (run.length > 0) sent.push(...asOne(run));
    [run, targets] = [[], new Set()];
  };
  for (const statement of statements) {
    const { target, words } = knownOf(statement.text);
    if (target === undefined || [...targets].some((changed) => words.has(changed))) end();
    if (target === undefined) sent.push(statement);
    else {
      run.push(statement);
      targets.add(target);
    }
  }
  end();
  return sent;
}

function asOne(statements: readonly Sql[]): readonly Sql[] {
  if (statements.length === 1 && statements[0]!.changes === undefined) return statements;
  if (statements.length > 1 && texts.size >= MOST_TEXTS && !texts.has(keyOf(statements)))
    return statements.flatMap((statement) => asOne([statement]));
  return [join(statements)];
}

const keyOf = (statements: readonly Sql[]): string =>
  statements.map(({ text, changes }) => `${knownOf(text).no}${changes ? "!" : ""}`).join(" ");

function join(statements: readonly Sql[]): Sql {
  const key = keyOf(statements);
  const text = texts.get(key) ?? textOf(statements);
  texts.set(key, text);
  const values = [
    ...statements.flatMap((statement) => statement.values),
    ...statements.flatMap(({ changes }) => (changes ? [changes.rows] : [])),
  ];
  if (statements.every((statement) => statement.spread === undefined)) return { text, values };
  return { text, values, spread: (shards) => join(statements.map((statement) => placed(shards, statement))) };
}

/** `with w0 as (insert …), w1 as (update … returning 1) select …`, which fails where a number of rows is another one. */
function textOf(statements: readonly Sql[]): string {
  let parameters = 0;
  const parts = statements.map(({ text, values, changes }, i) => {
    const before = parameters;
    parameters += values.length;
    const moved = text.replaceAll(/\$(\d+)/g, (_, n) => `$${Number(n) + before}`);
    return `w${i} as (${moved}${changes ? " returning 1" : ""})`;
  });
  const checks = statements.flatMap(({ changes }, i) => {
    if (changes === undefined) return [];
    parameters += 1;
    const wanted = `$${parameters}::int`;
    const said = `${wanted} || ' ${changes.of} were to change, ' || count(*) || ' did'`;
    return [`(select case when count(*) = ${wanted} then 0 else (${said})::int end from w${i})`];
  });
  return `with ${parts.join(", ")} select ${checks.length > 0 ? checks.join(", ") : "0"}`;
}
