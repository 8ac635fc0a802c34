/** Two processes on one database decide the same thing at the same instant: one does, and money moves once. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { createReturner } from "../../src/claims/returns/send.ts";
import { clockAhead } from "../../src/context.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { credentialOf } from "../contract/merchant.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { payoutsOf, show, type Withdrawal, withdraw } from "../contract/payouts.ts";
import { Client } from "../harness/client.ts";
import { waitingForLocks } from "../harness/database.ts";
import { type Case, HOUR, inDebt, newOperator, timesWrittenOff, WRITE_OFF } from "../harness/debt.ts";
import { approveCase, rejectCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";
import { type GatewayProcess, startProcess } from "../harness/process.ts";

type Reply = { status: number; text: string; body: unknown };

const STOP_AT = new URL("../harness/stop-at.ts", import.meta.url).href;

/** Two processes that answer calls; what sends is begun by each test. */
let gateway: TestGateway;
let second: GatewayProcess | undefined;
let merchant: Merchant;
/** Another human than whoever makes the withdrawals. */
let rafael: Client;
/** Of the test that runs: one that goes on after a failed test would do the next one's work. */
const workers: GatewayProcess[] = [];
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "on" });
  second = await startProcess({ ...shared(), PIXGATE_ROLE: "api" });
  rafael = await operatorOf(gateway, "Rafael", "admin");
});
beforeEach(async () => {
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map(end));
  await gateway.verify();
});
after(async () => {
  await second?.stop();
  await gateway.stop();
});

const ctx = () => gateway.running.ctx;
const shared = () => ({
  DATABASE_URL: gateway.databaseUrl,
  PIXGATE_DATA_DIR: gateway.dataDir,
  PIXGATE_SIMULATOR_PORT: "off",
  PIXGATE_TWO_PERSONS: "on",
  PIXGATE_TWO_PERSONS_ABOVE: "off",
});
/** The same credential, at the second process. */
const elsewhere = (client: Client) => new Client(`${second!.url}/v2`).withToken(client.token);
const operatorElsewhere = (client: Client) =>
  new Client(gateway.sandbox.operatorUrl.replace(/^https?:\/\/[^/]+/, second!.url)).withToken(client.token);

/** Begins calls while a row that each of them locks is held, and lets go of it when all of them wait. */
async function atOnce(row: Sql, calls: readonly (() => Promise<Reply>)[]): Promise<Reply[]> {
  let replies: Promise<Reply>[] = [];
  await gateway.owner.transaction(async (tx) => {
    await tx.query(row);
    replies = calls.map((call) => call());
    const waiting = () => waitingForLocks(gateway.databaseUrl);
    await eventually("every call to wait for the row", async () => (await waiting()) === calls.length);
  });
  return Promise.all(replies);
}

/** One pass of the loop that sends withdrawals, in this process, at a time to come. */
async function pass(later = 0, create: typeof createSender | typeof createReturner = createSender): Promise<number> {
  const loop = create({ ...ctx(), clock: clockAhead(later) });
  const began = await loop.runDue();
  await loop.idle();
  return began;
}

/** A worker of its own that stops (SIGSTOP) at its first pass of a failpoint. */
async function stoppedWorker(at: string): Promise<GatewayProcess> {
  const worker = await startProcess({
    ...shared(),
    PIXGATE_ROLE: "worker",
    NODE_OPTIONS: `--import=${STOP_AT}`,
    STOP_AT: at,
  });
  workers.push(worker);
  await eventually(`the worker to stop at ${at}`, () => worker.stderr().includes(`stopped at ${at}`));
  return worker;
}

const goOn = (worker: GatewayProcess) => worker.child.kill("SIGCONT");

/** Ends a worker, stopped or not. */
async function end(worker: GatewayProcess): Promise<void> {
  goOn(worker);
  assert.equal(await worker.stop(), 0, worker.stderr());
}

