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
after(() => gateway.end());

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
    assert.deepEqual((await second.erase()).kept, {});
    assert.deepEqual([await second.kinds(), await second.tables()], [[], []]);
    const { rows } = await gateway.owner.query<{ body: string | null }>(sql`
      select body from booking_evidence where account_id = ${second.merchant.accountId} and kind = 'deposit_returned'`);
    assert.deepEqual(rows, [{ body: null }], "what the institution said of the return that sent it back");
    // The event of the second payment repeats the texts of the charge, and is of both.
    const isLeft = ({ id }: { id: string }) => !id.startsWith("duplicate_payment_returned");
    assert.deepEqual(await first.records(), before.filter(isLeft));
    await first.leaves();
  });

  test("of somebody who paid another's charge leaves the customer, and neither is shown the other's", async () => {
    const customer = await newDataSubject(gateway);
    const payer = await newDataSubject(gateway, customer.merchant);
    const id = await customer.charge();
    await payer.pay(id);
    const [own, theirs] = [await payer.records(), await customer.records()];
    assert.doesNotMatch(JSON.stringify(own), mentions(customer));
    assert.doesNotMatch(JSON.stringify(theirs), mentions(payer));
    for (const records of [own, theirs]) assert.ok(records.some(({ kind }) => kind === "event"));
    await payer.leaves();
    assert.deepEqual(
      (await customer.records()).filter(({ kind }) => kind === "charge"),
      theirs.filter(({ kind }) => kind === "charge"),
    );
    const { rows } = await gateway.owner.query<{ customer_id: string | null }>(sql`
      select customer_id from charges where account_id = ${customer.merchant.accountId} and charge_id = ${id}`);
    assert.notEqual(rows[0]!.customer_id, null);
    await customer.leaves();
  });

  test("erases a payer whom the institution named without a document", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payment();
    await gateway.owner.query(sql`
      update charges set counterpart_document = null where account_id = ${somebody.merchant.accountId} and charge_id = ${id}`);
    await gateway.owner.query(sql`
      update received_pix set payer_document = null where account_id = ${somebody.merchant.accountId} and charge_id = ${id}`);
    await somebody.leaves();
  });

  test("erases the reason of a block where the merchant sees what it took", async () => {
    const somebody = await newDataSubject(gateway);
    const block = await somebody.block(await somebody.payment());
    await somebody.resolve(block, "approved");
    assert.ok((await somebody.tables()).includes("movements"));
    await somebody.leaves();
  });

  test("keeps the payer of a receipt that the operator has to decide about, and erases them once it is back", async () => {
    const somebody = await newDataSubject(gateway);
    const sent = await gateway.simulator.post<{ e2eId: string }>("/pix", {
      amountCentavos: 900,
      payer: somebody.person,
    });
    assert.equal(sent.status, 200, sent.text);
    const item = () =>
      eventually("the receipt", async () => {
        await gateway.owner.query(sql`update received_polls set next_at = ${new Date()}`);
        type Page = { items: { id: string; e2eId: string; status: string }[] };
        const { items } = (await gateway.operator.get<Page>("/unmatched?kind=receipt&limit=100")).body;
        return items.find(({ e2eId }) => e2eId === sent.body.e2eId);
      });
    const { id } = await item();
    assert.equal((await somebody.erase()).kept.receipt, 1);
    const back = await gateway.operator.post(`/unmatched/${id}/resolve`, { action: "return" });
    assert.ok(back.status < 300, back.text);
    await eventually("the return", async () => (await item()).status === "returned");
    await somebody.leaves();
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
