/**
 * A bank that shows no nature of returns (Efí): only its list of cases tells whether a return that it made by itself ends a
 * dispute. Whatever is seen first, the merchant sees one block.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { balancesOf, type Merchant, newMerchant } from "../contract/money.ts";
import { eventOf, type Payment, pay, transfersOf } from "../contract/payments.ts";
import { notAt } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

type Block = Record<"id" | "status" | "resolutionReason" | "resolutionText" | "referenceNumber", string> &
  Record<"amount" | "takenAmount", number>;
type Chargeback = { id: string; amount: number; blockId?: string };

let world: World;
before(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  const reply = await world.gateway.simulator.send("DELETE", "/behaviour", undefined);
  assert.equal(reply.status, 200, reply.text);
});
after(() => world.stop());

const money = async ({ client }: Merchant) => {
  const { available, held } = await balancesOf(client, null);
  return [available, held];
};
/** What a merchant sees of a dispute. */
const seenBy = async (merchant: Merchant, { id }: Payment) => {
  const { client } = merchant;
  const blocks = (await client.get<{ items: Block[] }>("/balance-blocks")).body.items;
  const { items } = (await client.get<{ items: Chargeback[] }>("/transactions?type=chargeback")).body;
  const { body } = await client.get<{ returnedAmount: number; disputedAmount: number }>(`/transactions/${id}`);
  return {
    blocks: blocks.map((one) => [one.status, one.amount, one.takenAmount, one.resolutionReason, one.resolutionText]),
    numbered: blocks.every(({ referenceNumber }) => referenceNumber !== undefined),
    chargebacks: items.map(({ amount, blockId }) => [amount, blockId === blocks[0]?.id]),
    payment: [body.returnedAmount, body.disputedAmount],
    money: await money(merchant),
  };
};
/** Payments that an incident returns a part of. */
const RETURNED = 12;
/** How often the bank's cases were listed. */
const listings = async () => {
  const text = await (await fetch(`${world.gateway.running.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => /^pixgate_psp_calls_total\{.*route="listInfractions"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
};
/** The gateway lists no cases by itself until `listCases`. */
const holdLists = () =>
  world.db().query(sql`update infraction_polls set next_at = ${new Date(world.ctx.clock.now() + 86_400_000)}`);
const listCases = async () => {
  const due = new Date(world.ctx.clock.now());
  await world.db().query(sql`update infraction_polls set next_at = ${due}`);
  world.ctx.hints.wake("infractions");
  await eventually("the list of cases", async () => {
    const { rowCount } = await world.db().query(sql`select from infraction_polls where covered_until > ${due}`);
    return rowCount > 0;
  });
  await holdLists();
};
const begin = async () => {
  const merchant = await newMerchant(world.gateway);
  const payment = await pay(merchant.client, 80);
  await holdLists();
  await world.behave({ dialect: "efi" });
  return { merchant, payment };
};
/** A case of all of the payment, of which the bank returns so much; the gateway has the notification of the return alone. */
const lose = async (payment: Payment, returnCentavos: number) => {
  const { id } = await world.control<{ id: string }>("/infractions", { e2eId: payment.e2eId });
  await world.control(`/infractions/${id}/resolve`, { outcome: "accepted", returnCentavos });
};
const eventsOf = async (merchant: Merchant) => {
  const [block] = (await merchant.client.get<{ items: Block[] }>("/balance-blocks")).body.items;
  const created = await eventOf(world.gateway, `balance_block_created_${block!.id}`);
  const approved = await eventOf(world.gateway, `balance_block_approved_${block!.id}`);
  return [created.event, approved.event, await transfersOf(world.gateway, block!.id)];
};

describe("a dispute that a bank ends without a word on its return", notAt("api-pix", "it has no MED cases"), () => {
  for (const returned of [8_000, 3_000]) {
    const LOST = {
      blocks: [["approved", 80, returned / 100, "accepted", "Fraude confirmada"]],
      numbered: true,
      chargebacks: [[returned / 100, true]],
      payment: [returned / 100, 0],
      money: [8_000 - returned, 0],
    };

    test(`is one block when its return of ${returned} centavos is seen first: the cases are listed before it is booked`, async () => {
      const { merchant, payment } = await begin();
      await lose(payment, returned);
      // Held at first, the whole of it is as little available as when it is gone.
      await eventually("the return", async () => (await money(merchant)).join() === `${8_000 - returned},0`);
      const seen = await seenBy(merchant, payment);
      assert.deepEqual(seen, LOST);
      const rest = returned === 8_000 ? [] : ["block_released 5000 held → available"];
      assert.deepEqual(await eventsOf(merchant), [
        "balance_block_created",
        "balance_block_approved",
        ["block_held 8000 available → held", ...rest, `block_taken ${returned} held → psp`],
      ]);
      await listCases();
      assert.deepEqual(await seenBy(merchant, payment), LOST);
    });

    test(`is the same block when the cases cannot be listed then: a return of ${returned} centavos is booked, and adopted later`, async () => {
      const { merchant, payment } = await begin();
      const rules = [{ route: "listInfractions", kind: "error5xxBefore", probability: 1, status: 503 }];
      await world.behave({ faults: { seed: 1, rules } });
      await lose(payment, returned);
      await eventually("the return", async () => (await money(merchant))[0] === 8_000 - returned);
      const { blocks, chargebacks } = await seenBy(merchant, payment);
      assert.deepEqual([blocks, chargebacks.map(([amount]) => amount)], [[], [returned / 100]]);
      await world.gateway.verify();
      await world.behave({ faults: { seed: 1, rules: [] } });
      await listCases();
      await eventually("the block", async () => (await seenBy(merchant, payment)).blocks.length > 0);
      assert.deepEqual(await seenBy(merchant, payment), LOST);
      const rest =
        returned === 8_000 ? [] : ["block_held 5000 available → held", "block_released 5000 held → available"];
      assert.deepEqual(await eventsOf(merchant), ["balance_block_created", "balance_block_approved", rest]);
      await world.gateway.verify();
      await listCases();
      assert.deepEqual(await seenBy(merchant, payment), LOST);
    });
  }

  test("stays open to a defence where a part is returned before the cases are listed, and ends as the bank decides", async () => {
    const { merchant, payment } = await begin();
    await world.behave({
      faults: { seed: 1, rules: [{ route: "listInfractions", kind: "error5xxBefore", probability: 1 }] },
    });
    const { id } = await world.control<{ id: string }>("/infractions", { e2eId: payment.e2eId });
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 100, natureza: "ORIGINAL" });
    await eventually("the return", async () => (await money(merchant))[0] === 7_900);
    await world.behave({ faults: { seed: 1, rules: [] } });
    await listCases();
    const { blocks, money: left, payment: shown } = await seenBy(merchant, payment);
    assert.deepEqual(
      [blocks, left, shown],
      [[["awaiting_response", 80, 1, undefined, undefined]], [0, 7_900], [1, 79]],
    );
    await world.gateway.verify();
    const [block] = (await merchant.client.get<{ items: Block[] }>("/balance-blocks")).body.items;
    const defence = await merchant.client.post(`/balance-blocks/${block!.id}/defense`, { text: "delivered" });
    assert.equal(defence.status, 200, defence.text);
    await world.control(`/infractions/${id}/resolve`, { outcome: "rejected" });
    await listCases();
    await eventually("the end", async () => (await seenBy(merchant, payment)).blocks[0]![0] === "rejected");
    assert.deepEqual((await seenBy(merchant, payment)).money, [7_900, 0]);
    await world.gateway.verify();
  });

  test("and an incident of the bank, which returns many at once, lists the cases a few times for all of them", async () => {
    const merchant = await newMerchant(world.gateway);
    const payments: Payment[] = [];
    for (let i = 0; i < RETURNED; i += 1) payments.push(await pay(merchant.client, 10));
    await holdLists();
    const rules = [{ route: "listInfractions", kind: "slow", probability: 1, ms: 1_500 }];
    await world.behave({ dialect: "efi", faults: { seed: 1, rules } });
    const before = await listings();
    await Promise.all(
      payments.map(({ e2eId }) =>
        world.control(`/pix/${e2eId}/med-return`, { amountCentavos: 400, natureza: "ORIGINAL" }),
      ),
    );
    await eventually("all returns", async () => (await money(merchant))[0] === RETURNED * 600);
    // One for each return before: the first of them, and the one that all others waited for. A third where a notification was late.
    const made = (await listings()) - before;
    assert.ok(made >= 1 && made <= 3, `${made} listings`);
  });

  test("and a return without a case is a return: no block", async () => {
    const { merchant, payment } = await begin();
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 2_000, natureza: "ORIGINAL" });
    await eventually("the return", async () => (await money(merchant))[0] === 6_000);
    const { blocks, chargebacks, payment: shown } = await seenBy(merchant, payment);
    assert.deepEqual([blocks, chargebacks, shown], [[], [[20, true]], [20, 0]]);
  });
});
