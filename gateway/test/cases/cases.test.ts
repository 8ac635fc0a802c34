/** What a person must decide: cases open and close with their facts, and two persons decide where two are required. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { audit } from "../../src/audit-log/write.ts";
import type { CaseAction } from "../../src/cases/action.ts";
import { executeDue } from "../../src/cases/execute-due.ts";
import { writeCases } from "../../src/cases/write.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { clockAhead } from "../../src/context.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { firstUuidAt } from "../../src/lib/ids.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import { watchDebts } from "../../src/treasury/watch-debts.ts";
import { brokenBy, ROLLED_BACK } from "../harness/broken.ts";
import { Client } from "../harness/client.ts";
import { owe } from "../harness/debt.ts";
import { approveCase, readProposal, rejectCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Case = {
  id: string;
  kind: string;
  status: string;
  severity: string;
  objectId: string;
  amount?: number;
  assignee?: string;
  closedBecause?: string;
  evidence: { says: string; source: string; data?: Record<string, unknown> };
  proposal?: { status: string; proposedBy: string; decidedBy?: string; result?: Record<string, unknown> };
  actions: { action: string; parameters: object[] }[];
  history: { kind: string; actor: string; body: Record<string, unknown> }[];
};
type Refusal = {
  details: {
    code: string;
    caseId?: string;
    proposalId?: string;
    action?: string;
    proposedBy?: string;
    issues?: { path: string }[];
  };
};

const DAY = 86_400_000;
const PERSON = { name: "Ana Pessoa", document: "52998224725" };
let gateway: TestGateway;
/** Two persons of the finance role, and one who may only read. */
let [ana, rafael, lia]: Client[] = [];

before(async () => {
  gateway = await startGateway({ PIXGATE_TWO_PERSONS: "on" });
  ana = await operatorOf(gateway, "Ana");
  rafael = await operatorOf(gateway, "Rafael");
  lia = await operatorOf(gateway, "Lia", "support");
});
afterEach(async () => {
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  await gateway.verify();
});
after(() => gateway.stop());

const db = () => gateway.running.ctx.db;
const read = async (id: string) => (await lia!.get<Case>(`/cases/${id}`)).body;
const openCaseOf = (objectId: string) =>
  eventually(`a case of ${objectId}`, async () => {
    const page = await lia!.get<{ items: Case[] }>("/cases?status=open&limit=100");
    return page.body.items.find((one) => one.objectId === objectId);
  });
/** A Pix that names no charge, with its case. */
async function receipt(amountCentavos = 1000): Promise<{ e2eId: string; pixId: string; caseId: string }> {
  const sent = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos, payer: PERSON });
  const { e2eId } = sent.body;
  const pixId = await eventually("the receipt", async () => {
    await db().query(sql`update received_polls set next_at = ${new Date()}`);
    const { rows } = await db().query<{ pix_id: string }>(sql`select pix_id from received_pix where e2e_id = ${e2eId}`);
    return rows[0]?.pix_id;
  });
  return { e2eId, pixId, caseId: (await openCaseOf(pixId)).id };
}
/**
 * As if the process of an approved proposal had died, and its lease had ended: it is due for who runs `executeLater`, and not yet for
 * the gateway's own loop, which would be the first.
 */
async function approveAndDie(caseId: string): Promise<void> {
  const ctx = { ...gateway.running.ctx, operator: { name: "Rafael" } };
  await gateway.owner.transaction(async (tx) => {
    const { rows } = await tx.query<{ accountId: string; proposalId: string; action: string; isNew: boolean }>(sql`
      update case_proposals p set status = 'approved', next_at = ${new Date(Date.now() + DAY)},
        decided_by = ${ctx.operator.name}, decided_at = coalesce(p.decided_at, ${ctx.clock.date()})
      from case_proposals before
      where p.case_id = ${caseId} and before.account_id = p.account_id and before.proposal_id = p.proposal_id
        and p.status in ('awaiting_approval', 'approved')
      returning p.account_id as "accountId", p.proposal_id as "proposalId", p.action, before.status = 'awaiting_approval' as "isNew"`);
    const { accountId, isNew, ...entry } = rows[0]!;
    if (isNew) await audit(ctx, tx, accountId, "case.approve", caseId, null, entry);
  });
}
const executeLater = (actions: readonly CaseAction[]) =>
  executeDue({ ...gateway.running.ctx, clock: clockAhead(2 * DAY) }, actions);
