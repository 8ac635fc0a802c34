import assert from "node:assert/strict";
import { describe, snapshot, test } from "node:test";
import { chargesTable } from "../../src/charges/charge.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import { type ClaimedPix, claimedPixTable } from "../../src/claims/pix.ts";
import { receivedPixTable } from "../../src/claims/received-pix.ts";
import { finishOf, finishReturn } from "../../src/claims/returns/finish.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { type PixReturn, pixReturnsTable } from "../../src/claims/returns/row.ts";
import { ApiError } from "../../src/http/errors.ts";
import type { PspPix, PspReturn } from "../../src/psp/psp.ts";
import { assignmentsTable } from "../../src/unmatched/assignment.ts";
import type { UnmatchedRow } from "../../src/unmatched/item.ts";
import { keepUnmatched, type UnmatchedReason } from "../../src/unmatched/keep.ts";
import { assignReceipt, endKeyed, type RetryReturn, retryReturn, returnReceipt } from "../../src/unmatched/resolve.ts";
import { endAssignment, settleAssigned } from "../../src/unmatched/settle-assigned.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

snapshot.setDefaultSnapshotSerializers([String]);

const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };
const pix: PspPix = { e2eId: "E1", amount: 1_000, paidAt: at("11:30:00"), returns: [] };
const keep = (changes: Partial<PspPix> = {}, reason: UnmatchedReason = "no_txid") => ({
  accountId: ACCOUNT,
  institutionId: BANK,
  pix: { ...pix, ...changes },
  reason,
});

/** The receipt as the operator saw it before the lane. */
const shown = (changes: Partial<UnmatchedRow> = {}): UnmatchedRow => ({
  accountId: ACCOUNT, kind: "receipt", id: "00000000-0000-7000-9000-000000000001", institutionId: BANK, e2eId: "E1", amount: 1_000,
  paidAt: pix.paidAt, payerName: null, payerDocument: null, txid: null, receivedAs: "unmatched", reason: "no_txid",
  createdAt: at("12:00:00"), status: "open", action: null, toAccountId: null, chargeId: null, assignedAs: null, returnId: null,
  resolvedAt: null, ...changes,
}); // biome-ignore format: one row
const resolve = { accountId: ACCOUNT, actor: "operator", shown: shown() };
const assign = (changes: object = {}) => ({ ...resolve, toAccountId: object(1), chargeId: CHARGE, ...changes });

/** A receipt that belongs to no charge, with all of it in suspense. */
function kept(changes: Partial<ClaimedPix> = {}, more: Partial<PspPix> = {}): Desk {
  const desk = new Desk();
  desk.run("kept", keepUnmatched, keep(more));
  // What the database makes of its row.
  return desk.begin().put(claimedPixTable, "E1", {
    ...{
      accountId: ACCOUNT,
      e2eId: "E1",
      pixId: object(9),
      institutionId: BANK,
      outcome: "unmatched",
      bookedAs: null,
      chargeId: null,
      walletId: null,
    },
    ...{ amount: 1_000, paidAt: pix.paidAt, externalReference: null, metadata: null },
    ...{ returns: [], refunds: [], blocks: [], pspReturns: [], ...changes },
  });
}

/** A payment that may not be credited, on its way back. */
function blocked(): Desk {
  const desk = new Desk().charge();
  const wrong = { ...pix, txid: "txid", amount: 1_001 };
  desk.run("paid", settleCharge, { ...of, chargeId: CHARGE, institutionId: BANK, pix: wrong });
  return desk.begin();
}

