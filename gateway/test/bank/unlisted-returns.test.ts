/** An institution whose lists leave out what came back: the reconciliation queries before it reports a difference. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dayOf } from "../../src/lib/days.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

type Counted = { count: number; amount: number };
type Report = {
  incomplete: string | null;
  matched: Record<string, Counted>;
  findings: { kind: string; state: string; key: string }[];
};

let world: World;
before(async () => {
  world = await startWorld();
  await world.behave({ returnDelayMs: 0, payoutDelayMs: 0, returnsIn: ["read", "charge", "callback"] });
});
after(() => world.stop());

async function reconcile(): Promise<Report> {
  const path = `/reconciliation/${dayOf(new Date())}`;
  const reply = await world.gateway.operator.post<{ institutions: Report[] }>(path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.institutions[0]!;
}

test("a return that the list leaves out is no difference when the Pix shows it", async () => {
  const { merchant } = world.gateway;
  let paid = "";
  // The first charge pays the fees.
  for (const amount of [20, 30]) {
    const { id, txid } = await world.create(amount);
    await world.pay(txid);
    await world.statusIs(id, "completed");
    paid = id;
  }
  const reply = await merchant.post(`/transactions/${paid}/refund`, {});
  assert.equal(reply.status, 201, reply.text);
  await eventually("the refund", async () => {
    const { rows } = await world.db().query({ text: "select from pix_returns where status = 'confirmed'", values: [] });
    return rows.length === 1;
  });
  const report = await reconcile();
  assert.deepEqual(report.findings, []);
  assert.deepEqual(report.matched.returned, { count: 1, amount: 30 });
});

test("money of a payout that came back and is not listed is no difference when the payout shows it", {
  ...notAt("api-pix", "it has no payouts"),
}, async () => {
  const { merchant } = world.gateway;
  const { id: charge, txid } = await world.create(50);
  await world.pay(txid);
  await world.statusIs(charge, "completed");
  const sent = await merchant.post<{ id: string }>("/withdrawals", {
    pixKey: "someone@example.com",
    pixKeyType: "email",
    holderName: "Someone",
    holderDocument: "52998224725",
    holderDocumentType: "cpf",
    netAmount: 12.34,
  });
  assert.equal(sent.status, 201, sent.text);
  const statusIs = (status: string) =>
    eventually(`the withdrawal to be ${status}`, async () => {
      const { body } = await merchant.get<{ status: string }>(`/withdrawals/${sent.body.id}`);
      return body.status === status;
    });
  await statusIs("completed");
  const back = await merchant.post(`/sandbox/withdrawals/${sent.body.id}/settle`, { outcome: "reverse" });
  assert.equal(back.status, 200, back.text);
  await statusIs("reversed");
  const report = await reconcile();
  assert.deepEqual(report.findings, []);
  assert.deepEqual(report.matched.sent_back, { count: 1, amount: 12.34 });
});

test("a return that the institution does not have at all is a difference", async () => {
  const { rows } = await world.db().query<{ rtr_id: string; psp_id: string }>({
    text: "select rtr_id, psp_id from pix_returns limit 1",
    values: [],
  });
  const name = (rtrId: string, pspId: string) =>
    world.gateway.owner.query({ text: "update pix_returns set rtr_id = $1, psp_id = $2", values: [rtrId, pspId] });
  const forged = "D00000000202611200000FORGED00001";
  await name(forged, forged);
  const [finding] = (await reconcile()).findings;
  assert.deepEqual([finding?.kind, finding?.state, finding?.key], ["returned", "missing_there", forged]);
  await name(rows[0]!.rtr_id, rows[0]!.psp_id);
});

test("a Pix that the list shows unreadably makes the day incomplete, and is booked when it can be read", async () => {
  await world.behave({ autoNotify: false, commaIn: ["list"] });
  const { id, txid } = await world.create(12);
  const { e2eId } = await world.pay(txid);
  const unread = await reconcile();
  assert.match(unread.incomplete ?? "", /: \d+ items of its lists could not be read$/);
  assert.equal((await world.show(id)).status, "pending");
  await world.behave({ autoNotify: true, commaIn: [] });
  const read = await reconcile();
  assert.equal(read.incomplete, null);
  assert.deepEqual(
    read.findings.map(({ key }) => key).filter((key) => key === e2eId),
    [e2eId],
  );
  await world.statusIs(id, "completed");
});