const suspense = async () =>
  (
    await db().query<{ sum: number }>(
      sql`select sum(balance)::bigint as sum from ledger_accounts where kind = 'suspense'`,
    )
  ).rows[0]!.sum;
const refused = async (reply: { status: number; body: unknown }, status: number, code: string) => {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  assert.equal((reply.body as Refusal).details.code, code);
};

describe("a case", () => {
  test("is opened by the transaction that finds its fact, with the evidence and what can be done", async () => {
    const { e2eId, pixId, caseId } = await receipt(1234);
    const found = await read(caseId);
    assert.deepEqual(
      [found.kind, found.status, found.severity, found.objectId, found.amount],
      ["unmatched_receipt", "open", "warning", pixId, 12.34],
    );
    assert.equal(found.evidence.says, "The Pix names no charge.");
    assert.equal(found.evidence.data?.e2eId, e2eId);
    assert.deepEqual(
      found.actions.map(({ action }) => action),
      ["assign", "return", "treasury", "write_off"],
    );
    assert.deepEqual(found.actions[0]!.parameters, [
      { name: "accountId", required: true, type: "string" },
      { name: "chargeId", required: true, type: "string" },
    ]);
    assert.deepEqual(found.actions[2]!.parameters[0], {
      ...{ name: "kind", required: true, type: "string", values: ["top_up", "interbank"] },
    });
    assert.deepEqual(
      found.history.map(({ kind, actor }) => [kind, actor]),
      [["opened", "pixgate"]],
    );
  });

  test("is listed by kind, status, severity and account, a page at a time, and counted", async () => {
    const [first, second] = [await receipt(), await receipt()];
    const page = await lia!.get<{ items: Case[]; nextCursor: string }>(
      "/cases?kind=unmatched_receipt&status=open&limit=1",
    );
    assert.deepEqual(
      page.body.items.map(({ id }) => id),
      [second.caseId],
    );
    const next = await lia!.get<{ items: Case[] }>(
      `/cases?kind=unmatched_receipt&status=open&limit=1&cursor=${page.body.nextCursor}`,
    );
    assert.deepEqual(
      next.body.items.map(({ id }) => id),
      [first.caseId],
    );
    assert.deepEqual((await lia!.get<{ items: Case[] }>("/cases?severity=critical")).body.items, []);
    const mine = await lia!.get<{ items: Case[] }>(`/cases?accountId=${gateway.sandbox.accountId}`);
    assert.deepEqual(mine.body.items, [], "receipts without a charge are the house's");
    const { counts } = (await lia!.get<{ counts: { kind: string; count: number }[] }>("/cases?counts=true")).body;
    const { rows } = await db().query<{ n: number }>(sql`select count(*)::int as n from cases where status = 'open'`);
    assert.equal(counts.find(({ kind }) => kind === "unmatched_receipt")?.count, rows[0]!.n);
  });

  test("is assigned and noted, and remembers who did", async () => {
    const { caseId } = await receipt();
    assert.equal((await ana!.post<Case>(`/cases/${caseId}/assign`, { assignee: "Ana" })).body.assignee, "Ana");
    assert.equal((await ana!.post(`/cases/${caseId}/notes`, { text: "The bank answers tomorrow." })).status, 201);
    assert.equal((await ana!.post(`/cases/${caseId}/notes`, { text: "  " })).status, 400);
    const { history } = await read(caseId);
    assert.deepEqual(history.slice(1).map(({ kind, actor }) => [kind, actor]), [["assigned", "Ana"], ["note", "Ana"]]); // biome-ignore format: pairs
  });

  test("honours an Idempotency-Key: the same call again is the same answer, and is done once", async () => {
    const { caseId } = await receipt();
    const note = () =>
      ana!.post<Case>(`/cases/${caseId}/notes`, { text: "once" }, { headers: { "idempotency-key": `note-${caseId}` } });
    const [first, again] = [await note(), await note()];
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal((await read(caseId)).history.filter(({ kind }) => kind === "note").length, 1);
  });

  test("opens for what the auditor finds, and closes when an operator lifts the freeze", async () => {
    const { accountId } = gateway.sandbox;
    await gateway.owner.query(sql`
      insert into ledger_accounts (account_id, no, kind, owner_id, balance, seq) values (${accountId}, 9999, 'operator', null, 7, 0)`);
    assert.equal((await gateway.operator.post("/ledger/audits", { mode: "full" })).status, 201);
    const page = await lia!.get<{ items: Case[] }>(`/cases?kind=books_broken&status=open&accountId=${accountId}`);
    const [broken] = page.body.items;
    assert.equal(broken?.severity, "critical");
    assert.equal(broken?.evidence.source, "auditor");
    await gateway.owner.query(sql`delete from ledger_accounts where account_id = ${accountId} and no = 9999`);
    // The auditor's own check of what is new would find it gone, and report that after the test.
    await gateway.owner.query(sql`update audits set due_at = ${new Date(Date.now() + DAY)} where mode = 'fresh'`);
    const errors = gateway.takeErrors();
    assert.ok(
      errors.every((line) => /the books are broken|withdrawals of an account are frozen/.test(line)),
      "and nothing else",
    );
    await gateway.operator.post(`/accounts/${accountId}/lift-freeze`, { reason: "restored" });
    assert.deepEqual([(await read(broken!.id)).status, (await read(broken!.id)).closedBecause], ["closed", "decided"]);
  });
});

