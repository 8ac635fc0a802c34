import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { freshDatabase } from "../../test/harness/database.ts";
import { ownTable } from "../../test/harness/own-table.ts";
import {
  bigint,
  boolean,
  bytes,
  columnOf,
  instant,
  int,
  json,
  names,
  nullable,
  oneOf,
  pick,
  type RowOf,
  relation,
  table,
  text,
  uuid,
} from "./columns.ts";
import { type Db, openDb } from "./pool.ts";
import { knownShards, ONE_SERVER, type Shards } from "./shards.ts";
import { placed, sql } from "./sql.ts";

const A = "01a1fdf9-0fb8-7000-8000-0123456789ab";
const B = "01a1fdf9-0fb8-7000-8000-0123456789ac";
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

const DESCRIPTION = {
  name: "payments",
  key: ["accountId", "paymentId"],
  columns: {
    accountId: uuid,
    paymentId: uuid,
    status: oneOf(["open", "paid", "closed"]),
    amount: bigint,
    legCount: int,
    isLate: boolean,
    dueAt: instant,
    hash: bytes,
    document: json<unknown>(),
    e2eId: nullable(text),
    paidAt: nullable(instant),
    feeAmount: nullable(bigint),
    payer: nullable(json<{ name: string }>()),
  },
  groups: {
    payment: { by: ["pay"], columns: ["status", "e2eId", "paidAt", "feeAmount", "payer"] },
    end: { by: ["close"], columns: ["status", "dueAt"] },
    poll: { columns: ["dueAt"] },
  },
  leftOut: ["noted"],
} as const;
const payments = ownTable(() => table(DESCRIPTION));
type Payment = RowOf<typeof payments.columns>;
const ALL = Object.keys(payments.columns) as (keyof Payment)[];

const payment = (n: number, changes: Partial<Payment> = {}): Payment => ({
  accountId: A,
  paymentId: id(n),
  status: "open",
  amount: 2 ** 53 - 1,
  legCount: -(2 ** 31),
  isLate: true,
  dueAt: new Date(Date.UTC(2026, 10, 21, 3, 0, 0, 123)),
  hash: Buffer.from([0, 255, 92]),
  document: { a: [1, "\\", null], ç: '"' },
  e2eId: null,
  paidAt: null,
  feeAmount: null,
  payer: null,
  ...changes,
});
const paid = { status: "paid", e2eId: "E1", paidAt: new Date(5), feeAmount: 50, payer: { name: "Ana" } } as const;

const SPREAD: Shards = { spread: true, of: () => 0 };

let db: Db;
/** The same database, as if its accounts were spread over servers. */
let spread: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase({ empty: true });
  drop = database.drop;
  db = openDb({ url: database.url, max: 3, onError: () => {} });
  spread = openDb({ url: database.url, max: 1, onError: () => {}, shards: knownShards(SPREAD) });
  await db.query(sql`
    create table payments (account_id uuid, payment_id uuid, status text not null, amount bigint not null,
      leg_count int not null, is_late boolean not null, due_at timestamptz not null, hash bytea not null,
      document jsonb not null, e2e_id text, paid_at timestamptz, fee_amount bigint, payer jsonb,
      noted text not null default 'as it was', primary key (account_id, payment_id))`);
});
after(async () => {
  await spread.end();
  await db.end();
  await drop();
});
beforeEach(async () => {
  await db.query(sql`delete from payments`);
});

const insert = payments.inserter(ALL);
const read = payments.reader({});
const all = async (): Promise<Payment[]> =>
  (await db.query<Payment>(sql`select ${payments.select("p")} from payments p order by account_id, payment_id`)).rows;

