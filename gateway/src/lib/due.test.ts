import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { businessDaysBetween, isBusinessDay, nextBusinessDay, weekdaysBetween } from "./business-days.ts";
import { daysAfter } from "./days.ts";
import {
  type DueTerms,
  dueOn,
  lastDayOf,
  latestDayOf,
  payableUntil,
  possibleOn,
  sameEffect,
  sameTerms,
  totalOf,
} from "./due.ts";

/** A Thursday without holidays around it. */
const DUE = "2026-12-10";
/** Holidays with a date of their own that may be a Friday about Easter. */
const FIXED_NEAR: ReadonlySet<string> = new Set(["04-21", "05-01"]);
const terms = (more: Partial<DueTerms> = {}): DueTerms => ({ date: DUE, daysAfter: 30, ...more });
/** [fine, interest, discount, abatement] of R$ 100.00 on a day. */
const parts = (day: string, more: Partial<DueTerms>, original = 10_000): number[] => {
  const { fine, interest, discount, abatement } = dueOn(original, terms(more), day);
  return [fine, interest, discount, abatement];
};

describe("what a charge with a due date costs, worked out by hand", () => {
  test("before and on the due date it costs what was asked, after it with fine and interest", () => {
    const more: Partial<DueTerms> = {
      fine: { percentBps: 300 },
      interest: { percentBps: 100, per: "day", days: "calendar" },
    };
    for (const day of ["2026-12-01", "2026-12-09", DUE]) assert.deepEqual(parts(day, more), [0, 0, 0, 0], day);
    // The Central Bank's own example: two days late, 3 % and 1 % a day make R$ 105.00 of R$ 100.00.
    assert.deepEqual(parts("2026-12-12", more), [300, 200, 0, 0]);
    assert.equal(totalOf(dueOn(10_000, terms(more), "2026-12-12")), 10_500);
  });

  test("a fine is an amount or a percentage, once, however late it is", () => {
    for (const day of ["2026-12-11", "2027-01-11"]) {
      assert.deepEqual(parts(day, { fine: { fixed: 512 } }), [512, 0, 0, 0]);
      assert.deepEqual(parts(day, { fine: { percentBps: 200 } }), [200, 0, 0, 0]);
    }
  });

  test("interest has eight ways: ten days late, six of them business days", () => {
    const day = "2026-12-20";
    const cases: [DueTerms["interest"], number][] = [
      [{ fixed: 33, per: "day", days: "calendar" }, 330],
      [{ percentBps: 50, per: "day", days: "calendar" }, 500],
      [{ percentBps: 100, per: "month", days: "calendar" }, 33],
      [{ percentBps: 1_200, per: "year", days: "calendar" }, 33],
      [{ fixed: 33, per: "day", days: "business" }, 198],
      [{ percentBps: 50, per: "day", days: "business" }, 300],
      [{ percentBps: 210, per: "month", days: "business" }, 60],
      [{ percentBps: 2_520, per: "year", days: "business" }, 60],
    ];
    for (const [interest, expected] of cases)
      assert.deepEqual(parts(day, { interest: interest! }), [0, expected, 0, 0], JSON.stringify(interest));
  });

  test("a month of interest has 30 days and a year 365: R$ 30,000.00 at 1 % is R$ 10.00 a day", () => {
    const late: DueTerms = {
      date: "2024-09-04",
      daysAfter: 30,
      interest: { percentBps: 100, per: "month", days: "calendar" },
    };
    assert.equal(dueOn(3_000_000, late, "2024-09-05").interest, 1_000);
    // 1,000.00 × 12 % × 30 / 365 = 9.863…
    const yearly: Partial<DueTerms> = { interest: { percentBps: 1_200, per: "year", days: "calendar" } };
    assert.equal(dueOn(100_000, terms(yearly), "2027-01-09").interest, 986);
  });

  test("a discount has six ways", () => {
    const until = (...steps: [string, number][]): Partial<DueTerms> => ({
      discount: { until: steps.map(([date, fixed]) => ({ date, fixed })) },
    });
    const stepped = until(["2026-12-08", 500], ["2026-12-03", 1_000]);
    assert.deepEqual(
      ["2026-12-03", "2026-12-04", "2026-12-08", "2026-12-09", DUE].map((day) => parts(day, stepped)[2]),
      [1_000, 500, 500, 0, 0],
    );
    assert.equal(parts("2026-12-03", { discount: { until: [{ date: "2026-12-03", percentBps: 750 }] } })[2], 750);
    // On a Friday, six days before, four of them business days.
    const day = "2026-12-04";
    const perDay = (rate: { fixed: number } | { percentBps: number }, days: "calendar" | "business") =>
      parts(day, { discount: { perDay: { ...rate, days } } })[2];
    assert.deepEqual([perDay({ fixed: 25 }, "calendar"), perDay({ fixed: 25 }, "business")], [150, 100]);
    assert.deepEqual([perDay({ percentBps: 50 }, "calendar"), perDay({ percentBps: 50 }, "business")], [300, 200]);
    for (const late of [DUE, "2026-12-11"])
      assert.equal(parts(late, { discount: { perDay: { fixed: 25, days: "calendar" } } })[2], 0);
  });

  test("an abatement is taken off on every day, and percentages are of what it leaves", () => {
    const more: Partial<DueTerms> = {
      abatement: { percentBps: 1_000 },
      fine: { percentBps: 200 },
      interest: { percentBps: 100, per: "day", days: "calendar" },
      discount: { until: [{ date: "2026-12-05", percentBps: 500 }] },
    };
    assert.deepEqual(parts("2026-12-04", more), [0, 0, 450, 1_000]);
    assert.deepEqual(parts(DUE, more), [0, 0, 0, 1_000]);
    assert.deepEqual(parts("2026-12-11", more), [180, 90, 0, 1_000]);
    assert.deepEqual(parts(DUE, { abatement: { fixed: 123 } }), [0, 0, 0, 123]);
    // A centavo stays to be paid.
    for (const fixed of [9_999, 10_000]) assert.deepEqual(parts(DUE, { abatement: { fixed } }), [0, 0, 0, 9_999]);
  });

  test("every part is rounded half up to the centavo, once", () => {
    const of = (original: number, percentBps: number) =>
      dueOn(original, terms({ fine: { percentBps } }), "2026-12-11").fine;
    assert.deepEqual([of(1_000, 5), of(1_000, 4), of(999, 50), of(100, 149), of(100, 150)], [1, 0, 5, 1, 2]);
    // Ten days at 0.0333…% are 0.333…%, not ten roundings.
    assert.equal(parts("2026-12-20", { interest: { percentBps: 100, per: "month", days: "calendar" } }, 1_000)[1], 3);
  });
});