describe("where two persons decide", () => {
  test("what one proposes moves nothing until another approves it, and then happens once", async () => {
    const { caseId, e2eId } = await receipt(2000);
    const before = await suspense();
    const proposed = await ana!.post<Case>(`/cases/${caseId}/propose`, { action: "return" });
    assert.equal(proposed.status, 200, proposed.text);
    assert.equal(proposed.body.proposal?.status, "awaiting_approval");
    await refused(await approveCase(ana!, caseId), 403, "APPROVAL_BY_CREATOR");
    await refused(await rafael!.post(`/cases/${caseId}/propose`, { action: "return" }), 409, "CASE_PROPOSAL_OPEN");
    assert.equal(await suspense(), before, "nothing has moved");

    const approved = await approveCase<Case>(rafael!, caseId);
    assert.equal(approved.status, 200, approved.text);
    assert.equal(approved.body.status, "closed");
    assert.deepEqual(
      [approved.body.proposal?.status, approved.body.proposal?.proposedBy, approved.body.proposal?.decidedBy],
      ["executed", "Ana", "Rafael"],
    );
    assert.equal(await suspense(), before - 2000);
    await refused(await approveCase(rafael!, caseId), 400, "CASE_CLOSED");
    await eventually("the return", async () => {
      const { rows } = await db().query(sql`select from pix_returns where e2e_id = ${e2eId} and status = 'confirmed'`);
      return rows.length === 1;
    });
    const log = await gateway.operator.get<{ items: { action: string; actor: string }[] }>(
      `/audit-log?objectId=${caseId}`,
    );
    assert.deepEqual(log.body.items.map(({ action, actor }) => [action, actor]).reverse(), [
      ["case.propose", "Ana"],
      ["case.approve", "Rafael"],
      ["case.executed", "Rafael"],
    ]);
  });

  test("a rejected proposal moves nothing, and another one may follow", async () => {
    const { caseId } = await receipt();
    const before = await suspense();
    await refused(await rejectCase(rafael!, caseId), 400, "CASE_NOTHING_PROPOSED");
    await ana!.post(`/cases/${caseId}/propose`, { action: "return" });
    assert.equal((await rejectCase<Case>(rafael!, caseId, "wait")).body.proposal?.status, "rejected");
    assert.equal(await suspense(), before);
    assert.equal((await rafael!.post(`/cases/${caseId}/propose`, { action: "return" })).status, 200);
  });

  test("who approves or rejects names the proposal that was read: another one that stands there now is not decided", async () => {
    const { caseId } = await receipt();
    const before = await suspense();
    await ana!.post(`/cases/${caseId}/propose`, { action: "write_off" });
    const read = await readProposal(rafael!, caseId);
    // The proposer withdraws what was read, and puts something else in its place.
    assert.equal((await rejectCase(ana!, caseId)).status, 200);
    await ana!.post(`/cases/${caseId}/propose`, { action: "return" });
    const now = await readProposal(lia!, caseId);
    for (const step of ["approve", "reject"]) {
      const late = await rafael!.post<Refusal>(`/cases/${caseId}/${step}`, { proposalId: read });
      await refused(late, 409, "PROPOSAL_CHANGED");
      assert.deepEqual(
        [late.body.details.proposalId, late.body.details.action, late.body.details.proposedBy],
        [now, "return", "Ana"],
      );
      await refused(await rafael!.post(`/cases/${caseId}/${step}`, {}), 400, "VALIDATION_ERROR");
    }
    assert.equal(await readProposal(lia!, caseId), now);
    assert.equal(await suspense(), before, "nothing has moved");
    assert.equal((await approveCase<Case>(rafael!, caseId)).body.proposal?.status, "executed");
  });

  test("the newest proposal is the last one, however fast the clock was of the process that stored the one before", async () => {
    const { caseId } = await receipt();
    await ana!.post(`/cases/${caseId}/propose`, { action: "write_off" });
    assert.equal((await rejectCase(ana!, caseId)).status, 200);
    const ahead = firstUuidAt(Date.now() + 50_000);
    const { rows } = await gateway.owner.query<{ id: string }>(
      sql`select proposal_id as id from case_proposals where case_id = ${caseId}`,
    );
    const rename = (from: string, to: string) =>
      gateway.owner.query(sql`update case_proposals set proposal_id = ${to} where proposal_id = ${from}`);
    await rename(rows[0]!.id, ahead);
    const again = await ana!.post<Case>(`/cases/${caseId}/propose`, { action: "return" });
    assert.deepEqual([again.status, again.body.proposal?.status], [200, "awaiting_approval"], again.text);
    assert.equal((await approveCase<Case>(rafael!, caseId)).body.proposal?.status, "executed");
    // The audit log has it by the id that it was given.
    await rename(ahead, rows[0]!.id);
  });

  test("the routes of unmatched receipts refuse to decide alone, name the case, and move nothing", async () => {
    const { caseId, pixId } = await receipt();
    const before = await suspense();
    const alone = await ana!.post<Refusal>(`/unmatched/${pixId}/resolve`, { action: "return" });
    await refused(alone, 403, "TWO_PERSONS_REQUIRED");
    assert.equal(alone.body.details.caseId, caseId);
    assert.equal(await suspense(), before);
  });

  test("an action that does not fit, or lacks what it needs, is refused by name", async () => {
    const { caseId } = await receipt();
    const unknown = await ana!.post<Refusal>(`/cases/${caseId}/propose`, { action: "force_failed" });
    await refused(unknown, 400, "VALIDATION_ERROR");
    assert.deepEqual(
      unknown.body.details.issues?.map(({ path }) => path),
      ["action"],
    );
    const lacking = await ana!.post<Refusal>(`/cases/${caseId}/propose`, { action: "assign", parameters: {} });
    await refused(lacking, 400, "VALIDATION_ERROR");
    assert.equal((await read(caseId)).proposal, undefined);
    for (const step of ["assign", "notes", "propose", "approve", "reject"]) {
      assert.equal((await lia!.post(`/cases/${caseId}/${step}`, {})).status, 403, step);
    }
  });

  test("what is no longer possible when it is approved is refused, reported in the case, and moves nothing", async () => {
    const { caseId } = await receipt();
    const nowhere = { accountId: gateway.sandbox.accountId, chargeId: gateway.sandbox.accountId };
    await ana!.post(`/cases/${caseId}/propose`, { action: "assign", parameters: nowhere });
    const before = await suspense();
    const approved = await approveCase<Case>(rafael!, caseId);
    assert.deepEqual(
      [approved.body.status, approved.body.proposal?.status, approved.body.proposal?.result?.code],
      ["open", "refused", "RESOURCE_NOT_FOUND"],
    );
    assert.equal(await suspense(), before);
  });

  test("a person is a token, not a name: who takes over a revoked name may approve, and a renamed one may not", async () => {
    const { caseId } = await receipt();
    const made = await gateway.operator.post<{ id: string; token: string }>("/tokens", {
      name: "Eva",
      role: "finance",
    });
    const first = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
    assert.equal((await first.post(`/cases/${caseId}/propose`, { action: "return" })).status, 200);
    await gateway.owner.query(sql`update operator_tokens set name = 'Maria' where token_id = ${made.body.id}`);
    await eventually("the new name", async () => (await first.get<Case>(`/cases/${caseId}`)).status === 200);
    const second = await operatorOf(gateway, "Eva");
    await refused(await approveCase(first, caseId), 403, "APPROVAL_BY_CREATOR");
    assert.equal((await approveCase<Case>(second, caseId)).body.proposal?.status, "executed");
  });

  test("an approved proposal whose process died is executed by the loop, once", async () => {
    const { caseId } = await receipt(3000);
    await ana!.post(`/cases/${caseId}/propose`, { action: "return" });
    const before = await suspense();
    await approveAndDie(caseId);
    await executeLater(CASE_ACTIONS);
    await executeLater(CASE_ACTIONS);
    assert.equal((await read(caseId)).status, "closed");
    assert.equal(await suspense(), before - 3000);
  });
});

