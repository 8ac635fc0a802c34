import assert from "node:assert/strict";
import { type Db, openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import type { Server } from "../harness/citus.ts";
import { eventually } from "../harness/eventually.ts";
import { DATABASE } from "./site.ts";
import type { Answered } from "./traffic.ts";

/** Runs `work` as the owner of a database at a server. */
export async function asOwner<T>(server: Server, work: (db: Db) => Promise<T>, database = DATABASE): Promise<T> {
  const db = openDb({ url: server.url(database), max: 1, onError: () => {} });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

/** Fails with what was answered and is not in the books. */
export async function assertKept(server: Server, answered: readonly Answered[]): Promise<void> {
  assert.deepEqual(await missing(server, answered), []);
}

/** What was answered and is not in the books, or not as it was answered. */
export const missing = (server: Server, answered: readonly Answered[]): Promise<Answered[]> =>
  asOwner(server, async (db) => {
    const { rows: charges } = await db.query<{ id: string; status: string }>(
      sql`select charge_id as id, status from charges`,
    );
    const { rows: withdrawals } = await db.query<{ id: string }>(sql`select withdrawal_id as id from withdrawals`);
    const there = {
      charge: new Set(charges.map(({ id }) => id)),
      completed: new Set(charges.flatMap(({ id, status }) => (status === "completed" ? id : []))),
      withdrawal: new Set(withdrawals.map(({ id }) => id)),
    };
    return answered.filter(({ what, id }) => !there[what].has(id));
  });

/** Waits until every withdrawal has left, and fails unless each was booked once and each charge too. */
export const assertBookedOnce = (server: Server): Promise<void> =>
  asOwner(server, async (db) => {
    await eventually("every withdrawal to be completed", async () => {
      const { rows } = await db.query<{ open: number }>(
        sql`select count(*) as open from withdrawals where status <> 'completed'`,
      );
      return rows[0]!.open === 0;
    });
    const { rows } = await db.query<{ paid: number; booked: number; twice: number }>(sql`
      select (select count(*) from charges where status = 'completed') as paid,
        (select count(*) from ledger_transfers where kind = 'charge_paid') as booked,
        (select count(*) from (
          select account_id, source_id, kind from ledger_transfers group by account_id, source_id, kind
          having count(*) > 1) t) as twice`);
    assert.deepEqual(rows[0], { paid: rows[0]!.paid, booked: rows[0]!.paid, twice: 0 });
  });

/** The rows of every table: how many, and a digest of them in whatever order. */
export const digestsOf = (server: Server, database = DATABASE): Promise<Record<string, string>> =>
  asOwner(
    server,
    async (db) => {
      const { rows: tables } = await db.query<{ name: string }>(
        sql`select tablename::text as name from pg_tables where schemaname = 'public' order by tablename`,
      );
      const found: Record<string, string> = {};
      for (const { name } of tables) {
        const { rows } = await db.query<{ row: string }>({
          text: `select md5(t::text) as row from "${name}" t`,
          values: [],
        });
        found[name] = rows
          .map(({ row }) => row)
          .sort()
          .join(" ");
      }
      return found;
    },
    database,
  );
