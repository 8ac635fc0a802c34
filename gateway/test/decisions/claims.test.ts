import assert from "node:assert/strict";
import { describe, snapshot, test } from "node:test";
import { walletsTable } from "../../src/accounts/wallet.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import {
  type BlockBalance,
  blockBalance,
  openBlockStanding,
  type ResolveBlock,
  resolveBlock,
} from "../../src/claims/blocks/block-balance.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { openBlock, rejectBlock } from "../../src/claims/blocks/close.ts";
import { type DefendBlock, defendBlock } from "../../src/claims/blocks/defend.ts";
import { type Block, blocksTable, newBlock } from "../../src/claims/blocks/row.ts";
import { payBack, takeHold } from "../../src/claims/paid-back.ts";
import { type ClaimedPix, claimedOf, claimedPixTable, claimWrites, leftOf } from "../../src/claims/pix.ts";
import type { PspMadeReturn } from "../../src/claims/psp-return.ts";
import { pspReturnsTable } from "../../src/claims/psp-return.ts";
import { confirmRefund, failRefund } from "../../src/claims/refunds/end.ts";
import { type RequestRefund, requestRefund } from "../../src/claims/refunds/request.ts";
import { refundsTable } from "../../src/claims/refunds/row.ts";
import { type FinishReturn, finishReturn } from "../../src/claims/returns/finish.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { newReturn, pixReturnsTable } from "../../src/claims/returns/row.ts";
import { touchCharge } from "../../src/claims/touched-charge.ts";
import { ApiError } from "../../src/http/errors.ts";
import { type Insert, OpenBooks } from "../../src/ledger/books.ts";
import type { PspInfraction, PspReturn } from "../../src/psp/psp.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object, SUB } from "./desk.ts";

snapshot.setDefaultSnapshotSerializers([String]);

const fee = (fixed: number) => ({ fees: { refund: { fixed, percentBps: 0 } } });
const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };

/** A charge of 10 that was paid, and beside it nothing. */
function paid(settings: ConstructorParameters<typeof Desk>[0] = {}, carries = {}): Desk {
  const desk = new Desk(settings).charge(carries);
  const pix = { e2eId: "E1", txid: "txid", amount: 1_000, paidAt: at("11:30:00"), returns: [] };
  const settle = { accountId: ACCOUNT, chargeId: CHARGE, institutionId: BANK, environment: of.environment, pix };
  desk.run("paid", settleCharge, settle);
  return desk.begin();
}

const order = (n: number, amount: number, changes: Partial<BlockBalance> = {}): BlockBalance => ({
  accountId: ACCOUNT,
  actor: "operator",
  blockId: object(n),
  walletId: ACCOUNT,
  blockType: "med",
  amount,
  institutionId: BANK,
  environment: "sandbox",
  chargeId: CHARGE,
  e2eId: "E1",
  referenceNumber: null,
  reason: null,
  ...changes,
});
const end = (n: number, outcome: "approved" | "rejected", changes: Partial<ResolveBlock> = {}): ResolveBlock => ({
  accountId: ACCOUNT,
  actor: "operator",
  blockId: object(n),
  walletId: ACCOUNT,
  institutionId: BANK,
  e2eId: "E1",
  outcome,
  resolutionReason: null,
  resolutionText: null,
  ...changes,
});
const refund = (n: number): RequestRefund => ({
  accountId: ACCOUNT,
  walletId: ACCOUNT,
  refundId: object(n),
  chargeId: CHARGE,
  e2eId: "E1",
  pspProvider: "simulator",
  inParts: true,
  amount: null,
  reason: null,
  idempotencyKey: null,
});
const SETTLED = { kind: "settled", rtrId: "D1", settledAt: at("12:05:00") } as const;
function finish(desk: Desk, n: number, how: FinishReturn["end"]): FinishReturn {
  const back = desk.find(pixReturnsTable, object(n));
  return { ...of, pspId: back.pspId, amount: back.amount, end: how };
}
const shown = (rtrId: string, amount: number) => ({
  ...of,
  shown: { id: rtrId, rtrId, amount, status: "settled", med: true, settledAt: at("12:06:00") } as PspReturn,
});
/** One that the PSP does not mark as a dispute's. */
const unmarked = (rtrId: string, amount: number) => {
  const one = shown(rtrId, amount);
  return { ...one, shown: { ...one.shown, med: false } };
};
const infraction = (status: PspInfraction["status"], changes: Partial<PspInfraction> = {}) => ({
  ...of,
  shown: { id: "case", e2eId: "E1", amount: 300, status, ...changes },
});