test("what was decided closes its own case, and not one that the same object has opened meanwhile", async () => {
  const { caseId, pixId } = await receipt(3100);
  await ana!.post(`/cases/${caseId}/propose`, { action: "return" });
  await approveAndDie(caseId);
  // As a return that is tried again under its own id, and fails before the proposal is marked as executed.
  const gives = CASE_ACTIONS.find(({ action, kinds }) => action === "return" && kinds.includes("unmatched_receipt"))!;
  const failsAgain: CaseAction = {
    ...gives,
    async execute(ctx, about, ...rest) {
      const { accountId, kind, objectId } = about;
      await gives.execute(ctx, about, ...rest);
      const ids = () => ({ now: ctx.clock.date(), newId: () => ctx.ids.uuid() });
      const fact = { accountId, kind, objectId, institutionId: null, amount: 3100, deadline: null };
      await writeCases(ctx.db, { open: [{ ...fact, evidence: { says: "Again.", source: "gateway" } }] }, ids());
      return {};
    },
  };
  await executeLater([failsAgain]);
  assert.equal((await read(caseId)).status, "closed");
  const next = await openCaseOf(pixId);
  assert.deepEqual([next.id === caseId, next.evidence.says], [false, "Again."]);
  // Nothing failed in truth, and nothing waits.
  await gateway.owner.query(sql`
    update cases set status = 'closed', closed_at = ${new Date()}, closed_because = 'resolved' where case_id = ${next.id}`);
});

