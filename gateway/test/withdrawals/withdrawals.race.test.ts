import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { ask, becomes, MANUAL } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, startBeside } from "../harness/process.ts";

describe("withdrawals through two gateway processes at once", () => {
  let gateway: TestGateway;
  let second: GatewayProcess;
  before(async () => {
    gateway = await startGateway();
    second = await startBeside(gateway);
  });
  after(async () => {
    await second.stop();
    await gateway.end();
  });

  const db = () => gateway.running.ctx.db;
  /** The same credential, at the second process. */
  const elsewhere = (client: Client) => new Client(`${second.url}/v2`).withToken(client.token);
  const open = async (accountId: string) =>
    (
      await db().query<{ n: number }>(
        sql`select count(*) as n from withdrawals where account_id = ${accountId} and transaction_status = 'pending'`,
      )
    ).rows[0]!.n;
  const payouts = async () =>
    (await gateway.simulator.get<{ payouts: { total: number } }>("/state")).body.payouts.total;

  /**
   * What is asked for. On a busy machine a call of one account's flood is asked to come back, or its request was not read
   * in time: nothing has been done then.
   */
  const answered = (client: Client, more: Record<string, unknown>, options: { key?: string } = {}) =>
    eventually(
      "an answer",
      async () => {
        const reply = await ask(client, more, options);
        return reply.status !== 503 && reply.status !== 408 && reply;
      },
      90_000,
    );

  test("500 on a balance for 50: exactly 50 are taken, paid once each, and the balance never is below zero", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 500);
    const other = elsewhere(client);
    const before = await payouts();
    const replies = await Promise.all(
      Array.from({ length: 500 }, (_, i) =>
        answered(i % 2 ? client : other, { amount: 10 }, { key: `flood-key-${i}` }),
      ),
    );
    const taken = replies.filter(({ status }) => status === 201);
    assert.equal(taken.length, 50);
    assert.equal(new Set(taken.map(({ body }) => body.id)).size, 50);
    for (const reply of replies) {
      if (reply.status === 201) continue;
      const { details } = assertRefused(reply, 400, "INSUFFICIENT_BALANCE");
      assert.equal(details.required, 10);
      assert.ok(Number(details.available) >= 0 && Number(details.available) < 10);
    }
    await eventually("all of them to be paid", async () => (await open(accountId)) === 0, 60_000);
    assert.deepEqual(await balancesOf(client), { available: 0, promotional: 0, held: 0, total: 0 });
    assert.equal(await payouts(), before + 50);
    const { rows } = await db().query<{ lowest: number }>(sql`
      select min(l.balance_after) as lowest from ledger_lines l
      join ledger_accounts a on a.account_id = l.account_id and a.no = l.no
      where a.account_id = ${accountId} and a.kind in ('available', 'held')`);
    assert.equal(rows[0]!.lowest, 0);
    await gateway.verify();
  });

  test("100 keys, each asked with three times, in both: 20 withdrawals on a balance for 20, and each key one answer", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 200);
    const other = elsewhere(client);
    const calls = Array.from({ length: 300 }, (_, i) => ({
      key: `race-key-${i % 100}`,
      client: i % 2 ? client : other,
    }));
    const replies = await Promise.all(
      calls.map(async ({ key, client: one }) => ({ key, reply: await answered(one, { amount: 10 }, { key }) })),
    );
    const answers = new Map<string, Set<string>>();
    for (const { key, reply } of replies) {
      if (reply.status !== 201) {
        assertRefused(reply, 400, "INSUFFICIENT_BALANCE");
        continue;
      }
      answers.set(key, (answers.get(key) ?? new Set()).add(reply.text));
    }
    assert.equal(answers.size, 20);
    for (const texts of answers.values()) assert.equal(texts.size, 1);
    await eventually("all of them to be paid", async () => (await open(accountId)) === 0, 60_000);
    assert.equal((await balancesOf(client)).total, 0);
  });

  test("money that failures release is withdrawn again, and none of it twice", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const other = elsewhere(client);
    let taken = 0;
    let paid = 0;
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const fails = i % 3 === 0;
        const reply = await answered(i % 2 ? client : other, {
          amount: 10,
          ...(fails ? { pixKey: "fail@pixgate.test" } : {}),
        });
        if (reply.status !== 201) return assertRefused(reply, 400, "INSUFFICIENT_BALANCE");
        taken += 1;
        if (!fails) paid += 1;
        return becomes(client, reply.body.id, fails ? "failed" : "completed");
      }),
    );
    assert.ok(taken >= 10 && paid <= 10);
    assert.deepEqual(await balancesOf(client), {
      available: 10_000 - 1_000 * paid,
      promotional: 0,
      held: 0,
      total: 10_000 - 1_000 * paid,
    });
  });

  test("what one process has sent the other may end: the sandbox's call works at both", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    for (const [asked, ended] of [
      [client, elsewhere(client)],
      [elsewhere(client), client],
    ] as const) {
      const made = await ask(asked, MANUAL);
      const done = await ended.post<{ status: string }>(`/sandbox/withdrawals/${made.body.id}/settle`, {
        outcome: "complete",
      });
      assert.equal(done.body.status, "completed", done.text);
    }
  });
});
