import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChargeRequest } from "../../src/charges/charge.ts";
import {
  abandonedAt,
  acceptDue,
  acceptTerms,
  endedEdits,
  explained,
  isExpected,
  isSettledEdit,
  kindOf,
  latestEnd,
  openEdit,
  tooMuch,
} from "../../src/charges/terms.ts";
import { ApiError } from "../../src/http/errors.ts";
import { daysAfter } from "../../src/lib/days.ts";
import { type DueEdit, type DueTerms, latestDayOf, payableUntil } from "../../src/lib/due.ts";
import { MAX_CENTAVOS } from "../../src/lib/money.ts";
import type { Due } from "../../src/transactions/due.ts";
import { at } from "./desk.ts";

/** A Tuesday. */
const TODAY = "2026-03-10";
const refusalOf = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.message;
  }
};
/** Of R$ 100,00. */
const refused = (due: Partial<Due>, amount = 10_000, before?: DueTerms): string | null =>
  refusalOf(() => acceptDue({ date: TODAY, ...due }, amount, TODAY, before));
const accepted = (due: Partial<Due>, amount = 10_000) => acceptDue({ date: TODAY, ...due }, amount, TODAY);

describe("accepting a due date", () => {
  test("of today or later, for five years; an edit may keep a date that has passed while it can still be paid", () => {
    assert.deepEqual(accepted({}), { date: TODAY, daysAfter: 30 });
    assert.deepEqual(accepted({ daysAfter: 0 }), { date: TODAY, daysAfter: 0 });
    assert.equal(refused({ date: daysAfter(TODAY, 1_826) }), null);
    assert.equal(refused({ date: daysAfter(TODAY, 1_827) }), "due.date: is more than 1826 days ahead");
    assert.equal(refused({ date: "2026-02-30" }), "due.date: is not a day");
    const past = "due.date: is before today, 2026-03-10 in São Paulo";
    const yesterday = { date: "2026-03-09", daysAfter: 30 };
    assert.equal(refused({ date: "2026-03-09" }), past);
    assert.equal(refused({ date: "2026-03-09" }, 10_000, { ...yesterday, date: "2026-03-08" }), past);
    assert.equal(refused({ date: "2026-03-09" }, 10_000, yesterday), null);
    assert.equal(refused({ date: "2026-03-09", daysAfter: 1 }, 10_000, yesterday), null);
    const over = "due.daysAfter: ends before today, 2026-03-10 in São Paulo";
    assert.equal(refused({ date: "2026-03-09", daysAfter: 0 }, 10_000, yesterday), over);
  });

  test("with rates that are an amount or a percentage, in centavos and hundredths of a percent", () => {
    const { fine, interest, abatement } = accepted({
      ...{ fine: { percent: 2 }, interest: { percent: 1.23, per: "month", days: "business" } },
      ...{ abatement: { fixed: 9.9 } },
    });
    assert.deepEqual(fine, { percentBps: 200 });
    assert.deepEqual(interest, { percentBps: 123, per: "month", days: "business" });
    assert.deepEqual(abatement, { fixed: 990 });
    assert.deepEqual(accepted({ interest: { fixed: 1, per: "day" } }).interest, {
      ...{ fixed: 100, per: "day", days: "calendar" },
    });
    const needs = "needs `fixed` or `percent`, and not both";
    assert.equal(refused({ fine: {} }), `due.fine: ${needs}`);
    assert.equal(refused({ fine: { fixed: 1, percent: 1 } }), `due.fine: ${needs}`);
    assert.equal(refused({ abatement: {} }), `due.abatement: ${needs}`);
    assert.equal(refused({ interest: { per: "day" } }), `due.interest: ${needs}`);
    const perDay = "due.interest.per: is `day` where the interest is a fixed amount";
    assert.equal(refused({ interest: { fixed: 1, per: "month" } }), perDay);
    assert.equal(refused({ interest: { percent: 1, per: "year" } }), null);
  });

  test("with discounts of one sort, each on a day of its own that is not after the due date", () => {
    const date = "2026-03-20";
    const until = (...steps: { date: string; fixed?: number; percent?: number }[]) =>
      refused({ date, discount: { until: steps } });
    assert.equal(until({ date, fixed: 1 }, { date: "2026-03-19", fixed: 2 }), null);
    assert.equal(until({ date: "2026-03-21", fixed: 1 }), "due.discount.until[0].date: is after the due date");
    assert.equal(until({ date: "2026-03-32", fixed: 1 }), "due.discount.until[0].date: is not a day");
    const twice = [
      { date: "2026-03-18", fixed: 1 },
      { date: "2026-03-19", fixed: 1 },
      { date: "2026-03-18", fixed: 2 },
    ];
    assert.equal(until(...twice), "due.discount.until[2].date: is there already");
    const mixed = "due.discount.until[1]: all discounts are amounts, or all percentages";
    assert.equal(until({ date, fixed: 1 }, { date: "2026-03-19", percent: 2 }), mixed);
    assert.equal(until({ date, percent: 1 }, { date: "2026-03-19", fixed: 2 }), mixed);
    const either = "due.discount: needs `until` or `perDay`, and not both";
    assert.equal(refused({ discount: {} }), either);
    assert.equal(refused({ discount: { until: [{ date: TODAY, fixed: 1 }], perDay: { fixed: 1 } } }), either);
    assert.deepEqual(accepted({ date, discount: { perDay: { percent: 0.5 } } }).discount, {
      perDay: { percentBps: 50, days: "calendar" },
    });
    assert.deepEqual(accepted({ date, discount: { until: [{ date, percent: 5 }] } }).discount, {
      until: [{ date, percentBps: 500 }],
    });
  });

  test("that leaves something to pay, and never asks for more than a Pix can have", () => {
    const nothing = "due.abatement: leaves nothing to pay";
    assert.equal(refused({ abatement: { fixed: 99.99 } }), null);
    assert.equal(refused({ abatement: { fixed: 100 } }), nothing);
    assert.equal(refused({ abatement: { percent: 99.99 } }), null);
    assert.equal(refused({ abatement: { percent: 100 } }), nothing);
    // A hundredth of a percent of a centavo is rounded up to the whole of it.
    assert.equal(refused({ abatement: { percent: 0.01 } }, 1), nothing);
    const free = "due.discount: leaves nothing to pay";
    const step = (fixed: number) => refused({ discount: { until: [{ date: TODAY, fixed }] } });
    assert.equal(step(99.98), null);
    assert.equal(step(99.99), free);
    const daily = (date: string) => refused({ date, discount: { perDay: { fixed: 10 } } });
    assert.equal(daily("2026-03-19"), null);
    assert.equal(daily("2026-03-20"), free);
    assert.equal(refused({}, MAX_CENTAVOS), null);
    const more = "due: could ask for more than 9999999999.99";
    assert.equal(refused({ fine: { fixed: 0.01 } }, MAX_CENTAVOS), more);
    assert.equal(refused({ fine: { fixed: 0.01 } }, MAX_CENTAVOS - 1), null);
  });
});