describe("a block", () => {
  test("of nothing in particular holds, and is approved or rejected with all that it says", (t) => {
    const desk = new Desk();
    const about = { chargeId: null, e2eId: null, blockType: "judicial" as const };
    desk.run("made", blockBalance, order(1, 100, { ...about, referenceNumber: "42", reason: "A court says so" }));
    desk.run("approved", resolveBlock, end(1, "approved", { e2eId: null, resolutionText: "final" }));
    desk.run("another", blockBalance, order(2, 1, about));
    desk.run("rejected", resolveBlock, end(2, "rejected", { e2eId: null }));
    t.assert.snapshot(desk.transcript);
  });

  test("of a payment holds what is left of it", (t) => {
    const desk = paid({}, { externalReference: "order-1", metadata: { a: 1 } });
    desk.run("one", blockBalance, order(1, 400));
    desk.run("another", blockBalance, order(2, 600));
    desk.run("more than is left", blockBalance, order(3, 1));
    desk.run("the first rejected", resolveBlock, end(1, "rejected"));
    desk.run("the second approved", resolveBlock, end(2, "approved"));
    t.assert.snapshot(desk.transcript);
  });

  test("of a payment that is not this wallet's, and the end of one that is over or unknown, are refused", () => {
    const desk = paid();
    const refusal = (result: unknown) => (result instanceof ApiError ? result.code : result);
    for (const wrong of [{ walletId: SUB }, { chargeId: object(8) }, { e2eId: "E2" }]) {
      assert.equal(refusal(desk.run("made", blockBalance, order(1, 1, wrong))), "VALIDATION_ERROR");
    }
    const pix = desk.find(claimedPixTable, "E1");
    desk.put(claimedPixTable, "E1", { ...pix, outcome: "blocked" });
    assert.equal(refusal(desk.run("made", blockBalance, order(1, 1))), "VALIDATION_ERROR");
    desk.put(claimedPixTable, "E1", pix);
    assert.equal(desk.all(blocksTable).length, 0);
    assert.equal(refusal(desk.run("ended", resolveBlock, end(1, "approved"))), "RESOURCE_NOT_FOUND");
    desk.run("made", blockBalance, order(1, 1));
    const facts = (n: number) => desk.facts(openBlockStanding, { accountId: ACCOUNT, blockId: object(n) });
    assert.deepEqual(facts(1), { status: "awaiting_response", caseStatus: null, heldAmount: 1, takenAmount: 0 });
    assert.deepEqual(facts(2), {});
    desk.run("ended", resolveBlock, end(1, "rejected"));
    desk.begin();
    const again = desk.run("the same end again", resolveBlock, end(1, "rejected"));
    assert.equal(again instanceof ApiError ? again.code : again.status, "rejected");
    assert.equal(refusal(desk.run("another end", resolveBlock, end(1, "approved"))), "BALANCE_BLOCK_RESOLVED");
    assert.doesNotMatch(desk.transcript, /->|insert|update/);
  });

  test("follows its case at the PSP", (t) => {
    const desk = paid();
    const opened = { protocol: "p", reason: "fraud", respondBy: at("18:00:00") };
    desk.run("opened", applyCase, infraction("open", opened));
    const [block] = desk.all(blocksTable);
    const pix = desk.find(claimedPixTable, "E1");
    const waiting: Block = { ...block!, defenceStatus: "pending", defenceNextAt: at("12:01:00") };
    desk.put(blocksTable, waiting.blockId, waiting);
    desk.put(claimedPixTable, "E1", { ...pix, blocks: [waiting] });
    desk.run(
      "rejected, and its defence is sent no more",
      applyCase,
      infraction("rejected", { resolution: "no fraud" }),
    );
    const reported = paid();
    reported.run("opened", applyCase, infraction("open"));
    const sent: Block = { ...reported.all(blocksTable)[0]!, defenceStatus: "sent" };
    reported.put(claimedPixTable, "E1", { ...reported.find(claimedPixTable, "E1"), blocks: [sent] });
    reported.run("accepted although the defence was sent", applyCase, infraction("accepted"));
    t.assert.snapshot(`${desk.transcript}\n${reported.transcript}`);
  });

  test("begins as its case stands when that is heard of late, and not for money that nobody was credited", (t) => {
    const of = (status: PspInfraction["status"], changes: Partial<PspInfraction> = {}) => {
      const desk = paid({}, { externalReference: "order-1" });
      desk.run(status, applyCase, infraction(status, changes));
      return desk;
    };
    const defended = of("in_defence");
    defended.run("reported again", applyCase, infraction("in_defence"));
    t.assert.snapshot(
      [defended, of("accepted", { resolution: "fraud" })].map(({ transcript }) => transcript).join("\n"),
    );
    for (const status of ["rejected", "cancelled", "unrecognised"] as const)
      assert.equal(of(status).all(blocksTable).length, 0);
    const none = paid();
    none.put(claimedPixTable, "E1", { ...none.find(claimedPixTable, "E1"), outcome: "blocked" });
    assert.equal(none.run("of a blocked one", applyCase, infraction("open")), "not_credited");
    assert.equal(none.run("of an unknown one", applyCase, { ...infraction("open"), e2eId: "E2" }), "not_credited");
    assert.equal(none.all(blocksTable).length, 0);
  });

  test("holds what is left of its payment, without what its PSP has given back already", () => {
    const held = (given: readonly number[], blocked: number, contested: number) => {
      const desk = paid();
      for (const [i, amount] of given.entries()) desk.run("given back", bookPspReturn, unmarked(`D${i}`, amount));
      if (blocked > 0) desk.run("blocked", blockBalance, order(1, blocked));
      const result = desk.run("a case", applyCase, infraction("open", { amount: contested }));
      return [result, ...desk.all(blocksTable).map(({ amount }) => amount).slice(blocked > 0 ? 1 : 0)];
    };
    assert.deepEqual(held([], 0, 1_000), ["blocked", 1_000]);
    assert.deepEqual(held([], 999, 1_000), ["blocked", 1]);
    assert.deepEqual(held([], 1_000, 1), ["nothing_left"]);
    assert.deepEqual(held([100, 199], 0, 300), ["blocked", 1]);
    assert.deepEqual(held([300], 0, 300), ["nothing_left"]);
  }); // biome-ignore format: one row

  test("whose hold a refund took over begins again when the refund has failed, whichever of its blocks is read first", () => {
    const desk = paid();
    desk.run("a case", applyCase, infraction("open"));
    desk.run("a refund", requestRefund, refund(1));
    assert.equal(desk.run("reported again", applyCase, infraction("open")), "nothing_left");
    desk.run("failed", finishReturn, finish(desk, 1, { kind: "failed", reason: "no" }));
    // Processes make ids by clocks of their own: the younger block may be read before the older one.
    const pix = desk.find(claimedPixTable, "E1");
    desk.put(claimedPixTable, "E1", { ...pix, blocks: [...pix.blocks].reverse() });
    desk.begin();
    assert.equal(desk.run("reported again", applyCase, infraction("open")), "nothing");
    assert.doesNotMatch(desk.transcript, /->|insert|update/);
    assert.equal(desk.run("ended", applyCase, infraction("rejected")), "rejected");
    assert.deepEqual(
      desk.all(blocksTable).map(({ status, amount }) => `${status} ${amount}`),
      ["rejected 300", "rejected 300"],
    );
  });

  test("is defended once, in its time, by its wallet; its PSP is notified where there is a case", (t) => {
    const desk = paid();
    desk.run("a case", applyCase, infraction("open", { respondBy: at("12:00:00") }));
    const about = { chargeId: null, e2eId: null, blockType: "judicial" as const };
    desk.run("an order", blockBalance, order(1, 5, about));
    desk.run("another", blockBalance, order(2, 5, about));
    desk.run("ended", resolveBlock, end(2, "rejected", { e2eId: null }));
    const { blockId } = desk.all(blocksTable)[0]!;
    const defend = (changes: Partial<DefendBlock> = {}): DefendBlock => ({
      accountId: ACCOUNT, walletId: ACCOUNT, blockId, e2eId: "E1", text: "delivered", ...changes,
    });
    desk.begin();
    const refused = (changes: Partial<DefendBlock>) => {
      const result = desk.run("x", defendBlock, defend(changes)) as ApiError;
      return [result.code, result.details];
    };
    const unknown = (id: string) => ["RESOURCE_NOT_FOUND", { resource: "balance block", id }];
    assert.deepEqual(refused({ walletId: SUB }), unknown(blockId));
    assert.deepEqual(refused({ blockId: object(8) }), unknown(object(8)));
    assert.deepEqual(refused({ blockId: object(2), e2eId: null }), ["BALANCE_BLOCK_NOT_DEFENDABLE", { status: "rejected" }]);
    desk.now = at("12:00:00.001");
    assert.deepEqual(refused({}), ["BALANCE_BLOCK_NOT_DEFENDABLE", { status: "awaiting_response", respondBy: "2026-03-10T12:00:00.000Z" }]);
    desk.now = at("12:00:00");
    assert.doesNotMatch(desk.transcript, /->|insert|update/);
    desk.begin();
    desk.run("in the last instant", defendBlock, defend());
    desk.run("again", defendBlock, defend());
    desk.run("other words", defendBlock, defend({ text: "other" }));
    desk.run("of an order", defendBlock, defend({ blockId: object(1), e2eId: null }));
    t.assert.snapshot(desk.transcript);
    assert.deepEqual(desk.find(claimedPixTable, "E1").blocks.map(({ status }) => status), ["defended"]);
  }); // biome-ignore format: one row

  test("that the PSP has emptied is not waited for when its case is accepted", () => {
    const desk = paid();
    desk.run("opened", applyCase, infraction("open"));
    desk.run("all of it goes back", bookPspReturn, shown("D1", 300));
    assert.equal(desk.run("accepted", applyCase, infraction("accepted")), "nothing");
    const [{ status, caseStatus, heldAmount, returnNextAt }] = desk.all(blocksTable) as [Block];
    assert.deepEqual([status, caseStatus, heldAmount, returnNextAt], ["approved", "accepted", 0, null]);
  });

  test("that the PSP has emptied ends without moving money", (t) => {
    const desk = paid();
    desk.run("made", blockBalance, order(1, 300));
    desk.run("a part goes back", bookPspReturn, shown("D1", 299));
    desk.run("approved with the last centavo", resolveBlock, end(1, "approved"));
    const other = paid();
    other.run("made", blockBalance, order(1, 300));
    other.run("a part goes back", bookPspReturn, shown("D1", 299));
    other.run("rejected with the last centavo", resolveBlock, end(1, "rejected"));
    const all = paid();
    all.run("made", blockBalance, order(1, 300));
    all.run("all of it goes back", bookPspReturn, shown("D1", 300));
    t.assert.snapshot([desk, other, all].map(({ transcript }) => transcript).join("\n"));
  });
});

