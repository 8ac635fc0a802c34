/** The balance of an institution held against the books, and what was sent there by others. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

type Case = {
  id: string;
  kind: string;
  status: string;
  amount?: number;
  closedBecause?: string;
  evidence: { data?: { difference?: number; key?: string; sampledAt?: string } };
};

const OPENING = 1_000_000_000;
const WITH_BALANCE = notAt("api-pix", "it reports no balance");
let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

const cases = async (kind: string): Promise<Case[]> =>
  (await world.gateway.operator.get<{ items: Case[] }>(`/cases?kind=${kind}&limit=100`)).body.items;
const open = async (kind = "balance_drift") => (await cases(kind)).filter(({ status }) => status === "open");
const propose = (id: string, action: string, parameters: Record<string, unknown>) =>
  world.gateway.operator.post<Case & { proposal: { status: string }; details: { code: string } }>(
    `/cases/${id}/propose`,
    { action, parameters },
  );

/** The institution's balance is compared once, now: it is queried, and what it answered is held against the books. */
async function compare(): Promise<void> {
  const started = new Date();
  let [queried, compared] = [0, false];
  await eventually("a comparison", async () => {
    const { rows } = await world.db().query<{ checks: number; sampledAt: string | null }>(sql`
      select (select count(*) from balance_checks where sampled_at >= ${started})::int as checks, sample ->> 'sampledAt' as "sampledAt"
      from balance_watches`);
    const { checks, sampledAt } = rows[0]!;
    if (checks > 0) return true;
    // Each step is made due once: one that is made due while it is under way would be followed by another comparison.
    if (sampledAt !== null && sampledAt >= started.toISOString()) {
      if (!compared) await world.db().query(sql`update balance_watches set next_at = ${new Date(0)}`);
      compared = true;
    } else if (Date.now() - queried > 2_000) {
      // An answer of before is none of now.
      await world.db().query(sql`update balance_watches set sample = null, next_at = ${new Date(0)}`);
      queried = Date.now();
    }
    world.ctx.hints.wake("balances");
    return false;
  });
}
/** Compares until nothing has moved within seconds of the institution's answer. */
const calm = () =>
  eventually("a comparison while nothing moves", async () => {
    await compare();
    const { rows } = await world.db().query<{ moving: number }>(sql`
      select moving from balance_checks order by sampled_at desc limit 1`);
    return rows[0]?.moving === 0;
  });
const hold = (openingBalanceCentavos: number) => world.behave({ openingBalanceCentavos });

test(
  "what the sandbox's own simulator opened with is in the books at the first comparison, once",
  WITH_BALANCE,
  async () => {
    assert.equal(await world.sumOf("operator_funds"), 0);
    await compare();
    await compare();
    await compare();
    assert.deepEqual(await cases("balance_drift"), []);
    assert.equal(await world.sumOf("operator_funds"), OPENING);
  },
);

test(
  "money that was there and nobody recorded is reported once it holds, and booked as a top-up",
  WITH_BALANCE,
  async () => {
    // The opening was booked just before.
    await calm();
    await hold(2 * OPENING);
    await compare();
    assert.deepEqual(await open(), [], "one comparison is not enough");
    await compare();
    const [drift] = await open();
    assert.deepEqual([drift?.amount, drift?.evidence.data?.difference], [OPENING / 100, OPENING]);
    await compare();
    assert.equal((await open()).length, 1, "the same difference is one case");
    for (const parameters of [
      { kind: "sweep", amount: OPENING / 100 },
      { kind: "top_up", amount: 1 },
    ]) {
      const refused = await propose(drift!.id, "book_difference", parameters);
      assert.deepEqual([refused.status, refused.body.details.code], [400, "VALIDATION_ERROR"], refused.text);
    }
    const { body } = await world.gateway.operator.get<{ history: { kind: string }[] }>(`/cases/${drift!.id}`);
    assert.ok(
      body.history.every(({ kind }) => kind !== "proposed"),
      "what could not be done is not proposed",
    );
    assert.equal(await world.sumOf("operator_funds"), OPENING);
    const done = await propose(drift!.id, "book_difference", { kind: "top_up", amount: OPENING / 100 });
    assert.deepEqual([done.body.status, done.body.proposal.status], ["closed", "executed"], done.text);
    assert.equal(await world.sumOf("operator_funds"), 2 * OPENING);
    await compare();
    await compare();
    assert.deepEqual(await open(), []);
  },
);

