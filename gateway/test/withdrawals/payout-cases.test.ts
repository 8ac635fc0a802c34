/** Payouts that need a person: no end, an end that the books contradict, and none at all any more. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { approve, execute } from "../../src/cases/decide.ts";
import { executeDue } from "../../src/cases/execute-due.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import type { PspPayout } from "../../src/psp/psp.ts";
import { bookWithdrawal } from "../../src/withdrawals/book.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { eventOf } from "../contract/payments.ts";
import { payoutsOf, show, type Withdrawal, withdraw } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { approveCase, readProposal } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Case = {
  id: string;
  kind: string;
  status: string;
  closedBecause?: string;
  amount: number;
  evidence: { says: string; data: Record<string, unknown> };
  proposal?: { status: string; result?: Record<string, unknown> };
  actions: { action: string }[];
};
type Known = Withdrawal & { mayHaveLeft: boolean; lastWords?: string; nextQueryAt?: string; caseId?: string };

let gateway: TestGateway;
let merchant: Merchant;
let [ana, rafael]: Client[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "on" });
  [ana, rafael] = [await operatorOf(gateway, "Ana"), await operatorOf(gateway, "Rafael")];
});
beforeEach(async () => {
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 100);
  await gateway.operator.patch(`/accounts/${merchant.accountId}`, { fees: { withdrawal: { fixed: 1 } } });
});
afterEach(async () => {
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  await gateway.verify();
});
after(() => gateway.stop());

const ctx = () => gateway.running.ctx;
/** One pass of the loop that sends withdrawals, `later` milliseconds from now. */
async function pass(later = 0): Promise<void> {
  const clock = { now: () => Date.now() + later, date: () => new Date(Date.now() + later) };
  const sender = createSender({ ...ctx(), clock });
  await sender.runDue();
  await sender.idle();
}
const casesOf = async (id: string): Promise<Case[]> => {
  const page = await ana!.get<{ items: Case[] }>(`/cases?accountId=${merchant.accountId}`);
  return page.body.items.filter((one) => (one as { objectId?: string }).objectId === id);
};
const openCaseOf = async (id: string) => (await casesOf(id)).find(({ status }) => status === "open");
const known = async (id: string) => (await ana!.get<Known>(`/withdrawals/${id}`)).body;
const decide = async (caseId: string, body: Record<string, unknown>): Promise<Case> => {
  const proposed = await ana!.post<Case>(`/cases/${caseId}/propose`, body);
  assert.equal(proposed.status, 200, proposed.text);
  assertRefused(await approveCase(ana!, caseId), 403, "APPROVAL_BY_CREATOR");
  const approved = await approveCase<Case>(rafael!, caseId);
  assert.equal(approved.status, 200, approved.text);
  return approved.body;
};
/** At the simulator, which says nothing of it any more. */
async function silent(): Promise<Withdrawal> {
  const { id } = await withdraw(merchant.client, { pixKey: "manual@pixgate.test" });
  await pass();
  return show(merchant.client, id);
}
/** As its institution has shown it. */
async function e2eIdOf(id: string): Promise<string> {
  const { rows } = await ctx().db.query<{ e2eId: string }>(sql`
    select e2e_id as "e2eId" from withdrawals where withdrawal_id = ${id}`);
  return rows[0]!.e2eId;
}
const report = async (id: string, payout: Partial<PspPayout>) => {
  const { rows } = await ctx().db.query<{ psp_id: string; net_amount: number; institution_id: string }>(sql`
    select psp_id, net_amount, institution_id from withdrawals where withdrawal_id = ${id}`);
  const { psp_id, net_amount: amount, institution_id: institutionId } = rows[0]!;
  return bookWithdrawal(ctx(), {
    ...{ accountId: merchant.accountId, withdrawalId: id, institutionId, environment: "sandbox" },
    reported: { kind: "shown", payout: { id: psp_id, amount, status: "settled", returns: [], ...payout } },
  });
};

/** What the simulator shows of it from now on: an operator's decision asks once more. */
const pretend = async (id: string, shown: { status?: string; amountCentavos?: number }) => {
  const path = `/payouts/${(await payoutsOf(gateway, id))[0]!.idEnvio}/pretence`;
  const reply = await gateway.simulator.send("PUT", path, JSON.stringify(shown));
  assert.equal(reply.status, 200, reply.text);
};

