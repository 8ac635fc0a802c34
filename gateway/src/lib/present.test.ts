import assert from "node:assert/strict";
import { test } from "node:test";
import { present, presentInPlace } from "./present.ts";

type Shown = { id: string; note?: string; amount?: number; late?: boolean; facts?: unknown; answer: string | null };

test("optional fields that are null or undefined are left out; the others stay as they are, in their order", () => {
  const row = { note: null, amount: 0, late: false } as const;
  const shown: Omit<Shown, "answer"> = present({ late: row.late, id: "", amount: row.amount, note: row.note, facts: undefined });
  assert.equal(JSON.stringify(shown), '{"late":false,"id":"","amount":0}');
  assert.deepEqual(Object.keys(shown), ["late", "id", "amount"]);
}); // biome-ignore format: a table

test("in place, what is empty is undefined in the object itself, and JSON leaves it out", () => {
  const row = { id: "", note: null, amount: 0, late: false };
  const shown: Omit<Shown, "answer"> = presentInPlace(row);
  assert.equal(shown, row);
  assert.deepEqual(shown, { id: "", note: undefined, amount: 0, late: false });
  assert.equal(JSON.stringify(shown), '{"id":"","amount":0,"late":false}');
});

test("a field that may be null in the answer is a mistake for the compiler, as is one that the answer does not have", () => {
  const never = (): Shown[] => [
    // @ts-expect-error: the answer shows null, which would be left out.
    present({ id: "1", answer: null }),
    // @ts-expect-error: a field that must be there is missing.
    { ...present<Omit<Shown, "answer">>({ note: null }), answer: null },
    // @ts-expect-error: no such field.
    { ...present<Omit<Shown, "answer">>({ id: "1", colour: null }), answer: null },
  ];
  const shownBy = <T>(show: (id: string) => T): T => show("1");
  // @ts-expect-error: a generic callback expects no shape.
  shownBy((id) => present({ id, answer: null }));
  assert.equal(typeof never, "function");
});
