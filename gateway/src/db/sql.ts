import { uuids } from "./arrays.ts";
import type { Shards } from "./shards.ts";

/** A statement with separate parameters: `sql` makes it and the pool runs it. */
export type Sql = {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Parsed and planned once for a connection. */
  readonly prepared?: true;
  /** Makes the statement for a database on several servers (`placed`); left out: it is the same there. */
  readonly spread?: (shards: Shards) => Sql;
  /** How many rows of what it must change; left out: as many as there are. Held by `Tx.write`. */
  readonly changes?: { readonly rows: number; readonly of: string };
};

/** A piece of a statement with its parameters, which `sql` inserts. */
export class Fragment {
  /** Text before, between and after the parameters: one more than there are values. */
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  /** Makes the piece for a database on several servers; undefined: it is the same there. */
  readonly spread: ((shards: Shards) => Fragment) | undefined;
  constructor(strings: readonly string[], values: readonly unknown[], spread?: (shards: Shards) => Fragment) {
    this.strings = strings;
    this.values = values;
    this.spread = spread;
  }
}

/** The pieces and values of a statement as they are on several servers; null: as on one. */
function spreadOf(given: readonly unknown[]): ((shards: Shards) => unknown[]) | null {
  if (!given.some((value) => value instanceof Fragment && value.spread !== undefined)) return null;
  return (shards) => given.map((value) => (value instanceof Fragment ? (value.spread?.(shards) ?? value) : value));
}

/** A statement as it is sent to a database whose accounts are spread like this. */
export function placed(shards: Shards, statement: Sql): Sql {
  if (!shards.spread || statement.spread === undefined) return statement;
  const { prepared, changes } = statement;
  return { ...statement.spread(shards), ...(prepared && { prepared }), ...(changes && { changes }) };
}

/** Tagged template for a statement: every `${value}` becomes a parameter, never text; a fragment is inserted. */
export function sql(strings: TemplateStringsArray, ...given: readonly unknown[]): Sql {
  let text = strings[0] as string;
  const values: unknown[] = [];
  for (let i = 1; i < strings.length; i += 1) {
    const value = given[i - 1];
    if (value instanceof Fragment) {
      text += value.strings[0] as string;
      for (let j = 1; j < value.strings.length; j += 1) {
        values.push(value.values[j - 1]);
        text += `$${values.length}${value.strings[j] as string}`;
      }
    } else {
      values.push(value);
      text += `$${values.length}`;
    }
    text += strings[i] as string;
  }
  const spread = spreadOf(given);
  return spread === null ? { text, values } : { text, values, spread: (shards) => sql(strings, ...spread(shards)) };
}

/** A statement with text of ours before and after it, on several servers too. */
export function around(before: string, statement: Sql, after: string): Sql {
  const { text, spread } = statement;
  return {
    ...statement,
    text: before + text + after,
    ...(spread && { spread: (shards) => around(before, spread(shards), after) }),
  };
}

/**
 * A statement that is parsed and planned once for a connection: planning a read of the view of all transactions takes ten
 * times as long as running it. Its plan must be right for all parameters: rows by key, or the first of an index, with
 * `literal` limits, and no optional filter (`$1 is null or …`).
 */
export const prepared = (statement: Sql): Sql => ({ ...statement, prepared: true });

/**
 * A column that only filters the rows which another index has found, in an expression that no index of the column fits.
 * - A time of rows that are found by id: a plan for any parameters does not know how few rows a page is, and used the
 *   block-range index of the time. An hour was read and sorted for its first 21 rows, 9 ms instead of 0.4.
 * - A text, such as the status of rows that are found by key: on a table that nobody has analyzed yet the planner takes a
 *   partial index of the status for empty and prefers it. Each of 8,000 deliveries read the whole queue of its endpoint,
 *   200 marks a second instead of 5,000.
 */
export const withoutIndex = (column: string, type: "time" | "text"): Fragment =>
  new Fragment([type === "time" ? `(${column} + interval '0')` : `(${column} || '')`], []);

/** Tagged template for a piece of a statement, which may contain others. */
export function part(strings: TemplateStringsArray, ...given: readonly unknown[]): Fragment {
  const texts = [strings[0] as string];
  const values: unknown[] = [];
  for (let i = 1; i < strings.length; i += 1) {
    const value = given[i - 1];
    if (value instanceof Fragment) {
      texts[texts.length - 1] += value.strings[0] as string;
      texts.push(...value.strings.slice(1));
      values.push(...value.values);
    } else {
      values.push(value);
      texts.push("");
    }
    texts[texts.length - 1] += strings[i] as string;
  }
  const spread = spreadOf(given);
  return new Fragment(texts, values, spread === null ? undefined : (shards) => part(strings, ...spread(shards)));
}

/** One of our names (table, column, type) as text of a statement. */
export function name(identifier: string): Fragment {
  if (!/^[a-z_0-9]+$/.test(identifier)) throw new Error("only names are names");
  return new Fragment([identifier], []);
}

/** A number as text of a statement, because it decides the plan, such as a limit. */
export function literal(value: number): Fragment {
  if (!Number.isSafeInteger(value)) throw new Error("only whole numbers are literals");
  return new Fragment([String(value)], []);
}

/** For a transaction that a crash of the server may forget: its commit does not wait for the disk. */
export const UNFLUSHED = sql`set local synchronous_commit = off`;

/** Marks a restriction that only tells the shard of the rows: `db/cluster/home.ts` leaves it out. */
export const TENANTS = "/* tenants */";

/**
 * Restricts a multi-row statement to its tenants, in addition to the join that names each row. On a cluster this keeps the
 * statement on few servers. On one server it is left out: the index would sort the whole array again for every row that it
 * searches for, which made settlements of 500 tenants three times as expensive as those of one
 * (docs/decisions/0015-prepared-statements.md).
 */
export function onTenants(column: string, rows: readonly OfTenant[]): Fragment {
  return new Fragment(["true"], [], () => {
    const accountIds = new Set(rows.map((row) => ("accountId" in row ? row.accountId : row.account_id)));
    return new Fragment([`${column} = any(${TENANTS} `, "::uuid[])"], [uuids([...accountIds])]);
  });
}

/** Restricts a column to the accounts that a statement is about. */
export type InTenants = (column: string) => Fragment;

/**
 * Restricts every table of a read to its one account. On a cluster each sub-query needs this although its rows are joined
 * by account, because its own text decides which shards are queried.
 */
export const ofAccount =
  (accountId: string): InTenants =>
  (column) =>
    new Fragment([`${column} = `, "::uuid"], [accountId]);

/** No restriction: for a read that may reach all shards of a cluster. */
export const ANYWHERE: InTenants = () => part`true`;

type OfTenant = { readonly accountId: string } | { readonly account_id: string };
