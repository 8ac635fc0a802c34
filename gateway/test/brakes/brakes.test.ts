/** What an operator has stopped does not leave: not from any process, and not an instant later. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { createReturner } from "../../src/claims/returns/send.ts";
import { TO_SEND } from "../../src/db/sending-lock.ts";
import { sql } from "../../src/db/sql.ts";
import type { Psp } from "../../src/psp/psp.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { ask, payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { onEveryServer } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Waiting = { count: number; amount: number; more: boolean };
type Brake = {
  waiting?: Waiting;
  id?: string;
  scope: string;
  targetId?: string;
  paused: boolean;
  reason?: string;
  liftedBy?: string;
};

/** A process without loops: each test begins them when it wants them to run. */
let gateway: TestGateway;
let merchant: Merchant;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
});
beforeEach(async () => {
  merchant = await newMerchant(gateway, ["loja"]);
  await give(gateway, merchant.accountId, 100);
});
afterEach(async () => {
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  for (const { scope, targetId: id } of await brakes()) await put({ scope, id, paused: false });
  await gateway.verify();
});
after(() => gateway.stop());

const ctx = () => gateway.running.ctx;
const put = async (body: Record<string, unknown>) => {
  const reply = await gateway.operator.send<Brake>("PUT", "/brakes", JSON.stringify({ reason: "a test", ...body }));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const brakes = async () => (await gateway.operator.get<{ items: Brake[] }>("/brakes")).body.items;
/** One pass of the loop that sends withdrawals. */
async function pass(now = 0): Promise<number> {
  const clock = { now: () => Date.now() + now, date: () => new Date(Date.now() + now) };
  const sender = createSender({ ...ctx(), clock });
  const began = await sender.runDue();
  await sender.idle();
  return began;
}
/** The banks, which answer some calls in another way. */
const answering = (over: (psp: Psp) => Partial<Psp>): ReturnType<typeof ctx>["psps"] => {
  const { psps } = ctx();
  return {
    ...psps,
    async find(institutionId) {
      const found = await psps.find(institutionId);
      return found && { ...found, psp: { ...found.psp, ...over(found.psp) } };
    },
  };
};
const suspend = async (status: string) => {
  const reply = await gateway.operator.patch(`/accounts/${merchant.accountId}`, { status });
  assert.equal(reply.status, 200, reply.text);
};
/** Nothing has left, nothing is claimed, and the hold stands. */
async function isWaiting(id: string): Promise<void> {
  await pass();
  const { rows } = await ctx().db.query(sql`
    select status, may_have_left, attempts, next_at <= ${new Date()} as due from withdrawals where withdrawal_id = ${id}`);
  assert.deepEqual(rows, [{ status: "pending", may_have_left: false, attempts: 0, due: true }]);
  assert.deepEqual(await payoutsOf(gateway, id), []);
}
async function leaves(id: string): Promise<void> {
  await pass();
  assert.equal((await payoutsOf(gateway, id)).length, 1);
}

describe("a payout that has not left", () => {
  test("stays while its account is suspended, and leaves when it is not any more", async () => {
    const { id } = await withdraw(merchant.client);
    await suspend("suspended");
    await isWaiting(id);
    const shown = await show(merchant.client, id);
    assert.deepEqual([shown.status, shown.pendingReason], ["pending", "paused"]);
    assert.equal((await balancesOf(merchant.client)).held, 1_000);
    await suspend("approved");
    assert.equal((await show(merchant.client, id)).pendingReason, undefined);
    await leaves(id);
  });

  test("stays while the operator or the merchant suspends its wallet, and others of the account leave", async () => {
    await give(gateway, merchant.accountId, 50, { subAccount: "loja" });
    const ways = [
      (status: string) => gateway.operator.patch(`/accounts/${merchant.accountId}/sub-accounts/loja`, { status }),
      (status: string) => merchant.client.patch("/sub-accounts/loja", { status }),
    ];
    for (const set of ways) {
      const [ofShop, ofMain] = [await withdraw(merchant.client, {}, "loja"), await withdraw(merchant.client)];
      assert.equal((await set("suspended")).status, 200);
      await leaves(ofMain.id);
      await isWaiting(ofShop.id);
      assert.equal((await set("approved")).status, 200);
      await leaves(ofShop.id);
    }
  });

  test("stays under a brake of everything, its institution, its account, or its wallet, and of no other", async () => {
    const other = await newMerchant(gateway);
    const { rows } = await ctx().db.query<{ institution_id: string }>(sql`select institution_id from institutions`);
    for (const target of [
      { scope: "all" },
      { scope: "institution", id: rows[0]!.institution_id },
      { scope: "account", id: merchant.accountId },
      { scope: "wallet", id: merchant.accountId },
    ]) {
      const { id } = await withdraw(merchant.client);
      const set = await put({ ...target, paused: true });
      assert.deepEqual([set.scope, set.targetId, set.paused, set.reason], [target.scope, target.id, true, "a test"]);
      await isWaiting(id);
      assert.equal((await show(merchant.client, id)).pendingReason, "paused", target.scope);
      const lifted = await put({ ...target, paused: false });
      assert.deepEqual([lifted.id, lifted.paused, lifted.liftedBy], [set.id, false, "operator"]);
      await put({ scope: "account", id: other.accountId, paused: true });
      await leaves(id);
    }
  });

  test("stays also where the brake comes while its request waits for its turn or for a token", async () => {
    const { id } = await withdraw(merchant.client);
    const slow = answering(({ payouts }) => ({
      payouts: {
        ...payouts!,
        async sendPayout(order) {
          await put({ scope: "all", paused: true });
          return payouts!.sendPayout(order);
        },
      },
    }));
    const sender = createSender({ ...ctx(), psps: slow });
    await sender.runDue();
    await sender.idle();
    assert.deepEqual(await payoutsOf(gateway, id), []);
    const shown = await show(merchant.client, id);
    assert.deepEqual([shown.status, shown.pendingReason], ["processing", "paused"]);
    await put({ scope: "all", paused: false });
    await eventually("the payout", async () => {
      await pass(60_000);
      return (await payoutsOf(gateway, id)).length === 1;
    });
  });

  test("is counted behind each brake that holds it, and listed by it, until it leaves", async () => {
    const other = await newMerchant(gateway);
    await give(gateway, other.accountId, 100);
    const { id: institutionId } = (await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).body
      .items[0]!;
    const targets = [
      { scope: "all" },
      { scope: "institution", id: institutionId },
      { scope: "account", id: merchant.accountId },
      { scope: "wallet", id: other.accountId },
    ];
    const waiting = [];
    for (const target of targets) waiting.push(await put({ ...target, paused: true }));
    const mine = [await withdraw(merchant.client), await withdraw(merchant.client)];
    const theirs = await withdraw(other.client);
    const listed = async (brake: Brake): Promise<string[]> => {
      const { body } = await gateway.operator.get<{ items: { id: string }[] }>(`/withdrawals?brakeId=${brake.id}`);
      return body.items.map(({ id }) => id).sort();
    };
    const ids = (some: readonly { id: string }[]) => some.map(({ id }) => id).sort();
    const expected = [[...mine, theirs], [...mine, theirs], mine, [theirs]];
    const set = await brakes();
    for (const [i, brake] of waiting.entries()) {
      const count = expected[i]!.length;
      assert.deepEqual(set.find(({ id }) => id === brake.id)?.waiting, { count, amount: count * 10, more: false });
      assert.deepEqual(await listed(brake), ids(expected[i]!), brake.scope);
    }
    for (const target of targets) await put({ ...target, paused: false });
    assert.deepEqual(await listed(waiting[0]!), []);
    for (const { id } of expected[0]!) await leaves(id);
    const again = await put({ scope: "all", paused: true });
    assert.deepEqual((await brakes())[0]?.waiting, { count: 0, amount: 0, more: false });
    assert.deepEqual(await listed(again), []);
  });

  test("stays in the wallet that is braked, while the account's other wallets pay", async () => {
    await give(gateway, merchant.accountId, 50, { subAccount: "loja" });
    const [ofShop, ofMain] = [await withdraw(merchant.client, {}, "loja"), await withdraw(merchant.client)];
    await put({ scope: "wallet", id: merchant.accountId, paused: true });
    await leaves(ofShop.id);
    await isWaiting(ofMain.id);
  });
});

describe("what may have left", () => {
  test("is queried under a brake and finished, and a request that did not arrive is not sent again", async () => {
    const arrived = await withdraw(merchant.client);
    await gateway.simulator.patch("/behaviour", { payoutDelayMs: 0 });
    await pass();
    const { id } = await withdraw(merchant.client);
    // As a process leaves it that dies after its claim and before its request.
    await gateway.owner.query(sql`
      update withdrawals set status = 'processing', may_have_left = true, next_at = ${new Date(0)}, attempts = 1
      where withdrawal_id in (${id}, ${arrived.id})`);
    await put({ scope: "all", paused: true });
    for (const later of [0, 60_000, 3_600_000]) await pass(later);
    assert.deepEqual(await payoutsOf(gateway, id), [], "it was queried only");
    assert.equal((await show(merchant.client, arrived.id)).status, "completed");
    assert.equal((await show(merchant.client, id)).status, "processing");
    assert.equal((await balancesOf(merchant.client)).held, 1_000);
    await put({ scope: "all", paused: false });
    await pass(7_200_000);
    assert.equal((await payoutsOf(gateway, id)).length, 1);
  });
});

describe("a brake counts from its answer on", () => {
  test("for a process that had found the payout before, and claims it after", async () => {
    const { id } = await withdraw(merchant.client);
    const { db } = ctx();
    const between = {
      ...db,
      query: async (statement: never) => {
        const found = await db.query(statement);
        await put({ scope: "all", paused: true });
        return found;
      },
    };
    const sender = createSender({ ...ctx(), db: between as never });
    assert.equal(await sender.runDue(), 0);
    await isWaiting(id);
  });

  test("it waits for a claim that has begun, and a claim waits for it", async () => {
    /** On a cluster the table has another name where its rows are. */
    const waits = async () => {
      const waiting = `select from pg_locks l join pg_class c on c.oid = l.relation
        where c.relname like 'brakes%' and not l.granted and l.database = (select oid from pg_database where datname = current_database())`;
      return (await onEveryServer(gateway.databaseUrl, waiting)).length === 1;
    };
    const { id } = await withdraw(merchant.client);
    const { db } = ctx();
    let answered = false;
    let setting: Promise<unknown> = Promise.resolve();
    await db.transaction(async (claim) => {
      await claim.query(TO_SEND);
      setting = put({ scope: "all", paused: true }).then(() => (answered = true));
      await eventually("the brake to wait", waits);
      assert.equal(answered, false, "it has not answered while a claim is under way");
    });
    await setting;
    await isWaiting(id);
    await put({ scope: "all", paused: false });

    let claiming: Promise<number> = Promise.resolve(0);
    await db.transaction(async (brake) => {
      await brake.query(sql`lock table brakes in exclusive mode`);
      await brake.query(sql`
        insert into brakes (brake_id, scope, target_id, reason, actor, since)
        values (${ctx().ids.uuid()}, 'account', ${merchant.accountId}, 'a test', 'operator', ${new Date()})`);
      claiming = pass();
      await eventually("the claim to wait", waits);
    });
    await claiming;
    await isWaiting(id);
  });
});

describe("returns", () => {
  const pass = async (psps = ctx().psps) => {
    const returner = createReturner({ ...ctx(), psps });
    const began = await returner.runDue();
    await returner.idle();
    return began;
  };
  const rowOf = async (purpose: string) =>
    (
      await ctx().db.query<{ status: string }>(
        sql`select status from pix_returns where account_id = ${merchant.accountId} and purpose = ${purpose}`,
      )
    ).rows.map(({ status }) => status);
  /** A refund and an automatic return of the account, unsent. */
  async function owed(): Promise<void> {
    for (const [i, purpose] of (["refund", "deposit"] as const).entries()) {
      const e2eId = `E${merchant.accountId.replaceAll("-", "").slice(0, 20)}${i}`;
      const [pixId, returnId] = [ctx().ids.uuid(), ctx().ids.uuid()];
      const { rows } = await ctx().db.query<{ institution_id: string }>(sql`select institution_id from institutions`);
      await gateway.owner.query(sql`
        insert into received_pix (account_id, e2e_id, pix_id, institution_id, wallet_id, amount, outcome, paid_at, received_at)
        values (${merchant.accountId}, ${e2eId}, ${pixId}, ${rows[0]!.institution_id}, ${merchant.accountId}, 5,
          'second_payment', ${new Date()}, ${new Date()})`);
      await gateway.owner.query(sql`
        insert into pix_returns (account_id, return_id, purpose, e2e_id, institution_id, amount, description, psp_id, status,
          next_at, created_at, updated_at)
        values (${merchant.accountId}, ${returnId}, ${purpose}, ${e2eId}, ${rows[0]!.institution_id}, 5, '', ${returnId},
          'pending', ${new Date(0)}, ${new Date()}, ${new Date()})`);
    }
  }
  afterEach(async () => {
    await gateway.owner.query(sql`delete from pix_returns where account_id = ${merchant.accountId}`);
    await gateway.owner.query(sql`delete from received_pix where account_id = ${merchant.accountId}`);
  });

  test("wait under a brake, refunds and automatic ones alike", async () => {
    await owed();
    for (const brake of [{ scope: "all" }, { scope: "wallet", id: merchant.accountId }]) {
      await put({ ...brake, paused: true });
      assert.equal(await pass(), 0);
      assert.deepEqual([await rowOf("refund"), await rowOf("deposit")], [["pending"], ["pending"]]);
      await put({ ...brake, paused: false });
    }
    assert.equal(await pass(), 2);
  });

  test("stay also where the brake comes while their requests wait for a token", async () => {
    await owed();
    const outcomes: unknown[] = [];
    const slow = answering((psp) => ({
      async returnPix(order) {
        await put({ scope: "all", paused: true });
        const outcome = await psp.returnPix({ ...order, e2eId: "E18236120202512292332s098f3b9e48", id: "back" });
        outcomes.push(outcome);
        return outcome;
      },
    }));
    await pass(slow);
    assert.ok(outcomes.length > 0);
    for (const outcome of outcomes) assert.deepEqual(outcome, { kind: "unsent", reason: "claim_over" });
    assert.deepEqual([await rowOf("refund"), await rowOf("deposit")], [["sending"], ["sending"]]);
  });

  test("of a suspended account: refunds wait, what goes back to payers by itself does not", async () => {
    await owed();
    await suspend("suspended");
    assert.equal(await pass(), 1);
    assert.deepEqual([await rowOf("refund"), await rowOf("deposit")], [["pending"], ["sending"]]);
  });
});

describe("the operator's brakes", () => {
  test("are set once, listed with who and why, kept as history, and in the audit log", async () => {
    const first = await put({ scope: "account", id: merchant.accountId, paused: true, reason: "stolen key" });
    const again = await put({ scope: "account", id: merchant.accountId, paused: true, reason: "another word" });
    assert.deepEqual(again, first);
    assert.deepEqual(await brakes(), [{ ...first, waiting: { count: 0, amount: 0, more: false } }]);
    await put({ scope: "account", id: merchant.accountId, paused: false, reason: "new key" });
    assert.deepEqual(await brakes(), []);
    const nothing = await put({ scope: "account", id: merchant.accountId, paused: false });
    assert.deepEqual(nothing, { scope: "account", targetId: merchant.accountId, paused: false });
    const past = (
      await gateway.operator.get<{ items: (Brake & { liftReason: string })[] }>("/brakes?lifted=true&limit=1")
    ).body.items[0]!;
    assert.deepEqual([past.id, past.paused, past.liftReason], [first.id, false, "new key"]);
    const log = await gateway.operator.get<{ items: { action: string }[] }>(`/audit-log?objectId=${first.id}`);
    assert.deepEqual(
      log.body.items.map(({ action }) => action),
      ["brake.lift", "brake.set"],
    );
  });

  test("are lifted by their id, and another one that was set since stays", async () => {
    const first = await put({ scope: "all", paused: true });
    await put({ scope: "all", paused: false, brakeId: first.id });
    const second = await put({ scope: "all", paused: true });
    const lift = { scope: "all", paused: false, reason: "it is over", brakeId: first.id };
    assertRefused(await gateway.operator.send("PUT", "/brakes", JSON.stringify(lift)), 404, "RESOURCE_NOT_FOUND");
    assert.deepEqual(
      (await brakes()).map(({ id }) => id),
      [second.id],
    );
    assert.equal((await put({ ...lift, brakeId: second.id })).paused, false);
    assert.equal((await put({ ...lift, brakeId: second.id })).paused, false, "again");
  });

  test("are refused without a reason, without a target, of nobody, and by who may only read", async () => {
    const { id } = await withdraw(merchant.client);
    const nobody = "01a1fdf9-0fb8-7000-8000-0123456789ab";
    const send = (body: Record<string, unknown>, by = gateway.operator) =>
      by.send<never>("PUT", "/brakes", JSON.stringify(body));
    assertRefused(await send({ scope: "all", paused: true, reason: " " }), 400, "VALIDATION_ERROR");
    assertRefused(await send({ scope: "account", paused: true, reason: "x" }), 400, "VALIDATION_ERROR");
    assertRefused(await send({ scope: "all", id: nobody, paused: true, reason: "x" }), 400, "VALIDATION_ERROR");
    for (const scope of ["institution", "account", "wallet"]) {
      assertRefused(await send({ scope, id: nobody, paused: true, reason: "x" }), 404, "RESOURCE_NOT_FOUND");
    }
    const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "Lia", role: "support" });
    const lia = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
    assertRefused(await send({ scope: "all", paused: true, reason: "x" }, lia), 403, "PERMISSION_DENIED");
    assert.deepEqual(await brakes(), []);
    await leaves(id);
    assertRefused(await ask(merchant.client, { amount: 1_000 }), 400, "INSUFFICIENT_BALANCE");
  });
});