const returnsOf = (desk: Desk): PixReturn[] => [...desk.find(claimedPixTable, "E1").returns];
const SETTLED = { kind: "settled", rtrId: "D1", settledAt: at("12:05:00") } as const;
const FAILED = { kind: "failed", reason: "no" } as const;
const end = (desk: Desk, how: typeof SETTLED | typeof FAILED, i = 0) => {
  const back = returnsOf(desk)[i]!;
  return desk.run(how.kind, finishReturn, { ...of, pspId: back.pspId, amount: back.amount, end: how });
};
const given = (rtrId: string, amount: number, changes: Partial<PspReturn> = {}) => ({
  ...of,
  shown: { id: rtrId, rtrId, amount, status: "settled", settledAt: at("12:06:00"), ...changes } as PspReturn,
});
const retry = (desk: Desk, reported: RetryReturn["reported"], i = 0): RetryReturn => ({
  ...resolve,
  shown: shown({ kind: "return", id: returnsOf(desk)[i]!.returnId, receivedAs: "blocked", status: "open" }),
  reported,
});
const refusal = (result: unknown) => (result instanceof ApiError ? [result.code, result.details.status] : result);
/** A refusal, and that nothing moved. */
function refused(desk: Desk, run: () => unknown): unknown {
  const before = [receivedPixTable, pixReturnsTable, assignmentsTable].map((table) => desk.all(table as never).length);
  desk.begin();
  const said = refusal(run());
  assert.doesNotMatch(desk.transcript, /->|insert|update/);
  assert.deepEqual(
    [receivedPixTable, pixReturnsTable, assignmentsTable].map((t) => desk.all(t as never).length),
    before,
  );
  return said;
}

