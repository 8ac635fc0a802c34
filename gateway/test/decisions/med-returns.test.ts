/** The end of an accepted case: the institution returns it whole, in part, late or never, under one name or another. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { settleCharge } from "../../src/charges/settle.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { blockStanding, endHold } from "../../src/claims/blocks/end-hold.ts";
import { awaitsMore } from "../../src/claims/blocks/follow-amount.ts";
import { type Block, blocksTable } from "../../src/claims/blocks/row.ts";
import { settleBlock } from "../../src/claims/blocks/settle.ts";
import { findBooked, findUnbooked } from "../../src/claims/find-booked.ts";
import { type ClaimedPix, claimedPixTable } from "../../src/claims/pix.ts";
import { pspReturnsTable } from "../../src/claims/psp-return.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import type { ApiError } from "../../src/http/errors.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { PspInfraction, PspReturn } from "../../src/psp/psp.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };

/** A charge of 10 that was paid, and contested. */
function contested(amount = 300): Desk {
  const desk = new Desk().charge();
  const pix = { e2eId: "E1", txid: "txid", amount: 1_000, paidAt: at("11:30:00"), returns: [] };
  desk.run("paid", settleCharge, { ...of, chargeId: CHARGE, institutionId: BANK, pix });
  desk.run("contested", applyCase, shown("open", amount));
  return desk;
}
const shown = (status: PspInfraction["status"], amount = 300, returns: readonly PspReturn[] = []) => ({
  ...of,
  ...{ shown: { id: "case", e2eId: "E1", amount, status }, returns },
});
function accepted(amount = 300): Desk {
  const desk = contested(amount);
  assert.equal(desk.run("accepted", applyCase, shown("accepted", amount)), "approved");
  return desk.begin();
}
const block = (desk: Desk): Block => desk.find(claimedPixTable, "E1").blocks.at(-1)!;
const med = (id: string, amount: number, more: Partial<PspReturn> = {}): PspReturn => ({
  ...{ id, rtrId: `D${id}`, amount, status: "settled", med: true, settledAt: at("12:06:00"), ...more },
});
const bookReturn = (desk: Desk, one: PspReturn, all: readonly PspReturn[] = [one]) =>
  desk.run("returned", bookPspReturn, { ...of, shown: one, all });
const settle = (desk: Desk, returns: readonly PspReturn[] = []) =>
  desk.run("settled", settleBlock, {
    accountId: ACCOUNT,
    e2eId: "E1",
    blockId: block(desk).blockId,
    shown: returns,
  });
const moved = (desk: Desk) => [...desk.transcript.matchAll(/^ {2}(\S+ -> \S+: \S+ \S+) of/gm)].map((match) => match[1]);
const state = (desk: Desk) => {
  const { status, heldAmount, takenAmount, returnNextAt } = block(desk);
  return [status, heldAmount, takenAmount, returnNextAt];
};
const later = (milliseconds: number) => new Date(at("12:00:00").getTime() + milliseconds);

describe("an open case", () => {
  test("has the deadline, the reason and the number that its institution shows by now, which moves no money", () => {
    const desk = contested();
    const facts = () => {
      const { respondBy, reason, referenceNumber } = block(desk);
      return [respondBy, reason, referenceNumber];
    };
    const show = (more: Partial<PspInfraction>) => {
      const { shown: infraction, ...rest } = shown("open");
      return desk.begin().run("shown again", applyCase, { ...rest, shown: { ...infraction, ...more } });
    };
    assert.deepEqual(facts(), [null, null, null]);
    const [first, second] = [at("18:00:00"), at("20:00:00")];
    show({ respondBy: first, reason: "golpe", protocol: "123" });
    assert.deepEqual([facts(), moved(desk)], [[first, "golpe", "123"], []]);
    show({ respondBy: second });
    assert.deepEqual([facts(), moved(desk)], [[second, "golpe", "123"], []]);
    // A list that leaves them out says nothing of them, and the same again writes nothing.
    for (const more of [{}, { respondBy: second }]) {
      show(more);
      assert.deepEqual([facts(), desk.transcript.includes("update")], [[second, "golpe", "123"], false]);
    }
    show({ status: "accepted", respondBy: first });
    assert.deepEqual(
      [facts(), state(desk).slice(0, 2)],
      [
        [first, "golpe", "123"],
        ["approved", 300],
      ],
    );
  });
});

