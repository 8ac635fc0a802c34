/** What holds payouts back when an account asks for it: approval by another, velocity, and keys that were never paid. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { credentialOf } from "../contract/merchant.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { eventOf } from "../contract/payments.ts";
import { ask, payoutsOf, show, type Withdrawal, withdraw } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

let gateway: TestGateway;
let merchant: Merchant;
let approver: Client;
/** Another human than who made the merchant's credential. */
let other: Client;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  other = await operatorOf(gateway, "Rafael", "admin");
});
beforeEach(async () => {
  merchant = await newMerchant(gateway);
  approver = await credentialOf(gateway, merchant.accountId, { by: other });
  await give(gateway, merchant.accountId, 1_000);
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

const ctx = () => gateway.running.ctx;
const policy = async (payouts: Record<string, unknown>) => {
  const reply = await gateway.operator.patch<{ payouts: unknown }>(`/accounts/${merchant.accountId}`, { payouts });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.payouts;
};
async function pass(later = 0): Promise<void> {
  const clock = { now: () => Date.now() + later, date: () => new Date(Date.now() + later) };
  const sender = createSender({ ...ctx(), clock });
  await sender.runDue();
  await sender.idle();
}
const decide = (id: string, what: "approve" | "reject", by: Client, body?: unknown) =>
  by.post<Withdrawal>(`/withdrawals/${id}/${what}`, body);
const hasLeft = async (id: string) => (await payoutsOf(gateway, id)).length === 1;
const untouched = async (work: () => Promise<unknown>) => {
  const before = await balancesOf(merchant.client);
  await work();
  assert.deepEqual(await balancesOf(merchant.client), before);
};

describe("a receiver or an amount that was changed in the database", () => {
  for (const [what, change] of [
    ["key", "pix_key = 'thief@example.com'"],
    ["document", "holder_document = '52998224725'"],
    ["amount", "net_amount = net_amount + 1, amount = amount + 1"],
    ["id at the institution", "psp_id = psp_id || '0'"],
  ] as const) {
    test(`is not paid: its ${what}`, async () => {
      const { id } = await withdraw(merchant.client, { amount: 20 });
      const { rows } = await gateway.owner.query<{
        pix_key: string;
        holder_document: string;
        net: number;
        psp: string;
      }>(
        sql`select pix_key, holder_document, net_amount as net, psp_id as psp from withdrawals where withdrawal_id = ${id}`,
      );
      const { pix_key: key, holder_document: document, net, psp } = rows[0]!;
      await gateway.owner.query({ text: `update withdrawals set ${change} where withdrawal_id = '${id}'`, values: [] });
      await untouched(() => pass());
      const made = await gateway.simulator.get<{ items: unknown[] }>(`/payouts?idEnvio=${psp}`);
      assert.deepEqual([made.body.items, await hasLeft(id)], [[], false]);
      assert.equal((await show(merchant.client, id)).status, "processing");
      await assert.rejects(gateway.verify(), /W8/);
      assert.deepEqual(gateway.takeErrors(), ["a withdrawal is not what was asked for: nothing of it is sent"]);
      await gateway.owner.query(sql`
        update withdrawals set pix_key = ${key}, holder_document = ${document}, net_amount = ${net}, amount = fee_amount + ${net}::bigint, psp_id = ${psp}
        where withdrawal_id = ${id}`);
      await pass(600_000);
      assert.ok(await hasLeft(id), "as it was asked for, it leaves");
    });
  }
});

describe("an amount that needs approval", () => {
  test("waits, held, until another credential approves it, never the one that asked", async () => {
    await policy({ approvalAbove: 50 });
    const small = await withdraw(merchant.client, { amount: 50 });
    const { id, pendingReason } = await withdraw(merchant.client, { amount: 50.01 });
    assert.deepEqual([small.pendingReason, pendingReason], [undefined, "awaiting_approval"]);
    await pass(86_400_000);
    assert.deepEqual([await hasLeft(small.id), await hasLeft(id)], [true, false]);
    await untouched(async () => {
      assertRefused(await decide(id, "approve", merchant.client), 403, "APPROVAL_BY_CREATOR");
      assertRefused(await decide(id, "reject", merchant.client), 403, "APPROVAL_BY_CREATOR");
      assertRefused(await decide(small.id, "approve", approver), 400, "WITHDRAWAL_NOT_AWAITING_APPROVAL");
      const other = await newMerchant(gateway);
      assertRefused(await decide(id, "approve", other.client), 404, "RESOURCE_NOT_FOUND");
    });
    const { rows } = await gateway.owner.query<{ by: string }>(
      sql`select created_by as by from withdrawals where withdrawal_id = ${id}`,
    );
    const waiting = await show(merchant.client, id);
    assert.deepEqual([waiting.pendingReason, waiting.requestedBy], ["awaiting_approval", rows[0]!.by]);
    const seenBy = (reader: Client) =>
      show(reader, id).then(({ requestedByName, mayDecide }) => [requestedByName, mayDecide]);
    const seen = await Promise.all([merchant.client, approver, gateway.operator, other].map(seenBy));
    assert.deepEqual(
      seen,
      [false, true, false, true].map((mayDecide) => ["a test", mayDecide]),
    );
    const listed = await approver.get<{ items: Withdrawal[] }>("/withdrawals");
    assert.deepEqual(
      listed.body.items.map(({ mayDecide }) => mayDecide),
      [true, undefined],
    );
    type Listed = { items: { id: string; mayDecide?: boolean }[] };
    const { items } = (await gateway.operator.get<Listed>("/withdrawals?pendingReason=awaiting_approval")).body;
    assert.equal(items.find((one) => one.id === id)?.mayDecide, false);
    const approved = await decide(id, "approve", approver);
    const { pendingReason: reason, requestedBy } = approved.body;
    assert.deepEqual([approved.status, reason, requestedBy], [200, undefined, undefined], approved.text);
    await pass();
    assert.ok(await hasLeft(id));
    assertRefused(await decide(id, "approve", approver), 400, "WITHDRAWAL_NOT_AWAITING_APPROVAL");
  });

  test("is approved or rejected by an operator for an account that has nobody else, which the audit log says", async () => {
    await policy({ approvalAbove: 50 });
    for (const [what, status] of [
      ["approve", "pending"],
      ["reject", "failed"],
    ] as const) {
      const { id } = await withdraw(merchant.client, { amount: 60 });
      const support = await gateway.operator.post<{ token: string }>("/tokens", { name: what, role: "support" });
      const reader = new Client(gateway.sandbox.operatorUrl).withToken(support.body.token);
      await untouched(async () => assertRefused(await decide(id, what, reader), 403, "PERMISSION_DENIED"));
      await untouched(async () =>
        assertRefused(await decide(id, what, gateway.operator), 403, "APPROVAL_BY_CREATOR", "it made the credential"),
      );
      const done = await decide(id, what, other);
      assert.deepEqual([done.status, done.body.status, done.body.pendingReason], [200, status, undefined], done.text);
      assertRefused(await decide(id, what, other), 400, "WITHDRAWAL_NOT_AWAITING_APPROVAL");
      const log = await gateway.operator.get<{ items: { action: string }[] }>(`/audit-log?objectId=${id}`);
      assert.deepEqual(
        log.body.items.map(({ action }) => action),
        [`withdrawal.${what}`],
      );
      await pass();
      assert.equal(await hasLeft(id), what === "approve");
    }
  });

  test("is reported to an endpoint that names the event, and not to one without a list", async () => {
    const { client } = merchant;
    await policy({ approvalAbove: 50 });
    const register = async (events?: readonly string[]) => {
      const body = { url: "http://127.0.0.1:9/hook", ...(events && { events }) };
      const made = await client.post<{ id: string }>("/webhook-endpoints", body);
      assert.equal(made.status, 201, made.text);
      return made.body.id;
    };
    const naming = await register(["withdrawal_awaiting_approval"]);
    await register();
    const small = await withdraw(client, { amount: 50 });
    const key = "key-of-payout-7";
    const asked = await ask(client, { amount: 60, externalReference: "payout-7" }, { key });
    const again = await ask(client, { amount: 60, externalReference: "payout-7" }, { key });
    assert.deepEqual([asked.status, again.body.id], [201, asked.body.id], asked.text);
    const { id, createdAt } = asked.body;
    const kind = "withdrawal_awaiting_approval";
    const { timestamp, ...event } = await eventOf(gateway, `${kind}_${id}`);
    assert.deepEqual(event, {
      event: kind,
      eventId: `${kind}_${id}`,
      subAccount: null,
      data: {
        objectId: id, withdrawalId: id, environment: "sandbox", amount: 60, feeAmount: 0, netAmount: 60, currency: "BRL",
        externalReference: "payout-7", status: "pending", pendingReason: "awaiting_approval", createdAt,
      },
    }); // biome-ignore format: the table of the contract
    assert.equal(timestamp, createdAt);
    type Listed = { items: { eventId: string; endpointId: string }[] };
    const listed = async (path: string) => {
      const reply = await client.get<Listed>(path);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.items;
    };
    const deliveries = await listed(`/webhook-deliveries?eventId=${event.eventId}`);
    assert.deepEqual(
      deliveries.map(({ endpointId }) => endpointId),
      [naming],
    );
    const events = await listed(`/events?event=${kind}`);
    assert.deepEqual(events.map(({ eventId }) => eventId), [event.eventId], small.id); // biome-ignore format: a row
  });

  test("is not reported when the request is refused", async () => {
    await policy({ approvalAbove: 0 });
    await untouched(async () => {
      assertRefused(await ask(merchant.client, { amount: 1_000.01 }), 400, "INSUFFICIENT_BALANCE");
    });
    const { rows } = await ctx().db.query(sql`select event_id from events where account_id = ${merchant.accountId}`);
    assert.deepEqual(rows, []);
  });

  test("is released when it is rejected, reported, and never sent; the credential that requested it may cancel it", async () => {
    await policy({ approvalAbove: 0 });
    const { id } = await withdraw(merchant.client);
    const rejected = await decide(id, "reject", approver, { reason: "Not ours." });
    assert.deepEqual(
      [rejected.body.status, rejected.body.failureCode, rejected.body.failureReason],
      ["failed", "rejected", "Not ours."],
    );
    assert.equal((await eventOf(gateway, `withdrawal_failed_${id}`)).event, "withdrawal_failed");
    const own = await withdraw(merchant.client);
    assert.equal((await merchant.client.post(`/withdrawals/${own.id}/cancel`)).status, 200);
    await pass(86_400_000);
    assert.deepEqual([await hasLeft(id), await hasLeft(own.id)], [false, false]);
    assert.equal((await balancesOf(merchant.client)).available, 100_000);
    assertRefused(await decide(own.id, "approve", approver), 400, "WITHDRAWAL_NOT_AWAITING_APPROVAL");
  });

  test("counts for limits from the start", async () => {
    await policy({ approvalAbove: 0, perHour: { sum: 15 } });
    await withdraw(merchant.client);
    await untouched(async () => {
      const { details } = assertRefused(await ask(merchant.client), 400, "WITHDRAWAL_LIMIT_EXCEEDED");
      assert.deepEqual([details.limitName, details.limit, details.used], ["perHourSum", 15, 10]);
    });
  });
});

describe("velocity", () => {
  test("refuses one more than the hour's number, under any race, and counts what did not fail", async () => {
    await policy({ perHour: { count: 3 } });
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask(merchant.client)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 3);
    const refused = replies.find(({ status }) => status !== 201)!;
    const { details } = assertRefused(refused, 400, "WITHDRAWAL_LIMIT_EXCEEDED");
    assert.deepEqual([details.limitName, details.limit, details.used, details.period], ["perHourCount", 3, 3, "hour"]);
    const made = replies.find(({ status }) => status === 201)!;
    await merchant.client.post(`/withdrawals/${made.body.id}/cancel`);
    assert.equal((await ask(merchant.client)).status, 201);
    assert.deepEqual(await policy({ perHour: { count: null } }), {
      ...{ approvalAbove: null, perHour: { count: null, sum: null }, newKey: { waitMinutes: null, maxAmount: null } },
    });
    assert.equal((await ask(merchant.client)).status, 201);
  });

  test("names the older limits too", async () => {
    await gateway.operator.patch(`/accounts/${merchant.accountId}`, { limits: { perWithdrawal: 5 } });
    const { details } = assertRefused(await ask(merchant.client), 400, "WITHDRAWAL_LIMIT_EXCEEDED");
    assert.equal(details.limitName, "perWithdrawal");
  });
});

describe("a key that was never paid", () => {
  test("waits, and takes no more than its cap in all; once paid it is like the others", async () => {
    await policy({ newKey: { waitMinutes: 30, maxAmount: 25 } });
    const first = await withdraw(merchant.client, { amount: 20 });
    assert.equal(first.pendingReason, "new_key");
    const until = new Date(String(first.until)).getTime();
    assert.ok(Math.abs(until - Date.now() - 30 * 60_000) < 60_000);
    await untouched(async () => {
      const { details } = assertRefused(await ask(merchant.client, { amount: 6 }), 400, "WITHDRAWAL_LIMIT_EXCEEDED");
      assert.deepEqual([details.limitName, details.limit, details.used], ["newKeyAmount", 25, 20]);
    });
    const races = await Promise.all([1, 2, 3].map(() => ask(merchant.client, { amount: 4 })));
    assert.equal(races.filter(({ status }) => status === 201).length, 1);
    await pass(29 * 60_000);
    assert.equal(await hasLeft(first.id), false);
    assert.equal((await show(merchant.client, first.id)).until, first.until);
    await pass(31 * 60_000);
    assert.ok(await hasLeft(first.id));
    await ctx().db.query(sql`update withdrawals set next_at = ${new Date(0)} where withdrawal_id = ${first.id}`);
    await gateway.simulator.post(`/payouts/${(await payoutsOf(gateway, first.id))[0]!.idEnvio}/settle`, {
      outcome: "complete",
    });
    await pass(32 * 60_000);
    const next = await withdraw(merchant.client, { amount: 100 });
    assert.equal(next.pendingReason, undefined);
  });

  test("is also one that only received what the account says it should not have", async () => {
    await policy({ newKey: { maxAmount: 25 } });
    const to = { pixKey: "other-name@pixgate.test", holderName: "Rosana Figueiredo" };
    const pay = async () => {
      const { id } = await withdraw(merchant.client, { ...to, amount: 20 });
      await pass();
      await gateway.simulator.post(`/payouts/${(await payoutsOf(gateway, id))[0]!.idEnvio}/settle`, {
        outcome: "complete",
      });
      await ctx().db.query(sql`update withdrawals set next_at = ${new Date(0)} where withdrawal_id = ${id}`);
      await pass(60_000);
      assert.equal((await show(merchant.client, id)).status, "completed");
      return id;
    };
    // An earlier payment does not make up for it: the key may be somebody else's since.
    await pay();
    const id = await pay();
    const next = await withdraw(merchant.client, { ...to, amount: 30 });
    assert.equal((await merchant.client.post(`/withdrawals/${next.id}/cancel`)).status, 200);
    const said = await merchant.client.post(`/withdrawals/${id}/receiver`, { expected: false });
    assert.equal(said.status, 200, said.text);
    await untouched(async () => {
      const refused = await ask(merchant.client, { ...to, amount: 30 });
      const { details } = assertRefused(refused, 400, "WITHDRAWAL_LIMIT_EXCEEDED");
      assert.deepEqual([details.limitName, details.used], ["newKeyAmount", 0]);
    });
  });

  test("waits its time also when it is approved before", async () => {
    await policy({ approvalAbove: 0, newKey: { waitMinutes: 30 } });
    const { id } = await withdraw(merchant.client);
    assert.equal((await decide(id, "approve", approver)).body.pendingReason, "new_key");
    await pass(29 * 60_000);
    assert.equal(await hasLeft(id), false);
    await pass(31 * 60_000);
    assert.ok(await hasLeft(id));
  });
});
