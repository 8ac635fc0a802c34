import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { freshDatabase } from "../../test/harness/database.ts";
import { eventually } from "../../test/harness/eventually.ts";
import { bigints, booleans, byteas, instants, ints, jsons, texts, uuids } from "./arrays.ts";
import { type Db, isTransient, openDb, type Queries } from "./pool.ts";
import { knownShards, ONE_SERVER } from "./shards.ts";
import { onSnapshot } from "./snapshot.ts";
import { around, literal, onTenants, part, placed, prepared as preparedRead, type Sql, sql, UNFLUSHED } from "./sql.ts";

const A = "01a1fdf9-0fb8-7000-8000-0123456789ab";
const B = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF";

let db: Db;
let url: string;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase({ empty: true });
  url = database.url;
  drop = database.drop;
  db = openDb({ url: database.url, max: 2, onError: () => {} });
});
after(async () => {
  await db.end();
  await drop();
});

const rows = async (statement: Sql) => (await db.query(statement)).rows;
const values = async (statement: Sql) => (await rows(statement)).map((row) => Object.values(row)[0]);

describe("arrays as parameters", () => {
  test("arrive as they were, nulls too", async () => {
    assert.deepEqual(await values(sql`select unnest(${uuids([A, null, B])}::uuid[])`), [A, null, B.toLowerCase()]);
    const whole = [0, 1, -1, 4_294_967_295, 4_294_967_296, -4_294_967_297, 2 ** 53 - 1, -(2 ** 53 - 1), null];
    assert.deepEqual(await values(sql`select unnest(${bigints(whole)}::bigint[])`), whole);
    const small = [0, -1, 2 ** 31 - 1, -(2 ** 31), null];
    assert.deepEqual(await values(sql`select unnest(${ints(small)}::int[])`), small);
    const flags = [true, null, false];
    assert.deepEqual(await values(sql`select unnest(${booleans(flags)}::boolean[])`), flags);
    const words = ["", "NULL", null, `{"a":"\\"}`, "línea\n'; drop table x --", "🏦", ",", "{}"];
    assert.deepEqual(await values(sql`select unnest(${texts(words)}::text[])`), words);
    const bytes = [Buffer.from([0, 255, 92]), null, Buffer.alloc(0)];
    assert.deepEqual(await values(sql`select unnest(${byteas(bytes)}::bytea[])`), bytes);
    const documents = [{ a: [1, "\\", null], ç: '"' }, null, [], "text", 0];
    assert.deepEqual(await values(sql`select unnest(${jsons(documents)}::jsonb[])`), documents);
    const days = [0, 1, -1, 946_684_800_000, Date.UTC(2026, 10, 21, 3, 0, 0, 123), Date.UTC(1900, 0, 1)];
    const dates = [...days.map((ms) => new Date(ms)), null];
    assert.deepEqual(await values(sql`select unnest(${instants(dates)}::timestamptz[])`), dates);
  });

  test("may be empty", async () => {
    for (const [array, type] of [
      [uuids([]), "uuid"],
      [bigints([]), "bigint"],
      [texts([]), "text"],
      [jsons([]), "jsonb"],
      [instants([]), "timestamptz"],
    ] as const) {
      assert.deepEqual(await rows({ text: `select unnest($1::${type}[])`, values: [array] }), []);
    }
    assert.deepEqual(await values(sql`select 1 = any(${ints([])}::int[])`), [false]);
  });

  test("hold only what their type holds", () => {
    for (const text of ["", "x", A.slice(1), `${A}0`, A.replaceAll("-", "0"), A.replace("a", "g"), "é".repeat(36)]) {
      assert.throws(() => uuids([text]), /not a UUID/, text);
    }
    for (const number of [0.5, Number.NaN, 2 ** 53, Number.NEGATIVE_INFINITY]) {
      assert.throws(() => bigints([number]), RangeError);
    }
    for (const number of [2 ** 31, -(2 ** 31) - 1]) assert.throws(() => ints([number]), RangeError);
    assert.throws(() => instants([new Date(Number.NaN)]), RangeError);
  });

  test("are refused under the cast of another type", async () => {
    await assert.rejects(db.query(sql`select ${ints([1])}::bigint[]`), /element type/);
  });
});

