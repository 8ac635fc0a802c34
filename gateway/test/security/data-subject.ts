import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { sql } from "../../src/db/sql.ts";
import { isCpf } from "../../src/lib/documents.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { becomes, pspIdOf, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";

type Counts = Record<string, number>;
type Erasure = { erased: Counts; kept: Counts };
type Exported = { kind: string; id: string; data: Record<string, unknown> };

/** A CPF and a name that nobody else has. */
function newPerson(): { name: string; document: string } {
  const digits = String(randomInt(1_000_000_000)).padStart(9, "0");
  const document = Array.from({ length: 100 }, (_, check) => digits + String(check).padStart(2, "0")).find(isCpf)!;
  const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26)));
  return { name: `Titular ${letters.join("")}`, document };
}

/** Every row of every table as text, but for the answers that are kept 24 hours to be repeated. */
export async function everyRow({ owner }: TestGateway): Promise<{ table: string; row: string }[]> {
  const { rows: tables } = await owner.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'idempotency_keys'`);
  const all: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    const text = `select t::text as row from ${name} t`;
    const { rows } = await owner.query<{ row: string }>({ text, values: [] });
    all.push(...rows.map(({ row }) => ({ table: name, row })));
  }
  return all;
}

/** Waits until a notification about a Pix or a payout has come and is applied. Asaas names a Pix by an id of its own. */
const reported = (gateway: TestGateway, subject: string) =>
  eventually("its notification", async () => {
    const { rowCount } = await gateway.owner.query(sql`
      select from inbox where subject_id in (${subject}, ${`tx-${subject}`}) and status <> 'pending'`);
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
  /** The tables that name the person. */
  const tables = async () => {
    const rows = await everyRow(gateway);
    const naming = rows.filter(({ row }) => row.includes(person.document) || row.includes(person.name));
    return [...new Set(naming.map(({ table }) => table))];
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
