import assert from "node:assert/strict";
import { describe, snapshot, test } from "node:test";
import { ApiError } from "../../src/http/errors.ts";
import { movementsTable } from "../../src/ledger/movement.ts";
import { ADJUST, adjustBalance } from "../../src/transfers/adjustments/adjust.ts";
import { writtenOffTable } from "../../src/transfers/adjustments/written-off.ts";
import { type SendTransfer, sendTransfer } from "../../src/transfers/send.ts";
import { ACCOUNT, Desk, object, SUB } from "./desk.ts";

snapshot.setDefaultSnapshotSerializers([String]);

const MAIN = { walletId: ACCOUNT, reference: "principal" };
const OTHER = { walletId: SUB, reference: "sub" };
const give = (n: number, amount: number, changes = {}) => ({
  accountId: ACCOUNT,
  adjustmentId: object(n),
  actor: "operator",
  walletId: ACCOUNT,
  subAccount: null,
  amount,
  balance: "available" as const,
  type: "adjustment" as const,
  reason: "agreed",
  ...changes,
});
const send = (changes: Partial<SendTransfer> = {}): SendTransfer => ({
  accountId: ACCOUNT,
  transferId: object(1),
  from: MAIN,
  to: OTHER,
  amount: 100,
  description: null,
  externalReference: null,
  metadata: null,
  idempotencyKey: null,
  ...changes,
});
const open = (settings: ConstructorParameters<typeof Desk>[0] = {}) => {
  const desk = new Desk(settings);
  desk.run("given", adjustBalance, give(0, 100));
  return desk.begin();
};

describe("a transfer", () => {
  test("moves all there is, once, and both wallets have it as a transaction", (t) => {
    const desk = open();
    desk.run("sent", sendTransfer, send({ description: "rent", idempotencyKey: "key" }));
    desk.run("again", sendTransfer, send({ description: "rent", idempotencyKey: "key" }));
    desk.run("back, without a word", sendTransfer, send({ transferId: object(2), from: OTHER, to: MAIN, amount: 1 }));
    t.assert.snapshot(desk.transcript);
  });

  test("keeps its sender's reference and metadata with the sender's transaction", () => {
    const desk = open();
    desk.run("sent", sendTransfer, send({ externalReference: "rent-11", metadata: { month: 11 } }));
    desk.run("without", sendTransfer, send({ transferId: object(2), from: OTHER, to: MAIN, amount: 1 }));
    const kept = desk.all(movementsTable).filter(({ type }) => type === "internal_transfer");
    assert.deepEqual(
      kept.map(({ externalReference, metadata }) => [externalReference, metadata]),
      [
        ["rent-11", { month: 11 }],
        [null, null],
      ],
    );
  });

  test("is refused with nothing moved: too much, to itself, of or to what is suspended", () => {
    const refusal = (desk: Desk, changes: Partial<SendTransfer> = {}) => {
      const before = desk.all(movementsTable).length;
      const result = desk.run("asked", sendTransfer, send(changes));
      assert.ok(result instanceof ApiError);
      assert.equal(desk.all(movementsTable).length, before);
      return [result.code, result.details];
    };
    const about = (reference: string) => ({ resource: "sub-account", reference, field: "subAccount" });
    assert.deepEqual(refusal(open(), { amount: 101 }), ["INSUFFICIENT_BALANCE", { available: 1, required: 1.01 }]);
    assert.deepEqual(refusal(open(), { to: MAIN }), ["TRANSFER_INVALID_RECIPIENT", about("principal")]);
    assert.deepEqual(refusal(open({ status: "suspended" })), ["ACCOUNT_SUSPENDED", {}]);
    assert.deepEqual(refusal(open().wallet("suspended")), ["SUB_ACCOUNT_SUSPENDED", about("sub")]);
    assert.deepEqual(refusal(open().wallet("suspended"), { from: OTHER, to: MAIN }), ["SUB_ACCOUNT_SUSPENDED", {}]);
  });
});

describe("an adjustment", () => {
  test("gives to a wallet or takes from it, down to nothing, with its entry in the audit log", (t) => {
    const desk = new Desk();
    desk.run("given", adjustBalance, give(1, 250));
    desk.run("again", adjustBalance, give(1, 250));
    desk.run(
      "promotional, to a sub-account",
      adjustBalance,
      give(2, 70, { balance: "promotional", walletId: SUB, subAccount: "sub" }),
    );
    desk.run("a commission", adjustBalance, give(3, 1, { type: "referral_commission" }));
    desk.run("all of it taken", adjustBalance, give(4, -251));
    desk.run("more than there is", adjustBalance, give(5, -1));
    t.assert.snapshot(desk.transcript);
  });

  test("that takes back a debt's write-off is of all of it, of its own wallet, out of available, and once", () => {
    const WRITE_OFF = object(7);
    const written = (changes = {}) =>
      open().put(writtenOffTable, WRITE_OFF, { walletId: ACCOUNT, amount: 60, isTakenBack: false, ...changes });
    const back = (amount: number, changes = {}) => give(8, amount, { takesBack: WRITE_OFF, ...changes });
    const refusal = (desk: Desk, command = back(-60)) => {
      const result = desk.run("refused", adjustBalance, command);
      assert.ok(result instanceof ApiError);
      assert.doesNotMatch(desk.transcript, /->|insert|update/);
      return [result.code, result.message, result.details];
    };
    const desk = written();
    const result = desk.run("taken back", adjustBalance, back(-60));
    assert.equal("takesBack" in result && result.takesBack, WRITE_OFF);
    assert.match(desk.transcript, /available:ACCOUNT -> write_offs:: 0.6 debt_written_off of \S+107 \(1\)/);
    assert.match(desk.transcript, /insert audit_log .*"action":"debt.take_back","objectId":"\S+107"/);
    assert.match(desk.transcript, /insert movements .*"leg":1,"amount":60,.*"direction":"out","causeId":"\S+107"/);
    for (const amount of [-59, -61, 60])
      assert.match(refusal(written(), back(amount))[1] as string, /must be -0.60, all that was written off/);
    const again = "This write-off was taken back before.";
    assert.deepEqual(refusal(written({ isTakenBack: true })), ["DEBT_CHANGED", again, { owed: 0 }]);
    assert.equal(refusal(written({ walletId: SUB }))[0], "RESOURCE_NOT_FOUND");
    assert.equal(refusal(open())[0], "RESOURCE_NOT_FOUND");
    assert.equal(refusal(written({ amount: 101 }), back(-101))[0], "INSUFFICIENT_BALANCE");
  });

  test("by two persons answers with its amount, or with why it was refused", async () => {
    const carriedOut = (done: unknown) =>
      ADJUST.execute({ lanes: { run: async () => done } } as never, give(1, 250), {
        ...{ actor: "bia", proposalId: object(2), decidedAt: new Date("2026-03-10T12:00:00Z") },
      } as never);
    assert.deepEqual(await carriedOut({ id: object(1), amount: 2.5 }), { adjustmentId: object(1), amount: 2.5 });
    const refused = new ApiError("INSUFFICIENT_BALANCE");
    await assert.rejects(carriedOut(refused), refused);
  });
});