describe("a refund", () => {
  test("is set aside with its fee, and leaves when it is confirmed", (t) => {
    const desk = paid(fee(1), { externalReference: "order-1", metadata: { a: 1 } });
    // The fee is on top of what the payment has brought.
    desk.run("short", requestRefund, refund(1));
    const free = paid(fee(0), { externalReference: "order-1", metadata: { a: 1 } });
    free.run("asked", requestRefund, refund(1));
    free.run("confirmed", finishReturn, finish(free, 1, SETTLED));
    free.run("again", finishReturn, finish(free, 1, SETTLED));
    t.assert.snapshot(`${desk.transcript}\n${free.transcript}`);
  });

  test("is of a payment of this wallet that was credited, by an account and a wallet that work", () => {
    const refusal = (desk: Desk, changes: Partial<RequestRefund> = {}) => {
      desk.begin();
      const result = desk.run("asked", requestRefund, { ...refund(1), ...changes });
      assert.ok(result instanceof ApiError);
      assert.doesNotMatch(desk.transcript, /->|insert|update/);
      return [result.code, result.details];
    };
    const unknown = (id: string) => ["RESOURCE_NOT_FOUND", { resource: "transaction", id }];
    assert.deepEqual(refusal(paid(), { walletId: SUB }), unknown(CHARGE));
    assert.deepEqual(refusal(paid(), { chargeId: object(2) }), unknown(object(2)));
    assert.deepEqual(refusal(paid(), { e2eId: "E2" }), unknown(CHARGE));
    const blocked = paid();
    blocked.put(claimedPixTable, "E1", { ...blocked.find(claimedPixTable, "E1"), outcome: "blocked" });
    assert.deepEqual(refusal(blocked), unknown(CHARGE));
    assert.deepEqual(refusal(paid({ status: "suspended" })), ["ACCOUNT_SUSPENDED", {}]);
    const sub = paid();
    sub.put(walletsTable, ACCOUNT, { accountId: ACCOUNT, walletId: ACCOUNT, reference: "x", status: "suspended" });
    assert.deepEqual(refusal(sub), ["SUB_ACCOUNT_SUSPENDED", {}]);
    assert.deepEqual(refusal(paid(fee(7))), ["INSUFFICIENT_BALANCE", { available: 10, required: 10.07 }]);
    const held = paid(fee(7));
    held.run("a dispute", blockBalance, order(2, 300));
    held.run("another", blockBalance, order(3, 200));
    const over = held.run("its fee takes available below zero", requestRefund, refund(1));
    assert.equal(over instanceof ApiError, false);
    const asked = paid();
    asked.run("asked", requestRefund, refund(4));
    assert.deepEqual(refusal(asked), ["REFUND_ALREADY_EXISTS", { refundTransactionId: object(4) }]);
    asked.run("confirmed", finishReturn, finish(asked, 4, SETTLED));
    assert.deepEqual(refusal(asked), ["REFUND_ALREADY_EXISTS", { refundTransactionId: object(4) }]);
  });

  test("is not of a payment that an order holds, that is gone, or that is too old", () => {
    const asked = (desk: Desk) => {
      const result = desk.run("asked", requestRefund, refund(1));
      return result instanceof ApiError ? result.code : "asked";
    };
    const ordered = (blockType: "judicial" | "administrative", outcome?: "rejected") => {
      const desk = paid();
      desk.run("ordered", blockBalance, order(2, 1, { blockType }));
      if (outcome) desk.run("ended", resolveBlock, end(2, outcome));
      return asked(desk);
    };
    assert.equal(ordered("judicial"), "TRANSACTION_NOT_REFUNDABLE");
    assert.equal(ordered("administrative"), "TRANSACTION_NOT_REFUNDABLE");
    assert.equal(ordered("judicial", "rejected"), "asked");
    const gone = paid();
    gone.run("all of it goes back", bookPspReturn, shown("D1", 1_000));
    assert.equal(asked(gone), "TRANSACTION_NOT_REFUNDABLE");
    const after = (ms: number) => {
      const desk = paid();
      desk.now = new Date(at("11:30:00").getTime() + 90 * 86_400_000 + ms);
      return asked(desk);
    };
    assert.deepEqual([after(0), after(1)], ["asked", "REFUND_WINDOW_EXPIRED"]);
  });

  test("gives the payer the reason, or a general one", () => {
    const words = (reason: string | null) => {
      const desk = paid();
      const reported = desk.run("asked", requestRefund, { ...refund(1), reason });
      assert.deepEqual(desk.run("again", requestRefund, { ...refund(1), reason }), reported);
      return desk.find(pixReturnsTable, object(1)).description;
    };
    assert.deepEqual(["broken", "", null].map(words), ["broken", "Devolução do pagamento", "Devolução do pagamento"]);
  });

  test("takes over what a dispute holds; one that fails gives it back to the dispute", (t) => {
    const desk = paid();
    desk.run("a dispute", blockBalance, order(1, 300));
    desk.run("another", blockBalance, order(2, 200));
    desk.run("a refund", requestRefund, refund(3));
    desk.run("failed", finishReturn, finish(desk, 3, { kind: "failed", reason: "no" }));
    desk.run("failed again", finishReturn, finish(desk, 3, { kind: "failed", reason: "no" }));
    t.assert.snapshot(desk.transcript);
  });

  test("that was settled after it had failed ends everything else, and bears no fee", (t) => {
    const desk = paid();
    desk.run("asked", requestRefund, refund(1));
    desk.run("failed", finishReturn, finish(desk, 1, { kind: "failed", reason: "no" }));
    desk.run("a dispute", blockBalance, order(2, 300));
    desk.run("asked again", requestRefund, refund(3));
    desk.run("the first was settled", finishReturn, finish(desk, 1, { kind: "settled", rtrId: null, settledAt: null }));
    const held = paid();
    held.run("asked", requestRefund, refund(1));
    held.run("failed", finishReturn, finish(held, 1, { kind: "failed", reason: "no" }));
    held.run("a dispute", blockBalance, order(2, 300));
    held.run("the refund was settled", finishReturn, finish(held, 1, SETTLED));
    t.assert.snapshot(`${desk.transcript}\n${held.transcript}`);
    const least = paid();
    least.run("asked", requestRefund, refund(1));
    least.run("failed", finishReturn, finish(least, 1, { kind: "failed", reason: "no" }));
    least.run("a dispute of a centavo", blockBalance, order(2, 1));
    least.begin().run("the refund was settled", finishReturn, finish(least, 1, SETTLED));
    assert.match(least.transcript, /held:ACCOUNT -> \S+ 0.01 /);
    const { heldAmount, takenAmount, status, refundId } = least.find(blocksTable, object(2));
    assert.deepEqual([heldAmount, takenAmount, status, refundId], [0, 0, "rejected", object(1)]);
  });

  test("that was settled without the network's id has it as soon as it is named, and no other refund or part has", () => {
    const desk = paid();
    desk.run("asked", requestRefund, refund(1));
    desk.run("failed", finishReturn, finish(desk, 1, { kind: "failed", reason: "no" }));
    desk.run("asked again", requestRefund, refund(3));
    const ids = () => {
      const { refunds, pspReturns } = desk.find(claimedPixTable, "E1");
      return [refunds, pspReturns].map((all) => all.map(({ rtrId }) => rtrId));
    };
    desk.run("the first was settled", finishReturn, finish(desk, 1, { ...SETTLED, rtrId: null }));
    assert.deepEqual(ids(), [[null, null], [null]]);
    desk.begin().run("named", finishReturn, finish(desk, 1, SETTLED));
    assert.deepEqual(ids(), [["D1", null], ["D1"]]);
    assert.doesNotMatch(desk.transcript, /->|insert/);
  });

  test("ends when the PSP gives the Pix back by itself", (t) => {
    const desk = paid();
    desk.run("a dispute", blockBalance, order(1, 300));
    desk.run("a refund", requestRefund, refund(2));
    desk.run("a part goes back", bookPspReturn, shown("D1", 300));
    desk.run("the same again", bookPspReturn, shown("D1", 300));
    desk.run("the rest", bookPspReturn, shown("D2", 700));
    t.assert.snapshot(desk.transcript);
  });
});

