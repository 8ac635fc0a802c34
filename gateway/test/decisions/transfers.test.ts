import assert from "node:assert/strict";
import { describe, snapshot, test } from "node:test";
import { ApiError } from "../../src/http/errors.ts";
import { movementsTable } from "../../src/ledger/movement.ts";
import { adjustBalance } from "../../src/transfers/adjustments/adjust.ts";
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
});
