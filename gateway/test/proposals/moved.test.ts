/** What a decision rests on may change before it is approved, and before it is carried out: then nothing is done. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { audit } from "../../src/audit-log/write.ts";
import { executeDue } from "../../src/cases/execute-due.ts";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import { reportWithdrawal } from "../../src/withdrawals/case.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { MANUAL, payoutsOf, show, withdraw } from "../contract/payouts.ts";
import type { Client } from "../harness/client.ts";
import { newOperator } from "../harness/debt.ts";
import { approveCase, rejectCase } from "../harness/decide.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Made, type Row, rowsOf } from "./objects.ts";

type Proposal = { status: string; result?: { code?: string; changes?: { fact: string }[] } };
type Case = { status: string; proposal?: Proposal };

const DAY = 86_400_000;
let gateway: TestGateway;
let [ana, rafael]: Client[] = [];
let rows: Readonly<Record<string, Row>>;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "on" });
  [ana, rafael] = [await newOperator(gateway, "Ana"), await newOperator(gateway, "Rafael")];
  rows = await rowsOf(gateway, ana);
});
after(() => gateway.end());

const db = () => gateway.running.ctx.db;
/** Every balance of the installation, and what the institution was asked to do. */
const money = async () => {
  const { rows: balances } = await db().query(sql`
    select account_id, kind, owner_id, balance from ledger_accounts order by 1, 2, 3`);
  const { rows: orders } = await db().query(sql`select return_id, status from pix_returns order by 1`);
  return { balances, orders };
};
const read = async (caseId: string) => (await ana!.get<Case>(`/cases/${caseId}`)).body;
async function propose(action: string, { caseId, parameters = {} }: Made): Promise<void> {
  // An entry that was recorded has been proposed already.
  await rejectCase(ana!, caseId);
  const reply = await ana!.post<Case>(`/cases/${caseId}/propose`, { action, parameters });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.proposal?.status, "awaiting_approval");
}
/** Approved by a process that died before it carried it out; what has happened since is done by `move`; then the loop comes. */
async function approvedAndLost(caseId: string, move: () => Promise<unknown>): Promise<void> {
  const operator = { name: "Rafael" };
  await db().transaction(async (tx) => {
    const { rows } = await tx.query<{ account_id: string; proposalId: string; action: string }>(sql`
      update case_proposals set status = 'approved', decided_by = ${operator.name}, decided_at = ${new Date()},
        next_at = ${new Date(Date.now() + DAY)}
      where case_id = ${caseId} and status = 'awaiting_approval' returning account_id, proposal_id as "proposalId", action`);
    const { account_id: accountId, ...entry } = rows[0]!;
    await audit({ ...gateway.running.ctx, operator }, tx, accountId, "case.approve", caseId, null, entry);
  });
  await move();
}
const loop = () => executeDue({ ...gateway.running.ctx, clock: clockAhead(2 * DAY) }, CASE_ACTIONS);

/**
 * Of books that were restored: they ask the institutions themselves as they are carried out (reconciliation/restore/case-actions.ts). A call that needs a
 * second person is its case, which closes with its proposal (security/two-persons).
 */
const ELSEWHERE = ["adopt", "finish", "carry_out"];
const ACTIONS = CASE_ACTIONS.filter(({ action }) => !ELSEWHERE.includes(action)).flatMap(({ kinds, action }) =>
  kinds.map((kind) => ({ kind, action })),
);

describe("a proposal", () => {
  test("of every action there is has its row here", () => {
    assert.deepEqual(ACTIONS.map(({ kind, action }) => `${kind} ${action}`).sort(), Object.keys(rows).sort());
  });

  for (const { kind, action } of ACTIONS) {
    test(`${action} of ${kind} is carried out on what it rests on, and on nothing that has moved`, async () => {
      const row = rows[`${kind} ${action}`]!;
      const still = await row.make();
      await propose(action, still);
      const done = await approveCase<Case>(rafael!, still.caseId);
      assert.equal(done.body.proposal?.status, "executed", done.text);
      const ways = Object.keys(still.moves);
      // The institution has one balance; of all else many objects are decided about at once.
      const parts = kind === "balance_drift" ? ways.map((way) => [way]) : [ways];
      for (const part of parts) {
        await refusedWhere(part, row, action, "before it is approved");
        await refusedWhere(part, row, action, "before it is carried out");
      }
      assert.deepEqual(gateway.takeErrors(), []);
    });
  }
});

