/** What payers filled in on a link's page, where nobody paid in the end. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { formKey, linkToken, readCheckoutToken } from "../../src/http/checkout-token.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { purgeOld } from "../../src/retention/purge.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const DAY = 86_400_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const FIELDS = [
  { name: "email", label: "E-mail", required: true, type: "email" },
  { name: "size", label: "Tamanho", required: true, type: "text" },
];

/** A charge of the link that somebody has begun on its page. */
async function begin(linkId: string): Promise<string> {
  const { keys } = gateway.running.ctx;
  const { rows } = await gateway.owner.query<{ number: number }>(
    sql`select number from accounts where account_id = ${gateway.sandbox.accountId}`,
  );
  const sent = { key: formKey(keys, linkId), "f.email": "ana@titular.example", "f.size": "M" };
  const reply = await fetch(`${gateway.running.url}/pay/${linkToken(keys, rows[0]!.number, linkId)}`, {
    ...{ method: "POST", body: new URLSearchParams(sent), redirect: "manual" },
  });
  assert.equal(reply.status, 303, await reply.text());
  return readCheckoutToken(keys, reply.headers.get("location")!.replace("/pay/", ""))!.id;
}

test("what was filled in is erased 30 days after a charge that ended unpaid, and not of a paid or an open one", async () => {
  const link = await gateway.merchant.post<{ id: string }>("/payment-links", {
    ...{ name: "Camiseta", amount: 40, fields: FIELDS, metadata: { season: "summer" } },
  });
  assert.equal(link.status, 201, link.text);
  const [expired, cancelled, paid, open] = await Promise.all(Array.from({ length: 4 }, () => begin(link.body.id)));
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${expired}/expire`, {})).status, 200);
  assert.equal((await gateway.merchant.post(`/pix/${cancelled}/cancel`, {})).status, 200);
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${paid}/pay`, {})).status, 200);
  // Of no link: the merchant's own words, which only the merchant's erasure ends.
  const own = await gateway.merchant.post<{ id: string }>("/pix", {
    ...{ amount: 40, description: "d", customer: { name: "Ana" }, metadata: { fields: { size: "M" } } },
  });
  assert.equal((await gateway.merchant.post(`/pix/${own.body.id}/cancel`, {})).status, 200);

  // A note may name the payer, and nothing leads to it once the form is gone.
  const noted = [expired, cancelled, paid, own.body.id];
  for (const id of noted) {
    const made = await gateway.merchant.post(`/transactions/${id}/notes`, { text: "Ana Titular ligou" });
    assert.equal(made.status, 201, made.text);
  }
  const notesLeft = () =>
    Promise.all(
      noted.map(async (id) => {
        const { body } = await gateway.merchant.get<{ items: object[] }>(`/transactions/${id}/notes`);
        return body.items.length;
      }),
    );

  const stored = async (id: string | undefined) => {
    const { rows } = await gateway.owner.query<{ customer: unknown; metadata: unknown; status: string }>(sql`
      select customer, metadata, status from charges where charge_id = ${id}`);
    return rows[0]!;
  };
  const all = [expired, cancelled, paid, open, own.body.id];
  const before = await Promise.all(all.map(stored));
  assert.deepEqual(before[0]!.metadata, { season: "summer", fields: { email: "ana@titular.example", size: "M" } });
  assert.deepEqual(before[0]!.customer, { email: "ana@titular.example" });
  const purgeAfter = (days: number) =>
    purgeOld({ ...gateway.running.ctx, clock: clockAhead(days * DAY) }, gateway.sandbox.accountId);

  await purgeAfter(LIMITS.abandonedFormDays - 1);
  assert.deepEqual(await Promise.all(all.map(stored)), before);
  assert.deepEqual(await notesLeft(), [1, 1, 1, 1]);
  await purgeAfter(LIMITS.abandonedFormDays + 1);
  const erased = { customer: null, metadata: { season: "summer" } };
  assert.deepEqual(await Promise.all(all.map(stored)), [
    { ...erased, status: "expired" },
    { ...erased, status: "cancelled" },
    ...before.slice(2),
  ]);
  assert.deepEqual(await notesLeft(), [0, 0, 1, 1]);
  const shown = await gateway.merchant.get(`/transactions/${expired}`);
  assert.equal(shown.status, 200);
  assert.ok(!shown.text.includes("ana@titular.example"));
  await gateway.verify();
});
