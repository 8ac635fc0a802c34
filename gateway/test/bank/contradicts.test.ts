/** A bank that speaks of what another bank holds: its word is a case, and nothing is booked. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { becomes, MARIA, pspIdOf, withdraw } from "../contract/payouts.ts";
import { notAt } from "../harness/bank.ts";
import { type SecondBank, startSecondBank } from "./second.ts";
import { startWorld, type World } from "./world.ts";

const { skip = notAt("api-pix", "it has no payouts").skip } = notAt("efi", "its simulators need certificates");

type Report = { institutionId: string; matched: { received: { count: number } }; findings: Finding[] };
type Finding = { kind: string; state: string; key: string; booked: boolean };

describe("a bank that shows another bank's", { skip }, () => {
  let world: World;
  let second: SecondBank;
  before(async () => {
    world = await startWorld();
    second = await startSecondBank(world);
  });
  after(async () => {
    await second.stop();
    await world.stop();
  });

  const compareToday = async (): Promise<Report> => {
    const reply = await world.gateway.operator.post<{ institutions: Report[] }>(`/reconciliation/${dayOf(new Date())}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.institutions.find(({ institutionId }) => institutionId === second.institutionId)!;
  };
  const about = async (e2eId: string) => (await second.cases()).filter(({ objectId }) => objectId.endsWith(e2eId));

  test("Pix, with a return of it: the merchant is not debited, nothing is booked there, and one case says so", async () => {
    const { client } = await newMerchant(world.gateway);
    const { e2eId } = await pay(client, 50);
    const lines = await second.lines();
    await second.control("/pix", { e2eId, amountCentavos: 5_000 });
    await second.control(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
    await second.pollReceived();
    assert.equal((await balancesOf(client)).available, 5_000);
    assert.equal(await second.lines(), lines);
    const [open, ...more] = await about(e2eId);
    assert.deepEqual([open!.kind, more], ["reconciliation_difference", []]);
    assert.match(open!.evidence.says, /another institution/);
    // The comparison of the day does not match it with the other institution's, and opens no second case.
    const { matched, findings } = await compareToday();
    assert.equal(matched.received.count, 0);
    assert.deepEqual(findings.map(({ kind, state, booked }) => [kind, state, booked]).sort(), [
      ["received", "missing_here", false],
      ["returned", "missing_here", false],
    ]);
    assert.equal((await second.cases()).length, 1);
    await second.pollReceived();
    await compareToday();
    assert.deepEqual(
      (await second.cases()).map(({ id }) => id),
      [open!.id],
    );
    assert.equal((await balancesOf(client)).available, 5_000);
  });

  test("Pix, with a MED case: nothing is blocked", async () => {
    const { client } = await newMerchant(world.gateway);
    const { e2eId } = await pay(client, 50);
    await second.control("/pix", { e2eId, amountCentavos: 5_000 });
    await second.control("/infractions", { e2eId, amountCentavos: 3_000 });
    await second.pollCases();
    assert.deepEqual(await client.get<{ items: unknown[] }>("/balance-blocks").then(({ body }) => body.items), []);
    const { available, held } = await balancesOf(client);
    assert.deepEqual([available, held, (await about(e2eId)).length], [5_000, 0, 1]);
  });

  test("Pix under the txid of a charge there: it is not the charge's, and the tariff is not booked", async () => {
    const { client } = await newMerchant(world.gateway);
    const payment = await pay(client, 50);
    const { e2eId } = payment;
    const { rows } = await world.db().query<{ txid: string }>(sql`
      select txid from charges where charge_id = ${payment.id}`);
    await second.control("/pix", { e2eId, amountCentavos: 5_000, txid: rows[0]!.txid });
    const lines = await second.lines();
    await second.pollReceived();
    assert.deepEqual([(await about(e2eId)).length, await second.lines()], [1, lines]);
  });

  test("Pix before the bank that has the charge does: the charge is paid at its own bank all the same", async () => {
    await world.behave({ autoNotify: false });
    const { id, txid } = await world.create(50);
    const { e2eId } = await world.pay(txid);
    await second.control("/pix", { e2eId, amountCentavos: 5_000 });
    await second.pollReceived();
    assert.deepEqual(await world.receiptsOf(e2eId), [{ account: "house", outcome: "unmatched", amount: 5_000 }]);
    await world.pollReceived();
    await world.statusIs(id, "completed");
    assert.deepEqual(await world.receiptsOf(e2eId), [
      { account: "house", outcome: "unmatched", amount: 5_000 },
      { account: "merchant", outcome: "credited", amount: 5_000 },
    ]);
    // A return that the second bank shows of its own is the operator's, not the merchant's.
    const before = await world.show(id);
    await second.control(`/pix/${e2eId}/med-return`, { amountCentavos: 2_000 });
    await second.pollReceived();
    assert.deepEqual(await world.show(id), before);
    const suspense = await world.db().query<{ amount: number }>(sql`
      select amount from psp_returns where e2e_id = ${e2eId} and source = 'suspense'`);
    assert.deepEqual(suspense.rows, [{ amount: 2_000 }]);
    await world.behave({ autoNotify: true });
  });

  test("payout: the comparison of the day does not match it", async () => {
    const { client, accountId } = await newMerchant(world.gateway);
    await give(world.gateway, accountId, 100);
    const { id } = await withdraw(client, { netAmount: 50 });
    await becomes(client, id, "completed");
    const pspId = await pspIdOf(world.gateway, id);
    const bank = (await world.ctx.psps.find(second.institutionId))!.psp.payouts!;
    await bank.sendPayout({ id: pspId, amount: 5_000, pixKey: MARIA.pixKey, holderDocument: MARIA.holderDocument });
    let found: Finding[] = [];
    for (let i = 0; i < 20 && found.length === 0; i += 1) {
      found = (await compareToday()).findings.filter(({ key }) => key === pspId);
    }
    assert.deepEqual(
      found.map(({ kind, state }) => [kind, state]),
      [["sent", "missing_here"]],
    );
  });
});
