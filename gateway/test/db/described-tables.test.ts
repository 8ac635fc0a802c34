import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { columnOf, describedTables, describedViews } from "../../src/db/columns.ts";
import { type Db, openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { freshDatabase } from "../harness/database.ts";

/** Tables are described by the slices that own them; what they say is held against the schema itself. */

const SOURCES = new URL("../../src/", import.meta.url);

/** Modules with described tables, loaded for their descriptions. */
for (const path of globSync("**/*.ts", { cwd: SOURCES.pathname })) {
  const describes =
    !path.endsWith(".test.ts") && /(?<![\w.])(?:table|view)\(\{/.test(readFileSync(new URL(path, SOURCES), "utf8"));
  if (describes) await import(new URL(path, SOURCES).href);
}

type Found = { readonly name: string; readonly type: string; readonly nullable: boolean };

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  db = openDb({ url: database.url, max: 1, onError: () => {} });
});
after(async () => {
  await db.end();
  await drop();
});

const columnsOf = async (table: string): Promise<Found[]> =>
  (
    await db.query<Found>(sql`
      select attname as name, format_type(atttypid, null) as type, not attnotnull as nullable
      from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attname`)
  ).rows;

/** Values that a check of one column allows: `status = any (array['open', …])`. */
async function checkedValues(table: string): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ name: string; definition: string }>(sql`
    select a.attname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
    where c.conrelid = ${table}::regclass and c.contype = 'c'`);
  return new Map(
    rows.flatMap(({ name, definition }) => {
      // A list of one value is kept as an equation.
      const [, several, one] = /= ANY \(ARRAY\[(.*?)\]\)|^CHECK \(\(\w+ = ('[^']*'::text)\)\)$/.exec(definition) ?? [];
      const list = several ?? one;
      return list === undefined ? [] : [[name, [...list.matchAll(/'([^']*)'::text/g)].map((m) => m[1]!).sort()]];
    }),
  );
}

const keyOf = async (table: string): Promise<string[]> =>
  (
    await db.query<{ name: string }>(sql`
      select a.attname as name
      from pg_constraint c, unnest(c.conkey) with ordinality as k (attnum, at), pg_attribute a
      where c.conrelid = ${table}::regclass and c.contype = 'p' and a.attrelid = c.conrelid and a.attnum = k.attnum
      order by k.at`)
  ).rows.map((row) => row.name);

describe("described tables", () => {
  test("are each described once", () => {
    const names = describedTables.map((one) => one.name);
    assert.deepEqual([...new Set(names)], names);
    assert.ok(names.includes("charges") && names.includes("withdrawals"), names.join());
  });

  for (const { name, columns, key, groups, leftOut } of describedTables) {
    test(`${name} is described as it is`, async () => {
      const found = await columnsOf(name);
      const types = new Map(found.map((column) => [column.name, column]));
      const described = Object.entries(columns).map(([field, { type, nullable }]) => ({
        name: columnOf(field),
        type: SPELT[type],
        nullable,
      }));
      assert.deepEqual(described, described.map((column) => types.get(column.name)));
      const all = [...described.map((column) => column.name), ...leftOut];
      assert.deepEqual(all.sort(), found.map((column) => column.name), "every column is described or left out");
      assert.deepEqual(key.map(columnOf), await keyOf(name));
      const checked = await checkedValues(name);
      for (const [field, { values }] of Object.entries(columns)) {
        if (values) assert.deepEqual([...values].sort(), checked.get(columnOf(field)), field);
      }
      for (const group of Object.values(groups)) {
        for (const field of group.columns) assert.ok(field in columns && !key.includes(field), field);
        assert.equal(new Set(group.columns).size, group.columns.length);
      }
    }); // biome-ignore format: tables
  }
});

describe("described views", () => {
  for (const { name, columns } of describedViews) {
    test(`${name} has the columns that are described, with their types`, async () => {
      const types = new Map((await columnsOf(name)).map((column) => [column.name, column.type]));
      for (const [field, { type }] of Object.entries(columns)) assert.equal(types.get(columnOf(field)), SPELT[type], field);
    });
  }
}); // biome-ignore format: tables

/** As PostgreSQL's catalogue calls the types. */
const SPELT = {
  uuid: "uuid", text: "text", bigint: "bigint", int: "integer", boolean: "boolean",
  timestamptz: "timestamp with time zone", date: "date", bytea: "bytea", jsonb: "jsonb",
  "text[]": "text[]",
} as const; // biome-ignore format: a table
