import { bigints, booleans, byteas, instants, ints, jsons, texts, uuids } from "./arrays.ts";
import type { Queries } from "./pool.ts";
import { Fragment, type Sql, TENANTS } from "./sql.ts";

/**
 * The columns of a table, described once. From one description follow the type of a row, the multi-row load, the multi-row
 * insert and the multi-row update of a named group of columns. Fields are the columns in camel case (`chargeId` is
 * `charge_id`). Texts of statements are made once, when a module is loaded or, for several groups together, at first use:
 * prepared statements are named by their text.
 */

/** For each SQL type, the function that makes an array parameter. */
const ARRAYS = {
  uuid: uuids,
  text: texts,
  bigint: bigints,
  int: ints,
  boolean: booleans,
  timestamptz: instants,
  bytea: byteas,
  jsonb: jsons,
  // Columns of these types are only read here, and written by separate statements: PostgreSQL takes no array of arrays as a
  // parameter, and the day of a row is always one parameter of its statement.
  date: unwritten,
  "text[]": unwritten,
} as const;

function unwritten(): Buffer {
  throw new TypeError("lists and days are not written by rows");
}

/** A column: its SQL type, whether it may be null, and (for the compiler only) the type of its values. */
type Column<V = unknown> = {
  readonly type: keyof typeof ARRAYS;
  readonly nullable: boolean;
  /** The values that a check in the database allows, where it lists them. */
  readonly values?: readonly string[];
  readonly holds?: V;
};

const notNull = <V>(type: Column["type"]): Column<V> => ({ type, nullable: false });

export const uuid = notNull<string>("uuid");
export const text = notNull<string>("text");
/** Centavos, balances, counters: a whole number within 2^53. */
export const bigint = notNull<number>("bigint");
export const int = notNull<number>("int");
export const boolean = notNull<boolean>("boolean");
export const instant = notNull<Date>("timestamptz");
/** A day, read as `YYYY-MM-DD`. */
export const date = notNull<string>("date");
export const bytes = notNull<Buffer>("bytea");
/** A list of texts. */
export const list = <V extends string = string>(): Column<V[]> => notNull<V[]>("text[]");
/** A JSON document. Its content is not checked. */
export const json = <V>(): Column<V> => notNull<V>("jsonb");
/** A text that has one of these values, which a check in the database lists too. */
export const oneOf = <const V extends string>(values: readonly V[]): Column<V> => ({ ...notNull<V>("text"), values });
/** A text with a narrower type in TypeScript than in the database. */
export const textOf = <V extends string>(): Column<V> => notNull<V>("text");
export const nullable = <V>(column: Column<V>): Column<V | null> => ({
  ...(column as Column<V | null>),
  nullable: true,
});

export type Columns = { readonly [field: string]: Column };

/** A row with these columns. */
export type RowOf<C> = { readonly [F in keyof C]: C[F] extends Column<infer V> ? V : never };

/** Columns that are written together, and the names of the money commands that may write them; left out: none may. */
export type Group<F> = { readonly columns: readonly F[]; readonly by?: readonly string[] | "any" };

type Field<C> = keyof C & string;
/** A row with some of these columns. */
export type Selected<C, F> = Pick<RowOf<C>, F & keyof C>;
/** The key of a row: its tenant, unless all tenants share the table, and the rest. */
type Key<C> = readonly Field<C>[];
/** Columns by which rows are read; in a table of tenants the tenant comes first. */
type By<C, B> = C extends { readonly accountId: Column } ? readonly ["accountId", ...(readonly B[])] : readonly B[];
type Groups<C> = { readonly [group: string]: Group<Field<C>> };
/** The type of each group's columns. */
export type Sets<C, G> = { readonly [N in keyof G]: G[N] extends Group<infer F> ? Selected<C, F> : never };