describe("days", () => {
  const late: Partial<DueTerms> = { fine: { fixed: 200 }, interest: { fixed: 10, per: "day", days: "calendar" } };
  const on = (date: string, day: string) => parts(day, { ...late, date }).slice(0, 2);

  test("a due date on a weekend or holiday moves to the next business day, and everything with it", () => {
    assert.deepEqual(on("2026-12-12", "2026-12-14"), [0, 0]);
    assert.deepEqual(on("2026-12-12", "2026-12-15"), [200, 10]);
    // Christmas is a Friday.
    assert.deepEqual(on("2026-12-25", "2026-12-28"), [0, 0]);
    assert.deepEqual(on("2026-12-25", "2026-12-29"), [200, 10]);
    // Carnival of 2027: Monday 8 and Tuesday 9 February.
    assert.deepEqual(on("2027-02-08", "2027-02-10"), [0, 0]);
    assert.deepEqual(on("2027-02-08", "2027-02-11"), [200, 10]);
  });

  test("fine and interest begin on the first business day after the due date, and count every day", () => {
    assert.deepEqual(on("2026-12-11", "2026-12-13"), [0, 0]);
    assert.deepEqual(on("2026-12-11", "2026-12-14"), [200, 30]);
  });

  test("months end and leap years have their day", () => {
    assert.deepEqual(on("2024-02-28", "2024-03-01"), [200, 20]);
    assert.deepEqual(on("2025-02-27", "2025-02-28"), [200, 10]);
    assert.deepEqual(on("2026-01-30", "2026-03-02"), [200, 310]);
  });

  test("national holidays follow their dates, and Easter", () => {
    const holidays = [
      ...[
        "2024-02-12",
        "2024-02-13",
        "2024-03-29",
        "2024-05-30",
        "2024-11-20",
        "2026-02-16",
        "2026-02-17",
        "2026-04-03",
      ],
      ...[
        "2026-06-04",
        "2027-02-08",
        "2027-02-09",
        "2027-03-26",
        "2027-05-27",
        "2028-02-28",
        "2028-02-29",
        "2028-04-14",
      ],
      ...[
        "2026-01-01",
        "2026-04-21",
        "2026-05-01",
        "2026-09-07",
        "2026-10-12",
        "2026-11-02",
        "2027-11-15",
        "2026-12-25",
      ],
    ];
    for (const day of holidays) assert.equal(isBusinessDay(day), false, day);
    for (const day of ["2023-11-20", "2024-02-14", "2026-04-06", "2026-06-05", "2026-12-31"])
      assert.equal(isBusinessDay(day), true, day);
    assert.equal(nextBusinessDay("2026-04-03"), "2026-04-06");
  });

  test("Good Friday is two days before the Easter Sundays that the Church has published", () => {
    const sundays =
      "1999-04-04 2000-04-23 2008-03-23 2011-04-24 2019-04-21 2024-03-31 2025-04-20 2026-04-05 2027-03-28 2028-04-16 2029-04-01 2030-04-21 2031-04-13 2032-03-28 2033-04-17 2034-04-09 2035-03-25 2036-04-13 2037-04-05 2038-04-25 2039-04-10 2040-04-01 2049-04-18 2076-04-19 2100-03-28 2190-04-25";
    for (const sunday of sundays.split(" ")) {
      const friday = daysAfter(sunday, -2);
      assert.equal(isBusinessDay(friday), false, friday);
      for (const days of [-7, 7])
        assert.equal(isBusinessDay(daysAfter(friday, days)), !FIXED_NEAR.has(daysAfter(friday, days).slice(5)), friday);
    }
  });

  test("Good Friday is that of every year by another algorithm, golden numbers and epacts (Knuth, after Lilius and Clavius)", () => {
    for (let year = 2_000; year < 9_999; year += 1) {
      const golden = (year % 19) + 1;
      const century = Math.floor(year / 100) + 1;
      const x = Math.floor((3 * century) / 4) - 12;
      const epact = (11 * golden + 50 + Math.floor((8 * century + 5) / 25) - 5 - x) % 30;
      const isMoved = epact === 24 || (epact === 25 && golden > 11);
      const moon = 44 - epact - (isMoved ? 1 : 0);
      const full = moon < 21 ? moon + 30 : moon;
      // Days from the first of March.
      const sunday = full + 7 - ((Math.floor((5 * year) / 4) - x - 10 + full) % 7) - 1;
      const friday = daysAfter(`${year}-03-01`, sunday - 2);
      assert.equal(isBusinessDay(friday), false, friday);
    }
  });

  test("the last day is that of the Central Bank's examples", () => {
    const last = [
      ["2020-10-20", 4, "2020-10-26"],
      ["2020-12-25", 0, "2020-12-28"],
      ["2020-12-25", 1, "2020-12-29"],
      ["2020-12-25", 3, "2020-12-31"],
      ["2020-12-25", 4, "2021-01-04"],
      ["2021-08-27", 5, "2021-09-01"],
      ["2021-08-28", 5, "2021-09-06"],
    ] as const;
    for (const [date, days, day] of last) assert.equal(lastDayOf({ date, daysAfter: days }), day, `${date} + ${days}`);
    // The day after, where the due date is a local holiday, and one more where the last day is one too.
    assert.equal(latestDayOf({ date: DUE, daysAfter: 0 }), "2026-12-11");
    // A Tuesday and a Friday: a local holiday moves the Friday past the weekend.
    assert.equal(latestDayOf({ date: "2026-12-08", daysAfter: 3 }), "2026-12-14");
    // Until midnight in São Paulo.
    assert.equal(payableUntil({ date: DUE, daysAfter: 0 }).toISOString(), "2026-12-11T03:00:00.000Z");
  });
});