describe("a payout without an end", () => {
  test("is a case when it has failed here, and its institution shows it under way", async () => {
    const { id } = await silent();
    await report(id, { status: "failed" });
    assert.equal((await show(merchant.client, id)).status, "failed");
    // The first query after the end: the simulator has it under way still.
    await pass(2 * 60_000);
    const found = await openCaseOf(id);
    assert.deepEqual([found?.kind, found?.evidence.data.shownStatus], ["payout_contradiction", "processing"]);
    assert.equal((await balancesOf(merchant.client)).available, 10_000);
    await report(id, { status: "failed" });
    assert.equal(await openCaseOf(id), undefined);
  });

  test("that was decided stays decided at each follow-up, until its institution says something else", async () => {
    const { id } = await silent();
    await report(id, { status: "failed" });
    await pass(2 * 60_000);
    const found = (await openCaseOf(id))!;
    const done = await decide(found.id, { action: "force_failed", parameters: { reason: "It never left." } });
    assert.deepEqual([done.status, done.proposal?.result], ["closed", { status: "failed" }]);
    const before = await balancesOf(merchant.client);
    for (const later of [11 * 60_000, 61 * 60_000, 25 * 3_600_000]) await pass(later);
    assert.equal((await casesOf(id)).length, 1, "it is under way there, as when it was decided");
    assert.equal((await report(id, { status: "processing", amount: 1 })).kind, "contradiction");
    const news = await openCaseOf(id);
    assert.deepEqual([news?.kind, news?.evidence.data.shownAmount], ["payout_contradiction", 1]);
    assert.deepEqual(await balancesOf(merchant.client), before);
    await pretend(id, { amountCentavos: 1 });
    // After that the same as before is something else too.
    await decide(news!.id, { action: "force_failed", parameters: { reason: "It never left." } });
    await report(id, { status: "processing" });
    assert.equal((await casesOf(id)).length, 3);
    await report(id, { status: "failed" });
    assert.equal(await openCaseOf(id), undefined);
  });

  test("is a case after thirty minutes without news, once, and closes when the institution ends it", async () => {
    const { id } = await silent();
    await pass(LIMITS.payoutUnresolved - 60_000);
    assert.deepEqual(await casesOf(id), []);
    await pass(LIMITS.payoutUnresolved + 60_000);
    await pass(LIMITS.payoutUnresolved + 3_600_000);
    const found = await openCaseOf(id);
    assert.deepEqual([found?.kind, found?.amount], ["payout_unresolved", 9]);
    assert.equal((await casesOf(id)).length, 1);
    const shown = await known(id);
    assert.equal(shown.caseId, found!.id);
    assert.deepEqual([shown.mayHaveLeft, shown.lastWords], [true, "The institution is processing it."]);
    assert.ok(shown.nextQueryAt);
    await report(id, {});
    const [closed] = await casesOf(id);
    assert.deepEqual([closed?.status, closed?.closedBecause], ["closed", "resolved"]);
    const over = await known(id);
    assert.deepEqual([over.status, over.caseId, over.lastWords], ["completed", undefined, undefined]);
  });

  test("whose institution can send no payouts any more is a case too", async () => {
    const { id } = await silent();
    const gone = { ...ctx().psps, find: async () => null };
    const clock = { now: () => Date.now() + 7_200_000, date: () => new Date(Date.now() + 7_200_000) };
    const sender = createSender({ ...ctx(), psps: gone, clock });
    await sender.runDue();
    await sender.idle();
    assert.equal((await openCaseOf(id))?.kind, "payout_unresolved");
    assert.equal((await known(id)).lastWords, "The institution cannot send payouts at present.");
  });

  test("has the reason in words where its institution does not answer", async () => {
    const { id } = await silent();
    const payouts = { findPayout: async () => ({ kind: "unknown" as const, reason: "token_ECONNREFUSED" }) };
    const find = async (institutionId: string) => {
      const found = await ctx().psps.find(institutionId);
      return found && { ...found, psp: { ...found.psp, payouts: { ...found.psp.payouts!, ...payouts } } };
    };
    const clock = { now: () => Date.now() + 7_200_000, date: () => new Date(Date.now() + 7_200_000) };
    const sender = createSender({ ...ctx(), psps: { ...ctx().psps, find }, clock });
    await sender.runDue();
    await sender.idle();
    const words = "it gave no access token: nobody listens at its address (token_ECONNREFUSED)";
    assert.equal((await known(id)).lastWords, `No outcome is known: ${words}`);
  });

  for (const [action, parameters, status, available] of [
    ["force_completed", {}, "completed", 9_000],
    ["force_failed", { reason: "The bank confirms by letter that it did not pay." }, "failed", 10_000],
  ] as const) {
    test(`is ended by two operators: ${action}`, async () => {
      const { id } = await silent();
      const e2eId = await e2eIdOf(id);
      await pass(LIMITS.payoutUnresolved + 60_000);
      const found = (await openCaseOf(id))!;
      const done = await decide(found.id, {
        action,
        parameters: status === "completed" ? { e2eId } : parameters,
      });
      assert.deepEqual([done.status, done.proposal?.status, done.proposal?.result], ["closed", "executed", { status }]);
      const shown = await show(merchant.client, id);
      assert.equal(shown.status, status);
      assert.deepEqual(await balancesOf(merchant.client), {
        ...{ available, promotional: 0, held: 0, total: available },
      });
      await eventOf(gateway, status === "completed" ? id : `withdrawal_failed_${id}`);
      const log = await gateway.operator.get<{ items: { action: string; actor: string }[] }>(
        `/audit-log?objectId=${id}`,
      );
      assert.deepEqual(
        log.body.items.map(({ action, actor }) => [action, actor]),
        [["withdrawal.force", "Rafael"]],
      );
      if (status === "completed") assert.equal(shown.pspReference, e2eId);
    });
  }
});