/** A described table, and the functions that make its statements. */
export type Described<C extends Columns = Columns, K extends Key<C> = Key<C>, G extends Groups<C> = Groups<C>> = {
  readonly name: string;
  readonly columns: C;
  readonly key: K;
  readonly groups: G;
  /** SQL names of columns that no statement made here reads or writes. */
  readonly leftOut: readonly string[];
  /**
   * The columns of the table (all that are described, or some) with the names that a row has, under an alias or without:
   * `c.charge_id as "chargeId"`.
   */
  select(alias?: string, fields?: readonly Field<C>[]): Fragment;
  /**
   * Makes the load of rows by their keys, or by other columns (`by`), then sorted by key. `lock`: for no key update, locked
   * in the order of keys like everywhere.
   */
  reader<const F extends Field<C> = Field<C>, const B extends Field<C> = K[number]>(how: {
    readonly fields?: readonly F[];
    readonly by?: By<C, B>;
    readonly lock?: boolean;
  }): (queries: Queries, keys: readonly Selected<C, B | "accountId">[]) => Promise<Selected<C, F>[]>;
  /** Makes the insert of rows with these columns (left out: all that are described); all others get their defaults. */
  inserting<const F extends Field<C> = Field<C>>(fields?: readonly F[]): (rows: readonly Selected<C, F>[]) => Sql;
  /** As `inserting`, and runs it. */
  inserter<const F extends Field<C> = Field<C>>(
    fields?: readonly F[],
  ): (queries: Queries, rows: readonly Selected<C, F>[]) => Promise<void>;
  /** Makes the update of a group, or of several together, of rows that exist. */
  updating<N extends keyof G>(
    ...groups: readonly N[]
  ): (rows: readonly Selected<C, K[number] | G[N]["columns"][number]>[]) => Sql;
  /** As `updating`, and runs it. Throws when a row does not exist. */
  updater<N extends keyof G>(
    ...groups: readonly N[]
  ): (queries: Queries, rows: readonly Selected<C, K[number] | G[N]["columns"][number]>[]) => Promise<void>;
  /** Makes the update of a group for rows that still have the values of `was`; other rows stay as they are. */
  guarded<N extends keyof G, const W extends Field<C>>(
    group: N,
    was: readonly W[],
  ): (rows: readonly (Selected<C, K[number]> & Sets<C, G>[N] & { readonly was: Selected<C, W> })[]) => Sql;
};

/** Cache of column names by field; it has as many entries as the descriptions have fields. */
const columnNames = new Map<string, string>();

/** The name of a field's column. */
export function columnOf(field: string): string {
  const cached = columnNames.get(field);
  if (cached !== undefined) return cached;
  const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columnNames.set(field, name);
  return name;
}

type AnyRow = Readonly<Record<string, unknown>>;

function arrayOf(column: Column, rows: readonly AnyRow[], field: string): Buffer {
  const values = rows.map((row) => {
    const value = row[field];
    if (value === undefined) throw new TypeError(`a row without ${field}`);
    return value;
  });
  return (ARRAYS[column.type] as (values: readonly unknown[]) => Buffer)(values);
}

/**
 * Rows as a relation inside a statement: `from ${relation("u", { accountId: uuid, amount: bigint }, rows)}` gives
 * `u.account_id` and `u.amount`.
 */
export function relation<C extends Columns>(alias: string, columns: C, rows: readonly RowOf<C>[]): Fragment {
  const { fields, strings } = relationText(alias, columns);
  return new Fragment(
    strings,
    fields.map((field) => arrayOf(columns[field]!, rows as readonly AnyRow[], field)),
  );
}

type RelationText = { readonly fields: readonly string[]; readonly strings: readonly string[] };

/** Texts of relations by their columns and alias: making those of a charge's statements takes 15 µs. */
const relationTexts = new WeakMap<Columns, Map<string, RelationText>>();

function relationText(alias: string, columns: Columns): RelationText {
  const cached = relationTexts.get(columns)?.get(alias);
  if (cached) return cached;
  const fields = Object.keys(columns);
  const types = fields.map((field) => `::${columns[field]!.type}[]`);
  const last = `${types.pop()}) as ${alias} (${fields.map(columnOf).join(", ")})`;
  const text = { fields, strings: ["unnest(", ...types.map((type) => `${type}, `), last] };
  relationTexts.set(columns, (relationTexts.get(columns) ?? new Map()).set(alias, text));
  return text;
}

