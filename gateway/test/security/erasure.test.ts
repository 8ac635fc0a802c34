/** LGPD: what of a payment is still open when its person is erased, and that nothing of the person is lost sight of by it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { refundIs, refundManually, settleRefund } from "../contract/payments.ts";
import { becomes, withdraw } from "../contract/payouts.ts";
import { onEveryServer, waitingForLocks } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Counts = Record<string, number>;
type Erasure = { erased: Counts; kept: Counts };

/** One for each test. */
const PEOPLE = [
  { name: "Ana Pessoa", document: "52998224725" },
  { name: "Carla Titular", document: "39053344705" },
  { name: "Davi Titular", document: "15350946056" },
  { name: "Elisa Titular", document: "86288366757" },
  { name: "Fabio Titular", document: "11144477735" },
  { name: "Gilda Titular", document: "98765432100" },
  { name: "Hugo Titular", document: "12345678909" },
];

let gateway: TestGateway;
let merchant: Merchant;
let person: (typeof PEOPLE)[number];
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});

/** Another person and another merchant. */
const begin = async () => {
  person = PEOPLE.pop()!;
  merchant = await newMerchant(gateway);
};
const requestErasure = () =>
  gateway.operator.post<Erasure>("/persons/erase", { document: person.document, keepYears: 0 });
