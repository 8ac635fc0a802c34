/** What holds a restored database back: only an admin ends it, once, and what waited for something else goes on waiting. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { propose, readGround } from "../../src/cases/decide.ts";
import { executeDue } from "../../src/cases/execute-due.ts";
import { findCase } from "../../src/cases/list.ts";
import type { Context } from "../../src/context.ts";
import { openDb } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import { watchIdentity } from "../../src/reconciliation/restore/watch.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Status = {
  restored: boolean;
  unconfirmed: { count: number };
  caseId?: string;
  epoch: number;
  recognisedBy: string[];
};

const DAY = 86_400_000;

let gateway: TestGateway;
let merchant: Merchant;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
});
after(() => gateway.stop());

async function sendDue(): Promise<void> {
  const sender = createSender(gateway.running.ctx);
  await sender.runDue();
  await sender.idle();
}

describe("a restored database", () => {
  test("is none where the gateway's role may read more of the server than before, or less", async () => {
    const { ctx } = gateway.running;
    const { rows } = await ctx.db.query<{ id: string }>(sql`select account_id as id from accounts where is_house`);
    const watch = async (value: string) => {
      await gateway.owner.query(sql`
        update settings set value = jsonb_set(value::jsonb, '{systemId}', ${value}::jsonb)::text
        where name = (select max(name) from settings where starts_with(name, 'identity '))`);
      await watchIdentity(ctx, rows[0]!.id);
      return (await gateway.operator.get<Status>("/restore")).body;
    };
    const permitted = await watch("null");
    assert.deepEqual([permitted.restored, gateway.takeErrors()], [false, []]);
    // From now on another server is one again.
    assert.equal((await watch('"1"')).restored, true);
    await gateway.operator.post("/restore/finish", { reason: "It lives.", openWithdrawals: "confirm_all" });
    const url = new URL(process.env.PIXGATE_TEST_POSTGRES!);
    url.pathname = new URL(gateway.databaseUrl).pathname;
    const admin = openDb({ url: url.href, max: 1, onError: () => {} });
    await admin.query(sql`revoke execute on function pg_control_system() from public`);
    try {
      await watchIdentity(ctx, rows[0]!.id);
      const less = (await gateway.operator.get<Status>("/restore")).body;
      assert.deepEqual([less.restored, less.recognisedBy.includes("systemId")], [false, false]);
    } finally {
      await admin.query(sql`grant execute on function pg_control_system() to public`);
      await admin.end();
    }
    gateway.takeErrors();
  });

  test("is ended by an admin alone, also through its case", async () => {
    const { operator } = gateway;
    const rafael = await operatorOf(gateway, "Rafael");
    const begun = await operator.post<Status>("/restore/begin", { reason: "The disk was set back." });
    const path = `/cases/${begun.body.caseId}/propose`;
    const wanted = { action: "finish", parameters: { reason: "It lives.", openWithdrawals: "confirm_all" } };
    const refused = await rafael.post<{ details: { code: string } }>(path, wanted);
    assert.deepEqual([refused.status, refused.body.details?.code], [403, "PERMISSION_DENIED"], refused.text);
    assert.equal((await operator.get<Status>("/restore")).body.restored, true);
    assert.equal((await operator.post(path, wanted)).status, 200);
    assert.equal((await operator.get<Status>("/restore")).body.restored, false);
    gateway.takeErrors();
  });

  test("is ended once by what ended it: its process may die before it has written so", async () => {
    const { operator } = gateway;
    const { ctx } = gateway.running;
    const begin = () => operator.post<Status>("/restore/begin", { reason: "The disk was set back." });
    await begin();
    await operator.post("/restore/finish", { reason: "It lives.", openWithdrawals: "confirm_all" });
    const { id } = await withdraw(merchant.client, { amount: 1 });
    const { rows } = await ctx.db.query<{ proposal_id: string }>(sql`
      update case_proposals set status = 'approved', result = null, finished_at = null, next_at = ${ctx.clock.date()}
      where proposal_id = (select proposal_id from case_proposals where action = 'finish' order by proposed_at desc limit 1)
      returning proposal_id`);
    const again = await begin();
    assert.deepEqual([again.body.restored, again.body.unconfirmed.count], [true, 1]);
    assert.equal(await executeDue(ctx, CASE_ACTIONS), 1);
    const now = (await operator.get<Status>("/restore")).body;
    assert.deepEqual([now.restored, now.unconfirmed.count, now.epoch], [true, 1, again.body.epoch]);
    const done = await ctx.db.query<{ status: string }>(
      sql`select status from case_proposals where proposal_id = ${rows[0]!.proposal_id}`,
    );
    assert.equal(done.rows[0]?.status, "executed");
    await operator.post("/restore/finish", { reason: "It lives.", openWithdrawals: "confirm_all" });
    assert.equal((await merchant.client.post(`/withdrawals/${id}/cancel`)).status, 400);
    await sendDue();
    gateway.takeErrors();
  });

  test("lets what was not due wait on when it is confirmed: a new key's time is not shortened", async () => {
    const { operator } = gateway;
    const policy = (newKey: object) => operator.patch(`/accounts/${merchant.accountId}`, { payouts: { newKey } });
    assert.equal((await policy({ waitMinutes: 30 })).status, 200);
    const { id } = await withdraw(merchant.client, { amount: 1, pixKey: "new@example.com" });
    assert.equal((await policy({ waitMinutes: null })).status, 200);
    await operator.post("/restore/begin", { reason: "The disk was set back." });
    await operator.post("/restore/finish", { reason: "It lives.", openWithdrawals: "confirm_all" });
    await sendDue();
    await gateway.running.ctx.db.query(sql`
      update withdrawals set next_at = ${new Date()}, absent_at = absent_at - interval '1 minute'
      where withdrawal_id = ${id} and absent_at is not null`);
    await sendDue();
    assert.deepEqual(await payoutsOf(gateway, id), []);
    assert.equal((await show(merchant.client, id)).pendingReason, "new_key");
    gateway.takeErrors();
  });

  test("is not ended by a proposal that another process refused meanwhile, and a slow end keeps its lease", async () => {
    const { operator, running } = gateway;
    const { ctx } = running;
    const { body } = await operator.post<Required<Status>>("/restore/begin", { reason: "The disk was set back." });
    const found = await findCase(ctx.db, body.caseId);
    const since = new Date(Date.now() - 3 * DAY).toISOString();
    const about = { ...found, evidence: { ...found.evidence, data: { ...found.evidence.data, since } } };
    const parameters = { reason: "It lives.", openWithdrawals: "confirm_all" };
    const who = { id: ctx.ids.uuid(), name: "Ana", role: "admin" as const, owners: ["ana"] };
    const desk = { ctx: { ...ctx, operator: who }, actions: CASE_ACTIONS };
    const wanted = { action: "finish", parameters };
    const ground = await readGround(desk, body.caseId, wanted);
    const approved = await ctx.db.transaction((tx) => propose(desk, tx, body.caseId, wanted, ground));
    const { proposalId } = approved!;
    const finish = CASE_ACTIONS.find(({ action }) => action === "finish")!;
    const end = (of: Context) =>
      finish.execute(of, about, parameters, { proposalId, actor: "Ana", decidedAt: ctx.clock.date() });
    const say = (status: "approved" | "refused") =>
      ctx.db.query(sql`
        update case_proposals set status = ${status}, next_at = case when ${status} = 'approved' then ${new Date()}::timestamptz end,
          finished_at = case when ${status} = 'refused' then ${new Date()}::timestamptz end
        where proposal_id = ${proposalId}`);
    /** An institution that answers so slowly that the lease has elapsed after the first day. */
    const slow = (then: (day: string) => Promise<unknown>): Context => {
      const all = async () => {
        const [institution] = await ctx.psps.all();
        const { listPix } = institution!.psp;
        const listSlowly: typeof listPix = async (window) => {
          await then(dayOf(window.from));
          return listPix(window);
        };
        return [{ ...institution!, psp: { ...institution!.psp, listPix: listSlowly } }];
      };
      return { ...ctx, psps: { ...ctx.psps, all } };
    };

    // Another process took it over, and could not end the restore.
    await assert.rejects(end(slow(() => say("refused"))), { code: "CASE_CHANGED" });
    assert.equal((await operator.get<Status>("/restore")).body.restored, true);

    await say("approved");
    const beside: number[] = [];
    let first: string | null = null;
    await end(
      slow(async (day) => {
        if (first === null) await say("approved");
        first ??= day;
        if (day !== first) beside.push(await executeDue(ctx, CASE_ACTIONS));
      }),
    );
    assert.ok(beside.length > 0);
    assert.deepEqual(new Set(beside), new Set([0]));
    assert.equal((await operator.get<Status>("/restore")).body.restored, false);
    gateway.takeErrors();
  });
});
