import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { blockBalance, resolveBlock } from "../../src/claims/blocks/block-balance.ts";
import { type ClaimedPix, claimedPixTable } from "../../src/claims/pix.ts";
import { receivedPixTable } from "../../src/claims/received-pix.ts";
import { accountCloseOf } from "../../src/close/read.ts";
import { ApiError } from "../../src/http/errors.ts";
import { available, nameKey, operatorFunds, psp, ROUTES } from "../../src/ledger/chart.ts";
import { bookEntry, bookReceipt, discardEntry, nameEntry } from "../../src/treasury/book.ts";
import { sidesOf, type TreasuryEntry, treasuryTable } from "../../src/treasury/entry.ts";
import { writeOffDebt } from "../../src/treasury/write-off-debt.ts";
import { assignmentsTable } from "../../src/unmatched/assignment.ts";
import { keepUnmatched } from "../../src/unmatched/keep.ts";
import { MemoryLane } from "../model/memory.ts";
import { ACCOUNT, at, BANK, Desk, object } from "./desk.ts";

const OTHER = object(7);
const entry = (changes: Partial<TreasuryEntry> = {}): TreasuryEntry => ({
  ...{ accountId: ACCOUNT, entryId: object(1), kind: "top_up", source: "operator", status: "awaiting_approval" },
  ...{ institutionId: BANK, toInstitutionId: null, amount: 500, occurredAt: at("11:00:00"), about: null },
  ...{ reference: null, description: null, createdBy: "Ana", createdAt: at("11:30:00"), bookedAt: null, ...changes },
});
const moves = (changes: Partial<TreasuryEntry>) =>
  sidesOf(entry(changes)).map(({ leg, from, to }) => `${leg} ${nameKey(from)} ${nameKey(to)}`);

test("money that arrives leaves the ledger account of its bank, and money that goes reaches it", () => {
  assert.deepEqual(moves({ kind: "top_up" }), [`0 psp:${BANK} operator_funds:`]);
  assert.deepEqual(moves({ kind: "sweep" }), [`0 operator_funds: psp:${BANK}`]);
  assert.deepEqual(moves({ kind: "loss" }), [`0 write_offs: psp:${BANK}`]);
  assert.deepEqual(moves({ kind: "gain" }), [`0 psp:${BANK} write_offs:`]);
  assert.deepEqual(moves({ kind: "tariff" }), [`0 psp_costs: psp:${BANK}`]);
  assert.deepEqual(moves({ kind: "interbank", toInstitutionId: OTHER }), [
    `0 transit: psp:${BANK}`,
    `1 psp:${OTHER} transit:`,
  ]);
});

test("one side of an interbank transfer leaves the rest in transit", () => {
  assert.deepEqual(moves({ kind: "interbank", source: "sent" }), [`0 transit: psp:${BANK}`]);
  assert.deepEqual(moves({ kind: "interbank", source: "receipt" }), ["1 suspense: transit:"]);
  assert.deepEqual(moves({ kind: "gain", source: "receipt" }), ["1 suspense: write_offs:"]);
  assert.deepEqual(moves({ kind: "top_up", source: "receipt" }), ["1 suspense: operator_funds:"]);
});

test("every entry moves between ledger accounts that its kind is for", () => {
  for (const kind of ["top_up", "sweep", "tariff", "interbank", "loss", "gain"] as const) {
    for (const { from, to } of sidesOf(entry({ kind, toInstitutionId: kind === "interbank" ? OTHER : null }))) {
      assert.ok((ROUTES[kind] as readonly string[]).includes(`${from.kind}>${to.kind}`), kind);
    }
  }
});

const deciding = { now: at("12:00:00"), newId: () => object(0x50) };
/** Status of the entry afterwards, or code of the refusal. */
function run(lane: MemoryLane, kind: typeof bookEntry, of: TreasuryEntry): string {
  const command = { accountId: ACCOUNT, entry: of, actor: "Rafael" };
  const [result] = lane.run([{ kind: kind as never, command }], deciding) as (TreasuryEntry | ApiError)[];
  return result instanceof ApiError ? result.code : result!.status;
}
const sums = (lane: MemoryLane) => [operatorFunds, psp(BANK)].map((name) => lane.balance(ACCOUNT, name));

test("an entry is booked once, and one that was decided otherwise moves nothing", () => {
  const lane = new MemoryLane();
  const id = object(1);
  lane.put(treasuryTable, { accountId: ACCOUNT, id }, entry());
  assert.equal(run(lane, bookEntry, entry()), "booked");
  assert.equal(run(lane, bookEntry, entry()), "booked");
  assert.deepEqual(sums(lane), [500, -500]);
  assert.equal(run(lane, discardEntry, entry()), "UNMATCHED_RESOLVED");
  const other = entry({ entryId: object(2) });
  lane.put(treasuryTable, { accountId: ACCOUNT, id: object(2) }, other);
  assert.equal(run(lane, discardEntry, other), "discarded");
  assert.equal(run(lane, discardEntry, other), "discarded");
  assert.equal(run(lane, bookEntry, other), "UNMATCHED_RESOLVED");
  assert.deepEqual(sums(lane), [500, -500]);
});