test("a payout that its institution analyses says so, is a case only after 90 minutes, and is then paid", async () => {
  type Shown = { pendingReason?: string; status: string };
  await gateway.simulator.patch("/behaviour", { payoutAnalysis: true });
  const { id } = await withdraw(merchant.client);
  await pass();
  await pass(LIMITS.payoutUnresolved + 60_000);
  const shown = async () => (await merchant.client.get<Shown>(`/withdrawals/${id}`)).body;
  assert.deepEqual([(await shown()).status, (await shown()).pendingReason], ["processing", "under_analysis"]);
  assert.deepEqual(await casesOf(id), []);
  // A query without an answer says nothing new of it.
  const rules = [{ route: "*", kind: "error5xxBefore", probability: 1 }];
  await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } });
  await pass(LIMITS.payoutUnresolved + 720_000);
  assert.deepEqual([(await shown()).status, (await shown()).pendingReason], ["processing", "under_analysis"]);
  assert.deepEqual(await casesOf(id), []);
  await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules: [] } });
  const listed = await ana!.get<{ items: { id: string }[] }>("/withdrawals?pendingReason=under_analysis");
  assert.deepEqual(
    listed.body.items.map((one) => one.id),
    [id],
  );
  await pass(LIMITS.payoutAnalysed + 60_000);
  assert.deepEqual(
    (await casesOf(id)).map(({ kind, status }) => [kind, status]),
    [["payout_unresolved", "open"]],
  );
  assert.equal((await balancesOf(merchant.client)).held, 1_000);
  assert.equal((await payoutsOf(gateway, id)).length, 1);
  const { idEnvio } = (await payoutsOf(gateway, id))[0]!;
  assert.equal((await gateway.simulator.post(`/payouts/${idEnvio}/settle`, { outcome: "complete" })).status, 200);
  await pass(LIMITS.payoutAnalysed + 86_400_000);
  assert.deepEqual([(await shown()).status, (await shown()).pendingReason], ["completed", undefined]);
  assert.equal((await casesOf(id))[0]?.status, "closed");
});