/** Deciding that needs no lane: a Pix with what is claimed of it, and what becomes of it. */
const NOW = at("12:00:00");
let made = 0;
const deciding = { now: NOW, newId: () => object(0x1000 + ++made) };
const books = new OpenBooks();
books.put(
  walletsTable,
  { accountId: ACCOUNT, id: ACCOUNT },
  { accountId: ACCOUNT, walletId: ACCOUNT, reference: "principal", status: "approved" },
);
const desk = { books, deciding };

const block = (n: number, amount: number, changes: Partial<Block> = {}): Block => ({
  ...newBlock(
    {
      ...order(n, amount),
      externalReference: null,
      caseId: null,
      caseStatus: null,
      caseAmount: null,
      pspReturnId: null,
      respondBy: null,
      heldUntil: null,
    },
    NOW,
  ),
  ...(changes.status === "approved" ? { heldAmount: 0, takenAmount: amount } : {}),
  ...(changes.status === "rejected" ? { heldAmount: 0 } : {}),
  ...changes,
});
const pixOf = (changes: Partial<ClaimedPix> = {}): ClaimedPix => ({
  accountId: ACCOUNT,
  e2eId: "E1",
  pixId: "pix-1",
  institutionId: BANK,
  outcome: "credited",
  reason: null,
  bookedAs: null,
  chargeId: CHARGE,
  walletId: ACCOUNT,
  amount: 1_000,
  paidAt: at("11:30:00"),
  externalReference: null,
  metadata: null,
  returns: [],
  refunds: [],
  blocks: [],
  pspReturns: [],
  ...changes,
});
const part = (amount: number, blockId: string | null, source: PspMadeReturn["source"]): PspMadeReturn => ({
  accountId: ACCOUNT, e2eId: "E1", chargeId: CHARGE, walletId: ACCOUNT, institutionId: BANK, pspId: "D0", rtrId: "D0", pspReturnId: object(90),
  leg: 0, amount, med: false, source, blockId, blockLeg: source === "held" ? 0 : null, settledAt: NOW, createdAt: NOW,
}); // biome-ignore format: one row