describe("a case whose amount changes", () => {
  const blocks = (desk: Desk) =>
    desk.find(claimedPixTable, "E1").blocks.map((one) => [one.status, one.heldAmount, one.takenAmount]);

  test("and that was returned frees what it added, and holds it again when it grows anew", () => {
    const desk = contested();
    bookReturn(desk, med("M1", 300));
    assert.equal(desk.run("grown", applyCase, shown("open", 500)), "blocked");
    assert.deepEqual(blocks(desk), [
      ["approved", 0, 300],
      ["awaiting_response", 200, 0],
    ]);
    desk.run("smaller", applyCase, shown("open", 300));
    assert.deepEqual(blocks(desk)[1], ["rejected", 0, 0]);
    assert.equal(block(desk).resolutionReason, "withdrawn");
    desk.run("grown again", applyCase, shown("open", 400));
    assert.deepEqual(blocks(desk)[2], ["awaiting_response", 100, 0]);
  });

  test("awaits more only while it is open, holds less than its amount, and other claims hold the rest", () => {
    const lacks = (desk: Desk, status: PspInfraction["status"], amount: number, id = "case") =>
      desk.run("lacks", awaitsMore, { ...of, shown: { ...shown(status, amount).shown, id } });
    const beside = contested(700);
    beside.run("contested too", applyCase, { ...of, shown: { ...shown("open", 500).shown, id: "other" } });
    assert.deepEqual(
      (["open", "in_defence", "accepted", "rejected"] as const).map((status) => lacks(beside, status, 500, "other")),
      [true, true, false, false],
    );
    assert.equal(lacks(beside, "open", 300, "other"), false);
    assert.equal(lacks(beside, "open", 700), false);
    assert.equal(lacks(beside, "open", 500, "unknown"), false);
    const whole = contested(1_000);
    assert.equal(lacks(whole, "open", 1_200), false, "nothing else holds a centavo");
  });
});

