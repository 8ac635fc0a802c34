import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { freshDatabase } from "../../test/harness/database.ts";
import { joined } from "./joined.ts";
import { type Db, openDb } from "./pool.ts";
import { onTenants, placed, type Sql, sql } from "./sql.ts";

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase({ empty: true });
  drop = database.drop;
  db = openDb({ url: database.url, max: 2, onError: () => {} });
  for (const table of ["joined_a", "joined_b"])
    await db.query({ text: `create table ${table} (n int primary key, v int not null)`, values: [] });
});
after(async () => {
  await db.end();
  await drop();
});
beforeEach(async () => {
  for (const table of ["joined_a", "joined_b"]) await db.query({ text: `delete from ${table}`, values: [] });
});

const a = (n: number, v: number): Sql => sql`insert into joined_a (n, v) values (${n}, ${v})`;
const b = (n: number, v: number): Sql => sql`insert into joined_b (n, v) values (${n}, ${v})`;
const set = (n: number, v: number, rows = 1): Sql => ({
  ...sql`
    update joined_a t set v = ${v} where t.n = ${n}`,
  changes: { rows, of: "rows of a" },
});
const rows = async () => {
  const read = async (text: string) => (await db.query<{ n: number; v: number }>({ text, values: [] })).rows;
  const all = [...(await read("select n, v from joined_a order by n")), ...(await read("select n, v from joined_b order by n"))];
  return all.map(({ n, v }) => `${n}: ${v}`);
}; // biome-ignore format: a list
const write = (...statements: Sql[]) => db.transaction(async (tx) => tx.write(statements), { prepared: true });

test("changes of different tables are one statement, with the parameters of each", async () => {
  await write(a(1, 10));
  const statements = [set(1, 11), b(2, 20)];
  assert.equal(joined(statements).length, 1);
  await write(...statements);
  assert.deepEqual(await rows(), ["1: 11", "2: 20"]);
});

test("a table that comes again begins a new statement, so that a row may change twice", async () => {
  const statements = [a(1, 10), b(2, 20), set(1, 11), set(1, 12)];
  assert.equal(joined(statements).length, 3);
  await write(...statements);
  assert.deepEqual(await rows(), ["1: 12", "2: 20"]);
});

test("a statement that reads a table which was changed before it begins a new one, and sees the change", async () => {
  const copy = sql`insert into joined_b (n, v) select n, v from joined_a`;
  assert.equal(joined([a(1, 10), copy]).length, 2);
  await write(a(1, 10), copy);
  assert.deepEqual(await rows(), ["1: 10", "1: 10"]);
});

test("what is no plain change stays a statement of its own, at its place", () => {
  const read = sql`with x as (delete from joined_a returning 1) select from x`;
  const texts = joined([a(1, 10), read, b(2, 20)]).map(({ text }) => text);
  assert.deepEqual(texts, [a(1, 10).text, read.text, b(2, 20).text]);
});

test("a number of rows that is another one than was said ends the transaction, and nothing of it stays", async () => {
  await write(a(1, 10));
  for (const [wrong, found] of [[set(9, 11), "1 rows of a were to change, 0 did"], [set(1, 11, 2), "2 rows of a were to change, 1 did"]] as const) {
    await assert.rejects(write(b(2, 20), wrong), new RegExp(found));
    // One statement more after it: the first failure is the one that is reported.
    await assert.rejects(write(wrong, set(1, 12), b(3, 30)), new RegExp(found));
    await assert.rejects(
      db.transaction(async (tx) => {
        tx.write([wrong]);
        await tx.query(sql`select 1`);
      }, { prepared: true }),
      new RegExp(found),
    );
  }
  assert.deepEqual(await rows(), ["1: 10"]);
}); // biome-ignore format: a table

test("a change that fails leaves nothing of those before it, nor of the transaction's earlier statements", async () => {
  const change = db.transaction(
    async (tx) => {
      await tx.query(a(1, 10));
      tx.write([b(2, 20), { ...a(1, 11) }]);
    },
    { prepared: true },
  );
  await assert.rejects(change, { code: "23505" });
  assert.deepEqual(await rows(), []);
});

test("the same changes have one text, whatever their values are, and on several servers each part names its tenants", () => {
  const [one, two] = [joined([set(1, 2), b(3, 4)]), joined([set(5, 6, 7), b(8, 9)])];
  assert.equal(one[0]!.text, two[0]!.text);
  assert.deepEqual(two[0]!.values, [6, 5, 8, 9, 7]);
  const of = [{ accountId: "01a1fdf9-0fb8-7000-8000-0123456789ab" }];
  const [spread] = joined([
    sql`delete from joined_a t where t.n = ${1} and ${onTenants("t.account_id", of)}`,
    sql`delete from joined_b t where t.n = ${1} and ${onTenants("t.account_id", of)}`,
  ]);
  const { text, values } = placed({ spread: true, of: () => 0 }, spread!);
  assert.equal(text.match(/account_id = any\(\/\* tenants \*\/ \$\d+::uuid\[\]\)/g)?.length, 2);
  assert.match(text, /\$2::uuid/);
  assert.match(text, /\$4::uuid/);
  assert.equal(values.length, 4);
});