describe("what a PSP gives back by itself", () => {
  /** Where the money comes from: numbers of blocks, or the account. */
  const takes = (pix: ClaimedPix, amount: number, asChargeback = true) => {
    const facts = { pspId: "D1", rtrId: "D1", pspReturnId: object(91), amount, settledAt: NOW };
    const back = { ...facts, asChargeback, med: false, environment: "sandbox" as const };
    const change = payBack(pix, back, desk);
    const parts = change.pix.pspReturns.filter((one) => one.rtrId === "D1");
    return {
      parts: parts.map((one) => [one.blockId === null ? null : pix.blocks.findIndex((b) => b.blockId === one.blockId), one.source, one.amount, one.leg]),
      moved: change.transfers.map((one) => [one.from.kind, one.amount, one.leg]),
      shown: change.writes.filter((one) => one.table.name === "movements").length,
    };
  }; // biome-ignore format: one row

  test("is the block's of exactly that amount, before others", () => {
    const approved = block(1, 300, { status: "approved" });
    const exact = block(2, 200, { blockType: "judicial" });
    assert.deepEqual(takes(pixOf({ blocks: [approved, exact] }), 200), {
      parts: [[1, "held", 200, 0]],
      moved: [["held", 200, 0]],
      shown: 1,
    });
    const begun = block(3, 500, { heldAmount: 300, takenAmount: 200 });
    const pix = pixOf({
      blocks: [block(4, 400, { status: "approved" }), begun],
      pspReturns: [part(200, begun.blockId, "held")],
    });
    assert.deepEqual(takes(pix, 300).parts, [[1, "held", 300, 0]]);
  });

  test("then of those that were approved, then of disputes before orders", () => {
    const blocks = [block(1, 300), block(2, 400, { status: "approved", blockType: "judicial" })];
    assert.deepEqual(takes(pixOf({ blocks }), 100), { parts: [[1, "block", 100, 0]], moved: [], shown: 0 });
    const open = [block(1, 300, { blockType: "judicial" }), block(2, 400)];
    assert.deepEqual(takes(pixOf({ blocks: open }), 100).parts, [[1, "held", 100, 0]]);
    const gone = [block(1, 300, { status: "rejected" }), block(2, 400, { status: "rejected" })];
    assert.deepEqual(takes(pixOf({ blocks: gone }), 300).parts, [[null, "available", 300, 0]]);
  });

  test("goes on to the next, and to the wallet, with a leg for each", () => {
    const blocks = [block(1, 100), block(2, 200, { status: "approved" }), block(3, 300)];
    assert.deepEqual(takes(pixOf({ blocks }), 650), {
      parts: [[1, "block", 200, 0], [0, "held", 100, 1], [2, "held", 300, 2], [null, "available", 50, 3]],
      moved: [["held", 100, 0], ["held", 300, 0], ["available", 50, 3]],
      shown: 3,
    });
    assert.equal(takes(pixOf({ blocks }), 650, false).shown, 0);
    assert.deepEqual(takes(pixOf(), 1_000, false).moved, [["available", 1_000, 0]]);
    assert.equal(takes(pixOf(), 1_000).shown, 1);
  }); // biome-ignore format: tables

  test("has a leg of its own after money of the block was given back to the wallet, and after each that was taken", () => {
    const leg = (changes: Partial<Block>, ...parts: PspMadeReturn[]) => {
      const one = block(1, 300, changes);
      const pix = pixOf({ blocks: [one], pspReturns: parts });
      return [takes(pix, 100).moved[0]![2], takeHold(pix, one, desk).transfers[0]!.leg];
    };
    assert.deepEqual(leg({}), [0, 0]);
    assert.deepEqual(leg({ givenBackAmount: 1 }), [1, 1]);
    const taken = { heldAmount: 200, takenAmount: 100 };
    assert.deepEqual(leg(taken, part(100, object(1), "held")), [1, 1]);
    assert.deepEqual(
      leg({ ...taken, givenBackAmount: 50 }, part(100, object(1), "held"), part(7, null, "available")),
      [2, 2],
    );
  });

  test("of a receipt that became the operator's own comes from where it was booked", () => {
    const own = { outcome: "treasury" as const, chargeId: null, walletId: null };
    for (const bookedAs of ["operator_funds", "transit", "write_offs"] as const)
      assert.deepEqual(takes(pixOf({ ...own, bookedAs }), 100), {
        parts: [[null, bookedAs, 100, 0]],
        moved: [[bookedAs, 100, 0]],
        shown: 0,
      });
  });

  test("of a Pix that was not credited comes from where its money is", () => {
    const unmatched = pixOf({ outcome: "unmatched", chargeId: null, walletId: null });
    assert.deepEqual(takes(unmatched, 100), { parts: [[null, "suspense", 100, 0]], moved: [["suspense", 100, 0]], shown: 0 });
    const sent = newReturn({ ...of, returnId: object(5), purpose: "deposit", institutionId: BANK, chargeId: null, amount: 1_000, description: "" }, 7, NOW);
    assert.deepEqual(takes({ ...unmatched, returns: [sent] }, 100).moved, [["returns", 100, 0]]);
    assert.deepEqual(takes(pixOf({ outcome: "blocked" }), 100), { parts: [[null, "returns", 100, 0]], moved: [["returns", 100, 0]], shown: 0 });
    assert.deepEqual(takes(pixOf({ outcome: "second_payment", walletId: null }), 100).moved, [["returns", 100, 0]]);
  }); // biome-ignore format: tables
});