test("a charge with a due date is of that kind at its institution, and any other is immediate", () => {
  assert.deepEqual([kindOf({ due: { date: TODAY, daysAfter: 0 } }), kindOf({ due: null })], ["due", "immediate"]);
});

test("a charge can be paid for a day, for as long as was asked, or until the end of its last day", () => {
  const now = at("12:00:00");
  const terms = (body: Partial<ChargeRequest>, when = now) => acceptTerms(body as ChargeRequest, 10_000, when);
  assert.deepEqual(terms({}), { due: null, expiresIn: 86_400, expiresAt: new Date("2026-03-11T12:00:00Z") });
  assert.deepEqual(terms({ expiresIn: 60 }), { due: null, expiresIn: 60, expiresAt: at("12:01:00") });
  const customer = { name: "Ana", document: "529.982.247-25" };
  const due = { date: TODAY, daysAfter: 0 };
  const end = new Date("2026-03-11T03:00:00Z");
  assert.deepEqual(terms({ due, customer }), { due, expiresIn: 54_000, expiresAt: end });
  assert.equal(terms({ due, customer }, at("12:00:00.001")).expiresIn, 54_000);
  const refusal = (body: Partial<ChargeRequest>) => refusalOf(() => terms({ due, ...body }));
  assert.equal(refusal({ customer, expiresIn: 60 }), "expiresIn: is left out of a charge with a due date");
  assert.equal(refusal({}), "customer.name: is needed with a due date");
  assert.equal(refusal({ customer: { ...customer, name: " " } }), "customer.name: is needed with a due date");
  assert.equal(refusal({ customer: { name: "Ana" } }), "customer.document: is needed with a due date");
  assert.match(
    refusal({ customer: { ...customer, document: "52998224724" } })!,
    /^customer\.document: is neither a CPF/,
  );
});

