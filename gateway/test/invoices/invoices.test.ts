/** Which invoice a payment has: recorded, listed, refused. And what an invoice says of its payment. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, test } from "node:test";
import { MOST_COMPARED } from "../../src/db/compare-names.ts";
import { sql } from "../../src/db/sql.ts";
import { firstUuidAt } from "../../src/lib/ids.ts";
import { as, credentialOf } from "../contract/merchant.ts";
import { everyPage, give, newMerchant, type Page } from "../contract/money.ts";
import { pay, refundIs } from "../contract/payments.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import type { Client, Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Shown = {
  id: string;
  updatedAt: string;
  qrCodeId?: string;
  returnedAmount?: number;
  fiscal?: { tPag: string; CNPJ?: string; CNPJReceb?: string };
  invoice?: { key?: string; number: string; recordedAt: string };
};

/** Number 1045, and the same company's number 1046. */
const KEY = "41191111812498000103650050000010451515607994";
const OTHER = "41191111812498000103650050000010461515607991";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.verify());
after(() => gateway.end());

async function accountOf(document: string): Promise<string> {
  const made = await gateway.operator.post<{ id: string }>("/accounts", { name: `Of ${document}`, document });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}
const patch = (client: Client, id: string, invoice: unknown, subAccount: string | null = null) =>
  client.patch<Shown>(`/transactions/${id}`, { invoice }, as(subAccount));
async function record(client: Client, id: string, invoice: unknown): Promise<Shown> {
  const reply = await patch(client, id, invoice);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const show = async (client: Client, id: string): Promise<Shown> =>
  (await client.get<Shown>(`/transactions/${id}`)).body;
async function idsOf(client: Client, query: string): Promise<string[]> {
  const items = await everyPage<Shown>(client, `/transactions?${query}`);
  return items.map(({ id }) => id);
}
const entriesOf = async (id: string) =>
  (
    await gateway.owner.query<{ actor: string; before: unknown; after: unknown }>(sql`
      select actor, before, after from audit_log where object_id = ${id} and action = 'invoice.record' order by seq`)
  ).rows;
const rowsOf = async () => (await gateway.owner.query(sql`select * from invoices order by charge_id`)).rows;

/** Refused, and neither money nor an invoice has moved. */
async function refused(call: () => Promise<Reply<unknown>>, check: (reply: Reply<unknown>) => void): Promise<void> {
  const invoices = await rowsOf();
  await nothingMoves(gateway, async () => check(await call()));
  assert.deepEqual(await rowsOf(), invoices);
}

describe("PATCH /transactions/{id}", () => {
  test("records the invoice of a payment by its key, replaces it, and takes it away, each with an entry of the audit log", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await pay(client);
    const before = await show(client, id);
    assert.equal("invoice" in before, false);

    const first = await record(client, id, { key: KEY });
    assert.deepEqual({ ...first.invoice, recordedAt: "" }, { key: KEY, number: "1045", recordedAt: "" });
    assert.ok(Math.abs(Date.parse(first.invoice!.recordedAt) - Date.now()) < 60_000);
    assert.equal(first.updatedAt, before.updatedAt);
    assert.deepEqual(await show(client, id), { ...before, invoice: first.invoice });

    // The same one again is no change.
    assert.deepEqual((await record(client, id, { key: KEY, number: "0001045" })).invoice, first.invoice);
    assert.equal((await record(client, id, { key: OTHER })).invoice?.number, "1046");
    const service = (await record(client, id, { number: "2026/17" })).invoice!;
    assert.deepEqual({ ...service, recordedAt: "" }, { number: "2026/17", recordedAt: "" });
    assert.deepEqual(await record(client, id, null), before);
    assert.deepEqual(await record(client, id, null), before);

    const [one, two, three] = [
      { key: KEY, number: "1045" },
      { key: OTHER, number: "1046" },
      { key: null, number: "2026/17" },
    ];
    const entries = await entriesOf(id);
    assert.deepEqual(
      entries.map(({ before, after }) => [before, after]),
      [
        [null, one],
        [one, two],
        [two, three],
        [three, null],
      ],
    );
    assert.ok(entries.every(({ actor }) => /^credential [0-9a-f-]{36}$/.test(actor)));
  });

  test("gives several payments the same invoice, which was paid in parts", async () => {
    const { client } = await newMerchant(gateway);
    const [first, second] = [await pay(client, 10), await pay(client, 20)];
    for (const { id } of [first, second]) assert.equal((await record(client, id, { key: KEY })).invoice?.key, KEY);
    assert.deepEqual(await idsOf(client, "invoiced=true"), [second.id, first.id]);
  });

  test("of two calls at once for one payment keeps one invoice, and the log says which replaced which", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await pay(client);
    const both = await Promise.all([patch(client, id, { key: KEY }), patch(client, id, { key: OTHER })]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    const [first, last] = await entriesOf(id);
    assert.equal(first!.before, null);
    assert.deepEqual(last!.before, first!.after);
    const { key, number } = (await show(client, id)).invoice!;
    assert.deepEqual(last!.after, { key, number });
  });

  test("refuses a wrong key, a number that is another one's, and a body without an invoice; nothing moves", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await pay(client);
    for (const [invoice, paths] of [
      [{ key: `${KEY.slice(0, 43)}5` }, ["invoice.key"]],
      [{ key: KEY.slice(1) }, ["invoice.key"]],
      [{ key: KEY.toLowerCase().replace("8", "a") }, ["invoice.key"]],
      [{ key: KEY, number: "1046" }, ["invoice.number"]],
      [{}, ["invoice.number"]],
      [{ number: " " }, ["invoice.number"]],
      [{ number: "9".repeat(61) }, ["invoice.number"]],
      [{ number: 1045 }, ["invoice.number"]],
      [{ number: "1", series: "1" }, ["invoice.series"]],
      [undefined, ["invoice"]],
    ] as const) {
      await refused(
        () => patch(client, id, invoice),
        (reply) => assertInvalid(reply, paths, JSON.stringify(invoice)),
      );
    }
  });

  test("refuses what is no completed payment; nothing moves", async () => {
    const { client, accountId } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const pending = await client.post<{ id: string }>("/pix", { amount: 10, description: "d" });
    const adjusted = (await client.get<Page<Shown & { type: string }>>("/transactions?type=adjustment")).body.items[0]!;
    for (const [id, about] of [
      [pending.body.id, { type: "payment", status: "pending" }],
      [adjusted.id, { type: "adjustment", status: "completed" }],
    ] as const) {
      await refused(
        () => patch(client, id, { key: KEY }),
        (reply) => {
          const { details } = assertRefused(reply, 400, "NOT_A_PAID_PAYMENT");
          assert.deepEqual({ type: details.type, status: details.status }, about);
        },
      );
    }
  });

  test("is 404 for another account's and another wallet's payment, and 403 without the permission; nothing moves", async () => {
    const { client, accountId } = await newMerchant(gateway, ["loja"]);
    const [{ id }, shop] = [await pay(client), await pay(client, 12, {}, "loja")];
    const { client: stranger } = await newMerchant(gateway);
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    for (const [call, status, code] of [
      [() => patch(stranger, id, { key: KEY }), 404, "RESOURCE_NOT_FOUND"],
      [() => patch(stranger, id, null), 404, "RESOURCE_NOT_FOUND"],
      [() => patch(client, shop.id, { key: KEY }), 404, "RESOURCE_NOT_FOUND"],
      [() => patch(client, id, { key: KEY }, "loja"), 404, "RESOURCE_NOT_FOUND"],
      [() => patch(client, randomUUID(), { key: KEY }), 404, "RESOURCE_NOT_FOUND"],
      [() => patch(client, "order-1", { key: KEY }), 404, "RESOURCE_NOT_FOUND"],
      [() => patch(reader, id, { key: KEY }), 403, "PERMISSION_DENIED"],
    ] as const) {
      await refused(call, (reply) => void assertRefused(reply, status, code));
    }
    const ofShop = await patch(client, shop.id, { number: "7" }, "loja");
    assert.equal(ofShop.body.invoice?.number, "7");
  });
});