describe("rows of a described table", () => {
  test("are read as they were inserted, whatever their types, nulls too", async () => {
    const rows = [payment(1), payment(2, paid), payment(3, { isLate: false, document: [], hash: Buffer.alloc(0) })];
    await insert(db, rows);
    assert.deepEqual(await all(), rows);
    assert.deepEqual(await read(db, rows), rows);
    const { rows: noted } = await db.query(sql`select distinct noted from payments`);
    assert.deepEqual(noted, [{ noted: "as it was" }], "a column that is left out has its default");
  });

  test("are read by key or by another column, some of their columns or all, and only those that are there", async () => {
    await insert(db, [payment(1, { e2eId: "E1" }), payment(2, { accountId: B, e2eId: "E1" }), payment(3)]);
    const amounts = payments.reader({ fields: ["paymentId", "legCount"] });
    assert.deepEqual(await amounts(db, [payment(3), payment(9)]), [{ paymentId: id(3), legCount: -(2 ** 31) }]);
    const byPix = payments.reader({ fields: ["paymentId"], by: ["accountId", "e2eId"] });
    assert.deepEqual(await byPix(db, [{ accountId: B, e2eId: "E1" }, { accountId: A, e2eId: "E2" }]), [{ paymentId: id(2) }]);
    const nobody = [{ accountId: A, e2eId: null }];
    assert.deepEqual(await byPix(db, nobody), []);
  }); // biome-ignore format: tables

  test("are locked in the order of their keys", async () => {
    await insert(db, [payment(1), payment(2), payment(3)]);
    const locked = payments.reader({ fields: ["paymentId"], lock: true });
    await db.transaction(async (tx) => {
      const rows = await locked(tx, [payment(3), payment(1)]);
      assert.deepEqual(rows, [{ paymentId: id(1) }, { paymentId: id(3) }]);
      const { rows: free } = await db.query(sql`
        select payment_id from payments order by payment_id for no key update skip locked`);
      assert.deepEqual(free, [{ payment_id: id(2) }]);
    });
  });

  test("may be none: then nothing is asked", async () => {
    const never = { query: () => Promise.reject(new Error("asked")) };
    await insert(never, []);
    assert.deepEqual(await read(never, []), []);
    await payments.updater("payment")(never, []);
  });

  test("are whole, or the statement is not sent", async () => {
    const { amount: _, ...without } = payment(1);
    await assert.rejects(insert(db, [payment(2), without as Payment]), /a row without amount/);
    await assert.rejects(insert(db, [payment(1, { legCount: 2 ** 31 })]), RangeError);
    await assert.rejects(insert(db, [payment(1, { paymentId: "x" })]), /not a UUID/);
    assert.deepEqual(await all(), []);
  });

  test("that a column refuses are not inserted, none of them", async () => {
    const withoutAmount = payment(1, { amount: null as unknown as number });
    await assert.rejects(insert(db, [payment(2), withoutAmount]), { code: "23502" });
    assert.deepEqual(await all(), []);
  });
});

describe("the update of a group", () => {
  const pay = payments.updater("payment");
  const end = payments.updater("end");

  test("writes its columns and no other", async () => {
    await insert(db, [payment(1), payment(2), payment(3)]);
    const other = { ...payment(1), amount: 1, isLate: false, dueAt: new Date(0), hash: Buffer.from("x"), ...paid };
    await pay(db, [other, payment(2, { status: "closed" })]);
    assert.deepEqual(await all(), [payment(1, paid), payment(2, { status: "closed" }), payment(3)]);
  });

  test("leaves a payment in place that it does not know of", async () => {
    await insert(db, [payment(1, paid)]);
    const dueAt = new Date(7);
    await end(db, [{ accountId: A, paymentId: id(1), status: "closed", dueAt }]);
    assert.deepEqual(await all(), [payment(1, { ...paid, status: "closed", dueAt })]);
  });

  test("may be of two groups together: the columns of both, each once", async () => {
    await insert(db, [payment(1)]);
    const both = { ...paid, status: "closed", dueAt: new Date(7) } as const;
    await payments.updater("payment", "end")(db, [{ accountId: A, paymentId: id(1), ...both }]);
    assert.deepEqual(await all(), [payment(1, both)]);
  });

  test("throws where a row is missing, of another tenant or named twice, and so changes nothing", async () => {
    const rows = [payment(1), payment(2)];
    await insert(db, rows);
    for (const [wrong, found] of [[payment(3, paid), 1], [payment(2, { ...paid, accountId: B }), 1], [payment(1, paid), 1]] as const) {
      const change = db.transaction((tx) => pay(tx, [payment(1, paid), wrong]));
      await assert.rejects(change, new RegExp(`2 payments were to change, ${found} did`));
    }
    assert.deepEqual(await all(), rows);
  }); // biome-ignore format: a table

  test("is guarded where it says what a row was: one that has moved on is left alone", async () => {
    const postpone = payments.guarded("poll", ["status", "dueAt"]);
    const [early, dueAt] = [payment(1).dueAt, new Date(9)];
    await insert(db, [payment(1), payment(2, paid), payment(3, { dueAt: new Date(1) })]);
    const marks = [1, 2, 3].map((n) => ({ accountId: A, paymentId: id(n), dueAt, was: { status: "open" as const, dueAt: early } }));
    const { rowCount } = await db.query(postpone(marks));
    assert.equal(rowCount, 1);
    assert.deepEqual(await all(), [payment(1, { dueAt }), payment(2, paid), payment(3, { dueAt: new Date(1) })]);
  }); // biome-ignore format: a table

  test("is a mistake for the compiler with a column missing, mistyped, or of another group", () => {
    const never = () => {
      // @ts-expect-error: the fee is missing.
      void pay(db, [{ accountId: A, paymentId: id(1), status: "paid", e2eId: "E", paidAt: null, payer: null }]);
      // @ts-expect-error: no such status.
      void end(db, [{ accountId: A, paymentId: id(1), status: "lost", dueAt: new Date() }]);
      // @ts-expect-error: the amount is not of this group.
      void end(db, [{ accountId: A, paymentId: id(1), status: "open", dueAt: new Date(), amount: 1 }]);
      // @ts-expect-error: no such group.
      payments.updater("amount");
      // @ts-expect-error: no such column.
      payments.inserter(["accountId", "colour"]);
    };
    assert.equal(typeof never, "function");
  });
});

