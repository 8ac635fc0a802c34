/** What an institution charged for a Pix or a payout is booked once, where the Pix or the payout is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimedPixTable } from "../../src/claims/pix.ts";
import { pixReturnsTable } from "../../src/claims/returns/row.ts";
import { bankTariffsTable, transferOf } from "../../src/institutions/tariffs/bank-tariff.ts";
import { type BookTariff, bookTariff } from "../../src/institutions/tariffs/book.ts";
import { nameKey, psp, pspCosts, ROUTES } from "../../src/ledger/chart.ts";
import { treasuryTable } from "../../src/treasury/entry.ts";
import { MemoryLane } from "../model/memory.ts";
import { ACCOUNT, at, BANK, object } from "./desk.ts";

const tariff = (changes: Partial<BookTariff> = {}): BookTariff => ({
  ...{ accountId: ACCOUNT, sourceId: object(1), kind: "received", institutionId: BANK, about: "E1", amount: 31 },
  ...{ occurredAt: at("11:00:00"), ...changes },
});
const deciding = { now: at("12:00:00"), newId: () => object(0x50) };
const run = (lane: MemoryLane, command: BookTariff) =>
  lane.run([{ kind: bookTariff as never, command }], deciding)[0] as string;
const sums = (lane: MemoryLane) => [pspCosts, psp(BANK)].map((name) => lane.balance(ACCOUNT, name));

test("a tariff leaves the institution as the operator's cost, on the day of its Pix", () => {
  const { from, to, ...rest } = transferOf({ ...tariff(), bookedAt: at("12:00:00") });
  assert.deepEqual([nameKey(from), nameKey(to)], ["psp_costs:", `psp:${BANK}`]);
  assert.ok((ROUTES.bank_tariff as readonly string[]).includes(`${from.kind}>${to.kind}`));
  assert.deepEqual(rest, {
    ...{ accountId: ACCOUNT, kind: "bank_tariff", sourceId: object(1), leg: 0, amount: 31 },
    occurredAt: at("11:00:00"),
  });
});

test("commands lock rows in one order, which two versions beside each other must share, or they wait for one another", () => {
  const inOrder = [claimedPixTable, treasuryTable, bankTariffsTable, pixReturnsTable].map(({ name, order }) => [name, order]);
  assert.deepEqual(inOrder, [["claimed_pix", 205], ["treasury_entries", 207], ["bank_tariffs", 208], ["pix_returns", 210]]);
}); // biome-ignore format: pairs

test("it is booked once; shown again it is known, and another amount changes nothing", () => {
  const lane = new MemoryLane();
  assert.equal(run(lane, tariff()), "booked");
  assert.deepEqual(sums(lane), [-31, 31]);
  assert.equal(run(lane, tariff()), "already");
  assert.equal(run(lane, tariff({ amount: 32 })), "differing");
  assert.equal(run(lane, tariff({ amount: 30 })), "differing");
  assert.deepEqual(sums(lane), [-31, 31]);
  const [row, ...others] = lane.all(bankTariffsTable);
  assert.deepEqual([row, others], [{ ...tariff(), bookedAt: deciding.now }, []]);
  assert.equal(run(lane, tariff({ sourceId: object(2), kind: "sent", about: "wd1", amount: 47 })), "booked");
  assert.deepEqual(sums(lane), [-78, 78]);
});
