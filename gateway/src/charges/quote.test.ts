import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Queries } from "../db/pool.ts";
import type { ApiError } from "../http/errors.ts";
import { MAX_CENTAVOS } from "../lib/money.ts";
import { quoteCharge, share } from "./quote.ts";

const ACCOUNT = "00000000-0000-7000-8000-000000000001";

test("a percentage is rounded half up, and what is left stays with the originator", () => {
  assert.deepEqual(share(2540, [{ bps: 1250 }]), [318]);
  assert.deepEqual(share(1, [{ bps: 4999 }]), [0]);
  assert.deepEqual(share(1000, [{ bps: 3333 }, { bps: 3333 }, { amount: 1 }]), [333, 333, 1]);
});

test("legs of 100 % share everything: the last ones that were rounded up give a centavo back each", () => {
  assert.deepEqual(share(1, [{ bps: 5000 }, { bps: 5000 }]), [1, 0]);
  assert.deepEqual(share(3, [{ bps: 5000 }, { bps: 2500 }, { bps: 2500 }]), [2, 1, 0]);
  assert.deepEqual(share(101, [{ bps: 5000 }, { amount: 1 }, { bps: 4900 }]), [51, 1, 49]);
  // An amount is what it is: it gives nothing back.
  assert.deepEqual(share(5, [{ bps: 1000 }, { bps: 7000 }, { amount: 1 }]), [1, 3, 1]);
});

test("legs that ask for more than the net amount are none, by a hundredth of a centavo too", () => {
  assert.equal(share(1, [{ bps: 5000 }, { bps: 5001 }]), null);
  assert.equal(share(100, [{ amount: 51 }, { bps: 5000 }]), null);
  assert.equal(share(0, [{ amount: 1 }]), null);
});

test("no split passes the net amount, and each percentage is within a centavo of the exact one", () => {
  const leg = fc.oneof(
    fc.record({ amount: fc.integer({ min: 1, max: 1_000 }) }),
    fc.record({ bps: fc.integer({ min: 1, max: 4_000 }) }),
  );
  const net = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: MAX_CENTAVOS }));
  fc.assert(
    fc.property(net, fc.array(leg, { maxLength: 10 }), (net, legs) => {
      const parts = share(net, legs);
      if (parts === null) return;
      assert.ok(parts.reduce((sum, part) => sum + part, 0) <= net);
      for (const [i, one] of legs.entries()) {
        if ("amount" in one) assert.equal(parts[i], one.amount);
        else assert.ok(parts[i]! >= 0 && Math.abs(parts[i]! - (net * one.bps) / 10_000) < 1.001, `${parts[i]}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a quote takes an amount or a percentage for each leg, and names what the legs ask for together, never a sum that would fit", async () => {
  const account = { chargeFeeFixed: 0, chargeFeeBps: 0, chargeFeeMin: null, chargeFeeMax: null };
  const wallets = ["a", "b"].map((reference) => ({ wallet_id: reference, reference, status: "approved" }));
  const query = async ({ text }: { text: string }) => ({ rows: /from wallets/.test(text) ? wallets : [account] });
  const quote = (amount: number, ...legs: { amount?: number; percent?: number }[]) => {
    const split = legs.map((leg, i) => ({ subAccount: wallets[i]!.reference, ...leg }));
    return quoteCharge({ query } as unknown as Queries, { accountId: ACCOUNT, walletId: ACCOUNT }, { amount, split });
  };
  const { split, remainder } = await quote(10, { amount: 2.5 }, { percent: 12.34 });
  assert.deepEqual([split.map((leg) => leg.amount), remainder], [[2.5, 1.23], 6.27]);
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => null,
      ({ message, details }: ApiError) => [message, details],
    );
  for (const leg of [{}, { amount: 1, percent: 1 }]) {
    const [message] = (await refusal(quote(10, { amount: 1 }, leg)))!;
    assert.equal(message, "split[1].amount: is needed, or `percent`, and not both");
  }
  const asked = async (...legs: { amount?: number; percent?: number }[]) => (await refusal(quote(10, ...legs)))?.[1];
  assert.deepEqual(await asked({ amount: 5 }, { amount: 6 }), { netAmount: 10, splitTotal: 11 });
  // 10.001, rounded up.
  assert.deepEqual(await asked({ percent: 99.99 }, { percent: 0.02 }), { netAmount: 10, splitTotal: 10.01 });
});
