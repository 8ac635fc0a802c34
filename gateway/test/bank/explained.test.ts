/** One movement of the operator's money that is noticed in several ways is booked once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { give, newMerchant } from "../contract/money.ts";
import { becomes, MARIA, pspIdOf, withdraw } from "../contract/payouts.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

type Case = { id: string; objectId: string; kind: string; evidence: { data: Record<string, unknown> } };
type Proposed = {
  status: string;
  proposal: { status: string; result: Record<string, unknown> };
  details: { code: string };
};

const WITH_PAYOUTS = notAt("api-pix", "it has no payouts, and reports no balance");

let world: World;
let houseId: string;
before(async () => {
  world = await startWorld();
  const { rows } = await world.db().query<{ account_id: string }>(sql`select account_id from accounts where is_house`);
  houseId = rows[0]!.account_id;
  // The comparisons of the balance are the test's own.
  await world.db().query(sql`update balance_watches set next_at = ${new Date(Date.now() + 86_400_000)}`);
});
after(() => world.stop());

const entries = async () => {
  const { rows } = await world.db().query<{ kind: string; amount: number; about: string | null }>(sql`
    select kind, amount, about from treasury_entries where account_id = ${houseId} and kind <> 'top_up' order by created_at`);
  return rows;
};
/** The operator sends a Pix in the bank's own app; the case that the comparison of the day makes of it. */
async function sent(id: string, amount: number): Promise<Case> {
  const bank = (await world.ctx.psps.find(world.institutionId))!.psp.payouts!;
  await bank.sendPayout({ id, amount, pixKey: MARIA.pixKey, holderDocument: MARIA.holderDocument });
  return eventually("the difference of the day", async () => {
    await world.gateway.operator.post(`/reconciliation/${dayOf(new Date())}`);
    const { body } = await world.gateway.operator.get<{ items: Case[] }>("/cases?status=open&limit=100");
    return body.items.find(({ objectId }) => objectId.endsWith(` sent ${id}`)) ?? false;
  });
}
/** As the watch opens it: the balance differs by so much now. */
async function drift(difference: number): Promise<string> {
  const { rows: cases } = await world.gateway.owner.query<{ number: number }>(sql`
    select coalesce(max(number), 0) + 1 as number from cases
    where account_id = ${houseId} and kind = 'balance_drift' and object_id = ${world.institutionId}`);
  const { rows } = await world.gateway.owner.query<{ case_id: string }>(sql`
    insert into cases (account_id, case_id, number, kind, object_id, status, severity, institution_id, amount, evidence, opened_at, updated_at)
    values (${houseId}, ${world.ctx.ids.uuid()}, ${cases[0]!.number}, 'balance_drift', ${world.institutionId}, 'open', 'critical', ${world.institutionId},
      ${Math.abs(difference)}, ${JSON.stringify({
        ...{ says: "It differs.", source: "institution" },
        data: { difference, sampledAt: new Date().toISOString() },
      })}::jsonb, ${new Date()}, ${new Date()})
    returning case_id`);
  return rows[0]!.case_id;
}
const propose = async (id: string, action: string, parameters: Record<string, unknown>) =>
  world.gateway.operator.post<Proposed>(`/cases/${id}/propose`, { action, parameters });
const record = (amount: number) =>
  world.gateway.operator.post<{ details: { code: string } }>("/treasury", {
    ...{
      kind: "sweep",
      institutionId: world.institutionId,
      amount,
      occurredAt: new Date(Date.now() - 1_000).toISOString(),
    },
  });
const none = (at: number) => ({ kind: "sweep", amount: at, about: null });

test(
  "what the operator recorded by hand: the comparison of the day names it, and books no second one",
  WITH_PAYOUTS,
  async () => {
    const before = await entries();
    assert.equal((await record(120)).status, 201);
    const { id } = await sent("byhand00000000000000000000000001", 12_000);
    const done = await propose(id, "treasury", { kind: "sweep" });
    assert.deepEqual([done.body.status, done.body.proposal.status], ["closed", "executed"], done.text);
    assert.deepEqual((await entries()).slice(before.length), [
      { kind: "sweep", amount: 12_000, about: "byhand00000000000000000000000001" },
    ]);
    // A second Pix of the same amount is another one.
    const other = await sent("byhand00000000000000000000000002", 12_000);
    await propose(other.id, "treasury", { kind: "sweep" });
    assert.deepEqual(
      (await entries()).slice(before.length).map(({ about }) => about),
      ["byhand00000000000000000000000001", "byhand00000000000000000000000002"],
    );
    const { rows } = await world.db().query(sql`
    select from cases where kind = 'reconciliation_difference' and status = 'open'`);
    assert.deepEqual(rows, []);
  },
);

test(
  "what was booked as the difference of the balance: the day's comparison names it, and a record by hand is refused",
  WITH_PAYOUTS,
  async () => {
    const before = await entries();
    const done = await propose(await drift(-7_700), "book_difference", { kind: "sweep", amount: 77 });
    assert.equal(done.body.proposal?.status, "executed", done.text);
    const refused = await record(77);
    assert.deepEqual([refused.status, refused.body.details.code], [400, "VALIDATION_ERROR"], refused.text);
    assert.deepEqual((await entries()).slice(before.length), [none(7_700)]);
    const { id } = await sent("drift000000000000000000000000001", 7_700);
    await propose(id, "treasury", { kind: "sweep" });
    assert.deepEqual((await entries()).slice(before.length), [
      { kind: "sweep", amount: 7_700, about: "drift000000000000000000000000001" },
    ]);
    // Named, it explains nothing else.
    assert.equal((await record(77)).status, 201);
  },
);

test(
  "what was booked after the balance was compared: its difference is refused, and nothing moves",
  WITH_PAYOUTS,
  async () => {
    const open = await drift(-3_300);
    assert.equal(
      (await propose((await sent("first000000000000000000000000001", 3_300)).id, "treasury", { kind: "sweep" })).status,
      200,
    );
    const { rows } = await world.db().query<{ at: Date }>(sql`
      select occurred_at as at from treasury_entries where about = 'first000000000000000000000000001'`);
    const occurredAt = rows[0]!.at.getTime();
    const moveTo = (at: number) =>
      world.gateway.owner.query(sql`
        update treasury_entries set occurred_at = ${new Date(at)} where about = 'first000000000000000000000000001'`);
    await moveTo(occurredAt - 600_000);
    const before = await entries();
    const refused = await propose(open, "book_difference", { kind: "sweep", amount: 33 });
    assert.equal(refused.body.proposal?.status, "refused", refused.text);
    assert.deepEqual(await entries(), before);
    // As the ledger has it.
    await moveTo(occurredAt);
    await world.gateway.owner.query(
      sql`update cases set status = 'closed', closed_at = ${new Date()}, closed_because = 'resolved' where case_id = ${open}`,
    );
  },
);

test("a payout of ours that the books have lost is no money of the operator's", WITH_PAYOUTS, async () => {
  const { client, accountId } = await newMerchant(world.gateway);
  await give(world.gateway, accountId, 100);
  const { id } = await withdraw(client, { netAmount: 50 });
  await becomes(client, id, "completed");
  // An id of that account, of which these books know nothing.
  const known = await pspIdOf(world.gateway, id);
  const lost = known.slice(0, -1) + (known.endsWith("0") ? "1" : "0");
  const open = await sent(lost, 5_000);
  const before = await entries();
  const refused = await propose(open.id, "treasury", { kind: "sweep" });
  assert.ok(refused.status >= 400 || refused.body.proposal.status === "refused", refused.text);
  assert.deepEqual(await entries(), before);
});