test("a booked entry is named once by what its institution shows, and no other is", () => {
  const desk = new Desk();
  const name = (about: string) => {
    const command = { accountId: ACCOUNT, entryId: object(1), about, actor: "Rafael" };
    const result = desk.run("named", nameEntry, command);
    return result instanceof ApiError ? [result.code, result.details.status] : result.about;
  };
  assert.throws(() => name("E9"), /not booked/);
  desk.put(treasuryTable, object(1), entry());
  assert.throws(() => name("E9"), /not booked/);
  desk.put(treasuryTable, object(1), entry({ status: "booked" })).begin();
  assert.equal(name("E9"), "E9");
  assert.match(desk.transcript, /update treasury_entries \S+ .*"about":"E9"/);
  assert.match(desk.transcript, /insert audit_log .*"actor":"Rafael","action":"treasury.name"/);
  desk.begin();
  assert.equal(name("E9"), "E9");
  assert.deepEqual(name("E8"), ["UNMATCHED_RESOLVED", "booked"]);
  assert.doesNotMatch(desk.transcript, /update|insert/);
  assert.equal(desk.find(treasuryTable, object(1)).about, "E9");
});

describe("a received Pix that was the operator's own", () => {
  const receipt = (changes: Partial<TreasuryEntry> = {}) =>
    entry({ source: "receipt", about: "E1", amount: 1_000, ...changes });
  /** A Pix of 10 without a charge, in suspense. */
  function kept(changes: Partial<ClaimedPix> = {}) {
    const desk = new Desk();
    const pix = { e2eId: "E1", amount: 1_000, paidAt: at("11:30:00"), returns: [] };
    desk.run("kept", keepUnmatched, { accountId: ACCOUNT, institutionId: BANK, pix, reason: "no_txid" });
    const { pixId } = desk.find(receivedPixTable, "E1");
    // What the database makes of its row.
    const claimed = {
      ...{ accountId: ACCOUNT, e2eId: "E1", pixId, institutionId: BANK, outcome: "unmatched", chargeId: null },
      ...{ walletId: null, amount: 1_000, paidAt: pix.paidAt, externalReference: null, metadata: null },
      ...{ returns: [], refunds: [], blocks: [], pspReturns: [], ...changes },
    } as ClaimedPix;
    return desk.begin().put(claimedPixTable, "E1", claimed);
  }
  const book = (desk: Desk, of = receipt()) => {
    const command = { accountId: ACCOUNT, e2eId: "E1", entry: of, actor: "Rafael" };
    const result = desk.run("booked", bookReceipt, command);
    return result instanceof ApiError ? [result.code, result.details.status] : [result.kind, result.status];
  };
  const moved = (desk: Desk) =>
    [...desk.transcript.matchAll(/^ {2}(\S+ -> \S+: \S+ \S+) of/gm)].map((match) => match[1]);
  const outcomes = (desk: Desk) => [
    desk.find(receivedPixTable, "E1").outcome,
    desk.find(claimedPixTable, "E1").outcome,
  ];

  test("leaves suspense once, and its case is closed by that decision", () => {
    const desk = kept();
    assert.deepEqual(book(desk), ["top_up", "booked"]);
    assert.deepEqual(
      [moved(desk), outcomes(desk)],
      [["suspense: -> operator_funds:: 10 top_up"], ["treasury", "treasury"]],
    );
    assert.match(
      desk.transcript,
      /update cases unmatched_receipt .*"to":"closed".*"because":"decided","actor":"Rafael"/,
    );
    assert.match(desk.transcript, /insert audit_log .*"action":"treasury.book"/);
    assert.deepEqual(book(desk), ["top_up", "booked"]);
    assert.deepEqual(book(desk, receipt({ kind: "interbank" })), ["UNMATCHED_RESOLVED", "booked"]);
    assert.equal(moved(desk).length, 1);
    const other = kept();
    assert.deepEqual(book(other, receipt({ kind: "interbank" })), ["interbank", "booked"]);
    assert.deepEqual(moved(other), ["suspense: -> transit:: 10 interbank"]);
  });

  test("that was assigned, goes back, went back in part or is blocked is refused, and nothing moves", () => {
    const refused = (desk: Desk, status: string) => {
      const before = outcomes(desk);
      assert.deepEqual(book(desk), ["UNMATCHED_RESOLVED", status]);
      assert.deepEqual([moved(desk), outcomes(desk), desk.all(treasuryTable)], [[], before, []]);
    };
    refused(kept().put(assignmentsTable, "E1", { status: "assigning" } as never), "assigning");
    refused(kept({ returns: [{} as never] }), "returned");
    refused(kept({ pspReturns: [{} as never] }), "returned");
    refused(kept({ blocks: [{} as never] }), "blocked");
  });
});