describe("a receipt without a charge", () => {
  test("is kept once, with all that is known of its payer", (t) => {
    const desk = new Desk();
    desk.run("kept", keepUnmatched, keep({ txid: "foreign", payer: { name: "Ana", document: "52998224725" } }, "foreign_txid"));
    desk.run("reported again", keepUnmatched, keep());
    desk.run("of nobody", keepUnmatched, keep({ e2eId: "E2" }));
    t.assert.snapshot(desk.transcript);
  }); // biome-ignore format: one row

  test("that names no charge is a case that suggests one: as its payment, or as a second one where it was paid", () => {
    for (const [status, words] of [
      ["pending", "It may be meant for the charge CHARGE."],
      ["completed", "It looks like a second payment of the charge CHARGE."],
    ] as const) {
      const desk = new Desk();
      desk.run("kept", keepUnmatched, { ...keep(), suggested: { accountId: ACCOUNT, chargeId: CHARGE, status } });
      assert.ok(desk.transcript.includes(`The Pix names no charge. ${words}`), desk.transcript);
    }
  });

  test("is assigned in two books: out of suspense here, and the charge is settled there", (t) => {
    const desk = kept();
    desk.run("assigned", assignReceipt, assign());
    desk.run("again", assignReceipt, assign());
    desk.run("settled", endAssignment, { ...of, chargeId: CHARGE, outcome: "credited", withheld: 0 });
    desk.run("settled again", endAssignment, { ...of, chargeId: CHARGE, outcome: "second_payment", withheld: 0 });
    t.assert.snapshot(desk.transcript);
    const answer = { keyed: null, toAnswer: (row: UnmatchedRow) => ({ status: 200, body: JSON.stringify(row) }) };
    const command = { ...resolve, e2eId: "E1", outcome: "credited" as const, chargeId: CHARGE, withheld: 0 };
    const reported = desk.run("answered", endKeyed, { accountId: ACCOUNT, objectId: object(9), ...answer, command });
    const { status, action, toAccountId, chargeId, assignedAs, resolvedAt } = JSON.parse(
      (reported as { answer: { body: string } }).answer.body,
    );
    assert.deepEqual(
      [status, action, toAccountId, chargeId, assignedAs, resolvedAt],
      ["assigned", "assign", object(1), CHARGE, "credited", "2026-03-10T12:00:00.000Z"],
    );
    assert.throws(
      () => kept().run("nothing to end", endAssignment, { ...of, chargeId: CHARGE, outcome: "credited", withheld: 0 }),
      /does not exist/,
    );
  });

  test("whose charge was shown more tax than the house had booked is a case; with as much, or where the house knew none, it is none", () => {
    for (const [withheld, there, isCase] of [[10, 15, true], [10, 10, false], [undefined, 15, false]] as const) {
      const desk = kept({}, { withheld });
      desk.run("assigned", assignReceipt, assign());
      desk.begin();
      desk.run("settled", endAssignment, { ...of, chargeId: CHARGE, outcome: "credited", withheld: there });
      assert.equal(desk.transcript.includes("names another tax"), isCase, desk.transcript);
      assert.doesNotMatch(desk.transcript, /->/);
    }
  }); // biome-ignore format: a table

  test("of whose tax the charge bears less than the house had booked: the operator bears the rest", () => {
    for (const [there, rest] of [[0, 0.1], [3, 0.07], [9, 0.01]] as const) {
      const desk = kept({}, { withheld: 10 });
      desk.run("assigned", assignReceipt, assign());
      desk.begin();
      desk.run("settled", endAssignment, { ...of, chargeId: CHARGE, outcome: "credited", withheld: there });
      assert.match(desk.transcript, new RegExp(`psp_costs: -> psp:BANK: ${rest} tax_withheld of \\S+ \\(2\\)`));
      assert.ok(desk.transcript.includes(`"houseTax":${Math.round(rest * 100)}`), desk.transcript);
      assert.ok(!desk.transcript.includes("names another tax"));
    }
  }); // biome-ignore format: a table

  test("reads the account of costs only where its tax is booked there", () => {
    for (const [withheld, there, read] of [[10, 3, [true, true, true]], [10, 10, [true, true, false]], [undefined, 0, [false, false, false]]] as const) {
      const desk = new Desk();
      const reads = () => desk.wanted.some((one) => one.includes("psp_costs"));
      desk.run("kept", keepUnmatched, keep(withheld === undefined ? {} : { withheld }));
      const first = reads();
      desk.put(claimedPixTable, "E1", kept().find(claimedPixTable, "E1"));
      desk.run("assigned", assignReceipt, assign());
      const second = reads();
      desk.run("settled", endAssignment, { ...of, chargeId: CHARGE, outcome: "credited", withheld: there });
      assert.deepEqual([first, second, reads()], read);
    }
  }); // biome-ignore format: a table

  test("is settled there with the tax that the house had booked, whatever the institution shows by now", async () => {
    const row = {
      amount: 1_000,
      paidAt: pix.paidAt,
      payerName: null,
      payerDocument: null,
      txid: null,
      components: null,
    };
    const settledWith = async (kept: number | null, shownNow?: Partial<PspPix>) => {
      let settled: PspPix | undefined;
      const ctx = {
        db: { query: async () => ({ rows: [{ ...row, withheld: kept }] }) },
        psps: { find: async () => ({ environment: "sandbox", cnpj: null }) },
        hints: { wake() {} },
        lanes: {
          run: async (_: unknown, command: { pix: PspPix }) => {
            settled = command.pix;
            return { outcome: "credited", already: false };
          },
        },
      };
      const assignment = { ...of, toAccountId: object(1), chargeId: CHARGE, qrCodeId: null };
      const booked = await settleAssigned(ctx as never, assignment as never, shownNow && { ...pix, ...shownNow });
      assert.deepEqual(booked, {
        outcome: "credited",
        already: false,
        chargeId: CHARGE,
        withheld: settled!.withheld ?? 0,
      });
      return settled!.withheld;
    };
    assert.deepEqual(
      [await settledWith(10, {}), await settledWith(10, { withheld: 15 }), await settledWith(10)],
      [10, 10, 10],
    );
    assert.deepEqual(
      [await settledWith(null, { withheld: 15 }), await settledWith(null, {}), await settledWith(null)],
      [15, undefined, undefined],
    );
  });

  test("goes to one charge of one account, and is not sent back after that", () => {
    const desk = kept();
    desk.run("assigned", assignReceipt, assign());
    const taken = ["UNMATCHED_RESOLVED", "assigning"];
    assert.deepEqual(refused(desk, () => desk.run("to another account", assignReceipt, assign({ toAccountId: object(2) }))), taken);
    assert.deepEqual(refused(desk, () => desk.run("to another charge", assignReceipt, assign({ chargeId: object(2) }))), taken);
    assert.deepEqual(refused(desk, () => desk.run("sent back", returnReceipt, resolve)), taken);
    assert.equal(refused(desk, () => desk.run("given back by the PSP", bookPspReturn, given("D9", 1))), "elsewhere");
    assert.deepEqual(refused(desk, () => desk.run("reported again", keepUnmatched, keep())), { outcome: "assigned", already: true });
  }); // biome-ignore format: one row

  test("that was booked as the operator's own is neither assigned nor sent back, and nothing moves", () => {
    const desk = kept({ outcome: "treasury" });
    desk.put(receivedPixTable, "E1", { ...desk.find(receivedPixTable, "E1"), outcome: "treasury" });
    const booked = ["UNMATCHED_RESOLVED", "booked"];
    assert.deepEqual(
      refused(desk, () => desk.run("assigned", assignReceipt, assign())),
      booked,
    );
    assert.deepEqual(
      refused(desk, () => desk.run("sent back", returnReceipt, resolve)),
      booked,
    );
  });

  test("is sent back once, out of suspense", (t) => {
    const desk = kept();
    desk.run("sent back", returnReceipt, resolve);
    desk.run("again", returnReceipt, resolve);
    const returning = ["UNMATCHED_RESOLVED", "returning"];
    assert.deepEqual(refusal(desk.run("assigned", assignReceipt, assign())), returning);
    end(desk, SETTLED);
    end(desk, SETTLED);
    assert.deepEqual(refusal(desk.run("assigned", assignReceipt, assign())), ["UNMATCHED_RESOLVED", "returned"]);
    t.assert.snapshot(desk.transcript);
    const failed = kept();
    failed.run("sent back", returnReceipt, resolve);
    end(failed, FAILED);
    const assigned = refused(failed, () => failed.run("assigned", assignReceipt, assign()));
    assert.deepEqual(assigned, ["UNMATCHED_RESOLVED", "return_failed"]);
    const again = failed.run("sent back again", returnReceipt, resolve) as UnmatchedRow;
    assert.deepEqual([again.status, again.returnId], ["return_failed", returnsOf(failed)[0]!.returnId]);
  });

  test("whose return was tried again under another id is shown with that one", () => {
    const desk = kept();
    desk.run("sent back", returnReceipt, resolve);
    end(desk, FAILED);
    desk.run("another", retryReturn, retry(desk, "failed"));
    const seen = () => {
      const row = refused(desk, () => desk.run("sent back again", returnReceipt, resolve)) as UnmatchedRow;
      return [row.status, row.returnId === returnsOf(desk)[1]!.returnId];
    };
    assert.deepEqual(seen(), ["returning", true]);
    end(desk, SETTLED, 1);
    assert.deepEqual(seen(), ["returned", true]);
  });

  test("of which the PSP has given back a part is sent back without it, and assigned no more", (t) => {
    const desk = kept();
    assert.equal(desk.run("a part", bookPspReturn, given("D1", 300)), "booked");
    assert.deepEqual(refusal(desk.run("assigned", assignReceipt, assign())), ["UNMATCHED_RESOLVED", "returned"]);
    desk.run("the rest sent back", returnReceipt, resolve);
    t.assert.snapshot(desk.transcript);
    const gone = kept();
    gone.run("a part", bookPspReturn, given("D1", 300));
    gone.run("another", bookPspReturn, given("D2", 699));
    gone.run("all but a centavo", returnReceipt, resolve);
    assert.equal(returnsOf(gone)[0]!.amount, 1);
    const all = kept();
    all.run("all of it", bookPspReturn, given("D1", 1_000));
    assert.deepEqual(
      refused(all, () => all.run("nothing left", returnReceipt, resolve)),
      ["UNMATCHED_RESOLVED", "returned"],
    );
  });
});

