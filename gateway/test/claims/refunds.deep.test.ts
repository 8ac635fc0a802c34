/** Refunds and blocks under faults of the PSP, and in races through HTTP on two gateway processes. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createReturner } from "../../src/claims/returns/send.ts";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { type Payment, pay, refundIs, refundManually, refundsOf, returnsAtPsp } from "../contract/payments.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, startBeside } from "../harness/process.ts";

let gateway: TestGateway;
let second: GatewayProcess;
let merchant: Merchant;
before(async () => {
  gateway = await startGateway();
  second = await startBeside(gateway, { PIXGATE_RATE_LIMIT: "off" });
  await behave({ openingBalanceCentavos: 1_000_000_00 });
  merchant = await newMerchant(gateway, ["loja"]);
});
after(async () => {
  await second.stop();
  await gateway.end();
});

const db = () => gateway.running.ctx.db;
const behave = async (set: Record<string, unknown>) => {
  const reply = await gateway.simulator.patch("/behaviour", set);
  assert.equal(reply.status, 200, reply.text);
};
/** A call to one of the two processes, in turn. */
let turn = 0;
const call = async (path: string, body: unknown = {}): Promise<{ status: number; body: Record<string, unknown> }> => {
  turn += 1;
  const base = turn % 2 ? gateway.sandbox.baseUrl : `${second.url}/v2`;
  const response = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${merchant.client.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe("a refund makes exactly one return, whatever the PSP does", () => {
  /** Ends the pause before the next request, unless one is under way (claimed for a minute). */
  const hurry = (id: string) => {
    const now = Date.now();
    return db().query(sql`
      update pix_returns set next_at = ${new Date(now)}
      where charge_id = ${id} and status = 'sending' and next_at between ${new Date(now)} and ${new Date(now + 30_000)}`);
  };

  for (const fault of [
    { kind: "timeoutBefore", ms: 200 },
    { kind: "timeoutAfter", ms: 200 },
    { kind: "reset" },
    { kind: "resetAfter" },
    { kind: "error5xxBefore" },
    { kind: "error5xxAfter" },
    { kind: "error5xxAfter", html: true },
    { kind: "brokenJson" },
    { kind: "tooMany" },
  ]) {
    test(`the request meets ${fault.kind}${fault.html ? " (HTML)" : ""}, and the question after it too`, async () => {
      const payment = await pay(merchant.client, 10);
      const before = await balancesOf(merchant.client);
      const once = { probability: 1, timesPerId: 1 };
      const rules = [
        { route: "putReturn", ...fault, ...once },
        { route: "getReturn", ...fault, ...once },
      ];
      // Only the loop can find out.
      await behave({ autoNotify: false, faults: { seed: 1, rules } });
      const asked = await merchant.client.post(`/transactions/${payment.id}/refund`);
      assert.equal(asked.status, 201, asked.text);
      await eventually("its end", async () => {
        await hurry(payment.id);
        return (await refundsOf(merchant.client, payment.id))[0]!.status === "CONFIRMED";
      });
      await behave({ autoNotify: true, faults: { seed: 1, rules: [] } });
      const returns = await returnsAtPsp(gateway, payment.id);
      assert.deepEqual(
        returns.map((one) => [one.id, one.status, one.amountCentavos]),
        [[asked.body.pspRefundTransactionId, "DEVOLVIDO", 1_000]],
      );
      const after = await balancesOf(merchant.client);
      assert.deepEqual([after.total, after.held], [before.total - 1_000, before.held]);
    });
  }

  test("two loops at once, again and again, over refunds that are in every state of a crash", async () => {
    const payments: Payment[] = [];
    for (let i = 0; i < 6; i += 1) payments.push(await pay(merchant.client, 10));
    for (const { id } of payments) await refundManually(merchant.client, id);
    const loops = [createReturner(gateway.running.ctx), createReturner(gateway.running.ctx)];
    for (let round = 0; round < 6; round += 1) {
      for (const [i, { id }] of payments.entries()) {
        await db().query(sql`
          update pix_returns set status = ${i % 2 ? "pending" : "sending"}, next_at = ${new Date()}
          where charge_id = ${id} and status in ('pending', 'sending')`);
      }
      await Promise.all([...loops, ...loops].map((loop) => loop.runDue()));
      await Promise.all(loops.map((loop) => loop.idle()));
    }
    for (const { id, e2eId } of payments) {
      const returns = await returnsAtPsp(gateway, id);
      assert.equal(returns.length, 1);
      await gateway.simulator.post(`/pix/${e2eId}/returns/${returns[0]!.id}/settle`, { outcome: "confirm" });
    }
    for (const { id } of payments) await refundIs(merchant.client, id, "CONFIRMED");
  });
});

describe("through two processes at once", () => {
  test("refund, case, operator's block, PSP-made return, settlement and transfer on one wallet: nothing is paid twice", async () => {
    const { client, accountId } = merchant;
    await give(gateway, accountId, 50);
    const payments: Payment[] = [];
    for (let i = 0; i < 10; i += 1) payments.push(await pay(client, 20));
    const fresh = await Promise.all(
      Array.from(
        { length: 10 },
        async () => (await client.post<{ id: string }>("/pix", { amount: 20, description: "x" })).body.id,
      ),
    );
    const work: (() => Promise<unknown>)[] = payments.flatMap(({ id, e2eId }, i) => [
      () => call(`/transactions/${id}/refund`, i % 3 ? {} : { reason: "manual" }),
      () => call(`/transactions/${id}/refund`, i % 2 ? { amount: 7 } : {}),
      () => gateway.simulator.post("/infractions", { e2eId, amountCentavos: i % 2 ? 2_000 : 700 }),
      () => gateway.simulator.post(`/pix/${e2eId}/med-return`, { amountCentavos: i % 2 ? 2_000 : 300 }),
      () =>
        gateway.operator.post(`/accounts/${accountId}/balance-blocks`, {
          amount: 5,
          blockType: i % 2 ? "judicial" : "med",
          transactionId: id,
        }),
      () => call("/transfers", { subAccount: "loja", amount: 7 }),
    ]);
    work.push(...fresh.map((id) => () => call(`/sandbox/pix/${id}/pay`)));
    work.push(() => db().query(sql`update infraction_polls set next_at = ${new Date()}`));
    // An order of its own for each run; what must hold holds in all of them.
    work.sort(() => Math.random() - 0.5);
    const answers = await Promise.all(work.map((one) => one()));
    for (const answer of answers)
      assert.ok(((answer as { status?: number }).status ?? 0) < 500, JSON.stringify(answer));

    // What is still open ends, one way or the other.
    const { body } = await gateway.simulator.get<{ items: { id: string; status: string }[] }>(
      "/infractions?limit=1000",
    );
    for (const [i, one] of body.items.entries()) {
      if (!["ABERTA", "EM_DEFESA"].includes(one.status)) continue;
      await gateway.simulator.post(`/infractions/${one.id}/resolve`, { outcome: i % 2 ? "accepted" : "rejected" });
    }
    await eventually(
      "every refund to end",
      async () => {
        for (const { id, e2eId } of payments) {
          for (const back of await returnsAtPsp(gateway, id)) {
            if (back.status === "EM_PROCESSAMENTO") {
              await gateway.simulator.post(`/pix/${e2eId}/returns/${back.id}/settle`, { outcome: "confirm" });
            }
          }
        }
        await db().query(sql`update infraction_polls set next_at = ${new Date()}`);
        const { rows } = await db().query<{ open: number }>(sql`
        select (select count(*) from refunds where status = 'pending')
          + (select count(*) from balance_blocks where status in ('awaiting_response', 'defended') and case_id is not null) as open`);
        return rows[0]!.open === 0;
      },
      60_000,
    );
    await gateway.verify();

    // The PSP's own word: of each Pix it has given back what our books say, and never more than the Pix.
    for (const { id, e2eId } of payments) {
      await eventually(`the PSP's returns of ${id} in the books`, async () => {
        const settled = (await returnsAtPsp(gateway, id)).filter((one) => one.status === "DEVOLVIDO");
        const atPsp = settled.reduce((all, one) => all + one.amountCentavos, 0);
        assert.ok(atPsp <= 2_000);
        const { rows } = await db().query<{ ours: number }>(sql`
          select coalesce((select sum(amount) from refunds where e2e_id = ${e2eId} and status = 'confirmed' and not late), 0)
            + coalesce((select sum(amount) from psp_returns where e2e_id = ${e2eId}), 0) as ours`);
        return Number(rows[0]!.ours) === atPsp;
      });
    }
  });
});
