import assert from "node:assert/strict";
import { test } from "node:test";
import type { Institution } from "../institutions/registry.ts";
import { choose, choosePayer, withLatestTariffs } from "./choose-payer.ts";

type Told = {
  readonly status?: Institution["status"];
  readonly repeat?: "our_id" | "list_first" | null;
  readonly maxAmount?: number;
  readonly state?: "up" | "trying" | "down";
  readonly priority?: number;
  readonly share?: number;
  readonly payoutTariff?: number;
  readonly tariffs?: boolean;
};

/** The parts of an institution that the choice reads. */
const bank = (institutionId: string, told: Told = {}): Institution => {
  const { status = "active", repeat = "our_id", maxAmount = null, state = "up" } = told;
  const { priority = 100, share = null, payoutTariff = null, tariffs = true } = told;
  const can = { maxAmount, tariffs, payouts: repeat === null ? null : { repeat, to: ["key"] } };
  return { institutionId, status, priority, share, payoutTariff, can, health: { state } } as unknown as Institution;
};
const HELD = 5_000;
const chosen = (banks: readonly Institution[], poor: readonly string[] = [], amount = HELD) => {
  const { institution, routing } = choose(banks, amount, (id) => !poor.includes(id));
  const passed = routing.passed.map((one) => `${one.institutionId} ${one.because}`);
  return [institution.institutionId, routing.reason, ...passed];
};

test("a withdrawal is paid by the first institution that can", () => {
  assert.deepEqual(chosen([bank("a"), bank("b")]), ["a", "priority"]);
});

test("those that never could are passed over, each with its reason", () => {
  const never = [
    bank("drained", { status: "inactive" }),
    bank("receiver", { repeat: null }),
    bank("small", { maxAmount: HELD - 1 }),
  ];
  const because = ["drained draining", "receiver no_payouts", "small over_limit"];
  assert.deepEqual(chosen([...never, bank("a")]), ["a", "priority", ...because]);
});

test("one that is down or too poor pays only where no other does better", () => {
  const [down, poor] = [bank("down", { state: "down" }), bank("poor")];
  assert.deepEqual(chosen([down, poor, bank("a")], ["poor"]), ["a", "priority", "down down", "poor balance"]);
  assert.deepEqual(chosen([down, poor], ["poor"]), ["down", "priority"]);
});

test("one where a repeat is not safe pays only where no other could", () => {
  const unsafe = bank("unsafe", { repeat: "list_first" });
  assert.deepEqual(chosen([unsafe, bank("a")]), ["a", "priority", "unsafe repeats_unsafe"]);
  assert.deepEqual(chosen([unsafe, bank("a", { state: "down" })]), ["unsafe", "priority"]);
  assert.deepEqual(chosen([bank("a", { state: "down" }), unsafe]), ["unsafe", "priority", "a down"]);
  assert.deepEqual(chosen([unsafe, bank("a")], ["a"]), ["unsafe", "priority"]);
  assert.deepEqual(chosen([unsafe, bank("a")], ["a", "unsafe"]), ["a", "priority", "unsafe balance"]);
});

test("the reason is the share or the tariff where that decided among institutions of one priority", () => {
  assert.deepEqual(chosen([bank("a", { share: 70 }), bank("b", { share: 30 })]), ["a", "share"]);
  assert.deepEqual(chosen([bank("a", { payoutTariff: 10 }), bank("b", { payoutTariff: 90 })]), ["a", "tariff"]);
  assert.deepEqual(chosen([bank("a", { payoutTariff: 10 }), bank("b")]), ["a", "tariff"]);
  const later = bank("b", { payoutTariff: 90, priority: 200 });
  assert.deepEqual(chosen([bank("a", { payoutTariff: 10 }), later]), ["a", "priority"]);
});

test("the tariff of the latest payout counts where the operator has set none, and only where each of the order has one", async () => {
  const latest: Readonly<Record<string, number>> = { dear: 90, cheap: 10 };
  const priced = async (...banks: readonly Institution[]) =>
    (await withLatestTariffs(banks, HELD, async (id) => latest[id] ?? null)).map((one) => one.payoutTariff);
  assert.deepEqual(await priced(bank("dear"), bank("cheap")), [90, 10]);
  assert.deepEqual(await priced(bank("dear", { payoutTariff: 5 }), bank("cheap")), [5, 10]);
  assert.deepEqual(await priced(bank("dear"), bank("new")), [null, null]);
  assert.deepEqual(await priced(bank("dear"), bank("silent", { tariffs: false })), [null, null]);
  assert.deepEqual(await priced(bank("dear"), bank("cheap", { priority: 200 })), [null, null]);
  // One that cannot pay it is no reason to know nothing of the others.
  assert.deepEqual(await priced(bank("dear"), bank("cheap"), bank("new", { status: "inactive" })), [90, 10, null]);
});

test("institutions are tried by priority, then by tariff, an unknown one last, or by their shares; only those that pay to keys", async () => {
  const paidBy = async (banks: readonly Institution[], poor: readonly string[] = []) => {
    const psps = {
      forAccount: async (_: string, can: (one: Institution) => boolean) => banks.filter(can),
      linked: async () => banks,
    } as never;
    const funds = new Map(
      banks.map(({ institutionId }) => [institutionId, poor.includes(institutionId) ? HELD - 1 : HELD]),
    );
    const read = { funds: async () => funds as never, latestTariff: async () => null };
    const order = { accountId: "account", withdrawalId: "withdrawal", amount: HELD };
    const { institution, routing } = await choosePayer({ psps }, read, order);
    return [institution.institutionId, routing.reason, ...routing.passed.map((one) => one.institutionId)];
  };
  const [dear, cheap, unknown] = [
    bank("dear", { payoutTariff: 90 }),
    bank("cheap", { payoutTariff: 10 }),
    bank("unknown"),
  ];
  const first = bank("first", { priority: 1, payoutTariff: 99 });
  assert.deepEqual(await paidBy([unknown, dear, cheap, first]), ["first", "priority"]);
  assert.deepEqual(await paidBy([unknown, dear, cheap, first], ["first"]), ["cheap", "tariff", "first"]);
  assert.deepEqual(await paidBy([unknown, dear, cheap], ["cheap"]), ["dear", "tariff", "cheap"]);
  assert.deepEqual(await paidBy([unknown, dear, cheap], ["cheap", "dear"]), ["unknown", "priority", "cheap", "dear"]);
  const shared = [bank("none", { payoutTariff: 1 }), bank("a", { share: 1 }), bank("b", { share: 99 })];
  assert.deepEqual((await paidBy(shared))[1], "share");
  const receiver = bank("receiver", { repeat: null });
  await assert.rejects(paidBy([receiver]), { code: "PAYOUT_UNAVAILABLE", details: {} });
  const small = [bank("small", { maxAmount: HELD - 2 }), bank("less", { maxAmount: HELD - 1 })];
  await assert.rejects(paidBy(small), { code: "PAYOUT_UNAVAILABLE", details: { limit: 49.99 } });
  assert.deepEqual(await paidBy([...small, bank("exact", { maxAmount: HELD })]), [
    "exact",
    "priority",
    "small",
    "less",
  ]);
});
