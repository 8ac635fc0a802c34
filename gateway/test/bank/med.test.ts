/** What an institution returns of a MED case that it has accepted, whoever reports it first. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { as } from "../contract/merchant.ts";
import { balancesOf, type Merchant, newMerchant } from "../contract/money.ts";
import { eventOf, type Payment, pay, transfersOf } from "../contract/payments.ts";
import { notAt } from "../harness/bank.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startWorld, type World } from "./world.ts";

type Block = { id: string; amount: number; status: string; takenAmount?: number } & Record<string, unknown>;
type Case = { id: string; kind: string; objectId: string; status: string; amount: number; deadline: string | null };

const DAY = 86_400_000;
const skip = notAt("api-pix", "it has no MED cases");

let world: World;
before(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  const reply = await world.gateway.simulator.send("DELETE", "/behaviour", undefined);
  assert.equal(reply.status, 200, reply.text);
});
after(async () => {
  await world.gateway.verify();
  await world.stop();
});

const blocksOf = async ({ client }: Merchant, wallet: string | null = null) =>
  (await client.get<{ items: Block[] }>("/balance-blocks", as(wallet))).body.items;
const money = async ({ client }: Merchant, wallet: string | null = null) => {
  const { available, held } = await balancesOf(client, wallet);
  return [available, held];
};
/** Lists the cases of the institution; resolves when that is done. */
const listCases = async () => {
  const due = new Date();
  await world.db().query(sql`update infraction_polls set next_at = ${due}`);
  world.ctx.hints.wake("infractions");
  await eventually("the list of cases", async () => {
    const { rowCount } = await world.db().query(sql`select from infraction_polls where covered_until > ${due}`);
    return rowCount > 0;
  });
};
const contest = async (payment: Payment, amountCentavos?: number) => {
  const { id } = await world.control<{ id: string }>("/infractions", { e2eId: payment.e2eId, amountCentavos });
  await listCases();
  return id;
};
/** The institution accepts the case; what it returns comes as the behaviour says. */
const accept = (caseId: string, more: Record<string, unknown> = {}) =>
  world.control(`/infractions/${caseId}/resolve`, { outcome: "accepted", ...more });
const queryReturns = async (blockId: string) => {
  await world.db().query(sql`
    update balance_blocks set return_next_at = ${new Date(world.ctx.clock.now())} where block_id = ${blockId}`);
  world.ctx.hints.wake("med returns");
};
const casesOf = async (blockId: string) => {
  const reply = await world.gateway.operator.get<{ items: Case[] }>("/cases?kind=block_without_return");
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items.filter(({ objectId }) => objectId === blockId);
};
/** How many transfers of any account are of returns that the institution made of a payment. */
const transfersOfReturns = async ({ e2eId }: Payment) => {
  const { rows } = await world.db().query<{ id: string }>(sql`
    select psp_return_id as id from psp_returns where e2e_id = ${e2eId}`);
  const { rowCount } = await world.db().query(sql`
    select from ledger_transfers where source_id = any(${rows.map(({ id }) => id)}::uuid[])`);
  return rowCount;
};
const PARTLY = [
  "block_held 8000 available → held",
  "block_released 5000 held → available",
  "block_taken 3000 held → psp",
];

