/** What a whole life leaves out: payouts that two approve, proposals, brakes, tariffs, a comparison and closed days. */
import assert from "node:assert/strict";
import { closeDue } from "../../src/close/close.ts";
import { clockAhead } from "../../src/context.ts";
import { UNCHECKED_CLOCK } from "../../src/db/clock-check.ts";
import { sql } from "../../src/db/sql.ts";
import { keepSums } from "../../src/ledger/keep-sums.ts";
import { dayOf } from "../../src/lib/days.ts";
import { credentialOf } from "../contract/merchant.ts";
import { give, type Merchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { becomes, withdraw } from "../contract/payouts.ts";
import type { Client } from "../harness/client.ts";
import { owe } from "../harness/debt.ts";
import { approveCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";
import { liveWholeLife, type WholeLife } from "./whole-life.ts";

const DAY = 86_400_000;

/** Lives it on a gateway where two persons decide about money (PIXGATE_TWO_PERSONS). */
export async function liveBusyDay(gateway: TestGateway): Promise<WholeLife> {
  const rafael = await operatorOf(gateway, "Rafael", "admin");
  const life = await liveWholeLife(gateway, rafael);
  const { merchant } = life;
  await gateway.simulator.patch("/behaviour", {
    tariffs: { receivedCentavos: 30, sentCentavos: 45, shownIn: ["read", "list", "charge", "callback"] },
  });
  const ana = await operatorOf(gateway, "Ana", "admin");
  await approvePayouts(gateway, merchant, rafael);
  await gateway.simulator.patch("/behaviour", { withheldPercent: 10 });
  await pay(merchant.client, 40);
  await gateway.simulator.patch("/behaviour", { withheldPercent: 0 });
  await setBrakes(gateway, merchant);
  await decideByTwo(gateway, ana, rafael);
  await give(gateway, merchant.accountId, -1);
  await owe(gateway, merchant.accountId, 2);
  const compared = await gateway.operator.post(`/reconciliation/${dayOf(new Date())}`);
  assert.equal(compared.status, 200, compared.text);
  await eventually("the tariffs", async () => {
    const { rows } = await gateway.owner.query<{ kind: string }>(sql`select distinct kind from bank_tariffs`);
    return rows.length === 2;
  });
  await closeDays(gateway, life);
  const { rows } = await gateway.owner.query<Parameters<typeof keepSums>[1][number]>(sql`
    select account_id as "accountId", no, 0 as "from", seq from ledger_accounts`);
  await keepSums(gateway.owner, rows, 3);
  await gateway.verify();
  return life;
}

/** One that waits for its approval, one that was approved and paid, one that was rejected. */
async function approvePayouts(gateway: TestGateway, { accountId, client }: Merchant, operator: Client): Promise<void> {
  const policy = await gateway.operator.patch(`/accounts/${accountId}`, { payouts: { approvalAbove: 50 } });
  assert.equal(policy.status, 200, policy.text);
  const approver = await credentialOf(gateway, accountId, { by: operator });
  await withdraw(client, { amount: 60 });
  const [approved, rejected] = [await withdraw(client, { amount: 61 }), await withdraw(client, { amount: 62 })];
  for (const [{ id }, what] of [
    [approved, "approve"],
    [rejected, "reject"],
  ] as const) {
    const reply = await approver.post(`/withdrawals/${id}/${what}`, what === "reject" ? { reason: "no" } : undefined);
    assert.equal(reply.status, 200, reply.text);
  }
  await becomes(client, approved.id, "completed");
  await becomes(client, rejected.id, "failed");
  await pay(client, 30);
}

async function setBrakes({ operator }: TestGateway, { accountId }: Merchant): Promise<void> {
  for (const [paused, reason] of [
    [true, "a doubt"],
    [false, "no doubt"],
    [true, "another doubt"],
  ] as const) {
    // biome-ignore format: a list
    const set = await operator.send("PUT", "/brakes", JSON.stringify({ scope: "account", id: accountId, paused, reason }));
    assert.equal(set.status, 200, set.text);
  }
}

/** An entry that two persons booked, one that waits for the second, and one that the second rejected. */
async function decideByTwo(gateway: TestGateway, ana: Client, rafael: Client): Promise<void> {
  const { rows } = await gateway.owner.query<{ institution_id: string }>(sql`select institution_id from institutions`);
  for (const amount of [3, 4]) {
    const entry = {
      kind: "top_up",
      institutionId: rows[0]!.institution_id,
      amount,
      occurredAt: new Date().toISOString(),
    };
    const made = await ana.post<{ caseId: string }>("/treasury", entry);
    assert.ok(made.status === 201 || made.status === 202, made.text);
    if (amount === 3) assert.equal((await approveCase(rafael, made.body.caseId)).status, 200);
  }
}

/** Yesterday, on which everything happened, and today. */
async function closeDays({ owner, running }: TestGateway, { houseId }: WholeLife): Promise<void> {
  await owner.query(sql`update accounts set created_at = created_at - interval '1 day' where is_house`);
  const later = { ...running.ctx, clock: clockAhead(1.5 * DAY), clockCheck: UNCHECKED_CLOCK };
  while (await closeDue(later, houseId));
}