test(
  "R$ 10,000,000 that appear are a case, another amount changes it, and it closes when they are gone",
  WITH_BALANCE,
  async () => {
    await calm();
    await hold(3 * OPENING);
    await compare();
    await compare();
    const [drift] = await open();
    assert.equal(drift?.amount, 10_000_000);
    await hold(3 * OPENING - 1);
    await compare();
    assert.equal((await open())[0]?.amount, 10_000_000, "the new difference has to hold too");
    await compare();
    const [changed] = await open();
    assert.deepEqual([changed?.id, changed?.amount], [drift!.id, 9_999_999.99]);
    await hold(2 * OPENING);
    await compare();
    const closed = (await cases("balance_drift")).find(({ id }) => id === drift!.id);
    assert.deepEqual([closed?.status, closed?.closedBecause], ["closed", "resolved"]);
  },
);

test("a difference that nothing will explain is written off: a loss where the institution holds less, else a gain", {
  ...WITH_BALANCE,
}, async () => {
  await calm();
  for (const [held, amount, kind] of [
    [2 * OPENING - 12_345, -12_345, "loss"],
    // More than what was booked a moment ago can explain.
    [2 * OPENING - 12_345 + 67_800, 67_800, "gain"],
  ] as const) {
    const before = await world.sumOf("write_offs");
    await hold(held);
    await compare();
    await compare();
    const [drift] = await open();
    assert.equal(drift?.evidence.data?.difference, amount);
    const wrong = await propose(drift!.id, "write_off", { amount: 1 });
    assert.deepEqual([wrong.status, wrong.body.details.code], [400, "VALIDATION_ERROR"], wrong.text);
    assert.equal(await world.sumOf("write_offs"), before);
    const done = await propose(drift!.id, "write_off", { amount: Math.abs(amount) / 100, description: "Given up" });
    assert.deepEqual([done.body.status, done.body.proposal.status], ["closed", "executed"], done.text);
    assert.equal(await world.sumOf("write_offs"), before + amount);
    const { body } = await world.gateway.operator.get<{ items: { amount: number }[] }>(`/treasury?kind=${kind}`);
    assert.deepEqual(
      body.items.map((one) => one.amount),
      [Math.abs(amount) / 100],
    );
    await compare();
    assert.deepEqual(await open(), []);
  }
});

test("a payment whose notification is late is no difference once it is booked", WITH_BALANCE, async () => {
  await world.behave({ autoNotify: false });
  const { id, txid } = await world.create(25);
  await world.pay(txid);
  await compare();
  assert.deepEqual(await open(), []);
  await world.pollUntil(id, "completed");
  await compare();
  await compare();
  assert.deepEqual(await open(), []);
  await world.behave({ autoNotify: true });
});

test("a Pix that the operator sent outside of this gateway is found, and booked as a sweep once", {
  ...notAt("api-pix", "it has no payouts"),
}, async () => {
  const { psp } = (await world.ctx.psps.all())[0]!;
  await world.behave({ payoutDelayMs: 0 });
  const order = { id: "sweep0001", amount: 4_200, pixKey: "operator@example.com", holderDocument: "52998224725" };
  assert.equal((await psp.payouts!.sendPayout(order)).kind, "accepted");
  await eventually("the payout", async () => {
    const found = await psp.payouts!.findPayout(order.id);
    return found.kind === "found" && found.value.status === "settled";
  });
  type Report = { findings: { kind: string; key: string }[] };
  const path = `/reconciliation/${dayOf(new Date())}`;
  const reconcile = async () =>
    (await world.gateway.operator.post<{ institutions: Report[] }>(path)).body.institutions[0]!.findings;
  assert.deepEqual(
    (await reconcile()).map(({ kind, key }) => [kind, key]),
    [["sent", order.id]],
  );
  const [first] = await open("reconciliation_difference");
  assert.deepEqual([first?.evidence.data?.key, first?.amount], [order.id, 42]);
  const explained = await propose(first!.id, "acknowledge", { reason: "Told on the phone." });
  assert.deepEqual([explained.body.status, explained.body.proposal.status], ["closed", "executed"], explained.text);
  await reconcile();
  assert.deepEqual(await open("reconciliation_difference"), [], "the same difference opens no other case");
  await world.gateway.owner.query(sql`
    update cases set evidence = jsonb_set(evidence, '{data,theirs}', '1') where case_id = ${first!.id}`);
  await reconcile();
  const [found] = await open("reconciliation_difference");
  assert.deepEqual([found?.evidence.data?.key, found?.amount], [order.id, 42], "of other figures it does");
  const before = await world.sumOf("operator_funds");
  const done = await propose(found!.id, "treasury", { kind: "sweep" });
  assert.deepEqual([done.body.status, done.body.proposal.status], ["closed", "executed"], done.text);
  assert.equal(await world.sumOf("operator_funds"), before - 4_200);
  assert.deepEqual(await reconcile(), []);
  assert.deepEqual(await open("reconciliation_difference"), []);
});

