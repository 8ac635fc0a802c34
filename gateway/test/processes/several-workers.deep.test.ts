/** One, two and four worker processes on one database: each piece of work is done once, and every worker gets some. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { MARIA, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, startBeside } from "../harness/process.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

const MERCHANTS = 4;
/** Payments and withdrawals of each merchant in a round. */
const EACH = 5;
/** Rounds until every worker must have had work. */
const ROUNDS = 8;

let gateway: TestGateway;
let receiver: Receiver;
const merchants: Merchant[] = [];

before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
  receiver = await startReceiver();
  for (let n = 0; n < MERCHANTS; n += 1) {
    const merchant = await newMerchant(gateway);
    merchants.push(merchant);
    await give(gateway, merchant.accountId, 1_000);
    const made = await merchant.client.post("/webhook-endpoints", { url: receiver.url });
    assert.equal(made.status, 201, made.text);
  }
});
after(async () => {
  await gateway.stop();
  await receiver.close();
});

for (const count of [1, 2, 4]) {
  test(`${count} workers do each piece of work once, and none is without work`, { timeout: 240_000 }, async (t) => {
    const workers = await Promise.all(Array.from({ length: count }, startWorker));
    try {
      const from = receiver.received.length;
      const bankFrom = await atBank();
      const [paid, sent]: [string[], string[]] = [[], []];
      let shares: number[] = [];
      for (let round = 0; round < ROUNDS && (round === 0 || shares.includes(0)); round += 1) {
        await Promise.all(
          merchants.map(async ({ client }) => {
            for (let n = 0; n < EACH; n += 1) {
              paid.push((await pay(client, 2)).id);
              sent.push((await withdraw(client, { amount: 1, ...MARIA })).id);
            }
          }),
        );
        await finished(paid, sent);
        shares = await Promise.all(workers.map(deliveriesOf));
      }
      await doneOnce(paid, sent, from);
      const bankNow = await atBank();
      assert.equal(bankNow.payments - bankFrom.payments, paid.length);
      assert.equal(bankNow.payouts - bankFrom.payouts, sent.length);
      t.diagnostic(`${paid.length} payments, ${sent.length} withdrawals; deliveries by worker: ${shares.join(", ")}`);
      assert.ok(!shares.includes(0), `a worker without work: ${shares.join(", ")}`);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });
}

function startWorker(): Promise<GatewayProcess> {
  return startBeside(gateway, { PIXGATE_ROLE: "worker" });
}

/** Waits until everything is completed and every event was delivered. */
async function finished(paid: readonly string[], sent: readonly string[]): Promise<void> {
  await eventually(
    "every payment, withdrawal and delivery to end",
    async () => {
      const { rows } = await gateway.owner.query<{ charges: number; withdrawals: number; pending: number }>(sql`
        select (select count(*) from charges where charge_id = any(${[...paid]}::uuid[]) and status = 'completed') as charges,
          (select count(*) from withdrawals where withdrawal_id = any(${[...sent]}::uuid[]) and status = 'completed') as withdrawals,
          (select count(*) from deliveries where status = 'pending') as pending`);
      const { charges, withdrawals, pending } = rows[0]!;
      return charges === paid.length && withdrawals === sent.length && pending === 0;
    },
    90_000,
  );
}

/** Each payment was booked once, each withdrawal paid out once, each event delivered once. */
async function doneOnce(paid: readonly string[], sent: readonly string[], from: number): Promise<void> {
  const { rows } = await gateway.owner.query<{ kind: string; count: number }>(sql`
    select kind, count(*) as count from ledger_transfers
    where (kind = 'charge_paid' and source_id = any(${[...paid]}::uuid[]))
      or (kind = 'withdrawal_sent' and source_id = any(${[...sent]}::uuid[]))
    group by kind order by kind`);
  assert.deepEqual(Object.fromEntries(rows.map(({ kind, count }) => [kind, count])), {
    charge_paid: paid.length,
    withdrawal_sent: sent.length,
  });
  const events = receiver.received.slice(from).map(({ headers }) => headers["webhook-id"]);
  assert.ok(events.length >= paid.length + sent.length, "an event was not delivered");
  assert.equal(new Set(events).size, events.length, "an event was delivered twice");
  await gateway.verify();
}

/** Payments and payouts that the bank has, whatever the gateway knows of them. */
async function atBank(): Promise<{ readonly payments: number; readonly payouts: number }> {
  const { body } = await gateway.simulator.get<Record<"pix" | "payouts", { total: number }>>("/state");
  return { payments: body.pix.total, payouts: body.payouts.total };
}

/** How many deliveries a worker has made, by its own metrics. */
async function deliveriesOf(worker: GatewayProcess): Promise<number> {
  const url = /health and metrics: (http\S+?)\.?$/m.exec(worker.stdout())![1]!;
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^pixgate_deliveries_total\S* (\d+)/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}