test("a proposal that cannot be executed keeps no other waiting", async () => {
  const [first, second] = [await receipt(1700), await receipt(1800)];
  for (const { caseId } of [first, second]) {
    await ana!.post(`/cases/${caseId}/propose`, { action: "return" });
    await approveAndDie(caseId);
  }
  const gives = CASE_ACTIONS.find(({ action, kinds }) => action === "return" && kinds.includes("unmatched_receipt"))!;
  const failsOnce: CaseAction = {
    ...gives,
    async execute(ctx, about, ...rest) {
      if (about.objectId === first.pixId) throw new Error("The database went away.");
      return gives.execute(ctx, about, ...rest);
    },
  };
  const before = await suspense();
  await executeLater([failsOnce]);
  assert.deepEqual(gateway.takeErrors(), ["an approved proposal was not executed; it is due again"]);
  const [failed, other] = [await read(first.caseId), await read(second.caseId)];
  assert.deepEqual([failed.status, failed.proposal?.status], ["open", "approved"]);
  assert.deepEqual([other.status, other.proposal?.status, await suspense()], ["closed", "executed", before - 1800]);
  await approveAndDie(first.caseId);
  await executeLater(CASE_ACTIONS);
  assert.deepEqual([(await read(first.caseId)).status, await suspense()], ["closed", before - 3500]);
});