describe("a decision that a payout was not paid", () => {
  async function pass(later = 0): Promise<void> {
    const sender = createSender({ ...gateway.running.ctx, clock: clockAhead(later) });
    await sender.runDue();
    await sender.idle();
  }
  const paidAtBank = async (id: string) => {
    const [payout] = await payoutsOf(gateway, id);
    const reply = await gateway.simulator.post(`/payouts/${payout!.idEnvio}/settle`, { outcome: "complete" });
    assert.equal(reply.status, 200, reply.text);
  };
  /** A payout that has no end, proposed as failed by Ana. */
  async function proposed() {
    const merchant = await newMerchant(gateway);
    await give(gateway, merchant.accountId, 100);
    const { id } = await withdraw(merchant.client, MANUAL);
    await pass();
    await gateway.running.ctx.lanes.run(reportWithdrawal, {
      ...merchant,
      withdrawalId: id,
      latest: { state: "not_shown" },
    });
    const { items } = (
      await ana!.get<{ items: { id: string; objectId: string }[] }>(`/cases?accountId=${merchant.accountId}`)
    ).body;
    const caseId = items.find(({ objectId }) => objectId === id)!.id;
    await propose("force_failed", { caseId, parameters: { reason: "The bank has the money." } });
    return { ...merchant, id, caseId };
  }
  const paid = { available: 9_000, promotional: 0, held: 0, total: 9_000 };

  test("is refused where the institution has paid it meanwhile, and only the institution knows", async () => {
    const { client, id, caseId } = await proposed();
    await paidAtBank(id);
    const late = await approveCase<Case>(rafael!, caseId);
    assert.equal(late.body.proposal?.result?.code, "CASE_CHANGED", late.text);
    assert.deepEqual(
      late.body.proposal?.result?.changes?.filter(({ fact }) => fact === "outside.status"),
      [{ fact: "outside.status", was: "processing", is: "settled" }],
    );
    assert.deepEqual([late.body.status, (await show(client, id)).status], ["closed", "completed"], "and it is booked");
    assert.deepEqual(await balancesOf(client), paid);
  });

  test("is refused by the loop where its process died, and the payment was booked before the loop came", async () => {
    const { client, id, caseId } = await proposed();
    await approvedAndLost(caseId, async () => {
      await paidAtBank(id);
      await pass(DAY);
      assert.equal((await show(client, id)).status, "completed");
    });
    while ((await loop()) > 0);
    assert.equal((await read(caseId)).proposal?.status, "refused");
    assert.deepEqual([(await show(client, id)).status, await balancesOf(client)], ["completed", paid]);
  });
});

/** Moves an object in each of these ways between the steps of a proposal: it is refused then, and moves nothing. */
async function refusedWhere(
  ways: readonly string[],
  row: Row,
  action: string,
  when: "before it is approved" | "before it is carried out",
): Promise<void> {
  const made = await Promise.all(
    ways.map(async (way) => {
      const one = await row.make();
      await propose(action, one);
      if (when === "before it is carried out") await approvedAndLost(one.caseId, one.moves[way]!);
      else await one.moves[way]!();
      return { way, caseId: one.caseId };
    }),
  );
  const before = await money();
  if (when === "before it is carried out") while ((await loop()) > 0);
  for (const { way, caseId } of made) {
    const says = `${way}, ${when}: `;
    if (when === "before it is approved") {
      const late = await approveCase<{ details?: { code: string } }>(rafael!, caseId);
      if (late.status !== 200) {
        assert.deepEqual([late.status, late.body.details?.code], [400, "CASE_CLOSED"], says + late.text);
        continue;
      }
    }
    const { proposal } = await read(caseId);
    assert.equal(proposal?.status, "refused", says + JSON.stringify(proposal));
  }
  assert.deepEqual(await money(), before, `${ways.join("; ")}: nothing moves, ${when}`);
}