describe("an accepted case", () => {
  test("moves nothing yet: its block holds the money, and the institution is queried in a minute", () => {
    const desk = accepted();
    assert.deepEqual([state(desk), moved(desk)], [["approved", 300, 0, at("12:01:00")], []]);
  });

  test("that is returned in part while more is on its way holds the rest, and stays queried", () => {
    const desk = accepted();
    const part = med("a", 100);
    assert.equal(bookReturn(desk, part, [part, med("b", 200, { status: "processing" })]), "booked");
    assert.deepEqual(state(desk), ["approved", 200, 100, at("12:01:00")]);
  });

  test("that is returned whole is paid out of the hold", () => {
    const desk = accepted();
    assert.equal(bookReturn(desk, med("a", 300)), "booked");
    assert.deepEqual(moved(desk), ["held:ACCOUNT -> psp:BANK: 3 block_taken"]);
    assert.deepEqual(state(desk), ["approved", 0, 300, null]);
    assert.equal(settle(desk), "settled");
    assert.equal(moved(desk).length, 1);
  });

  test("of which a part is returned takes that part, and releases the rest, once", () => {
    const desk = accepted();
    bookReturn(desk, med("a", 180));
    assert.deepEqual(moved(desk), [
      "held:ACCOUNT -> psp:BANK: 1.8 block_taken",
      "held:ACCOUNT -> available:ACCOUNT: 1.2 block_released",
    ]);
    assert.deepEqual(state(desk), ["approved", 0, 180, null]);
    assert.equal(bookReturn(desk, med("a", 180)), "already");
    assert.equal(settle(desk, [med("a", 180)]), "settled");
    assert.equal(moved(desk).length, 2);
  });

  test("of which the institution returns more later takes that out of what was released", () => {
    const desk = accepted();
    bookReturn(desk, med("a", 180));
    desk.begin();
    const both = [med("a", 180), med("b", 50)];
    assert.equal(bookReturn(desk, both[1]!, both), "booked");
    assert.deepEqual(moved(desk), ["available:ACCOUNT -> psp:BANK: 0.5 block_taken"]);
    assert.deepEqual(state(desk), ["approved", 0, 230, null]);
  });

  test("holds on to the rest while another return is under way, and releases it when that is not there any more", () => {
    const desk = accepted();
    const [first, second] = [med("a", 180), med("b", 50, { status: "processing" })];
    bookReturn(desk, first, [first, second]);
    assert.deepEqual(state(desk).slice(0, 3), ["approved", 120, 180]);
    assert.equal(settle(desk, [first, second]), "awaited");
    assert.deepEqual(state(desk).slice(0, 3), ["approved", 120, 180]);
    assert.equal(settle(desk, [first, { ...second, status: "failed" }]), "settled");
    assert.deepEqual(state(desk), ["approved", 0, 180, null]);
    assert.equal(moved(desk).at(-1), "held:ACCOUNT -> available:ACCOUNT: 1.2 block_released");
  });

  test("that is not returned for a day is a case of ours, once, which the return closes", () => {
    const desk = accepted();
    desk.now = later(LIMITS.medReturnOverdue - 1);
    assert.equal(settle(desk), "awaited");
    assert.deepEqual([desk.transcript.includes("block_without_return"), block(desk).returnMissingSince], [false, null]);
    desk.now = later(LIMITS.medReturnOverdue);
    assert.equal(settle(desk), "awaited");
    assert.match(desk.transcript, /update cases block_without_return .*"to":"open".*"amount":300/);
    assert.match(desk.transcript, new RegExp(`"deadline":"${later(LIMITS.medReturnDeadline).toISOString()}"`));
    assert.deepEqual(block(desk).returnMissingSince, desk.now);
    desk.begin().now = later(LIMITS.medReturnOverdue + 1);
    assert.equal(settle(desk), "awaited");
    assert.equal(desk.transcript.includes("block_without_return"), false);
    bookReturn(desk, med("a", 300));
    assert.match(desk.transcript, /update cases block_without_return .*"to":"closed"/);
    assert.deepEqual([block(desk).returnMissingSince, moved(desk).length], [null, 1]);
  });

  test("is settled where there is no block of it that holds anything", () => {
    const desk = accepted();
    const command = { accountId: ACCOUNT, e2eId: "E1", blockId: object(9), shown: [] };
    assert.equal(desk.run("of none", settleBlock, command), "settled");
    assert.equal(desk.run("of no Pix", settleBlock, { ...command, e2eId: "E9" }), "settled");
    assert.deepEqual([moved(desk), state(desk).slice(0, 3)], [[], ["approved", 300, 0]]);
  });

  test("that is contested again after its block was closed begins another, of what was not returned", () => {
    const desk = accepted();
    bookReturn(desk, med("a", 180));
    assert.equal(desk.run("reopened", applyCase, shown("open", 300)), "blocked");
    assert.deepEqual([block(desk).amount, block(desk).status], [120, "awaiting_response"]);
    assert.equal(desk.find(claimedPixTable, "E1").blocks.length, 2);
    assert.equal(desk.run("accepted again", applyCase, shown("accepted", 300)), "approved");
    desk.begin();
    bookReturn(desk, med("b", 120), [med("a", 180), med("b", 120)]);
    assert.deepEqual(moved(desk), ["held:ACCOUNT -> psp:BANK: 1.2 block_taken"]);
  });

  test("that the institution takes back while its hold stands is released", () => {
    const desk = accepted();
    assert.equal(desk.run("rejected after all", applyCase, shown("rejected")), "rejected");
    assert.deepEqual(moved(desk), ["held:ACCOUNT -> available:ACCOUNT: 3 block_released"]);
    assert.equal(desk.run("again", applyCase, shown("rejected")), "nothing");
    assert.equal(moved(desk).length, 1);
  });
});