describe("an edit of a due date", () => {
  const [old, wanted] = [
    { date: TODAY, daysAfter: 0 },
    { date: "2026-03-12", daysAfter: 0 },
  ];
  const edit = (changes: Partial<DueEdit> = {}): DueEdit => ({
    ...{ from: old, to: wanted, askedAt: at("10:00:00").toISOString(), status: "asked", endedAt: null },
    ...{ requests: 1, sentAt: at("10:00:00").toISOString(), mayArrive: false, by: "merchant" },
    ...changes,
  });
  const ended = { status: "done" as const, endedAt: at("11:00:00").toISOString() };

  test("is open while the newest has no answer, and ends with its charge as one that may still arrive", () => {
    assert.equal(openEdit({ dueEdits: null }), null);
    assert.equal(openEdit({ dueEdits: [edit(), edit(ended)] }), null);
    const open = edit();
    assert.equal(openEdit({ dueEdits: [edit(ended), open] }), open);
    assert.deepEqual(endedEdits({ dueEdits: null }, at("12:00:00")), []);
    assert.deepEqual(endedEdits({ dueEdits: [edit(ended)] }, at("12:00:00")), [edit(ended)]);
    const refusedAt = { status: "refused" as const, endedAt: at("12:00:00").toISOString(), mayArrive: true };
    assert.deepEqual(endedEdits({ dueEdits: [edit(ended), open] }, at("12:00:00")), [edit(ended), edit(refusedAt)]);
  });

  test("is settled a quarter of an hour after its end, and given up a week after both last days", () => {
    const settled = (dueEdits: DueEdit[] | null, now: string) => isSettledEdit({ dueEdits }, at(now));
    assert.equal(settled(null, "10:00:00"), true);
    assert.equal(settled([edit()], "23:00:00"), false);
    assert.equal(settled([edit(ended)], "11:15:00"), false);
    assert.equal(settled([edit(ended)], "11:15:00.001"), true);
    const week = new Date(`${daysAfter(latestDayOf(wanted), 8)}T03:00:00Z`);
    assert.deepEqual(abandonedAt({ from: old, to: wanted }), week);
    assert.deepEqual(abandonedAt({ from: wanted, to: old }), week);
  });

  test("lets a Pix by either terms be in time, as long as a payer may have read them", () => {
    const charge = (due: DueTerms | null, dueEdits: DueEdit[] | null = null, expiresAt = payableUntil(due ?? old)) => ({
      ...{ amount: 10_000, due, dueEdits, expiresAt },
    });
    const endOf = (terms: DueTerms) => new Date(`${daysAfter(latestDayOf(terms), 1)}T03:00:00Z`);
    const paid = at("11:15:00");
    assert.deepEqual(latestEnd(charge(null, null, at("13:00:00")), paid), at("13:00:00"));
    assert.deepEqual(latestEnd(charge(old), paid), endOf(old));
    // The sandbox has ended it before its terms do.
    assert.deepEqual(latestEnd(charge(old, null, at("13:00:00")), paid), at("13:00:00"));
    assert.deepEqual(latestEnd(charge(old, [edit()]), paid), endOf(wanted));
    assert.deepEqual(latestEnd(charge(old, [edit({ ...ended, status: "refused" })]), paid), endOf(old));
    assert.deepEqual(
      latestEnd(charge(old, [edit({ ...ended, status: "refused", mayArrive: true })]), paid),
      endOf(wanted),
    );
    const back = { from: wanted, to: old, ...ended };
    assert.deepEqual(latestEnd(charge(old, [edit(back)]), paid), endOf(wanted));
    assert.deepEqual(latestEnd(charge(old, [edit(back)]), at("11:15:00.001")), endOf(old));
    assert.deepEqual(latestEnd(charge(old, [edit({ ...back, by: "institution" })]), at("20:00:00")), endOf(wanted));
  });

  test("an amount is expected that the components explain, or that is possible on the day of the Pix", () => {
    const fine = { ...old, fine: { fixed: 500 } };
    const charge = { amount: 10_000, due: fine, dueEdits: null };
    const pix = (amount: number, day = TODAY, components?: object) => ({
      ...{ amount, paidAt: new Date(`${day}T15:00:00Z`) },
      ...(components !== undefined && { components: components as never }),
    });
    assert.equal(isExpected({ ...charge, due: null }, pix(10_000)), true);
    assert.equal(isExpected({ ...charge, due: null }, pix(10_001)), false);
    assert.deepEqual(
      [9_999, 10_000, 10_001].map((amount) => isExpected(charge, pix(amount))),
      [false, true, false],
    );
    assert.deepEqual(
      [9_999, 10_000, 10_500, 10_501].map((amount) => isExpected(charge, pix(amount, "2026-03-11"))),
      [false, true, true, false],
    );
    const parts = { original: 10_000, fine: 200, interest: 3, discount: 0, abatement: 0 };
    assert.equal(isExpected(charge, pix(10_203, TODAY, parts)), true);
    assert.equal(isExpected(charge, pix(10_204, TODAY, parts)), false);
    assert.equal(isExpected(charge, pix(10_203, TODAY, { ...parts, original: 9_999, fine: 201 })), false);
    assert.deepEqual(explained(charge, pix(10_203, TODAY, parts)), parts);
    assert.equal(explained(charge, pix(10_204, TODAY, parts)), null);
    assert.equal(explained({ ...charge, due: null }, pix(10_203, TODAY, parts)), null);
  });

  test("interest is counted for a year after the last day, and no longer", () => {
    const due: DueTerms = { ...old, interest: { fixed: 1, per: "day", days: "calendar" } };
    const charge = { amount: 10_000, due, dueEdits: null };
    const greatest = (day: string) => {
      const paidAt = new Date(`${day}T15:00:00Z`);
      for (let amount = 12_000; amount > 10_000; amount -= 1) if (isExpected(charge, { amount, paidAt })) return amount;
      return 10_000;
    };
    assert.equal(greatest("2026-03-11"), 10_002);
    assert.equal(greatest(daysAfter(TODAY, 366)), 10_732);
    assert.equal(greatest(daysAfter(TODAY, 400)), 10_732);
  });
});

test("a charge that no institution takes is refused with the highest amount that one does", () => {
  const of = (...amounts: (number | undefined)[]) =>
    tooMuch(amounts.map((maxAmount) => ({ can: { maxAmount } }) as never));
  assert.equal(of(100_000, 250_000).code, "NOT_SUPPORTED_BY_INSTITUTION");
  assert.equal((of(100_000, 250_000).details as { limit: number }).limit, 2_500);
});
