import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AccountSettings, accountsTable } from "../../src/accounts/account.ts";
import { type WalletRow, walletsTable } from "../../src/accounts/wallet.ts";
import { ApiError } from "../../src/http/errors.ts";
import { hashRequest } from "../../src/http/idempotency.ts";
import { type KeyedOutcome, keyedCommand } from "../../src/http/keyed-command.ts";
import { available, operator, promotional } from "../../src/ledger/chart.ts";
import { movementKey, movementsTable } from "../../src/ledger/movement.ts";
import { adjustBalance } from "../../src/transfers/adjustments/adjust.ts";
import { sendKeyedTransfer } from "../../src/transfers/send.ts";
import { effort } from "./effort.ts";
import { MemoryLane } from "./memory.ts";
import { settingsOf } from "./tenant.ts";
import { adjust, emptyWallet, KeyedCalls, transfer } from "./wallets.ts";

const ACCOUNT = "00000000-0000-7000-8000-000000000001";
/** The main wallet and its sub-accounts. */
const WALLETS = [ACCOUNT, ...[1, 2, 3].map((i) => `00000000-0000-7000-8000-00000000000${i + 1}`)];
const adjustKeyed = keyedCommand(adjustBalance);

type Send = { do: "send"; from: number; to: number; amount: number; key: number | null };
type Adjust = {
  do: "adjust";
  wallet: number;
  amount: number;
  balance: "available" | "promotional";
  key: number | null;
};
type Step =
  | Send
  | Adjust
  | { do: "again" }
  | { do: "wallet"; wallet: number; status: WalletRow["status"] }
  | { do: "account"; status: AccountSettings["status"] };

const wallet = fc.nat({ max: WALLETS.length - 1 });
const amount = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 999_999_999_999 }));
const key = fc.option(fc.nat({ max: 2 }), { nil: null, freq: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("send" as const), from: wallet, to: wallet, amount, key }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("adjust" as const),
      wallet,
      amount: fc.tuple(amount, fc.boolean()).map(([one, given]) => (given ? one : -one)),
      balance: fc.constantFrom("available", "available", "promotional"),
      key,
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "again" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("wallet" as const),
      wallet: fc.integer({ min: 1, max: WALLETS.length - 1 }),
      status: fc.constantFrom("approved", "suspended"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("account" as const),
      status: fc.constantFrom("approved", "approved", "suspended"),
    }),
  },
);

/** The rules again: those of wallets, and who may send. */
class Model {
  readonly wallets = WALLETS.map(emptyWallet);
  readonly suspended = WALLETS.map(() => false);
  accountSuspended = false;
  /** What the operator gave, less what it took. */
  given = 0;
  movements = 0;
  readonly #keys = new KeyedCalls();

  #send({ from, to, amount }: Send): string | null {
    if (this.accountSuspended) return "ACCOUNT_SUSPENDED";
    if (from === to) return "TRANSFER_INVALID_RECIPIENT";
    if (this.suspended[from] || this.suspended[to]) return "SUB_ACCOUNT_SUSPENDED";
    const refusal = transfer(this.wallets[from]!, this.wallets[to]!, amount);
    if (refusal === null) this.movements += 2;
    return refusal;
  }

  #adjust({ wallet, amount, balance }: Adjust): string | null {
    const refusal = adjust(this.wallets[wallet]!, balance, amount);
    if (refusal !== null) return refusal;
    this.given += amount;
    this.movements += 1;
    return null;
  }

  /** What a call gets: an error's code, or the bytes of the answer. */
  call(one: Send | Adjust, answer: string) {
    const scope = one.do === "send" ? `send ${one.from}` : `adjust ${one.wallet}`;
    return this.#keys.call(one.key === null ? null : `${scope} ${one.key}`, bodyOf(one), answer, () =>
      one.do === "send" ? this.#send(one) : this.#adjust(one),
    );
  }
}

const bodyOf = (one: Send | Adjust) =>
  JSON.stringify(one.do === "send" ? [one.to, one.amount] : [one.amount, one.balance]);

const name = (i: number) => ({ walletId: WALLETS[i]!, reference: i === 0 ? "principal" : `sub-${i}` });
const putWallet = (lane: MemoryLane, i: number, status: WalletRow["status"]) =>
  lane.put(walletsTable, { accountId: ACCOUNT, id: WALLETS[i]! }, { accountId: ACCOUNT, ...name(i), status });

const walletOf = (one: Send | Adjust): string => WALLETS[one.do === "send" ? one.from : one.wallet]!;

/** Transactions that wallets see of movements. */
const sides = (lane: MemoryLane): number =>
  lane
    .all(movementsTable)
    .reduce((sum, { counterpartMovementId }) => sum + (counterpartMovementId === null ? 1 : 2), 0);

