/** The amount of a MED case, as one list after the other shows it, and what its blocks hold of the payment by then. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { settleCharge } from "../../src/charges/settle.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { awaitsMore, coveredOf, isOutgrown, missingOf } from "../../src/claims/blocks/follow-amount.ts";
import type { Block } from "../../src/claims/blocks/row.ts";
import { claimedPixTable } from "../../src/claims/pix.ts";
import { requestRefund } from "../../src/claims/refunds/request.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { PspInfraction } from "../../src/psp/psp.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };
const show = (desk: Desk, status: PspInfraction["status"], amount: number, id = "case") =>
  desk.run(status, applyCase, { ...of, shown: { id, e2eId: "E1", amount, status } });
/** A payment of 10 with a case of so much. */
function contested(amount = 300): Desk {
  const desk = new Desk().charge();
  const pix = { e2eId: "E1", txid: "txid", amount: 1_000, paidAt: at("11:30:00"), returns: [] };
  desk.run("paid", settleCharge, { ...of, chargeId: CHARGE, pix });
  show(desk, "open", amount);
  return desk.begin();
}
const pixOf = (desk: Desk) => desk.find(claimedPixTable, "E1");
const withBlocks = (desk: Desk, change: (block: Block) => Partial<Block>) => {
  const pix = pixOf(desk);
  return { ...pix, blocks: pix.blocks.map((block) => ({ ...block, ...change(block) })) };
};
/** Each block with its amount, what it holds, and the amount of its case. */
const blocks = (desk: Desk) =>
  pixOf(desk).blocks.map((one) => `${one.status} ${one.amount}, holds ${one.heldAmount} of ${one.caseAmount}`);
const moved = (desk: Desk) =>
  [...desk.transcript.matchAll(/^ {2}\S+ -> \S+: (\S+ \S+) of \S+ (\(\d+\))/gm)].map(
    (match) => `${match[1]} ${match[2]}`,
  );
const isSilent = (desk: Desk) => !/->|insert|update/.test(desk.transcript);