describe("a statement", () => {
  test("names its tenants only where they are spread over servers, each once", () => {
    const of = [{ accountId: A }, { account_id: B }, { accountId: A }];
    const within = part`${onTenants("t.account_id", of)} and n = ${5}`;
    const statement = preparedRead(sql`select from t where m = ${4} and ${within}`);
    const { text, values } = placed(ONE_SERVER, statement);
    assert.deepEqual({ text, values }, { text: "select from t where m = $1 and true and n = $2", values: [4, 5] });
    assert.deepEqual(placed({ spread: true, of: () => 0 }, statement), {
      text: "select from t where m = $1 and t.account_id = any(/* tenants */ $2::uuid[]) and n = $3",
      values: [4, uuids([A, B]), 5],
      prepared: true,
    });
  });

  test("keeps its places on several servers when text is put around it", () => {
    const within = onTenants("t.account_id", [{ accountId: A }]);
    const statement = around(
      "with found as (",
      preparedRead(sql`select from t where ${within} and n = ${5}`),
      ") limit 1",
    );
    const { text, values } = placed(ONE_SERVER, statement);
    assert.deepEqual([text, values], ["with found as (select from t where true and n = $1) limit 1", [5]]);
    assert.deepEqual(placed({ spread: true, of: () => 0 }, statement), {
      text: "with found as (select from t where t.account_id = any(/* tenants */ $1::uuid[]) and n = $2) limit 1",
      values: [uuids([A]), 5],
      prepared: true,
    });
  });
});

describe("a transaction with prepared statements", () => {
  const prepared = <T>(fn: Parameters<typeof db.transaction<T>>[0]) => db.transaction(fn, { prepared: true });

  test("parses a text once for a connection", async () => {
    const ask = (n: number) =>
      prepared(async (tx) => {
        const [answer, known] = await Promise.all([
          tx.query<{ n: number }>(sql`select ${n}::int as n`),
          tx.query<{ times: number }>(
            sql`select generic_plans as times from pg_prepared_statements where statement like '%::int as n'`,
          ),
        ]);
        return [answer.rows[0]!.n, known.rows.map((row) => row.times)];
      });
    assert.deepEqual(await ask(1), [1, [1]]);
    assert.deepEqual(await ask(2), [2, [2]]);
  });

  test("looks rows up by key also where its plan was made for an empty table", async () => {
    await db.query(sql`create table things (id int primary key, n int)`);
    const plan = () =>
      prepared(async (tx) => {
        const { rows } = await tx.query<{ "QUERY PLAN": string }>(
          sql`explain select t.n from unnest(${ints([1, 2])}::int[]) as u (id) join things t on t.id = u.id`,
        );
        return rows.map((row) => row["QUERY PLAN"]).join("\n");
      });
    assert.match(await plan(), /Index Scan|Index Cond/);
    assert.doesNotMatch(await plan(), /Seq Scan|Hash Join|Merge Join/);
  });

  test("is planned once for any parameters on one server, and for each account on a cluster", async () => {
    const cluster = openDb({ url, max: 1, onError: () => {}, shards: knownShards({ spread: true, of: () => 0 }) });
    const settings = sql`
      select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans`;
    try {
      for (const [on, plans] of [
        [db, "force_generic_plan"],
        [cluster, "auto"],
      ] as const) {
        const expected = [{ plans, scans: "off" }];
        assert.deepEqual(
          await on.transaction(async (tx) => (await tx.query(settings)).rows, { prepared: true }),
          expected,
        );
        assert.deepEqual((await on.atOnce([settings]))[0]!.rows, expected);
        assert.deepEqual((await on.query(settings)).rows, [{ plans: "auto", scans: "on" }]);
      }
    } finally {
      await cluster.end();
    }
  });

  test("is repeated on a new connection after a migration changed what its statements return", async () => {
    await db.query(sql`create table shapes (id int)`);
    await db.query(sql`insert into shapes values (1)`);
    const read = () => prepared(async (tx) => (await tx.query(sql`select * from shapes`)).rows);
    assert.deepEqual(await read(), [{ id: 1 }]);
    await db.query(sql`alter table shapes add column kind text default 'round'`);
    await assert.rejects(read(), (error) => isTransient(error));
    assert.deepEqual(await read(), [{ id: 1, kind: "round" }]);
  });

  test("leaves nothing behind when it fails, and the connection works on", async () => {
    await db.query(sql`create table notes (id int primary key)`);
    const put = (...ids: number[]) =>
      prepared(async (tx) => {
        await Promise.all(ids.map((id) => tx.query(sql`insert into notes values (${id})`)));
      });
    await put(1);
    await assert.rejects(put(2, 1, 3), { code: "23505" });
    await put(4);
    assert.deepEqual(await values(sql`select id from notes order by id`), [1, 4]);
  });
});

