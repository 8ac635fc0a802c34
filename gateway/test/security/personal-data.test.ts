/** LGPD: where people's data is, that it can be given out, and that it can be erased while the books stay whole. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { refundIs } from "../contract/payments.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { everyRow } from "./data-subject.ts";

const page = readFileSync(new URL("../../../docs/personal-data.md", import.meta.url), "utf8");

describe("the page of personal data", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.stop());

  test("has every column that can hold text once, and none that is not there", async () => {
    const { rows } = await gateway.owner.query<{ name: string }>(sql`
      select c.table_name || '.' || c.column_name as name
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb', 'json', 'ARRAY', 'bytea')`);
    const named = [...page.matchAll(/^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, table, columns]) =>
      [...columns!.matchAll(/`(\w+)`/g)].map(([, column]) => `${table}.${column}`),
    );
    assert.deepEqual(named.sort(), rows.map((row) => row.name).sort());
  });
});

type Records = { records: { kind: string; accountId: string | null; id: string; data: Record<string, unknown> }[] };
type Erasure = { erased: Record<string, number>; kept: Record<string, number> };

const ANA = { name: "Ana Titular", document: "52998224725" };
const OTHER = { name: "Bruno Outro", document: "12345678909" };
/** What shows who Ana is, wherever it stands. */
const MARKS = /Ana Titular|52998224725|ana@titular\.example|\+5511987654321|segredo da Ana/;

