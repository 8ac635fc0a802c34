import assert from "node:assert/strict";
import { test } from "node:test";
import type { Institution } from "../institutions/registry.ts";
import { choose, withLatestTariffs } from "./choose-payer.ts";

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
