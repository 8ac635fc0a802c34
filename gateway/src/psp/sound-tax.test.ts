import assert from "node:assert/strict";
import { test } from "node:test";
import type { Psp, PspPix } from "./psp.ts";
import { withSoundTax } from "./sound-tax.ts";

const paidAt = new Date("2026-03-08T12:00:00Z");
const pixOf = (withheld?: number): PspPix => ({
  ...{ e2eId: "E00000000202601010000abcdefghijk", amount: 1_000, paidAt, returns: [], said: {} },
  ...(withheld !== undefined && { withheld }),
});
/** A bank module of others that shows this Pix everywhere. */
const adapterOf = (pix: PspPix): Psp =>
  withSoundTax({
    findPix: async () => ({ kind: "found", value: pix }),
    listPix: async () => ({ kind: "found", value: { pix: [pix], nextPage: null, unreadable: ["another"] } }),
    findCharge: async () => ({ kind: "found", value: { txid: "t", status: "paid", pix: [pix] } }),
  } as unknown as Psp);
const window = { from: paidAt, to: paidAt, page: 0 };

test("a tax that can be is passed on, and a tax of nothing is none", async () => {
  for (const [shown, kept] of [
    [undefined, undefined],
    [0, undefined],
    [1, 1],
    [999, 999],
  ]) {
    const psp = adapterOf(pixOf(shown));
    const [one, listed, charge] = [
      await psp.findPix("E"),
      await psp.listPix(window),
      await psp.findCharge("t", "immediate"),
    ];
    assert.deepEqual(one, { kind: "found", value: pixOf(kept) });
    assert.deepEqual(listed, { kind: "found", value: { pix: [pixOf(kept)], nextPage: null, unreadable: ["another"] } });
    assert.deepEqual(charge.kind === "found" && charge.value.pix, [pixOf(kept)]);
  }
});

test("a Pix with a tax that cannot be is unreadable wherever it is shown", async () => {
  for (const shown of [-1, 1_000, 1_500, 0.5, Number.NaN, "100" as unknown as number, null as unknown as number]) {
    const psp = adapterOf(pixOf(shown));
    assert.deepEqual(await psp.findPix("E"), { kind: "unknown", reason: "unexpected_answer" });
    const listed = await psp.listPix(window);
    assert.ok(listed.kind === "found");
    const { pix, unreadable = [] } = listed.value;
    assert.deepEqual([pix, unreadable.length, unreadable[0]], [[], 2, "another"]);
    assert.match(unreadable[1]!, /^2026-03-08T12:00:00\.000Z\//);
    const charge = await psp.findCharge("t", "immediate");
    assert.deepEqual(charge.kind === "found" && charge.value.pix, []);
  }
});

test("an answer without a Pix stays as it is", async () => {
  for (const answer of [{ kind: "absent" }, { kind: "unknown", reason: "silence" }]) {
    const silent = async () => answer;
    const psp = withSoundTax({ findPix: silent, listPix: silent, findCharge: silent } as unknown as Psp);
    assert.deepEqual(
      [await psp.findPix("E"), await psp.listPix(window), await psp.findCharge("t", "due")],
      [answer, answer, answer],
    );
  }
});
