import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { sql } from "../../src/db/sql.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { becomes, pspIdOf, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";

type Counts = Record<string, number>;
type Erasure = { erased: Counts; kept: Counts };
type Exported = { kind: string; id: string; data: Record<string, unknown> };

/** A CPF and a name that nobody else has. */
function newPerson(): { name: string; document: string } {
  const digits = Array.from({ length: 9 }, () => randomInt(10));
  for (const length of [9, 10]) {
    const sum = digits.reduce((all, digit, i) => all + digit * (length + 1 - i), 0);
    digits.push(((sum * 10) % 11) % 10);
  }
  const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26)));
  return { name: `Titular ${letters.join("")}`, document: digits.join("") };
}

/** Waits until a notification about a Pix or a payout has come and is applied. */
const reported = (gateway: TestGateway, subject: string) =>
  eventually("its notification", async () => {
    const { rowCount } = await gateway.owner.query(sql`
      select from inbox where subject_id = ${subject} and status <> 'pending'`);
    return rowCount > 0;
  });

/** Waits until nothing that the institution has reported waits to be applied: while it does, its payment stays. */
const quiet = (gateway: TestGateway) =>
  eventually("every notification to be applied", async () => {
    const { rowCount } = await gateway.owner.query(sql`select from inbox where status = 'pending'`);
    return rowCount === 0;
  });

export type DataSubject = Awaited<ReturnType<typeof newDataSubject>>;

/** A person, and a merchant with whom they pay and are paid: one of their own, unless it is given. */
export async function newDataSubject(gateway: TestGateway, given?: Merchant) {
  const person = newPerson();
  const merchant = given ?? (await newMerchant(gateway));
  const requestErasure = (keepYears = 0) =>
    gateway.operator.post<Erasure>("/persons/erase", { document: person.document, keepYears });
  const erase = async (keepYears?: number): Promise<Erasure> => {
    const reply = await requestErasure(keepYears);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const records = async (): Promise<Exported[]> => {
    const reply = await gateway.operator.post<{ records: Exported[] }>("/persons/export", {
      document: person.document,
    });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.records;
  };
  const kinds = async () => (await records()).map(({ kind }) => kind).sort();
  /** Names of the tables that name the person, but for answers that are kept for a day to be repeated. */
  const tables = async () => {
    const { rows } = await gateway.owner.query<{ name: string }>(sql`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'idempotency_keys'`);
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await gateway.owner.query({
        text: `select from ${name} t where position($1 in t::text) > 0 or position($2 in t::text) > 0`,
        values: [person.document, person.name],
      });
      if (rowCount > 0) found.push(name);
    }
    return found;
  };
  const charge = async (more: Record<string, unknown> = {}) => {
    const customer = { ...person, email: "someone@titular.example" };
    const texts = { description: `A visit of ${person.name}`, metadata: { patient: person.name } };
    const body = { amount: 50, ...texts, customer, ...more };
    const made = await merchant.client.post<{ id: string }>("/pix", body);
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const pay = async (id: string) => {
    const paid = await merchant.client.post<{ e2eId: string }>(`/sandbox/pix/${id}/pay`, { payer: person });
    assert.equal(paid.status, 200, paid.text);
    await reported(gateway, paid.body.e2eId);
    await quiet(gateway);
  };
  /** Somebody to whom the merchant pays out. The institution is not queried about it any more. */
  const payout = async (status: "completed" | "failed", more: Record<string, unknown> = {}) => {
    await give(gateway, merchant.accountId, 100);
    const holder = { holderName: person.name, holderDocument: person.document };
    const { id } = await withdraw(merchant.client, { ...holder, ...more });
    await becomes(merchant.client, id, status);
    if (status === "completed") await reported(gateway, await pspIdOf(gateway, id));
    await quiet(gateway);
    await gateway.owner.query(sql`
      update withdrawals set next_at = null where account_id = ${merchant.accountId} and withdrawal_id = ${id}`);
    return id;
  };
  return {
    ...{ person, merchant, requestErasure, erase, records, kinds, tables, charge, pay, payout },
    async payment(more?: Record<string, unknown>) {
      const id = await charge(more);
      await pay(id);
      return id;
    },
    /** A MED block of a payment. */
    async block(transactionId: string) {
      const body = { transactionId, reason: `${person.name} says that it was not them` };
      const block = await merchant.client.post<{ id: string }>("/sandbox/balance-blocks", body);
      assert.equal(block.status, 201, block.text);
      return block.body.id;
    },
    async resolve(blockId: string, outcome: "approved" | "rejected") {
      const resolved = await merchant.client.post(`/sandbox/balance-blocks/${blockId}/resolve`, { outcome });
      assert.equal(resolved.status, 200, resolved.text);
      await quiet(gateway);
    },
    /** Erases the person; nothing names them then. */
    async leaves() {
      await quiet(gateway);
      assert.deepEqual((await erase()).kept, {});
      assert.deepEqual([await kinds(), await tables()], [[], []]);
    },
  };
}
