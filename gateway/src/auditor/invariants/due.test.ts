/** The bounds of what a charge with a due date may be paid with, in the auditor's SQL and in the gateway's own arithmetic. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway, type TestGateway } from "../../../test/harness/gateway.ts";
import { isExpected } from "../../charges/terms.ts";
import { part } from "../../db/sql.ts";
import { daysAfter } from "../../lib/days.ts";
import { type DueEdit, type DueTerms, possibleOn, type Rate } from "../../lib/due.ts";
import { DUE_INVARIANTS } from "./due.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

/** A sequence that is the same in each run. */
let seed = 20261210;
const below = (n: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % n;
};
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)]!;
const maybe = <T>(value: () => T): T | undefined => (below(2) === 0 ? undefined : value());
const rateOf = (): Rate => oneOf([{ fixed: 1 + below(500) }, { percentBps: 1 + below(1_500) }]);
const DUE = "2026-12-10";

/** Terms of any kind, which leave something to pay. */
function terms(): DueTerms {
  const interest = () => ({
    ...rateOf(),
    per: oneOf(["day", "month", "year"] as const),
    days: oneOf(["calendar", "business"] as const),
  });
  const discount = oneOf<() => NonNullable<DueTerms["discount"]>>([
    () => ({ until: [7, 3].map((days) => ({ date: daysAfter(DUE, -days), percentBps: 1 + below(900) })) }),
    () => ({ perDay: { percentBps: 1 + below(20), days: oneOf(["calendar", "business"] as const) } }),
  ]);
  const given = { fine: maybe(rateOf), interest: maybe(interest), discount: maybe(discount), abatement: maybe(rateOf) };
  return { date: DUE, daysAfter: 60, ...(JSON.parse(JSON.stringify(given)) as object) };
}

type Row = { id: number; amount: number; asked: number; due: DueTerms; edits?: readonly DueEdit[]; day: string };

/** What the rule finds of charges that were paid so. */
async function found(rows: readonly Row[]) {
  const charges = rows.map(({ id, amount, asked, due, edits, day }) => ({
    ...{ charge_id: id, amount, charged_amount: asked, due, due_edits: edits ?? null },
    ...{ status: "completed", paid_at: `${day}T02:30:00Z` },
  }));
  const shown = part`(
    select *, null::uuid as account_id, null::jsonb as components from jsonb_to_recordset(${JSON.stringify(charges)}::jsonb)
      as x(charge_id integer, amount bigint, charged_amount bigint, due jsonb, due_edits jsonb, status text, paid_at timestamptz))`;
  const { rows: broken } = await gateway.owner.query<{ found: [string, number] }>(
    DUE_INVARIANTS[0]!.query(() => shown),
  );
  return new Set(broken.map(({ found: [, id] }) => id));
}

test("takes each amount that the terms make possible on a day, up to both bounds, and none beyond them (C9)", async () => {
  const rows = Array.from({ length: 400 }, () => {
    const [asked, due, day] = [2_000 + below(100_000), terms(), daysAfter(DUE, below(90) - 20)];
    // 02:30 in UTC is the evening before in São Paulo.
    return { asked, due, day, ...possibleOn(asked, due, daysAfter(day, -1)) };
  });
  const at = (amount: (row: (typeof rows)[number]) => number) =>
    found(rows.map((row, id) => ({ ...row, id, amount: amount(row) })));
  const named = (ids: Iterable<number>) => [...ids].map((id) => JSON.stringify(rows[id]));
  assert.deepEqual(named(await at(({ from }) => from)), []);
  assert.deepEqual(named(await at(({ to }) => to)), []);
  for (const beyond of [await at(({ from }) => from - 1), await at(({ to }) => to + 1)])
    assert.deepEqual(named(rows.keys().filter((id) => !beyond.has(id))), []);
});

test("takes the terms of an edit under way or just made too, as the settlement does, and finds terms that no edit made (C9)", async () => {
  const [now, before] = [
    { date: DUE, daysAfter: 30 },
    { date: DUE, daysAfter: 30, abatement: { fixed: 500 } },
  ];
  const askedAt = "2026-12-01T12:00:00.000Z";
  const edit = (status: DueEdit["status"], endedAt: string | null, to: DueTerms = now): DueEdit => ({
    ...{ from: before, to, askedAt, status, endedAt, requests: 1, sentAt: askedAt, mayArrive: false, by: "merchant" },
  });
  const row = { id: 0, asked: 2_000, due: now, day: "2026-12-08" };
  const paid = async (amount: number, due: DueTerms, ...edits: DueEdit[]) => {
    const isFound = (await found([{ ...row, due, amount, edits }])).has(0);
    const settled = isExpected(
      { amount: 2_000, due, dueEdits: edits },
      { amount, paidAt: new Date(`${row.day}T02:30:00Z`) },
    );
    return [!isFound, settled];
  };
  const [yes, no] = [
    [true, true],
    [false, false],
  ];
  assert.deepEqual(await paid(1_500, before, edit("asked", null)), yes);
  assert.deepEqual(await paid(2_000, before, edit("asked", null)), yes);
  assert.deepEqual(await paid(1_499, before, edit("asked", null)), no);
  assert.deepEqual(await paid(1_500, now, edit("done", "2026-12-08T02:15:00.000Z")), yes);
  assert.deepEqual(await paid(1_500, now, edit("done", "2026-12-08T02:14:59.999Z")), no);
  assert.deepEqual(
    await paid(2_000, before, edit("refused", "2026-12-08T02:29:00.000Z", { ...now, daysAfter: 0 })),
    yes,
  );
  // A request of a refused edit that may still arrive; and what the institution alone has shown.
  const arriving = { ...edit("refused", "2026-12-01T12:02:00.000Z"), mayArrive: true };
  assert.deepEqual(await paid(2_000, before, arriving), yes);
  assert.deepEqual(await paid(2_001, before, arriving), no);
  const shown = { ...edit("done", "2026-12-01T12:00:00.000Z"), by: "institution" as const };
  assert.deepEqual(await paid(1_500, now, shown), yes);
  assert.deepEqual(await paid(1_499, now, shown), no);
  // The terms of the row differ from those of its history.
  assert.deepEqual(await paid(2_000, now, edit("refused", "2026-12-08T02:29:00.000Z")), [false, true]);
  assert.deepEqual(await paid(2_000, { ...now, daysAfter: 1 }, edit("done", "2026-12-01T12:00:01.000Z")), [
    false,
    true,
  ]);
});
