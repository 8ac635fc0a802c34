import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { holdReceivedPolls } from "../harness/hold-polls.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

type Charge = { id: string; pixCopyPaste: string };

describe("what a notification lost", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
    await gateway.merchant.post("/webhook-endpoints", { url: receiver.url });
    await gateway.simulator.patch("/behaviour", { autoNotify: false });
  });
  after(async () => {
    await gateway.end();
    await receiver.close();
  });

  const db = () => gateway.running.ctx.db;
  const create = async (body: Record<string, unknown> = {}) =>
    (await gateway.merchant.post<Charge>("/pix", { amount: 10, description: "poll", ...body })).body;
  const txidOf = async (id: string) =>
    (await db().query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`)).rows[0]!.txid;
  const statusOf = async (id: string) => (await gateway.merchant.get(`/transactions/${id}`)).body.status;
  const pay = async (id: string, body: unknown = {}) => {
    const paid = await gateway.simulator.post(`/charges/${await txidOf(id)}/pay`, body);
    assert.equal(paid.status, 200, paid.text);
  };
  const eventsOf = async (id: string) =>
    (
      await db().query<{ kind: string }>(
        sql`select kind from events where event_id in (${id}, ${`payment_expired_${id}`}) order by created_at`,
      )
    ).rows.map((r) => r.kind);
  /** Has received Pix listed: a list that ends only now would put its own time in place of this one. */
  const listNow = () => db().query(sql`update received_polls set next_at = ${new Date()}`);
  const dueNow = (id: string) =>
    db().query(sql`update open_charges set check_at = ${new Date()} where charge_id = ${id}`);

  test("is found by asking about the charge: nothing is booked until then", async () => {
    // The list of received Pix stays out of the way.
    await holdReceivedPolls(db());
    const charge = await create();
    await pay(charge.id);
    assert.equal(await statusOf(charge.id), "pending");
    await dueNow(charge.id);
    await eventually("the poll", async () => (await statusOf(charge.id)) === "completed");
    assert.deepEqual(await eventsOf(charge.id), ["payment_completed"]);
  });

  test("is found in the list of received Pix, when the charge is not asked about", async () => {
    const charge = await create();
    await pay(charge.id);
    assert.equal(await statusOf(charge.id), "pending");
    await eventually("the list", async () => {
      await listNow();
      return (await statusOf(charge.id)) === "completed";
    });
    assert.deepEqual(await eventsOf(charge.id), ["payment_completed"]);
  });

  test("a Pix that belongs to no charge is kept as unmatched: nothing credited, nothing lost", async () => {
    const before = (await gateway.merchant.get("/account")).text.replace(/"updatedAt":"[^"]*"/, "");
    const pix = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos: 4321 });
    assert.equal(pix.status < 300, true, pix.text);
    await eventually("the unmatched Pix", async () => {
      await listNow();
      const { rows } = await db().query<{ outcome: string }>(
        sql`select outcome from received_pix where e2e_id = ${pix.body.e2eId}`,
      );
      return rows[0]?.outcome === "unmatched";
    });
    const suspense = await db().query<{ balance: number }>(
      sql`select balance from ledger_accounts where kind = 'suspense'`,
    );
    assert.equal(suspense.rows[0]?.balance, 4321);
    assert.equal((await gateway.merchant.get("/account")).text.replace(/"updatedAt":"[^"]*"/, ""), before);
  });

  test("an unpaid charge expires when it is due, once, and not before", {
    rules: ["charge.state.3", "event.kind.payment_expired", "event.payment_expired.*", "event.envelope.eventId"],
  }, async () => {
    const charge = await create({ externalReference: "to expire", metadata: { k: 1 } });
    await dueNow(charge.id);
    await eventually(
      "a query of it",
      async () =>
        (await db().query<{ checks: number }>(sql`select checks from open_charges where charge_id = ${charge.id}`))
          .rows[0]!.checks > 0,
    );
    assert.equal(await statusOf(charge.id), "pending");
    const expired = await gateway.merchant.post(`/sandbox/pix/${charge.id}/expire`);
    assert.equal(expired.status, 200, expired.text);
    assert.equal(expired.body.status, "cancelled");
    assert.equal(expired.body.cancellationReason, "expired");
    const hook = await eventually("its webhook", () =>
      receiver.received.find((r) => r.body.includes(`payment_expired_${charge.id}`)),
    );
    const { data, ...envelope } = JSON.parse(hook.body) as { data: Record<string, unknown> } & Record<string, unknown>;
    assert.equal(envelope.event, "payment_expired");
    assert.deepEqual({ ...data, expiredAt: null }, {
      objectId: charge.id, transactionId: charge.id, environment: "sandbox", amount: 10, feeAmount: 0, netAmount: 0, currency: "BRL",
      paymentMethod: "pix", status: "expired", expiredAt: null, externalReference: "to expire", metadata: { k: 1 },
    }); // biome-ignore format: the table of the interface
    assert.deepEqual(await eventsOf(charge.id), ["payment_expired"]);
    const again = await gateway.merchant.post(`/sandbox/pix/${charge.id}/expire`);
    assert.equal(again.status, 400);
  });

  test("a due charge waits while the PSP is silent, and one that was paid completes", async () => {
    const charge = await create();
    await gateway.simulator.patch("/behaviour", {
      faults: { seed: 1, rules: [{ route: "getCob", kind: "error5xxBefore", probability: 1 }] },
    });
    const due = new Date();
    await db().query(sql`update charges set expires_at = ${due} where charge_id = ${charge.id}`);
    await dueNow(charge.id);
    await eventually(
      "a query of it",
      async () =>
        (await db().query<{ checks: number }>(sql`select checks from open_charges where charge_id = ${charge.id}`))
          .rows[0]!.checks > 0,
    );
    assert.equal(await statusOf(charge.id), "pending");
    await pay(charge.id, { paidAt: due.toISOString() });
    await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules: [] } });
    await dueNow(charge.id);
    await eventually("the payment", async () => (await statusOf(charge.id)) === "completed");
    assert.deepEqual(await eventsOf(charge.id), ["payment_completed"]);
  });

  /** Asks for a charge whose call learns nothing of what the PSP has made of it; gives its id, which the caller has not. */
  const createUnheard = async (putCob: "reset" | "resetAfter", idempotencyKey: string) => {
    const rules = [
      { route: "putCob", kind: putCob, probability: 1 },
      { route: "getCob", kind: "error5xxBefore", probability: 1 },
    ];
    await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } });
    const order = { amount: 10, description: "poll" };
    const unheard = await gateway.merchant.post("/pix", order, { headers: { "idempotency-key": idempotencyKey } });
    assert.equal(unheard.status, 500, unheard.text);
    await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules: [] } });
    const { rows } = await db().query<{ charge_id: string; status: string }>(
      sql`select charge_id, status from charges where idempotency_key = ${idempotencyKey}`,
    );
    assert.equal(rows[0]?.status, "creating");
    const id = rows[0]!.charge_id;
    assert.equal((await gateway.merchant.get(`/transactions/${id}`)).status, 404);
    return id;
  };

  test("a charge whose call learned nothing, and that nobody asks for again, is found at the PSP and can be paid", async () => {
    const id = await createUnheard("resetAfter", "unheard-made");
    await dueNow(id);
    await eventually("the poll", async () => (await statusOf(id)) === "pending");
    const { body } = await gateway.merchant.get<Charge>(`/transactions/${id}`);
    assert.match(body.pixCopyPaste, /^000201/);
    await pay(id);
    await dueNow(id);
    await eventually("its payment", async () => (await statusOf(id)) === "completed");
    assert.deepEqual(await eventsOf(id), ["payment_completed"]);
  });

  test("one that the PSP has never made is given up after minutes of such answers, and not before; its key is free", async () => {
    const id = await createUnheard("reset", "unheard-lost");
    const row = async () =>
      (
        await db().query<{ status: string; checks: number | null }>(sql`
          select c.status, o.checks from charges c left join open_charges o using (account_id, charge_id)
          where c.charge_id = ${id}`)
      ).rows[0]!;
    for (let checks = 1; checks <= 4; checks += 1) {
      await dueNow(id);
      await eventually(`query ${checks}`, async () => ((await row()).checks ?? 0) >= checks);
    }
    assert.equal((await row()).status, "creating");
    await db().query(
      sql`update charges set created_at = ${earlier("created_at", "2 minutes")} where charge_id = ${id}`,
    );
    await dueNow(id);
    await eventually("its end", async () => (await row()).status === "rejected");
    assert.deepEqual([(await row()).checks, await eventsOf(id)], [null, []]);
    assert.equal((await gateway.merchant.get(`/transactions/${id}`)).status, 404);
    const order = { amount: 10, description: "poll" };
    const again = await gateway.merchant.post<Charge>("/pix", order, {
      headers: { "idempotency-key": "unheard-lost" },
    });
    assert.equal(again.status, 201, again.text);
    assert.notEqual(again.body.id, id);
  });

  test("a payment in time that is reported after the expiry counts as in time; one made later as late", async () => {
    const early = await create();
    const late = await create();
    for (const { id } of [early, late])
      assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/expire`)).status, 200);
    // By the charges' own times: this machine's clock may be set back.
    const afterDue = async (id: string, ms: number) => {
      const { rows } = await db().query<{ at: Date }>(
        sql`select expires_at as at from charges where charge_id = ${id}`,
      );
      return new Date(rows[0]!.at.getTime() + ms).toISOString();
    };
    await pay(early.id, { paidAt: await afterDue(early.id, 0) });
    await pay(late.id, { paidAt: await afterDue(late.id, 1) });
    await eventually("both", async () => {
      await listNow();
      return (await statusOf(early.id)) === "completed" && (await statusOf(late.id)) === "completed";
    });
    assert.equal((await gateway.merchant.get(`/transactions/${early.id}`)).body.paidAfterExpiry, undefined);
    assert.equal((await gateway.merchant.get(`/transactions/${late.id}`)).body.paidAfterExpiry, true);
    assert.deepEqual(await eventsOf(late.id), ["payment_expired", "payment_completed"]);
  });

  test("late payments go back where the account wants that: blocked, reported, nothing credited", async () => {
    await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies: { latePayments: "return" } });
    const charge = await create();
    await gateway.merchant.post(`/sandbox/pix/${charge.id}/expire`);
    const before = (await gateway.merchant.get<{ balance: { available: object } }>("/account")).body.balance.available;
    await pay(charge.id);
    await eventually("the block", async () => {
      await listNow();
      return (await statusOf(charge.id)) === "failed";
    });
    const shown = (await gateway.merchant.get(`/transactions/${charge.id}`)).body;
    assert.equal((shown.blockedDeposit as { reason: string }).reason, "late_payment");
    assert.deepEqual(
      (await gateway.merchant.get<{ balance: { available: object } }>("/account")).body.balance.available,
      before,
    );
    await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { policies: { latePayments: "credit" } });
  });

  test("one that its PSP shows minutes late is found by the check that reaches far back", async () => {
    await holdReceivedPolls(db());
    const paidAt = new Date(Date.now() - 540_000).toISOString();
    const pix = await gateway.simulator.post<{ e2eId: string }>("/pix", { amountCentavos: 99, paidAt });
    assert.equal(pix.status < 300, true, pix.text);
    const covered = new Date(Date.now() - 301_000);
    await db().query(sql`update received_polls set next_at = ${new Date()}, covered_until = ${covered}`);
    await eventually("the list", async () => {
      const { rowCount } = await db().query(sql`select from received_pix where e2e_id = ${pix.body.e2eId}`);
      return rowCount === 1;
    });
  });
});
