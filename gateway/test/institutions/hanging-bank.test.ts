/** A bank that takes requests and answers none keeps the money of other banks from nobody. */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { createApplier } from "../../src/booking/apply.ts";
import { sql } from "../../src/db/sql.ts";
import { createConfirmer } from "../../src/polls/confirm.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { startHangingReceiver } from "../harness/hanging.ts";

/** More than the loops have slots. */
const WAITING = 70;
const NOTIFIED = 300;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ PIXGATE_ROLE: "api" });
});
after(() => gateway.stop());

/** A bank that hangs until `close`, and one that does not. */
async function startBanks(t: TestContext) {
  const hanging = await startHangingReceiver();
  t.after(() => hanging.close());
  const { items } = (await gateway.operator.get<{ items: { id: string; provider: string }[] }>("/institutions")).body;
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    ...{ name: "Hangs", provider: "woovi", environment: "sandbox" },
    config: { wooviUrl: hanging.url, appId: "app", wooviPayouts: true, timeoutMs: 20_000 },
  });
  assert.equal(made.status, 201, made.text);
  const own = items.find(({ provider }) => provider !== "woovi")!.id;
  return { hanging, own, id: made.body.id, all: [...items.map(({ id }) => id), made.body.id] };
}

/** A merchant with money, whose only bank is this one. */
async function merchantAt(institutionId: string, all: readonly string[]): Promise<Merchant> {
  const merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
  const policies = { uncheckedHolders: true };
  assert.equal((await gateway.operator.patch(`/accounts/${merchant.accountId}`, { policies })).status, 200);
  for (const id of all) {
    const enabled = JSON.stringify({ enabled: id === institutionId });
    const path = `/accounts/${merchant.accountId}/institutions/${id}`;
    assert.equal((await gateway.operator.send("PUT", path, enabled)).status, 200);
  }
  return merchant;
}

test("a payout leaves at its bank at once, while seventy older ones wait for the answers of a bank that hangs", async (t) => {
  const { hanging, ...banks } = await startBanks(t);
  const [at, elsewhere] = [await merchantAt(banks.id, banks.all), await merchantAt(banks.own, banks.all)];
  const waiting = await Promise.all(Array.from({ length: WAITING }, () => withdraw(at.client)));
  const sender = createSender(gateway.running.ctx);
  await eventually("all of its slots to wait", async () => {
    await sender.runDue();
    return hanging.received() >= 64;
  });
  const { id } = await withdraw(elsewhere.client);
  await eventually(
    "the payout at the other bank",
    async () => {
      await sender.runDue();
      return (await payoutsOf(gateway, id)).length === 1;
    },
    10_000,
  );
  const still = await Promise.all(waiting.map(async (one) => (await show(at.client, one.id)).status));
  assert.ok(
    still.every((status) => status === "processing" || status === "pending"),
    still.join(),
  );
  await hanging.close();
  await sender.idle();
});

test("a payment is confirmed at its bank, while three hundred older notifications wait for the answers of a bank that hangs", async (t) => {
  const { hanging, ...banks } = await startBanks(t);
  const { client } = await merchantAt(banks.own, banks.all);
  const { ctx } = gateway.running;
  const { rows } = await ctx.db.query<{ id: string }>(sql`select account_id as id from accounts where is_house`);
  const houseId = rows[0]!.id;
  await ctx.db.query(sql`
    insert into inbox (account_id, inbox_id, institution_id, body_hash, body, kind, subject_id, status, next_at, received_at)
    select ${houseId}::uuid, gen_random_uuid(), ${banks.id}::uuid, sha256(n::text::bytea), '{}', 'charge_paid',
      'E18236120202512292332s' || lpad(n::text, 10, '0'), 'pending', now() - interval '1 minute', now()
    from generate_series(1, ${NOTIFIED}) n`);
  const confirmer = createConfirmer(ctx, houseId, createApplier(ctx, houseId));
  await eventually("all of its slots to wait", async () => {
    await confirmer.runDue();
    return confirmer.free() === 0;
  });
  // The payer's side answers once the payment is booked.
  let end: unknown;
  void pay(client, 10).then(
    () => (end = "booked"),
    (error: unknown) => (end = error),
  );
  await eventually("its end", async () => {
    await confirmer.runDue();
    return end !== undefined;
  });
  assert.equal(end, "booked");
  const waiting = await ctx.db.query(sql`select from inbox where institution_id = ${banks.id} and attempts = 0`);
  assert.equal(waiting.rowCount, NOTIFIED);
  await hanging.close();
  await confirmer.idle();
});