test("is not ended by the end-to-end id of another withdrawal's payment", async () => {
  const e2eId = "E00000000202611221200anotherspaid";
  const paid = await silent();
  await report(paid.id, { e2eId });
  const { id } = await silent();
  // Its institution has shown that one of it as well.
  await gateway.owner.query(sql`update withdrawals set e2e_id = ${e2eId} where withdrawal_id = ${id}`);
  await pass(LIMITS.payoutUnresolved + 60_000);
  const before = await balancesOf(merchant.client);
  const found = (await openCaseOf(id))!;
  const done = await decide(found.id, { action: "force_completed", parameters: { e2eId } });
  assert.deepEqual([done.status, done.proposal?.status], ["open", "refused"]);
  assert.match(String(done.proposal?.result?.message), /another withdrawal's payment/);
  assert.equal((await show(merchant.client, id)).status, "processing");
  assert.deepEqual(await balancesOf(merchant.client), before);
});

test("a decision that is refused claims no end-to-end id: the payout that it belongs to settles by it", async () => {
  const claimed = async (e2eId: string) =>
    (
      await ctx().db.query<{ id: string }>(sql`
      select withdrawal_id as id from payout_ids where payout_id = ${e2eId} order by withdrawal_id`)
    ).rows;
  const [refused, changed, owner, second] = [await silent(), await silent(), await silent(), await silent()];
  await pass(LIMITS.payoutUnresolved + 60_000);
  const [X, Y] = ["E00000000202611221200ofthirdpayout", "E00000000202611221200offourthpayou"];
  const shows = (id: string, e2eId: string | null) =>
    gateway.owner.query(sql`update withdrawals set e2e_id = ${e2eId} where withdrawal_id = ${id}`);
  const before = await balancesOf(merchant.client);
  // Its institution has shown another id.
  const first = await decide((await openCaseOf(refused.id))!.id, {
    action: "force_completed",
    parameters: { e2eId: X },
  });
  assert.deepEqual([first.status, first.proposal?.status], ["open", "refused"]);
  assert.equal(first.proposal?.result?.code, "VALIDATION_ERROR");
  // Its institution shows one between the two persons' words.
  await shows(changed.id, null);
  const about = (await openCaseOf(changed.id))!.id;
  const body = { action: "force_completed", parameters: { e2eId: Y } };
  assert.equal((await ana!.post(`/cases/${about}/propose`, body)).status, 200);
  await shows(changed.id, "E00000000202611221200ofsecondpayou");
  const approved = await approveCase<Case>(rafael!, about);
  assert.deepEqual([approved.status, approved.body.proposal?.status], [200, "refused"], approved.text);
  assert.equal(approved.body.proposal?.result?.code, "CASE_CHANGED");
  assert.deepEqual(await balancesOf(merchant.client), before);
  for (const [{ id }, e2eId] of [
    [owner, X],
    [second, Y],
  ] as const) {
    assert.deepEqual(await claimed(e2eId), []);
    await report(id, { e2eId });
    assert.equal((await show(merchant.client, id)).status, "completed");
    assert.deepEqual(await claimed(e2eId), [{ id }]);
  }
});

describe("a payout that a person must approve at the institution", () => {
  type Reason = { pendingReason?: string; status: string };
  const atSimulator = async (id: string) => (await payoutsOf(gateway, id))[0]!.idEnvio;
  const settle = async (id: string, body: Record<string, unknown>) => {
    const reply = await gateway.simulator.post(`/payouts/${await atSimulator(id)}/settle`, body);
    assert.equal(reply.status, 200, reply.text);
  };
  async function held(): Promise<string> {
    await gateway.simulator.patch("/behaviour", { payoutApproval: true });
    const { id } = await withdraw(merchant.client);
    await pass();
    return id;
  }
  const reasonOf = async (id: string) => (await merchant.client.get<Reason>(`/withdrawals/${id}`)).body;

  test("says so for days, as one case for whoever approves there, is neither sent again nor without an outcome, and is paid", async () => {
    const id = await held();
    await pass(LIMITS.payoutUnresolved + 60_000);
    await pass(3 * 86_400_000);
    const shown = await reasonOf(id);
    assert.deepEqual([shown.status, shown.pendingReason], ["processing", "awaiting_bank_approval"]);
    assert.deepEqual(
      (await casesOf(id)).map(({ kind, status, amount }) => [kind, status, amount]),
      [["payout_awaiting_bank", "open", 9]],
    );
    const listed = await ana!.get<{ items: { id: string; caseId?: string }[] }>(
      "/withdrawals?pendingReason=awaiting_bank_approval",
    );
    assert.deepEqual(
      listed.body.items.map((one) => [one.id, one.caseId]),
      [[id, (await openCaseOf(id))!.id]],
    );
    assert.equal((await payoutsOf(gateway, id)).length, 1);
    assert.equal((await balancesOf(merchant.client)).held, 1_000);
    await settle(id, { outcome: "complete" });
    await pass(4 * 86_400_000);
    const paid = await reasonOf(id);
    assert.deepEqual([paid.status, paid.pendingReason], ["completed", undefined]);
    const [closed] = await casesOf(id);
    assert.deepEqual([closed?.status, closed?.closedBecause], ["closed", "resolved"]);
  });

  test("that nobody approves fails, and its money is available again", async () => {
    const id = await held();
    await settle(id, { outcome: "fail", code: "APROVACAO_EXPIRADA" });
    await pass(86_400_000);
    const { body } = await merchant.client.get<Reason & { failureCode: string }>(`/withdrawals/${id}`);
    assert.deepEqual([body.status, body.failureCode, body.pendingReason], ["failed", "not_approved", undefined]);
    assert.equal((await balancesOf(merchant.client)).available, 10_000);
    assert.equal((await casesOf(id))[0]?.status, "closed");
  });

  test("whose institution is lost is ended by two operators, and paid where somebody approved it there all the same", async () => {
    const id = await held();
    const found = await openCaseOf(id);
    const parameters = { reason: "The bank closed the account." };
    const done = await decide(found!.id, { action: "force_failed", parameters });
    assert.deepEqual([done.status, done.proposal?.result], ["closed", { status: "failed" }]);
    assert.deepEqual([(await reasonOf(id)).status, (await reasonOf(id)).pendingReason], ["failed", undefined]);
    assert.equal((await balancesOf(merchant.client)).available, 10_000);
    await settle(id, { outcome: "complete" });
    await pass(86_400_000);
    assert.equal((await reasonOf(id)).status, "completed");
    assert.deepEqual(await balancesOf(merchant.client), { available: 9_000, promotional: 0, held: 0, total: 9_000 });
  });

  test("of which another amount is shown meanwhile is a contradiction, which closes with it", async () => {
    const id = await held();
    const kinds = async () =>
      (await casesOf(id))
        .filter(({ status }) => status === "open")
        .map(({ kind }) => kind)
        .sort();
    await report(id, { status: "awaiting_approval", amount: 1 });
    assert.deepEqual(await kinds(), ["payout_awaiting_bank", "payout_contradiction"]);
    await report(id, { status: "processing" });
    await settle(id, { outcome: "complete" });
    await pass(86_400_000);
    assert.equal((await reasonOf(id)).status, "completed");
    assert.deepEqual(await kinds(), []);
  });

  test("and has no end after somebody approved it is a payout without an end from then on", async () => {
    const id = await held();
    await pass(86_400_000);
    const pretence = `/payouts/${await atSimulator(id)}/pretence`;
    const pretends = await gateway.simulator.send("PUT", pretence, JSON.stringify({ status: "EM_PROCESSAMENTO" }));
    assert.equal(pretends.status, 200, pretends.text);
    await pass(2 * 86_400_000);
    assert.equal(await openCaseOf(id), undefined);
    assert.equal((await reasonOf(id)).pendingReason, undefined);
    await pass(2 * 86_400_000 + LIMITS.payoutUnresolved + 3_600_000);
    assert.equal((await openCaseOf(id))?.kind, "payout_unresolved");
  });
});

describe("a payout whose money the institution keeps", () => {
  /** What the house lost by write-offs, and what all accounts' books say the institution holds. Centavos. */
  const books = async () => {
    const { rows } = await ctx().db.query<{ lost: number; psp: number }>(sql`
      select coalesce(-sum(balance) filter (where kind = 'write_offs'), 0)::bigint as lost,
        coalesce(-sum(balance) filter (where kind = 'psp'), 0)::bigint as psp from ledger_accounts`);
    return rows[0]!;
  };

  test("is written off by two operators: the wallet has its money and its fee again, and the house the loss", async () => {
    const before = await books();
    const { id } = await silent();
    await pass(LIMITS.payoutUnresolved + 60_000);
    const done = await decide((await openCaseOf(id))!.id, { action: "write_off", parameters: {} });
    assert.deepEqual(
      [done.status, done.proposal?.status, done.proposal?.result?.status],
      ["closed", "executed", "failed"],
    );
    assert.equal((await show(merchant.client, id)).status, "failed");
    assert.deepEqual(await balancesOf(merchant.client), { available: 10_000, promotional: 0, held: 0, total: 10_000 });
    const now = await books();
    assert.deepEqual([now.lost - before.lost, before.psp - now.psp], [900, 900]);
  });

  test("after it had been completed and a part had come back: the rest is the loss, once, also where a crash cut it in two", async () => {
    const { id } = await silent();
    await report(id, { returns: [{ id: "R7", amount: 300, returnedAt: new Date() }] });
    await report(id, { returns: [{ id: "R7", amount: 300, returnedAt: new Date() }] });
    await report(id, { status: "failed" });
    await pretend(id, { status: "NAO_REALIZADO" });
    const found = (await openCaseOf(id))!;
    const before = await books();
    assert.equal((await ana!.post(`/cases/${found.id}/propose`, { action: "write_off" })).status, 200);
    const proposalId = await readProposal(rafael!, found.id);
    // The process dies after the payout's end is booked, and before the loss is.
    const { lanes } = ctx();
    const run: typeof lanes.run = (kind, command) => {
      if (kind.name === "book treasury entry") throw new Error("killed");
      return lanes.run(kind, command);
    };
    const operator = { id: "rafael", name: "Rafael", owners: ["rafael"], role: "finance" } as const;
    const desk = { ctx: { ...ctx(), operator, lanes: { ...lanes, run } }, actions: CASE_ACTIONS };
    const approved = await ctx().db.transaction((tx) => approve(desk, tx, found.id, proposalId));
    await assert.rejects(execute(desk, approved), /killed/);
    assert.equal((await show(merchant.client, id)).status, "reversed");
    assert.equal((await books()).lost, before.lost);
    const clock = { now: () => Date.now() + 3_600_000, date: () => new Date(Date.now() + 3_600_000) };
    for (let i = 0; i < 2; i += 1) await executeDue({ ...ctx(), clock }, CASE_ACTIONS);
    assert.equal((await casesOf(id)).find((one) => one.id === found.id)?.proposal?.status, "executed");
    assert.equal((await books()).lost - before.lost, 600);
    assert.equal((await balancesOf(merchant.client)).available, 10_000);
  });

  for (const action of [{ action: "force_failed", parameters: { reason: "Not paid." } }, { action: "write_off" }]) {
    test(`is not given back again where it was paid after all before a crash was made good: ${action.action}`, async () => {
      const { id } = await silent();
      await pass(LIMITS.payoutUnresolved + 60_000);
      const found = (await openCaseOf(id))!;
      assert.equal((await ana!.post(`/cases/${found.id}/propose`, action)).status, 200);
      const proposalId = await readProposal(rafael!, found.id);
      // The process dies after the payout's end is booked.
      const { lanes } = ctx();
      const run: typeof lanes.run = async (kind, command) => {
        const done = await lanes.run(kind, command);
        if (kind.name === "force withdrawal") throw new Error("killed");
        return done;
      };
      const operator = { id: "rafael", name: "Rafael", owners: ["rafael"], role: "finance" } as const;
      const desk = { ctx: { ...ctx(), operator, lanes: { ...lanes, run } }, actions: CASE_ACTIONS };
      const approved = await ctx().db.transaction((tx) => approve(desk, tx, found.id, proposalId));
      await assert.rejects(execute(desk, approved), /killed/);
      assert.equal((await show(merchant.client, id)).status, "failed");
      await report(id, {});
      assert.equal((await show(merchant.client, id)).status, "completed");
      const [before, balances] = [await books(), await balancesOf(merchant.client)];
      const clock = { now: () => Date.now() + 3_600_000, date: () => new Date(Date.now() + 3_600_000) };
      await executeDue({ ...ctx(), clock }, CASE_ACTIONS);
      assert.notEqual((await casesOf(id)).find((one) => one.id === found.id)?.proposal?.status, "approved");
      assert.equal((await show(merchant.client, id)).status, "completed");
      assert.deepEqual([await books(), await balancesOf(merchant.client)], [before, balances]);
    });
  }

  test("is not written off when the institution paid it back before the second person approved", async () => {
    const { id } = await silent();
    await pass(LIMITS.payoutUnresolved + 60_000);
    const found = (await openCaseOf(id))!;
    const before = await books();
    assert.equal((await ana!.post(`/cases/${found.id}/propose`, { action: "write_off" })).status, 200);
    await report(id, { status: "failed" });
    assertRefused(await approveCase(rafael!, found.id), 400, "CASE_CLOSED");
    assert.deepEqual(await books(), before);
  });
});

describe("a payout that the institution shows otherwise than the books", () => {
  test("failed after it was completed: a case, and the books stay until somebody decides", async () => {
    const { id } = await silent();
    await report(id, {});
    const before = await balancesOf(merchant.client);
    assert.equal((await report(id, { status: "failed" })).kind, "contradiction");
    await report(id, { status: "failed" });
    const found = (await openCaseOf(id))!;
    assert.equal(found.kind, "payout_contradiction");
    assert.deepEqual([found.evidence.data.status, found.evidence.data.shownStatus], ["completed", "failed"]);
    assert.deepEqual(await balancesOf(merchant.client), before);
    await pretend(id, { status: "NAO_REALIZADO" });
    const done = await decide(found.id, { action: "force_failed", parameters: { reason: "It never left." } });
    assert.deepEqual([done.status, done.proposal?.result], ["closed", { status: "reversed" }]);
    assert.equal((await balancesOf(merchant.client)).available, 10_000);
    // As the institution has shown it when it was asked.
    const code = (await casesOf(id))[0]!.evidence.data.failure as "psp_error";
    const again = await report(id, { status: "failed", failure: { code, message: "" } });
    assert.equal(again.kind, "contradiction");
    assert.equal((await casesOf(id)).length, 1, "what is shown is what was decided about");
    await report(id, { status: "failed", failure: { code: "denied", message: "" } });
    assert.equal((await openCaseOf(id))?.evidence.data.failure, "denied");
  });

  test("another amount, a status nobody knows, failed and given back: cases, which close when it agrees", async () => {
    const returns = [{ id: "R1", amount: 100, returnedAt: new Date() }];
    for (const strange of [
      { amount: 1 },
      { status: "unrecognised" as const },
      { status: "failed" as const, returns },
      { status: "settled" as const, returns: [{ id: "R2", amount: 99_999, returnedAt: new Date() }] },
    ]) {
      const { id } = await silent();
      await report(id, strange);
      assert.equal((await openCaseOf(id))?.kind, "payout_contradiction", JSON.stringify(strange));
      await report(id, { status: "settled" });
      assert.equal((await casesOf(id))[0]?.closedBecause, "resolved");
      assert.equal((await show(merchant.client, id)).status, "completed");
      await give(gateway, merchant.accountId, 10);
    }
  });
});

describe("a contradiction of a payout that has ended for good", () => {
  // Its callbacks are lost: only a query shows that the institution has corrected itself.
  const reversed = async (): Promise<string> => {
    const { id } = await silent();
    await gateway.simulator.patch("/behaviour", {
      faults: { seed: 1, rules: [{ route: "callback", kind: "lost", probability: 1 }] },
    });
    const { idEnvio } = (await payoutsOf(gateway, id))[0]!;
    for (const outcome of ["complete", "reverse"])
      assert.equal((await gateway.simulator.post(`/payouts/${idEnvio}/settle`, { outcome })).status, 200);
    await pass(2 * 60_000);
    const shown = await known(id);
    assert.deepEqual([shown.status, shown.nextQueryAt], ["reversed", undefined]);
    return id;
  };
  const contradict = async (id: string): Promise<void> => {
    await pretend(id, { status: "NAO_REALIZADO" });
    const returns = [{ amount: 900, returnedAt: new Date() }];
    assert.equal((await report(id, { status: "failed", returns })).kind, "contradiction");
    assert.equal((await openCaseOf(id))?.kind, "payout_contradiction");
  };

  test("is queried until the institution shows what the books have, then closes and is queried no more", async () => {
    const id = await reversed();
    const before = await balancesOf(merchant.client);
    await contradict(id);
    await pass(2 * 60_000);
    assert.equal((await openCaseOf(id))?.kind, "payout_contradiction", "it still shows it so");
    await gateway.simulator.send(
      "DELETE",
      `/payouts/${(await payoutsOf(gateway, id))[0]!.idEnvio}/pretence`,
      undefined,
    );
    await pass(12 * 60_000);
    assert.deepEqual(
      (await casesOf(id)).map(({ status, closedBecause }) => [status, closedBecause]),
      [["closed", "resolved"]],
    );
    assert.equal((await known(id)).nextQueryAt, undefined);
    assert.deepEqual(await balancesOf(merchant.client), before);
  });

  test("is queried for 90 days at most where the institution goes on showing it", async () => {
    const id = await reversed();
    await contradict(id);
    for (let query = 0; query < 9; query += 1) {
      const due = (await known(id)).nextQueryAt;
      assert.ok(due, `query ${query}`);
      await pass(new Date(due).getTime() - Date.now() + 1_000);
    }
    assert.equal((await known(id)).nextQueryAt, undefined);
    assert.equal((await casesOf(id)).length, 1);
  });
});

describe("cancelling a withdrawal", () => {
  const cancel = (id: string, by: Client = merchant.client, headers: Record<string, string> = {}) =>
    by.post<Withdrawal>(`/withdrawals/${id}/cancel`, undefined, { headers });

  test("that has not left makes its money available, by merchant and by operator, and reports it", async () => {
    for (const by of [merchant.client, ana!]) {
      const { id } = await withdraw(merchant.client);
      const done = await cancel(id, by);
      assert.equal(done.status, 200, done.text);
      assert.deepEqual([done.body.status, done.body.failureCode], ["failed", "cancelled"]);
      assert.equal((await cancel(id, by)).status, 200, "again is the same");
      assert.equal((await balancesOf(merchant.client)).available, 10_000);
      const event = await eventOf(gateway, `withdrawal_failed_${id}`);
      assert.equal((event.data as { failureCode?: string }).failureCode, "cancelled");
      await pass(3_600_000);
      assert.deepEqual(await payoutsOf(gateway, id), []);
      const log = await gateway.operator.get<{ items: { action: string }[] }>(`/audit-log?objectId=${id}`);
      assert.equal(log.body.items.length, by === ana ? 1 : 0);
    }
  });

  test("is refused when a request may have left, or of another wallet, and moves nothing", async () => {
    const { id } = await silent();
    const before = await balancesOf(merchant.client);
    for (const by of [merchant.client, ana!]) {
      assertRefused(await cancel(id, by), 400, "WITHDRAWAL_NOT_CANCELLABLE");
    }
    const other = await newMerchant(gateway);
    assertRefused(await cancel(id, other.client), 404, "RESOURCE_NOT_FOUND");
    assert.deepEqual(await balancesOf(merchant.client), before);
  });

  test("works while its institution cannot be reached, and races with the claim in both orders", async () => {
    const { id } = await withdraw(merchant.client);
    const gone = { ...ctx().psps, find: async () => null };
    const sender = createSender({ ...ctx(), psps: gone });
    await sender.runDue();
    await sender.idle();
    assert.equal((await show(merchant.client, id)).status, "processing");
    assert.equal((await cancel(id)).body.status, "failed");

    // The claim first: the cancel waits for the row, and finds that it may have left.
    const first = await withdraw(merchant.client);
    let refused: Promise<unknown> = Promise.resolve();
    await ctx().db.transaction(async (tx) => {
      await tx.query(sql`
        update withdrawals set status = 'processing', may_have_left = true, next_at = ${new Date(Date.now() + 60_000)}
        where account_id = ${merchant.accountId} and withdrawal_id = ${first.id}`);
      refused = cancel(first.id).then((reply) => assertRefused(reply, 400, "WITHDRAWAL_NOT_CANCELLABLE"));
      await eventually("the cancel to wait", async () => (await waitingForLocks(gateway.databaseUrl)) > 0);
    });
    await refused;
    assert.equal((await show(merchant.client, first.id)).status, "processing");

    // The cancel first: the claim passes over a row that is locked, and finds it over afterwards.
    const second = await withdraw(merchant.client);
    await ctx().db.transaction(async (tx) => {
      await tx.query(sql`
        select from withdrawals where account_id = ${merchant.accountId} and withdrawal_id = ${second.id}
        for no key update`);
      await pass();
      assert.deepEqual(await payoutsOf(gateway, second.id), []);
    });
    assert.equal((await cancel(second.id)).body.status, "failed");
    await pass();
    assert.deepEqual(await payoutsOf(gateway, second.id), []);
  });

  test("twenty at once with the loop: each is cancelled or paid, never both", async () => {
    await give(gateway, merchant.accountId, 1_000);
    const made = await Promise.all(Array.from({ length: 20 }, () => withdraw(merchant.client)));
    const [replies] = await Promise.all([Promise.all(made.map(({ id }) => cancel(id))), pass()]);
    for (const [i, { status }] of replies.entries()) {
      assert.equal((await payoutsOf(gateway, made[i]!.id)).length, status === 200 ? 0 : 1);
    }
  });
});

describe("the operator's list of withdrawals", () => {
  test("has those of all accounts, by what is asked for, a page at a time", async () => {
    const other = await newMerchant(gateway, ["loja"]);
    await give(gateway, other.accountId, 100, { subAccount: "loja" });
    const [mine, theirs] = [await withdraw(merchant.client), await withdraw(other.client, { amount: 20 }, "loja")];
    type Page = { items: (Known & { accountId: string; subAccount: string | null })[]; nextCursor: string | null };
    const list = async (query: string) => (await ana!.get<Page>(`/withdrawals?${query}`)).body;
    const ids = async (query: string) => (await list(query)).items.map(({ id }) => id);
    const first = await list("limit=1");
    assert.deepEqual([first.items[0]!.id, first.items[0]!.subAccount], [theirs.id, "loja"]);
    assert.deepEqual(await ids(`limit=1&cursor=${first.nextCursor}`), [mine.id]);
    assert.deepEqual(await ids(`accountId=${merchant.accountId}&status=pending`), [mine.id]);
    assert.deepEqual(await ids(`accountId=${merchant.accountId}&status=completed`), []);
    assert.deepEqual(await ids("minAmount=20&maxAmount=20&limit=1"), [theirs.id]);
    assert.deepEqual(await ids(`accountId=${other.accountId}&to=2020-01-01T00:00:00Z`), []);
    assert.deepEqual(await ids("pendingReason=paused"), []);
    await gateway.operator.patch(`/accounts/${other.accountId}`, { status: "suspended" });
    assert.deepEqual(await ids("pendingReason=paused"), [theirs.id]);
    await pass();
    const { rows } = await ctx().db.query<{ e2e: string }>(
      sql`select e2e_id as e2e from withdrawals where withdrawal_id = ${mine.id}`,
    );
    if (rows[0]!.e2e) assert.deepEqual(await ids(`e2eId=${rows[0]!.e2e}`), [mine.id]);
    const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "Lia", role: "support" });
    const lia = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
    assertRefused(await lia.get("/withdrawals"), 403, "PERMISSION_DENIED");
    assertRefused(await ana!.get(`/withdrawals/${merchant.accountId}`), 404, "RESOURCE_NOT_FOUND");
  });
});