describe("a return of ours", () => {
  test("ends as its PSP shows it, by its id and amount, and once", (t) => {
    const desk = blocked();
    const [back] = returnsOf(desk);
    const command = { ...of, pspId: back!.pspId, amount: 1_001, end: SETTLED };
    assert.equal(refused(desk, () => desk.run("of another amount", finishReturn, { ...command, amount: 1_000 })), null);
    assert.equal(refused(desk, () => desk.run("of another id", finishReturn, { ...command, pspId: "x" })), null);
    assert.deepEqual(end(desk, FAILED), { status: "failed", already: false });
    assert.deepEqual(end(desk, FAILED), { status: "failed", already: true });
    desk.run("settled after all, at an unknown time", finishReturn, { ...command, end: { ...SETTLED, settledAt: null } });
    assert.deepEqual(end(desk, FAILED), { status: "confirmed", already: true });
    t.assert.snapshot(desk.transcript);
  }); // biome-ignore format: one row

  test("is reported by what the PSP shows of it", () => {
    const reported = (back: Partial<PspReturn>) => {
      const one = { id: "x", amount: 5, ...back } as PspReturn;
      const found = finishOf(of, one);
      if (found === null) return null;
      const { shown, ...command } = found;
      assert.equal(shown, one);
      return command;
    };
    const command = { ...of, pspId: "x", amount: 5 };
    assert.deepEqual(reported({ status: "settled" }), { ...command, end: { kind: "settled", rtrId: null, settledAt: null } });
    assert.deepEqual(reported({ status: "settled", rtrId: "D1", settledAt: at("12:00:00") }), {
      ...command, end: { kind: "settled", rtrId: "D1", settledAt: at("12:00:00") },
    });
    assert.deepEqual(reported({ status: "failed", reason: "closed" }), { ...command, end: { kind: "failed", reason: "closed" } });
    assert.equal(reported({ status: "failed" })?.end.kind, "failed");
    assert.match((reported({ status: "failed" })?.end as { reason: string }).reason, /PSP/);
    assert.equal(reported({ status: "processing" }), null);
  }); // biome-ignore format: one row

  test("that was settled after another has taken its place leaves that one nothing to do", (t) => {
    const desk = blocked();
    end(desk, FAILED);
    desk.run("in its place", retryReturn, retry(desk, "failed"));
    end(desk, SETTLED);
    t.assert.snapshot(desk.transcript);
    assert.deepEqual(returnsOf(desk).map(({ status, nextAt }) => [status, nextAt]), [["confirmed", null], ["failed", null]]);
  }); // biome-ignore format: one row

  test("that was sent already ends as well when an earlier one was settled", () => {
    const desk = blocked();
    end(desk, FAILED);
    desk.run("in its place", retryReturn, retry(desk, "failed"));
    const [first, second] = returnsOf(desk);
    const sending = [first!, { ...second!, status: "sending" as const }];
    desk.put(claimedPixTable, "E1", { ...desk.find(claimedPixTable, "E1"), returns: sending });
    end(desk, SETTLED);
    assert.deepEqual(
      returnsOf(desk).map(({ status }) => status),
      ["confirmed", "failed"],
    );
  });

  test("that failed is tried again: under a new id where the PSP shows it failed, else under its own", (t) => {
    const desk = blocked();
    end(desk, FAILED);
    desk.run("unclear, so the same", retryReturn, retry(desk, "unclear"));
    desk.run("under way", retryReturn, retry(desk, "unclear"));
    end(desk, FAILED);
    desk.run("absent, and all of it is left: the same", retryReturn, retry(desk, "absent"));
    end(desk, FAILED);
    desk.run("failed, so another", retryReturn, retry(desk, "failed"));
    desk.run("there is another", retryReturn, retry(desk, "failed"));
    end(desk, SETTLED, 1);
    desk.run("the other was settled", retryReturn, retry(desk, "unclear", 1));
    t.assert.snapshot(desk.transcript);
  });

  test("that failed is tried again for what is left, and not when nothing is", () => {
    const left = (parts: readonly number[], reported: RetryReturn["reported"]) => {
      const desk = blocked();
      for (const [i, amount] of parts.entries()) desk.run("given back", bookPspReturn, given(`D${i}`, amount));
      desk.begin();
      const result = refusal(desk.run("again", retryReturn, retry(desk, reported)));
      return Array.isArray(result) ? result : returnsOf(desk).map(({ status, amount }) => `${status} ${amount}`);
    };
    assert.deepEqual(left([300], "failed"), ["failed 1001", "pending 701"]);
    // Less is left than it was for: it cannot be carried out any more.
    assert.deepEqual(left([1], "absent"), ["failed 1001", "pending 1000"]);
    assert.deepEqual(left([1], "unclear"), ["failed 1001", "pending 1000"]);
    assert.deepEqual(left([300, 700], "failed"), ["failed 1001", "pending 1"]);
    assert.deepEqual(left([300, 701], "failed"), ["UNMATCHED_RESOLVED", "returned"]);
    const twice = blocked();
    end(twice, FAILED);
    twice.run("in its place", retryReturn, retry(twice, "failed"));
    end(twice, FAILED, 1);
    end(twice, SETTLED);
    const said = refused(twice, () => twice.run("again", retryReturn, retry(twice, "unclear", 1)));
    assert.deepEqual(said, ["UNMATCHED_RESOLVED", "returned"]);
  });
});

