/** `GET /transactions` by who paid and how much; a payment names the institution that issued it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { MOST_COMPARED } from "../../src/db/compare-names.ts";
import { sql } from "../../src/db/sql.ts";
import { firstUuidAt } from "../../src/lib/ids.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { as } from "./merchant.ts";
import { everyPage, newMerchant, type Page } from "./money.ts";
import { pay } from "./payments.ts";
import { assertInvalid } from "./refusal.ts";

type Transaction = { id: string; type: string; institution?: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.stop();
});

async function list(client: Client, query: Record<string, string>, subAccount: string | null = null) {
  const reply = await client.get<Page<Transaction>>(`/transactions?${new URLSearchParams(query)}`, as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items.map(({ id }) => id);
}

async function payAs(client: Client, amount: number, payer: Record<string, string>): Promise<string> {
  const { body } = await client.post<{ id: string }>("/pix", { amount, description: "d" });
  const paid = await client.post(`/sandbox/pix/${body.id}/pay`, { payer });
  assert.equal(paid.status, 200, paid.text);
  return body.id;
}

describe("GET /transactions", () => {
  test("by payer finds a part of the name whatever its accents and capitals, or the whole document", async () => {
    const { client } = await newMerchant(gateway, ["loja"]);
    const joao = await payAs(client, 10, { name: "JOÃO Gonçalves 100%", document: "52998224725" });
    const other = await payAs(client, 11, { name: "Maria José", document: "12345678909" });
    const shop = await pay(client, 12, {}, "loja");
    const customer = { name: "Padaria Nova Esperança", document: "11222333000181" };
    const unpaid = await client.post<{ id: string }>("/pix", { amount: 13, description: "d", customer });
    for (const [payer, expected] of [
      ["joao gonc", [joao]],
      ["ÃO GON", [joao]],
      ["100%", [joao]],
      ["jo", [other, joao]],
      ["529.982.247-25", [joao]],
      ["52998224725", [joao]],
      ["5299822472", []],
      ["J%o", []],
      ["esperanca", [unpaid.body.id]],
      ["11.222.333/0001-81", [unpaid.body.id]],
    ] as const) {
      assert.deepEqual(await list(client, { payer }), expected, payer);
    }
    assert.deepEqual(await list(client, { payer: "jo", status: "pending" }), []);
    assert.deepEqual(await list(client, { payer: "esperança", status: "pending" }), [unpaid.body.id]);
    assert.deepEqual(await list(client, { payer: "jo", type: "withdrawal" }), []);
    assert.deepEqual(await list(client, { payer: "ana", subAccount: "*" }), [shop.id]);
    assert.deepEqual(await list(client, { payer: "ana" }), []);
    assert.deepEqual(await list(client, { payer: "ana" }, "loja"), [shop.id]);
    // Somebody else's payers are nobody's.
    assert.deepEqual(await list((await newMerchant(gateway)).client, { payer: "jo" }), []);
    assertInvalid(await client.get("/transactions?payer=j"), ["payer"]);
  });

  test("by amount finds payments from and to an amount, both included", async () => {
    const { client } = await newMerchant(gateway);
    const [ten, twenty, thirty] = [await pay(client, 10), await pay(client, 20.05), await pay(client, 30)];
    assert.deepEqual(await list(client, { minAmount: "20.05" }), [thirty.id, twenty.id]);
    assert.deepEqual(await list(client, { maxAmount: "20.05" }), [twenty.id, ten.id]);
    assert.deepEqual(await list(client, { minAmount: "20.05", maxAmount: "20.05" }), [twenty.id]);
    assert.deepEqual(await list(client, { minAmount: "20.06", maxAmount: "29.99" }), []);
    assert.deepEqual(await list(client, { minAmount: "15", maxAmount: "25", payer: "ana" }), [twenty.id]);
    assertInvalid(await client.get("/transactions?minAmount=0.001&maxAmount=1"), ["minAmount"]);
    assertInvalid(await client.get("/transactions?minAmount=-1&maxAmount=x"), ["minAmount", "maxAmount"]);
  });

  test("names the institution of a payment", async () => {
    const { client } = await newMerchant(gateway);
    const { id } = await pay(client, 10);
    const one = await client.get<Transaction>(`/transactions/${id}`);
    const listed = await client.get<Page<Transaction>>("/transactions");
    const { rows } = await gateway.owner.query<{ name: string }>(
      sql`select i.name from institutions i join charges c using (institution_id) where c.charge_id = ${id}`,
    );
    assert.equal(one.body.institution, rows[0]!.name);
    assert.equal(listed.body.items[0]!.institution, rows[0]!.name);
  });

  test("searches so many charges a page, and the next page goes on there until the last one", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const first = await pay(client, 77);
    // As many others as a page goes through, each made a millisecond after the one before.
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
    for (const query of ["minAmount=77", "payer=ana", "payer=ana&subAccount=*", "minAmount=77&status=completed"]) {
      const page = await client.get<Page<Transaction>>(`/transactions?${query}`);
      assert.deepEqual(page.body.items, [], query);
      assert.notEqual(page.body.nextCursor, null, query);
      const found = await everyPage<Transaction>(client, `/transactions?${query}`);
      assert.deepEqual(
        found.map(({ id }) => id),
        [first.id],
        query,
      );
    }
    const since = new Date(now - 3_600_000 * 2).toISOString();
    assert.deepEqual((await everyPage(client, `/transactions?minAmount=77&from=${since}`)).length, 1);
  });
});
