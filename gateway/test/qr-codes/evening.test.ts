/** A restaurant's evening: three tills, a code for tips, two hundred payments, notifications lost and doubled; then the books are closed. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeDue } from "../../src/close/close.ts";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf, dayWindow } from "../../src/lib/days.ts";
import { isClosed } from "../close/is-closed.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { everyPage } from "../contract/money.ts";
import { refundIs } from "../contract/payments.ts";
import { assertRefused } from "../contract/refusal.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Code = { id: string; pixCopyPaste: string };
type Shown = { id: string; status: string; amount: number; feeAmount?: number; qrCodeId?: string };
type Balance = { balance: { available: { amount: number } } };
type Report = { institutions: { findings: unknown[]; complete?: boolean }[] };

const TILLS = 3;
const GUESTS = 51;
const HOUR = 3_600_000;

let gateway: TestGateway;
let client: Client;
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway();
  const accountId = await newAccount(gateway);
  await gateway.operator.patch(`/accounts/${accountId}`, { fees: { charge: { fixed: 0, percent: 0.99 } } });
  client = await credentialOf(gateway, accountId);
});
after(() => gateway.end());

const cents = (brl: number) => Math.round(brl * 100);
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
const make = async (body: Record<string, unknown>): Promise<Code> => {
  const reply = await client.post<Code>("/qr-codes", body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const scan = async ({ pixCopyPaste }: Code, amountCentavos?: number) => {
  const body = { code: pixCopyPaste, ...(amountCentavos && { amountCentavos }) };
  const reply = await gateway.simulator.post<{ valor: string }>("/codes/pay", body);
  assert.equal(reply.status, 200, reply.text);
  return cents(Number(reply.body.valor));
};
const listOf = (code: Code) => everyPage<Shown>(client, `/transactions?type=payment&qrCodeId=${code.id}&limit=7`);
const isDone = (id: string, status = "completed") =>
  eventually(`${id} to be ${status}`, async () => {
    // A lost notification is made up for by the lists.
    await gateway.running.ctx.db.query(sql`update received_polls set next_at = ${new Date()}`);
    return (await client.get<Shown>(`/transactions/${id}`)).body.status === status;
  });

/** One guest after the other pays at a till. Gives what they paid, centavos. */
async function evening(till: Code, n: number): Promise<number[]> {
  const paid: number[] = [];
  for (let guest = 0; guest < GUESTS; guest += 1) {
    const centavos = 1_990 + n * 1_000 + guest * 137;
    const body = { amount: centavos / 100, description: `Table ${n}, guest ${guest}`, qrCodeId: till.id };
    const charge = await client.post<Shown>("/pix", body);
    assert.equal(charge.status, 201, charge.text);
    if (guest === 3) {
      const refused = assertRefused(await client.post("/pix", body), 409, "QR_CODE_BUSY");
      assert.equal(refused.details.transactionId, charge.body.id);
    }
    if (guest === 5) {
      // The guest pays in cash.
      assert.equal((await client.post(`/pix/${charge.body.id}/cancel`, {})).status, 200);
      continue;
    }
    assert.equal(await scan(till), centavos);
    paid.push(centavos);
    await isDone(charge.body.id);
  }
  return paid;
}

test("a restaurant's evening at three tills and a code for tips ends with every centavo in its place and closed books", async () => {
  const tills = await Promise.all(Array.from({ length: TILLS }, (_, n) => make({ kind: "till", name: `Till ${n}` })));
  const tips = await make({ kind: "static", name: "Tips", description: "Gorjeta" });
  await gateway.simulator.patch("/behaviour", {
    faults: {
      seed: 47,
      rules: [
        { route: "callback", kind: "lost", probability: 0.15 },
        { route: "callback", kind: "doubled", probability: 0.3 },
      ],
    },
  });
  const given = Array.from({ length: 50 }, (_, i) => 200 + i * 50);
  const [paid] = await Promise.all([
    Promise.all(tills.map(evening)),
    // Everybody tips at once, by the same code.
    Promise.all(given.map((centavos) => scan(tips, centavos))),
  ]);

  const tipped = await eventually("all tips", async () => {
    await gateway.running.ctx.db.query(sql`update received_polls set next_at = ${new Date()}`);
    const all = await listOf(tips);
    return all.length >= given.length && all;
  });
  const amountsOf = (all: readonly Shown[]) => all.map(({ amount }) => cents(amount)).sort((a, b) => a - b);
  assert.deepEqual(amountsOf(tipped), given);
  for (const [n, till] of tills.entries()) {
    const all = await listOf(till);
    const done = all.filter(({ status }) => status === "completed");
    assert.deepEqual(amountsOf(done), paid[n]);
    assert.deepEqual(
      all.filter(({ status }) => status !== "completed").map(({ status }) => status),
      ["cancelled"],
    );
  }
  const payments = [...tipped, ...(await Promise.all(tills.map(listOf))).flat()].filter(
    ({ status }) => status === "completed",
  );
  assert.equal(payments.length, 200);

  // One guest gets a tip back.
  const back = tipped[0]!;
  assert.equal((await client.post(`/transactions/${back.id}/refund`, { reason: "Typed twice" })).status, 201);
  await refundIs(client, back.id, "CONFIRMED");
  const fees = sum(payments.map(({ feeAmount }) => cents(feeAmount!)));
  assert.ok(fees > 0);
  const account = await client.get<Balance>("/account");
  const expected = sum(payments.map(({ amount }) => cents(amount))) - fees - cents(back.amount);
  assert.equal(account.body.balance.available.amount, expected);

  const today = dayOf(new Date());
  const compared = await gateway.operator.post<Report>(`/reconciliation/${today}`);
  assert.equal(compared.status, 200, compared.text);
  assert.deepEqual(
    compared.body.institutions.flatMap(({ findings }) => findings),
    [],
  );
  const { ctx } = gateway.running;
  const { rows } = await ctx.db.query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
  const night = { ...ctx, clock: clockAhead(dayWindow(today)!.to.getTime() + 5 * HOUR - Date.now()) };
  await eventually("the day to be closed", async () => {
    while (await closeDue(night, rows[0]!.account_id));
    return isClosed(gateway.owner, today);
  });
  await gateway.verify();
});
