/** Where one person decides about cases, but an amount is set above which two move money: an action counts by what it moves. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, test } from "node:test";
import { checkFresh } from "../../src/auditor/check-fresh.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { writeOffReturn } from "../../src/claims/returns/force.ts";
import { sql } from "../../src/db/sql.ts";
import { findUnmatched } from "../../src/unmatched/act.ts";
import { keepUnmatched } from "../../src/unmatched/keep.ts";
import { returnReceipt } from "../../src/unmatched/resolve.ts";
import type { Client } from "../harness/client.ts";
import { inDebt, owe, timesWrittenOff } from "../harness/debt.ts";
import { approveCase } from "../harness/decide.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Case = { id: string; status: string; proposal: { status: string } };

let gateway: TestGateway;
let [ana, bia]: Client[] = [];
before(async () => {
  gateway = await startGateway({
    ...{ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "off", PIXGATE_TWO_PERSONS_ABOVE: "20.00" },
  });
  [ana, bia] = [await operatorOf(gateway, "Ana", "admin"), await operatorOf(gateway, "Bia", "admin")];
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

const propose = (id: string, amount: number) =>
  ana!.post<Case>(`/cases/${id}/propose`, { action: "write_off", parameters: { amount } });

test("a debt is written off by one up to the amount, and above it by two, although its case still names less", async () => {
  const more = await inDebt(gateway);
  await owe({ ...gateway, operator: bia! }, more.accountId, 12.34);
  const waiting = await propose(more.id, 24.68);
  assert.deepEqual([waiting.body.status, waiting.body.proposal.status], ["open", "awaiting_approval"], waiting.text);
  assert.equal(await timesWrittenOff(gateway, more.accountId), 0);
  assert.equal((await approveCase<Case>(bia!, more.id)).body.proposal.status, "executed");
  assert.equal(await timesWrittenOff(gateway, more.accountId), 1);

  const less = await inDebt({ ...gateway, operator: await operatorOf(gateway, "Rui", "admin") });
  const alone = await propose(less.id, 12.34);
  assert.deepEqual([alone.body.status, alone.body.proposal.status], ["closed", "executed"], alone.text);
  assert.equal(await timesWrittenOff(gateway, less.accountId), 1);
});

test("a write-off is taken back, once and whole, when the debt was paid after all; the books know both", async () => {
  const { accountId, id } = await inDebt({ ...gateway, operator: await operatorOf(gateway, "Leo", "admin") });
  const path = `/accounts/${accountId}/adjustments`;
  assert.equal((await propose(id, 12.34)).body.proposal.status, "awaiting_approval");
  const written = await approveCase<Case & { proposal: { result: { transactionId: string } } }>(bia!, id);
  const { transactionId: takesBack } = written.body.proposal.result;
  let takers = 0;
  // What is refused counts for the day of its human as well.
  const take = async (more: object = {}) =>
    (await operatorOf(gateway, `Taker ${++takers}`, "finance")).post<{
      id: string;
      details: { code: string; caseId: string };
    }>(path, {
      ...{ amount: -12.34, balance: "available", reason: "Paid after all", takesBack, ...more },
    });
  const sums = async () => {
    const { rows } = await gateway.owner.query<{ kind: string; balance: number }>(sql`
      select kind, balance from ledger_accounts where account_id = ${accountId} and kind in ('available', 'write_offs') order by kind`);
    return rows.map(({ balance }) => balance);
  };
  assert.deepEqual(await sums(), [0, -1_234]);
  // The wallet has nothing that could be taken.
  assert.equal((await take()).status, 400);
  assert.deepEqual(await sums(), [0, -1_234]);
  const gift = { amount: 15, balance: "available", reason: "It came back" };
  assert.equal((await (await operatorOf(gateway, "Eva", "admin")).post(path, gift)).status, 201);
  for (const [wrong, code] of [
    [{ amount: -12.33 }, 400],
    [{ amount: 12.34 }, 400],
    [{ balance: "promotional" }, 400],
    [{ takesBack: id }, 404],
  ] as const) {
    assert.equal((await take(wrong)).status, code, JSON.stringify(wrong));
  }
  assert.deepEqual(await sums(), [1_500, -1_234]);
  const done = await take();
  assert.equal(done.status, 201, done.text);
  assert.deepEqual(await sums(), [266, 0]);
  const again = await take({ reason: "Once more" });
  assert.notEqual(again.status, 201, again.text);
  assert.deepEqual(await sums(), [266, 0]);
});

test("a forged taking-back of a write-off is found by the check of what is new: the write-off's own entry decides nothing of it", async () => {
  const { accountId, id } = await inDebt({ ...gateway, operator: await operatorOf(gateway, "Gil", "admin") });
  assert.equal((await propose(id, 12.34)).body.proposal.status, "awaiting_approval");
  const written = await approveCase<Case & { proposal: { result: { transactionId: string } } }>(bia!, id);
  const { transactionId } = written.body.proposal.result;
  const undo = new Error("undo");
  await gateway.owner
    .transaction(async (tx) => {
      const named = async () => {
        const { violations } = await checkFresh(tx, { limit: 1_000_000, since: null });
        return violations.some((one) => one.invariant.startsWith("N1") && one.accountId === accountId);
      };
      const of = sql`select no, kind from ledger_accounts where account_id = ${accountId} and kind in ('available', 'write_offs')`;
      const nos = new Map((await tx.query<{ no: number; kind: string }>(of)).rows.map(({ no, kind }) => [kind, no]));
      const [from, to] = [nos.get("available")!, nos.get("write_offs")!];
      await tx.query(sql`
        insert into ledger_transfers (account_id, kind, source_id, leg, amount, from_no, from_seq, from_balance, to_no, to_seq, to_balance,
          occurred_at, booked_at)
        select f.account_id, 'debt_written_off', ${transactionId}, 1, 1234, f.no, f.seq + 1, f.balance - 1234, t.no, t.seq + 1,
          t.balance + 1234, now(), now()
        from ledger_accounts f join ledger_accounts t on t.account_id = f.account_id and t.no = ${to}
        where f.account_id = ${accountId} and f.no = ${from}`);
      await tx.query(sql`
        update ledger_accounts set seq = seq + 1, balance = balance + case when no = ${to} then 1234 else -1234 end
        where account_id = ${accountId} and no in (${from}, ${to})`);
      assert.equal(await named(), true);
      throw undo;
    })
    .catch((error: unknown) => assert.equal(error, undo));
});

/** A receipt whose return failed and was written off. */
async function writtenOff(amount: number): Promise<{ accountId: string; returnId: string }> {
  const { ctx } = gateway.running;
  const { institutionId, environment } = (await ctx.psps.all())[0]!;
  const houses = await gateway.owner.query<{ id: string }>(sql`select account_id as id from accounts where is_house`);
  const accountId = houses.rows[0]!.id;
  // The bank has it as well: the end of a restore compares.
  const { e2eId } = (await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos: amount })).body;
  const pix = { e2eId, amount, paidAt: new Date(), returns: [] };
  await ctx.lanes.run(keepUnmatched, { accountId, institutionId, pix, reason: "no_txid" });
  const kept = await gateway.owner.query<{ id: string }>(
    sql`select pix_id as id from received_pix where e2e_id = ${e2eId}`,
  );
  const shown = await findUnmatched(ctx, kept.rows[0]!.id);
  await ctx.lanes.run(returnReceipt, { accountId, actor: "Ana", shown });
  const { rows } = await gateway.owner.query<{ returnId: string; pspId: string }>(sql`
    select return_id as "returnId", psp_id as "pspId" from pix_returns where e2e_id = ${e2eId}`);
  const [{ returnId, pspId }] = rows as [{ returnId: string; pspId: string }];
  const end = { kind: "failed", reason: "The account is closed." } as const;
  await ctx.lanes.run(finishReturn, { accountId, e2eId, institutionId, environment, pspId, amount, end });
  await ctx.lanes.run(writeOffReturn, { accountId, e2eId, returnId, proposalId: randomUUID(), actor: "Ana" });
  return { accountId, returnId };
}