describe("a person's data", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let merchant: Client;
  let endpointId: string;
  const ids: Record<string, string> = {};

  const charge = async (who: typeof ANA, more: Record<string, unknown> = {}) => {
    const customer = who === OTHER ? OTHER : { ...who, email: "ana@titular.example", phone: "+5511987654321" };
    const body = { amount: 50, description: "segredo da Ana", customer, metadata: { note: "segredo da Ana" }, ...more };
    const made = await merchant.post<{ id: string }>("/pix", body);
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const payment = async (who: typeof ANA, more?: Record<string, unknown>) => {
    const id = await charge(who, more);
    const paid = await merchant.post(`/sandbox/pix/${id}/pay`, { payer: who });
    assert.equal(paid.status, 200, paid.text);
    return id;
  };
  const withdrawal = async (who: typeof ANA, pixKey: string, pixKeyType: string) => {
    const body = { pixKey, pixKeyType, holderName: who.name, holderDocument: who.document, holderDocumentType: "cpf" };
    const made = await merchant.post<{ id: string }>("/withdrawals", { ...body, amount: 10 });
    assert.equal(made.status, 201, made.text);
    await eventually("the withdrawal to end", async () => {
      const { status } = (await merchant.get<{ status: string }>(`/withdrawals/${made.body.id}`)).body;
      return ["completed", "failed"].includes(status);
    });
    return made.body.id;
  };
  const dataOf = async (document: string): Promise<Records["records"]> => {
    const reply = await gateway.operator.post<Records>("/persons/export", { document });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.records;
  };
  const erase = async (body: Record<string, unknown>): Promise<Erasure> => {
    const reply = await gateway.operator.post<Erasure>("/persons/erase", body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const everything = async () => (await everyRow(gateway)).map(({ table, row }) => `${table} ${row}`);
  const everyDeliveryEnds = () =>
    eventually("every delivery to end", async () => {
      const { rows } = await gateway.owner.query<{ n: number }>(
        sql`select count(*)::int as n from deliveries where status = 'pending'`,
      );
      return rows[0]!.n === 0;
    });
  const ledger = async () =>
    (
      await gateway.owner.query<{ all: string }>(sql`
        select md5(string_agg(t::text, ',' order by account_id, kind, source_id, leg)) as all from ledger_transfers t`)
    ).rows[0]!.all;

  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
    const accountId = await newAccount(gateway);
    ids.account = accountId;
    merchant = await credentialOf(gateway, accountId);
    endpointId = (await merchant.post<{ id: string }>("/webhook-endpoints", { url: receiver.url })).body.id;
    ids.paid = await payment(ANA);
    ids.refunded = await payment(ANA);
    ids.other = await payment(OTHER, { description: "kept", metadata: { note: "kept" } });
    ids.open = await charge(ANA);
    ids.cancelled = await charge(ANA);
    for (const [id, text] of [
      [ids.paid, "segredo da Ana"],
      [ids.cancelled, "segredo da Ana"],
      [ids.other, "kept"],
    ] as const) {
      assert.equal((await merchant.post(`/transactions/${id}/notes`, { text })).status, 201);
    }
    assert.equal((await merchant.post(`/pix/${ids.cancelled}/cancel`)).status, 200);
    const asked = await merchant.post(`/transactions/${ids.refunded}/refund`, { reason: "segredo da Ana" });
    assert.equal(asked.status, 201, asked.text);
    await refundIs(merchant, ids.refunded, "CONFIRMED");
    ids.sent = await withdrawal(ANA, ANA.document, "cpf");
    ids.failed = await withdrawal(ANA, "fail@pixgate.test", "email");
    const back = await merchant.post(`/sandbox/withdrawals/${ids.sent}/settle`, { outcome: "reverse", amount: 1 });
    assert.equal(back.status, 200, back.text);
    const again = await merchant.post(`/sandbox/pix/${ids.refunded}/pay`, { payer: ANA });
    assert.equal(again.status, 200, again.text);
    await eventually("the second payment to be back", async () => {
      const { items } = (await merchant.get<{ items: unknown[] }>("/events?event=duplicate_payment_returned")).body;
      return items.length === 1;
    });
    await everyDeliveryEnds();
  });
  after(async () => {
    await gateway.verify();
    await receiver.close();
    await gateway.stop();
  });

  test("comes out whole, in all kinds of records, and nobody else's with it", async () => {
    const records = await dataOf("529.982.247-25");
    const kinds = (kind: string) => records.filter((record) => record.kind === kind).map(({ id }) => id);
    assert.deepEqual(kinds("charge").sort(), [ids.paid, ids.refunded, ids.open, ids.cancelled].sort());
    assert.deepEqual(kinds("withdrawal").sort(), [ids.sent, ids.failed].sort());
    assert.deepEqual([kinds("receipt").length, kinds("refund").length], [3, 1]);
    for (const kind of ["duplicate_payment_returned_", "withdrawal_partially_returned_"]) {
      assert.equal(kinds("event").filter((id) => id.startsWith(kind)).length, 1, kind);
    }
    assert.ok(kinds("event").includes(ids.paid!) && kinds("event").includes(`withdrawal_failed_${ids.failed}`));
    assert.ok(kinds("notification").length >= 2);
    assert.match(JSON.stringify(records), /ana@titular\.example/);
    assert.doesNotMatch(JSON.stringify(records), /Bruno|12345678909/);
    const strangers = await dataOf("11222333000181");
    assert.deepEqual(strangers, []);
  });

  test("is for admins, by a right document alone, and the audit log names nobody", async () => {
    const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "fin", role: "finance" });
    const finance = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
    for (const path of ["/persons/export", "/persons/erase"]) {
      assertRefused(await finance.post(path, { document: ANA.document }), 403, "PERMISSION_DENIED");
      for (const document of ["", "1", "11111111111", "' or 1=1 --", "%"]) {
        assertInvalid(await gateway.operator.post(path, { document }), ["document"], document);
      }
    }
    const { rows } = await gateway.owner.query<{ row: string }>(sql`
      select a::text as row from audit_log a where action = 'person.export'`);
    assert.ok(rows.length >= 2);
    for (const { row } of rows) assert.doesNotMatch(row, MARKS);
  });

  test("goes but for what is open and what the law keeps, and the books are what they were", async () => {
    const before = await ledger();
    // For a time the institution is queried whether it made a payout that failed all the same.
    await gateway.owner.query(sql`update withdrawals set next_at = null where withdrawal_id = ${ids.failed}`);
    const { erased, kept } = await erase({ document: ANA.document });
    assert.equal(erased.charge, 3, JSON.stringify(erased));
    assert.deepEqual([erased.withdrawal, erased.refund, erased.receipt], [1, 1, undefined]);
    assert.ok(erased.event! >= 4 && erased.notification! >= 2, JSON.stringify(erased));
    // The open charge; three payments with who paid them, one of them a second one; one payout.
    assert.deepEqual([kept.charge, kept.receipt, kept.withdrawal], [3, 3, 1], JSON.stringify(kept));
    const charges = (await dataOf(ANA.document)).filter(({ kind }) => kind === "charge");
    const paid = charges.find(({ id }) => id === ids.paid)!.data;
    assert.deepEqual(paid.customer, ANA);
    assert.deepEqual([paid.description, paid.metadata, paid.counterpartName], ["[erased]", null, ANA.name]);
    assert.match(JSON.stringify(charges.find(({ id }) => id === ids.open)), /ana@titular/);
    assert.equal(await ledger(), before);
    assert.equal((await erase({ document: ANA.document })).erased.charge, undefined, "nothing is erased twice");
  });

  test("goes for good when nothing is to be kept: no row of any table names the person, and all others are as before", async () => {
    assert.equal((await merchant.post(`/pix/${ids.open}/cancel`)).status, 200);
    // The institution may still send money of a payout back for a time; then nobody queries it any more.
    await gateway.owner.query(sql`update withdrawals set next_at = null`);
    const [lines, other] = [await ledger(), (await everything()).filter((row) => row.includes(OTHER.document))];
    const { kept } = await erase({ document: ANA.document, keepYears: 0 });
    assert.deepEqual(kept, {});
    assert.deepEqual(await dataOf(ANA.document), []);
    const all = await everything();
    assert.deepEqual(
      all.filter((row) => MARKS.test(row)),
      [],
    );
    assert.deepEqual(
      all.filter((row) => row.includes(OTHER.document)),
      other,
    );
    assert.equal(await ledger(), lines);
    await gateway.verify();
  });

  test("leaves transactions, withdrawals, statement and refunds readable", async () => {
    const transaction = await merchant.get(`/transactions/${ids.paid}`);
    assert.equal(transaction.status, 200);
    assert.deepEqual([transaction.body.status, transaction.body.amount], ["completed", 50]);
    assert.equal("counterpartName" in transaction.body || "customerId" in transaction.body, false);
    const sent = await merchant.get(`/withdrawals/${ids.sent}`);
    assert.deepEqual([sent.status, sent.body.snapshotHolderName, sent.body.amount], [200, "[erased]", 10]);
    const statement = await merchant.get<{ items: unknown[] }>("/statement?limit=100");
    assert.ok(statement.body.items.length >= 6);
    const { body } = await merchant.get<{ items: unknown[] }>("/transactions?limit=100");
    assert.ok(body.items.length >= 6);
    assert.equal((await merchant.get(`/transactions/${ids.refunded}/refunds`)).status, 200);
    const notesOf = async (id: string | undefined) =>
      (await merchant.get<{ items: { text: string }[] }>(`/transactions/${id}/notes`)).body.items;
    assert.deepEqual(await notesOf(ids.paid), []);
    assert.equal((await notesOf(ids.other))[0]!.text, "kept");
  });

  test("is not sent again: an erased event says so, is counted by a replay and refused by a redelivery", async () => {
    const event = await merchant.get<{ data: unknown; body: string }>(`/events/${ids.paid}`);
    assert.deepEqual(event.body.data, { erased: true });
    assert.deepEqual((JSON.parse(event.body.body) as { data: unknown }).data, { erased: true });
    assert.equal((await merchant.get("/events?limit=100")).status, 200);
    await everyDeliveryEnds();
    const sent = receiver.received.length;
    const deliveries = await merchant.get<{ items: { id: string; eventId: string }[] }>(
      "/webhook-deliveries?limit=100",
    );
    const delivery = deliveries.body.items.find(({ eventId }) => eventId === ids.paid)!;
    assertRefused(await merchant.post(`/webhook-deliveries/${delivery.id}/redeliver`), 400, "EVENT_ERASED");
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const replayed = await merchant.post<{ count: number; erased: number }>(`/webhook-endpoints/${endpointId}/replay`, {
      since,
    });
    assert.equal(replayed.status, 200, replayed.text);
    assert.equal(replayed.body.count, 1, "the other person's payment");
    assert.ok(replayed.body.erased >= 4);
    await eventually("the replay", () => receiver.received.length === sent + 1);
    assert.match(receiver.received.at(-1)!.body, /Bruno/);
  });
});
