/** What one process decides between two steps of another: what that one knew is old when it writes or sends. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { closeDue, lastClosed } from "../../src/close/close.ts";
import { clockAhead } from "../../src/context.ts";
import type { Tx } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf, dayWindow } from "../../src/lib/days.ts";
import { watchDebts } from "../../src/treasury/watch-debts.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { isClosed } from "../close/is-closed.ts";
import { newAccount } from "../contract/merchant.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import { type Case, HOUR, inDebt, newOperator, owe, timesWrittenOff, WEEK, WRITE_OFF } from "../harness/debt.ts";
import { approveCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway({ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "on" });
});
afterEach(() => gateway.verify());
after(() => gateway.stop());
const ctx = () => gateway.running.ctx;

describe("a batch that is claimed, and not sent when a brake is answered", () => {
  test("does not leave: it waits, says so, can be cancelled, and the rest leaves once it is lifted", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const ids = [(await withdraw(client)).id, (await withdraw(client)).id];
    const put = async (paused: boolean) => {
      const body = JSON.stringify({ scope: "all", paused, reason: "a test" });
      assert.equal((await gateway.operator.send("PUT", "/brakes", body)).status, 200);
    };
    const { psps } = ctx();
    let set: Promise<void> | undefined;
    // The first thing that a claimed withdrawal needs is its institution.
    const find: typeof psps.find = async (id) => {
      set ??= put(true);
      await set;
      return psps.find(id);
    };
    const sender = createSender({ ...ctx(), psps: { ...psps, find } });
    assert.equal(await sender.runDue(), 2);
    await sender.idle();
    const pass = async (later: number) => {
      const loop = createSender({ ...ctx(), clock: clockAhead(later) });
      await loop.runDue();
      await loop.idle();
    };
    await pass(HOUR);
    for (const id of ids) {
      assert.deepEqual(await payoutsOf(gateway, id), []);
      assert.equal((await show(client, id)).pendingReason, "paused");
    }
    assert.equal((await balancesOf(client)).held, 2_000);
    const cancelled = await client.post(`/withdrawals/${ids[0]}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
    await put(false);
    await eventually("the other to leave", async () => {
      await pass(HOUR);
      return (await payoutsOf(gateway, ids[1]!)).length === 1;
    });
    assert.deepEqual(await payoutsOf(gateway, ids[0]!), []);
  });
});

describe("the watch of debts, whose list is old when it writes", () => {
  /** Runs it with something that happens between its list and its writes. */
  async function watchWhile(between: () => Promise<unknown>): Promise<void> {
    const { db } = ctx();
    let done = false;
    const transaction: typeof db.transaction = async (work, how) => {
      if (!done) {
        done = true;
        await between();
      }
      return db.transaction(work, how);
    };
    await watchDebts({ ...ctx(), db: { ...db, transaction }, clock: clockAhead(WEEK + HOUR) });
    assert.ok(done);
  }

  test("does not open the case again that was decided meanwhile, nor the one of a wallet that was paid", async () => {
    const [ana, rafael] = [await newOperator(gateway, "Ana"), await newOperator(gateway, "Rafael")];
    const decided = await inDebt(gateway);
    // Its amount has changed, so there is something to write.
    await owe(gateway, decided.accountId, 1);
    await watchWhile(async () => {
      const all = { ...WRITE_OFF, parameters: { amount: 13.34 } };
      assert.ok((await ana.post(`/cases/${decided.id}/propose`, all)).status < 300);
      const done = await approveCase(rafael, decided.id);
      assert.ok(done.status < 300, done.text);
    });
    assert.equal(await decided.open(), undefined);
    const { rows } = await ctx().db.query(sql`select from cases where account_id = ${decided.accountId}`);
    assert.equal(rows.length, 1);

    const paid = await newAccount(gateway);
    await owe(gateway, paid, 1);
    await watchWhile(() => give(gateway, paid, 5));
    const cases = await ctx().db.query(sql`select from cases where account_id = ${paid}`);
    assert.equal(cases.rows.length, 0);
  });

  test("closes a case for the payment that came first, and the write-off that came second is refused", async () => {
    const [ana, rafael] = [await newOperator(gateway, "Ana"), await newOperator(gateway, "Rafael")];
    const { accountId, id, open } = await inDebt(gateway);
    assert.ok((await ana.post(`/cases/${id}/propose`, WRITE_OFF)).status < 300);
    await give(gateway, accountId, 20);
    const late = await approveCase<Case>(rafael, id);
    assert.equal(late.body.proposal?.status, "refused", late.text);
    assert.match(late.text, /DEBT_CHANGED/);
    assert.equal(await timesWrittenOff(gateway, accountId), 0);
    await watchDebts({ ...ctx(), clock: clockAhead(WEEK + HOUR) });
    assert.equal(await open(), undefined);
  });
});

describe("the close of a day, by two processes", () => {
  test("happens once, without an error, where one lets go of the lock after the other's snapshot", async () => {
    const { db } = ctx();
    const { rows } = await db.query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
    const houseId = rows[0]!.account_id;
    const day = dayOf(new Date());
    const clock = clockAhead(dayWindow(day)!.to.getTime() + 6 * HOUR - Date.now());
    let closes = 0;
    const late: typeof db.transaction = (work, how) =>
      db.transaction(async (tx) => {
        const query: Tx["query"] = async (statement) => {
          const answer = await tx.query(statement);
          if (statement.text.startsWith("set transaction")) {
            // The first statement takes the snapshot. Then the other process closes the day, before this one asks for the lock.
            await tx.query(sql`select count(*) from day_closes`);
            if (await closeDue({ ...ctx(), clock }, houseId)) closes += 1;
          }
          return answer as never;
        };
        return work({ ...tx, query });
      }, how);
    assert.equal(await closeDue({ ...ctx(), clock, db: { ...db, transaction: late } }, houseId), false);
    assert.equal(closes, 1);
    assert.ok(await isClosed(db, day));
    assert.equal(await lastClosed(db), day);
    // Booked into it later: it shows as late on the next day.
    const merchant = await newMerchant(gateway);
    await give(gateway, merchant.accountId, 7);
    const next = clockAhead(dayWindow(day)!.to.getTime() + 30 * HOUR - Date.now());
    assert.equal(await closeDue({ ...ctx(), clock: next }, houseId), true);
    const { rows: moved } = await db.query<{ late: boolean; amount: number }>(sql`
      select m.late, sum(m.amount_in)::bigint as amount from close_movements m
      join ledger_accounts a on a.account_id = m.account_id and a.no = m.no
      where m.account_id = ${merchant.accountId} and a.kind = 'available' and m.day > ${day}::date group by m.late`);
    assert.deepEqual(moved, [{ late: true, amount: 700 }]);
  });
});