describe("a transaction that is sent whole", () => {
  test("is one transaction, committed when it resolves with what each statement gave", async () => {
    await db.query(sql`create table whole (id int primary key, xid text)`);
    const put = (id: number) => sql`insert into whole values (${id}, pg_current_xact_id()::text) returning id`;
    assert.deepEqual(await db.atOnce([put(1), put(2)]), [
      { rows: [{ id: 1 }], rowCount: 1 },
      { rows: [{ id: 2 }], rowCount: 1 },
    ]);
    assert.deepEqual(await rows(sql`select count(distinct xid)::int as xids, count(*)::int as n from whole`), [
      { xids: 1, n: 2 },
    ]);
    const [, unflushed] = await db.atOnce<{ flush: string }>([
      UNFLUSHED,
      sql`select current_setting('synchronous_commit') as flush`,
    ]);
    assert.deepEqual(unflushed!.rows, [{ flush: "off" }]);
    assert.deepEqual(await values(sql`select current_setting('synchronous_commit')`), ["on"]);
  });

  test("leaves nothing behind when one of its statements fails, whose reason is reported, and the connection works on", async () => {
    await db.query(sql`create table torn (id int primary key)`);
    const one = openDb({ url, max: 1, onError: () => {} });
    try {
      const pid = async () => (await one.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)).rows[0]!.pid;
      const before = await pid();
      const put = (id: number) => sql`insert into torn values (${id})`;
      await assert.rejects(one.atOnce([put(1), put(1), put(2)]), { code: "23505" });
      await assert.rejects(one.atOnce([put(3), sql`select 1 / ${0}::int`]), { code: "22012" });
      assert.deepEqual(await values(sql`select id from torn`), []);
      await one.atOnce([put(4)]);
      assert.deepEqual(await values(sql`select id from torn`), [4]);
      assert.equal(await pid(), before);
    } finally {
      await one.end();
    }
  });

  test("looks rows up by key, and is good for another try on a new connection after a migration or a lost one", async () => {
    await db.query(sql`create table moved (id int primary key, n int)`);
    await db.query(sql`insert into moved values (1, 1)`);
    const one = openDb({ url, max: 1, onError: () => {} });
    try {
      const [explained] = await one.atOnce<{ "QUERY PLAN": string }>([
        sql`explain update moved m set n = m.n + 1 from unnest(${ints([1])}::int[]) as u (id) where m.id = u.id`,
      ]);
      assert.doesNotMatch(explained!.rows.map((row) => row["QUERY PLAN"]).join("\n"), /Seq Scan|Hash Join|Merge Join/);
      const read = async () => (await one.atOnce([sql`select * from moved`]))[0]!.rows;
      assert.deepEqual(await read(), [{ id: 1, n: 1 }]);
      await db.query(sql`alter table moved add column kind text`);
      await assert.rejects(read(), (error) => isTransient(error));
      assert.deepEqual(await read(), [{ id: 1, n: 1, kind: null }]);
      const dying = one.atOnce([sql`update moved set n = 9`, sql`select pg_terminate_backend(pg_backend_pid())`]);
      await assert.rejects(dying, (error) => isTransient(error));
      assert.deepEqual(await read(), [{ id: 1, n: 1, kind: null }]);
    } finally {
      await one.end();
    }
  });
});

