/** An institution with a most of one Pix gets no charge and no withdrawal above it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";

const MOST = 100;

let gateway: TestGateway;
/** Linked before the sandbox's own, with a most of R$ 100.00. */
let small: string;
let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
const ends: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway();
  bank = await startSimulatorPsp({ after: (end) => ends.push(end as () => unknown) });
  const { clientId, clientSecret, pixKey, controlToken } = bank.credentials;
  const made = await gateway.operator.post<{ id: string; capabilities: { maxAmount: number } }>("/institutions", {
    ...{ name: "Small", provider: "simulator", environment: "sandbox" },
    config: {
      ...{ baseUrl: `${bank.url}/v2`, tokenUrl: `${bank.url}/oauth/token`, controlUrl: `${bank.url}/control` },
      ...{ clientId, clientSecret, pixKey, controlToken, maxAmount: MOST },
    },
  });
  assert.deepEqual([made.status, made.body.capabilities.maxAmount], [201, MOST], made.text);
  small = made.body.id;
  await enable(small, true, 0);
});
after(async () => {
  for (const end of ends.reverse()) await end();
  await gateway.end();
});

async function enable(institutionId: string, enabled: boolean, priority?: number): Promise<void> {
  const path = `/accounts/${gateway.sandbox.accountId}/institutions/${institutionId}`;
  const linked = await gateway.operator.send("PUT", path, JSON.stringify({ enabled, priority }));
  assert.equal(linked.status, 200, linked.text);
}

type Reply = { id: string; txid: string; details: { code: string; limit?: number } };
const charge = (amount: number) => gateway.merchant.post<Reply>("/pix", { amount, description: "d" });
async function routingOf(id: string) {
  const { rows } = await gateway.owner.query<{ institution_id: string; routing: unknown }>(sql`
    select institution_id, routing from charges where charge_id = ${id}`);
  return rows[0]!;
}
const charges = async () => (await bank.control("GET", "/charges?limit=100")).items.length as number;
/** The sandbox's own institution. */
const own = async (): Promise<string> => {
  const { items } = (await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).body;
  return items.find(({ id }) => id !== small)!.id;
};

/** It knows no address for notifications, so its charge is polled. */
async function payAtSmall({ id, txid }: Reply): Promise<void> {
  await bank.control("POST", `/charges/${txid}/pay`, {});
  await gateway.owner.query(sql`update open_charges set check_at = ${new Date()} where charge_id = ${id}`);
  gateway.running.ctx.hints.wake("charges");
  await eventually("its payment", async () => {
    return (await gateway.merchant.get(`/transactions/${id}`)).body.status === "completed";
  });
}

test("a charge of its most goes there; one centavo more goes to the next, with the reason", async () => {
  const at = await charge(MOST);
  assert.equal(at.status, 201, at.text);
  assert.deepEqual(await routingOf(at.body.id), { institution_id: small, routing: null });
  const before = await charges();
  const above = await charge(MOST + 0.01);
  assert.equal(above.status, 201, above.text);
  assert.deepEqual(await routingOf(above.body.id), {
    institution_id: await own(),
    routing: { reason: "priority", passed: [{ institutionId: small, because: "over_limit" }] },
  });
  assert.equal(await charges(), before);
});

test("a withdrawal above it goes by the next; where no other pays, both are refused with the limit and nothing moves", async () => {
  const key = { pixKey: "maria@example.com", pixKeyType: "email", holderName: "Maria Silva" };
  const holder = { holderDocument: "12345678909", holderDocumentType: "cpf" };
  const withdraw = (amount: number) => gateway.merchant.post<Reply>("/withdrawals", { amount, ...key, ...holder });
  // Each institution holds enough by the books for what it may be asked.
  const paid = await charge(500);
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${paid.body.id}/pay`)).status, 200);
  for (let i = 0; i < 2; i += 1) await payAtSmall((await charge(MOST)).body);
  const balance = async () =>
    (await gateway.merchant.get<{ balance: { held: { amount: number } } }>("/account")).body.balance;
  const institutionOf = async (id: string) =>
    (
      await gateway.owner.query<{ institution_id: string }>(
        sql`select institution_id from withdrawals where withdrawal_id = ${id}`,
      )
    ).rows[0]?.institution_id;
  const [low, high] = [await withdraw(MOST), await withdraw(MOST + 0.01)];
  assert.deepEqual([low.status, high.status], [201, 201], low.text + high.text);
  assert.deepEqual([await institutionOf(low.body.id), await institutionOf(high.body.id)], [small, await own()]);

  // Until they are paid their money moves.
  await eventually("both to be paid", async () => (await balance()).held.amount === 0);

  const other = await own();
  await enable(other, false);
  const [was, made] = [await balance(), await charges()];
  const [refused, unpaid] = [await charge(MOST + 0.01), await withdraw(MOST + 0.01)];
  assert.deepEqual(
    [refused.status, refused.body.details.code, refused.body.details.limit],
    [400, "NOT_SUPPORTED_BY_INSTITUTION", MOST],
    refused.text,
  );
  assert.deepEqual(
    [unpaid.status, unpaid.body.details.code, unpaid.body.details.limit],
    [400, "PAYOUT_UNAVAILABLE", MOST],
    unpaid.text,
  );
  assert.deepEqual([await balance(), await charges()], [was, made]);
  await enable(other, true, 100);
});
