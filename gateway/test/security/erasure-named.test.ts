/** LGPD: what a bank notifies under its own id of a Pix. Such a notification has the texts of the charge, and not who paid. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import type { Merchant } from "../contract/money.ts";
import { becomes, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startMerchantAtAsaas } from "../psp/merchant-at-asaas.ts";
import { newDataSubject } from "./data-subject.ts";

let gateway: TestGateway;
let merchant: Merchant;
let bank: Awaited<ReturnType<typeof startMerchantAtAsaas>>["simulator"];
let institutionId: string;
let address: string;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway();
  ({ merchant, institutionId, address, simulator: bank } = await startMerchantAtAsaas(gateway, closers));
});
after(async () => {
  await gateway.end();
  for (const close of closers.reverse()) await close();
});

/** The bodies of Asaas's notifications that contain a text. */
async function bodiesWith(text: string): Promise<string[]> {
  const { rows } = await gateway.owner.query<{ body: string }>(sql`
    select body from inbox where institution_id = ${institutionId} and position(${text} in body) > 0`);
  return rows.map(({ body }) => body);
}
/** The rows about a Pix or transfer of Asaas's wait for an hour, or not any more. */
const hold = async (subject: string, status: "pending" | "applied") => {
  const { rowCount } = await gateway.owner.query(sql`
    update inbox set status = ${status}, next_at = ${new Date(Date.now() + 3_600_000)}
    where institution_id = ${institutionId} and subject_id = ${subject}`);
  assert.ok(rowCount > 0, subject);
};
const e2eIdOf = async (id: string) => {
  const { rows } = await gateway.owner.query<{ e2eId: string }>(sql`
    select e2e_id as "e2eId" from charges where account_id = ${merchant.accountId} and charge_id = ${id}`);
  return rows[0]!.e2eId;
};

test("a charge's payment that the bank named by its own id is exported, and erased with the charge", async () => {
  const somebody = await newDataSubject(gateway, merchant);
  await somebody.payment({ customer: undefined });
  assert.equal((await bodiesWith(somebody.person.name)).length, 1, "its description is in the notification");
  assert.deepEqual(await somebody.kinds(), ["charge", "event", "notification", "receipt"]);
  await somebody.leaves();
  assert.deepEqual(await bodiesWith(somebody.person.name), []);
});

test("a notification with the texts of another's charge is the customer's, and the payer is not shown it", async () => {
  const customer = await newDataSubject(gateway, merchant);
  const payer = await newDataSubject(gateway, merchant);
  await payer.pay(await customer.charge());
  assert.doesNotMatch(JSON.stringify(await payer.records()), new RegExp(customer.person.name));
  await payer.leaves();
  assert.equal((await bodiesWith(customer.person.name)).length, 1);
  assert.ok((await customer.kinds()).includes("notification"));
  await customer.leaves();
});

test("a transfer without a charge is found by the end-to-end id that the bank showed", async () => {
  const somebody = await newDataSubject(gateway, merchant);
  const { e2eId } = await bank.control("POST", "/pix", { amountCentavos: 900, payer: somebody.person });
  // The simulator notifies nobody of a Pix without a charge; Asaas does.
  const payment = { id: `pay_${e2eId}`, pixTransaction: `tx-${e2eId}`, customer: "cus_000005113026" };
  const body = JSON.stringify({ id: "evt_1", event: "PAYMENT_RECEIVED", payment });
  assert.equal((await fetch(address, { method: "POST", body })).status, 200);
  await eventually("its notification to be applied", async () => {
    const { rowCount } = await gateway.owner.query(sql`
      select from inbox where position(${`tx-${e2eId}`} in body) > 0 and status <> 'pending'`);
    return rowCount === 1;
  });
  const records = await somebody.records();
  assert.ok(
    records.some(({ kind, data }) => kind === "notification" && String(data.body).includes(`tx-${e2eId}`)),
    JSON.stringify(records),
  );
  assert.equal((await somebody.erase()).erased.notification, 1);
  assert.deepEqual(await bodiesWith(e2eId), []);
});

test("a payer stays while a notification about the payment waits that the bank named by its own id", async () => {
  const somebody = await newDataSubject(gateway, merchant);
  const subject = `tx-${await e2eIdOf(await somebody.payment({ customer: undefined }))}`;
  await hold(subject, "pending");
  const { kept } = await somebody.erase();
  assert.deepEqual([kept.charge, kept.notification], [1, 1], JSON.stringify(kept));
  await hold(subject, "applied");
  await somebody.leaves();
});

test("a receiver stays while a notification about the payout waits that the bank named by its own id", async () => {
  const somebody = await newDataSubject(gateway, merchant);
  await (await newDataSubject(gateway, merchant)).payment();
  const holder = { holderName: somebody.person.name, holderDocument: somebody.person.document };
  const { id } = await withdraw(merchant.client, holder);
  await becomes(merchant.client, id, "completed");
  await gateway.owner.query(sql`
    update withdrawals set next_at = null where account_id = ${merchant.accountId} and withdrawal_id = ${id}`);
  const { rows } = await gateway.owner.query<{ reference: string }>(sql`
    select psp_references -> 0 ->> 'reference' as reference from withdrawals
    where account_id = ${merchant.accountId} and withdrawal_id = ${id}`);
  const { reference } = rows[0]!;
  await eventually("its notification", async () => (await bodiesWith(reference)).length > 0);
  await hold(reference, "pending");
  const { kept } = await somebody.erase();
  assert.deepEqual([kept.withdrawal, kept.notification], [1, 1], JSON.stringify(kept));
  await hold(reference, "applied");
  await somebody.leaves();
});