describe("an accepted MED case of which the institution returns a part", { skip: skip.skip }, () => {
  /** What a merchant and an accountant see of it. */
  const reported = async (merchant: Merchant, payment: Payment) => {
    const [block] = await blocksOf(merchant);
    const { items } = (await merchant.client.get<{ items: { amount: number }[] }>("/transactions?type=chargeback"))
      .body;
    return {
      block: [block!.status, block!.amount, block!.takenAmount, block!.resolutionReason],
      money: await money(merchant),
      transfers: await transfersOf(world.gateway, block!.id),
      chargebacks: items.map(({ amount }) => amount),
      others: await transfersOfReturns(payment),
    };
  };
  const EXPECTED = {
    block: ["approved", 80, 30, "accepted"],
    money: [5_000, 0],
    transfers: PARTLY,
    chargebacks: [30],
    others: 0,
  };

  const begin = async () => {
    const merchant = await newMerchant(world.gateway);
    const payment = await pay(merchant.client, 80);
    return { merchant, payment, caseId: await contest(payment) };
  };

  test("is booked alike when the list of cases is first", async () => {
    const { merchant, payment, caseId } = await begin();
    await world.behave({ autoNotify: false });
    await accept(caseId, { returnCentavos: 0 });
    await listCases();
    const [block] = await blocksOf(merchant);
    assert.deepEqual([block!.status, block!.takenAmount, await money(merchant)], ["approved", 0, [0, 8_000]]);
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 3_000 });
    await queryReturns(block!.id);
    await eventually("the rest", async () => (await money(merchant))[1] === 0);
    assert.deepEqual(await reported(merchant, payment), EXPECTED);
  });

  test("is booked alike when the notification of the return is first", async () => {
    const { merchant, payment, caseId } = await begin();
    await world.db().query(sql`update infraction_polls set next_at = ${new Date(Date.now() + DAY)}`);
    await accept(caseId, { returnCentavos: 3_000 });
    await eventually("the return", async () => (await blocksOf(merchant))[0]!.takenAmount === 30);
    assert.deepEqual(await money(merchant), [0, 5_000]);
    await listCases();
    assert.deepEqual(await reported(merchant, payment), EXPECTED);
  });

  test("is booked alike when both come at once", async () => {
    for (let i = 0; i < 4; i += 1) {
      const { merchant, payment, caseId } = await begin();
      await Promise.all([accept(caseId, { returnCentavos: 3_000 }), listCases(), world.pollReceived()]);
      await listCases();
      await eventually("the end", async () => (await money(merchant))[1] === 0);
      assert.deepEqual(await reported(merchant, payment), EXPECTED);
    }
  });

  test("all of it, in any order, is the block's, with the same reason", async () => {
    for (const first of ["list", "notification"]) {
      const { merchant, payment, caseId } = await begin();
      if (first === "list") await world.behave({ autoNotify: false });
      else await world.db().query(sql`update infraction_polls set next_at = ${new Date(Date.now() + DAY)}`);
      await accept(caseId);
      if (first === "list") await listCases();
      await eventually("the return", async () => (await money(merchant))[1] === 0);
      await listCases();
      const { block, transfers, chargebacks } = await reported(merchant, payment);
      assert.deepEqual(
        [block, transfers, chargebacks],
        [["approved", 80, 80, "accepted"], ["block_held 8000 available → held", "block_taken 8000 held → psp"], [80]],
      );
      assert.equal((await blocksOf(merchant))[0]!.resolutionText, "Fraude confirmada");
      await world.behave({ autoNotify: true });
    }
  });

  test("that returns more later takes it from available, as the case's own", async () => {
    const { merchant, payment, caseId } = await begin();
    await accept(caseId, { returnCentavos: 3_000 });
    await listCases();
    await eventually("the rest", async () => (await money(merchant))[1] === 0);
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 1_000 });
    await eventually("the second return", async () => (await money(merchant))[0] === 4_000);
    const { block, chargebacks, others } = await reported(merchant, payment);
    assert.deepEqual([block[2], chargebacks, others], [40, [10, 30], 0]);
  });
});

/** A case that was accepted, of which no return was shown for so long that it is a case of ours. */
const withoutReturn = async () => {
  const merchant = await newMerchant(world.gateway);
  const payment = await pay(merchant.client, 80);
  const caseId = await contest(payment);
  await accept(caseId, { returnCentavos: 0 });
  await listCases();
  const [block] = await blocksOf(merchant);
  assert.deepEqual([block!.status, await money(merchant)], ["approved", [0, 8_000]]);
  await queryReturns(block!.id);
  await eventually("the query", async () => {
    // Claimed, it is due in a minute; answered, in ten.
    const { rowCount } = await world.db().query(sql`
      select from balance_blocks where block_id = ${block!.id} and return_next_at > ${new Date(Date.now() + 5 * 60_000)}`);
    return rowCount > 0;
  });
  assert.deepEqual(await casesOf(block!.id), []);
  await world.db().query(sql`
    update balance_blocks set resolved_at = ${earlier("resolved_at", "25 hours")} where block_id = ${block!.id}`);
  await queryReturns(block!.id);
  const [open] = await eventually("its case", async () => {
    const cases = await casesOf(block!.id);
    return cases.length > 0 && cases;
  });
  assert.deepEqual([open!.status, open!.amount], ["open", 80]);
  assert.ok(Date.parse(open!.deadline!) > Date.now() + 5 * DAY);
  return { merchant, payment, caseId, block: block!, open: open! };
};
const act = async (id: string, action: string, parameters = {}) => {
  const reply = await world.gateway.operator.post(`/cases/${id}/propose`, { action, parameters });
  assert.ok(reply.status === 200 || reply.status === 201, reply.text);
};