describe("two terms", () => {
  const until = (...dates: string[]): Partial<DueTerms> => ({
    discount: { until: dates.map((date) => ({ date, fixed: Number(date.slice(-2)) })) },
  });

  test("are the same in whatever order their discounts are listed", () => {
    assert.equal(sameTerms(terms(until("2026-12-03", "2026-12-08")), terms(until("2026-12-08", "2026-12-03"))), true);
    assert.equal(sameTerms(terms(until("2026-12-03")), terms(until("2026-12-08"))), false);
    assert.equal(sameTerms(terms(), terms({ fine: { fixed: 1 } })), false);
  });

  test("cost the same where a day moves to the same business day, and where a rate is nothing", () => {
    // A Saturday and the Monday after it.
    const [saturday, monday] = ["2026-12-12", "2026-12-14"];
    assert.equal(sameEffect(terms({ date: saturday }), terms({ date: monday })), true);
    const step = (date: string) => terms({ date: "2026-12-18", discount: { until: [{ date, fixed: 12 }] } });
    assert.equal(sameEffect(step(saturday), step(monday)), true);
    for (const nothing of [{ fixed: 0 }, { percentBps: 0 }]) {
      const none: Partial<DueTerms> = {
        ...{ fine: nothing, interest: { ...nothing, per: "day", days: "calendar" }, abatement: nothing },
        discount: { perDay: { ...nothing, days: "calendar" } },
      };
      assert.equal(sameEffect(terms(), terms(none)), true);
      assert.equal(sameEffect(terms(), terms({ discount: { until: [{ date: DUE, ...nothing }] } })), true);
    }
    const each: Partial<DueTerms>[] = [
      ...[{ fine: { fixed: 1 } }, { interest: { percentBps: 1, per: "day", days: "calendar" } as const }],
      ...[{ abatement: { percentBps: 1 } }, { discount: { perDay: { fixed: 1, days: "business" } } as const }],
      ...[until(DUE), { daysAfter: 33 }],
    ];
    for (const more of each) assert.equal(sameEffect(terms(), terms(more)), false, JSON.stringify(more));
  });
});

