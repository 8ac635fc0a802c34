/** What PostgreSQL reads of a long audit log for a page of it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type EntryFilter, listEntries } from "../../src/audit-log/list.ts";
import { uuids } from "../../src/db/arrays.ts";
import { sql } from "../../src/db/sql.ts";
import { explain, type Plan, rowsRead } from "../harness/explain.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { skippedOnCluster } from "../harness/on-cluster.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const ENTRIES = 20_000;
const PAGE = 21;
const ALL: EntryFilter = {
  ...{ accountId: null, actor: null, action: null, aboutMoney: false, objectId: null },
  ...{ from: null, to: null, after: null },
};

test("a page of a long log reads its own entries alone, whoever or whatever it is filtered by", {
  // A cluster explains a statement on all its shards as so many plans.
  skip: skippedOnCluster("plans of one server"),
}, async () => {
  const { accountId } = gateway.sandbox;
  const { ctx } = gateway.running;
  const made = Array.from({ length: ENTRIES }, () => ctx.ids.uuid());
  const undone = new Error("undone");
  await gateway.owner
    .transaction(async (tx) => {
      // One entry of a thousand is by Rosana, who has had two names, or deletes a note. The oldest of all is by somebody else.
      await tx.query(sql`
        insert into audit_log (account_id, audit_id, actor, action, object_id, created_at, seq, hash)
        select ${accountId}, id,
          case when n = 1 then 'Ivo <ivo@example.com>' when n % 2000 = 5 then 'Rosana <rosana@example.com>'
            when n % 2000 = 1005 then 'Rosana Lima <rosana@example.com>' else 'robot ' || n % 3 end,
          case when n % 1000 = 7 then 'note.delete' when n % 1000 = 8 then 'treasury.book' when n % 3 = 0 then 'call.charges.create' else 'withdrawal.query' end,
          gen_random_uuid(), now(), 1000000 + n, ''
        from unnest(${uuids(made)}::uuid[]) with ordinality as u (id, n)`);
      await tx.query(sql`analyze audit_log`);
      for (const [filter, rows] of [
        [{}, PAGE],
        [{ actor: "Rosana <rosana@example.com>" }, 20],
        [{ actor: "Ivo <ivo@example.com>" }, 1],
        [{ actor: "robot 1" }, PAGE],
        [{ actor: "nobody" }, 0],
        [{ action: "note.delete" }, 20],
        [{ action: "note.*" }, 20],
        [{ action: "withdrawal.*" }, PAGE],
        [{ action: "unmatched.*" }, 0],
        [{ aboutMoney: true }, 20],
        [{ aboutMoney: true, action: "treasury.*" }, 20],
        [{ accountId, action: "note.*", actor: "robot 1" }, null],
        [{ actor: "Rosana <rosana@example.com>", after: made[ENTRIES / 2]! }, 10],
      ] as readonly (readonly [Partial<EntryFilter>, number | null])[]) {
        let steps: Plan[] = [];
        const queries: Parameters<typeof listEntries>[0] = {
          async query(statement) {
            steps = await explain(tx, statement, ctx.db.shards);
            return tx.query(statement);
          },
        };
        const found = await listEntries(queries, { ...ALL, ...filter }, PAGE);
        const what = `${JSON.stringify(filter)}: ${JSON.stringify(steps)}`;
        if (rows !== null) assert.equal(found.rows.length, rows, what);
        assert.ok(rowsRead(steps) <= 4 * PAGE, `${rowsRead(steps)} rows: ${what}`);
      }
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
});
