/** A comparison of a day by hours with a bank that has no hours, or another hour than ours for the same thing. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApplier } from "../../src/booking/apply.ts";
import { sql } from "../../src/db/sql.ts";
import { dayOf, daysBefore } from "../../src/lib/days.ts";
import { reconcileDaily } from "../../src/reconciliation/daily.ts";
import { give, newMerchant } from "../contract/money.ts";
import { becomes, pspIdOf, withdraw } from "../contract/payouts.ts";
import { notAt } from "../harness/bank.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

type Counted = { count: number; amount: number };
type Finding = { kind: string; state: string; key: string };
type Report = { matched: Record<string, Counted>; findings: Finding[] };
type Case = { objectId: string; status: string; evidence: { data: Record<string, unknown> } };

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

const today = () => dayOf(new Date());
const compareToday = async (): Promise<Report> => {
  const reply = await world.gateway.operator.post<{ institutions: Report[] }>(`/reconciliation/${today()}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.institutions[0]!;
};
const cases = async (status: string): Promise<Case[]> =>
  (
    await world.gateway.operator.get<{ items: Case[] }>(
      `/cases?status=${status}&kind=reconciliation_difference&limit=100`,
    )
  ).body.items;

test("a bank that lists whole days: what differs is one finding and one case, and what matches counts once", async () => {
  await world.behave({ autoNotify: false });
  const { txid } = await world.create(25);
  await world.pay(txid);
  await world.pollReceived();
  const before = await compareToday();
  await world.behave({ listsDays: true });
  const { matched, findings } = await compareToday();
  assert.deepEqual([matched.received, findings], [before.matched.received, []]);
  // What the bank sent without us is in each list of the day.
  const bank = (await world.ctx.psps.find(world.institutionId))!.psp.payouts;
  if (bank) {
    const order = { pixKey: "someone@example.com", holderDocument: "12345678909" };
    await bank.sendPayout({ id: "nobodys0000000000000000000000001", amount: 700, ...order });
    let found: Finding[] = [];
    for (let i = 0; i < 20 && found.length === 0; i += 1) found = (await compareToday()).findings;
    assert.deepEqual(
      found.map(({ kind, state }) => [kind, state]),
      [["sent", "missing_here"]],
    );
    assert.equal((await cases("open")).length, 1);
  }
  await world.behave({ listsDays: false, autoNotify: true });
});

test(
  "a payout that the bank shows with another amount, an hour after it was listed: one finding, and the day is compared",
  notAt("api-pix", "it has no payouts"),
  async () => {
    const { client, accountId } = await newMerchant(world.gateway);
    await give(world.gateway, accountId, 100);
    const { id } = await withdraw(client, { netAmount: 50 });
    await becomes(client, id, "completed");
    const pspId = await pspIdOf(world.gateway, id);
    // As if operators had ended it an hour later, or earlier where that hour is another day's.
    const shift = dayOf(new Date(Date.now() - 3_600_000)) === today() ? "1 hour" : "-1 hour";
    await world.gateway.owner.query(sql`
      update withdrawals set settled_at = ${earlier("settled_at", shift)} where withdrawal_id = ${id}`);
    const pretence = `/payouts/${pspId}/pretence`;
    const pretends = await world.gateway.simulator.send("PUT", pretence, JSON.stringify({ amountCentavos: 4_000 }));
    assert.equal(pretends.status, 200, pretends.text);
    const { findings } = await compareToday();
    assert.deepEqual(
      findings.filter(({ key }) => key === pspId).map(({ kind, state }) => [kind, state]),
      [["sent", "differing"]],
    );
    assert.equal((await cases("open")).filter(({ objectId }) => objectId.endsWith(pspId)).length, 1);
    await world.gateway.owner.query(sql`
      update withdrawals set settled_at = ${earlier("settled_at", shift.startsWith("-") ? "1 hour" : "-1 hour")}
      where withdrawal_id = ${id}`);
  },
);

describe("a day that cannot be compared", () => {
  const broken = () => daysBefore(today(), 2);
  const uncompared = async (status: string) =>
    (await cases(status))
      .filter(({ evidence }) => evidence.data.state === "uncompared")
      .map(({ evidence }) => evidence.data.day);

  test("is a case until it can, and the other days are compared", async () => {
    const { rows } = await world
      .db()
      .query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
    const houseId = rows[0]!.account_id;
    const applier = createApplier(world.ctx, houseId);
    await world.gateway.owner.query({
      text: `alter table reconciliations add constraint no_report check (report is null or day <> '${broken()}') not valid`,
      values: [],
    });
    await reconcileDaily(world.ctx, applier, houseId);
    await world.db().query(sql`update reconciliations set next_at = ${new Date(0)} where day < ${today()}`);
    const others = [daysBefore(today(), 3), daysBefore(today(), 1)];
    await eventually("the other days", async () => {
      await reconcileDaily(world.ctx, applier, houseId);
      const { rows: compared } = await world.db().query<{ day: string }>(sql`
        select to_char(day, 'YYYY-MM-DD') as day from reconciliations where report is not null and day < ${today()} order by day`);
      assert.ok(compared.every(({ day }) => others.includes(day)));
      return compared.length === others.length && (await uncompared("open")).length > 0;
    });
    assert.deepEqual(await uncompared("open"), [broken()]);
    assert.ok(world.gateway.takeErrors().length > 0, "the log says why");
    const refused = await world.gateway.operator.post(`/reconciliation/${broken()}`);
    assert.equal(refused.status, 500);
    world.gateway.takeErrors();
    await world.gateway.owner.query({ text: "alter table reconciliations drop constraint no_report", values: [] });
    const reply = await world.gateway.operator.post(`/reconciliation/${broken()}`);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([await uncompared("open"), await uncompared("closed")], [[], [broken()]]);
  });
});