describe("one withdrawal, decided in two processes at once", () => {
  type What = "approve" | "reject" | "cancel";
  const calls: Record<What, (by: Client, id: string) => Promise<Reply>> = {
    approve: (by, id) => by.post(`/withdrawals/${id}/approve`),
    reject: (by, id) => by.post(`/withdrawals/${id}/reject`, { reason: "no" }),
    cancel: (by, id) => by.post(`/withdrawals/${id}/cancel`),
  };
  /** How often money was held for it, and released. */
  const moves = async (id: string) => {
    const { rows } = await ctx().db.query<{ kind: string; n: number }>(sql`
      select kind, count(*)::int as n from ledger_transfers where source_id = ${id} group by kind order by kind`);
    return rows.map(({ n }) => n);
  };

  for (const [first, other] of [
    ["approve", "approve"],
    ["approve", "reject"],
    ["reject", "cancel"],
    ["reject", "reject"],
    ["approve", "cancel"],
    ["cancel", "cancel"],
  ] as const) {
    test(`${first} and ${other}: one decides, the other hears why not, and the money moves once`, async () => {
      const { accountId, client } = merchant;
      const set = await gateway.operator.patch(`/accounts/${accountId}`, { payouts: { approvalAbove: 50 } });
      assert.equal(set.status, 200, set.text);
      const approver = await credentialOf(gateway, accountId, { by: rafael });
      const { id } = await withdraw(client, { amount: 60 });
      const row = sql`select from accounts where account_id = ${accountId} for update`;
      const [one, two] = (await atOnce(row, [
        () => calls[first](approver, id),
        () => calls[other](elsewhere(approver), id),
      ])) as [Reply, Reply];
      const { status, failureCode } = (await show(client, id)) as Withdrawal & { failureCode?: string };
      const balances = await balancesOf(client);
      const said = [one, two].map((reply) => reply.text).join("\n");
      const accepted = [one, two].filter((reply) => reply.status === 200).length;
      if (other === "cancel" && first !== "reject") {
        // Cancelling twice is the same as once, and what was approved may be cancelled until it leaves.
        assert.equal(two.status, 200, said);
        if (first === "cancel") assert.equal(accepted, 2, said);
        assert.deepEqual([status, failureCode], ["failed", "cancelled"], said);
      } else {
        assert.equal(accepted, 1, said);
        const refused = one.status === 200 ? two : one;
        assert.equal(refused.status, 400, said);
        assert.match(refused.text, /WITHDRAWAL_NOT_AWAITING_APPROVAL|WITHDRAWAL_NOT_CANCELLABLE/);
      }
      const held = status === "pending" ? 6_000 : 0;
      assert.deepEqual([balances.held, balances.available], [held, 100_000 - held], said);
      assert.deepEqual(await moves(id), held > 0 ? [1] : [1, 1]);
      const { rows: events } = await ctx().db.query<{ n: number }>(sql`
        select count(*)::int as n from events where account_id = ${accountId} and kind = 'withdrawal_failed'`);
      assert.ok(events[0]!.n <= 1);
    });
  }
});

describe("what a process has claimed and not sent does not leave after", () => {
  const stops: Record<string, () => Promise<() => Promise<Reply>>> = {
    async "the answer of a brake"() {
      const put = (paused: boolean) =>
        gateway.operator.send("PUT", "/brakes", JSON.stringify({ scope: "all", paused, reason: "a test" }));
      assert.equal((await put(true)).status, 200);
      return () => put(false);
    },
    async "the suspension of its account"() {
      const set = (status: string) => gateway.operator.patch(`/accounts/${merchant.accountId}`, { status });
      assert.equal((await set("suspended")).status, 200);
      return () => set("approved");
    },
  };
  for (const [what, stop] of Object.entries(stops)) {
    test(`${what}, though it was in the middle of a batch: it waits, says so, can be cancelled, and leaves later`, async () => {
      const { client, accountId } = merchant;
      const approver = await credentialOf(gateway, accountId, { by: rafael });
      const set = await gateway.operator.patch(`/accounts/${accountId}`, { payouts: { approvalAbove: 50 } });
      assert.equal(set.status, 200, set.text);
      const made = [];
      for (const amount of [10, 20, 60]) made.push((await withdraw(client, { amount })).id);
      assert.equal((await approver.post(`/withdrawals/${made[2]}/approve`)).status, 200);
      const worker = await stoppedWorker("task.claimed:withdrawals");
      const lift = await stop();
      goOn(worker);
      const waits = async () => {
        const { rows } = await ctx().db.query<{ n: number }>(sql`
          select count(*)::int as n from withdrawals
          where account_id = ${accountId} and status in ('pending', 'processing') and not may_have_left`);
        return rows[0]!.n === made.length;
      };
      await eventually("the worker to have put all of them back", waits);
      await pass(HOUR);
      assert.ok(await waits());
      for (const id of made) {
        assert.deepEqual(await payoutsOf(gateway, id), []);
        assert.equal((await show(client, id)).pendingReason, "paused", id);
      }
      assert.equal((await balancesOf(client)).held, 9_000);
      // A suspended account's own credential may only read.
      const cancelled = await gateway.operator.post(`/withdrawals/${made[0]}/cancel`);
      assert.equal(cancelled.status, 200, cancelled.text);
      assert.equal((await lift()).status, 200);
      await eventually("the others to leave", async () => (await balancesOf(client)).held === 0);
      await end(worker);
      assert.deepEqual(await Promise.all(made.map(async (id) => (await payoutsOf(gateway, id)).length)), [0, 1, 1]);
      assert.equal((await balancesOf(client)).available, 92_000);
    });
  }
});