describe("an accepted MED case of which nothing is returned", { skip: skip.skip }, () => {
  test("is a case with a deadline, which the return closes", async () => {
    const { merchant, payment, block } = await withoutReturn();
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 8_000 });
    await eventually("the return", async () => (await money(merchant))[1] === 0);
    assert.deepEqual(
      (await casesOf(block.id)).map(({ status }) => status),
      ["closed"],
    );
    assert.deepEqual(await money(merchant), [0, 0]);
  });

  test("is released when an operator decides so, and a late return is still the case's", async () => {
    const { merchant, payment, block, open } = await withoutReturn();
    await act(open.id, "release_hold");
    await eventually("the release", async () => (await money(merchant))[0] === 8_000);
    assert.deepEqual(
      (await casesOf(block.id)).map(({ status }) => status),
      ["closed"],
    );
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 8_000 });
    await eventually("the late return", async () => (await money(merchant))[0] === 0);
    assert.equal((await blocksOf(merchant))[0]!.takenAmount, 80);
  });

  test("is taken when an operator says that it has left, and its return is booked against that", async () => {
    const { merchant, payment, block, open } = await withoutReturn();
    await act(open.id, "take_hold");
    await eventually("the taking", async () => (await money(merchant))[1] === 0);
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 8_000 });
    await eventually("the return", async () => {
      const { rowCount } = await world.db().query(sql`select from psp_returns where block_id = ${block.id}`);
      return rowCount > 0;
    });
    assert.deepEqual(await money(merchant), [0, 0]);
  });
});

describe("a block that operators booked as gone, of a case that is then refused", { skip: skip.skip }, () => {
  const contradictions = async (blockId: string) => {
    const { body } = await world.gateway.operator.get<{ items: Case[] }>("/cases?kind=block_contradicted&status=open");
    return body.items.filter(({ objectId }) => objectId === blockId);
  };
  /** The operators' `action` about what the case says. */
  const decide = async (action: string) => {
    const { merchant, payment, caseId, block, open } = await withoutReturn();
    await act(open.id, "take_hold");
    await eventually("the taking", async () => (await money(merchant))[1] === 0);
    const end = async (outcome: string) => {
      await world.control(`/infractions/${caseId}/reopen`);
      await world.control(`/infractions/${caseId}/resolve`, { outcome });
      await listCases();
    };
    await end("rejected");
    const [found] = await contradictions(block.id);
    assert.equal(found?.amount, 80);
    await act(found.id, action, { reason: "Agreed with the bank" });
    await eventually("the decision", async () => (await contradictions(block.id)).length === 0);
    const giveBack = async (amountCentavos: number) => {
      await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos });
      await eventually("the return", async () => {
        const { rows } = await world.db().query<{ amount: number }>(sql`
          select coalesce(sum(amount), 0)::bigint as amount from psp_returns where block_id = ${block.id}`);
        return rows[0]!.amount === amountCentavos;
      });
    };
    return { merchant, blockId: block.id, end, giveBack };
  };

  test("is paid to the wallet once, and a return that comes after all is the wallet's to pay", async () => {
    const { merchant, blockId, end, giveBack } = await decide("give_back");
    assert.deepEqual([await money(merchant), (await blocksOf(merchant))[0]!.takenAmount], [[8_000, 0], 0]);
    await end("cancelled");
    assert.deepEqual(await contradictions(blockId), []);
    await giveBack(3_000);
    assert.deepEqual([await money(merchant), (await blocksOf(merchant))[0]!.takenAmount], [[5_000, 0], 30]);
    assert.deepEqual(await contradictions(blockId), []);
    await world.gateway.verify();
  });

  test("is decided by the institution where it accepts the case again", async () => {
    const { merchant, block, open, caseId } = await withoutReturn();
    await act(open.id, "take_hold");
    await eventually("the taking", async () => (await money(merchant))[1] === 0);
    for (const [outcome, cases] of [
      ["rejected", 1],
      ["accepted", 0],
    ] as const) {
      await world.control(`/infractions/${caseId}/reopen`);
      await world.control(`/infractions/${caseId}/resolve`, {
        outcome,
        ...(outcome === "accepted" && { returnCentavos: 0 }),
      });
      await listCases();
      assert.equal((await contradictions(block.id)).length, cases, outcome);
    }
    assert.deepEqual(await money(merchant), [0, 0]);
  });

  test("stays paid where operators say that it has left, and a return of a part opens nothing again", async () => {
    const { merchant, blockId, end, giveBack } = await decide("acknowledge");
    await end("cancelled");
    await giveBack(3_000);
    assert.deepEqual([await money(merchant), await contradictions(blockId)], [[0, 0], []]);
    await world.gateway.verify();
  });
});