test("a failed return's write-off is taken back by one up to the amount, and above it by two", async () => {
  const take = async (by: string, returnId: string) =>
    (await operatorOf(gateway, by, "finance")).post<{ status: string; details: { code: string; caseId: string } }>(
      `/unmatched/${returnId}/resolve`,
      { action: "take_back" },
    );
  const gain = async (accountId: string) => {
    const { rows } = await gateway.owner.query<{ balance: number }>(sql`
      select balance from ledger_accounts where account_id = ${accountId} and kind = 'write_offs'`);
    return rows[0]!.balance;
  };
  const less = await writtenOff(2_000);
  assert.equal(await gain(less.accountId), 2_000);
  const alone = await take("Tia", less.returnId);
  assert.deepEqual([alone.status, alone.body.status, await gain(less.accountId)], [200, "open", 0], alone.text);
  const more = await writtenOff(2_001);
  const asked = await take("Zoe", more.returnId);
  assert.deepEqual([asked.status, asked.body.details.code], [403, "TWO_PERSONS_REQUIRED"], asked.text);
  assert.equal(await gain(more.accountId), 2_001);
  const done = await approveCase<Case>(bia!, asked.body.details.caseId);
  assert.deepEqual([done.body.proposal.status, await gain(more.accountId)], ["executed", 0], done.text);
  assert.equal((await take("Kim", more.returnId)).body.details.code, "UNMATCHED_RESOLVED");
});