test("a decision about an entry is in the audit log with its action", () => {
  for (const [kind, action] of [
    [bookEntry, "treasury.book"],
    [discardEntry, "treasury.discard"],
  ] as const) {
    const desk = new Desk().put(treasuryTable, object(1), entry());
    desk.run("decided", kind, { accountId: ACCOUNT, entry: entry(), actor: "Rafael" });
    assert.match(desk.transcript, new RegExp(`insert audit_log .*"actor":"Rafael","action":"${action}"`));
    assert.match(desk.transcript, /update treasury_entries/);
    desk.begin().run("again", kind, { accountId: ACCOUNT, entry: entry(), actor: "Rafael" });
    assert.doesNotMatch(desk.transcript, /insert|update|->/);
  }
  const fresh = new Desk();
  fresh.run("recorded", bookEntry, { accountId: ACCOUNT, entry: entry(), actor: "Rafael" });
  const [{ status, createdAt, bookedAt }] = fresh.all(treasuryTable) as [TreasuryEntry];
  assert.deepEqual([status, createdAt, bookedAt], ["booked", fresh.now, fresh.now]);
  assert.throws(
    () => new Desk().run("of none", discardEntry, { accountId: ACCOUNT, entry: entry(), actor: "Rafael" }),
    /does not exist/,
  );
});

describe("a wallet's debt that is written off", () => {
  const blocked = (owed: number, isTaken: boolean) => {
    const desk = new Desk().charge();
    const order = {
      accountId: ACCOUNT,
      actor: "Ana",
      blockId: object(2),
      walletId: ACCOUNT,
      blockType: "judicial" as const,
    };
    const of = { institutionId: BANK, environment: "sandbox" as const, chargeId: null, e2eId: null };
    desk.run("blocked", blockBalance, { ...order, ...of, amount: owed, referenceNumber: null, reason: null });
    const outcome = isTaken ? ("approved" as const) : ("rejected" as const);
    const end = { outcome, resolutionReason: null, resolutionText: null };
    const lifted = { ...order, institutionId: BANK, e2eId: null, ...end };
    if (isTaken) desk.run("taken", resolveBlock, lifted);
    return { desk: desk.begin(), lift: () => desk.run("lifted", resolveBlock, lifted) };
  };
  const owing = (owed: number) => blocked(owed, true).desk;
  const command = (amount: number, n = 1) => ({
    ...{ accountId: ACCOUNT, walletId: ACCOUNT, writeOffId: object(n), amount, description: "Bankrupt", actor: "Ana" },
  });
  const answer = (desk: Desk, amount: number, n = 1) => {
    const done = desk.run("written off", writeOffDebt, command(amount, n));
    return done instanceof ApiError ? [done.code, done.details] : [done.amount, done.owed];
  };

  test("is given to the wallet once, as the operator's loss, with its transaction, and its case is closed", () => {
    const desk = owing(500);
    assert.deepEqual(answer(desk, 500), [500, 0]);
    assert.match(
      desk.transcript,
      /write_offs: -> available:ACCOUNT: 5 debt_written_off of \S+101 \(0\), 2026-03-10T12:00/,
    );
    assert.match(
      desk.transcript,
      /insert movements .*"amount":500,.*"type":"adjustment","direction":"in",.*"description":"Bankrupt"/,
    );
    assert.match(desk.transcript, /insert audit_log .*"debt.write_off".*"before":\{"owed":5\},"after":\{"owed":0,/);
    assert.match(desk.transcript, /update cases wallet_debt ACCOUNT .*"to":"closed".*"because":"decided"/);
    desk.begin();
    assert.deepEqual(answer(desk, 500), [500, 0]);
    assert.doesNotMatch(desk.transcript, /->|insert|update/);
  });

  test("is written off in part, and never by more than the wallet owes", () => {
    const desk = owing(500);
    assert.deepEqual(answer(desk, 501), ["DEBT_CHANGED", { owed: 5 }]);
    assert.doesNotMatch(desk.transcript, /->|insert|update/);
    assert.deepEqual(answer(desk, 200), [200, 300]);
    assert.deepEqual(answer(desk, 301, 3), ["DEBT_CHANGED", { owed: 3 }]);
    assert.deepEqual(answer(desk, 300, 3), [300, 0]);
    assert.deepEqual(answer(desk, 1, 4), ["DEBT_CHANGED", { owed: 0 }]);
  });

  test("is nothing that a block holds: the wallet has it again when the block is lifted", () => {
    const { desk, lift } = blocked(500, false);
    assert.equal(desk.balance(available(ACCOUNT)), -500);
    assert.deepEqual(answer(desk, 500), ["DEBT_CHANGED", { owed: 0 }]);
    assert.doesNotMatch(desk.transcript, /->|insert|update/);
    lift();
    assert.equal(desk.balance(available(ACCOUNT)), 0);
  });

  test("is a movement of the account's month, and no fee", () => {
    const sum = { kind: "debt_written_off" as const, countIn: 1, amountIn: 500, countOut: 0, amountOut: 0 };
    const { items, fees, closing } = accountCloseOf(-500, [sum]);
    assert.deepEqual([items, fees, closing], [[{ type: "debt_written_off", count: 1, in: 500, out: 0 }], [], 0]);
  });
});