test(
  "a bank whose clock is minutes ahead: its newest payment, booked before or after its answer, is no difference",
  WITH_BALANCE,
  async () => {
    await calm();
    assert.deepEqual(await open(), []);
    const put = (now: number) =>
      world.gateway.simulator.send("PUT", "/clock", JSON.stringify({ now: new Date(now).toISOString() }));
    assert.equal((await put(Date.now() + 8 * 60_000)).status, 200);
    const { id, txid } = await world.create(150);
    await world.pay(txid);
    await world.statusIs(id, "completed");
    for (let i = 0; i < 3; i += 1) await compare();
    const checks = await world.db().query<{ theirs: number; ours: number; moving: number }>(sql`
    select theirs, ours, moving from balance_checks order by sampled_at desc limit 1`);
    const { theirs, ours, moving } = checks.rows[0]!;
    assert.ok(Math.abs(theirs - ours) <= moving, `${theirs} there, ${ours} here, ${moving} moving`);
    assert.deepEqual(await open(), []);
    // One that is paid before the answer and booked after it.
    await world.behave({ autoNotify: false });
    const late = await world.create(70);
    await world.pay(late.txid);
    const started = new Date();
    await world.db().query(sql`update balance_watches set sample = null, next_at = ${new Date(0)}`);
    await eventually("the bank's answer", async () => {
      const { rows } = await world
        .db()
        .query<{ at: string | null }>(sql`select sample ->> 'sampledAt' as at from balance_watches`);
      return rows[0]!.at !== null && rows[0]!.at >= started.toISOString();
    });
    await world.pollUntil(late.id, "completed");
    await world.db().query(sql`update balance_watches set next_at = ${new Date(0)}`);
    await eventually("the comparison", async () => {
      const { rows } = await world.db().query<{ verdict: string }>(sql`
      select verdict from balance_checks where sampled_at >= ${started} order by sampled_at limit 1`);
      return rows.length > 0 && rows[0]!.verdict !== "differs";
    });
    assert.equal((await put(Date.now())).status, 200);
    await world.behave({ autoNotify: true });
  },
);

test("money that is gone is a difference although as much waits behind a brake to go back", WITH_BALANCE, async () => {
  await calm();
  const brake = (paused: boolean) =>
    world.gateway.operator.send("PUT", "/brakes", JSON.stringify({ scope: "all", paused, reason: "A theft" }));
  assert.equal((await brake(true)).status, 200);
  const { id, txid } = await world.create(10);
  await world.pay(txid, { amountCentavos: 50_000 });
  await world.statusIs(id, "failed");
  await calm();
  const { body } = await world.gateway.simulator.get<{ openingBalanceCentavos: number }>("/behaviour");
  await hold(body.openingBalanceCentavos - 45_000);
  await compare();
  await compare();
  assert.equal((await open())[0]?.evidence.data?.difference, -45_000);
  await hold(body.openingBalanceCentavos);
  await compare();
  assert.deepEqual(await open(), []);
  assert.equal((await brake(false)).status, 200);
  await eventually("the return", async () => {
    const { rows } = await world.db().query(sql`select from pix_returns where status <> 'confirmed'`);
    return rows.length === 0;
  });
});

test("money that is gone behind traffic that never stops is a case within the hour", WITH_BALANCE, async () => {
  await calm();
  const { body } = await world.gateway.simulator.get<{ openingBalanceCentavos: number }>("/behaviour");
  const { institutionId } = (await world.ctx.psps.all())[0]!;
  /** What the hour before saw: 45.00 too little each time, and more than that moving. */
  const remember = (minutes: readonly number[]) =>
    world.gateway.owner.query(sql`
      insert into balance_checks (institution_id, sampled_at, theirs, blocked, ours, moving, under_way, verdict)
      select ${institutionId}, now() - m * interval '1 minute', 95500, 0, 100000, 100000, 0, 'moving'
      from unnest(${`{${minutes.join()}}`}::int[]) m`);
  const busy = async () => {
    const { id, txid } = await world.create(1_000);
    await world.pay(txid);
    await world.statusIs(id, "completed");
    await compare();
    const { rows } = await world.db().query<{ verdict: string }>(sql`
      select verdict from balance_checks order by sampled_at desc limit 1`);
    assert.equal(rows[0]!.verdict, "moving");
  };
  await world.gateway.owner.query(sql`delete from balance_checks`);
  await remember([20, 10]);
  await hold(body.openingBalanceCentavos - 4_500);
  await busy();
  assert.deepEqual(await open(), [], "half an hour of it is not enough");
  await remember([55, 45, 35]);
  await busy();
  assert.equal((await open())[0]?.evidence.data?.difference, -4_500);
  await hold(body.openingBalanceCentavos);
  await compare();
  assert.deepEqual(await open(), []);
});