test("a decision that moved nothing counts for who made it, and for whoever makes it again as well", async () => {
  const { accountId, id } = await inDebt({ ...gateway, operator: await operatorOf(gateway, "Max", "admin") });
  const path = `/accounts/${accountId}/adjustments`;
  const gift = { amount: 5, balance: "available", reason: "A part of it" };
  assert.equal((await (await operatorOf(gateway, "Ida", "admin")).post(path, gift)).status, 201);
  const wanted = { action: "write_off", parameters: { amount: 12.34 } };
  const by = async (name: string) =>
    (await operatorOf(gateway, name, "admin")).post<Case>(`/cases/${id}/propose`, wanted);
  const failed = await by("Noa");
  assert.equal(failed.body.proposal.status, "refused", failed.text);
  await owe({ ...gateway, operator: await operatorOf(gateway, "Jon", "admin") }, accountId, 5);
  const done = await by("Uli");
  assert.equal(done.body.proposal.status, "executed", done.text);
  const { rows } = await gateway.owner.query<{ amount: number }>(sql`
    select amount from moved_alone where reference like ${`case ${id} %`}`);
  assert.deepEqual(rows, [{ amount: 1_234 }, { amount: 1_234 }]);
});

test("a restore, which has no amount, is ended by two", async () => {
  type Status = { restored: boolean };
  const isRestored = async () => (await bia!.get<Status>("/restore")).body.restored;
  assert.equal((await ana!.post("/restore/begin", { reason: "The disk was set back." })).status, 200);
  const asked = await ana!.post<Status>("/restore/finish", { reason: "It lives.", openWithdrawals: "confirm_all" });
  assert.deepEqual([asked.status, asked.body.restored], [200, true], asked.text);
  const [about] = (await bia!.get<{ items: Case[] }>("/cases?kind=installation_restored&status=open")).body.items;
  const done = await approveCase<Case>(bia!, about!.id);
  assert.equal(done.body.proposal.status, "executed", done.text);
  assert.equal(await isRestored(), false);
  // That it was a restored copy is an error in the log.
  gateway.takeErrors();
});
