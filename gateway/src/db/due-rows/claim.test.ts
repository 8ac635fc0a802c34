import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { freshDatabase } from "../../../test/harness/database.ts";
import { ownTable } from "../../../test/harness/own-table.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { instants, ints, texts, uuids } from "../arrays.ts";
import { instant, int, nullable, type RowOf, table, text, uuid } from "../columns.ts";
import { type Db, openDb } from "../pool.ts";
import { part, sql } from "../sql.ts";
import { claimDue, type DueRows } from "./claim.ts";

const ONE = "01a1fdf9-0fb8-7000-8000-0123456789ab";
const OTHER = "01a1fdf9-0fb8-7000-8000-0123456789ac";
const NOW = Date.UTC(2026, 0, 1, 12);
const CLAIM = 60_000;

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase({ empty: true });
  drop = database.drop;
  db = openDb({ url: database.url, max: 4, onError: () => {} });
  await db.query(sql`
    create table orders (account_id uuid, order_id text, due_at timestamptz, tries int not null default 0, kind text,
      primary key (account_id, order_id))`);
});
after(async () => {
  await db.end();
  await drop();
});

/** Due so many seconds ago; null: not at all. */
const put = (rows: readonly (readonly [string, string, number | null, string?])[]) =>
  db.query(sql`
    insert into orders (account_id, order_id, due_at, tries, kind)
    select * from unnest(${uuids(rows.map(([account]) => account))}::uuid[], ${texts(rows.map(([, id]) => id))}::text[],
      ${instants(rows.map(([, , ago]) => (ago === null ? null : new Date(NOW - ago * 1_000))))}::timestamptz[],
      ${ints(rows.map(() => 2))}::int[], ${texts(rows.map(([, , , kind]) => kind ?? "plain"))}::text[])`);
beforeEach(() => db.query(sql`delete from orders`));

const METRICS = createMetrics();
const errors: object[] = [];
const log = { error: (fields: object) => errors.push(fields) } as never;
const clock = (ms: number) => ({ now: () => ms, date: () => new Date(ms) }) as never;
const orders = ownTable(() =>
  table({
    name: "orders",
    key: ["accountId", "orderId"],
    columns: { accountId: uuid, orderId: text, dueAt: nullable(instant), tries: int },
  }),
);
type Fields = keyof typeof orders.columns;
const DUE: DueRows<typeof orders.columns, Fields> = {
  table: orders,
  dueAt: "dueAt",
  claimMs: CLAIM,
  only: () => part`d.kind <> ${"frozen"}`,
  set: () => part`, tries = d.tries + 1`,
  fields: ["accountId", "orderId", "tries", "dueAt"],
  besides: () => part`, mine.tries as before`,
};
type Claimed = RowOf<typeof orders.columns> & { before: number };
const claimFrom = (from: Db, limit: number, at: number, due: typeof DUE): Promise<Claimed[]> =>
  claimDue({ db: from, clock: clock(at), log, metrics: METRICS }, due, limit);
const claim = (limit: number, at = NOW, due = DUE) => claimFrom(db, limit, at, due);
const idsOf = (rows: readonly Claimed[]) => rows.map((row) => row.orderId).sort();

test("takes what is due, the oldest first, and gives each as it is now and as it was", async () => {
  await put([[ONE, "later", -5], [ONE, "new", 1], [OTHER, "old", 9], [ONE, "older", 20], [ONE, "never", null]]); // biome-ignore format: one row
  const taken = await claim(2);
  assert.deepEqual(idsOf(taken), ["old", "older"]);
  for (const row of taken) assert.deepEqual([row.tries, row.before, row.dueAt], [3, 2, new Date(NOW + CLAIM)]);
  assert.deepEqual(idsOf(await claim(9)), ["new"]);
  assert.deepEqual(await claim(9), []);
  assert.deepEqual(idsOf(await claim(9, NOW + CLAIM)), ["later", "new", "old", "older"]);
});

test("leaves out what may not be taken, though it is due", async () => {
  await put([
    [ONE, "a", 1],
    [ONE, "b", 2, "frozen"],
  ]);
  assert.deepEqual(idsOf(await claim(9)), ["a"]);
  const { rows } = await db.query<{ tries: number }>(sql`select tries from orders where order_id = 'b'`);
  assert.deepEqual(rows, [{ tries: 2 }]);
});

test("of many who claim at once each row has one", async () => {
  const ids = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, "0"));
  await put(ids.map((id, i) => [i % 2 === 0 ? ONE : OTHER, id, i + 1] as const));
  const taken = await Promise.all(Array.from({ length: 4 }, () => claim(40)));
  const all = idsOf(taken.flat());
  assert.equal(new Set(all).size, all.length, "no row was taken twice");
  const rest = await claim(60);
  assert.deepEqual([...all, ...idsOf(rest)].sort(), ids);
  const { rows } = await db.query<{ n: number }>(sql`select count(*)::int as n from orders where tries <> 3`);
  assert.deepEqual(rows, [{ n: 0 }]);
});

test("one that somebody holds, or has moved meanwhile, is left to him", async () => {
  await put([[ONE, "held", 3], [ONE, "moved", 2], [ONE, "free", 1]]); // biome-ignore format: one row
  const taken = await db.transaction(async (tx) => {
    await tx.query(sql`select from orders where order_id = 'held' for update`);
    // Between the query and the lock: the row that was found has another due time by then.
    const meanwhile: Pick<Db, "query" | "atOnce" | "shards"> = {
      shards: db.shards,
      query: async (statement) => {
        const found = await db.query(statement);
        await db.query(sql`update orders set due_at = ${new Date(NOW + 1)} where order_id = 'moved'`);
        return found as never;
      },
      atOnce: db.atOnce,
    };
    return claimFrom(meanwhile as Db, 9, NOW, DUE);
  });
  assert.deepEqual(idsOf(taken), ["free"]);
  const { rows } = await db.query<{ order_id: string; tries: number }>(sql`
    select order_id, tries from orders where order_id <> 'free' order by 1`);
  assert.deepEqual(rows, [
    { order_id: "held", tries: 2 },
    { order_id: "moved", tries: 2 },
  ]);
});

test("a row that the database refuses to have claimed is reported and put off, and stops no other", async () => {
  await put([[ONE, "a", 9], [ONE, "poison", 5], [OTHER, "b", 3], [OTHER, "c", 1]]); // biome-ignore format: one row
  await db.query(sql`alter table orders add constraint sound check (order_id <> 'poison' or tries < 3)`);
  try {
    assert.deepEqual(idsOf(await claim(9)), ["a", "b", "c"]);
    assert.deepEqual(
      errors.map((one) => (one as { row: string }).row),
      [`${ONE} poison`],
    );
    assert.deepEqual(await claim(9), [], "it is not found again at once");
    const { rows } = await db.query(sql`select due_at, tries from orders where order_id = 'poison'`);
    assert.deepEqual(rows, [{ due_at: new Date(NOW + CLAIM), tries: 2 }]);
  } finally {
    await db.query(sql`alter table orders drop constraint sound`);
  }
});

test("only names are put into the statement as text", async () => {
  await assert.rejects(
    claim(1, NOW, { ...DUE, table: { ...orders, name: "orders; drop table orders" } }),
    /only names/,
  );
  await put([[ONE, "a", 1]]);
  assert.deepEqual(idsOf(await claim(1)), ["a"]);
});
