/** `GET /operator/v1/queues`: what waits for the gateway, how old the oldest is, and whether that is too old. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type Sql, sql } from "../../src/db/sql.ts";
import { give, newMerchant } from "../contract/money.ts";
import { pay, refundManually } from "../contract/payments.ts";
import { MANUAL, waiting, withdraw } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Queue = { name: string; waiting: number; since: string | null; limitSeconds: number; late: boolean };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.stop();
});

async function queue(name: string): Promise<Queue> {
  const reply = await gateway.operator.get<{ items: Queue[] }>("/queues");
  assert.equal(reply.status, 200, reply.text);
  const found = reply.body.items.find((one) => one.name === name);
  assert.ok(found, `${name} is not in ${reply.text}`);
  return found;
}
const change = (statement: Sql) => gateway.owner.query(statement);
const shown = ({ waiting: n, late, since }: Queue) => [n, late, since !== null];

describe("GET /queues", () => {
  test("is empty where nothing waits", async () => {
    for (const name of ["notifications", "charges", "withdrawals", "returns", "deliveries"]) {
      await eventually(`${name} to be empty`, async () => (await queue(name)).waiting === 0);
      assert.deepEqual(shown(await queue(name)), [0, false, false], name);
    }
  });

  test("has a withdrawal until its end, is late after half an hour, and leaves it to its case", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const { id, createdAt } = await waiting(client);
    const young = await queue("withdrawals");
    assert.deepEqual(shown(young), [1, false, true]);
    assert.equal(young.since, createdAt);
    await change(
      sql`update withdrawals set created_at = ${earlier("created_at", "29 minutes")} where withdrawal_id = ${id}`,
    );
    assert.equal((await queue("withdrawals")).late, false);
    await change(
      sql`update withdrawals set created_at = ${earlier("created_at", "2 minutes")} where withdrawal_id = ${id}`,
    );
    assert.equal((await queue("withdrawals")).late, true);
    await change(sql`update withdrawals set case_opened_at = now() where withdrawal_id = ${id}`);
    assert.deepEqual(shown(await queue("withdrawals")), [0, false, false]);
  });

  test("keeps the age of what had left before a brake was set, whatever happens to it later", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const { id: payment } = await pay(client, 10);
    const { id } = await withdraw(client, MANUAL);
    const { refundTransactionId: refund } = await refundManually(client, payment);
    await eventually("both to leave", async () => {
      const { rowCount } = await gateway.owner.query(sql`
        select from withdrawals w join pix_returns r on r.account_id = w.account_id
        where w.withdrawal_id = ${id} and w.may_have_left and r.return_id = ${refund} and r.status = 'sending'`);
      return rowCount === 1;
    });
    const brake = async (paused: boolean) => {
      const body = JSON.stringify({ scope: "account", id: accountId, paused, reason: "a test" });
      const reply = await gateway.operator.send("PUT", "/brakes", body);
      assert.equal(reply.status, 200, reply.text);
    };
    await change(sql`
      update withdrawals set created_at = ${earlier("created_at", "31 minutes")}, left_at = ${earlier("left_at", "31 minutes")}
      where withdrawal_id = ${id}`);
    await change(sql`
      update pix_returns set created_at = ${earlier("created_at", "31 minutes")}, left_at = ${earlier("left_at", "31 minutes")}
      where return_id = ${refund}`);
    await brake(true);
    await brake(false);
    // What is noted of it later makes it no newer.
    await change(sql`update withdrawals set updated_at = now() where withdrawal_id = ${id}`);
    for (const name of ["withdrawals", "returns"]) assert.equal((await queue(name)).late, true, name);
    await change(sql`update withdrawals set case_opened_at = now() where withdrawal_id = ${id}`);
    await change(sql`update pix_returns set case_opened_at = now() where return_id = ${refund}`);
  });

  test("has what waited behind a brake since the brake was lifted, and what had left before since it could leave", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const { id: payment } = await pay(client, 10);
    const age = (id: string) =>
      change(sql`update withdrawals set created_at = ${earlier("created_at", "31 minutes")},
        left_at = ${earlier("left_at", "31 minutes")} where withdrawal_id = ${id}`);
    const brake = async (paused: boolean) => {
      const body = JSON.stringify({ scope: "account", id: accountId, paused, reason: "a test" });
      const reply = await gateway.operator.send("PUT", "/brakes", body);
      assert.equal(reply.status, 200, reply.text);
    };
    await brake(true);
    const { id } = await withdraw(client, MANUAL);
    await age(id);
    const { refundTransactionId: refund } = await refundManually(client, payment);
    await change(
      sql`update pix_returns set created_at = ${earlier("created_at", "31 minutes")} where return_id = ${refund}`,
    );
    for (const name of ["withdrawals", "returns"]) assert.deepEqual(shown(await queue(name)), [0, false, false], name);
    await brake(false);
    const { rows } = await gateway.owner.query<{ lifted_at: Date }>(sql`
      select lifted_at from brakes where target_id = ${accountId}`);
    const lifted = rows[0]!.lifted_at.toISOString();
    for (const name of ["withdrawals", "returns"]) {
      const { waiting: n, late, since } = await queue(name);
      assert.deepEqual([n, late, since], [1, false, lifted], name);
    }
    await eventually("the withdrawal to leave", async () => {
      const { rowCount } = await gateway.owner.query(sql`
        select from withdrawals where withdrawal_id = ${id} and may_have_left and updated_at > ${lifted}`);
      return rowCount === 1;
    });
    assert.equal((await queue("withdrawals")).since, lifted);
    // The refund has no end either, which is no case before it has left for half an hour.
    await eventually("the refund to be queried again", async () => {
      const { rowCount } = await gateway.owner.query(sql`
        select from pix_returns where return_id = ${refund} and attempts > 1`);
      return rowCount === 1;
    });
    assert.deepEqual([(await queue("returns")).waiting, (await queue("returns")).since], [1, lifted]);
    // It has left by now, so a later brake does not hold it back.
    await age(id);
    await change(
      sql`update brakes set since = ${earlier("since", "31 minutes")}, lifted_at = ${earlier("lifted_at", "31 minutes")}`,
    );
    assert.equal((await queue("withdrawals")).late, true);
    await brake(true);
    await brake(false);
    assert.equal((await queue("withdrawals")).late, true);
    await change(sql`update withdrawals set case_opened_at = now() where withdrawal_id = ${id}`);
    await change(sql`update pix_returns set case_opened_at = now() where return_id = ${refund}`);
  });

  test("has a refund that the institution has not ended", async () => {
    const { client } = await newMerchant(gateway);
    const payment = await pay(client, 10);
    const { refundTransactionId: id } = await refundManually(client, payment.id);
    assert.deepEqual(shown(await queue("returns")), [1, false, true]);
    await change(
      sql`update pix_returns set created_at = ${earlier("created_at", "31 minutes")} where return_id = ${id}`,
    );
    assert.deepEqual(shown(await queue("returns")), [1, true, true]);
  });

  test("has a delivery when it is due, not while it waits for its next attempt", async () => {
    const { client } = await newMerchant(gateway);
    const made = await client.post("/webhook-endpoints", { url: "http://127.0.0.1:9/hook" });
    assert.equal(made.status, 201, made.text);
    await pay(client, 10);
    await eventually("a delivery that waits for its second attempt", async () => {
      const { rows } = await gateway.owner.query(sql`select from deliveries where status = 'pending' and attempts > 0`);
      return rows.length > 0;
    });
    // Claimed, so that nobody delivers it meanwhile.
    const due = (minutes: number) =>
      change(sql`
      update deliveries set next_at = now() - ${`${minutes} minutes`}::interval, claimed_until = now() + interval '1 hour'
      where status = 'pending'`);
    await due(-10);
    assert.equal((await queue("deliveries")).waiting, 0);
    await due(1);
    const [n, late] = shown(await queue("deliveries"));
    assert.deepEqual([Number(n) > 0, late], [true, false]);
    await due(16);
    assert.equal((await queue("deliveries")).late, true);
    await change(sql`update webhook_endpoints set enabled = false`);
    assert.equal((await queue("deliveries")).waiting, 0);
  });

  test("has a notification that is not applied, by when it came", async () => {
    await eventually("those of the tests before", async () => (await queue("notifications")).waiting === 0);
    await change(sql`
      insert into inbox (account_id, inbox_id, institution_id, body_hash, body, kind, status, next_at, received_at)
      select account_id, ${randomUUID()}, ${randomUUID()}, ${randomBytes(32)}, '{}', 'unrecognised', 'pending',
        now() + interval '1 hour', now() - interval '6 minutes' from accounts where is_house`);
    assert.deepEqual(shown(await queue("notifications")), [1, true, true]);
  });

  test("is for operators alone", async () => {
    const nobody = new Client(`${gateway.running.url}/operator/v1`);
    assertRefused(await nobody.get("/queues"), 401, "TOKEN_MISSING");
  });
});