describe("what is claimed of a Pix", () => {
  test("counts refunds that stand, blocks that were not rejected, and what the PSP gave back beside them", () => {
    const open = block(1, 300, { heldAmount: 200, takenAmount: 100 });
    const gone = block(2, 200, { status: "rejected", takenAmount: 40 });
    const pspReturns = [part(100, open.blockId, "held"), part(40, gone.blockId, "held"), part(7, null, "available")];
    const pix = pixOf({ blocks: [open, gone], pspReturns });
    assert.equal(claimedOf(pix), 300 + 40 + 7);
    assert.equal(leftOf(pix), 653);
  });

  test("a refund fails in full when its dispute has nothing left to come back to", () => {
    const row = {
      ...refund(1), institutionId: BANK, amount: 1_000, feeAmount: 0, status: "pending" as const, late: false, rtrId: null, refundedAt: null,
      failureReason: null, createdAt: NOW, updatedAt: NOW,
    };
    const back = newReturn({ ...row, returnId: row.refundId, purpose: "refund", description: "" }, 7, NOW);
    const taken = block(2, 300, { status: "rejected", refundId: row.refundId });
    const pix = pixOf({ refunds: [row], returns: [back], blocks: [taken], pspReturns: [part(1_000, null, "available")] });
    const failure = { reason: "no", environment: "sandbox" as const };
    const change = failRefund(pix, row, failure, desk);
    assert.deepEqual(change.transfers.map((one) => one.kind), ["refund_released"]);
    assert.equal(change.pix.blocks.length, 1);
    const free = failRefund({ ...pix, pspReturns: [part(999, null, "available")] }, row, failure, desk);
    assert.deepEqual(free.pix.blocks.map((one) => one.amount), [300, 1]);
    const reported = { rtrId: null, settledAt: null, environment: "sandbox" as const };
    assert.throws(() => confirmRefund({ ...pix, returns: [] }, row, reported, desk), /without its return/);
    const withFee = { ...row, feeAmount: 1 };
    const confirmed = confirmRefund({ ...pix, refunds: [withFee] }, withFee, reported, desk);
    assert.deepEqual(confirmed.transfers.map((one) => [one.kind, one.amount, one.leg]), [["refund_sent", 1_000, 0], ["refund_fee", 1, 0]]);
    assert.deepEqual(confirmed.writes.map((one) => [one.table.name, (one as Insert<{ leg?: number }>).row.leg]), [["movements", 0], ["events", undefined]]);
    assert.equal(confirmed.pix.refunds[0]!.refundedAt, NOW);
  }); // biome-ignore format: tables

  test("shows at the charge, but for what is of a second payment of it or of a Pix without a charge", () => {
    const { table: charges } = touchCharge({ accountId: ACCOUNT, chargeId: CHARGE, updatedAt: NOW });
    const touched = (changes: Partial<ClaimedPix>) => {
      const pix = pixOf(changes);
      return claimWrites(pix, { ...pix, blocks: [block(1, 1)] }).some(({ table }) => table === charges);
    };
    assert.deepEqual([touched({}), touched({ outcome: "blocked" })], [true, true]);
    assert.deepEqual([touched({ outcome: "second_payment" }), touched({ chargeId: null })], [false, false]);
  });

  test("is written as the rows that differ, and no others", (t) => {
    const both = paid();
    both.run("one", blockBalance, order(1, 100));
    both.run("two", blockBalance, order(2, 100));
    both.begin();
    both.run("the second ends", resolveBlock, end(2, "rejected"));
    assert.deepEqual(
      [refundsTable, pspReturnsTable].map((table) => both.all(table as never)),
      [[], []],
    );
    t.assert.snapshot(both.transcript);
    assert.throws(() => openBlock(block(1, 1), { books: new OpenBooks(), deciding }), /wallet that does not exist/);
    assert.deepEqual(rejectBlock(block(1, 1, { heldAmount: 0 }), { reason: "other", text: null }, desk).transfers, []);
    assert.deepEqual(takeHold(null, block(1, 1, { heldAmount: 0 }), desk).transfers, []);
    assert.equal(new Desk().run("unknown", finishReturn, { ...of, pspId: "x", amount: 1, end: SETTLED }), null);
  });
});
