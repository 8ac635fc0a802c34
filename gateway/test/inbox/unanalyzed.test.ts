/** A flood of notifications meets a table that nobody has analyzed yet: a claim and a mark still find rows by key. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Context } from "../../src/context.ts";
import { type Db, openDb, type Tx } from "../../src/db/pool.ts";
import { around, type Sql, sql } from "../../src/db/sql.ts";
import { claimInbox, markInbox } from "../../src/inbox/receive.ts";
import { freshDatabase } from "../harness/database.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";

const HOUSE = "01a1fdf9-0fb8-7000-8000-0123456789ab";
const NOW = Date.UTC(2026, 0, 1, 12);
const FEW = 200;
const MANY = 400;
const BATCH = 64;
/** How often the whole table may be read for a batch: to find what is due, and to read that again. */
const MOST_READ = 4;

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  db = openDb({ url: database.url, max: 1, onError: () => {} });
  await db.query(sql`alter table inbox set (autovacuum_enabled = off)`);
  const put = (status: string, from: number, many: number) =>
    db.query(sql`
      insert into inbox (account_id, inbox_id, institution_id, body_hash, body, kind, subject_id, status, next_at, received_at)
      select ${HOUSE}, gen_random_uuid(), ${HOUSE}, sha256(n::text::bytea), '{}', 'charge_paid', n::text, ${status},
        ${new Date(NOW)}::timestamptz - n * interval '1 second', ${new Date(NOW)}
      from generate_series(${from}::int, ${from + many - 1}::int) as n`);
  await put("applied", 1, FEW);
  await put("pending", FEW + 1, MANY);
});
after(async () => {
  await db.end();
  await drop();
});

type Plan = { readonly [key: string]: unknown; readonly Plans?: readonly Plan[] };

/** Rows that its one statement has read or compared, as PostgreSQL counts them while it runs. */
async function readBy(tx: Tx, work: (ctx: Context) => Promise<unknown>): Promise<number> {
  let touched = 0;
  const count = (plan: Plan): void => {
    const loops = Number(plan["Actual Loops"]);
    const removed = Number(plan["Rows Removed by Join Filter"] ?? 0) + Number(plan["Rows Removed by Filter"] ?? 0);
    touched += loops * (removed + (plan["Relation Name"] === "inbox" ? Number(plan["Actual Rows"]) : 0));
    plan.Plans?.forEach(count);
  };
  const atOnce = async ([statement]: readonly Sql[]) => {
    const { rows } = await tx.query<{ "QUERY PLAN": readonly { Plan: Plan }[] }>(
      around("explain (analyze, format json) ", statement!, ""),
    );
    count(rows[0]!["QUERY PLAN"][0]!.Plan);
    return [{ rows: [] }];
  };
  await work({ db: { atOnce, shards: db.shards }, clock: { now: () => NOW, date: () => new Date(NOW) } } as never);
  return touched;
}

const skip = skippedOnCluster("the coordinator's plan does not count what its shards read");
test("a claim and a mark of a batch read the inbox once, and not for each of its rows", { skip }, async () => {
  await db.transaction(async (tx) => {
    const byClaim = await readBy(tx, (ctx) => claimInbox(ctx, HOUSE, BATCH));
    assert.ok(byClaim >= BATCH && byClaim <= MOST_READ * MANY, `a claim of ${BATCH} read ${byClaim} rows`);
    const { rows } = await tx.query<{ inboxId: string }>(
      sql`select inbox_id as "inboxId" from inbox where status = 'pending' limit ${BATCH}`,
    );
    const marks = rows.map(({ inboxId }) => ({ inboxId, status: "applied" as const, error: null, nextAt: null }));
    const byMark = await readBy(tx, (ctx) => markInbox(ctx, HOUSE, marks));
    assert.ok(byMark >= BATCH && byMark <= MOST_READ * MANY, `a mark of ${BATCH} read ${byMark} rows`);
    const { rows: marked } = await tx.query<{ n: number }>(
      sql`select count(*)::int as n from inbox where status = 'applied'`,
    );
    assert.deepEqual(marked, [{ n: FEW + BATCH }]);
  });
});
