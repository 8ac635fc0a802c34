/** LGPD: that an erasure reaches everything of one person, nothing of another, and is not undone by what comes later. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { learnPayer } from "../../src/charges/learn-payer.ts";
import { sql } from "../../src/db/sql.ts";
import { resolveWithdrawal } from "../../src/withdrawals/resolve.ts";
import { becomes } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type DataSubject, newDataSubject } from "./data-subject.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});

const mentions = ({ person }: DataSubject) => new RegExp(`${person.name}|${person.document}`);

describe("an erasure", () => {
  test("erases a customer without a document together with the payer", async () => {
    const somebody = await newDataSubject(gateway);
    await somebody.payment({ customer: { name: somebody.person.name, email: "someone@titular.example" } });
    await somebody.leaves();
  });

  test("erases what the shares of a split say", async () => {
    const somebody = await newDataSubject(gateway);
    const made = await somebody.merchant.client.post("/sub-accounts", { reference: "loja" });
    assert.equal(made.status, 201, made.text);
    await somebody.payment({ split: [{ subAccount: "loja", amount: 20 }] });
    assert.ok((await somebody.tables()).includes("movements"));
    await somebody.leaves();
  });

  test("of somebody who paid a charge a second time leaves the first payer's data, and neither is shown the other's", async () => {
    const first = await newDataSubject(gateway);
    const second = await newDataSubject(gateway, first.merchant);
    await second.pay(await first.payment());
    await eventually("the second payment to be back", async () => {
      const path = "/events?event=duplicate_payment_returned";
      return (await first.merchant.client.get<{ items: unknown[] }>(path)).body.items.length === 1;
    });
    const before = await first.records();
    assert.doesNotMatch(JSON.stringify(before), mentions(second));
    assert.doesNotMatch(JSON.stringify(await second.records()), mentions(first));
    await second.leaves();
    assert.deepEqual(await first.records(), before);
  });

  test("of somebody who paid another's charge leaves the customer, and neither is shown the other's", async () => {
    const customer = await newDataSubject(gateway);
    const payer = await newDataSubject(gateway, customer.merchant);
    const id = await customer.charge();
    await payer.pay(id);
    const [own] = (await payer.records()).filter(({ kind }) => kind === "charge");
    const { name } = payer.person;
    assert.deepEqual([own!.data.customer, own!.data.description, own!.data.counterpartName], [null, null, name]);
    const [theirs] = (await customer.records()).filter(({ kind }) => kind === "charge");
    assert.deepEqual([theirs!.data.counterpartName, theirs!.data.counterpartDocument], [null, null]);
    await payer.leaves();
    const [left] = (await customer.records()).filter(({ kind }) => kind === "charge");
    assert.deepEqual(left!.data.customer, theirs!.data.customer);
    const { rows } = await gateway.owner.query<{ customer_id: string | null }>(sql`
      select customer_id from charges where account_id = ${customer.merchant.accountId} and charge_id = ${id}`);
    assert.notEqual(rows[0]!.customer_id, null);
  });

  test("is not undone by what an institution reports of the payment afterwards", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payment();
    await somebody.leaves();
    const { rows } = await gateway.owner.query<{ e2e_id: string }>(sql`
      select e2e_id from received_pix where account_id = ${somebody.merchant.accountId} and charge_id = ${id}`);
    const { lanes } = gateway.running.ctx;
    const learnt = await lanes.run(learnPayer, {
      ...{ accountId: somebody.merchant.accountId, e2eId: rows[0]!.e2e_id, payer: somebody.person },
    });
    assert.equal(learnt, false);
    assert.deepEqual(await somebody.tables(), []);
  });

  test("of a failed payout is not undone when the payout turns out to have been paid", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payout("failed", { pixKey: "fail@pixgate.test", pixKeyType: "email" });
    await somebody.leaves();
    const { rows } = await gateway.owner.query<{ psp_id: string; institution_id: string }>(sql`
      select psp_id, institution_id from withdrawals where account_id = ${somebody.merchant.accountId} and withdrawal_id = ${id}`);
    const payout = {
      ...{ id: rows[0]!.psp_id, status: "settled" as const, amount: 1_000, settledAt: new Date(), returns: [] },
      receiver: { name: somebody.person.name },
    };
    const known = await gateway.running.ctx.lanes.run(resolveWithdrawal, {
      ...{ accountId: somebody.merchant.accountId, withdrawalId: id, institutionId: rows[0]!.institution_id },
      ...{ environment: "sandbox", reported: { kind: "shown", payout } },
    });
    assert.equal(known.kind, "known");
    await becomes(somebody.merchant.client, id, "completed");
    assert.deepEqual(await somebody.tables(), []);
  });
});