describe("statements of a described table", () => {
  const caught = async (
    run: (queries: Parameters<typeof read>[0]) => Promise<unknown>,
    shards: Shards = ONE_SERVER,
  ): Promise<string> => {
    let said = "";
    await run({
      query: (statement) => {
        said = placed(shards, statement).text;
        return Promise.resolve({ rows: [], rowCount: 1 });
      },
    });
    return said;
  };

  test("have one text, whatever the rows are: it is what they are prepared by", async () => {
    const [one, two] = [[payment(1)], [payment(1), payment(2)]];
    for (const [a, b] of [
      [await caught((q) => read(q, one)), await caught((q) => read(q, two))],
      [await caught((q) => insert(q, one)), await caught((q) => insert(q, two))],
    ]) {
      assert.equal(a, b);
    }
  });

  test("name the tenants of their rows where these are spread over servers", async () => {
    const rows = [payment(1), payment(2, { accountId: B })];
    await insert(spread, rows);
    for (const one of [payments.reader({ lock: true }), read]) {
      assert.match(await caught((q) => one(q, rows), SPREAD), /t\.account_id = any\(\/\* tenants \*\/ \$3::uuid\[\]\)/);
      assert.doesNotMatch(await caught((q) => one(q, rows)), /any\(/);
      assert.deepEqual(await one(spread, rows), rows);
    }
    await payments.updater("payment")(spread, [{ ...rows[1]!, ...paid }]);
    const mark = { accountId: A, paymentId: id(1), dueAt: new Date(3), was: { status: "open" as const } };
    await spread.query(payments.guarded("poll", ["status"])([mark]));
    assert.deepEqual(await all(), [payment(1, { dueAt: new Date(3) }), payment(2, { accountId: B, ...paid })]);
  });
});

test("rows are a relation inside a statement that decides something, with names of columns", async () => {
  await insert(db, [payment(1), payment(2, paid)]);
  const wanted = { ...pick(payments.columns, ["paymentId", "status"]), least: bigint };
  const rows = [1, 2].map((n) => ({ paymentId: id(n), status: "open" as const, least: 5 }));
  const { rows: found } = await db.query(sql`
    select ${names(["paymentId"], "p")}, u.least from ${relation("u", wanted, rows)}
    join payments p on p.payment_id = u.payment_id and p.status = u.status and p.amount >= u.least
    where p.account_id = ${A}`);
  assert.deepEqual(found, [{ payment_id: id(1), least: 5 }]);
  assert.deepEqual(["e2eId", "pixCopyPaste", "legCount", "txid"].map(columnOf), ["e2e_id", "pix_copy_paste", "leg_count", "txid"]);
}); // biome-ignore format: a table