describe("a process that is stopped for longer than its claim, while another takes it over", () => {
  const CLAIM = 61_000;
  for (const at of ["task.claimed:withdrawals", "psp.before:putPayout", "psp.after:putPayout"]) {
    test(`at ${at}: one payout at the bank, and the state says so`, async () => {
      const { client } = merchant;
      const { id } = await withdraw(client);
      const worker = await stoppedWorker(at);
      await pass(CLAIM);
      if (at !== "psp.after:putPayout") {
        const { rows } = await ctx().db.query(sql`
          select status, may_have_left, attempts from withdrawals where withdrawal_id = ${id}`);
        assert.deepEqual(rows, [{ status: "processing", may_have_left: true, attempts: 2 }]);
        await pass(CLAIM + 40_000);
        assert.equal((await payoutsOf(gateway, id)).length, 1);
      }
      goOn(worker);
      await eventually("it to be paid", async () => {
        await pass(CLAIM + HOUR);
        return (await show(client, id)).status === "completed";
      });
      await end(worker);
      assert.equal((await payoutsOf(gateway, id)).length, 1);
      assert.equal((await show(client, id)).status, "completed");
      assert.deepEqual(await balancesOf(client), { available: 99_000, promotional: 0, held: 0, total: 99_000 });
    });
  }

  test("that wakes before the other has sent: it sends nothing, and what the other knows stands", async () => {
    const { client } = merchant;
    const { id } = await withdraw(client);
    const worker = await stoppedWorker("task.claimed:withdrawals");
    await pass(CLAIM);
    goOn(worker);
    await eventually("the worker to give it up", () => worker.stderr().includes("another process took it over"));
    await end(worker);
    assert.deepEqual(await payoutsOf(gateway, id), []);
    const { rows } = await ctx().db.query(sql`
      select status, may_have_left, attempts from withdrawals where withdrawal_id = ${id}`);
    assert.deepEqual(rows, [{ status: "processing", may_have_left: true, attempts: 2 }]);
    await pass(CLAIM + 40_000);
    assert.equal((await payoutsOf(gateway, id)).length, 1);
  });
});

describe("a case, decided by operators in two processes at once", () => {
  test("is proposed once, approved or rejected once, never by who proposed it, and booked once", async () => {
    const [ana, rafael, bia] = [
      await newOperator(gateway, "Ana"),
      await newOperator(gateway, "Rafael"),
      await newOperator(gateway, "Bia"),
    ];
    const { accountId, id } = await inDebt(gateway);
    const row = sql`select from cases where account_id = ${accountId} and case_id = ${id} for update`;
    const proposals = await atOnce(row, [
      () => ana.post(`/cases/${id}/propose`, WRITE_OFF),
      () => operatorElsewhere(rafael).post(`/cases/${id}/propose`, WRITE_OFF),
    ]);
    assert.equal(proposals.filter(({ status }) => status < 300).length, 1);
    assert.equal(proposals.filter(({ text }) => text.includes("CASE_PROPOSAL_OPEN")).length, 1);
    const [proposer, other] = proposals[0]!.status < 300 ? [ana, rafael] : [rafael, ana];
    const decisions = await atOnce(row, [
      () => approveCase(operatorElsewhere(proposer), id),
      () => approveCase(operatorElsewhere(other), id),
      () => approveCase(bia, id),
    ]);
    const [own, ...others] = decisions;
    assert.ok([400, 403].includes(own!.status), own!.text);
    const said = others.map(({ text }) => text).join("\n");
    assert.equal(others.filter(({ status }) => status < 300).length, 1, said);
    assert.equal(others.filter(({ text }) => /CASE_NOTHING_PROPOSED|CASE_CLOSED/.test(text)).length, 1, said);
    await eventually("it to be booked", async () => (await timesWrittenOff(gateway, accountId)) === 1);
    const { history } = (await ana.get<Case>(`/cases/${id}`)).body;
    const kinds = history.map(({ kind }) => kind);
    for (const kind of ["proposed", "approved", "executed", "closed"]) {
      assert.equal(kinds.filter((one) => one === kind).length, 1, `${kind} in ${kinds.join()}`);
    }
  });

  test("approved here and rejected there: one answer, and money only where it was approved", async () => {
    const [ana, rafael, bia] = [
      await newOperator(gateway, "Ana"),
      await newOperator(gateway, "Rafael"),
      await newOperator(gateway, "Bia"),
    ];
    const { accountId, id } = await inDebt(gateway);
    assert.ok((await ana.post(`/cases/${id}/propose`, WRITE_OFF)).status < 300);
    const row = sql`select from cases where account_id = ${accountId} and case_id = ${id} for update`;
    const [approved, rejected] = await atOnce(row, [
      () => approveCase(rafael, id),
      () => rejectCase(operatorElsewhere(bia), id, "not yet"),
    ]);
    const both = `${approved!.text}\n${rejected!.text}`;
    assert.equal([approved!, rejected!].filter(({ status }) => status < 300).length, 1, both);
    assert.equal(await timesWrittenOff(gateway, accountId), approved!.status < 300 ? 1 : 0, both);
  });
});