/** Names of columns as text of a statement, each behind an alias where one is given. */
export const names = (fields: readonly string[], alias?: string): Fragment =>
  new Fragment([fields.map((field) => (alias ? `${alias}.` : "") + columnOf(field)).join(", ")], []);

/** The condition that rows of two aliases agree in these columns: `d.account_id = u.account_id and …`. */
export const matches = (a: string, b: string, fields: readonly string[]): Fragment =>
  new Fragment([fields.map((field) => `${a}.${columnOf(field)} = ${b}.${columnOf(field)}`).join(" and ")], []);

/** Some of a table's columns, for `relation`. */
export const pick = <C extends Columns, F extends Field<C>>(columns: C, fields: readonly F[]): Pick<C, F> =>
  Object.fromEntries(fields.map((field) => [field, columns[field]])) as Pick<C, F>;

/** Every table that a loaded module describes. A test compares them with the schema. */
export const describedTables: Described[] = [];

/** Every view that a loaded module describes, for the same test. */
export const describedViews: Pick<Described, "name" | "columns">[] = [];

/** Describes columns of a view. It has no key, and its database knows of no column whether it may be null. */
export function view<const C extends Columns>(of: {
  readonly name: string;
  readonly columns: C;
}): Pick<Described<C>, "name" | "columns" | "select"> {
  describedViews.push(of);
  return { ...of, select: selecting(of.columns) };
}

/** Makes the lists of columns of a table or view, the whole one once for each alias. */
function selecting<C extends Columns>(columns: C): Described<C>["select"] {
  const all = Object.keys(columns);
  const whole = new Map<string, Fragment>();
  return (alias = "", fields = all) => {
    if (fields !== all) return new Fragment([selected(columns, alias, fields)], []);
    const made = whole.get(alias) ?? new Fragment([selected(columns, alias, all)], []);
    whole.set(alias, made);
    return made;
  };
}

/** Describes a table. On several servers its statements name the tenants of their rows (db/sql.ts, onTenants). */
export function table<
  const C extends Columns,
  const K extends Key<C>,
  const G extends Groups<C> = Record<never, never>,
>(description: {
  readonly name: string;
  readonly columns: C;
  readonly key: K;
  readonly groups?: G;
  readonly leftOut?: readonly string[];
}): Described<C, K, G> {
  const { name, columns, key, groups = {} as G, leftOut = [] } = description;
  const all = Object.keys(columns) as Field<C>[];
  const shape = { name, columns, key };
  const described: Described<C, K, G> = {
    name,
    columns,
    key,
    groups,
    leftOut,
    select: selecting(columns),
    reader({ fields = all as never, by = key as never, lock = false }) {
      const statement = inBothWays(columns, (sharded) => readText({ ...shape, sharded }, { fields, by, lock }));
      return async (queries, keys) => {
        if (keys.length === 0) return [];
        const rows = keys as readonly AnyRow[];
        return (await queries.query<never>(statement(values(columns, by, rows), rows))).rows;
      };
    },
    inserting(fields = all as never) {
      const text = `insert into ${name} (${listed(fields)}) select * from unnest(${arrays(columns, fields)})`;
      return (rows) => ({ text, values: values(columns, fields, rows as readonly AnyRow[]) });
    },
    inserter(fields) {
      const insert = described.inserting(fields);
      return async (queries, rows) => {
        if (rows.length > 0) await queries.query(insert(rows));
      };
    },
    updating(...together) {
      const statement = update(shape, [...new Set(together.flatMap((group) => groups[group]!.columns))]);
      return (rows) => ({ ...statement(rows as readonly AnyRow[]), changes: { rows: rows.length, of: name } });
    },
    updater(...together) {
      const change = described.updating(...together);
      return async (queries, rows) => {
        if (rows.length === 0) return;
        const { rowCount } = await queries.query(change(rows));
        if (rowCount !== rows.length) throw new Error(`${rows.length} ${name} were to change, ${rowCount} did`);
      };
    },
    guarded: (group, was) => update(shape, groups[group]!.columns, was) as never,
  };
  describedTables.push(described as unknown as Described);
  return described;
}

