/** What an institution takes for a Pix or a payout is booked once, wherever it reports it, and the balances agree. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { bookPixTariff } from "../../src/booking/book-tariff.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { joinReceipts } from "../../src/unmatched/join.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

const RECEIVED = 30;
const SENT = 45;

let world: World;
before(async () => {
  world = await startWorld();
  await world.behave({ payoutDelayMs: 0 });
});
afterEach(async () => {
  await world.gateway.simulator.send("DELETE", "/behaviour", undefined);
  await world.behave({ payoutDelayMs: 0 });
  await world.gateway.verify();
});
after(() => world.stop());

const shownIn = (...places: string[]) =>
  world.behave({ tariffs: { receivedCentavos: RECEIVED, sentCentavos: SENT, shownIn: places } });

/** Tariffs that are booked of a Pix or payout, with whose they are. */
async function tariffsOf(about: string): Promise<{ whose: string; amount: number }[]> {
  const { rows } = await world.db().query<{ whose: string; amount: number }>(sql`
    select case when a.is_house then 'house' else 'merchant' end as whose, t.amount
    from bank_tariffs t join accounts a on a.account_id = t.account_id where t.about = ${about}`);
  return rows;
}
const tariffOf = (about: string) =>
  eventually(`the tariff of ${about}`, async () => {
    const found = await tariffsOf(about);
    return found.length > 0 && found;
  });

/** Our balance at the institution less its own, centavos. */
async function difference(): Promise<number> {
  const { body } = await world.gateway.simulator.get<{ books: { balanceCentavos: number; openingCentavos?: number } }>(
    "/state",
  );
  return 0 - (await world.sumOf("psp")) - body.books.balanceCentavos;
}