const erase = async (): Promise<Erasure> => {
  const reply = await requestErasure();
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
/** Kinds of the records that name the person, or are found by one that does. */
const kinds = async () => {
  const reply = await gateway.operator.post<{ records: { kind: string }[] }>("/persons/export", {
    document: person.document,
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.records.map(({ kind }) => kind).sort();
};
/** Rows of the merchant's tables that name the person, with the name of their table. */
const named = async () => {
  const { rows: tables } = await gateway.owner.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'idempotency_keys'`);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await gateway.owner.query({
      text: `select from ${name} t where position($1 in t::text) > 0 or position($2 in t::text) > 0`,
      values: [person.document, person.name],
    });
    if (rowCount > 0) found.push(name);
  }
  return found;
};
const payment = async () => {
  const customer = { ...person, email: "someone@titular.example" };
  const made = await merchant.client.post<{ id: string }>("/pix", { amount: 50, description: "A visit", customer });
  assert.equal(made.status, 201, made.text);
  const paid = await merchant.client.post(`/sandbox/pix/${made.body.id}/pay`, { payer: person });
  assert.equal(paid.status, 200, paid.text);
  return made.body.id;
};
const payout = async () => {
  await give(gateway, merchant.accountId, 100);
  const { id } = await withdraw(merchant.client, { holderName: person.name, holderDocument: person.document });
  await becomes(merchant.client, id, "completed");
  // For a time the institution is queried whether its receiver gave it back.
  await gateway.owner.query(sql`
    update withdrawals set next_at = null where account_id = ${merchant.accountId} and withdrawal_id = ${id}`);
  return id;
};
/** An endpoint that nothing listens at. */
const deafEndpoint = async () => {
  const made = await merchant.client.post<{ id: string }>("/webhook-endpoints", { url: "http://127.0.0.1:9/deaf" });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
/** Waits for an event's first attempt to have failed. */
const waits = (eventId: string) =>
  eventually(`the event ${eventId} to wait`, async () => {
    const { rowCount } = await gateway.owner.query(sql`
      select from deliveries where account_id = ${merchant.accountId} and event_id = ${eventId} and status = 'pending'
        and attempts > 0 and claimed_until is null`);
    return rowCount === 1;
  });
const giveUp = () =>
  gateway.owner.query(sql`
    update deliveries set status = 'failed', next_at = null
    where account_id = ${merchant.accountId} and status = 'pending'`);

describe("an erasure", () => {
  for (const [what, make, kept] of [
    ["payment", payment, { charge: 1, event: 1, receipt: 1 }],
    ["payout", payout, { event: 1, withdrawal: 1 }],
  ] as const) {
    test(`keeps who a ${what} names while its event waits, and erases both once that has ended`, async () => {
      await begin();
      await deafEndpoint();
      const id = await make();
      await waits(id);
      assert.deepEqual((await erase()).kept, kept);
      assert.deepEqual(await kinds(), Object.keys(kept).sort());
      const event = await merchant.client.get<{ data: unknown }>(`/events/${id}`);
      assert.match(
        JSON.stringify(event.body.data),
        new RegExp(`${person.name}|${person.document}`),
        "as it was signed",
      );
      await giveUp();
      assert.deepEqual((await erase()).kept, {});
      assert.deepEqual([await kinds(), await named()], [[], []]);
    });
  }

  test("erases how to reach a payer at once, also while an event waits", async () => {
    await begin();
    await deafEndpoint();
    const id = await payment();
    await waits(id);
    assert.equal((await erase()).erased.charge, 1);
    const { body } = await gateway.operator.post<{ records: { kind: string; data: Record<string, unknown> }[] }>(
      "/persons/export",
      { document: person.document },
    );
    const { data } = body.records.find(({ kind }) => kind === "charge")!;
    assert.deepEqual([data.description, data.customer], ["[erased]", person]);
  });

  test("ends the deliveries that wait for a disabled endpoint", async () => {
    await begin();
    const endpoint = await deafEndpoint();
    const id = await payment();
    await waits(id);
    const disabled = await merchant.client.patch(`/webhook-endpoints/${endpoint}`, { enabled: false });
    assert.equal(disabled.status, 200, disabled.text);
    assert.deepEqual((await erase()).kept, {});
    assert.deepEqual([await kinds(), await named()], [[], []]);
    const { items } = (await merchant.client.get<{ items: { status: string }[] }>(`/webhook-deliveries?eventId=${id}`))
      .body;
    assert.deepEqual(
      items.map(({ status }) => status),
      ["failed"],
    );
    assert.deepEqual((await merchant.client.get<{ data: unknown }>(`/events/${id}`)).body.data, { erased: true });
  });

  test("keeps the payer of an open block, and erases them once it is resolved", async () => {
    await begin();
    const id = await payment();
    const block = await merchant.client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: id });
    assert.equal(block.status, 201, block.text);
    const { kept } = await erase();
    assert.deepEqual([kept.charge, kept.receipt, kept.balanceBlock], [1, 1, 1], JSON.stringify(kept));
    const resolved = await merchant.client.post(`/sandbox/balance-blocks/${block.body.id}/resolve`, {
      outcome: "rejected",
    });
    assert.equal(resolved.status, 200, resolved.text);
    assert.deepEqual((await erase()).kept, {});
    assert.deepEqual([await kinds(), await named()], [[], []]);
  });

  test("that meets a refund keeps the payer until that has ended, also when it was requested after the search", async () => {
    await begin();
    const id = await payment();
    let refund: Promise<unknown> | null = null;
    let erasure: Promise<Erasure> | null = null;
    await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from accounts where account_id = ${merchant.accountId} for no key update`);
      refund = refundManually(merchant.client, id);
      await eventually("the refund to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 1);
      erasure = erase();
      await eventually("the erasure to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 2);
    });
    await refund!;
    const { kept } = await erasure!;
    assert.deepEqual([kept.charge, kept.receipt, kept.refund], [1, 1, 1], JSON.stringify(kept));
    await settleRefund(merchant.client, id, "confirm");
    await refundIs(merchant.client, id, "CONFIRMED");
    assert.deepEqual((await erase()).kept, {});
    assert.deepEqual([await kinds(), await named()], [[], []]);
  });

  test("that ends midway is in the audit log, and the next one erases the rest", async () => {
    await begin();
    const id = await payment();
    let ended: Promise<number> | null = null;
    await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`select from accounts where account_id = ${merchant.accountId} for no key update`);
      ended = requestErasure().then(({ status }) => status);
      await eventually("the erasure to wait", async () => (await waitingForLocks(gateway.databaseUrl)) === 1);
      // Its events are erased by then.
      assert.deepEqual((await merchant.client.get<{ data: unknown }>(`/events/${id}`)).body.data, { erased: true });
      const waiting = "wait_event_type = 'Lock' and datname = current_database()";
      await onEveryServer(gateway.databaseUrl, `select pg_cancel_backend(pid) from pg_stat_activity where ${waiting}`);
      assert.notEqual(await ended, 200);
    });
    const { rows } = await gateway.owner.query<{ after: Record<string, unknown> }>(sql`
      select after from audit_log where action = 'person.erase' and after ? 'found' order by created_at desc limit 1`);
    assert.deepEqual(rows[0]!.after, { keepYears: 0, found: { charge: 1, receipt: 1, event: 1, notification: 1 } });
    assert.deepEqual((await erase()).kept, {});
    assert.deepEqual([await kinds(), await named()], [[], []]);
  });
});