test("whatever the terms, an amount is positive, its parts add up, and it is one that an institution may ask", () => {
  const rate = fc.oneof(
    fc.record({ fixed: fc.integer({ min: 1, max: 5_000 }) }),
    fc.record({ percentBps: fc.integer({ min: 1, max: 10_000 }) }),
  );
  const days = fc.constantFrom("calendar" as const, "business" as const);
  const interest = fc.oneof(
    fc.record({ fixed: fc.integer({ min: 1, max: 500 }), per: fc.constant("day" as const), days }),
    fc.record({ percentBps: fc.integer({ min: 1, max: 10_000 }), per: fc.constantFrom("day", "month", "year"), days }),
  ) as fc.Arbitrary<NonNullable<DueTerms["interest"]>>;
  const all = fc.record({
    original: fc.integer({ min: 100, max: 999_999_999 }),
    offset: fc.integer({ min: 0, max: 2_000 }),
    paid: fc.integer({ min: -400, max: 400 }),
    early: fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), rate), { minLength: 1, maxLength: 3 }),
    perDay: fc.option(fc.tuple(rate, days), { nil: undefined }),
    fine: fc.option(rate, { nil: undefined }),
    interest: fc.option(interest, { nil: undefined }),
    abatement: fc.option(rate, { nil: undefined }),
  });
  fc.assert(
    fc.property(all, ({ original, offset, paid, early, perDay, fine, interest: by, abatement }) => {
      const date = daysAfter("2024-01-01", offset);
      const discount: NonNullable<DueTerms["discount"]> = perDay
        ? { perDay: { ...perDay[0], days: perDay[1] } }
        : { until: early.map(([before, step]) => ({ date: daysAfter(date, -before), ...step })) };
      const of: DueTerms = {
        ...{ date, daysAfter: 30, discount },
        ...(fine && { fine }),
        ...(by && { interest: by }),
        ...(abatement && { abatement }),
      };
      const day = daysAfter(date, paid);
      const due = dueOn(original, of, day);
      for (const value of Object.values(due)) assert.ok(Number.isSafeInteger(value) && value >= 0, JSON.stringify(due));
      const { from, to } = possibleOn(original, of, day);
      const total = totalOf(due);
      assert.ok(total >= 1 && from <= total && total <= to, `${total} of ${from} to ${to}`);
      if (day < date) assert.equal(due.fine + due.interest, 0);
    }),
    { numRuns: 2_000 },
  );
});

test("days of business and of the week are counted as they would be one by one, over holidays and ends of years", () => {
  let [from, business, weekdays] = ["2023-11-15", 0, 0];
  assert.equal(weekdaysBetween("1970-01-01", "1970-01-05"), 2);
  for (let n = 1, day = daysAfter(from, 1); n <= 1_200; n += 1, day = daysAfter(day, 1)) {
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
    if (weekday !== 0 && weekday !== 6) weekdays += 1;
    if (isBusinessDay(day)) business += 1;
    assert.deepEqual([weekdaysBetween(from, day), businessDaysBetween(from, day)], [weekdays, business], day);
    assert.deepEqual([weekdaysBetween(day, from), businessDaysBetween(day, from)], [0, 0], day);
    // Also from each day of the week.
    if (n % 171 === 0) [from, business, weekdays] = [day, 0, 0];
  }
});

test("a bank's lying time costs no time: what is possible on the last day of all is worked out at once", () => {
  const of = terms({ interest: { percentBps: 100, per: "month", days: "business" } });
  const began = process.cpuUsage();
  for (let n = 0; n < 100; n += 1) possibleOn(10_000, of, "9999-12-31");
  assert.ok(process.cpuUsage(began).user < 500_000);
});
