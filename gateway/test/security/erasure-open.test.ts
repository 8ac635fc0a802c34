/** LGPD: what of a payment is still open when its person is erased, and that nothing of the person is lost sight of by it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { refundIs, refundManually, settleRefund } from "../contract/payments.ts";
import { onEveryServer, waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type DataSubject, newDataSubject } from "./data-subject.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

/** An endpoint that nothing listens at. */
const deafEndpoint = async ({ merchant }: DataSubject) => {
  const body = { url: "http://127.0.0.1:9/deaf", retry: "extended" };
  const made = await merchant.client.post<{ id: string }>("/webhook-endpoints", body);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
/** Waits for an event's first attempt to have failed, and puts the next one off. */
const waits = ({ merchant }: DataSubject, eventId: string) =>
  eventually(`the event ${eventId} to wait`, async () => {
    const { rowCount } = await gateway.owner.query(sql`
      update deliveries set next_at = ${new Date(Date.now() + 3_600_000)}
      where account_id = ${merchant.accountId} and event_id = ${eventId} and status = 'pending' and attempts > 0
        and claimed_until is null`);
    return rowCount === 1;
  });
const giveUp = ({ merchant }: DataSubject) =>
  gateway.owner.query(sql`
    update deliveries set status = 'failed', next_at = null
    where account_id = ${merchant.accountId} and status = 'pending'`);

describe("an erasure while something is open", () => {
  for (const [what, make, kept] of [
    ["payment", (who: DataSubject) => who.payment(), { charge: 1, event: 1, receipt: 1 }],
    ["payout", (who: DataSubject) => who.payout("completed"), { event: 1, withdrawal: 1 }],
  ] as const) {
    test(`keeps who a ${what} names while its event waits, and erases both once that has ended`, async () => {
      const somebody = await newDataSubject(gateway);
      await deafEndpoint(somebody);
      const id = await make(somebody);
      await waits(somebody, id);
      assert.deepEqual((await somebody.erase()).kept, kept);
      assert.deepEqual(await somebody.kinds(), Object.keys(kept).sort());
      const event = await somebody.merchant.client.get<{ data: unknown }>(`/events/${id}`);
      assert.match(
        JSON.stringify(event.body.data),
        new RegExp(`${somebody.person.name}|${somebody.person.document}`),
        "as it was signed",
      );
      await giveUp(somebody);
      await somebody.leaves();
    });
  }

  test("erases how to reach a payer at once, also while an event waits", async () => {
    const somebody = await newDataSubject(gateway);
    await deafEndpoint(somebody);
    const id = await somebody.payment();
    await waits(somebody, id);
    assert.equal((await somebody.erase()).erased.charge, 1);
    const { data } = (await somebody.records()).find(({ kind }) => kind === "charge")!;
    assert.deepEqual([data.description, data.customer], ["[erased]", somebody.person]);
  });

  test("ends the deliveries that wait for a disabled endpoint", async () => {
    const somebody = await newDataSubject(gateway);
    const endpoint = await deafEndpoint(somebody);
    const id = await somebody.payment();
    await waits(somebody, id);
    const disabled = await somebody.merchant.client.patch(`/webhook-endpoints/${endpoint}`, { enabled: false });
    assert.equal(disabled.status, 200, disabled.text);
    await somebody.leaves();
    const { items } = (
      await somebody.merchant.client.get<{ items: { status: string }[] }>(`/webhook-deliveries?eventId=${id}`)
    ).body;
    assert.deepEqual(
      items.map(({ status }) => status),
      ["failed"],
    );
    assert.deepEqual((await somebody.merchant.client.get<{ data: unknown }>(`/events/${id}`)).body.data, {
      erased: true,
    });
  });

  test("keeps the payer of an open block, and erases them once it is resolved", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payment();
    const block = await somebody.block(id);
    const { kept } = await somebody.erase();
    assert.deepEqual([kept.charge, kept.receipt, kept.balanceBlock], [1, 1, 1], JSON.stringify(kept));
    await somebody.resolve(block, "rejected");
    await somebody.leaves();
  });

  test("that meets a refund keeps the payer until that has ended, also when it was requested after the search", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payment();
    let refund: Promise<unknown> | null = null;
    let erasure: ReturnType<typeof somebody.erase> | null = null;
    await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from accounts where account_id = ${somebody.merchant.accountId} for no key update`);
      let answered = false;
      refund = refundManually(somebody.merchant.client, id).finally(() => {
        answered = true;
      });
      await eventually("the refund to wait", async () => (await waitingForLocks(gateway.databaseUrl)) >= 1);
      erasure = somebody.erase();
      await eventually("the erasure to wait", async () => (await waitingForLocks(gateway.databaseUrl)) >= 2);
      assert.equal(answered, false);
    });
    await refund!;
    const { kept } = await erasure!;
    assert.deepEqual([kept.charge, kept.receipt, kept.refund], [1, 1, 1], JSON.stringify(kept));
    await settleRefund(somebody.merchant.client, id, "confirm");
    await refundIs(somebody.merchant.client, id, "CONFIRMED");
    await somebody.leaves();
  });

  test("that ends midway is in the audit log, and the next one erases the rest", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payment();
    let ended: Promise<number> | null = null;
    await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from accounts where account_id = ${somebody.merchant.accountId} for no key update`);
      ended = somebody.requestErasure().then(({ status }) => status);
      await eventually("the erasure to wait", async () => (await waitingForLocks(gateway.databaseUrl)) >= 1);
      // Its events are erased by then.
      assert.deepEqual((await somebody.merchant.client.get<{ data: unknown }>(`/events/${id}`)).body.data, {
        erased: true,
      });
      const waiting = "wait_event_type = 'Lock' and datname = current_database()";
      await onEveryServer(gateway.databaseUrl, `select pg_cancel_backend(pid) from pg_stat_activity where ${waiting}`);
      assert.notEqual(await ended, 200);
    });
    const { rows } = await gateway.owner.query<{ after: Record<string, unknown> }>(sql`
      select after from audit_log where action = 'person.erase' and after ? 'found' order by created_at desc limit 1`);
    assert.deepEqual(rows[0]!.after, { keepYears: 0, found: { charge: 1, receipt: 1, event: 1, notification: 1 } });
    await somebody.leaves();
  });

  test("keeps the payer while a notification about the payment is not applied", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payment();
    const {
      rows: [notification],
    } = await gateway.owner.query<{ inbox_id: string }>(sql`
      update inbox set status = 'pending', next_at = ${new Date(Date.now() + 3_600_000)}
      where subject_id = (select e2e_id from charges where account_id = ${somebody.merchant.accountId} and charge_id = ${id})
      returning inbox_id`);
    const { kept } = await somebody.erase();
    assert.deepEqual([kept.charge, kept.receipt, kept.notification], [1, 1, 1], JSON.stringify(kept));
    await gateway.owner.query(sql`
      update inbox set status = 'applied' where inbox_id = ${notification!.inbox_id}`);
    await somebody.leaves();
  });

  test("keeps the payer of an old payment while texts of its block must stay", async () => {
    const somebody = await newDataSubject(gateway);
    const id = await somebody.payment();
    const block = await somebody.block(id);
    await somebody.resolve(block, "rejected");
    const { rows } = await gateway.owner.query<{ paid_at: Date }>(sql`
      select paid_at from charges where account_id = ${somebody.merchant.accountId} and charge_id = ${id}`);
    const paidAt = (at: Date) =>
      gateway.owner.query(sql`
        update charges set paid_at = ${at} where account_id = ${somebody.merchant.accountId} and charge_id = ${id}`);
    await paidAt(new Date(rows[0]!.paid_at.getTime() - 800 * 86_400_000));
    const { kept } = await somebody.erase(1);
    assert.equal(kept.charge, 1, JSON.stringify(kept));
    assert.deepEqual(
      (await somebody.kinds()).filter((kind) => kind !== "receipt"),
      ["balanceBlock", "charge"],
    );
    await paidAt(rows[0]!.paid_at);
    await somebody.leaves();
  });
});