describe("a return with two names", () => {
  const names = (desk: Desk) => desk.all(pspReturnsTable).map(({ pspId, rtrId }) => [pspId, rtrId]);

  test("that is shown by its own id first, by both later, is booked once and gets its second name", () => {
    const desk = accepted();
    const { rtrId: _, ...first } = med("a", 300);
    assert.equal(bookReturn(desk, first), "booked");
    assert.deepEqual(names(desk), [["a", null]]);
    assert.equal(bookReturn(desk, med("a", 300)), "already");
    assert.deepEqual(names(desk), [["a", "Da"]]);
    assert.equal(bookReturn(desk, med("a", 300)), "already");
    // By the network's name alone.
    assert.equal(bookReturn(desk, { ...med("Da", 300), rtrId: "Da" }), "already");
    assert.deepEqual([names(desk), moved(desk).length], [[["a", "Da"]], 1]);
  });

  test("of the same amount as another is reported from it by the list that shows both", () => {
    const desk = accepted();
    const [own, net] = [{ ...med("a", 60) }, { ...med("Db", 60), rtrId: "Db" }];
    delete (own as { rtrId?: string }).rtrId;
    assert.equal(bookReturn(desk, own, [own, net]), "booked");
    assert.equal(bookReturn(desk, net, [own, net]), "booked");
    assert.deepEqual(names(desk), [
      ["a", null],
      ["Db", "Db"],
    ]);
  });

  test("of nothing, under way, or of a Pix that is not here is not booked", () => {
    const desk = accepted();
    assert.equal(bookReturn(desk, med("a", 300, { status: "processing" })), "nothing");
    assert.equal(bookReturn(desk, med("a", 0)), "nothing");
    assert.equal(desk.run("returned", bookPspReturn, { ...of, e2eId: "E9", shown: med("a", 1) }), "nothing");
    const pix = desk.find(claimedPixTable, "E1");
    desk.put(claimedPixTable, "E1", { ...pix, outcome: "assigned" });
    assert.equal(bookReturn(desk, med("a", 300)), "elsewhere");
    assert.deepEqual([moved(desk), names(desk)], [[], []]);
  });
});

describe("which booked return a shown one is", () => {
  const of = (changes: Partial<ClaimedPix>) => ({ returns: [], pspReturns: [], ...changes }) as unknown as ClaimedPix;
  const own = (pspId: string, changes: object = {}) =>
    ({ pspId, rtrId: null, amount: 60, status: "pending", ...changes }) as unknown as ClaimedPix["returns"][number];
  const part = (pspReturnId: string, amount: number, changes: object = {}) =>
    ({ pspReturnId, pspId: "p", rtrId: null, amount, ...changes }) as unknown as ClaimedPix["pspReturns"][number];
  const unmarked = (id: string, amount: number, more: Partial<PspReturn> = {}) => med(id, amount, { med: false, ...more });
  const found = (pix: ClaimedPix, one: PspReturn, all = [one]) => findBooked(pix, one, all)?.by ?? null;

  test("ours by our id, while it has not failed; never one of a dispute", () => {
    assert.equal(found(of({ returns: [own("ours")] }), unmarked("ours", 60)), "us");
    assert.equal(found(of({ returns: [own("ours", { status: "failed" })] }), unmarked("ours", 60)), null);
    // By the network's name alone, and of its amount.
    const { id: _, ...nameless } = unmarked("x", 60);
    const byNetwork = { ...nameless, id: "Dx", rtrId: "Dx" };
    assert.equal(found(of({ returns: [own("ours")] }), byNetwork), "us");
    assert.equal(found(of({ returns: [own("ours")] }), { ...byNetwork, med: true }), null);
    assert.equal(found(of({ pspReturns: [part("a", 60)] }), { ...byNetwork, med: true }), "psp");
  });

  test("one that blocks and the wallet paid together has the sum of its parts", () => {
    const pix = of({ pspReturns: [part("a", 40), part("a", 20)] });
    const shown = (amount: number): PspReturn => ({ ...med("x", amount), id: "Dx", rtrId: "Dx" });
    assert.deepEqual([found(pix, shown(60)), found(pix, shown(40)), found(pix, shown(20)), found(pix, shown(61))], ["psp", null, null, null]);
  });

  test("the list that it is shown in tells it from others, and what is not settled tells nothing", () => {
    const pix = of({ pspReturns: [part("a", 60)] });
    const net = { ...med("x", 60), id: "Dx", rtrId: "Dx" };
    const named = med("p", 60, { rtrId: "Dp" });
    assert.equal(found(pix, net, [net, named]), null);
    assert.equal(found(pix, named, [net, named]), "psp");
    assert.equal(found(pix, net, [net, { ...named, status: "failed" }]), "psp");
    // Not in the list: the last that is known of it.
    assert.equal(found(pix, net, [named]), null);
    assert.equal(found(pix, net, []), "psp");
    assert.equal(found(pix, { ...named, rtrId: "Dother" }, [net]), "psp");
    assert.equal(found(pix, { ...named, rtrId: "Dother" }, [named, net]), null);
  });

  test("unbooked are those that ended or are under way, without a booked one of their own", () => {
    const pix = of({ pspReturns: [part("a", 60)] });
    const list = [med("p", 60), med("q", 10), med("r", 20, { status: "processing" }), med("s", 30, { status: "failed" })];
    assert.deepEqual(findUnbooked(pix, list).map(({ id }) => id), ["q", "r"]);
    assert.deepEqual(findUnbooked(pix, []), []);
  });
}); // biome-ignore format: tables