/** What the statements of a table are made from. In them the table's alias is `t`, that of the given rows `u`. */
type Shape = {
  readonly name: string;
  readonly columns: Columns;
  readonly key: readonly string[];
};

/** Whether a text names the tenants of its rows. */
type Sharding = { readonly sharded: boolean };

/** Makes the statement about given rows, with its text for several servers. Tables that all tenants share have one text. */
function inBothWays(columns: Columns, make: (sharded: boolean) => string) {
  const text = make(false);
  if (!("accountId" in columns)) return (given: readonly Buffer[]): Sql => ({ text, values: given });
  const sharded = make(true);
  return (given: readonly Buffer[], rows: readonly AnyRow[]): Sql => ({
    text,
    values: given,
    spread: () => ({ text: sharded, values: [...given, tenants(rows)] }),
  });
}

const listed = (fields: readonly string[], alias = ""): string => fields.map((f) => alias + columnOf(f)).join(", ");
function selected(columns: Columns, alias: string, fields: readonly string[]): string {
  const read = (field: string, column: string) =>
    columns[field]!.type === "date" ? `to_char(${column}, 'YYYY-MM-DD')` : column;
  return fields.map((field) => `${read(field, (alias && `${alias}.`) + columnOf(field))} as "${field}"`).join(", ");
}
const arrays = (columns: Columns, fields: readonly string[]): string =>
  fields.map((field, i) => `$${i + 1}::${columns[field]!.type}[]`).join(", ");
const same = (fields: readonly string[], prefix = ""): string[] =>
  fields.map((field) => `t.${columnOf(field)} = u.${prefix}${columnOf(field)}`);
const values = (columns: Columns, fields: readonly string[], rows: readonly AnyRow[]): Buffer[] =>
  fields.map((field) => arrayOf(columns[field]!, rows, field));
/** The restriction to tenants; its parameter comes after this many others. */
const onTenants = ({ sharded }: Sharding, parameters: number): string =>
  sharded ? `t.account_id = any(${TENANTS} $${parameters + 1}::uuid[])` : "true";
const tenants = (rows: readonly AnyRow[]): Buffer => uuids([...new Set(rows.map((row) => row.accountId as string))]);

function readText(
  shape: Shape & Sharding,
  { fields, by, lock }: { fields: readonly string[]; by: readonly string[]; lock: boolean },
): string {
  const { name, columns, key } = shape;
  const read = selected(columns, "t", fields);
  const order = `order by ${listed(key, "t.")}`;
  if (lock) {
    return `select ${read} from ${name} t
      where ${onTenants(shape, by.length)} and (${listed(by, "t.")}) in (select * from unnest(${arrays(columns, by)}))
      ${order} for no key update of t`;
  }
  return `select ${read} from unnest(${arrays(columns, by)}) as u (${listed(by)})
    join ${name} t on ${same(by).join(" and ")} where ${onTenants(shape, by.length)} ${by === key ? "" : order}`;
}

/** The update of some columns. Columns of `was` must still have the row's old values. */
function update(shape: Shape, set: readonly string[], was: readonly string[] = []): (rows: readonly AnyRow[]) => Sql {
  const { name, columns, key } = shape;
  const fields = [...key, ...set];
  const where = (sharded: boolean) =>
    [...same(key), ...same(was, "was_"), onTenants({ sharded }, fields.length + was.length)].join(" and ");
  const statement = inBothWays(
    columns,
    (sharded) => `update ${name} t set ${set.map((f) => `${columnOf(f)} = u.${columnOf(f)}`).join(", ")}
    from unnest(${arrays(columns, [...fields, ...was])})
      as u (${[...fields.map(columnOf), ...was.map((field) => `was_${columnOf(field)}`)].join(", ")})
    where ${where(sharded)}`,
  );
  return (rows) => {
    const before = was.length === 0 ? [] : rows.map((row) => row.was as AnyRow);
    return statement([...values(columns, fields, rows), ...values(columns, was, before)], rows);
  };
}
