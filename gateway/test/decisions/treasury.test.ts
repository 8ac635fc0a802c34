import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/http/errors.ts";
import { nameKey, operatorFunds, psp, ROUTES } from "../../src/ledger/chart.ts";
import { bookEntry, discardEntry } from "../../src/treasury/book.ts";
import { sidesOf, type TreasuryEntry, treasuryTable } from "../../src/treasury/entry.ts";
import { MemoryLane } from "../model/memory.ts";
import { ACCOUNT, at, BANK, object } from "./desk.ts";

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