test("a debt's write-off is listed by the time of its booking, however long it waited for approval", async () => {
  const { accountId } = gateway.sandbox;
  await owe(gateway, accountId, 99.5);
  const { ctx } = gateway.running;
  await watchDebts({ ...ctx, clock: clockAhead(8 * DAY) });
  const page = await lia!.get<{ items: Case[] }>(`/cases?kind=wallet_debt&status=open&accountId=${accountId}`);
  const { id, amount } = page.body.items[0]!;
  await ana!.post(`/cases/${id}/propose`, { action: "write_off", parameters: { amount } });
  // As if it had been proposed two days ago.
  await gateway.owner.query(sql`
    update case_proposals set proposal_id = ${firstUuidAt(Date.now() - 2 * DAY)} where case_id = ${id}`);
  const approved = await approveCase<Case>(rafael!, id);
  assert.equal(approved.body.proposal?.status, "executed", approved.text);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const listed = await gateway.merchant.get<{ items: { id: string; amount: number }[] }>(
    `/transactions?type=adjustment&from=${from}`,
  );
  assert.deepEqual(
    listed.body.items.map((one) => [one.id, one.amount]),
    [[approved.body.proposal?.result?.transactionId, amount]],
  );
  // The audit log has it by the id that it was given.
  await gateway.owner.query(sql`delete from case_proposals where case_id = ${id}`);
});

test("a Pix without a charge is booked where none can be suggested for it", async () => {
  const renamed = (from: string, to: string): Sql => ({
    text: `alter table charges rename column ${from} to ${to}`,
    values: [],
  });
  await gateway.owner.query(renamed("customer", "customer_away"));
  try {
    const { caseId } = await receipt(1900);
    assert.equal((await read(caseId)).evidence.says, "The Pix names no charge.");
    assert.deepEqual(gateway.takeErrors(), ["no charge could be suggested for a Pix that names none"]);
  } finally {
    await gateway.owner.query(renamed("customer_away", "customer"));
  }
});