/** A call as its route makes it. */
function itemOf(one: Send | Adjust, objectId: string) {
  const walletId = walletOf(one);
  const call = {
    accountId: ACCOUNT,
    objectId,
    keyed:
      one.key === null
        ? null
        : {
            accountId: ACCOUNT,
            walletId,
            route: `POST /${one.do}`,
            key: `key-${one.key}`,
            requestHash: hashRequest(bodyOf(one)),
          },
    toAnswer: (value: { id: string }) => ({ status: 201, body: value.id }),
  };
  const { amount } = one;
  const command =
    one.do === "send"
      ? {
          accountId: ACCOUNT,
          transferId: objectId,
          from: name(one.from),
          to: name(one.to),
          amount,
          description: null,
          externalReference: null,
          metadata: null,
          idempotencyKey: null,
        }
      : {
          accountId: ACCOUNT,
          adjustmentId: objectId,
          walletId,
          subAccount: null,
          amount,
          balance: one.balance,
          type: "adjustment",
          reason: "r",
        };
  return {
    kind: (one.do === "send" ? sendKeyedTransfer : adjustKeyed) as never,
    command: { ...call, command } as never,
  };
}

const said = (outcome: unknown): string =>
  outcome instanceof ApiError ? outcome.code : (outcome as Exclude<KeyedOutcome, ApiError>).answer.body;

test("transfers and adjustments agree with the model, never go below zero, and neither make nor lose money", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, batchSize) => {
      const lane = new MemoryLane();
      const model = new Model();
      lane.put(accountsTable, { accountId: ACCOUNT, id: ACCOUNT }, settingsOf(ACCOUNT));
      for (const i of WALLETS.keys()) putWallet(lane, i, "approved");
      let made = 0;
      const newId = () => `00000000-0000-7000-9000-${(made++).toString(16).padStart(12, "0")}`;
      let waiting: { one: Send | Adjust; objectId: string }[] = [];
      let last: { one: Send | Adjust; objectId: string } | null = null;

      const flush = () => {
        const outcomes = lane.run(
          waiting.map(({ one, objectId }) => itemOf(one, objectId)),
          { now: new Date(made), newId },
        );
        for (const [i, { one, objectId }] of waiting.entries()) {
          const expected = model.call(one, objectId);
          assert.equal(said(outcomes[i]), expected.said, JSON.stringify(one));
          const { replayed } = outcomes[i] as { replayed?: boolean };
          if (replayed !== undefined) assert.equal(replayed, expected.replayed);
        }
        waiting = [];
        for (const [i, id] of WALLETS.entries()) {
          assert.equal(lane.balance(ACCOUNT, available(id)), model.wallets[i]!.available);
          assert.equal(lane.balance(ACCOUNT, promotional(id)), model.wallets[i]!.promotional);
          assert.ok(lane.balance(ACCOUNT, available(id)) >= 0 && lane.balance(ACCOUNT, promotional(id)) >= 0);
        }
        assert.equal(lane.balance(ACCOUNT, operator), 0 - model.given);
        assert.equal(lane.total(ACCOUNT), 0);
        assert.equal(sides(lane), model.movements);
      };

      for (const one of steps) {
        if (one.do === "send" || one.do === "adjust") {
          last = { one, objectId: newId() };
          waiting.push(last);
          if (waiting.length >= batchSize) flush();
          continue;
        }
        flush();
        if (one.do === "again" && last) {
          // The answer to COMMIT got lost: the same call comes again, and a done one is not done again.
          const before = sides(lane);
          const [first] = lane.run([itemOf(last.one, last.objectId)], { now: new Date(made), newId }) as KeyedOutcome[];
          const walletId = walletOf(last.one);
          if (lane.find(movementsTable, movementKey({ accountId: ACCOUNT, walletId, movementId: last.objectId }))) {
            assert.equal(said(first), last.objectId);
            assert.equal((first as { replayed: boolean }).replayed, false);
          }
          assert.equal(sides(lane), before);
        } else if (one.do === "wallet") {
          model.suspended[one.wallet] = one.status === "suspended";
          putWallet(lane, one.wallet, one.status);
        } else if (one.do === "account") {
          model.accountSuspended = one.status === "suspended";
          lane.put(accountsTable, { accountId: ACCOUNT, id: ACCOUNT }, settingsOf(ACCOUNT, { status: one.status }));
        }
        last = null;
      }
      flush();
      const total = WALLETS.reduce((sum, _, i) => sum + model.wallets[i]!.available + model.wallets[i]!.promotional, 0);
      assert.equal(total, model.given);
    }),
    effort(5_000),
  );
});