describe("GET /transactions?invoiced=", () => {
  test("lists the completed payments without an invoice, or with one, a refunded one too", async () => {
    const { client, accountId } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 100);
    const [none, one, refunded] = [await pay(client, 10), await pay(client, 20), await pay(client, 30)];
    await client.post("/pix", { amount: 40, description: "d" });
    const shop = await pay(client, 12, {}, "loja");
    await client.post(`/transactions/${refunded.id}/refund`, {});
    await refundIs(client, refunded.id, "CONFIRMED");
    await record(client, one.id, { key: KEY });
    assert.deepEqual(await idsOf(client, "invoiced=false"), [refunded.id, none.id]);
    assert.deepEqual(await idsOf(client, "invoiced=false&minAmount=11"), [refunded.id]);
    assert.deepEqual(await idsOf(client, "invoiced=false&subAccount=*"), [shop.id, refunded.id, none.id]);
    assert.deepEqual(await idsOf(client, "invoiced=true"), [one.id]);
    assert.deepEqual(await idsOf(client, "invoiced=false&type=withdrawal"), []);
    assert.deepEqual(await idsOf(client, "invoiced=true&status=pending"), []);
    const listed = (await client.get<Page<Shown>>("/transactions?invoiced=true")).body.items[0]!;
    assert.equal(listed.invoice?.key, KEY);

    // Refunded after the sale: its invoice may be recorded all the same.
    const kept = await record(client, refunded.id, { number: "3" });
    assert.deepEqual([kept.invoice?.number, kept.returnedAmount], ["3", 30]);
    assert.deepEqual(await idsOf(client, "invoiced=false"), [none.id]);
    assertInvalid(await client.get("/transactions?invoiced=perhaps"), ["invoiced"]);
  });

  test("searches so many charges a page, and the next page goes on there", async () => {
    const { client, accountId } = await newMerchant(gateway);
    const first = await pay(client, 77);
    const now = Date.now();
    const ids = Array.from(
      { length: MOST_COMPARED },
      (_, i) => firstUuidAt(now + i).slice(0, 24) + randomUUID().slice(24),
    );
    await gateway.owner.query(sql`
      insert into charges (account_id, charge_id, wallet_id, institution_id, amount, created_at, expires_in, description, txid,
        expires_at, status, closed_at, updated_at)
      select c.account_id, id, c.wallet_id, c.institution_id, 100, c.created_at, 3600, 'd', replace(id::text, '-', ''),
        c.expires_at, 'expired', c.created_at, c.updated_at
      from charges c, unnest(${ids}::uuid[]) id where c.account_id = ${accountId} and c.charge_id = ${first.id}`);
    const page = (await client.get<Page<Shown>>("/transactions?invoiced=false")).body;
    assert.deepEqual(page.items, []);
    assert.notEqual(page.nextCursor, null);
    assert.deepEqual(await idsOf(client, "invoiced=false"), [first.id]);
  });
});