describe("the hold of an open case", () => {
  test("grows and shrinks with its amount, by a centavo too, and each change is a transfer and an event of its own", () => {
    const desk = contested();
    show(desk, "open", 301);
    assert.deepEqual(moved(desk), ["0.01 block_held (2)"]);
    assert.match(desk.transcript, /previousAmount\\":3\}/);
    show(desk.begin(), "in_defence", 1);
    assert.deepEqual(moved(desk), ["3 block_released (3)"]);
    assert.match(desk.transcript, /previousAmount\\":3\.01\}/);
    assert.deepEqual(blocks(desk), ["defended 1, holds 1 of 1"]);
    show(desk.begin(), "in_defence", 1);
    assert.ok(isSilent(desk));
    // A list without an amount says nothing about it.
    show(desk, "open", 0);
    assert.deepEqual([blocks(desk), moved(desk)], [["defended 1, holds 1 of 1"], []]);
    show(desk, "open", 2_000);
    assert.deepEqual(blocks(desk), ["defended 1000, holds 1000 of 2000"], "no more than was paid");
  });

  test("grows with a case that is accepted for more, and neither shrinks then nor follows one that is refused", () => {
    const end = (status: PspInfraction["status"], amount: number) => {
      const desk = contested();
      show(desk, status, amount);
      return [...blocks(desk), ...moved(desk)];
    };
    assert.deepEqual(end("accepted", 500), ["approved 500, holds 500 of 500", "2 block_held (2)"]);
    assert.deepEqual(end("accepted", 100), ["approved 300, holds 300 of 100"]);
    for (const status of ["rejected", "cancelled"] as const)
      assert.deepEqual(end(status, 500), ["rejected 300, holds 0 of 300", "3 block_released (0)"]);
    assert.deepEqual(end("unrecognised", 500), ["awaiting_response 300, holds 300 of 300"]);
  });

  test("is that of its own case: another case of the payment keeps its hold", () => {
    const desk = contested();
    show(desk, "open", 200, "other");
    for (const amount of [400, 100]) {
      show(desk, "open", amount);
      assert.deepEqual(blocks(desk), [
        `awaiting_response ${amount}, holds ${amount} of ${amount}`,
        "awaiting_response 200, holds 200 of 200",
      ]);
    }
    show(desk, "open", 900);
    assert.deepEqual(blocks(desk)[0], "awaiting_response 800, holds 800 of 900");
    const lacks = (amount: number) =>
      desk.run("lacks", awaitsMore, { ...of, shown: { id: "other", e2eId: "E1", amount, status: "open" } });
    assert.deepEqual([lacks(200), lacks(201)], [false, true]);
  });

  test("changes a limited number of times, and stays then", () => {
    const desk = contested();
    const change = { id: object(1), by: 1, at: at("12:00:00").toISOString() };
    const amountChanges = Array.from({ length: LIMITS.blockChanges - 1 }, () => change);
    desk.put(
      claimedPixTable,
      "E1",
      withBlocks(desk, () => ({ amountChanges })),
    );
    show(desk, "open", 400);
    show(desk, "open", 500);
    assert.deepEqual(blocks(desk), ["awaiting_response 400, holds 400 of 500"]);
    assert.deepEqual(moved(desk), [`1 block_held (${LIMITS.blockChanges + 1})`]);
  });

  test("takes what a refund under way has once the refund fails, and shrinks from the newest block on", () => {
    const desk = contested();
    desk.run("refund", requestRefund, {
      ...{ accountId: ACCOUNT, walletId: ACCOUNT, refundId: object(1), chargeId: CHARGE, e2eId: "E1", inParts: true },
      ...{ pspProvider: "simulator", amount: 600, reason: null, idempotencyKey: null },
    });
    show(desk, "open", 500);
    const grown = ["awaiting_response 400, holds 400 of 500", "rejected 100, holds 0 of 500"];
    assert.deepEqual(blocks(desk), grown);
    show(desk.begin(), "open", 500);
    assert.ok(isSilent(desk), "the refund has it already");
    show(desk, "open", 1_200);
    assert.deepEqual(blocks(desk), [
      ...grown.map((one) => one.replace("of 500", "of 1200")),
      "rejected 500, holds 0 of 1200",
    ]);
    const { pspId, amount } = pixOf(desk).returns[0]!;
    desk.run("failed", finishReturn, { ...of, pspId, amount, end: { kind: "failed", reason: "no" } });
    const back = blocks(desk).filter((one) => one.startsWith("awaiting"));
    assert.deepEqual(
      back.map((one) => Number(/holds (\d+)/.exec(one)![1])).sort((a, b) => a - b),
      [100, 400, 500],
    );
    show(desk, "open", 350);
    assert.deepEqual(
      blocks(desk).filter((one) => !one.includes("holds 0")),
      ["awaiting_response 350, holds 350 of 350"],
    );
    assert.deepEqual(
      pixOf(desk).blocks.map((one) => one.resolutionReason),
      [null, "refunded", "refunded", "withdrawn", "withdrawn"],
    );
  });
});

describe("what a case lacks", () => {
  test("counts what its own blocks hold or have given back, and no other case's", () => {
    const desk = contested();
    show(desk, "open", 200, "other");
    const shown = {
      id: "D1",
      rtrId: "D1",
      amount: 300,
      status: "settled" as const,
      med: true,
      settledAt: at("12:06:00"),
    };
    desk.run("returned", bookPspReturn, { ...of, shown });
    const pix = pixOf(desk);
    assert.deepEqual([coveredOf(pix, "case"), coveredOf(pix, "other"), coveredOf(pix, "unknown")], [300, 200, 0]);
    const [gone, open] = pix.blocks as [Block, Block];
    assert.deepEqual([gone.status, gone.takenAmount], ["approved", 300]);
    assert.deepEqual(
      [299, 300, 301].map((caseAmount) => missingOf(pix, { ...gone, caseAmount })),
      [-1, 0, 1],
    );
    assert.equal(missingOf(pix, { ...open, caseAmount: 5_000 }), 500, "no more than is left of the payment");
    for (const none of [{ caseId: null }, { caseAmount: null }])
      assert.equal(missingOf(pix, { ...gone, ...none }), 500);
    const outgrown = (amount: number, status: PspInfraction["status"] = "open", list: readonly Block[] = [gone]) =>
      isOutgrown(pix, list, { id: "case", e2eId: "E1", amount, status });
    assert.deepEqual([outgrown(300), outgrown(301), outgrown(301, "in_defence")], [false, true, true]);
    assert.deepEqual([outgrown(301, "accepted"), outgrown(301, "open", [])], [false, false]);
    assert.equal(outgrown(301, "open", [gone, open]), false, "one of its blocks still holds money");
    assert.equal(outgrown(301, "open", [{ ...gone, takenAmount: 299 }]), false, "operators have released a part");
    assert.equal(outgrown(301, "open", [{ ...gone, status: "rejected" }]), false);
  });
});

test("a case that was closed, opened again and withdrawn is judged by its latest block: the same again says nothing", () => {
  const desk = contested();
  show(desk, "rejected", 300);
  desk.now = at("12:10:00");
  assert.equal(show(desk, "open", 300), "blocked");
  desk.now = at("12:20:00");
  assert.equal(show(desk, "cancelled", 300), "rejected");
  assert.deepEqual(
    pixOf(desk).blocks.map((one) => one.resolutionReason),
    ["other", "withdrawn"],
  );
  desk.begin();
  assert.equal(show(desk, "cancelled", 300), "nothing");
  assert.ok(isSilent(desk));
});
