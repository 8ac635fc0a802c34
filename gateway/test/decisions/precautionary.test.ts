/** What a bank holds by itself, and whether its case is a dispute, as one list after the other shows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withFacts } from "../../src/claims/blocks/case.ts";
import type { PspInfraction } from "../../src/psp/psp.ts";
import { at } from "./desk.ts";

const HELD = { heldUntil: at("23:00:00") };
const shown = (changes: Partial<PspInfraction> = {}): PspInfraction => ({
  ...{ id: "case", e2eId: "E1", amount: 100, status: "open" },
  ...changes,
});
const block = {
  ...{ blockType: "precautionary" as const, referenceNumber: null, reason: null, respondBy: null },
  heldUntil: HELD.heldUntil as Date | null,
};
const typesOf = (...lists: readonly Partial<PspInfraction>[]) => {
  const blocks = [withFacts<Parameters<typeof withFacts>[0]>(block, shown(lists[0]))];
  for (const list of lists.slice(1)) blocks.push(withFacts(blocks.at(-1)!, shown(list)));
  return blocks.map(({ blockType, heldUntil }) => [blockType, heldUntil?.getTime() ?? null]);
};
const until = HELD.heldUntil.getTime();

test("a hold whose mark one list leaves out is a dispute until a list shows the mark again", () => {
  assert.deepEqual(typesOf({}, { precautionary: HELD }, { precautionary: HELD }), [
    ["med", null],
    ["precautionary", until],
    ["precautionary", until],
  ]);
});

test("a dispute that is defended or decided is no hold again, whatever a list says", () => {
  for (const status of ["in_defence", "accepted", "rejected", "cancelled", "unrecognised"] as const)
    assert.deepEqual(typesOf({}, { status, precautionary: HELD })[1]![0], "med", status);
});