describe("what a PSP gives back by itself", () => {
  test("is booked once by its id, when it is settled, is of something and is none of ours", (t) => {
    const desk = blocked();
    const [back] = returnsOf(desk);
    const nothing = (changes: Partial<PspReturn>) => refused(desk, () => desk.run("x", bookPspReturn, given("D1", 100, changes)));
    assert.equal(nothing({ status: "processing" } as Partial<PspReturn>), "nothing");
    assert.equal(nothing({ amount: 0 }), "nothing");
    assert.equal(nothing({ id: back!.pspId }), "ours");
    assert.equal(refused(desk, () => desk.run("unknown Pix", bookPspReturn, { ...given("D1", 1), e2eId: "E9" })), "nothing");
    desk.run("one, and ours cannot be carried out any more", bookPspReturn, given("D1", 100, { settledAt: undefined }));
    assert.equal(desk.run("again", bookPspReturn, given("D1", 100)), "already");
    desk.run("one without an id in the network", bookPspReturn, given("R2", 1, { rtrId: undefined }));
    assert.equal(desk.run("again", bookPspReturn, given("R2", 1, { rtrId: undefined })), "already");
    t.assert.snapshot(desk.transcript);
  }); // biome-ignore format: one row

  test("ends a return of ours that was sent, and leaves one that is over", () => {
    const desk = blocked();
    const [back] = returnsOf(desk);
    desk.put(claimedPixTable, "E1", { ...desk.find(claimedPixTable, "E1"), returns: [{ ...back!, status: "sending" }] });
    desk.run("given back", bookPspReturn, given("D1", 1));
    assert.deepEqual(returnsOf(desk).map(({ status, nextAt }) => [status, nextAt]), [["failed", null]]);
    const over = blocked();
    end(over, SETTLED);
    over.begin();
    over.run("given back too", bookPspReturn, given("D2", 1));
    assert.deepEqual(returnsOf(over).map(({ status, failureReason }) => [status, failureReason]), [["confirmed", null]]);
    assert.equal(over.all(chargesTable)[0]!.status, "failed");
  }); // biome-ignore format: one row
});