describe("the operator's end of a hold whose return was never shown", () => {
  const end = (desk: Desk, outcome: "released" | "taken", changes: object = {}) => {
    const blockId = block(desk).blockId;
    const done = desk.run("ended", endHold, {
      accountId: ACCOUNT,
      blockId,
      e2eId: "E1",
      outcome,
      actor: "Ana",
      ...changes,
    });
    return "code" in done ? [(done as ApiError).code, (done as ApiError).details.status] : [done.status];
  };

  test("rests on the block, and on how much of its Pix has gone back", () => {
    const desk = contested();
    const facts = (blockId = block(desk).blockId) =>
      desk.facts(blockStanding, { accountId: ACCOUNT, e2eId: "E1", blockId });
    assert.deepEqual(facts(), {
      ...{ status: "awaiting_response", caseStatus: "open", heldAmount: 300, takenAmount: 0, returned: 0 },
    });
    desk.run("accepted", applyCase, shown("accepted"));
    bookReturn(desk, med("a", 100));
    const after = { status: "approved", caseStatus: "accepted", heldAmount: 0, takenAmount: 100, returned: 100 };
    assert.deepEqual([facts(), facts(object(9))], [after, {}]);
  });

  test("releases it, or books it as returned; the same again changes nothing, the other is refused", () => {
    const released = accepted();
    assert.deepEqual(end(released, "released"), ["approved"]);
    assert.deepEqual(moved(released), ["held:ACCOUNT -> available:ACCOUNT: 3 block_released"]);
    assert.match(released.transcript, /insert audit_log .*"actor":"Ana","action":"balance_block.end_hold"/);
    const taken = accepted();
    assert.deepEqual(end(taken, "taken"), ["approved"]);
    assert.deepEqual(moved(taken), ["held:ACCOUNT -> psp:BANK: 3 block_taken"]);
    assert.deepEqual(end(released, "released"), ["approved"]);
    assert.deepEqual(end(released, "taken"), ["BALANCE_BLOCK_RESOLVED", "approved"]);
    assert.deepEqual(end(taken, "taken"), ["approved"]);
    assert.deepEqual(end(taken, "released"), ["BALANCE_BLOCK_RESOLVED", "approved"]);
    assert.deepEqual([moved(released).length, moved(taken).length], [1, 1]);
    const least = accepted(1);
    assert.deepEqual([end(least, "taken"), end(least, "taken"), moved(least).length], [["approved"], ["approved"], 1]);
    // The institution shows it after all: it was paid, and nothing more moves.
    bookReturn(taken, med("a", 300));
    assert.equal(moved(taken).length, 1);
  });

  test("after a part was returned takes the rest as a taking of its own", () => {
    const desk = accepted();
    const [first, second] = [med("a", 180), med("b", 50, { status: "processing" })];
    bookReturn(desk, first, [first, second]);
    assert.deepEqual(end(desk, "taken"), ["approved"]);
    assert.deepEqual(state(desk), ["approved", 0, 300, null]);
    assert.match(desk.transcript, /1\.8 block_taken of new-\d+ \(0\)/);
    assert.match(desk.transcript, /1\.2 block_taken of new-\d+ \(1\)/);
  });

  test("is not of a case that is open, of another block or of no Pix, and moves nothing then", () => {
    const desk = contested();
    desk.begin();
    assert.deepEqual(end(desk, "released"), ["BALANCE_BLOCK_RESOLVED", "awaiting_response"]);
    assert.equal(end(desk, "taken", { blockId: object(9) })[0], "RESOURCE_NOT_FOUND");
    assert.equal(end(desk, "taken", { e2eId: "E9" })[0], "RESOURCE_NOT_FOUND");
    assert.deepEqual([moved(desk), desk.transcript.includes("audit_log")], [[], false]);
    assert.equal(desk.all(blocksTable).length > 0, true);
  });
});