describe("a MED case that is opened again", { skip: skip.skip }, () => {
  test("as accepted, after operators had approved it and it was rejected, is held again", async () => {
    const merchant = await newMerchant(world.gateway);
    const payment = await pay(merchant.client, 80);
    const caseId = await contest(payment);
    const [block] = await blocksOf(merchant);
    const approved = await world.gateway.operator.post(
      `/accounts/${merchant.accountId}/balance-blocks/${block!.id}/resolve`,
      { outcome: "approved" },
    );
    assert.equal(approved.status, 200, approved.text);
    await world.control(`/infractions/${caseId}/resolve`, { outcome: "rejected" });
    await listCases();
    assert.deepEqual(await money(merchant), [8_000, 0]);
    const { data } = await eventOf(world.gateway, `balance_block_rejected_${block!.id}`);
    assert.deepEqual([data.status, data.resolutionReason], ["rejected", "other"]);
    const [freed] = await blocksOf(merchant);
    assert.deepEqual([freed!.status, freed!.resolutionReason, freed!.takenAmount], ["rejected", "other", undefined]);
    await world.control(`/infractions/${caseId}/reopen`);
    await accept(caseId, { returnCentavos: 0 });
    await listCases();
    assert.deepEqual(await money(merchant), [0, 8_000]);
    await world.control(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 8_000 });
    await eventually("the return", async () => (await money(merchant))[1] === 0);
    assert.deepEqual(await money(merchant), [0, 0]);
    await world.gateway.verify();
  });

  test("after it was rejected is held again, by another block", async () => {
    const merchant = await newMerchant(world.gateway);
    const payment = await pay(merchant.client, 80);
    const caseId = await contest(payment);
    await world.control(`/infractions/${caseId}/resolve`, { outcome: "rejected" });
    await listCases();
    assert.deepEqual(await money(merchant), [8_000, 0]);
    await world.control(`/infractions/${caseId}/reopen`);
    await listCases();
    await listCases();
    const [again, first] = await blocksOf(merchant);
    assert.deepEqual([first!.status, again!.status, again!.amount], ["rejected", "awaiting_response", 80]);
    assert.deepEqual(await money(merchant), [0, 8_000]);
    await accept(caseId);
    await listCases();
    await eventually("the return", async () => (await money(merchant))[1] === 0);
    assert.deepEqual(
      (await blocksOf(merchant)).map(({ status }) => status),
      ["approved", "rejected"],
    );
  });

  test("after a part was returned is held again for the rest alone", async () => {
    const merchant = await newMerchant(world.gateway);
    const payment = await pay(merchant.client, 80);
    const caseId = await contest(payment);
    await accept(caseId, { returnCentavos: 3_000 });
    await listCases();
    await eventually("the rest", async () => (await money(merchant))[0] === 5_000);
    await world.control(`/infractions/${caseId}/reopen`);
    await listCases();
    assert.deepEqual([(await blocksOf(merchant))[0]!.amount, await money(merchant)], [50, [0, 5_000]]);
  });
});

describe("a refund under an open MED of a payment that was split", { skip: skip.skip }, () => {
  test("takes over what the block holds, whatever is available, and its fee may take that below zero", async () => {
    const merchant = await newMerchant(world.gateway, ["loja"]);
    const { client, accountId } = merchant;
    await world.gateway.operator.patch(`/accounts/${accountId}`, { fees: { refund: { fixed: 0.25 } } });
    const payment = await pay(client, 400, { split: [{ subAccount: "principal", amount: 360 }] }, "loja");
    await contest(payment);
    assert.deepEqual(await money(merchant, "loja"), [-36_000, 40_000]);
    const asked = await client.post<{ status: string }>(`/transactions/${payment.id}/refund`, {}, as("loja"));
    assert.equal(asked.status, 201, asked.text);
    await eventually("the refund", async () => (await money(merchant, "loja"))[1] === 0);
    assert.deepEqual(await money(merchant, "loja"), [-36_025, 0]);
    const [block] = await blocksOf(merchant, "loja");
    assert.deepEqual([block!.status, block!.resolutionReason], ["rejected", "refunded"]);
  });
});