describe("a return to a payer", () => {
  /** A receipt that operators have sent back, and whose return stays at the institution until a test ends it. */
  async function returning(amountCentavos: number) {
    // Those that other tests have caused would stay at the institution too, and are in its balances until they end.
    await eventually("no return under way", async () => {
      const { rows } = await db().query(sql`select from pix_returns where status not in ('confirmed', 'failed')`);
      return rows.length === 0;
    });
    await gateway.simulator.patch("/behaviour", { returnDelayMs: 3_600_000 });
    const { caseId, e2eId } = await receipt(amountCentavos);
    await ana!.post(`/cases/${caseId}/propose`, { action: "return" });
    assert.equal((await approveCase(rafael!, caseId)).status, 200);
    const returnId = await eventually("the return at the institution", async () => {
      const { rows } = await db().query<{ return_id: string; psp_id: string }>(sql`
        select return_id, psp_id from pix_returns where e2e_id = ${e2eId}`);
      const { items } = (
        await gateway.simulator.get<{ items: { e2eId: string; returns: object[] }[] }>("/pix?limit=500")
      ).body;
      return items.some((pix) => pix.e2eId === e2eId && pix.returns.length > 0) && rows[0];
    });
    const settle = (body: object) => gateway.simulator.post(`/pix/${e2eId}/returns/${returnId.psp_id}/settle`, body);
    return { e2eId, returnId: returnId.return_id, settle };
  }
  const decide = async (caseId: string, action: string, parameters: object = {}) => {
    assert.equal((await ana!.post(`/cases/${caseId}/propose`, { action, parameters })).status, 200);
    const approved = await approveCase<Case>(rafael!, caseId);
    assert.deepEqual([approved.status, approved.body.status], [200, "closed"], approved.text);
    return approved.body;
  };
  const balances = async () => {
    const { rows } = await db().query<{ kind: string; balance: number }>(sql`
      select l.kind, l.balance from ledger_accounts l join accounts a on a.account_id = l.account_id and a.is_house
      where l.kind in ('returns', 'write_offs') order by l.kind`);
    return rows.map(({ kind, balance }) => [kind, balance]);
  };

  test("that cannot be made is written off by two persons, and leaves once where it was made after all", async () => {
    const { e2eId, returnId, settle } = await returning(900);
    await settle({ outcome: "fail", reason: "Conta encerrada." });
    const found = await openCaseOf(returnId);
    assert.equal(found.kind, "return_failed");
    assert.deepEqual(
      (await read(found.id)).actions.map(({ action }) => action),
      ["retry", "force_completed", "write_off"],
    );
    const proposed = await ana!.post<Case>(`/cases/${found.id}/propose`, { action: "write_off" });
    assert.equal(proposed.body.proposal?.status, "awaiting_approval");
    assert.deepEqual(await balances(), [["returns", 900]], "nothing has moved");
    assert.deepEqual((await approveCase<Case>(rafael!, found.id)).body.proposal?.result, { amount: 9 });
    assert.deepEqual(await balances(), [
      ["returns", 0],
      ["write_offs", 900],
    ]);
    const shown = (await ana!.get<{ status: string; resolution: { action: string } }>(`/unmatched/${returnId}`)).body;
    assert.deepEqual([shown.status, shown.resolution.action], ["booked", "treasury"]);
    const log = await gateway.operator.get<{ items: { action: string; actor: string }[] }>(
      `/audit-log?objectId=${returnId}`,
    );
    assert.deepEqual(
      log.body.items.map(({ action, actor }) => [action, actor]),
      [["return.write_off", "Rafael"]],
    );
    const ofReturn = sql`where return_id = ${returnId}`;
    for (const set of ["written_off_amount = written_off_amount + 1", "restored_at = updated_at"]) {
      const change = { text: `update pix_returns set ${set} ${ofReturn.text}`, values: ofReturn.values };
      if (!ROLLED_BACK) assert.deepEqual(await brokenBy(gateway.owner, change), ["N8", "R2", "R5"], set);
    }
    // What went back before the write-off is no reason to take it back.
    const early = sql`
      with gone as (
        insert into psp_returns (account_id, psp_return_id, leg, psp_id, e2e_id, institution_id, amount, source, settled_at, created_at)
        select account_id, gen_random_uuid(), 0, 'D7', e2e_id, institution_id, 1, 'returns', created_at, created_at
        from pix_returns where return_id = ${returnId})
      update pix_returns set restored_at = updated_at where return_id = ${returnId}`;
    if (!ROLLED_BACK) assert.ok((await brokenBy(gateway.owner, early)).includes("N8"));
    // The institution has found the money's way after all.
    const { rows } = await db().query<{ psp_id: string; account_id: string }>(sql`
      select psp_id, account_id from pix_returns where return_id = ${returnId}`);
    const [{ psp_id: pspId, account_id: accountId }] = rows as [{ psp_id: string; account_id: string }];
    const end = { kind: "settled" as const, rtrId: "D1", settledAt: new Date() };
    const { institutionId } = (await gateway.running.ctx.psps.all())[0]!;
    const late = { accountId, e2eId, institutionId, environment: "sandbox" as const, pspId, amount: 900, end };
    await Promise.all([1, 2].map(() => gateway.running.ctx.lanes.run(finishReturn, late)));
    assert.deepEqual(await balances(), [
      ["returns", 0],
      ["write_offs", 0],
    ]);
  });

  test("that was written off is taken back by two persons, once, and waits in a case again", async () => {
    const { returnId, settle } = await returning(120_000);
    await settle({ outcome: "fail", reason: "Conta encerrada." });
    await decide((await openCaseOf(returnId)).id, "write_off");
    const [returns, gain] = await balances();
    const take = (by: Client) =>
      by.post<Refusal & { status: string }>(`/unmatched/${returnId}/resolve`, { action: "take_back" });
    const asked = await take(ana!);
    assert.deepEqual([asked.status, asked.body.details.code], [403, "TWO_PERSONS_REQUIRED"], asked.text);
    const { caseId } = asked.body.details;
    assert.equal((await take(rafael!)).body.details.caseId, caseId, "it is the same wish");
    assert.equal((await approveCase(ana!, caseId!)).status, 403);
    assert.deepEqual(await balances(), [returns, gain], "nothing has moved");
    const approved = await approveCase<Case>(rafael!, caseId!);
    assert.deepEqual(approved.body.proposal?.result, { amount: 1200 }, approved.text);
    const [[, waiting], [, left]] = (await balances()) as [[string, number], [string, number]];
    assert.deepEqual([waiting, left], [(returns![1] as number) + 120_000, (gain![1] as number) - 120_000]);
    const shown = (await ana!.get<{ status: string; resolution: null }>(`/unmatched/${returnId}`)).body;
    assert.deepEqual([shown.status, shown.resolution], ["open", null]);
    const log = await gateway.operator.get<{ items: { action: string }[] }>(`/audit-log?objectId=${returnId}`);
    assert.deepEqual(
      log.body.items.map(({ action }) => action),
      ["return.take_back", "return.write_off"],
    );
    // Nobody decided it, were its entry another return's.
    const elsewhere = sql`update audit_log set object_id = account_id where object_id = ${returnId} and action = 'return.take_back'`;
    if (!ROLLED_BACK) assert.ok((await brokenBy(gateway.owner, elsewhere)).includes("N8"));
    const again = await take(rafael!);
    assert.deepEqual([again.status, again.body.details.code], [400, "UNMATCHED_RESOLVED"], again.text);
    const waits = await openCaseOf(returnId);
    assert.deepEqual(
      (await read(waits.id)).actions.map(({ action }) => action),
      ["retry", "force_completed"],
      "its money can be written off again only when it was retried",
    );
    const off = await ana!.post<Refusal>(`/cases/${waits.id}/propose`, { action: "write_off" });
    assert.deepEqual([off.status, off.body.details.code], [400, "VALIDATION_ERROR"], off.text);
    await decide(waits.id, "force_completed");
    assert.equal((await take(rafael!)).status, 404, "it is back with its payer, and waits for nobody");
    assert.deepEqual(await balances(), [returns, [gain![0], left]]);
  });

  test("without an end for half an hour is a case, which two persons end", async () => {
    const { returnId } = await returning(800);
    const longAgo = new Date(Date.now() - 31 * 60_000);
    const change = (left: Date | null, retried: Date | null) =>
      db().query<{ attempts: number }>(sql`
        update pix_returns set created_at = ${longAgo}, left_at = ${left}, retried_at = ${retried}, next_at = ${new Date()}
        where return_id = ${returnId} and next_at is not null returning attempts`);
    // It left long ago, and a person has just had it tried again.
    const { rows: before } = await change(longAgo, new Date());
    await eventually("two queries", async () => {
      const { rowCount } = await db().query(sql`
        select from pix_returns where return_id = ${returnId} and attempts > ${before[0]!.attempts + 1}`);
      return rowCount === 1;
    });
    const { rows: cases } = await db().query(sql`
      select from pix_returns where return_id = ${returnId} and case_opened_at is not null`);
    assert.equal(cases.length, 0);
    // It failed before it left, and was tried again long ago.
    await change(null, longAgo);
    const found = await openCaseOf(returnId);
    assert.equal(found.evidence.data?.since, longAgo.toISOString());
    assert.deepEqual([found.kind, found.severity, found.amount], ["return_unresolved", "warning", 8]);
    const reason = "The bank says that it lost it.";
    await decide(found.id, "force_failed", { reason });
    const next = await openCaseOf(returnId);
    assert.deepEqual([next.kind, next.evidence.says.length > 0], ["return_failed", true]);
    await decide(next.id, "force_completed");
    const { rows } = await db().query<{ status: string }>(sql`
      select status from pix_returns where return_id = ${returnId}`);
    assert.deepEqual(rows, [{ status: "confirmed" }]);
    assert.deepEqual(await balances(), [
      ["returns", 0],
      ["write_offs", 0],
    ]);
  });
});

test("where one person is enough, what is proposed is done at once", async () => {
  const other = await startGateway();
  try {
    const sent = await other.simulator.post<{ e2eId: string }>("/pix", { amountCentavos: 500, payer: PERSON });
    const found = await eventually("the case", async () => {
      await other.running.ctx.db.query(sql`update received_polls set next_at = ${new Date()}`);
      return (await other.operator.get<{ items: Case[] }>("/cases")).body.items.find(
        ({ evidence }) => evidence.data?.e2eId === sent.body.e2eId,
      );
    });
    const done = await other.operator.post<Case>(`/cases/${found.id}/propose`, { action: "return" });
    assert.deepEqual([done.body.status, done.body.proposal?.status], ["closed", "executed"]);
  } finally {
    await other.stop();
  }
});