describe("what an invoice says of its payment", () => {
  const eventOf = async (id: string) => {
    const { rows } = await gateway.owner.query<{ body: string }>(sql`
      select body from events where kind = 'payment_completed' and body like ${`%"transactionId":"${id}"%`}`);
    return (JSON.parse(rows[0]!.body) as { data: Shown & { e2eId: string } }).data;
  };
  const institution = async () => {
    const { body } = await gateway.operator.get<Page<{ id: string; cnpj: string | null }>>("/institutions");
    return body.items[0]!;
  };

  test("is in its answers and its event: a dynamic Pix, the account's CNPJ, and the institution's once the operator has entered it", async () => {
    const accountId = await accountOf("11222333000181");
    const client = await credentialOf(gateway, accountId);
    const early = await pay(client);
    assert.deepEqual((await show(client, early.id)).fiscal, { tPag: "17", CNPJReceb: "11222333000181" });

    const { id, cnpj } = await institution();
    assert.equal(cnpj, null);
    assertInvalid(await gateway.operator.patch(`/institutions/${id}`, { cnpj: "11222333000182" }), ["cnpj"]);
    assert.equal((await institution()).cnpj, null);
    const set = await gateway.operator.patch<{ cnpj: string }>(`/institutions/${id}`, { cnpj: "00416968000101" });
    assert.deepEqual([set.status, set.body.cnpj], [200, "00416968000101"]);

    const fiscal = { tPag: "17", CNPJ: "00416968000101", CNPJReceb: "11222333000181" };
    const { id: paid, e2eId } = await pay(client);
    assert.deepEqual((await show(client, paid)).fiscal, fiscal);
    assert.deepEqual((await client.get<Page<Shown>>("/transactions")).body.items[0]!.fiscal, fiscal);
    const event = await eventOf(paid);
    assert.deepEqual(event.fiscal, fiscal);
    assert.equal(event.e2eId, e2eId);
    const cleared = await gateway.operator.patch<{ cnpj: null }>(`/institutions/${id}`, { cnpj: null });
    assert.equal(cleared.body.cnpj, null);
  });

  test("is that of a static Pix where a static code was paid, and leaves out a CPF", async () => {
    const accountId = await accountOf("52998224725");
    const client = await credentialOf(gateway, accountId);
    const code = await client.post<{ id: string; pixCopyPaste: string }>("/qr-codes", { kind: "static", name: "Tips" });
    const body = { code: code.body.pixCopyPaste, amountCentavos: 500 };
    assert.equal((await gateway.simulator.post("/codes/pay", body)).status, 200);
    const payment = await eventually("the payment of the code", async () => {
      const { items } = (await client.get<Page<Shown>>(`/transactions?qrCodeId=${code.body.id}`)).body;
      return items[0];
    });
    assert.deepEqual(payment.fiscal, { tPag: "20" });
    assert.deepEqual((await eventOf(payment.id)).fiscal, { tPag: "20" });
    assert.equal((await record(client, payment.id, { key: KEY })).invoice?.number, "1045");
  });

  test("is that of a dynamic Pix at a till, and is left out before a payment and of other transactions", async () => {
    const { client, accountId } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const till = await client.post<{ id: string }>("/qr-codes", { kind: "till", name: "Till 1" });
    const charge = await client.post<{ id: string }>("/pix", { amount: 9, description: "d", qrCodeId: till.body.id });
    assert.equal("fiscal" in (await show(client, charge.body.id)), false);
    assert.equal((await client.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    assert.equal((await show(client, charge.body.id)).fiscal?.tPag, "17");
    const { items } = (await client.get<Page<Shown>>("/transactions?type=adjustment")).body;
    assert.deepEqual(
      items.map((one) => "fiscal" in one),
      [false],
    );
  });
});