test("a server that a cluster has lost is a reason to try again; a rule that is broken is none", () => {
  const said = (message: string) => Object.assign(new Error(message), { code: "XX000" });
  assert.ok(isTransient(said("failure on connection marked as essential: 10.0.0.7:5432")));
  assert.ok(isTransient(said("server closed the connection unexpectedly")));
  assert.ok(isTransient(said("cannot find a worker that has active placements for all shards in the query")));
  assert.ok(isTransient(said("no active placements were found for shard 102040")));
  assert.ok(isTransient(said("could not find valid entry for shard 102040")));
  assert.ok(isTransient(said("could not commit transaction for shard 102154 on at least one active node")));
  assert.ok(!isTransient(said("could not find valid entry for shard 0")));
  assert.ok(!isTransient(said("a line is without its transfer")));
});

describe("a prepared read", () => {
  const plans = async (on: Db) =>
    (await on.query<{ n: number }>(sql`select count(*)::int as n from pg_prepared_statements`)).rows[0]!.n;

  test("is prepared once for a connection, whatever its parameters are", async () => {
    const one = openDb({ url, max: 1, onError: () => {} });
    try {
      assert.equal(await plans(one), 0);
      for (let i = 0; i < 20; i += 1) {
        assert.deepEqual((await one.query(preparedRead(sql`select ${i}::int as i`))).rows, [{ i }]);
      }
      assert.equal(await plans(one), 1);
    } finally {
      await one.end();
    }
  });

  test("answers also after a migration changed what it returns, and after its connection has died", async () => {
    await db.query(sql`create table colours (id int)`);
    await db.query(sql`insert into colours values (1)`);
    const read = () => Promise.all(Array.from({ length: 4 }, () => rows(preparedRead(sql`select * from colours`))));
    assert.deepEqual(await read(), Array(4).fill([{ id: 1 }]));
    await db.query(sql`alter table colours add column name text default 'red'`);
    assert.deepEqual(await read(), Array(4).fill([{ id: 1, name: "red" }]));
    const dying = rows(preparedRead(sql`select pg_terminate_backend(pg_backend_pid())`));
    await assert.rejects(dying, (error) => isTransient(error));
    assert.deepEqual(await read(), Array(4).fill([{ id: 1, name: "red" }]));
  });

  test("goes together with others on one connection; where one fails none answers, and the next ones do", async () => {
    const one = openDb({ url, max: 1, onError: () => {} });
    try {
      const pid = sql`select pg_backend_pid() as pid`;
      const [first, second, value] = await one.reads([pid, pid, sql`select ${7}::int as i`]);
      assert.deepEqual(first!.rows, second!.rows);
      assert.deepEqual(value!.rows, [{ i: 7 }]);
      await assert.rejects(one.reads([pid, sql`select 1 / ${0}::int`]), { code: "22012" });
      assert.equal((await one.reads([pid])).length, 1);
      assert.deepEqual(await one.reads([]), []);
    } finally {
      await one.end();
    }
  });

  test("may have a number in its text, and nothing else", () => {
    assert.deepEqual(sql`select ${1} limit ${literal(21)}`, { text: "select $1 limit 21", values: [1] });
    for (const wrong of [0.5, Number.NaN, "1; drop table x" as unknown as number]) {
      assert.throws(() => literal(wrong), /whole numbers/);
    }
  });
});

test("a check of whole tables may take longer than a call's statements", async () => {
  const hurried = openDb({ url, max: 1, onError: () => {}, answerMs: 200 });
  try {
    const slow = async (tx: Queries) => (await tx.query(sql`select pg_sleep(0.5), true as slept`)).rows[0]!.slept;
    // A busy machine may take longer for a new connection, too: then once more.
    assert.equal(await eventually("the check on a snapshot", () => onSnapshot(hurried, slow)), true);
    assert.equal(await eventually("the check", () => hurried.transaction(slow, { unhurried: true })), true);
    await assert.rejects(hurried.transaction(slow), (error) => isTransient(error));
    const write = () => onSnapshot(hurried, (tx) => tx.query(sql`create table written (id int)`));
    await eventually("the refusal", () => assert.rejects(write(), { code: "25006" }).then(() => true));
    const { rows } = await db.query(sql`select to_regclass('written') as written`);
    assert.deepEqual(rows, [{ written: null }]);
  } finally {
    await hurried.end();
  }
});