async function reconcile() {
  const reply = await world.gateway.operator.post<{
    institutions: {
      matched: Record<string, { count: number }>;
      findings: { kind: string; state: string; key: string; booked: boolean }[];
    }[];
  }>(`/reconciliation/${dayOf(new Date())}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.institutions[0]!;
}

test("of a payment it is booked once in its account, whether the list, the query or only the notification shows it", async () => {
  const before = await difference();
  for (const places of [["list", "read", "charge", "callback"], ["read"], ["callback"]]) {
    await shownIn(...places);
    const [costs, available] = [await world.sumOf("psp_costs"), await world.sumOf("available")];
    const { id, txid } = await world.create(25);
    const { e2eId } = await world.pay(txid);
    await world.statusIs(id, "completed");
    assert.deepEqual(await tariffOf(e2eId), [{ whose: "merchant", amount: RECEIVED }], places.join());
    await world.quiet();
    await world.pollReceived();
    assert.equal(await world.sumOf("psp_costs"), costs - RECEIVED, "once");
    assert.ok((await world.sumOf("available")) > available, "the merchant pays the gateway's own fee alone");
    assert.equal(await difference(), before, "the books know what the institution holds");
  }
});

test("of a payment that a poll finds before its notification comes it is booked when the notification comes", async () => {
  await world.behave({ callbackDelayMs: 1_000 });
  await shownIn("callback");
  const { id, txid } = await world.create(25);
  const { e2eId } = await world.pay(txid);
  await world.pollUntil(id, "completed");
  assert.deepEqual(await tariffOf(e2eId), [{ whose: "merchant", amount: RECEIVED }]);
});

test("of a receipt without a charge it is the house's, and stays there when the receipt is assigned", async () => {
  await shownIn("list", "read", "charge");
  await world.behave({ txidIn: [], autoNotify: false });
  const { id, txid } = await world.create();
  const { e2eId } = await world.pay(txid);
  const own = await world.ownAtBank();
  await world.pollReceived();
  assert.deepEqual(await tariffOf(e2eId), [{ whose: "house", amount: RECEIVED }]);
  assert.equal((await world.ownAtBank()) - own, -RECEIVED, "it leaves less of the operator's own money there");
  await world.pollUntil(id, "completed");
  await world.pollReceived();
  assert.deepEqual(await tariffsOf(e2eId), [{ whose: "house", amount: RECEIVED }]);
});

test("of a payment that one process settles while another keeps it as unmatched it is booked once", async () => {
  await shownIn();
  const { e2eId, accountId, houseId } = await world.bookTwice(1900);
  const costs = await world.sumOf("psp_costs");
  // Both have found no tariff before one of them books it.
  const gate = Promise.withResolvers<void>();
  let arrived = 0;
  const run: typeof world.ctx.lanes.run = async (kind, command) => {
    arrived += 1;
    if (arrived === 2) gate.resolve();
    await gate.promise;
    return world.ctx.lanes.run(kind, command);
  };
  const ctx = { ...world.ctx, lanes: { ...world.ctx.lanes, run } };
  const shown = { e2eId, tariff: RECEIVED };
  const { institutionId } = world;
  const both = [accountId, houseId].map((whose) => ({ accountId: whose, institutionId }));
  await Promise.all(both.map((whose) => bookPixTariff(ctx, houseId, whose, shown)));
  await joinReceipts(world.ctx, houseId);
  const booked = await tariffsOf(e2eId);
  assert.equal(booked.length, 1, JSON.stringify(booked));
  assert.equal(await world.sumOf("psp_costs"), costs - RECEIVED);
  // However often and by whatever account it is shown again.
  for (const whose of both.toReversed()) await bookPixTariff(world.ctx, houseId, whose, shown);
  assert.deepEqual(await tariffsOf(e2eId), booked);
});

test("of a receipt that goes back to its payer it is booked once, in the house", async () => {
  await shownIn("list", "read", "charge");
  await world.behave({ txidIn: [], autoNotify: false, returnDelayMs: 0 });
  const { txid } = await world.create();
  const { e2eId } = await world.pay(txid);
  await world.pollReceived();
  const { body } = await world.gateway.operator.get<{ items: { id: string; e2eId: string }[] }>("/unmatched?limit=100");
  const { id } = body.items.find((one) => one.e2eId === e2eId)!;
  const costs = await world.sumOf("psp_costs");
  const reply = await world.gateway.operator.post(`/unmatched/${id}/resolve`, { action: "return" });
  assert.equal(reply.status, 200, reply.text);
  await eventually("the return", async () => {
    const { rows } = await world
      .db()
      .query(sql`select from pix_returns where e2e_id = ${e2eId} and status = 'confirmed'`);
    return rows.length === 1;
  });
  await world.pollReceived();
  assert.deepEqual(await tariffsOf(e2eId), [{ whose: "house", amount: RECEIVED }]);
  assert.equal(await world.sumOf("psp_costs"), costs);
});

/** Asks for a payout, and gives its id at the institution once it has ended so. */
async function send(pixKey: string, status: string): Promise<string> {
  const reply = await world.gateway.merchant.post<{ id: string }>("/withdrawals", {
    ...{ pixKey, pixKeyType: "email", holderName: "Someone", netAmount: 10 },
    ...{ holderDocument: "52998224725", holderDocumentType: "cpf" },
  });
  assert.equal(reply.status, 201, reply.text);
  await eventually(`the withdrawal to be ${status}`, async () => {
    const { body } = await world.gateway.merchant.get<{ status: string }>(`/withdrawals/${reply.body.id}`);
    return body.status === status;
  });
  const { rows } = await world.db().query<{ psp_id: string }>(sql`
    select psp_id from withdrawals where withdrawal_id = ${reply.body.id}`);
  return rows[0]!.psp_id;
}

test("of a payout it is booked when it has ended, and not of one that failed", {
  ...notAt("api-pix", "it has no payouts"),
}, async () => {
  await shownIn();
  const charge = await world.create(100);
  await world.pay(charge.txid);
  await world.statusIs(charge.id, "completed");
  const before = await difference();
  for (const places of [["read"], ["callback"]]) {
    await shownIn(...places);
    const costs = await world.sumOf("psp_costs");
    const paid = await send("someone@example.com", "completed");
    assert.deepEqual(await tariffOf(paid), [{ whose: "merchant", amount: SENT }], places.join());
    const failed = await send("fail@pixgate.test", "failed");
    await world.quiet();
    assert.deepEqual(await tariffsOf(failed), []);
    assert.equal(await world.sumOf("psp_costs"), costs - SENT, "once");
    assert.equal(await difference(), before);
  }
});

test("of a payout that only the list shows is booked by the reconciliation of its day", {
  ...notAt("api-pix", "it has no payouts"),
}, async () => {
  await shownIn();
  const charge = await world.create(100);
  await world.pay(charge.txid);
  await world.statusIs(charge.id, "completed");
  await shownIn("list");
  // What earlier tests have left unshown.
  await reconcile();
  const before = await difference();
  const paid = await send("someone@example.com", "completed");
  await world.quiet();
  assert.deepEqual(await tariffsOf(paid), []);
  const ofPayout = ({ findings }: Awaited<ReturnType<typeof reconcile>>) =>
    findings.filter(({ kind, key }) => kind === "tariff" && key === paid).map(({ booked }) => booked);
  assert.deepEqual(ofPayout(await reconcile()), [true]);
  assert.deepEqual(await tariffsOf(paid), [{ whose: "merchant", amount: SENT }]);
  assert.deepEqual(ofPayout(await reconcile()), []);
  await world.quiet();
  assert.equal(await difference(), before);
});

test("that no answer had shown is found by the reconciliation of its day, and one that the list leaves out is no difference", async () => {
  await shownIn();
  const { id, txid } = await world.create(25);
  const { e2eId } = await world.pay(txid);
  await world.statusIs(id, "completed");
  await world.quiet();
  assert.deepEqual(await tariffsOf(e2eId), []);
  assert.deepEqual((await reconcile()).findings, []);
  await shownIn("list");
  const [finding, ...others] = (await reconcile()).findings.filter(({ kind }) => kind === "tariff");
  assert.ok(finding?.booked, JSON.stringify(finding));
  assert.ok(others.every(({ booked }) => booked));
  assert.deepEqual(await tariffsOf(e2eId), [{ whose: "merchant", amount: RECEIVED }]);
  const again = await reconcile();
  assert.deepEqual(again.findings, []);
  assert.ok(again.matched.tariff!.count > 0);
});

test("of a payout that only the list shows as ended is a case that closes itself as soon as the tariff is booked", {
  ...notAt("api-pix", "it has no payouts"),
}, async () => {
  await shownIn();
  const charge = await world.create(100);
  await world.pay(charge.txid);
  await world.statusIs(charge.id, "completed");
  await shownIn("list", "read");
  const silent = { seed: 1, rules: [{ route: "getPayout", kind: "error5xxBefore", probability: 1 }] };
  await world.behave({ autoNotify: false, faults: silent });
  const reply = await world.gateway.merchant.post<{ id: string }>("/withdrawals", {
    ...{ amount: 6, pixKey: "tariff@example.com", pixKeyType: "email" },
    ...{ holderName: "Maria Silva", holderDocument: "52998224725", holderDocumentType: "cpf" },
  });
  assert.equal(reply.status, 201, reply.text);
  const { rows } = await world.db().query<{ psp_id: string }>(sql`
    select psp_id from withdrawals where withdrawal_id = ${reply.body.id}`);
  const about = rows[0]!.psp_id;
  await eventually("the institution to have paid it", async () => {
    const path = `/payouts?idEnvio=${about}`;
    const { body } = await world.gateway.simulator.get<{ items: { status: string }[] }>(path);
    return body.items[0]?.status === "REALIZADO";
  });
  const { findings } = await reconcile();
  assert.deepEqual(
    findings.filter(({ booked, key }) => !booked && key === about).map(({ kind, state }) => [kind, state]),
    [
      ["sent", "missing_here"],
      ["tariff", "missing_here"],
    ],
  );
  const casesIn = async (status: string) => {
    const path = `/cases?kind=reconciliation_difference&status=${status}`;
    const { body } = await world.gateway.operator.get<{ items: { objectId: string; closedBecause?: string }[] }>(path);
    return body.items.filter(({ objectId }) => objectId.endsWith(about));
  };
  assert.equal((await casesIn("open")).length, 2);
  await world.behave({ faults: { seed: 1, rules: [] } });
  await reconcile();
  assert.deepEqual(await tariffOf(about), [{ whose: "merchant", amount: SENT }]);
  await eventually("its cases to be closed", async () => {
    world.ctx.hints.wake("differences");
    return (await casesIn("closed")).length === 2;
  });
  assert.deepEqual(await casesIn("open"), []);
});
